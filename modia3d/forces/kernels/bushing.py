"""Bushing: three numbers each of stiffness, damping, nominal force, then the same for the rotation.

Angles phi = (a, b, c): ``R_12 = R_x(a) R_y(b) R_z(c)``, and the relative angular velocity is ``w = E phi'`` with the columns
of E the axes that the angles turn about. The torque has the power ``t . w = m . phi'`` for all phi', hence ``t = E^-T m``.
"""

from __future__ import annotations

from math import atan2, cos, sin, sqrt

from modia3d.dynamics.spatial import (
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

from ..layout import BODY_1, BODY_2
from .frames import act, first_pose, parameter3, point_velocity, second_pose


@kernel
def law(table, k, j, position, velocity):
    """Nominal force plus spring plus damper, componentwise; the numbers begin at the ``j``-th."""
    c, d, f = parameter3(table, k, j), parameter3(table, k, j + 3), parameter3(table, k, j + 6)
    return (
        f[0] + c[0] * position[0] + d[0] * velocity[0],
        f[1] + c[1] * position[1] + d[1] * velocity[1],
        f[2] + c[2] * position[2] + d[2] * velocity[2],
    )


@kernel
def cardan_angles(R):
    """Angles about x, y, z of a rotation matrix."""
    return atan2(-R[5], R[8]), atan2(R[2], sqrt(R[0] * R[0] + R[1] * R[1])), atan2(-R[1], R[0])


@kernel
def dual_axes(angles):
    """The columns of ``E^-T``: ``phi' = (columns . w)``."""
    y = (0.0, cos(angles[0]), sin(angles[0]))
    s, c = sin(angles[1]), cos(angles[1])
    z = (s, -sin(angles[0]) * c, cos(angles[0]) * c)
    x = (1.0, 0.0, 0.0)
    return scale(1.0 / c, cross(y, z)), y, scale(1.0 / c, cross(x, y))


@kernel
def add_wrenches(table, k, R, p, v_W, w_W, wrenches):
    """Add what row ``k`` does to its bodies."""
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, p_2 = second_pose(table, k, R, p)
    v_2, w_2 = point_velocity(two, p_2, p, v_W, w_W)
    v_1, w_1 = point_velocity(one, p_2, p, v_W, w_W)  # of frame 1 where the origin of frame 2 is
    position, velocity = apply_transposed(R_1, subtract(p_2, p_1)), apply_transposed(R_1, subtract(v_2, v_1))
    force = apply(R_1, law(table, k, 0, position, velocity))
    angles = cardan_angles(multiply(transpose(R_1), R_2))
    w = apply_transposed(R_1, subtract(w_2, w_1))
    x, y, z = dual_axes(angles)
    m = law(table, k, 9, angles, (dot(x, w), dot(y, w), dot(z, w)))
    torque = apply(R_1, add(scale(m[0], x), add(scale(m[1], y), scale(m[2], z))))
    act(one, p_2, force, torque, R, p, wrenches)
    act(two, p_2, negate(force), negate(torque), R, p, wrenches)


@kernel
def spring_energy(table, k, j, position):
    """Energy of three springs with nominal forces."""
    c, f = parameter3(table, k, j), parameter3(table, k, j + 6)
    half = (
        f[0] + 0.5 * c[0] * position[0],
        f[1] + 0.5 * c[1] * position[1],
        f[2] + 0.5 * c[2] * position[2],
    )
    return dot(half, position)


@kernel
def energy(table, k, R, p):
    """Potential energy of row ``k`` [J], zero where the frames coincide."""
    R_1, p_1 = first_pose(table, k, R, p)
    R_2, p_2 = second_pose(table, k, R, p)
    position = apply_transposed(R_1, subtract(p_2, p_1))
    return spring_energy(table, k, 0, position) + spring_energy(table, k, 9, cardan_angles(multiply(transpose(R_1), R_2)))
