"""Garbage collection while a command starts: it is rare, because nearly all that is made then stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 100_000
"""Objects more than before, after which garbage is looked for."""


@contextmanager
def started_fast() -> Iterator[None]:
    """Collect garbage seldom within the block, until `started`, or else to its end."""
    gc.unfreeze()  # of a command before, in the same process; at the end of a process nothing is looked through again
    before = gc.get_threshold()
    gc.set_threshold(SELDOM, *before[1:])
    _before.append(before)
    try:
        yield
    finally:
        started()


def started() -> None:
    """Collect garbage as usual from now on, only not among what is there."""
    if _before:
        gc.freeze()
        gc.set_threshold(*_before.pop())


_before: list[tuple[int, int, int]] = []
