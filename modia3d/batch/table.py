"""Table at the end of a study: statistics of quantities, failed runs with their messages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .dataset import Dataset, well

_SHOWN = 20
"""So many runs that failed are listed."""


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, with the first column left-aligned, the others right-aligned, and a line below the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return [lines[0], "-" * len(lines[0]), *lines[1:]]


def figures(dataset: Dataset) -> dict[str, Any]:
    """Return the figures of a study: numbers of runs by outcome, statistics of each quantity."""
    import numpy as np

    table = dataset.table()
    rows = table.select(["status", "cause", "unmet"]).to_pylist()
    causes: dict[str, int] = {}
    for row in rows:
        if row["status"] == "failed":
            causes[row["cause"]] = causes.get(row["cause"], 0) + 1
    quantities: dict[str, dict[str, float]] = {}
    for name, kind in dataset.quantities.items():
        if kind == "string":
            continue
        values = np.array(table[name].to_numpy(), dtype=float)
        values = values[~np.isnan(values)]
        if values.size:
            q05, median, q95 = np.quantile(values, [0.05, 0.5, 0.95])
            found = {"count": values.size, "mean": values.mean(), "deviation": values.std(), "least": values.min()}
            found |= {"q05": q05, "median": median, "q95": q95, "largest": values.max()}
            quantities[name] = {key: float(value) for key, value in found.items()}
    return {
        "name": dataset.about["name"],
        "runs": dataset.runs,
        "done": len(rows),
        "finished": sum(row["status"] == "finished" for row in rows),
        "failed": sum(row["status"] == "failed" for row in rows),
        "causes": causes,
        "unmet": sum(row["status"] == "finished" and not well(row) for row in rows),
        "cpu_s": math.fsum(table["cpu_s"].to_pylist()),
        "quantities": quantities,
    }


def study_table(dataset: Dataset) -> str:
    """Return the `figures`, and the first runs that went wrong, as text."""
    found = figures(dataset)
    lines = []
    if found["quantities"]:
        head = ["quantity", "mean", "deviation", "least", "5 %", "median", "95 %", "largest", "runs"]
        keys = ("mean", "deviation", "least", "q05", "median", "q95", "largest")
        body = [[name, *(f"{q[key]:.6g}" for key in keys), f"{q['count']:.0f}"] for name, q in found["quantities"].items()]
        lines += [*aligned([head, *body]), ""]
    wrong = [row for row in dataset.table(["model", "status", "cause", "message", "unmet"]).to_pylist() if not well(row)]
    lines += [f"run {row['run']} ({row['model']}): {told(row)}" for row in wrong[:_SHOWN]]
    lines += [f"... and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
    causes = ", ".join(f"{number} by {cause}" for cause, number in sorted(found["causes"].items()))
    parts = [f"{found['done']} of {found['runs']} runs", f"{found['finished']} finished"]
    parts += [f"{found['failed']} failed ({causes})"] if causes else []
    parts += [f"{found['unmet']} not as expected"] if found["unmet"] else []
    return "\n".join([*lines, f"{', '.join(parts)}, {found['cpu_s']:.3g} s of computation"])


def told(row: Mapping[str, Any]) -> str:
    """Return the failure of a run in one line."""
    first = (row["message"] or "").strip().split("\n")[0]
    return f"{row['cause']}: {first}" if row["status"] == "failed" else str(row["unmet"])
