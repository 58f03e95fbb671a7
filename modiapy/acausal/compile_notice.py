"""What a terminal is told while numba compiles: nothing is to be seen for seconds otherwise."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Depth(threading.local):
    """How many of `told` a thread is within."""

    number = 0


_depth = _Depth()


@contextmanager
def told() -> Iterator[None]:
    """While this lasts, `show` writes; the line is empty again behind it."""
    _depth.number += 1
    try:
        yield
    finally:
        _depth.number -= 1
        if _depth.number == 0:
            _write("")


def show(function: str) -> None:
    """Say that a function is compiled, if that is within `told`."""
    if _depth.number > 0:
        _write(f"numba compiles {function}, once: it is kept")


def _write(text: str) -> None:
    stream = sys.stderr
    if stream is not None and stream.isatty():
        print(f"\r{text[:78]}\x1b[K", end="", file=stream, flush=True)
