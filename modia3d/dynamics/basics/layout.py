"""Columns of the arrays that describe a forest of bodies, and the sizes of its workspace (plain Python, no numba).

Notation: ``R_PB`` takes coordinates in B to coordinates in P, ``p_PB_P`` is the position of B's origin from P's origin in
coordinates of P; W is the world, P the parent body, J the joint frame on the parent, B the body.

One algorithm per file: `kinematics.py`, `accelerations.py`, `inverse_dynamics.py`, `bias.py`, `mass_matrix.py`,
`forward_dynamics.py`, `hybrid.py`, `articulated.py`, `jacobian.py`, `energy.py`; joints in `joints/` (`records.py`
keeps the columns of their motion subspaces). `layout.py` names the columns of all arrays.

Bodies are numbered so that parents come first; body -1 is the world. Static arrays (C order):

- `ints: int64[n, 8]`, columns: 0 parent, 1 kind (0 revolute about z, 1 prismatic along z, 2 free, 3 screw about z, 4
  cylindrical along z, 5 universal about x then y, 6 planar in xy, 7 spherical, 8 six-dof, 9 pin-slot), 2 first index in q, 3
  first index in v, 4 role (0 equation: the joint's acceleration comes from the equations; 1 passive: eliminated
  inside; 2 locked: passive, does not accelerate), 5 orientation (0 quaternion, 1 to 6 Cardan sequence), 6 reversed, 7
  automatic sequence.
- `floats: float64[n, 32]`, columns: 0-8 `R_PJ` row-major (coordinates in the joint frame J to coordinates in the
  parent body P), 9-11 `p_PJ_P`, 12 mass, 13-15 `mass * p_BC_B` (first moment), 16-21 inertia about the body origin in
  B (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), 22 distance per angle of a screw, rest 0.
- `gravity: float64[3]`, in world.

A body's frame B coincides with the joint frame J at q = 0, its z axis is the joint's axis; B of a free body is the
frame of its root `Object3D` (its parent is the world, its `R_PJ` the identity). A reversed revolute or prismatic
joint is the same joint with the opposite axis; the others carry the flag `reversed`: J is then fixed in B, and what
the kind describes is the motion of the parent. Coordinates keep their meaning in both.

A joint is one file in `scene/joints/` and a line in `scene/joint_names.py`: its dataclass declares the `Kinematics`
of its kind (sizes, pose and motion subspace in J as plain Python functions, which columns turn, where an orientation
begins), from which `dynamics/joints/kinds.py` numbers the kinds and `dynamics/joints/general.py` makes the dispatch
of the kernels; exports and names of scenarios follow, too. `kernel_of` (`dynamics/basics/spatial.py`) makes kernels
of plain functions (`dynamics/basics/algebra.py`, `turning.py`): the scene can import and evaluate them without numba,
and the tests compare them with what the scene says.

Revolute and prismatic joints have a constant motion subspace that the kernels use without storing it. All other kinds
go through `dynamics/joints/general.py`: the columns of the motion subspace are kept in `work` (in B) and eliminated
one after the other, as massless bodies in a chain would be, but without their transformations. `inlined`
(`spatial.py`) makes the choice between both ways cost nothing: 7 / 50 / 200 revolute joints take 0.40 of Pinocchio's
time, without it 0.6. Speeds of spherical and free joints are `w_12` in B whatever describes the orientation, so that
nothing in the dynamics is singular at a Cardan singularity.

`q = (q_e, q_h)`, `v = (v_e, v_h)`: first the joints with role 0, in an order that never changes, then the passive ones
in forest order. A free body has q = (`p_WB_W`, quaternion w x y z of `R_WB`), v = (`v_WB_W`, `w_WB_B`), its
acceleration is the derivative of v. `x_var = (q_h, v_h)`.

Time to compile (cold start): the formulas of `dynamics/basics/algebra.py` are plain Python functions without
branches; `formula` (`dynamics/basics/formula.py`) writes their instructions into the kernel that calls them, in a
tenth of the time of a compiled function. What only machine code calls has no wrappers for Python (`kernel`,
`native.part`), and no kernel counts references to arrays (`native.WITHOUT_OBJECTS`): numba then refuses a function
that allocates or returns an array of its own (a tuple of arrays it returns).

`Dynamics(ints, floats, gravity)` (`packed.py`) is the public numeric API: inverse and forward dynamics, mass matrix,
kinematics, cut wrenches, energies, Jacobian of a frame; `topology.forest_of(model)` gives it the arrays of a
`Model3D`. A joint that moves nothing with inertia is named by `engine/massless.py`, with a flange too
(`undetermined`).

Equation joints see `M a_e + h = tau_e`, where M and h have the passive accelerations eliminated (articulated inertia
across passive joints, composite across prescribed joints).
"""

from __future__ import annotations

from typing import TypeVar

from modiapy.acausal.memory_layout import Extent

Size = TypeVar("Size", int, Extent)
"""A number, or one that is known when memory is allocated."""

INT_COLUMNS = 8
"""Number of columns of ``ints: int64[n, INT_COLUMNS]``."""
PARENT, KIND, Q_INDEX, V_INDEX, ROLE, ORIENTATION, REVERSED, AUTOMATIC = range(8)
"""Columns of ``ints``: parent body (-1 is the world), kind of joint, first index in q, first index in v, role; place in
`SEQUENCES` of how the orientation is described (free, spherical, six-dof); 1 if the motion is that of the parent relative to
the body (not revolute, prismatic: there the axis is negated; not free); 1 if the Cardan sequence is changed near its
singularity."""

REVOLUTE, PRISMATIC, FREE = range(3)
"""Kinds of joints. Revolute about z, prismatic along z, free motion (its parent is always the world); the others, behind them,
are `general`: what each declares is numbered in `modia3d.dynamics.joints.kinds`."""
PRESCRIBED, PASSIVE, LOCKED = range(3)
"""Roles. The acceleration of a PRESCRIBED joint comes from the equations, a PASSIVE one is eliminated inside; a LOCKED one is a
passive joint of one speed that does not accelerate (an end stop holds it)."""

SEQUENCES = ("quaternion", "xyz", "yzx", "zxy", "xzy", "yxz", "zyx")
"""Descriptions of an orientation: quaternion w x y z, or Cardan angles about three body axes in turn."""
SINGULAR_SINE = 0.9
"""An automatic sequence is left where the sine of its second angle exceeds this; the best other one is below 0.71."""
X_PLACES, V_PLACE = 13, 7
"""Places for the states of any joint, and the first of them that is for speeds, see `Forest.x_place`."""

FLOAT_COLUMNS = 32
"""Number of columns of ``floats: float64[n, FLOAT_COLUMNS]``."""
R_PJ = 0
"""9 columns, row-major."""
P_PJ = 9
"""3 columns, ``p_PJ_P`` [m]."""
MASS = 12
"""[kg]"""
MOMENT = 13
"""3 columns, first moment ``mass * p_BC_B`` of the centre of mass C [kg m]."""
INERTIA = 16
"""6 columns, inertia about the body's origin in B: Ixx, Iyy, Izz, Ixy, Ixz, Iyz [kg m2]."""

PARAMETER = 22
"""1 column; screw: distance per angle [m/rad]."""

STATUS_OK = 0
STATUS_SINGULAR = 1
"""The accelerations of passive joints are not determined: a body that a joint moves has neither mass nor inertia there."""

SINGULAR = 1e-14
"""A joint's articulated inertia below this fraction of the inertia that hangs on it is rounding, not inertia."""

WORK_COLUMNS = 144
"""Number of columns of ``work: float64[n, WORK_COLUMNS]``, the kernels' scratch memory, one row per body."""
W_R = 0
"""9 columns, ``R_PB``."""
W_P = 9
"""3 columns, ``p_PB_P``."""
W_OMEGA = 12
"""3 columns, ``w_WB_B``."""
W_ACCELERATION = 15
"""6 columns, angular acceleration and acceleration of the origin, minus gravity, in B."""
W_FORCE = 21
"""6 columns, torque about the body's origin and force in B (inverse dynamics); bias force (articulated body)."""
W_INERTIA = 27
"""21 columns, articulated inertia J (6), H (9), M (6), see `spatial`, of free bodies its factors; composite inertia (6), first
moment (3), mass (1) in `mass_matrix`."""
W_PRODUCT = 48
"""6 columns, acceleration that velocities alone cause across the joint, in B."""
W_SCALE = 54
"""2 columns, magnitude of inertia and of mass of all that hangs on the joint, to judge singularity."""
W_BELOW = 56
"""1.0 where the body's joint or one behind it is a PRESCRIBED joint, else 0.0."""
W_SPEEDS = 58
"""One record for each speed of the joint (up to 6 in general joints, the first one in revolute and prismatic joints)."""
SPEED_COLUMNS = 14
"""Number of columns of a record."""
W_S = W_SPEEDS
"""6 columns of a record, column of the motion subspace (angular, linear) in B; general joints only."""
W_U = W_SPEEDS + 6
"""6 columns of a record, inertia times motion subspace; of free bodies the torque and force left to accelerate them."""
W_D_INV = W_SPEEDS + 12
"""Of a record: inverse of the joint's articulated inertia."""
W_U_FORCE = W_SPEEDS + 13
"""Of a record: generalized force that is left to accelerate the joint."""


def work_shape(n: Size) -> tuple[Size, int]:
    """Return the shape of the array ``work`` for ``n`` bodies."""
    return n, WORK_COLUMNS
