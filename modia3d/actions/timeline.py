"""The timeline that an action program means: structural actions and paths at fixed times.

A program's clock starts with the simulation. A path takes its time, a wait too, a structural action none. The timeline is
fixed when the model is loaded: pure data, printable, the same for every run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from modiapy.model.errors import ModelError, nearest

from .paths import PtpLeg, ReferencePath, ptp_leg
from .values import Action, AddPath, AfterPeriod, PtpJointSpace, StructuralAction, Wait


@dataclass(frozen=True)
class TimedAction:
    """A structural action and when it is due [s]; ``number`` is its place in the program, counted from 1."""

    time: float
    number: int
    action: StructuralAction

    def __str__(self) -> str:
        return f"action {self.number} ({self.action})"


@dataclass(frozen=True)
class Timeline:
    """What a program means: structural actions and paths, all at fixed times since the start of the simulation.

    Attributes:
        actions: in the order in which they are carried out.
        paths: the reference paths with their legs.
        time_events: times [s] at which something happens, in ascending order: actions, ends of waits, jumps of acceleration.
        end: when the program has ended [s].
    """

    actions: tuple[TimedAction, ...] = ()
    paths: tuple[ReferencePath, ...] = ()
    time_events: tuple[float, ...] = ()
    end: float = 0.0

    def leg_at(self, time: float) -> PtpLeg | None:
        """The leg that is under way at ``time``: begun before, and ending after it."""
        running = (leg for path in self.paths for leg in path.legs if leg.start_time < time < leg.end_time)
        return next(running, None)

    def __str__(self) -> str:
        rows = [(a.time, 1, f"{a.action}") for a in self.actions]
        for path in self.paths:
            rows += [(leg.start_time, 2, f"path until {leg.end_time:.9g} s: {', '.join(path.names)}") for leg in path.legs]
        return "\n".join(f"{time:14.9g} s  {text}" for time, _, text in sorted(rows, key=lambda row: row[:2]))


class _Clock:
    """The state while a program is laid out in time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.period_start = 0.0
        self.events: set[float] = set()
        self.actions: list[TimedAction] = []
        self.paths: dict[tuple[str, ...], ReferencePath] = {}

    def place(self, number: int, action: Action) -> None:
        """Put the next action into the timeline."""
        if isinstance(action, AddPath):
            self._add_path(action)
        elif isinstance(action, PtpJointSpace):
            self._move(number, action)
        elif isinstance(action, Wait):
            self.now += action.duration
            self.events.add(self.now)
        elif isinstance(action, AfterPeriod):
            self._fill(action)
        else:
            self.actions.append(TimedAction(self.now, number, action))
            self.events.add(self.now)
            self.period_start = self.now

    def _add_path(self, action: AddPath) -> None:
        for path in self.paths.values():
            for name in action.names:
                if name in path.names:
                    raise ModelError(
                        f"the reference '{name}' exists already", expected="each name in one addReferencePath only"
                    )
        self.paths[action.names] = ReferencePath(action.names, action.position, action.v_max, action.a_max)

    def _path(self, action: PtpJointSpace) -> ReferencePath:
        if not self.paths:
            raise ModelError("there is no reference path yet", remedy="Call addReferencePath before ptpJointSpace.")
        if action.names is None:
            if len(self.paths) > 1:
                found = f"{len(self.paths)} reference paths"
                raise ModelError("which path is to be moved?", found=found, remedy="Give the names of the path as names=.")
            return next(iter(self.paths.values()))
        if action.names not in self.paths:
            known = [", ".join(names) for names in self.paths]
            raise ModelError(
                "there is no reference path of these names",
                found=", ".join(action.names),
                expected="; ".join(known),
                remedy=nearest(", ".join(action.names), known),
            )
        return self.paths[action.names]

    def _move(self, number: int, action: PtpJointSpace) -> None:
        path = self._path(action)
        legs = list(path.legs)
        for row in action.positions:
            if len(row) != len(path.names):
                found = f"{len(row)} values"
                raise ModelError(
                    "a position has the wrong length", found=found, expected=f"{len(path.names)}: {', '.join(path.names)}"
                )
            leg = ptp_leg(self.now, legs[-1].end if legs else path.position, row, path.v_max, path.a_max)
            if leg is not None:
                legs.append(replace(leg, number=number))
                self.events.update(leg.breakpoints)
                self.now = leg.end_time
        self.paths[path.names] = replace(path, legs=tuple(legs))

    def _fill(self, action: AfterPeriod) -> None:
        end = self.period_start + action.period
        if self.now > end + 1e-9:
            raise ModelError(
                f"the paths and waits before it end {self.now - end:.6g} s too late",
                found=f"{self.now - self.period_start:.9g} s",
                expected=f"at most the period of {action.period:.9g} s",
                remedy="Allow larger v_max or a_max, bring the positions closer together, or lengthen the period.",
            )
        self.now = self.period_start = max(self.now, end)
        self.events.add(self.now)


def lay_out(actions: Sequence[Action]) -> Timeline:
    """The timeline of a program.

    Structural actions are due when all actions before them have ended. `EventAfterPeriod` ends a given time after the previous
    structural action or the end of the previous period; paths and waits since then are included.

    Raises:
        ModelError: a path is unknown or of the wrong length, or paths need longer than the period around them; the message
            names the action by its number and text.
    """
    clock = _Clock()
    for number, action in enumerate(actions, start=1):
        try:
            clock.place(number, action)
        except ModelError as error:
            error.message, error.entry = f"action {number} ({action}): {error.message}", number
            raise
    events = tuple(sorted(t for t in clock.events if math.isfinite(t)))
    return Timeline(tuple(clock.actions), tuple(clock.paths.values()), events, clock.now)
