"""Kinds of joints, one per file: pose and motion subspace. `joint` and `general` give all of them the same interface.

The kernels use the constant motion subspace of revolute and prismatic joints without storing it. All other kinds go through
`general`: a file for each kind gives pose and columns of the motion subspace in the joint frame. The columns are stored in
``work`` (in B) and eliminated one after the other, like massless bodies in a chain, but without their transformations.
`inlined` (`basics.spatial`) makes the choice between both ways cost nothing: 7

50

200 revolute joints take 0.40 of Pinocchio's time, without it 0.6. Speeds of spherical and free joints are ``w_12`` in B for
every description of the orientation, so nothing in the dynamics is singular at a Cardan singularity.
"""
