"""Figures of a run, and tables of them on the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_COLUMNS = (
    ("segment", "index", "d"),
    ("begins [s]", "start", ".6g"),
    ("dof", "dof", "d"),
    ("invariant", "states_invariant", "d"),
    ("variant", "states_variant", "d"),
    ("events", "events", "d"),
    ("steps", "steps", "d"),
    ("change [ms]", "change_ms", ".3f"),
    ("wall [ms]", "wall_s", ".1f"),
)


def figures(result: Any) -> dict[str, Any]:
    """Return the figures of a run as plain data: the segments, contacts if there were any, statistics of the whole
    simulation.
    """
    stop = float(result.time[-1]) if len(result.time) else None
    verdict = {} if result.success is None else {"verdict": result.verdict, "success": result.success}
    contacts = {"contacts": result.contacts} if result.contacts else {}
    segments = [record.to_json() for record in result.segments]
    return {"segments": segments, "stop_time": stop, **verdict, **contacts, **result.statistics}


def segment_table(figures: Mapping[str, Any], *, title: str = "") -> str:
    """Return one line per segment, what was noticed in it below, and a line of totals. ``figures`` is what ``--json``
    prints.
    """
    rows = [[title for title, _, _ in _COLUMNS]]
    for record in figures["segments"]:
        row = []
        for _, key, style in _COLUMNS:
            value = record.get(key)
            number = isinstance(value, float) or (isinstance(value, int) and "d" in style)
            row.append(format(1e3 * value if key == "wall_s" else value, style) if number else str(value or ""))
        rows.append(row)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [title] if title else []
    causes = ["cause", *(record["cause"] for record in figures["segments"])]
    notes = [[], *(record.get("notes", ()) for record in figures["segments"])]
    first = len(lines)
    for row, cause, noticed in zip(rows, causes, notes, strict=True):
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + f"  {cause}")
        lines += [f"{'':{widths[0]}}  {note['time']:.9g} s  {note['text']}" for note in noticed]
    lines.insert(first + 1, "-" * max(map(len, lines[first:])))
    parts = [f"simulated until {figures['stop_time']:g} s" if figures["stop_time"] is not None else "nothing was simulated"]
    parts += [
        f"{figures[key]:.3g} s {what}" for key, what in (("simulation_s", "simulation"), ("translation_s", "translation"))
    ]
    parts += [f"{figures['steps']} steps", f"{figures['rhs_evaluations']} evaluations"]
    parts += [f"{figures['compilations_after_start']} compilations after the start"]
    if "verdict" in figures:
        lines.append(f"verdict: {figures['verdict']} ({'success' if figures['success'] else 'no success'})")
    return "\n".join([*lines, ", ".join(parts)])


def program_table(log: Sequence[Mapping[str, Any]]) -> str:
    """Return one line per executed step of the action programs: time, number of the task, step and outcome."""
    rows = [["time [s]", "task", "outcome", "step"]]
    for entry in log:
        outcome = entry["outcome"]
        refused = entry["kind"] == "action" and isinstance(outcome, str)
        step = f"{entry['step']}: {outcome}" if refused else entry["step"]
        rows.append([f"{entry['time']:.9g}", str(entry["task"]), "refused" if refused else _outcome(outcome), step])
    widths = [max(map(len, column)) for column in zip(*(row[:3] for row in rows), strict=True)]
    return "\n".join("  ".join([*(c.rjust(w) for c, w in zip(row[:3], widths, strict=True)), row[3]]) for row in rows)


def contact_summary(contacts: Sequence[Mapping[str, Any]]) -> str:
    """Return how many contacts there were, and the largest force among them."""
    largest = max(contacts, key=lambda row: row["largest_force"] or 0.0)
    lasting = sum(row["end"] is None for row in contacts)
    parts = [f"{len(contacts)} contact{'s' * (len(contacts) > 1)}"]
    parts += [f"{lasting} of them to the end"] if lasting else []
    if largest["largest_force"]:
        parts.append(f"the largest force {largest['largest_force']:.6g} N between {' and '.join(largest['pair'])}")
    return ", ".join(parts)


def contact_table(contacts: Sequence[Mapping[str, Any]]) -> str:
    """Return one line per contact: when it began and ended, its largest normal force and its impulse, between which solids."""
    rows = [["begins [s]", "ends [s]", "force [N]", "impulse [N.s]"]]
    for row in contacts:
        rows.append([_number(row["begin"], ".9g"), *(_number(row[k], ".6g") for k in ("end", "largest_force", "impulse"))])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    pairs = ["between", *(" and ".join(row["pair"]) for row in contacts)]
    return "\n".join(
        "  ".join([*(c.rjust(w) for c, w in zip(row, widths, strict=True)), pair])
        for row, pair in zip(rows, pairs, strict=True)
    )


def _number(value: float | None, style: str) -> str:
    return "" if value is None else format(value, style)


def _outcome(outcome: Any) -> str:
    """Return an outcome in a few letters: nothing for what is none, or has no short form (the way of a straight line)."""
    if isinstance(outcome, bool):
        return "yes" if outcome else "no"
    if isinstance(outcome, float):
        return f"{outcome:.6g}"
    if isinstance(outcome, list):
        return ", ".join(f"{value:.6g}" for value in outcome)
    return "" if outcome is None or isinstance(outcome, dict) else str(outcome)
