"""Force, torque, energy and loss of a pair of solids that touch; formulas and their sources: docs/contact.md."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import sqrt

from modia3d.collision.tables import DEPTH, MEAN_DEPTH, NORMAL, POINT_1, POINT_2, POSITION, PUSH, WEIGHT
from modia3d.dynamics.basics.spatial import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    kernel,
    load3,
    load9,
    negate,
    scale,
    store3,
    subtract,
)

from ..kernels.frames import act, point_velocity
from .layout import (
    ANCHOR_1,
    ANCHOR_2,
    BODY_1,
    BODY_2,
    DAMPING,
    FADE,
    FORCE,
    FORCE_ARM,
    FORCE_ENERGY,
    FORCE_FRICTION,
    FORCE_LOSS,
    FORCE_NEXT,
    FORCE_NORMAL,
    FORCE_POINT,
    FORCE_RATE,
    FORCE_ROLL,
    FORCE_SLIP,
    FORCE_SPRING,
    FORCE_SPRING_TORQUE,
    FORCE_STIFFNESS,
    FORCE_STORED,
    FORCE_TORQUE,
    HARDER,
    K_NORMAL,
    K_ROLL,
    K_SLIP,
    K_TWIST,
    KEPT_FORCE,
    KEPT_LOAD,
    KEPT_TORQUE,
    MU_K,
    MU_S,
    NORMAL_1,
    NORMAL_2,
    PHASE,
    ROLL_START,
    ROLLING,
    STIFFNESS,
    STORED,
    TANGENT_1,
    TANGENT_2,
    V_SMALL,
    W_SMALL,
    Phase,
)

SLIDING, STUCK = float(Phase.SLIDING), float(Phase.STUCK)
BREAKING, ROLLING_OFF = float(Phase.BREAKING), float(Phase.ROLLING_OFF)

SLOW = 0.8
"""Part of V_SMALL and W_SMALL below which a pair sticks; above it begins to slide at 99.7 % of what friction can give."""
CALM = 0.01
"""Part of V_SMALL that the rate of penetration must be below when a pair sticks: well below all that bounces."""
SETTLING = 1e-3
"""Time in which the depth must not change by itself when a pair sticks [s]."""
TILT = 0.01
"""Angle that a stuck pair may roll before its anchor is put where the contact is now [rad]."""
FORWARD = 1e-3
"""Part of V_SMALL at which a spring that is at its limit has to grow before the pair breaks: noise does not."""
STRAINED = 0.1
"""Part of its force that a spring at its limit gives before the pair breaks, however slowly it grows."""
FAINT = 1e-6
"""Part of the normal force with which a pair stuck below which friction changes nothing: it parts, or is about to."""
NOTHING = (0.0, 0.0, 0.0)


@kernel
def regular(speed, small):
    """Return ``speed``, but at least ``small / 3``: a polynomial below ``small``, with two continuous derivatives."""
    if speed >= small:
        return speed
    x = speed / small
    return small * (x * x * (1.0 - x / 3.0) + 1.0 / 3.0)


@kernel
def rest_of(speed, small):
    """Return 1 - speed / regular(speed, small): from 1 at rest to 0 from ``small`` on."""
    return 0.0 if speed >= small else 1.0 - speed / regular(speed, small)


@kernel
def length(a):
    """Return the length |a| of a vector."""
    return sqrt(dot(a, a))


@kernel
def across(a, n):
    """Return the part of ``a`` that is perpendicular to the unit vector ``n``."""
    return subtract(a, scale(dot(a, n), n))


@kernel
def orientation(body, R):
    """Return ``R_WB`` of a body; -1 is the world."""
    return load9(R, body, 0) if body >= 0 else (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def origin(body, p):
    """Return ``p_WB`` of a body; -1 is the world."""
    return load3(p, body, 0) if body >= 0 else (0.0, 0.0, 0.0)


@kernel
def relative_motion(table, k, point, p, v_W, w_W):
    """Return the velocity of body 2 relative to body 1 at a point in world, and relative angular velocity."""
    v_1, w_1 = point_velocity(int(table[k, BODY_1]), point, p, v_W, w_W)
    v_2, w_2 = point_velocity(int(table[k, BODY_2]), point, p, v_W, w_W)
    return subtract(v_2, v_1), subtract(w_2, w_1)


@kernel
def middle_of(points, n):
    """Return the mean of the points by their weights."""
    middle = NOTHING
    for i in range(n):
        middle = add(middle, scale(points[i, WEIGHT], load3(points, i, POSITION)))
    return middle


@kernel
def part_of(points, i):
    """Return how much a point has of what damps and rubs, before all are divided by their sum."""
    depth = max(points[i, DEPTH], 0.0)
    return points[i, WEIGHT] * depth * sqrt(depth)


@kernel
def push_of(table, k, found, middle):
    """Return the elastic force of the mean depth on body 2, its torque about ``middle``, its part along the normal, its
    energy.
    """
    mean = max(found[k, MEAN_DEPTH], 0.0)
    elastic = table[k, STIFFNESS] * mean * sqrt(mean)
    push = load3(found, k, PUSH)
    at = scale(0.5, add(load3(found, k, POINT_1), load3(found, k, POINT_2)))
    turn = add(load3(found, k, PUSH + 3), cross(subtract(at, middle), push))
    return scale(elastic, push), scale(elastic, turn), elastic * dot(push, load3(found, k, NORMAL)), 0.4 * elastic * mean


@kernel
def press(table, k, found, points, n, middle, v, w, forces):
    """Return the elastic force, and damping and sliding friction of all points.

    Args:
        middle: point in world that ``v``, the velocity of body 2 relative to body 1, and the result belong to.

    Returns:
        Force on body 2, torque about ``middle``. The columns NORMAL, POINT, RATE, STIFFNESS, ARM, ENERGY, LOSS are written.
    """
    damping, mu, v_small, normal = table[k, DAMPING], table[k, MU_K], table[k, V_SMALL], load3(found, k, NORMAL)
    force, torque, elastic, forces[k, FORCE_ENERGY] = push_of(table, k, found, middle)
    pressing, f_n, rates, arm, loss, parts = torque, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        parts += part_of(points, i)
    if parts > 0.0:
        elastic /= parts
    for i in range(n):
        r = subtract(load3(points, i, POSITION), middle)
        v_i = add(v, cross(w, r))
        rate, share = -dot(v_i, normal), elastic * part_of(points, i)
        damped = share * max(-1.0, damping * rate)
        f = share + damped
        slip = add(v_i, scale(rate, normal))
        speed = length(slip)
        rubbing = mu * f / regular(speed, v_small)
        f_i = subtract(scale(damped, normal), scale(rubbing, slip))
        force, torque, pressing = add(force, f_i), add(torque, cross(r, f_i)), add(pressing, scale(damped, cross(r, normal)))
        f_n, rates, arm = f_n + f, rates + f * rate, arm + f * length(r)
        loss += damped * rate + rubbing * speed * speed
    forces[k, FORCE_NORMAL], forces[k, FORCE_LOSS] = f_n, loss
    forces[k, FORCE_STIFFNESS] = 1.5 * table[k, STIFFNESS] * sqrt(max(found[k, MEAN_DEPTH], 0.0))
    if f_n > 0.0:
        store3(forces, k, FORCE_POINT, add(middle, scale(1.0 / f_n, cross(normal, pressing))))
        forces[k, FORCE_RATE], forces[k, FORCE_ARM] = rates / f_n, arm / f_n
    else:
        store3(forces, k, FORCE_POINT, middle)
        forces[k, FORCE_RATE], forces[k, FORCE_ARM] = -dot(v, normal), 0.0
    return force, torque


@kernel
def stored(factor, square):
    """Return the energy of a spring with this factor that pulls with the root of ``square``."""
    return 0.5 * square / factor if factor > 0.0 else 0.0


@kernel
def within(limit, size):
    """Return the part of ``size`` that is within a limit."""
    return limit / size if size > limit else 1.0


@kernel
def spring_of(table, k, R, p):
    """Return the spring of a stuck pair: what it would give to body 2 if friction had no limits.

    Returns:
        Force, torque about the normal and torque across it, in world; the point in world where the force acts on both
        bodies; the angle by which they rolled; the stored energy.
    """
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    R_1, R_2 = orientation(one, R), orientation(two, R)
    point = add(origin(two, p), apply(R_2, load3(table, k, ANCHOR_2)))
    k_slip, k_twist, k_roll = table[k, K_SLIP], table[k, K_TWIST], table[k, K_ROLL]
    n_1, n_W = load3(table, k, NORMAL_1), apply(R_1, load3(table, k, NORMAL_1))
    moved = subtract(apply_transposed(R_1, subtract(point, origin(one, p))), load3(table, k, ANCHOR_1))
    pull = apply(R_1, add(scale(k_slip, across(moved, n_1)), load3(table, k, KEPT_FORCE)))
    kept = apply(R_1, load3(table, k, KEPT_TORQUE))
    angle = dot(n_W, cross(apply(R_1, load3(table, k, TANGENT_1)), apply(R_2, load3(table, k, TANGENT_2))))
    tilt = cross(n_W, apply(R_2, load3(table, k, NORMAL_2)))
    twist = k_twist * angle + dot(kept, n_W)
    roll = add(scale(k_roll, tilt), across(kept, n_W))
    energy = stored(k_slip, dot(pull, pull)) + stored(k_twist, twist * twist) + stored(k_roll, dot(roll, roll))
    return negate(pull), scale(-twist, n_W), negate(roll), point, length(tilt), energy


@kernel
def kept_parts(table, k, forces):
    """Return the parts of the kept force, and of the kept torque against rolling, that a breaking pair still has."""
    if table[k, KEPT_LOAD] == 0.0:
        return 0.0, 0.0
    slip, roll, load = forces[k, FORCE_SLIP], forces[k, FORCE_ROLL], forces[k, FORCE_NORMAL] / table[k, KEPT_LOAD]
    slow, w_small = rest_of(slip, table[k, V_SMALL]), table[k, W_SMALL]
    part = slow * rest_of(max(roll - table[k, ROLL_START], 0.0), w_small)
    return load * part, load * rest_of(roll, w_small) * min(1.0, slow * table[k, FADE])


@kernel
def set_change(forces, k, indicator, phase):
    """Set the next phase to ``phase`` if ``indicator`` is negative, unless another one begins earlier."""
    if indicator < forces[k, FORCE_FRICTION]:
        forces[k, FORCE_FRICTION], forces[k, FORCE_NEXT] = indicator, phase


@kernel
def watch_sliding(table, k, forces):
    """Watch when a sliding pair sticks: it slips and rolls slowly, and the depth is what it will be."""
    small, w_small = table[k, V_SMALL], table[k, W_SMALL]
    forces[k, FORCE_FRICTION], forces[k, FORCE_NEXT] = 1.0, STUCK
    if table[k, MU_S] > 0.0:
        rate, load = abs(forces[k, FORCE_RATE]), forces[k, FORCE_STIFFNESS] / (1.5 * table[k, STIFFNESS])
        unsettled = (rate * SETTLING + 1e-12) / (load * load + 1e-15)
        slow = max(forces[k, FORCE_SLIP] / (SLOW * small), forces[k, FORCE_ROLL] / (SLOW * w_small))
        forces[k, FORCE_FRICTION] = min(max(slow, rate / (CALM * small), unsettled) - 1.0, 1.0)


@kernel
def watch_stuck(table, k, rubbing, twisting, rolling, tilt, power, part, forces):
    """Watch when a stuck pair slips, begins to roll, or needs another spring.

    Args:
        rubbing, twisting, rolling: all force across the normal, torque about it and across it [N], [N.m].
        tilt: angle by which the bodies rolled.
        power: that the spring takes up [W].
        part: of its force or torque that it gives.
    """
    mu, most = table[k, MU_S], table[k, ROLLING]
    limit, given = mu * forces[k, FORCE_NORMAL], rubbing
    rim = forces[k, FORCE_ARM] + most / mu
    if rim > 1e-12:
        given = sqrt(rubbing * rubbing + twisting * twisting / (rim * rim))
    root = table[k, K_NORMAL] / (1.5 * table[k, STIFFNESS])
    faint = FAINT * mu * table[k, STIFFNESS] * root * root * root
    left = limit - given + faint
    if table[k, K_ROLL] > 0.0:
        left = min(left, limit - rolling * mu / most + faint)
    back = FORWARD * limit - power / table[k, V_SMALL]
    forces[k, FORCE_FRICTION], forces[k, FORCE_NEXT] = max(left, back), BREAKING
    set_change(forces, k, limit * (part - STRAINED) + faint, BREAKING)
    set_change(forces, k, limit * (1.0 - forces[k, FORCE_ROLL] / table[k, W_SMALL]), ROLLING_OFF)
    set_change(forces, k, limit * (1.0 - tilt / TILT), STUCK)
    set_change(forces, k, limit * (1.0 - forces[k, FORCE_STIFFNESS] / (HARDER * table[k, K_NORMAL])), STUCK)


@kernel
def watch_breaking(table, k, power, forces):
    """Watch when a breaking pair slides, or is stuck again because it moves back (``power``: taken by what was kept at
    first).
    """
    size, v_small = max(table[k, MU_S] * table[k, KEPT_LOAD], 1e-12), table[k, V_SMALL]
    roll = (forces[k, FORCE_ROLL] - table[k, ROLL_START]) / table[k, W_SMALL]
    forces[k, FORCE_FRICTION], forces[k, FORCE_NEXT] = size * (1.0 - max(forces[k, FORCE_SLIP] / v_small, roll)), SLIDING
    if table[k, PHASE] == BREAKING:
        set_change(forces, k, power / v_small, STUCK)
    else:
        set_change(forces, k, size * (1.0 - SLOW + roll), STUCK)


@kernel
def hold(table, k, normal, force, torque, resisting, point, R, p, v_W, w_W, forces):
    """Add the force of the spring of a stuck pair.

    Args:
        force, torque: on body 2 without the spring, about ``point``.
        resisting: torque against rolling per relative angular velocity.

    Returns:
        Force, torque about ``point``.
    """
    pull, twist, roll, at, tilt, energy = spring_of(table, k, R, p)
    forces[k, FORCE_STORED] = energy
    f_n = forces[k, FORCE_NORMAL]
    part, roll_part = within(table[k, MU_S] * f_n, length(pull)), within(table[k, ROLLING] * f_n, length(roll))
    v, w = relative_motion(table, k, at, p, v_W, w_W)
    power, roll_power = -dot(pull, v) - dot(twist, w), -dot(roll, w)
    # beyond a limit the spring relaxes without giving it back
    forces[k, FORCE_LOSS] += max((part - 1.0) * power + (roll_part - 1.0) * roll_power, 0.0)
    added, turning = scale(part, pull), add(scale(part, twist), scale(roll_part, roll))
    store3(forces, k, FORCE_SPRING, added)
    moment = add(turning, cross(subtract(at, point), added))
    store3(forces, k, FORCE_SPRING_TORQUE, moment)
    rubbing, twisting = length(across(add(force, added), normal)), dot(add(torque, moment), normal)
    rolling = length(across(subtract(turning, scale(resisting, w)), normal))
    power = part * power + roll_part * roll_power
    part = min(part, roll_part) if table[k, K_ROLL] > 0.0 else part
    watch_stuck(table, k, rubbing, twisting, rolling, tilt, power, part, forces)
    return added, moment


@kernel
def fade(table, k, normal, point, R, p, v_W, w_W, forces):
    """Return the remaining contribution of a breaking spring: force, and torque about ``point``."""
    R_1 = orientation(int(table[k, BODY_1]), R)
    part, roll_part = kept_parts(table, k, forces)
    force, torque = apply(R_1, load3(table, k, KEPT_FORCE)), apply(R_1, load3(table, k, KEPT_TORQUE))
    twist = scale(dot(torque, normal), normal)
    roll = subtract(torque, twist)
    v, w = relative_motion(table, k, point, p, v_W, w_W)
    power, roll_power = dot(force, v) + dot(twist, w), dot(roll, w)
    forces[k, FORCE_STORED] = table[k, STORED]
    forces[k, FORCE_LOSS] += max(part * power + roll_part * roll_power, 0.0)
    added, turning = scale(-part, force), add(scale(-part, twist), scale(-roll_part, roll))
    store3(forces, k, FORCE_SPRING, added)
    store3(forces, k, FORCE_SPRING_TORQUE, turning)
    watch_breaking(table, k, power + roll_power, forces)
    return added, turning


@kernel
def add_contact(table, k, found, points, n, R, p, v_W, w_W, wrenches, forces):
    """Add the forces of a touching pair to its bodies.

    Args:
        table: rows of `layout`; row ``k`` is active and elastic.
        found: see `modia3d.collision.tables`; row ``k``, with the mean depth and what it pushes.
        points, n: of the contact: `modia3d.collision.tables`, rows 0 to n - 1.
        R, p, v_W, w_W: poses and velocities of all bodies, see `modia3d.dynamics.kinematics`.
        wrenches: torque about its origin and force, in B, of every body; added to.
        forces: row ``k`` is written.
    """
    normal = load3(found, k, NORMAL)
    middle = middle_of(points, n)
    v, w = relative_motion(table, k, middle, p, v_W, w_W)
    force, torque = press(table, k, found, points, n, middle, v, w, forces)
    f_n, point = forces[k, FORCE_NORMAL], load3(forces, k, FORCE_POINT)
    lever, spin = subtract(point, middle), length(w)
    resisting = table[k, ROLLING] * f_n / regular(spin, table[k, W_SMALL])
    torque = subtract(subtract(torque, cross(lever, force)), scale(resisting, w))
    forces[k, FORCE_LOSS] += resisting * spin * spin
    slip = length(across(add(v, cross(w, lever)), normal))
    forces[k, FORCE_SLIP] = slip + forces[k, FORCE_ARM] * abs(dot(w, normal))
    forces[k, FORCE_ROLL] = length(across(w, normal))
    phase = table[k, PHASE]
    if phase == SLIDING:
        forces[k, FORCE_STORED] = 0.0
        store3(forces, k, FORCE_SPRING, NOTHING)
        store3(forces, k, FORCE_SPRING_TORQUE, NOTHING)
        watch_sliding(table, k, forces)
    else:
        if phase == STUCK:
            added, turning = hold(table, k, normal, force, torque, resisting, point, R, p, v_W, w_W, forces)
        else:
            added, turning = fade(table, k, normal, point, R, p, v_W, w_W, forces)
        force, torque = add(force, added), add(torque, turning)
        forces[k, FORCE_ENERGY] += forces[k, FORCE_STORED]
        if f_n == 0.0:  # nothing holds and nothing is held
            forces[k, FORCE_FRICTION] = 1.0
    store3(forces, k, FORCE, force)
    store3(forces, k, FORCE_TORQUE, torque)
    act(int(table[k, BODY_2]), point, force, torque, R, p, wrenches)
    act(int(table[k, BODY_1]), point, negate(force), negate(torque), R, p, wrenches)


@kernel
def energy(table, k, forces):
    """Return the elastic energy of a pair that touches [J]. After `add_contact`."""
    return forces[k, FORCE_ENERGY]


@kernel
def loss(table, k, forces):
    """Return the power that a pair that touches turns to heat [W]. Call it after `add_contact`."""
    return forces[k, FORCE_LOSS]
