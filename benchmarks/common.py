"""What all benchmarks share: timing and printing."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from typing import Any


def seconds(function: Callable[[], Any]) -> float:
    """Wall-clock time of one call [s]."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def at_least(smallest: int) -> Callable[[str], int]:
    """The type of an argument that is a number of at least so much."""

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
