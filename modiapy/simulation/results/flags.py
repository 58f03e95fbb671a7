"""Flags of action programs over time, from the log of the programs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_SET = "set"
_NAMES = re.compile(r"(?:^set |, )(\w+) = ")


def flag_over_time(log: Sequence[Mapping[str, Any]], name: str, time: np.ndarray) -> np.ndarray:
    """Return a flag at the time points of a result, shape (nt,): 0 before it is set.

    At an event, its new value is at the last point of the event.
    """
    values = np.zeros(len(time))
    entries = [entry for entry in log if entry.get("kind") == _SET]
    for entry in sorted(entries, key=lambda entry: float(entry["time"])):
        names, given = _NAMES.findall(str(entry["step"])), entry["outcome"]
        if name in names and len(names) == len(given):
            at = float(entry["time"])
            first = int(np.searchsorted(time, at, side="right"))
            if first and time[first - 1] == at:
                first -= 1  # the last of the points at this time
            values[first:] = float(given[names.index(name)])
    return values
