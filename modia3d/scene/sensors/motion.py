"""Absolute and relative motion of frames as variables of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..basics import checks
from .base import Quantity, Sensor, chosen, two_frames
from .kinds import (
    ACCELERATION,
    ANGULAR_ACCELERATION,
    ANGULAR_VELOCITY,
    CARDAN_ANGLES,
    POSITION,
    QUATERNION,
    ROTATION_MATRIX,
    VECTOR,
    VELOCITY,
)

QUANTITIES = ("r", "R", "angles", "quaternion", "v", "w", "a", "z")
_NEEDS = {
    "r": ("v", "a"),
    "v": ("a",),
    "R": ("w", "z"),
    "angles": ("w", "z"),
    "quaternion": ("w", "z"),
    "w": ("z",),
}


@dataclass(frozen=True)
class RelativeSensor(Sensor):
    """Motion of ``obj2`` as an observer who moves with ``obj1`` sees it.

    Variables, if asked for by ``quantities``: position ``r.x, r.y, r.z`` of the origin [m], velocity ``v`` [m/s], acceleration
    ``a`` [m/s2], angular velocity ``w`` [rad/s], angular acceleration ``z`` [rad/s2]; ``R.xx`` ... ``R.zz``, the matrix whose
    columns are the axes of obj2 in obj1; the orientation also as Cardan angles ``angles.x, .y, .z`` (obj1 is turned about its
    x, then about the new y, then about the new z; [rad], the second one within a right angle) and as ``quaternion.w, .x, .y,
    .z`` (w >= 0). A quantity brings its derivatives with it: r brings v and a, what describes an orientation brings w and z.
    All but ``a`` and ``z`` can be differentiated by the equations. Where a frame was deleted, the values are NaN.

    Attributes:
        obj1, obj2: names of the two frames.
        resolved_in: name of the frame that the vectors refer to, "" the world; by default obj1. An orientation is always
            that of obj2 in obj1.
        quantities: names of the quantities.
    """

    obj1: str
    obj2: str
    resolved_in: str | None = None
    quantities: str | Sequence[str] = ("r",)

    def __post_init__(self) -> None:
        two_frames("RelativeSensor", self.obj1, self.obj2)
        if self.resolved_in is None:
            object.__setattr__(self, "resolved_in", self.obj1)
        checks.text("RelativeSensor", "resolved_in", self.resolved_in)
        object.__setattr__(self, "quantities", chosen("RelativeSensor", self.quantities, QUANTITIES))

    def measured(self) -> tuple[Quantity, ...]:
        return measured_motion(self.obj1, self.obj2, str(self.resolved_in), self.quantities)


@dataclass(frozen=True)
class AbsoluteSensor(Sensor):
    """Motion of ``obj`` relative to the world; variables as `RelativeSensor`.

    Attributes:
        obj: name of the frame.
        resolved_in: name of the frame that the vectors refer to; "" is the world.
        quantities: names of the quantities.
        rest_when_deleted: frames that were deleted count as fixed in the world's origin, so that equations can go on.
    """

    obj: str
    resolved_in: str = ""
    quantities: str | Sequence[str] = ("r",)
    rest_when_deleted: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        checks.frame_name("AbsoluteSensor", "obj", self.obj)
        checks.text("AbsoluteSensor", "resolved_in", self.resolved_in)
        object.__setattr__(
            self, "rest_when_deleted", checks.truth("AbsoluteSensor", "rest_when_deleted", self.rest_when_deleted)
        )
        object.__setattr__(self, "quantities", chosen("AbsoluteSensor", self.quantities, QUANTITIES))

    def measured(self) -> tuple[Quantity, ...]:
        return measured_motion("", self.obj, self.resolved_in, self.quantities)


def measured_motion(one: str, two: str, resolved_in: str, quantities: Sequence[str]) -> tuple[Quantity, ...]:
    """Return the quantities of a motion sensor and their derivatives.

    A vector u that is resolved in a frame 3 which turns with ``turning`` relative to 1 has the derivative (in 3) of what the
    observer in 1 sees minus ``turning x u``.
    """
    names = set(quantities).union(*(_NEEDS.get(name, ()) for name in quantities))
    here, turned = (one, two, resolved_in), resolved_in != one
    turning = "turning" if turned else ""
    rates = {"r": _vector("v", "r", turning), "v": _vector("a", "v", turning), "w": _vector("z", "w", turning)}
    found = [Quantity(name, kind, here, rates.get(name, ())) for name, kind in _VECTORS if name in names]
    spin = "spin" if turned else "w"
    orientations = [(name, kind) for name, kind in _ORIENTATIONS if name in names]
    for name, kind in orientations:
        assert kind.rates is not None
        found.append(Quantity(name, kind, (one, two, one), kind.rates(spin)))
    if turned and orientations:  # w in obj1
        found.append(Quantity("spin", ANGULAR_VELOCITY, (one, two, one), _vector("spin_rate", "", "")))
        found.append(Quantity("spin_rate", ANGULAR_ACCELERATION, (one, two, one)))
    if turned and names & {"r", "v", "w"}:
        around = (one, resolved_in, resolved_in)
        found.append(Quantity("turning", ANGULAR_VELOCITY, around, _vector("turning_rate", "", "")))
        found.append(Quantity("turning_rate", ANGULAR_ACCELERATION, around))
    return tuple(found)


_VECTORS = (
    ("r", POSITION),
    ("v", VELOCITY),
    ("w", ANGULAR_VELOCITY),
    ("a", ACCELERATION),
    ("z", ANGULAR_ACCELERATION),
)
_ORIENTATIONS = (("R", ROTATION_MATRIX), ("angles", CARDAN_ANGLES), ("quaternion", QUATERNION))


def _vector(rate: str, own: str, turning: str) -> tuple[str, ...]:
    """Return ``rate - turning x own`` by components."""
    if not turning:
        return tuple(f"{rate}.{c}" for c in VECTOR)
    pairs = (("y", "z"), ("z", "x"), ("x", "y"))
    return tuple(
        f"{rate}.{c} - ({turning}.{i}*{own}.{j} - {turning}.{j}*{own}.{i})" for c, (i, j) in zip("xyz", pairs, strict=True)
    )
