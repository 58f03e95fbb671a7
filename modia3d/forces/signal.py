"""Forces whose values come from the equations: which wrench a unit of each signal means."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from modiapy.model.errors import ModelError

from ..scene.basics import checks

FORCE, TORQUE, LINE = range(3)
"""What a unit of a signal is: a force on the origin of frame 2 along an axis of frame 3 [N] and the opposite force on the body
of frame 1 at the same point; a torque on frame 2 about an axis of frame 3 [N.m] and the opposite one on frame 1; a force
on the origin of frame 2 along the line from the origin of frame 3 to it [N], its reaction as that of FORCE."""

AXES = ("x", "y", "z")


@dataclass(frozen=True)
class SignalColumn:
    """One scalar signal.

    Attributes:
        variable: its name relative to the element, e.g. "force.x".
        kind: FORCE, TORQUE or LINE.
        axis: 0, 1, 2: axis of frame 3 (not for LINE).
        value: number or expression of variables of the surrounding model that the signal is equal to; None: the
            equations of the user say what it is.
        unit: unit of the signal.
    """

    variable: str
    kind: int
    axis: int = 0
    value: float | str | None = None
    unit: str = "N"


class SignalElement(ABC):
    """An element whose signals are variables of the equations; with several of them all act."""

    @property
    @abstractmethod
    def frames(self) -> tuple[str, str, str]:
        """Names of frames 1, 2, 3 as written; "" is the world."""

    @property
    @abstractmethod
    def columns(self) -> tuple[SignalColumn, ...]:
        """Return its columns of signals."""


Values = Sequence[float | str]


@dataclass(frozen=True)
class SignalForce(SignalElement):
    """Force or torque, or both, on ``obj2`` with the opposite ones on ``obj1``, as in Modelica's MultiBody library.

    The force acts at the origin of obj2, and its reaction in the same line, so that both are in balance. The variables are
    ``force.x, .y, .z`` [N] and ``torque.x, .y, .z`` [N.m]. An element whose frame 1 or 2 was deleted acts no more.

    Attributes:
        obj1, obj2: names of the two frames, obj1 may be "", the world.
        resolved_in: name of the frame that the components refer to, "" the world; by default obj2.
        force, torque: three numbers or expressions of variables of the surrounding model, e.g. ``("10*sin(time)", 0,
            "controller.y")``; without them the equations have to say what the variables are.
    """

    obj1: str
    obj2: str
    resolved_in: str | None = None
    force: Values | None = None
    torque: Values | None = None
    quantities: tuple[str, ...] = field(default=("force", "torque"), kw_only=True)
    owner: str = field(default="ForceAndTorque", kw_only=True)

    def __post_init__(self) -> None:
        if self.obj1:
            checks.frame_name(self.owner, "obj1", self.obj1)
        checks.frame_name(self.owner, "obj2", self.obj2)
        if self.resolved_in is None:
            object.__setattr__(self, "resolved_in", self.obj2)
        checks.text(self.owner, "resolved_in", self.resolved_in)
        for name in ("force", "torque"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _values(self.owner, name, getattr(self, name)))

    @property
    def frames(self) -> tuple[str, str, str]:
        return self.obj1, self.obj2, str(self.resolved_in)

    @property
    def columns(self) -> tuple[SignalColumn, ...]:
        found = []
        for name, kind, unit in (("force", FORCE, "N"), ("torque", TORQUE, "N.m")):
            given = getattr(self, name)
            if name in self.quantities:
                values = (None,) * 3 if given is None else given
                found += [SignalColumn(f"{name}.{AXES[i]}", kind, i, values[i], unit) for i in range(3)]
        return tuple(found)


def _values(owner: str, field: str, given: object) -> tuple[float | str, ...]:
    if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 3:
        raise ModelError(
            f"{field} of {owner} is wrong",
            found=repr(given),
            expected='three numbers or expressions, e.g. (0, "10*sin(time)", 0)',
        )
    return tuple(value if isinstance(value, str) else checks.number(owner, field, value) for value in given)  # type: ignore[attr-defined]
