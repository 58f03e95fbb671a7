"""Bushing: springs and dampers in three directions and about three axes.

Modes: 0 small angles, 1 Cardan angles with moments about the axes that they turn about, 2 Cardan angles with the torque that
has the power of the moments. Angles phi = (a, b, c): ``R_12 = R_x(a) R_y(b) R_z(c)``; the relative angular velocity is
``w = E phi'`` with the columns of E the axes that the angles turn about. Mode 1: ``t = E m``; mode 2: ``t . w = m . phi'``
for all phi', hence ``t = E^-T m``.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, sin, sqrt
from typing import ClassVar

from modiapy.model.errors import ModelError

from ...scene.basics import checks
from ..basics.law import Law, laws3
from ..basics.layout import BODY_1, BODY_2
from .base import ForceElement
from .declaration import NOTHING, Declaration, Row
from .kernel import (
    act,
    add,
    apply,
    apply_transposed,
    cross,
    dot,
    first_pose,
    integral,
    kernel,
    law,
    multiply,
    negate,
    parameter3,
    point_velocity,
    scale,
    second_pose,
    subtract,
    transpose,
)

LAWS = ("stiffness", "damping", "rotational_stiffness", "rotational_damping")
NOMINAL = ("nominal_force", "nominal_torque")
ROW = Row(laws=dict.fromkeys(LAWS, 3), numbers={"nominal_force": 3, "nominal_torque": 3, "mode": 1})
NOMINAL_FORCE, NOMINAL_TORQUE, MODE = ROW.offset("nominal_force"), ROW.offset("nominal_torque"), ROW.column("mode")


@kernel
def pull(table, k, first, nominal, position, velocity):
    """Return the nominal value plus springs (laws from ``first`` on) plus dampers, componentwise."""
    f = parameter3(table, k, nominal)
    return (
        f[0] + law(table, k, first, position[0]) + law(table, k, first + 3, velocity[0]),
        f[1] + law(table, k, first + 1, position[1]) + law(table, k, first + 4, velocity[1]),
        f[2] + law(table, k, first + 2, position[2]) + law(table, k, first + 5, velocity[2]),
    )


@kernel
def angles_of(mode, R):
    """Return the angles of ``R_12``: small ones, or Cardan angles about x, y, z."""
    if mode == 0.0:
        return R[7], R[2], R[3]
    return atan2(-R[5], R[8]), atan2(R[2], sqrt(R[0] * R[0] + R[1] * R[1])), atan2(-R[1], R[0])


@kernel
def turning_axes(angles):
    """Return the axes that Cardan angles turn about, and the columns of ``E^-T``: ``phi' = (columns . w)``."""
    x, y = (1.0, 0.0, 0.0), (0.0, cos(angles[0]), sin(angles[0]))
    s, c = sin(angles[1]), cos(angles[1])
    z = (s, -sin(angles[0]) * c, cos(angles[0]) * c)
    return x, y, z, scale(1.0 / c, cross(y, z)), scale(1.0 / c, cross(x, y))


@kernel
def combined(m, x, y, z):
    """Return ``m_0 x + m_1 y + m_2 z``."""
    return add(scale(m[0], x), add(scale(m[1], y), scale(m[2], z)))


@kernel
def torque_on(table, k, R_12, w):
    """Return the torque in frame 1 on body 1, for the angular velocity ``w`` of frame 2 relative to frame 1."""
    mode = table[k, MODE]
    angles = angles_of(mode, R_12)
    if mode == 0.0:
        return pull(table, k, 6, NOMINAL_TORQUE, angles, w)
    x, y, z, dual_x, dual_z = turning_axes(angles)
    m = pull(table, k, 6, NOMINAL_TORQUE, angles, (dot(dual_x, w), dot(y, w), dot(dual_z, w)))
    return combined(m, x, y, z) if mode == 1.0 else combined(m, dual_x, y, dual_z)


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrenches of row ``k`` to its bodies."""
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    R_1, p_1 = first_pose(table, k, at.R, at.p)
    R_2, p_2 = second_pose(table, k, at.R, at.p)
    v_2, w_2 = point_velocity(two, p_2, at.p, at.v_W, at.w_W)
    v_1, w_1 = point_velocity(one, p_2, at.p, at.v_W, at.w_W)  # of frame 1 where the origin of frame 2 is
    position, velocity = apply_transposed(R_1, subtract(p_2, p_1)), apply_transposed(R_1, subtract(v_2, v_1))
    force = apply(R_1, pull(table, k, 0, NOMINAL_FORCE, position, velocity))
    torque = apply(R_1, torque_on(table, k, multiply(transpose(R_1), R_2), apply_transposed(R_1, subtract(w_2, w_1))))
    act(one, p_2, force, torque, at.R, at.p, wrenches)
    act(two, p_2, negate(force), negate(torque), at.R, at.p, wrenches)


@kernel
def spring_energy(table, k, first, nominal, position):
    """Return the energy of three springs with nominal forces."""
    energy = dot(parameter3(table, k, nominal), position)
    energy += integral(table, k, first, position[0]) + integral(table, k, first + 1, position[1])
    return energy + integral(table, k, first + 2, position[2])


@kernel
def energy(table, k, at):
    """Return the potential energy of row ``k`` [J], zero where the frames coincide."""
    R_1, p_1 = first_pose(table, k, at.R, at.p)
    R_2, p_2 = second_pose(table, k, at.R, at.p)
    position = apply_transposed(R_1, subtract(p_2, p_1))
    angles = angles_of(table[k, MODE], multiply(transpose(R_1), R_2))
    return spring_energy(table, k, 0, NOMINAL_FORCE, position) + spring_energy(table, k, 6, NOMINAL_TORQUE, angles)


@kernel
def stored(table, k, first, nominal, position):
    """Return the forces of three springs with nominal ones: the slope of their energy."""
    x, y, z = parameter3(table, k, nominal)
    return (
        x + law(table, k, first, position[0]),
        y + law(table, k, first + 1, position[1]),
        z + law(table, k, first + 2, position[2]),
    )


@kernel
def angle_rates(mode, R, w):
    """Return the derivatives of the angles of a bushing, for the angular velocity ``w`` of frame 2 relative to frame 1, in
    frame 1.
    """
    if mode == 0.0:
        return w[0] * R[4] - w[1] * R[1], w[1] * R[8] - w[2] * R[5], w[2] * R[0] - w[0] * R[6]
    _, y, _, dual_x, dual_z = turning_axes(angles_of(mode, R))
    return dot(dual_x, w), dot(y, w), dot(dual_z, w)


@kernel
def loss(table, k, at):
    """Return the power that it takes [W]: by its dampers, and by angles without ``work_conjugate``, which give and take."""
    one, two, mode = int(table[k, BODY_1]), int(table[k, BODY_2]), table[k, MODE]
    R_1, p_1 = first_pose(table, k, at.R, at.p)
    R_2, p_2 = second_pose(table, k, at.R, at.p)
    v_2, w_2 = point_velocity(two, p_2, at.p, at.v_W, at.w_W)
    v_1, w_1 = point_velocity(one, p_2, at.p, at.v_W, at.w_W)
    position, v = apply_transposed(R_1, subtract(p_2, p_1)), apply_transposed(R_1, subtract(v_2, v_1))
    R_12, w = multiply(transpose(R_1), R_2), apply_transposed(R_1, subtract(w_2, w_1))
    force = pull(table, k, 0, NOMINAL_FORCE, position, v)
    loss = dot(subtract(force, stored(table, k, 0, NOMINAL_FORCE, position)), v)
    moments = stored(table, k, 6, NOMINAL_TORQUE, angles_of(mode, R_12))
    return loss + dot(torque_on(table, k, R_12, w), w) - dot(moments, angle_rates(mode, R_12, w))


@dataclass(frozen=True)
class BushingForce(ForceElement):
    """Springs and dampers along and about the axes of ``obj1``, which act on ``obj2`` at its origin.

    The displacement is the position of ``obj2`` in ``obj1``. For the rotation there are three laws:

    - small angles (the default): the angles are the elements (3, 2), (1, 3), (2, 1) of ``R_12``, their rates the relative
      angular velocity, and the moments act about x, y, z of ``obj1``. Good below about 10 degrees.
    - ``large_angles``: Cardan angles (about x, then the new y, then the new z; the second one below a right angle), and each
      moment acts about the axis that its angle turns about. This and the law above are those of Modia3D's Bushing.
    - ``large_angles`` and ``work_conjugate``: the torque has the power ``sum of m_i * der(angle_i)`` with the moments m_i, so
      that springs keep the energy at any angle (the other laws do so for small angles only).

    Attributes:
        obj1, obj2: names of the two frames.
        stiffness, damping: along x, y, z [N/m, N.s/m], at least 0, or the forces [N] as functions of displacement [m] and
            velocity [m/s]: `Table1D`, `Formula` or Python functions.
        rotational_stiffness, rotational_damping: about x, y, z [N.m/rad, N.m.s/rad], at least 0, or the moments [N.m] as
            functions of angle [rad] and rate [rad/s].
        nominal_force, nominal_torque: what the springs pull with at zero displacement and rotation [N, N.m].
        large_angles, work_conjugate: see above.
    """

    obj1: str
    obj2: str
    stiffness: Sequence[Law] = (0.0, 0.0, 0.0)
    damping: Sequence[Law] = (0.0, 0.0, 0.0)
    rotational_stiffness: Sequence[Law] = (0.0, 0.0, 0.0)
    rotational_damping: Sequence[Law] = (0.0, 0.0, 0.0)
    nominal_force: Sequence[float] = (0.0, 0.0, 0.0)
    nominal_torque: Sequence[float] = (0.0, 0.0, 0.0)
    large_angles: bool = False
    work_conjugate: bool = False

    declared: ClassVar[Declaration] = Declaration(
        "Bushing",
        row=ROW,
        wrench=add_wrenches,
        energy=energy,
        loss=loss,
        outer_power=NOTHING,
        needs_body="a torque",
        remedies={
            "springForceLaw": "Write stiffness=...",
            "damperForceLaw": "Write damping=...",
            "rotSpringForceLaw": "Write rotational_stiffness=...",
            "rotDamperForceLaw": "Write rotational_damping=...",
        },
    )

    def __post_init__(self) -> None:
        owner = "Bushing"
        checks.frame_name(owner, "obj1", self.obj1)
        checks.frame_name(owner, "obj2", self.obj2)
        for name in LAWS:
            object.__setattr__(self, name, laws3(owner, name, getattr(self, name)))
        for name in NOMINAL:
            object.__setattr__(self, name, checks.vector3(owner, name, getattr(self, name)))
        for name in ("large_angles", "work_conjugate"):
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
        if self.work_conjugate and not self.large_angles:
            raise ModelError(
                "work_conjugate of Bushing is wrong",
                found="True with large_angles=False",
                expected="a law for Cardan angles",
                remedy="Set large_angles=True.",
            )

    @property
    def mode(self) -> int:
        """Return the number of the meaning of its angles, see the head of this file."""
        return int(self.large_angles) + int(self.work_conjugate)

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2
