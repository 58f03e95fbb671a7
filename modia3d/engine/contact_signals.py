"""Result signals of contacts, computed from the stored motion and the memory that pairs had then.

Each solid that collides has ``contact_force`` (nt, 3; in world), the sum of all contact forces on it [N], and ``contacts``
(nt,), how many solids it touches; ``mechanics.contacts`` is how many pairs touch. Two of them, by their full names, have under
``mechanics.contact[a,b]``: ``force`` on b (nt, 3; in world) [N], zero while they do not touch; ``normal``, the unit vector out
of a towards b; ``point`` (nt, 3), the center of pressure, while they touch [m]; ``distance`` (nt,), negative where they
penetrate [m]; ``touching``: 1 or 0; ``phase`` (nt,): 0 apart, 1 sliding, 2 stuck, 3 and 4 on the way from stuck to sliding.
What does not exist, because a solid is deleted, is not a number. Impacts of rigid solids are no forces, but in the table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..constraints.kinds.resting_contact import RestingContact
from ..constraints.tables import cut_table
from ..forces.contact.layout import ACTIVE, HELD, MEMORY, Phase
from ..forces.table import ForceTable
from ..topology.forest import DELETED, Forest
from .contact.contact_layout import EVENT_COLUMNS, RECORD
from .contact.contact_memory import ContactMemory
from .contact.contacts import CONTACT_FORCES
from .contact.rests import Rests
from .contact.solids import ContactSolids
from .contact_log.history import EVENT_MEMORY, EVENT_PAIR, entry, joined

if TYPE_CHECKING:
    from .motion.motion import Motion

OF_SOLID = ("contact_force", "contacts")
OF_SYSTEM = "contacts"
OF_PAIR = ("force", "normal", "point", "distance", "touching", "phase")
SHAPES: dict[str, tuple[int, ...]] = {"contacts": (), "distance": (), "touching": (), "phase": ()}
"""Of quantities that are no vectors."""

_COLUMNS = EVENT_COLUMNS - EVENT_MEMORY
_PAIR = re.compile(r"contact\[([^,\]]+),([^,\]]+)\]")

History = Sequence[tuple[int, Any]]
Values = Callable[["Motion", History], np.ndarray]


def pair_of_place(place: str, group: str) -> tuple[str, str] | None:
    """Return the solids of ``<group>.contact[a,b]``; None where it is something else."""
    found = _PAIR.fullmatch(place.removeprefix(f"{group}.")) if place.startswith(f"{group}.") else None
    return None if found is None else (found[1], found[2])


class ContactSignals:
    """Signals of the contacts of one segment.

    Args:
        solids: of the scene.
        forest: of the segment.
        near: pairs of shapes that were near each other in it, shape (m, 2).
        group: name of the group of the engine's own signals.
    """

    def __init__(self, solids: ContactSolids, forest: Forest, near: np.ndarray, group: str) -> None:
        self._solids, self._forest, self._near, self._group = solids, forest, near, group
        self._last: tuple[Motion, np.ndarray, np.ndarray] | None = None
        self._present: tuple[int, Any, np.ndarray] = (0, None, np.zeros((len(near), _COLUMNS)))

    def __getstate__(self) -> dict[str, Any]:  # without what is computed again
        return {**vars(self), "_last": None, "_present": (0, None, np.zeros((len(self._near), _COLUMNS)))}

    @cached_property
    def _index(self) -> dict[str, int]:
        """Numbers of the solids that exist."""
        body = self._forest.frame_body
        return {solid.name: k for k, solid in enumerate(self._solids.solids) if body[solid.frame] != DELETED}

    def find(self, name: str) -> Values | None:
        """Return the function of a signal; None where there is no such signal."""
        place, _, quantity = name.rpartition(".")
        if place == self._group and quantity == OF_SYSTEM:
            return lambda motion, history: self._sums(motion, history)[1][:, -1].copy()
        if place in self._index and quantity in OF_SOLID:
            k = self._index[place]
            if quantity == "contacts":
                return lambda motion, history: self._sums(motion, history)[1][:, k].copy()
            return lambda motion, history: self._sums(motion, history)[0][:, k].copy()
        pair = pair_of_place(place, self._group)
        if pair is None or quantity not in OF_PAIR:
            return None
        one, other = (self._index.get(solid) for solid in pair)
        if one is None or other is None or one == other:
            return None
        if one < other:
            return lambda motion, history: self._pair(one, other, quantity, motion, history)
        sign = -1.0 if quantity in ("force", "normal") else 1.0
        return lambda motion, history: sign * self._pair(other, one, quantity, motion, history)

    def __iter__(self) -> Iterator[str]:
        """Generate all signals but those of pairs that are not near."""
        yield f"{self._group}.{OF_SYSTEM}"
        yield from (f"{name}.{quantity}" for name in self._index for quantity in OF_SOLID)
        names = [solid.name for solid in self._solids.solids]
        pairs = dict.fromkeys((names[i], names[j]) for i, j in self._of_solids(self._near).tolist())
        yield from (f"{self._group}.contact[{one},{other}].{quantity}" for one, other in pairs for quantity in OF_PAIR)

    def _of_solids(self, pairs: np.ndarray) -> np.ndarray:
        return self._solids.shape_solid[pairs].reshape(-1, 2)

    def _events(self, history: History) -> tuple[np.ndarray, np.ndarray]:
        """See `joined`. At the present moment of a segment that lasts only the last memory of each pair matters.

        Conditions ask for it again and again while the history grows, so what was read once is kept.
        """
        if not history or history[-1][0] > 0:
            return joined(history, len(self._near), _COLUMNS)
        known, last, memory = self._present
        if known > len(history) or (known and history[known - 1][1] is not last):
            known, memory = 0, np.zeros((len(self._near), _COLUMNS))
        for row in joined(history[known:], len(self._near), _COLUMNS)[1]:
            memory[int(row[EVENT_PAIR])] = row[EVENT_MEMORY:]
        self._present = len(history), history[-1][1], memory
        touching = np.flatnonzero(memory[:, ACTIVE - MEMORY])
        return np.zeros(len(touching), dtype=np.int64), entry(-np.inf, touching.tolist(), memory)

    def _memory(self, forest: Forest, history: History) -> tuple[ContactMemory, np.ndarray]:
        """Return the near pairs with all that happened in the segment, and the time point from which on each event holds."""
        firsts, events = self._events(history)
        bodies = int(forest.frame_body.max(initial=-1)) + 1
        return ContactMemory(self._solids, forest, self._near, events=events, n_bodies=bodies), firsts

    def held(self, history: History) -> Callable[[], list[RestingContact]] | None:
        """Return a function for the rows of contacts at rest at the beginning of a segment; None if there are none."""
        first = [np.asarray(rows, dtype=float).reshape(-1, EVENT_MEMORY + _COLUMNS) for _, rows in history[:1]]
        held = np.concatenate([np.zeros((0, EVENT_MEMORY + _COLUMNS)), *first])
        held = held[held[:, EVENT_MEMORY + ACTIVE - MEMORY] == HELD]
        return partial(self._rows_of, held) if len(held) else None

    def _rows_of(self, held: np.ndarray) -> list[RestingContact]:
        memory = ContactMemory(self._solids, self._forest, self._near, n_bodies=self._forest.n)
        memory.pairs[held[:, EVENT_PAIR].astype(np.int64), MEMORY:] = held[:, EVENT_MEMORY:]
        names = self._solids.names
        return Rests(memory, self._forest, [(names[i], names[j]) for i, j in self._near.tolist()]).held

    def _at_rest(self, motion: Motion) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Generate of what rows hold: place of the pair, force on its second solid (nt, 3), and the point where it acts
        (nt, 3).
        """
        if motion.loops is None:
            return
        cuts, exerted = motion.exerted
        for k, cut in enumerate(cuts):
            pair = int(cut.row[cut_table.PAIR])
            second = self._solids.names[self._near[pair, 1]] == cut.frame_2
            yield pair, (exerted[:, k, :3] if second else -exerted[:, k, :3]), exerted[:, k, 9:]

    def loaded(self, forces: ForceTable, forest: Forest, history: History) -> ForceTable:
        """Return the same table, of the forest or with pieces of its bodies, with the contacts of the whole segment."""
        if CONTACT_FORCES not in forces.names:
            return forces
        memory, _ = self._memory(forest, history)
        rows = forces.rows.copy()
        rows[forces.names.index(CONTACT_FORCES), RECORD] = memory.address
        return replace(forces, rows=rows, owned=memory)

    def _sums(self, motion: Motion, history: History) -> tuple[np.ndarray, np.ndarray]:
        """Return the force on each solid, shape (nt, n, 3), and how many it touches, of all pairs behind the last, shape (nt, n
        + 1).
        """
        if self._last is None or self._last[0] is not motion:
            from .kernels.contact_motion import solids_over_time

            memory, firsts = self._memory(self._forest, history)
            nt, n = len(motion.time), len(self._solids.solids)
            forces, numbers = np.zeros((nt, n, 3)), np.zeros((nt, n + 1))
            one, other = (np.ascontiguousarray(column) for column in memory.solids.T)
            solids_over_time(memory.address, firsts, one, other, *motion.poses, *motion.velocities, forces, numbers)
            for pair, force, _ in self._at_rest(motion):
                forces[:, one[pair]] -= force
                forces[:, other[pair]] += force
            self._last = motion, forces, numbers
        return self._last[1:]

    def _pair(self, one: int, other: int, quantity: str, motion: Motion, history: History) -> np.ndarray:
        """Return a signal of two solids, of which each may consist of several shapes."""
        from .kernels import contact_motion as columns

        if quantity == "touching":
            return self._touching(one, other, len(motion.time), history)
        pairs, firsts, events = self._events_of(one, other, history)
        memory = ContactMemory(self._solids, self._forest, pairs, events=events, n_bodies=self._forest.n)
        found = np.empty((len(motion.time), len(pairs), columns.SIGNAL_COLUMNS))
        columns.pairs_over_time(memory.address, firsts, *motion.poses, *motion.velocities, found)
        place = {pair: k for k, pair in enumerate(map(tuple, pairs.tolist()))}
        for pair, force, point in self._at_rest(motion):
            k = place.get(tuple(self._near[pair].tolist()))
            if k is not None:
                push = np.fmax((force * found[:, k, columns.OUTWARD : columns.OUTWARD + 3]).sum(axis=1), 0.0)
                found[:, k, columns.PUSH : columns.PUSH + 3] += force
                found[:, k, columns.PLACE : columns.PLACE + 3] += push[:, None] * point
                found[:, k, columns.PRESSURE] += push
        rests = found[:, :, columns.STATE] > 1.0 + Phase.ROLLING_OFF
        size = np.where(rests & (found[:, :, columns.PRESSURE] > 0.0), found[:, :, columns.PRESSURE], 1.0)
        found[:, :, columns.PLACE : columns.PLACE + 3] /= np.where(rests, size, 1.0)[:, :, None]
        found[:, :, columns.STATE] = np.where(
            rests, np.where(found[:, :, columns.STATE] > 1.0 + Phase.RESTING, 1.0, 2.0), found[:, :, columns.STATE]
        )
        if quantity == "force":
            return found[:, :, columns.PUSH : columns.PUSH + 3].sum(axis=1)
        if quantity == "phase":
            return found[:, :, columns.STATE].max(axis=1)
        if quantity == "distance":
            return found[:, :, columns.GAP].min(axis=1)
        if quantity == "normal":
            nearest = found[:, :, columns.GAP].argmin(axis=1)
            return found[np.arange(len(found)), nearest, columns.OUTWARD : columns.OUTWARD + 3]
        touching = found[:, :, columns.STATE] > 0.0
        weight = np.where(touching, found[:, :, columns.PRESSURE], 0.0)
        weight = np.where(weight.sum(axis=1, keepdims=True) > 0.0, weight, touching)
        places = np.where(touching[:, :, None], found[:, :, columns.PLACE : columns.PLACE + 3], 0.0)
        with np.errstate(invalid="ignore"):
            return (weight[:, :, None] * places).sum(axis=1) / weight.sum(axis=1)[:, None]

    def _touching(self, one: int, other: int, nt: int, history: History) -> np.ndarray:
        """Return the need no motion: conditions of programs ask for it."""
        pairs, firsts, events = self._events_of(one, other, history)
        touching = np.zeros((nt, len(pairs)))
        for first, event in zip(firsts, events, strict=True):
            touching[first:, int(event[EVENT_PAIR])] = event[EVENT_MEMORY + ACTIVE - MEMORY] != 0.0
        return touching.max(axis=1, initial=0.0)

    def _events_of(self, one: int, other: int, history: History) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the pairs of the shapes of two solids, and what happened to them."""
        shapes = self._solids.shape_solid
        first, second = np.flatnonzero(shapes == one), np.flatnonzero(shapes == other)
        pairs = np.array([(i, j) for i in first for j in second], dtype=np.int64).reshape(-1, 2)
        firsts, events = self._events(history)
        place = {pair: k for k, pair in enumerate(map(tuple, pairs.tolist()))}
        new = np.array([place.get(tuple(pair), -1) for pair in self._near.tolist()], dtype=np.int64)
        of = new[events[:, EVENT_PAIR].astype(np.int64)] if len(events) else np.zeros(0, dtype=np.int64)
        events, firsts = events[of >= 0].copy(), firsts[of >= 0]
        events[:, EVENT_PAIR] = of[of >= 0]
        return pairs, firsts, np.ascontiguousarray(events)
