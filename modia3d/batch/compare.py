"""Comparison of two studies: which runs differ, and by how much (regression)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from modiapy.model.errors import ModelError

from .dataset import Dataset, well
from .table import aligned, told

_SHOWN = 20


@dataclass
class Comparison:
    """Differences between two studies with the same runs.

    Attributes:
        compared: number of runs that both have.
        only: numbers of runs that only the first and only the second have.
        worse, better: runs that are well in the first and not in the second, and the reverse, with what was said.
        largest: by quantity: the largest difference relative to the tolerance, absolute and relative, and its run.
        differing: runs with a quantity that differs by more than the tolerance.
    """

    compared: int = 0
    only: tuple[int, int] = (0, 0)
    worse: dict[int, str] = field(default_factory=dict)
    better: dict[int, str] = field(default_factory=dict)
    largest: dict[str, tuple[float, float, int]] = field(default_factory=dict)
    differing: set[int] = field(default_factory=set)

    @property
    def is_equal(self) -> bool:
        """True if there are no significant differences."""
        return not (self.worse or self.better or self.differing or any(self.only))


def compare(first: Dataset, second: Dataset, *, relative: float = 0.0, absolute: float = 0.0) -> Comparison:
    """Compare two studies run by run.

    Args:
        first, second: with the same factors.
        relative, absolute: by how much quantities may differ; the larger one counts.

    Raises:
        ModelError: their runs are not the same ones: other factors, other models, or other values.
    """
    if list(first.factors) != list(second.factors):
        found, expected = ", ".join(second.factors) or "none", ", ".join(first.factors) or "none"
        raise ModelError("the studies have different factors", path=str(second.folder), found=found, expected=expected)
    before, after = ({row["run"]: row for row in dataset.rows()} for dataset in (first, second))
    both = sorted(before.keys() & after.keys())
    result = Comparison(len(both), (len(before.keys() - after.keys()), len(after.keys() - before.keys())))
    shared = [name for name in first.quantities if name in second.quantities]
    for run in both:
        old, new = before[run], after[run]
        for name in ("model", *first.factors):
            if old[name] != new[name]:
                message = f"run {run} of the studies is another one"
                raise ModelError(message, path=str(second.folder), found=f"{name} = {new[name]}", expected=f"{old[name]}")
        if well(old) != well(new):
            (result.worse if well(old) else result.better)[run] = told(new if well(old) else old)
        for name in shared:
            _note(result, run, name, old[name], new[name], relative, absolute)
    return result


def _note(result: Comparison, run: int, name: str, old: Any, new: Any, relative: float, absolute: float) -> None:
    """Compare one quantity of one run."""
    if old is None or new is None:
        return  # it failed: that is told already
    if isinstance(old, str):
        difference, scale = float(old != new), 1.0
    elif math.isnan(old) or math.isnan(new):
        difference, scale = (0.0 if math.isnan(old) and math.isnan(new) else math.inf), 1.0
    else:
        difference, scale = (0.0 if old == new else abs(new - old)), abs(old)
    if difference > max(absolute, relative * scale):
        result.differing.add(run)
    share = difference / scale if scale else (math.inf if difference else 0.0)
    if name not in result.largest or share > result.largest[name][1]:
        result.largest[name] = (difference, share, run)


def comparison_table(result: Comparison) -> str:
    """Return a `Comparison` as text."""
    lines = []
    if result.largest:
        head = ["quantity", "difference", "relative", "in run"]
        body = [[name, f"{d:.3g}", f"{share:.3g}", str(run)] for name, (d, share, run) in result.largest.items()]
        lines += [*aligned([head, *body]), ""]
    for what, runs in (("has become wrong", result.worse), ("has become right", result.better)):
        lines += [f"run {run} {what}: {text}" for run, text in list(runs.items())[:_SHOWN]]
        lines += [f"... and {len(runs) - _SHOWN} more"] if len(runs) > _SHOWN else []
    lines += [f"runs that only one of them has: {sum(result.only)}"] if any(result.only) else []
    end = "nothing differs" if result.is_equal else f"{len(result.differing)} differ in quantities"
    return "\n".join([*lines, f"{result.compared} runs compared, {end}"])
