"""Changes of a pair's row at events: a contact begins and ends, and friction goes from one phase to the next.

Rows are one-dimensional arrays with the columns of `layout`; poses are ``R`` (9 numbers, row by row) and ``p`` (3), those of
the world the identity and zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from modia3d.dynamics.basics import algebra

from .layout import (
    ACTIVE,
    ANCHOR_1,
    ANCHOR_2,
    APPROACH,
    DAMPING,
    FADE,
    FLORES,
    FORCE_ARM,
    FORCE_NEXT,
    FORCE_NORMAL,
    FORCE_POINT,
    FORCE_ROLL,
    FORCE_SLIP,
    FORCE_SPRING,
    FORCE_SPRING_TORQUE,
    FORCE_STIFFNESS,
    FORCE_STORED,
    HARDER,
    K_NORMAL,
    K_ROLL,
    K_SLIP,
    K_TWIST,
    KEPT_FORCE,
    KEPT_LOAD,
    KEPT_TORQUE,
    LAW,
    MAX_DAMPING,
    MEMORY,
    MU_S,
    NORMAL_1,
    NORMAL_2,
    PHASE,
    RADIUS,
    RESTITUTION,
    ROLL_START,
    ROLLING,
    STIFFNESS,
    STORED,
    TANGENT_1,
    TANGENT_2,
    TANGENTIAL,
    V_SMALL,
    W_SMALL,
    Phase,
)

Row = np.ndarray
Numbers = Sequence[float]
Pose = tuple[Numbers, Numbers]
WORLD: Pose = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


def damping_of(restitution: float, approach: float, law: float, largest: float, small: float) -> float:
    """Return the damping of a contact that begins [s/m], at most ``largest``.

    Args:
        restitution: of the materials; 0 counts where the contact begins slowly.
        approach: rate of penetration at that time [m/s].
        law: `EXACT` or `FLORES`.
        small: below it the contact begins slowly [m/s].
    """
    if approach <= small or restitution == 0.0:
        return largest
    if law == FLORES:
        return min(largest, 8.0 * (1.0 - restitution) / (5.0 * restitution * approach))
    return min(largest, exact_damping(restitution) / approach)


def exact_damping(restitution: float) -> float:
    """Return the damping times rate at the beginning, so that a central impact ends with ``restitution`` (more than 0, at most
    1).

    With ``m v dv/ddepth = -K depth**n (1 + d v)``, ``v dv / (1 + d v)`` integrated from v to -e v must be zero:
    ``a (1 + e) = ln((1 + a) / (1 - e a))`` with ``a = d v``, whatever mass, stiffness and n are.
    """
    e = restitution
    if e > 0.99:  # as a series, where the equation is a difference of almost equal numbers
        a = 0.0
        for _ in range(20):
            a = 3.0 / (1.0 + e**3) * ((1.0 - e**2) / 2.0 + a**2 * (1.0 - e**4) / 4.0 - a**3 * (1.0 + e**5) / 5.0)
        return a
    low, high = 0.75 * (1.0 - e), 1.0 / e
    for _ in range(200):
        a = 0.5 * (low + high)
        if a in (low, high):
            break
        left = 1.0 - e * a
        if left <= 0.0 or math.log1p(a) - math.log(left) > a * (1.0 + e):
            high = a
        else:
            low = a
    return high


def begin(row: Row, rate: float) -> None:
    """Begin a contact of the pair, with a rate of penetration [m/s]."""
    row[MEMORY:] = 0.0
    row[ACTIVE], row[APPROACH], row[PHASE] = 1.0, rate, Phase.SLIDING
    row[DAMPING] = damping_of(row[RESTITUTION], rate, row[LAW], row[MAX_DAMPING], row[V_SMALL])


def end(row: Row) -> None:
    """End the contact of the pair."""
    row[MEMORY:] = 0.0


def advance(row: Row, force: Row, normal: Numbers, first: Pose, second: Pose) -> Phase:
    """Begin the phase of friction that the indicator asked for, and return it; evaluate the forces again after it.

    The new indicator is not negative then, or asks for another change; at most `MOST_CHANGES` follow each other.

    Args:
        row: of the table of pairs; its memory is changed.
        force: of the same pair, as `add_contact` wrote it at this time.
        normal: unit vector in world, out of shape 1.
        first, second: poses of both bodies.
    """
    phase = Phase(int(force[FORCE_NEXT]))
    R_1 = tuple(first[0])
    spring: list[Numbers] = [tuple(-force[c : c + 3]) for c in (FORCE_SPRING, FORCE_SPRING_TORQUE)]
    if phase is Phase.SLIDING:
        row[PHASE + 1 :] = 0.0
        spring = [(0.0, 0.0, 0.0)] * 2
    elif phase is Phase.STUCK:
        most = (math.sqrt(force[FORCE_STORED]) + math.sqrt(_strain(row, first, second))) ** 2
        _stick(row, force, normal, first, second)
        spring = _no_stronger(row, most, tuple(normal), *spring)
    else:
        spring = _kept(row, force, tuple(normal), *spring)
    row[PHASE] = phase
    for column, value in zip((KEPT_FORCE, KEPT_TORQUE), spring, strict=True):
        row[column : column + 3] = algebra.apply_transposed(R_1, value)
    return phase


def _kept(row: Row, force: Row, normal: Numbers, pull: Numbers, torque: Numbers) -> list[Numbers]:
    """Return the force of a breaking spring at rest, if it has ``pull`` and ``torque`` now; write its other memory.

    It is larger than at the slip speed of now, as viscous friction is less at rest, but not more than friction can give.
    """
    slow, slow_roll = _rest(force[FORCE_SLIP] / row[V_SMALL]), _rest(force[FORCE_ROLL] / row[W_SMALL])
    row[KEPT_LOAD], row[STORED] = force[FORCE_NORMAL], force[FORCE_STORED]
    row[ROLL_START], row[FADE] = force[FORCE_ROLL], 1.0 / max(slow, 1e-6)
    twist = algebra.scale(algebra.dot(torque, normal), normal)
    roll = algebra.subtract(torque, twist)
    part = _grown(pull, slow, row[MU_S] * force[FORCE_NORMAL])
    roll_part = _grown(roll, slow_roll, row[ROLLING] * force[FORCE_NORMAL])
    return [algebra.scale(part, pull), algebra.add(algebra.scale(part, twist), algebra.scale(roll_part, roll))]


def _grown(vector: Numbers, slow: float, limit: float) -> float:
    """Factor of a vector that is at most ``limit`` then."""
    size = math.sqrt(algebra.dot(vector, vector))
    return min(1.0 / max(slow, 1e-6), max(limit / size, 1.0)) if size > 0.0 else 1.0


def _strain(row: Row, first: Pose, second: Pose) -> float:
    """Return the energy [J] that the motion since the spring was put there would give it if friction had no limits."""
    (R_1, p_1), (R_2, p_2) = ((tuple(R), tuple(p)) for R, p in (first, second))

    def turned(R: Numbers, column: int) -> Numbers:
        return algebra.apply(R, row[column : column + 3])

    n = turned(R_1, NORMAL_1)
    moved = algebra.subtract(algebra.add(p_2, turned(R_2, ANCHOR_2)), algebra.add(p_1, turned(R_1, ANCHOR_1)))
    along, tilt = algebra.dot(moved, n), algebra.cross(n, turned(R_2, NORMAL_2))
    angle = algebra.dot(n, algebra.cross(turned(R_1, TANGENT_1), turned(R_2, TANGENT_2)))
    across = max(algebra.dot(moved, moved) - along * along, 0.0)
    return 0.5 * float(row[K_SLIP] * across + row[K_TWIST] * angle * angle + row[K_ROLL] * algebra.dot(tilt, tilt))


def _no_stronger(row: Row, most: float, normal: Numbers, pull: Numbers, torque: Numbers) -> list[Numbers]:
    """``pull`` and ``torque`` with which a spring begins, less where its energy would be more than that [J].

    A breaking spring fades with the slip, so it pulls more where that slows down, or where the load has grown. Only slip
    stretches it: where damping makes the load jump, friction grows at once, but not what is stored.
    """
    twist = algebra.dot(torque, normal)
    roll = algebra.subtract(torque, algebra.scale(twist, normal))
    squares = (K_SLIP, algebra.dot(pull, pull)), (K_TWIST, twist * twist), (K_ROLL, algebra.dot(roll, roll))
    energy = sum(0.5 * square / row[stiffness] for stiffness, square in squares if row[stiffness] > 0.0)
    part = math.sqrt(most / energy) if energy > most else 1.0
    return [algebra.scale(part, pull), algebra.scale(part, torque)]


MOST_CHANGES = 4


def _rest(x: float) -> float:
    """Return `kernels.rest_of` for a speed divided by the small one."""
    return 0.0 if x >= 1.0 else 1.0 - x / (x * x * (1.0 - x / 3.0) + 1.0 / 3.0)


def _stick(row: Row, force: Row, normal: Numbers, first: Pose, second: Pose) -> None:
    """Put a spring where the contact is; one that was there before keeps its factors if they fit the load."""
    stiffness = force[FORCE_STIFFNESS]
    if row[PHASE] == Phase.SLIDING or stiffness >= HARDER * row[K_NORMAL]:
        slip = row[TANGENTIAL] * stiffness
        depth = (stiffness / (1.5 * row[STIFFNESS])) ** 2
        row[K_NORMAL], row[K_SLIP] = stiffness, slip
        row[K_TWIST] = slip * force[FORCE_ARM] ** 2
        rolls = row[ROLLING] > 0.0 and force[FORCE_ARM] < 1e-3 * row[RADIUS]  # normal forces hold what has an extent
        row[K_ROLL] = slip * row[RADIUS] * math.sqrt(row[RADIUS] * depth) if rolls else 0.0
    n_W = tuple(normal)
    small = min(range(3), key=lambda i: abs(n_W[i]))
    t_W = algebra.cross(n_W, tuple(float(i == small) for i in range(3)))
    t_W = algebra.scale(1.0 / math.sqrt(algebra.dot(t_W, t_W)), t_W)
    point = tuple(force[FORCE_POINT : FORCE_POINT + 3])
    for (R, p), anchor, across, along in (
        (first, ANCHOR_1, NORMAL_1, TANGENT_1),
        (second, ANCHOR_2, NORMAL_2, TANGENT_2),
    ):
        R_WB = tuple(R)
        row[anchor : anchor + 3] = algebra.apply_transposed(R_WB, algebra.subtract(point, tuple(p)))
        row[across : across + 3] = algebra.apply_transposed(R_WB, n_W)
        row[along : along + 3] = algebra.apply_transposed(R_WB, t_W)
