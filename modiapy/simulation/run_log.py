"""`RunLog`: log lines and notes of a simulation, while it runs and at its end."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any

from ..acausal.abilities import Notes
from ..acausal.protocol import ComponentRun
from .evaluation.machine import Machine
from .events.history import EventHistory
from .results.result import Result
from .segments.current_point import CurrentPoint
from .solvers import SolverStatistics


class RunLog:
    """Report of a simulation: its log, statistics and notes.

    Args:
        result: to which it is told; it may be replaced. log: whether segments and events are written to stderr.
        runs: the components. current: where the simulation is. history: its events.
    """

    def __init__(
        self, result: Result, log: bool, runs: Collection[ComponentRun], current: CurrentPoint, history: EventHistory
    ) -> None:
        self.result, self._logs = result, log
        self._runs, self._noticing = runs, [run for run in runs if isinstance(run, Notes)]
        self._current, self._history = current, history

    def log(self, text: str, time: float | None = None) -> None:
        """Write a line about a time [s], by default the present."""
        if self._logs:
            print(f"{self._current.time if time is None else time:14.9g} s  {text}", file=sys.stderr)

    def take_notes(self, ending: bool = False) -> None:
        """Keep in the record of the segment, count as events and log what components noticed since they were asked last.

        Args:
            ending: the segment ends now.
        """
        for run in self._noticing:
            for note in run.notes(ending):
                self.note(note)
                self._current.segment.record.events += 1
                self._history.kinds[note["kind"]] += 1

    def note(self, note: Mapping[str, Any] | None) -> None:
        """Keep a note in the record of the segment, and log it."""
        if note is not None:
            self._current.segment.record.info.setdefault("notes", []).append(dict(note))
            self.log(note["text"], note["time"])

    def so_far(self) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
        """Return the log of the components' programs until now, and their tables, those of the same name joined."""
        current = self._current
        last = current.segment.result.last_time if current.in_segment else None
        log: list[dict[str, Any]] = []
        tables: dict[str, list[dict[str, Any]]] = {}
        for run in self._runs:
            log.extend(map(dict, run.program_log))
            for name, rows in run.tables(current.time if last is None else last).items():
                tables.setdefault(name, []).extend(map(dict, rows))
        return log, tables

    def tell(self, machine: Machine, work: SolverStatistics, wall_s: float) -> None:
        """Bring the result up to date: ``work`` of integrators and earlier runs, how long it has taken [s]."""
        self.result.program_log, self.result.tables = self.so_far()
        statistics: dict[str, Any] = self.result.statistics
        statistics |= machine.work_with(work) | {
            "events": self._history.total,
            "events_by_kind": dict(self._history.kinds),
            "simulation_s": wall_s,
        }
