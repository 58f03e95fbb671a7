"""What components have to tell of a simulation besides signals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..acausal.abilities import Notes
from ..acausal.protocol import ComponentRun
from .events.history import EventHistory
from .results.segment_result import SegmentRecord


def told_by(runs: Iterable[ComponentRun], time: float) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """The log of their programs, and their tables, those of the same name joined.

    Args:
        time: of the last stored point [s].
    """
    log: list[dict[str, Any]] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        log.extend(map(dict, run.program_log))
        for name, rows in run.tables(time).items():
            tables.setdefault(name, []).extend(map(dict, rows))
    return log, tables


def take_notes(
    runs: Iterable[Notes], record: SegmentRecord, history: EventHistory, ending: bool
) -> Iterator[Mapping[str, Any]]:
    """What they noticed since they were asked last, kept in the record of the segment and counted as events.

    Args:
        record: of the present segment. history: of the simulation. ending: the segment ends now.
    """
    for run in runs:
        for note in run.notes(ending):
            record.info.setdefault("notes", []).append(dict(note))
            record.events += 1
            history.kinds[note["kind"]] += 1
            yield note
