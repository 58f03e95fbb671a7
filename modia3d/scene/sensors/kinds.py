"""Kinds of quantities that sensors measure, each declared once; kernels are made of their functions where a model has sensors.

Frame 2 is measured relative to frame 1 and resolved in frame 3: "relative to 1" means seen by an observer who moves with 1. All
vectors that the functions get are in world: r, v, w are position, velocity and angular velocity of 2 relative to 1, R_1, R_2,
R_3 the rotations ``R_W1``, ..., g is gravity. Of accelerations: a, z linear and angular one of 2 relative to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from math import asin, atan2, copysign, sqrt
from typing import Any

from modia3d.dynamics.basics.algebra import apply_transposed, dot, multiply, transpose

from ..joints.base import Rotation, Vector

VECTOR = ("x", "y", "z")
SCALAR = ("",)
MATRIX = tuple(a + b for a in VECTOR for b in VECTOR)
QUATERNION_COMPONENTS = ("w", *VECTOR)


class Stage(Enum):
    """Stage of an evaluation from which a quantity is known."""

    MOTION = auto()
    """Positions and velocities of frames: ``value(r, v, w, R_1, R_2, R_3, g)``."""
    SIGNALS = auto()
    """The force signals: power of a unit of one of them."""
    SYSTEM = auto()
    """All bodies and forces together."""
    ACCELERATION = auto()
    """Accelerations of frames, in which it is affine: ``value(r, v, a, z, R_3)``, one component or three."""
    CUT = auto()
    """What goes through a cut, affine in accelerations and force signals."""
    CONTACT = auto()
    """What solids that touch do to each other."""


@dataclass(frozen=True, eq=False)
class Kind:
    """Kind of quantity that a sensor measures.

    Attributes:
        name: what the engine calls it.
        stage: what it is known from.
        components: names of its scalars.
        unit: of all components.
        value: its components, a plain Python function of what its `Stage` says.
        rates: derivatives of the components as expressions, from the name of an angular velocity (orientations).
        of_gravity: whether it has a meaning only where gravity is the same everywhere.
    """

    name: str
    stage: Stage
    components: tuple[str, ...]
    unit: str = ""
    value: Callable[..., Any] | None = None
    rates: Callable[[str], tuple[str, ...]] | None = None
    of_gravity: bool = False

    @property
    def affine(self) -> bool:
        """True if it is affine in accelerations and force signals."""
        return self.stage in (Stage.ACCELERATION, Stage.CUT)


def _kind_of_motion(
    name: str, components: tuple[str, ...], unit: str = "", **more: Any
) -> Callable[[Callable[..., tuple[float, ...]]], Kind]:
    return lambda value: Kind(name, Stage.MOTION, components, unit, value, **more)


def _kind_of_acceleration(name: str, components: tuple[str, ...], unit: str) -> Callable[[Callable[..., Any]], Kind]:
    return lambda value: Kind(name, Stage.ACCELERATION, components, unit, value)


@_kind_of_motion("position", VECTOR, "m")
def POSITION(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Position of the origin of 2."""
    return apply_transposed(R_3, r)


@_kind_of_motion("velocity", VECTOR, "m/s")
def VELOCITY(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Velocity of the origin of 2."""
    return apply_transposed(R_3, v)


@_kind_of_motion("angular velocity", VECTOR, "rad/s")
def ANGULAR_VELOCITY(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Angular velocity of frame 2."""
    return apply_transposed(R_3, w)


@_kind_of_motion("distance", SCALAR, "m")
def DISTANCE(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Distance of both origins."""
    return (sqrt(dot(r, r)),)


@_kind_of_motion("rate of a distance", SCALAR, "m/s")
def DISTANCE_RATE(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Zero where the origins coincide."""
    s = sqrt(dot(r, r))
    return (dot(r, v) / s if s > 0.0 else 0.0,)


@_kind_of_motion("gravity", VECTOR, "m/s2", of_gravity=True)
def GRAVITY(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Gravity resolved in world."""
    return g


def matrix_rates(w: str) -> tuple[str, ...]:
    """Return ``w x`` each column, w in obj1."""
    rows = {"x": ("y", "z"), "y": ("z", "x"), "z": ("x", "y")}
    return tuple(f"{w}.{i}*R.{j}{c} - {w}.{j}*R.{i}{c}" for i, j, c in ((*rows[row], c) for row in "xyz" for c in "xyz"))


@_kind_of_motion("rotation matrix", MATRIX, rates=matrix_rates)
def ROTATION_MATRIX(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Rotation matrix ``R_12``, row by row."""
    return multiply(transpose(R_1), R_2)


def angle_rates(w: str) -> tuple[str, ...]:
    """Return the angles' rates from ``w = e_x x' + R_x e_y y' + R_x R_y e_z z'``, w in obj1."""
    z = f"({w}.z*cos(angles.x) - {w}.y*sin(angles.x))/cos(angles.y)"
    return f"{w}.x - sin(angles.y)*{z}", f"{w}.y*cos(angles.x) + {w}.z*sin(angles.x)", z


@_kind_of_motion("Cardan angles", VECTOR, "rad", rates=angle_rates)
def CARDAN_ANGLES(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """About x, y, z."""
    R = multiply(transpose(R_1), R_2)
    return atan2(-R[5], R[8]), asin(max(-1.0, min(1.0, R[2]))), atan2(-R[1], R[0])


def quaternion_rates(w: str) -> tuple[str, ...]:
    """Return ``q' = (0, w) q / 2``, w in obj1."""
    q = "quaternion"
    return (
        f"-0.5*({w}.x*{q}.x + {w}.y*{q}.y + {w}.z*{q}.z)",
        f"0.5*({w}.x*{q}.w + {w}.y*{q}.z - {w}.z*{q}.y)",
        f"0.5*({w}.y*{q}.w + {w}.z*{q}.x - {w}.x*{q}.z)",
        f"0.5*({w}.z*{q}.w + {w}.x*{q}.y - {w}.y*{q}.x)",
    )


@_kind_of_motion("quaternion", QUATERNION_COMPONENTS, rates=quaternion_rates)
def QUATERNION(r: Vector, v: Vector, w: Vector, R_1: Rotation, R_2: Rotation, R_3: Rotation, g: Vector) -> Any:
    """Unit quaternion w x y z of ``R_12`` with w >= 0; the largest component is found first (Shepperd 1978)."""
    a, b, c, d, e, f, h, i, j = multiply(transpose(R_1), R_2)
    s_w, s_x, s_y, s_z = 1.0 + a + e + j, 1.0 + a - e - j, 1.0 - a + e - j, 1.0 - a - e + j
    if s_w >= s_x and s_w >= s_y and s_w >= s_z:
        q_w, x, y, z = s_w, i - f, c - h, d - b
    elif s_x >= s_y and s_x >= s_z:
        q_w, x, y, z = i - f, s_x, b + d, c + h
    elif s_y >= s_z:
        q_w, x, y, z = c - h, b + d, s_y, f + i
    else:
        q_w, x, y, z = d - b, c + h, f + i, s_z
    s = copysign(1.0, q_w) / sqrt(q_w * q_w + x * x + y * y + z * z)
    return q_w * s, x * s, y * s, z * s


SIGNAL_VELOCITY = Kind("power of a unit of a force signal", Stage.SIGNALS, SCALAR, "W")

KINETIC_ENERGY, POTENTIAL_ENERGY = (Kind(name, Stage.SYSTEM, SCALAR, "J") for name in ("kinetic", "potential"))
POWER, DRIVE_POWER, FORCE_POWER, DISSIPATED_POWER = (
    Kind(name, Stage.SYSTEM, SCALAR, "W") for name in ("power", "drive", "force", "dissipated")
)
ENERGIES = (KINETIC_ENERGY, POTENTIAL_ENERGY)
POWERS = (DRIVE_POWER, FORCE_POWER, DISSIPATED_POWER)


@_kind_of_acceleration("acceleration", VECTOR, "m/s2")
def ACCELERATION(r: Vector, v: Vector, a: Vector, z: Vector, R_3: Rotation) -> Any:
    """Acceleration of the origin of 2."""
    return apply_transposed(R_3, a)


@_kind_of_acceleration("angular acceleration", VECTOR, "rad/s2")
def ANGULAR_ACCELERATION(r: Vector, v: Vector, a: Vector, z: Vector, R_3: Rotation) -> Any:
    """Angular acceleration of frame 2."""
    return apply_transposed(R_3, z)


@_kind_of_acceleration("second derivative of a distance", SCALAR, "m/s2")
def DISTANCE_ACCELERATION(r: Vector, v: Vector, a: Vector, z: Vector, R_3: Rotation) -> Any:
    """Zero where the origins coincide."""
    s = sqrt(dot(r, r))
    if s == 0.0:
        return (0.0,)
    rate = dot(r, v) / s
    return ((dot(r, a) + dot(v, v) - rate * rate) / s,)


CUT_FORCE = Kind("force in a cut", Stage.CUT, VECTOR, "N")
CUT_TORQUE = Kind("torque in a cut", Stage.CUT, VECTOR, "N.m")

CONTACT_FORCE = Kind("force of contacts", Stage.CONTACT, VECTOR, "N")
CONTACT_NORMAL_FORCE = Kind("normal force of contacts", Stage.CONTACT, SCALAR, "N")
CONTACT_COUNT = Kind("number of contacts", Stage.CONTACT, SCALAR)

KINDS = tuple(made for made in list(globals().values()) if isinstance(made, Kind))
"""All of them; the place of a kind is its number in the engine's tables."""


def number_of(kind: Kind) -> int:
    """Number of a kind in the engine's tables."""
    return KINDS.index(kind)


def numbers_at(stage: Stage) -> tuple[int, ...]:
    """Return the numbers of all kinds of a stage."""
    return tuple(i for i, kind in enumerate(KINDS) if kind.stage is stage)
