"""Published results of Modelica libraries, and how far a simulation is from one.

A folder of references holds ``<Package>/<...>/<Example>/<Example>.csv`` beside ``comparisonSignals.txt``, as the repository
modelica/MAP-LIB_ReferenceResults does.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TOLERANCE = 2e-3
"""Part of a signal's range by which it may differ."""
_INTERVALS = 2.0
"""Intervals of the reference by which an event may be earlier or later: both are known between points of a grid."""
_PART = 2e-3
"""Part of the time span by which it may, as in the tubes of the Modelica Association's csv-compare, but by no more than a
quarter of what usually lies between two events."""
_PULSE = 1e-5
"""Part of the time span within which ours need not follow the reference: what a relation does until it settles takes one tool
an instant, another one some steps of rounding errors."""
_SMALL = 1e-3
"""Elements of an array are measured by this part of the range of the largest one at least: a plane motion has zeros."""


@dataclass(frozen=True)
class Reference:
    """A published result.

    Attributes:
        example: full name of the class.
        times: [s]; twice the same where an event is.
        signals: those to be compared, by name.
        missing: names that are to be compared, and have no column.
    """

    example: str
    times: Array
    signals: dict[str, Array]
    missing: tuple[str, ...]


def examples(folder: Path) -> Iterator[str]:
    """Generate the names of all examples that have something to compare."""
    for file in sorted(folder.rglob("comparisonSignals.txt")):
        yield ".".join(file.parent.relative_to(folder).parts)


def read_reference(folder: Path, example: str) -> Reference | None:
    """Return a published result; None if its numbers are not there."""
    place = folder.joinpath(*example.split("."))
    file = place / f"{place.name}.csv"
    if not file.is_file():
        return None
    named = [line.strip() for line in (place / "comparisonSignals.txt").read_text(encoding="utf-8").splitlines()]
    with file.open(encoding="utf-8", newline="") as stream:
        header = next(csv.reader([stream.readline()]))
        columns = {name: number for number, name in enumerate(header)}
        wanted = [name for name in named if name in columns and name.lower() != "time"]
        table = np.loadtxt(stream, delimiter=",", usecols=[0, *(columns[name] for name in wanted)], ndmin=2)
    missing = tuple(name for name in named if name and name not in columns and name.lower() != "time")
    return Reference(example, table[:, 0], {name: table[:, 1 + k] for k, name in enumerate(wanted)}, missing)


def interval_of(times: Array) -> float:
    """Return the distance of the points of the reference's grid [s], such that the time span is a multiple of it; 0 for an
    instant.
    """
    steps = np.diff(times)
    if not (steps > 0).any():
        return 0.0
    usual, span = float(np.median(steps[steps > 0])), float(times[-1] - times[0])
    return span / max(round(span / usual), 1)


def shift_of(times: Array) -> float:
    """Return how much earlier or later an event may be [s]."""
    events = np.unique(times[1:][np.diff(times) <= 0])
    usual = float(np.median(np.diff(events))) / 4 if len(events) > 1 else np.inf
    return max(_INTERVALS * interval_of(times), min(_PART * float(times[-1] - times[0]), usual))


def scale_of(wanted: Array) -> float:
    """What a difference is measured by: the range of the wanted signal."""
    return max(float(np.ptp(wanted)), 1e-4 * float(np.abs(wanted).max()), 1e-10)


def difference(times: Array, wanted: Array, our_times: Array, ours: Array, scale: float | None = None) -> float:
    """Return the largest difference of two signals in parts of the range of the wanted one, or of ``scale``.

    Ours is interpolated at the times of the reference. Near an event of either (`shift_of`) it is enough that ours takes the
    value somewhere this near (between its smallest and its largest value there), or that the difference lasts an instant only.
    """
    scale = scale or scale_of(wanted)
    error = np.abs(np.interp(times, our_times, ours) - wanted)
    worst = 0.0
    shift = shift_of(times)
    events = np.unique(np.concatenate([times[1:][np.diff(times) <= 0], our_times[1:][np.diff(our_times) <= 0]]))
    for run in _runs(~(error <= TOLERANCE * scale)):
        instant = times[run[-1]] - times[run[0]] < _PULSE * float(times[-1] - times[0])
        for k in run:
            part = float(error[k]) / scale if np.isfinite(error[k]) else float("inf")
            if _near(events, times[k], shift):
                part = (
                    0.0
                    if instant
                    else _outside(_values(our_times, ours, times[k] - shift, times[k] + shift), wanted[k]) / scale
                )
            worst = max(worst, part)
    rest = error[error <= TOLERANCE * scale]
    return max(worst, float(rest.max()) / scale if rest.size else 0.0)


def compare(reference: Reference, our_times: Array, ours: Callable[[str], Array]) -> tuple[float, str]:
    """Return the largest difference of all signals, and the signal that has it."""
    worst, name = 0.0, ""
    largest: dict[str, float] = {}
    for signal, wanted in reference.signals.items():
        array = signal.partition("[")[0]
        largest[array] = max(scale_of(wanted), largest.get(array, 0.0))
    for signal, wanted in reference.signals.items():
        scale = max(scale_of(wanted), _SMALL * largest[signal.partition("[")[0]])
        found = difference(reference.times, wanted, our_times, np.asarray(ours(signal), float), scale)
        if found > worst or not name:
            worst, name = max(found, worst), signal
    return worst, name


def _runs(marked: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """Return the positions that are marked, those that follow each other together."""
    positions = np.flatnonzero(marked)
    return [run for run in np.split(positions, np.flatnonzero(np.diff(positions) > 1) + 1) if run.size]


def _near(events: Array, time: float, shift: float) -> bool:
    return bool(np.searchsorted(events, time - shift) < np.searchsorted(events, time + shift, side="right"))


def _outside(window: Array, value: float) -> float:
    """Return how far a value is outside of those that a window has."""
    return max(0.0, float(window.min() - value), float(value - window.max()))


def _values(times: Array, values: Array, begin: float, end: float) -> Array:
    inside = values[np.searchsorted(times, begin) : np.searchsorted(times, end, side="right")]
    return np.concatenate([inside, np.interp([begin, end], times, values)])
