"""`ContactChattering`: rigid contacts that change again and again at one instant yield, and are elastic from then on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np

from ...constraints.contact_impulse import PARTING
from .contact_memory import ContactMemory

ENOUGH = 11.0
"""Weight of changes that makes a pair yield."""
_WEIGHTS = (0.1, 5.0), (2.0, 1.0), (100.0, 0.05)
"""Of a change by how long after the last one it comes, at most, in parts of the time in which gravity makes the speed below
which nothing parts: a flight takes twice that. What rocks to its rest changes ever faster, but ends before."""
_SAME = 0.05
"""Of a change at the very instant of the last one: what is found there takes some of them."""
_LIGHTEST = 1.0
"""Least acceleration of gravity by which that time is measured [m/s2]."""

Pair = tuple[int, int]


class ContactChattering:
    """Record of how often pairs of shapes have changed lately.

    Coulomb's law has no solution that lasts in some piles: then contacts slide, stick, part and strike each other faster than
    that without end.

    Args:
        gravity: acceleration [m/s2].

    Attributes:
        yielding: pairs that yield: numbers of their shapes among all.
    """

    def __init__(self, gravity: float) -> None:
        self._time = PARTING / max(gravity, _LIGHTEST)
        self._changes: dict[Pair, tuple[float, float]] = {}
        self.yielding: frozenset[Pair] = frozenset()

    def note(self, memory: ContactMemory, places: Iterable[int], time: float) -> list[int]:
        """Note that near pairs, by their ``places``, have changed at ``time`` [s]; return those for which that is enough."""
        found = list[int]()
        for k in places:
            pair = _key(memory.near[k])
            last, weight = self._changes.get(pair, (-np.inf, 0.0))
            passed = (time - last) / self._time
            more = _SAME if passed <= 0.0 else next((weight for most, weight in _WEIGHTS if passed <= most), None)
            weight = 0.0 if more is None else weight + more
            self._changes[pair] = time, weight
            if weight >= ENOUGH:
                found.append(k)
        return found

    def keep(self, near: np.ndarray) -> None:
        """Forget all pairs but these, shape (m, 2): what is not near is rigid when it comes again."""
        there = set(map(_key, near))
        self._changes = {pair: last for pair, last in self._changes.items() if pair in there}
        self.yielding &= there

    def data(self) -> Callable[[], list[list[float]]]:
        """Return a function that gives the record as plain data: shapes, time of the last change, weight, whether it yields."""
        changes, yielding = self._changes.copy(), self.yielding
        return lambda: [[*pair, *last, float(pair in yielding)] for pair, last in changes.items()]

    def restore(self, data: Sequence[Any]) -> None:
        """Restore the data of `data`. Raises TypeError, ValueError if they are something else."""
        rows = np.array(data, dtype=float).reshape(-1, 5)
        if not np.isfinite(rows).all():
            raise ValueError("what is known of contacts that change is not finite")
        self._changes = {_key(row): (row[2], row[3]) for row in rows}
        self.yielding = frozenset(_key(row) for row in rows if row[4])


def _key(pair: Collection[float] | np.ndarray) -> Pair:
    i, j = (int(number) for number in list(pair)[:2])
    return i, j
