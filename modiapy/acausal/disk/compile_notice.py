"""Line on a terminal that names the function which numba compiles: it takes seconds, in silence otherwise."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Depth(threading.local):
    """Number of `told` blocks that a thread is within, and its listener in place of the terminal."""

    number = 0
    listener: Callable[[str], None] | None = None


_depth = _Depth()


@contextmanager
def told() -> Iterator[None]:
    """Allow `show` to write within the block; clear the line at its end."""
    _depth.number += 1
    try:
        yield
    finally:
        _depth.number -= 1
        if _depth.number == 0 and _depth.listener is None:
            _write("")


@contextmanager
def listening(listener: Callable[[str], None]) -> Iterator[None]:
    """Pass the name of each function that this thread compiles within the block to ``listener``; write nothing else."""
    before, _depth.listener = _depth.listener, listener
    try:
        yield
    finally:
        _depth.listener = before


def show(function: str) -> None:
    """Report that a function is compiled: to the function of `listening`, else to a terminal within `told`."""
    if _depth.listener is not None:
        _depth.listener(function)
    elif _depth.number > 0:
        _write(f"numba compiles {function}, once: it is kept")


def _write(text: str) -> None:
    stream = sys.stderr
    if stream is not None and stream.isatty():
        print(f"\r{text[:78]}\x1b[K", end="", file=stream, flush=True)
