"""Columns of the tables of contact (plain Python, no numba): ``table`` float64[m, CONTACT_COLUMNS], one row per pair of
solids, and ``forces`` float64[m, CONTACT_FORCE_COLUMNS] with what is computed from it in each evaluation."""

from __future__ import annotations

from enum import IntEnum


class Phase(IntEnum):
    """Phases of friction of a pair that touches."""

    SLIDING = 0
    STUCK = 1
    BREAKING = 2
    """From STUCK to SLIDING; the spring's last force fades with the slip speed."""
    ROLLING_OFF = 3
    """The same where the solids roll faster than the spring can follow."""
    RESTING = 4
    """Held by rows, and sticking; what follows is held by rows, too (rigid contacts)."""
    SLIPPING = 5
    """Sliding, with friction against the slip."""
    STARTING = 6
    """Not yet as fast: friction acts against the slip to come."""


HARDER = 4.0
"""Factor by which the normal stiffness may grow before the spring of a stuck pair is replaced by one that fits it."""

# -- table: constants of a pair -----------------------------------------------------------------------------------------------

SHAPE_1, SHAPE_2 = 0, 1
"""Rows in the table of shapes."""
BODY_1, BODY_2 = 2, 3
"""Of the forest; negative: the world."""
STIFFNESS = 4
"""``k_red c_res c_geo``: normal force per depth to the power 1.5 [N/m^1.5]."""
RADIUS = 5
"""Of the sphere on a plane that is as curved as the pair is, ``mu_r_geo`` [m]."""
RESTITUTION = 6
MU_K, MU_S = 7, 8
"""Coefficients of friction, sliding and at rest; at least the first."""
ROLLING = 9
"""Largest torque against rolling per normal force [m]."""
V_SMALL, W_SMALL = 10, 11
"""Speeds below which friction is regularised [m/s], [rad/s]."""
MAX_DAMPING = 12
"""[s/m]"""
LAW = 13
"""Which damping follows from the restitution: EXACT or FLORES."""
EXACT, FLORES = 0.0, 1.0
RESPONSE = 14
"""ELASTIC or RIGID."""
ELASTIC, RIGID = 0.0, 1.0
TANGENTIAL = 15
"""Tangential by normal stiffness of two spheres (Mindlin)."""

# -- table: memory of a pair, written at events only -----------------------------------------------------------------------

MEMORY = 16
"""First column of the memory; it is what stays when rows are made again. All zero: the pair does not touch."""
ACTIVE = 16
"""1: it touches; HELD: rows of constraints hold it at rest, and it has no elastic forces."""
HELD = 2.0
DAMPING = 17
"""[s/m]: normal force is multiplied by 1 + DAMPING * rate of penetration."""
APPROACH = 18
"""Rate of penetration when the contact began [m/s]."""
PHASE = 19
K_SLIP, K_TWIST, K_ROLL = 20, 21, 22
"""Of the spring: force per displacement [N/m], torque per angle about the normal, and across it [N.m]."""
K_NORMAL = 23
"""Normal stiffness when it was put there [N/m]."""
ANCHOR_1, ANCHOR_2 = 24, 27
"""The same point in the frame of both bodies (3 each) [m]."""
NORMAL_1, NORMAL_2 = 30, 33
"""The normal at that time, in both bodies (3 each)."""
TANGENT_1, TANGENT_2 = 36, 39
"""A direction across it, in both bodies (3 each)."""
KEPT_FORCE, KEPT_TORQUE = 42, 45
"""In body 1 (3 each) [N], [N.m]. Stuck: what the spring pulls and turns without displacement; else what fades, at rest."""
KEPT_LOAD = 48
"""Normal force when the pair began to break or to roll off [N]."""
ROLL_START = 49
"""Rolling speed at that time [rad/s]."""
FADE = 50
"""One over what is left of the kept force at the slip speed of that time."""
STORED = 51
"""Energy that the spring held then [J]."""
CONTACT_COLUMNS = 52

# Of a pair that is HELD, in the place of its spring.
HELD_POINTS = 20
"""Sum of powers of 2: which of its points are held."""
DRIFT = 21
"""Velocity to come (3) and how it turns (3): in the second body where there are several points, else in the first frame."""
FOUND_AT = 28
"""Of solids with flat faces: pose of the second body in the first one when this was decided, p (3) [m], quaternion (4)."""
FEATURES = 35
"""Of these: numbers of their points, from 1 on, three in a column: x + 2^17 y + 2^34 z."""

LIFT = 27
"""Of a pair that does not touch: what its indicator adds to its distance, because it parted where the segment began [m]."""

# -- forces, of pairs that touch -----------------------------------------------------------------------------------------------

FORCE = 0
"""On body 2 in world (3) [N]; the opposite acts on body 1 at the same point."""
FORCE_POINT = 3
"""Center of pressure in world (3) [m]."""
FORCE_TORQUE = 6
"""On body 2 about that point, in world (3) [N.m]."""
FORCE_NORMAL = 9
"""Normal part of the force, at least 0 [N]."""
FORCE_SLIP = 10
"""Slip speed: at the center of pressure, and what twisting adds at the rim [m/s]."""
FORCE_ROLL = 11
"""Relative angular velocity across the normal [rad/s]."""
FORCE_RATE = 12
"""Rate of penetration, mean by normal force [m/s]."""
FORCE_STIFFNESS = 13
"""Normal force per depth, at this depth [N/m]."""
FORCE_ARM = 14
"""Mean distance of the points of the contact from its middle by normal force [m]."""
FORCE_SPRING, FORCE_SPRING_TORQUE = 15, 18
"""Part of the force and torque that the spring, or what is kept of it, adds on body 2, in world (3 each)."""
FORCE_FRICTION = 21
"""Indicator of the phase: negative where another one has to begin."""
FORCE_NEXT = 22
"""The phase that begins then."""
FORCE_ENERGY, FORCE_LOSS = 23, 24
"""Elastic energy [J]; what becomes heat [W]."""
FORCE_STORED = 25
"""Part of the energy that is in the spring; what of it goes with a change of phase becomes heat, too [J]."""
CONTACT_FORCE_COLUMNS = 26
