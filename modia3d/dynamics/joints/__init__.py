"""One kind of joint per file: its pose and its motion subspace. `joint` and `general` make all look alike.

Revolute and prismatic joints have a constant motion subspace that the kernels use without storing it. All other kinds go
through `general`: a file for each kind gives pose and columns of the motion subspace in the joint frame, the columns are
kept in ``work`` (in B) and eliminated one after the other, as massless bodies in a chain would be, but without their
transformations. `inlined` (`basics.spatial`) makes the choice between both ways cost nothing: 7 / 50 / 200 revolute
joints take 0.40 of Pinocchio's time, without it 0.6. Speeds of spherical and free joints are ``w_12`` in B whatever
describes the orientation, so that nothing in the dynamics is singular at a Cardan singularity."""
