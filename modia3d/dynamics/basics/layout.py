"""Columns of the arrays that describe a forest of bodies, and the sizes of its workspace (plain Python, no numba).

Notation: ``R_PB`` takes coordinates in B to coordinates in P, ``p_PB_P`` is the position of B's origin from P's origin in
coordinates of P; W is the world, P the parent body, J the joint frame on the parent, B the body.
"""

from __future__ import annotations

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
EQUATION, HIDDEN, HELD = range(3)
"""Roles. The acceleration of an EQUATION joint comes from the equations, a HIDDEN one is eliminated inside; a HELD one is a
hidden joint of one speed that does not accelerate (an end stop holds it)."""

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
"""The accelerations of hidden joints are not determined: a body that a joint moves has neither mass nor inertia there."""

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
"""1.0 where the body's joint or one behind it is an EQUATION joint, else 0.0."""
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


def work_shape(n: int) -> tuple[int, int]:
    """Shape of the array ``work`` for ``n`` bodies."""
    return n, WORK_COLUMNS


def coupling_shape(nv: int, n_e: int) -> tuple[int, int]:
    """Shape of the array ``coupling`` of the hybrid kernels for ``nv`` speeds, ``n_e`` of them of EQUATION joints."""
    return n_e, nv - n_e
