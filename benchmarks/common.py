"""What all benchmarks share: timing and printing."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from typing import Any


def seconds(function: Callable[[], Any]) -> float:
    """Return the wall-clock time of one call [s]."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def least_seconds(function: Callable[[], Any]) -> float:
    """Return the smallest wall-clock time [s] of up to five calls: no more are begun after 5 s."""
    times = [seconds(function)]
    while len(times) < 5 and sum(times) < 5.0:
        times.append(seconds(function))
    return min(times)


def at_least(smallest: int) -> Callable[[str], int]:
    """Return the type of an argument that is a number of at least so much."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < smallest:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least {smallest}")
        return int(text)

    return number


def report(figures: Mapping[str, Any], as_json: bool) -> None:
    """Print figures, one in a line or as one JSON object."""
    if as_json:
        print(json.dumps(dict(figures)))
        return
    width = max(len(name) for name in figures)
    for name, value in figures.items():
        print(f"{name:<{width}}  {value:.6g}" if isinstance(value, float) else f"{name:<{width}}  {value}")
