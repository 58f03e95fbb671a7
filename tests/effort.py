"""What a block of code costs, in counts that are the same on every machine."""

import cProfile
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest


@dataclass
class Effort:
    """Calls of functions of Python, and what the most memory [bytes] of this process grew by."""

    calls: int = 0
    memory: int = 0


def _most_memory() -> int:
    """The most memory that this process has had [bytes]."""
    resource = pytest.importorskip("resource")
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))


@contextmanager
def effort() -> Iterator[Effort]:
    """Measure the block; the figures are there at its end."""
    spent, before, profile = Effort(), _most_memory(), cProfile.Profile(subcalls=False, builtins=False)
    with profile:
        yield spent
    spent.calls = sum(entry.callcount for entry in profile.getstats())
    spent.memory = _most_memory() - before
