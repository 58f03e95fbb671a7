"""The actions of a program: frozen values, and the functions that record them in a Python program.

A program is a list of these values, carried out in order. `ACTIONS` makes them by their public names (for YAML). What
becomes of every state at a structural action is the contract of the edit of the same name in `modia3d.topology.edits`; the
docstrings below say it in one sentence each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .checks import time_value
from .paths_values import AddPath, MoveLinear, PtpJointSpace
from .pose import Pose
from .structural import recorders
from .structural.base import StructuralAction
from .structural.recorder import Actions, Rows, Unrecorded, Vector, recording
from .structural.together import Together


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


Action = StructuralAction | Together | Wait | AfterPeriod | AddPath | PtpJointSpace | MoveLinear


@recording
def ActionWait(actions: Actions, duration: float) -> Wait:
    """Wait ``duration`` [s] before the next action, from now on (from the end of a path that precedes)."""
    return actions.record(Wait(duration))


@recording
def EventAfterPeriod(actions: Actions, period: float) -> AfterPeriod:
    """Wait until ``period`` [s] after the previous structural action or the end of the previous period.

    Paths and waits since then are part of the period. If they need longer, the program is refused.
    """
    return actions.record(AfterPeriod(period))


@recording
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


@recording
def ptpJointSpace(
    actions: Actions,
    positions: Vector | Rows | Pose | Sequence[Vector | Pose],
    names: Sequence[str] | None = None,
    blend: float | None = None,
) -> PtpJointSpace:
    """Move a reference path from its present position through positions; the program continues when the last one is reached.

    Args:
        positions: one row, or several rows, of joint positions [rad or m]; a `Pose` in the place of a row: where a frame is to
            be, from which the positions follow by inverse kinematics when the motion begins.
        names: of the path; None if the program has one path only.
        blend: None: the joints stop at each row. Else they pass the rows between without stopping, and no joint is farther
            than this [rad or m] from the row when it leaves the straight line to it.
    """
    return actions.record(PtpJointSpace(positions, names, blend))  # type: ignore[arg-type]


@recording
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


_OTHERS: tuple[Callable[..., Any], ...] = (ActionWait, EventAfterPeriod, addReferencePath, ptpJointSpace, moveLinear)

ACTIONS: Mapping[str, Callable[..., Any]] = {
    **{function.__name__: functools.partial(function, Unrecorded()) for function in (*recorders().values(), *_OTHERS)},
    "together": Together,
}
"""Public name of each action -> what makes its value, with the arguments of the function of that name."""
