"""Singular positions that the closed loops of a segment pass, come to, or leave: what kernels noted of them, in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.once import once

from .tables.passage_layout import (
    BEGIN,
    END,
    MOST_NOTES,
    MOST_ORDERED,
    NEAREST,
    NEEDED,
    NOTE_COLUMNS,
    PASSAGES,
    RANK,
    RISE,
    SMALLEST,
    TURNED,
)

_FLAGS, _NUMBERS = ("known", "inside", "needed", "lowest"), ("times", "squares", "present", "coordinates", "v_before")
"""What goes on into the next step; of the last points and of the passage that the mechanism is in."""
_SEEN = ("count", "concerned", "notes", *_FLAGS, *_NUMBERS)
KIND = "singular position"
"""What such an event is called where events are counted."""
STRAIGHT = 0.2
"""By less [rad] the motion of a loop turns where it keeps its branch: branches cross each other at larger angles."""


class Passages:
    """The memory of `kernels.passages`.

    Args:
        names: of the cuts, in the order of their rows.
        needed: which rows are needed, shape (m,), bool.
        n_q, n_v: numbers of all coordinates and speeds.
        dof: degrees of freedom without rows.

    Attributes:
        address: of the memory, for kernels.
    """

    def __init__(self, names: Sequence[str], needed: np.ndarray, n_q: int, n_v: int, dof: int) -> None:
        m = len(needed)
        sizes = {"m": m, "n_cuts": len(names), "n_q": n_q, "n_v": n_v, "n_square": m if m <= MOST_ORDERED else 0}
        self._names, self._dof, self._read = list(names), dof, 0
        self._sizes = sizes
        self._memory = np.zeros(PASSAGES.words(**sizes))
        head = PASSAGES.head(**sizes)
        self._memory[: len(head)].view(np.int64)[:] = head
        self._told = PASSAGES.views(self._memory, "needed", "count", "inside", **sizes)
        self._told["needed"][:] = needed
        self.address = data_address(self._memory)

    @once
    def _views(self) -> dict[str, np.ndarray]:
        """Return the data for notes on singular positions."""
        return PASSAGES.views(self._memory, *_SEEN, **self._sizes)

    def kept(self) -> Callable[[], dict[str, np.ndarray]]:
        """Return a function that gives what `restore` needs, as plain data, of what there is now; what was noted has been
        told.
        """
        memory = self._memory.copy()
        return lambda: {
            name: array.reshape(-1).astype(float)
            for name, array in PASSAGES.views(memory, *_FLAGS, *_NUMBERS, **self._sizes).items()
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `kept`.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        for name in (*_FLAGS, *_NUMBERS):
            view, found = self._views[name], np.array(data[name], dtype=float)
            if found.shape != (view.size,):
                raise ValueError(f"{name}: {found.size} numbers of singular positions, not {view.size}")
            if name in _FLAGS and not np.isin(found, range(4 if name == "known" else 2)).all():
                raise ValueError(f"{name}: {found.tolist()} of singular positions")
            view[:] = found.reshape(view.shape).astype(view.dtype)
        if np.isnan(self._views["present"]).any() or (
            self._views["inside"][0] and not np.isfinite(self._views["present"]).all()
        ):
            raise ValueError("the passage of a singular position is not finite")

    def notes(self, ending: bool) -> list[dict[str, Any]]:
        """Return the notes since the last call, as plain data; if the segment is ``ending``, also where it ends in one.

        Each has its ``kind``, ``time`` [s] of the nearest approach, ``begin`` and ``end`` of the neighbourhood [s]
        (None where it remains in it), ``loops`` that are concerned, the ``smallest`` part of a needed row that was new,
        ``rank`` and ``dof`` that were counted, by what angle the motion ``turned`` [rad], and a ``text``.
        """
        count = int(self._told["count"][0])
        if count == self._read and not (ending and self._told["inside"][0]):
            return []
        view = self._views
        first = max(self._read, count - MOST_NOTES)
        found = [self._text(view["notes"][k % MOST_NOTES], view["concerned"][k % MOST_NOTES]) for k in range(first, count)]
        if first > self._read:
            found[0]["text"] = f"({first - self._read} passages more before this one) {found[0]['text']}"
        self._read = count
        if ending and view["inside"][0]:
            found.append(self._text(view["present"], view["lowest"], remains=True))
            view["inside"][0] = 0
        return found

    def _text(self, row: np.ndarray, concerned: np.ndarray, remains: bool = False) -> dict[str, Any]:
        assert row.size == NOTE_COLUMNS
        names = [name for name, is_concerned in zip(self._names, concerned, strict=True) if is_concerned]
        rank, needed = int(row[RANK]), int(row[NEEDED])
        rises, turned, smallest = bool(row[RISE]), float(row[TURNED]), math.sqrt(float(row[SMALLEST]))
        now = rank if rises or remains else needed
        of = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        counted = f"rank counted as {now}, dof {self._dof - now}"
        near = f"{smallest:.2g} of a row is new"
        if rises:
            text = f"{of}: leaves a singular position: {counted}"
        elif remains:
            text = f"{of}: remains in a singular position since {row[BEGIN]:.9g} s ({near}): {counted}"
            if rank < needed:
                text += f"; that is {needed - rank} more than elsewhere"
        else:
            text = f"{of}: passes a singular position ({near}): {counted}, {_branch(turned)}"
        return {
            "kind": KIND,
            "time": float(row[NEAREST]),
            "text": text,
            "begin": float(row[BEGIN]),
            "end": None if remains else float(row[END]),
            "loops": names,
            "smallest": smallest,
            "rank": now,
            "dof": self._dof - now,
            "turned": turned,
        }


def _branch(turned: float) -> str:
    if turned < STRAIGHT:
        return "branch kept"
    if turned > math.pi - STRAIGHT:
        return "turned back on its branch"
    return f"direction of motion turned by {turned:.2g} rad"
