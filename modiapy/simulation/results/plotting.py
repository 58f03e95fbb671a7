"""Signals over time as diagrams of matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ...model.errors import ModelError
from ...symbolic.terms.arrays import element_name
from .exports import Signals, matching
from .segment_result import SegmentRecord

MOST_SEGMENTS = 200
"""More marks than these hide what is marked."""
MOST_LABELS = 20
"""A legend with more lines than these hides the diagram."""
AXES = ("x", "y", "z")


class Plotted(Signals, Protocol):
    """Protocol of a `Result` that is plotted."""

    @property
    def segments(self) -> list[SegmentRecord]: ...


def diagrams(result: Signals, names: Sequence[str | Sequence[str]]) -> list[list[str]]:
    """Return the names of the signals of each diagram. Raises ModelError if a signal does not exist, or there are none."""
    if not names:
        raise ModelError("there is nothing to plot", expected="names of signals, wildcards too: 'arm.*.phi'")
    groups: list[list[str]] = []
    for name in names:
        if isinstance(name, str):
            by_unit: dict[str, list[str]] = {}
            for found in matching(result, name):
                by_unit.setdefault(result.unit(found), []).append(found)
            groups += by_unit.values()
        else:
            groups.append(list(dict.fromkeys(found for given in name for found in matching(result, given))))
    return groups


def lines(name: str, values: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Return a signal as lines with labels: the elements of an array, or the components x, y, z of a vector in space."""
    if values.ndim == 1:
        return [(name, values)]
    if values.shape[1:] == (len(AXES),):
        return [(f"{name}.{axis}", values[:, k]) for k, axis in enumerate(AXES)]
    return [(element_name(name, place), values[(slice(None), *place)]) for place in np.ndindex(values.shape[1:])]


def plot(result: Plotted, names: Sequence[str | Sequence[str]]) -> Any:
    """See `Result.plot`."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ModelError("a plot needs matplotlib", remedy="Install it with 'pip install matplotlib'.") from None
    groups = diagrams(result, names)
    size = 8.0, 1.0 + min(3.0, 40.0 / len(groups)) * len(groups)
    figure, axes = plt.subplots(len(groups), 1, sharex=True, squeeze=False, figsize=size, layout="constrained")
    starts = [record.start for record in result.segments[1:]]
    for group, axis in zip(groups, axes[:, 0], strict=True):
        drawn = [line for name in group for line in lines(name, result[name])]
        for label, values in drawn:
            axis.plot(result.time, values, label=label)
        for start in starts if len(starts) <= MOST_SEGMENTS else []:
            axis.axvline(start, color="gray", linestyle=":", linewidth=0.8, zorder=0)
        units = dict.fromkeys(unit for name in group if (unit := result.unit(name)))
        what = drawn[0][0] if len(drawn) == 1 else ""
        axis.set_ylabel(f"{what} [{', '.join(units)}]".strip() if units else what)
        if 1 < len(drawn) <= MOST_LABELS:
            axis.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.3)  # beside the curves
        axis.grid(True, alpha=0.4)
    axes[-1, 0].set_xlabel("time [s]")
    axes[0, 0].set_title(result.name)
    return figure
