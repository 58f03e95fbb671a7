"""The actions of a program: frozen values, and the functions that record them in a Python program.

A program is a list of these values, carried out in order. `ACTIONS` makes them by their public names (for YAML). What
becomes of every state at a structural action is the contract of the edit of the same name in `modia3d.topology.edits`; the
docstrings below say it in one sentence each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from modiapy.model.arguments import arguments_checked
from modiapy.model.errors import ModelError

from ..topology.placement import Placement
from .checks import time_value
from .paths_values import AddPath, MoveLinear, PtpJointSpace
from .structural_values import (
    Add,
    Attach,
    Delete,
    FlipChain,
    LockJoint,
    Release,
    ReleaseAndAttach,
    StructuralAction,
    UnlockJoint,
)

Recorded = TypeVar("Recorded")
Vector = Sequence[float] | np.ndarray
Rows = Sequence[Vector] | np.ndarray

_recording = arguments_checked(
    {
        "waitingPeriod": "Write ActionWait(actions, seconds) after it: the action is carried out at once, what follows waits.",
        "enableContactDetection": "There is no contact between solids yet; leave it out.",
    }
)
"""Decorator of the functions that record an action; it knows the arguments of Modia3D.jl that are not here."""


@dataclass(frozen=True)
class Wait:
    """Wait ``duration`` [s] from now on. An event, no segment: every state is kept."""

    duration: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "duration", time_value("duration of ActionWait", self.duration))

    def __str__(self) -> str:
        return f"ActionWait {self.duration:g} s"


@dataclass(frozen=True)
class AfterPeriod:
    """Wait until ``period`` [s] after the previous structural action or end of a period. Every state is kept."""

    period: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "period", time_value("period of EventAfterPeriod", self.period))

    def __str__(self) -> str:
        return f"EventAfterPeriod {self.period:g} s"


@dataclass(frozen=True)
class Together:
    """Several structural actions that are one change, one segment: in their order, checked where all have been carried out."""

    actions: Sequence[StructuralAction]

    def __post_init__(self) -> None:
        given = self.actions if isinstance(self.actions, Sequence) else (self.actions,)
        for action in given:
            if not isinstance(action, StructuralAction):
                raise ModelError(
                    "only structural actions can be given together", found=str(action), expected="attach, release, delete, ..."
                )
        if not given:
            raise ModelError("nothing is given together", found="an empty list", expected="structural actions")
        object.__setattr__(self, "actions", tuple(given))

    def __str__(self) -> str:
        shown, more = self.actions[:3], len(self.actions) - 3
        return " + ".join([*map(str, shown), *([f"{more} more"] if more > 0 else [])])


Action = StructuralAction | Together | Wait | AfterPeriod | AddPath | PtpJointSpace | MoveLinear


class Actions:
    """The recorder that a program function gets as its argument; ``recorded`` are the actions in their order.

    Every function that records an action returns it, so that a generator can write ``ok = yield ActionAttach(actions, ...)``.
    """

    def __init__(self) -> None:
        self.recorded: list[Any] = []

    def record(self, action: Recorded) -> Recorded:
        """Append an ``action``, or a step such as `WaitUntil`; returns it."""
        self.recorded.append(action)
        return action

    @contextmanager
    def together(self) -> Iterator[None]:
        """``with actions.together():`` all structural actions recorded inside are one change, see `Together`."""
        outside, self.recorded = self.recorded, []
        try:
            yield
        finally:
            inside, self.recorded = self.recorded, outside
        self.record(Together(tuple(inside)))


@_recording
def ActionAttach(actions: Actions, frame: str, target: str, on_contact: str = "refuse") -> Attach:
    """Lock a frame rigidly to another one; the two must mate. A segment of its own.

    The free motion of the tree of ``frame`` is dropped.

    Args:
        frame, target: names of two lockable frames.
        on_contact: where they still move relative to each other: "refuse", or "impulse": a plastic impact joins them.
    """
    return actions.record(Attach(frame, target, on_contact))


@_recording
def ActionRelease(actions: Actions, frame: str, target: str | None = None) -> Release:
    """Remove the lock at a frame. The part that loses the world begins to move freely. A segment of its own.

    Args:
        frame: name of one of the two locked frames.
        target: name of the other one; None: whichever it is.
    """
    return actions.record(Release(frame, target))


@_recording
def ActionReleaseAndAttach(
    actions: Actions, frame: str, target: str, release: str | None = None, on_contact: str = "refuse"
) -> ReleaseAndAttach:
    """Remove the lock that holds an assembly, and lock it elsewhere. A segment of its own.

    Args:
        frame, target: as `ActionAttach`.
        release: name of a frame at the lock that is removed; None: the one on the path from ``frame`` to the root.
        on_contact: as `ActionAttach`; an impact comes after the release.
    """
    return actions.record(ReleaseAndAttach(frame, target, release, on_contact))


@_recording
def ActionFlipChain(
    actions: Actions, frame: str, target: str, release: str | None = None, on_contact: str = "refuse"
) -> FlipChain:
    """Lock the free end of a chain and release its other end: parents and children swap. A segment of its own.

    States of the joints are kept to the last bit.

    Args:
        frame: name of the frame at the free end.
        target: name of the frame to which it is locked.
        release: name of a frame at the lock that is removed; None: the one that holds the chain.
        on_contact: as `ActionAttach`; an impact comes after the release.
    """
    return actions.record(FlipChain(frame, target, release, on_contact))


@_recording
def ActionDelete(actions: Actions, frame: str, park: bool = False) -> Delete:
    """Remove an assembly with all its states. A segment of its own.

    Args:
        frame: name of a frame of the assembly.
        park: also one whose joints have flanges: these are held where they are, their equations go on.
    """
    return actions.record(Delete(frame, park))


@_recording
def ActionAdd(
    actions: Actions,
    frame: str,
    relative_to: str = "",
    translation: Vector = (0.0, 0.0, 0.0),
    rotation: Vector | Rows = (0.0, 0.0, 0.0),
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector = (0.0, 0.0, 0.0),
    attach_to: str = "",
    turn: float = 0.0,
) -> Add:
    """Let an assembly appear that is parked or was deleted. A segment of its own.

    Args:
        frame: name of a frame of it, which is placed.
        relative_to: name of the frame P that its pose and motion refer to; "" for the world.
        translation: ``p_PF_P`` [m].
        rotation: Cardan angles about x, the new y and the new z [rad], or the matrix ``R_PF``.
        velocity: of its origin relative to P, resolved in P [m/s].
        angular_velocity: relative to P, resolved in P [rad/s].
        attach_to: name of a lockable frame: it appears mated with that and locked to it. Excludes all others but ``turn``.
        turn: angle about the z axis of that frame [rad].
    """
    placement = Placement(relative_to, translation, rotation, velocity, angular_velocity, attach_to, turn)  # type: ignore[arg-type]
    return actions.record(Add(frame, placement))


@_recording
def ActionLock(actions: Actions, joint: str, on_contact: str = "refuse") -> LockJoint:
    """Make a joint rigid where it is; its coordinates are kept. A segment of its own.

    Args:
        joint: its name.
        on_contact: where it moves: "refuse", or "impulse": a plastic impact takes its speed away.
    """
    return actions.record(LockJoint(joint, on_contact))


@_recording
def ActionUnlock(actions: Actions, joint: str) -> UnlockJoint:
    """Let a locked joint move again; it goes on from its coordinates, at rest. A segment of its own.

    Args:
        joint: its name.
    """
    return actions.record(UnlockJoint(joint))


@_recording
def ActionWait(actions: Actions, duration: float) -> Wait:
    """The next action is carried out ``duration`` [s] from now (from the end of the path, where one precedes)."""
    return actions.record(Wait(duration))


@_recording
def EventAfterPeriod(actions: Actions, period: float) -> AfterPeriod:
    """The next action is carried out ``period`` [s] after the previous structural action or the end of the previous period.

    Paths and waits since then are part of the period; where they need longer, the program is refused.
    """
    return actions.record(AfterPeriod(period))


@_recording
def addReferencePath(
    actions: Actions,
    names: Sequence[str],
    position: Vector,
    v_max: Vector,
    a_max: Vector,
    j_max: Vector | None = None,
    joints: Sequence[str] | None = None,
) -> AddPath:
    """Declare a reference path: signals ``<name>.position``, ``.velocity``, ``.acceleration``, at rest until the first motion.

    Args:
        names: of the signals.
        position: where the path begins [rad or m].
        v_max, a_max: largest velocity and acceleration of each [rad/s or m/s, rad/s2 or m/s2].
        j_max: largest jerk of each [rad/s3 or m/s3]: the acceleration is continuous then; None: it jumps.
        joints: names of the joints that follow the signals, for `moveLinear`; None: those of the same names.
    """
    return actions.record(AddPath(names, position, v_max, a_max, j_max, joints))  # type: ignore[arg-type]


@_recording
def ptpJointSpace(
    actions: Actions,
    positions: Vector | Rows,
    names: Sequence[str] | None = None,
    blend: float | None = None,
) -> PtpJointSpace:
    """Move a reference path from where it is through positions; the program goes on when the last one is reached.

    Args:
        positions: one row, or several rows, of joint positions [rad or m].
        names: of the path; None if the program has one path only.
        blend: None: the joints stop at each row. Else they pass the rows between without stopping, and no joint is farther
            than this [rad or m] from the row when it leaves the straight line to it.
    """
    return actions.record(PtpJointSpace(tuple(positions), names, blend))  # type: ignore[arg-type]


@_recording
def moveLinear(
    actions: Actions,
    frame: str,
    translation: Vector | None = None,
    rotation: Vector | Rows | str | None = None,
    relative_to: str = "",
    v_max: float | None = None,
    a_max: float | None = None,
    names: Sequence[str] | None = None,
    tolerance: float = 1e-5,
) -> MoveLinear:
    """Move a frame on a straight line by the joints of a path; it turns about one fixed axis. Planned when it begins.

    Args:
        frame: name of the frame.
        translation: where its origin goes [m]; None: it stays.
        rotation: where it turns: Cardan angles x, y, z [rad] or a 3x3 matrix; None: it keeps its orientation; "free": any.
        relative_to: name of the frame in which both are given, as it is when the motion begins; "": the world.
        v_max, a_max: largest velocity [m/s] and acceleration [m/s2] of its origin, or of its rotation [rad/s, rad/s2] where
            the origin stays. The limits of the joints hold, too. None: they alone.
        names: of the path; None if the program has one path only.
        tolerance: largest distance of the origin from the line [m], and a hundred times that [rad] of its orientation
            from the wanted one.
    """
    return actions.record(MoveLinear(frame, translation, rotation, relative_to, v_max, a_max, names, tolerance))  # type: ignore[arg-type]


class _Unrecorded(Actions):
    """For actions that are made one by one, as a list needs them."""

    def record(self, action: Recorded) -> Recorded:
        return action


_RECORDED = (
    ActionAttach,
    ActionRelease,
    ActionReleaseAndAttach,
    ActionFlipChain,
    ActionDelete,
    ActionAdd,
    ActionLock,
    ActionUnlock,
    ActionWait,
    EventAfterPeriod,
    addReferencePath,
    ptpJointSpace,
    moveLinear,
)

ACTIONS: Mapping[str, Callable[..., Any]] = {
    **{function.__name__: functools.partial(function, _Unrecorded()) for function in _RECORDED},
    "together": Together,
}
"""Public name of each action -> what makes its value, with the arguments of the function of that name."""
