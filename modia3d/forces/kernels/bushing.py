"""Bushing: laws 0..2 springs, 3..5 dampers, 6..8 springs, 9..11 dampers of the rotation; then nominal force and torque, mode.

Modes: 0 small angles, 1 Cardan angles with moments about the axes that they turn about, 2 Cardan angles with the torque that
has the power of the moments. Angles phi = (a, b, c): ``R_12 = R_x(a) R_y(b) R_z(c)``; the relative angular velocity is
``w = E phi'`` with the columns of E the axes that the angles turn about. Mode 1: ``t = E m``; mode 2: ``t . w = m . phi'``
for all phi', hence ``t = E^-T m``.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from modia3d.dynamics.basics.spatial import (
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    kernel,
    multiply,
    negate,
    scale,
    subtract,
    transpose,
)

from ..layout import BODY_1, BODY_2, PARAMETERS
from .frames import act, first_pose, parameter3, point_velocity, second_pose
from .law import integral, law

NOMINAL_FORCE, NOMINAL_TORQUE, MODE = 24, 27, PARAMETERS + 30


@kernel
def pull(table, k, first, nominal, position, velocity):
    """Nominal value plus springs (laws from ``first`` on) plus dampers, componentwise."""
    f = parameter3(table, k, nominal)
    return (
        f[0] + law(table, k, first, position[0]) + law(table, k, first + 3, velocity[0]),
        f[1] + law(table, k, first + 1, position[1]) + law(table, k, first + 4, velocity[1]),
        f[2] + law(table, k, first + 2, position[2]) + law(table, k, first + 5, velocity[2]),
    )


@kernel
def angles_of(mode, R):
    """Angles of ``R_12``: small ones, or Cardan angles about x, y, z."""
    if mode == 0.0:
        return R[7], R[2], R[3]
    return atan2(-R[5], R[8]), atan2(R[2], sqrt(R[0] * R[0] + R[1] * R[1])), atan2(-R[1], R[0])


@kernel
def turning_axes(angles):
    """The axes that Cardan angles turn about, and the columns of ``E^-T``: ``phi' = (columns . w)``."""
    x, y = (1.0, 0.0, 0.0), (0.0, cos(angles[0]), sin(angles[0]))
    s, c = sin(angles[1]), cos(angles[1])
    z = (s, -sin(angles[0]) * c, cos(angles[0]) * c)
    return x, y, z, scale(1.0 / c, cross(y, z)), scale(1.0 / c, cross(x, y))


@kernel
def combined(m, x, y, z):
    """``m_0 x + m_1 y + m_2 z``."""
    return add(scale(m[0], x), add(scale(m[1], y), scale(m[2], z)))


@kernel
def torque_on(table, k, R_12, w):
    """The torque in frame 1 on body 1, for the angular velocity ``w`` of frame 2 relative to frame 1."""
    mode = table[k, MODE]
    angles = angles_of(mode, R_12)
    if mode == 0.0:
        return pull(table, k, 6, NOMINAL_TORQUE, angles, w)
    x, y, z, dual_x, dual_z = turning_axes(angles)
    m = pull(table, k, 6, NOMINAL_TORQUE, angles, (dot(dual_x, w), dot(y, w), dot(dual_z, w)))
    return combined(m, x, y, z) if mode == 1.0 else combined(m, dual_x, y, dual_z)


@kernel
def add_wrenches(table, k, R, p, v_W, w_W, wrenches):
    """Add what row ``k`` does to its bodies."""
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, p_2 = second_pose(table, k, R, p)
    v_2, w_2 = point_velocity(two, p_2, p, v_W, w_W)
    v_1, w_1 = point_velocity(one, p_2, p, v_W, w_W)  # of frame 1 where the origin of frame 2 is
    position, velocity = apply_transposed(R_1, subtract(p_2, p_1)), apply_transposed(R_1, subtract(v_2, v_1))
    force = apply(R_1, pull(table, k, 0, NOMINAL_FORCE, position, velocity))
    torque = apply(R_1, torque_on(table, k, multiply(transpose(R_1), R_2), apply_transposed(R_1, subtract(w_2, w_1))))
    act(one, p_2, force, torque, R, p, wrenches)
    act(two, p_2, negate(force), negate(torque), R, p, wrenches)


@kernel
def spring_energy(table, k, first, nominal, position):
    """Energy of three springs with nominal forces."""
    energy = dot(parameter3(table, k, nominal), position)
    energy += integral(table, k, first, position[0]) + integral(table, k, first + 1, position[1])
    return energy + integral(table, k, first + 2, position[2])


@kernel
def energy(table, k, R, p):
    """Potential energy of row ``k`` [J], zero where the frames coincide."""
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, p_2 = second_pose(table, k, R, p)
    position = apply_transposed(R_1, subtract(p_2, p_1))
    angles = angles_of(table[k, MODE], multiply(transpose(R_1), R_2))
    return spring_energy(table, k, 0, NOMINAL_FORCE, position) + spring_energy(table, k, 6, NOMINAL_TORQUE, angles)
