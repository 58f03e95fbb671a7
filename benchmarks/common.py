"""What all benchmarks share: timing and printing."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
"""Folder of this build's source."""


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


def by_build(script: str, argument: str, folder: Path) -> str:
    """Return what a script of this folder prints with the build whose source is in another folder.

    Raises:
        RuntimeError: it failed; the message has what it wrote.
    """
    command = [sys.executable, str(Path(__file__).with_name(script)), argument]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(folder)}, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed in {folder}:\n{done.stderr}")
    return done.stdout


def add_before(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the argument ``--before FOLDER``: source of another build to compare with."""

    def build(text: str) -> Path:
        folder = Path(text).resolve()
        if not (folder / "modiapy").is_dir():
            raise argparse.ArgumentTypeError(f"{text} has no folder modiapy")
        return folder

    parser.add_argument("--before", type=build, metavar="FOLDER", help=f"source of a build to compare {what} with")


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
