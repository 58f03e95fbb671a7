"""What all benchmarks share: timing and printing."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any


def best_of(function: Callable[[], Any], repetitions: int) -> float:
    """Shortest wall-clock time of a call [s] over some repetitions: what the work costs without the machine's other users."""
    return min(seconds(function) for _ in range(repetitions))


def median_of(function: Callable[[], Any], repetitions: int) -> float:
    """Median wall-clock time of a call [s] over some repetitions."""
    return statistics.median(seconds(function) for _ in range(repetitions))


def seconds(function: Callable[[], Any]) -> float:
    """Wall-clock time of one call [s]."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def report(figures: Mapping[str, Any], as_json: bool) -> None:
    """Print figures, one in a line or as one JSON object."""
    if as_json:
        print(json.dumps(dict(figures)))
        return
    width = max(len(name) for name in figures)
    for name, value in figures.items():
        print(f"{name:<{width}}  {value:.6g}" if isinstance(value, float) else f"{name:<{width}}  {value}")
