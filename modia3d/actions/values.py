"""The actions of a program: frozen values, and the functions that record them in a Python program.

A program is a list of these values, carried out in order. `ACTIONS` maps the public names (used in YAML too) to the values'
types. What becomes of every state at a structural action is the contract of the edit of the same name in
`modia3d.topology.edits`; the docstrings below say it in one sentence each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest


def _name_value(name: str, value: object, what: str = "frame") -> None:
    if not isinstance(value, str) or not value:
        raise ModelError(f"{name} must be the name of a {what}", found=repr(value), expected="a text such as 'platform.X2Y2'")


def _period_value(action: str, name: str, value: object) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0.0:  # type: ignore[arg-type, operator]
        raise ModelError(f"{name} of {action} must be a time [s]", found=repr(value), expected="a number, not negative")


def _row(name: str, values: Sequence[float]) -> tuple[float, ...]:
    try:
        row = tuple(float(v) for v in values)
    except (TypeError, ValueError):
        raise ModelError(f"{name} must be numbers", found=repr(values), expected="one number for each joint") from None
    if not all(map(math.isfinite, row)):
        raise ModelError(f"{name} must be finite", found=repr(values), expected="one finite number for each joint")
    return row


ON_CONTACT = ("refuse", "impulse")


def _on_contact_value(action: str, value: object) -> None:
    if value not in ON_CONTACT:
        expected = " or ".join(map(repr, ON_CONTACT))
        raise ModelError(
            f"on_contact of {action}", found=repr(value), expected=expected, remedy=nearest(str(value), ON_CONTACT)
        )


def impulsive(action: object) -> bool:
    """Whether an action brings what still moves to rest by a plastic impact."""
    return getattr(action, "on_contact", "refuse") == "impulse"


@dataclass(frozen=True)
class Attach:
    """Lock ``frame`` rigidly to ``target``; the two must mate. The free motion of the tree of ``frame`` is dropped.

    Where they still move relative to each other, that is refused, or (``on_contact="impulse"``) a plastic impact joins them.
    """

    frame: str
    target: str
    on_contact: str = "refuse"

    def __post_init__(self) -> None:
        _on_contact_value("ActionAttach", self.on_contact)
        _name_value("frame of ActionAttach", self.frame)
        _name_value("target of ActionAttach", self.target)

    def __str__(self) -> str:
        return f"ActionAttach {self.frame} -> {self.target}"


@dataclass(frozen=True)
class Release:
    """Remove the lock at ``frame`` (to ``target``, if given). The part that loses the world begins to move freely."""

    frame: str
    target: str | None = None

    def __post_init__(self) -> None:
        _name_value("frame of ActionRelease", self.frame)
        if self.target is not None:
            _name_value("target of ActionRelease", self.target)

    def __str__(self) -> str:
        return f"ActionRelease {self.frame}" + (f" from {self.target}" if self.target else "")


@dataclass(frozen=True)
class ReleaseAndAttach:
    """Remove the lock that holds ``frame`` (on the path to the root, or at ``release``) and lock ``frame`` to ``target``."""

    frame: str
    target: str
    release: str | None = None

    def __post_init__(self) -> None:
        _name_value("frame of ActionReleaseAndAttach", self.frame)
        _name_value("target of ActionReleaseAndAttach", self.target)
        if self.release is not None:
            _name_value("release of ActionReleaseAndAttach", self.release)

    def __str__(self) -> str:
        return f"ActionReleaseAndAttach {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")


@dataclass(frozen=True)
class FlipChain:
    """Lock the free end ``frame`` of a chain to ``target`` and release its other end: parents and children swap.

    Joint states are kept to the last bit.
    """

    frame: str
    target: str
    release: str | None = None

    def __post_init__(self) -> None:
        _name_value("frame of ActionFlipChain", self.frame)
        _name_value("target of ActionFlipChain", self.target)
        if self.release is not None:
            _name_value("release of ActionFlipChain", self.release)

    def __str__(self) -> str:
        return f"ActionFlipChain {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")


@dataclass(frozen=True)
class Delete:
    """Remove the assembly that contains ``frame`` with all its states."""

    frame: str

    def __post_init__(self) -> None:
        _name_value("frame of ActionDelete", self.frame)

    def __str__(self) -> str:
        return f"ActionDelete {self.frame}"


@dataclass(frozen=True)
class LockJoint:
    """Make a joint rigid where it is; its coordinates are kept: as constants, with a flange as states with derivatives zero.

    A joint that moves is refused, or (``on_contact="impulse"``) a plastic impact takes its speed away.
    """

    joint: str
    on_contact: str = "refuse"

    def __post_init__(self) -> None:
        _on_contact_value("ActionLock", self.on_contact)
        _name_value("joint of ActionLock", self.joint, "joint")

    def __str__(self) -> str:
        return f"ActionLock {self.joint}"


@dataclass(frozen=True)
class UnlockJoint:
    """Let a locked joint move again; it goes on from its coordinates, at rest."""

    joint: str

    def __post_init__(self) -> None:
        _name_value("joint of ActionUnlock", self.joint, "joint")

    def __str__(self) -> str:
        return f"ActionUnlock {self.joint}"


@dataclass(frozen=True)
class Wait:
    """Wait ``duration`` [s] from now on. An event, no segment: every state is kept."""

    duration: float

    def __post_init__(self) -> None:
        _period_value("ActionWait", "duration", self.duration)

    def __str__(self) -> str:
        return f"ActionWait {self.duration:g} s"


@dataclass(frozen=True)
class AfterPeriod:
    """Wait until ``period`` [s] after the previous structural action or end of a period. Every state is kept."""

    period: float

    def __post_init__(self) -> None:
        _period_value("EventAfterPeriod", "period", self.period)

    def __str__(self) -> str:
        return f"EventAfterPeriod {self.period:g} s"


@dataclass(frozen=True)
class AddPath:
    """A reference path: signals ``<name>.position``, ``.velocity``, ``.acceleration``, at rest at ``position`` at first."""

    names: tuple[str, ...]
    position: tuple[float, ...]
    v_max: tuple[float, ...]
    a_max: tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.names, str) or not self.names or not all(isinstance(n, str) and n for n in self.names):
            raise ModelError("names of addReferencePath must be texts", found=repr(self.names), expected="a list of names")
        object.__setattr__(self, "names", tuple(self.names))
        if len(set(self.names)) < len(self.names):
            raise ModelError("names of addReferencePath must differ", found=repr(self.names), expected="each name once")
        for field in ("position", "v_max", "a_max"):
            row = _row(f"{field} of addReferencePath", getattr(self, field))
            object.__setattr__(self, field, row)
            if len(row) != len(self.names):
                found = f"{len(row)} values for {len(self.names)} names"
                raise ModelError(
                    f"{field} of addReferencePath has the wrong length", found=found, expected="one value for each name"
                )
            if field != "position" and min(row) <= 0.0:
                raise ModelError(f"{field} of addReferencePath must be positive", found=repr(row), expected="limits above zero")

    def __str__(self) -> str:
        return f"addReferencePath {', '.join(self.names)}"


@dataclass(frozen=True)
class PtpJointSpace:
    """Move a reference path through ``positions``, stopping at each row; the program goes on when the last row is reached.

    Attributes:
        positions: one row, or several rows, of joint positions (rad or m).
        names: the names of the path; None if the program has one path only.
    """

    positions: tuple[tuple[float, ...], ...]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        rows = list(self.positions)
        if not rows:
            raise ModelError(
                "ptpJointSpace without positions", found="an empty list", expected="one row of joint positions, or several"
            )
        if all(isinstance(r, int | float) or getattr(r, "ndim", 1) == 0 for r in rows):
            rows = [rows]  # type: ignore[list-item]
        object.__setattr__(self, "positions", tuple(_row("positions of ptpJointSpace", row) for row in rows))
        if self.names is not None:
            object.__setattr__(self, "names", (self.names,) if isinstance(self.names, str) else tuple(self.names))

    def __str__(self) -> str:
        return f"ptpJointSpace through {len(self.positions)} position{'s' if len(self.positions) > 1 else ''}"


StructuralAction = Attach | Release | ReleaseAndAttach | FlipChain | Delete | LockJoint | UnlockJoint
Action = StructuralAction | Wait | AfterPeriod | AddPath | PtpJointSpace

ACTIONS: Mapping[str, type] = {
    "ActionAttach": Attach,
    "ActionRelease": Release,
    "ActionReleaseAndAttach": ReleaseAndAttach,
    "ActionFlipChain": FlipChain,
    "ActionDelete": Delete,
    "ActionLock": LockJoint,
    "ActionUnlock": UnlockJoint,
    "ActionWait": Wait,
    "EventAfterPeriod": AfterPeriod,
    "addReferencePath": AddPath,
    "ptpJointSpace": PtpJointSpace,
}
"""Public name of each action -> type of its value."""


class Actions:
    """The recorder that a program function gets as its argument; `recorded` are the actions in their order."""

    def __init__(self) -> None:
        self.recorded: list[Action] = []

    def record(self, action: Action) -> None:
        """Append an action."""
        self.recorded.append(action)


def ActionAttach(actions: Actions, frame: str, target: str, on_contact: str = "refuse") -> None:
    """Lock ``frame`` to ``target``, see `Attach`. A segment of its own."""
    actions.record(Attach(frame, target, on_contact))


def ActionRelease(actions: Actions, frame: str, target: str | None = None) -> None:
    """Remove the lock at ``frame``, see `Release`. A segment of its own."""
    actions.record(Release(frame, target))


def ActionReleaseAndAttach(actions: Actions, frame: str, target: str, release: str | None = None) -> None:
    """Release the assembly of ``frame`` and lock ``frame`` to ``target``, see `ReleaseAndAttach`. A segment of its own."""
    actions.record(ReleaseAndAttach(frame, target, release))


def ActionFlipChain(actions: Actions, frame: str, target: str, release: str | None = None) -> None:
    """Lock the other end of a chain and release the first, see `FlipChain`. A segment of its own."""
    actions.record(FlipChain(frame, target, release))


def ActionDelete(actions: Actions, frame: str) -> None:
    """Remove an assembly, see `Delete`. A segment of its own."""
    actions.record(Delete(frame))


def ActionLock(actions: Actions, joint: str, on_contact: str = "refuse") -> None:
    """Make a joint rigid, see `LockJoint`. A segment of its own."""
    actions.record(LockJoint(joint, on_contact))


def ActionUnlock(actions: Actions, joint: str) -> None:
    """Let a locked joint move again, see `UnlockJoint`. A segment of its own."""
    actions.record(UnlockJoint(joint))


def ActionWait(actions: Actions, duration: float) -> None:
    """The next action is carried out ``duration`` [s] from now (from the end of the path, where one precedes)."""
    actions.record(Wait(duration))


def EventAfterPeriod(actions: Actions, period: float) -> None:
    """The next action is carried out ``period`` [s] after the previous structural action or the end of the previous period.

    Paths and waits since then are part of the period; where they need longer, the program is refused.
    """
    actions.record(AfterPeriod(period))


def addReferencePath(
    actions: Actions, names: Sequence[str], position: Sequence[float], v_max: Sequence[float], a_max: Sequence[float]
) -> None:
    """Declare reference signals that rest at ``position`` until the first `ptpJointSpace`, see `AddPath`."""
    actions.record(AddPath(tuple(names), tuple(position), tuple(v_max), tuple(a_max)))


def ptpJointSpace(
    actions: Actions, positions: Sequence[float] | Sequence[Sequence[float]], names: Sequence[str] | None = None
) -> None:
    """Move a reference path from where it is through ``positions``, one row or several, see `PtpJointSpace`."""
    actions.record(PtpJointSpace(tuple(positions), None if names is None else tuple(names)))  # type: ignore[arg-type]
