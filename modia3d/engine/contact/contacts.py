"""The contacts of a segment while it lasts: which pairs are near, and what events make of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...collision.tables import BODY, DISTANCE, NORMAL, REACH
from ...collision.tree import search_memory
from ...constraints.contact_impulse import PARTING
from ...constraints.kinds.contact import Contact
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.tables import cut_table
from ...forces.contact import phases
from ...forces.contact.layout import (
    ACTIVE,
    BODY_1,
    BODY_2,
    CONTACT_COLUMNS,
    ELASTIC,
    FEATURES,
    FORCE_FRICTION,
    HELD,
    HELD_POINTS,
    LIFT,
    MEMORY,
    MU_S,
    PHASE,
    RESPONSE,
    RIGID,
    Phase,
)
from ...forces.table import ForceTable
from ...topology.forest import Forest
from ..contact_log.history import entry
from .contact_layout import DEEPER, RECORD
from .contact_memory import TOUCH, ContactMemory
from .rests import DEEP_AT_REST, Rests
from .solids import ContactSolids

CONTACT_FORCES = "contact forces"
"""Name of the row of the table of forces that has all contacts."""

SKIN = 0.1
"""Solids are near each other where their boxes are nearer than this part of the size of a typical one that moves."""

DEEP = 0.05
"""Part of the size of the smaller solid that it hardly penetrates another one if that is meant."""

NOTHING = np.zeros(CONTACT_COLUMNS - MEMORY)
"""What a pair remembers that does not touch."""
_STATE = np.array([ACTIVE, HELD_POINTS, PHASE])
_WORDS = {Phase.RESTING: "rest on each other", Phase.SLIPPING: "slide on each other", Phase.STARTING: "begin to slip"}

BodyMotion = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Of all bodies in world: R (n, 9), p, v, w (n, 3)."""

Remembered = Mapping[tuple[int, int], np.ndarray]
"""What a pair of shapes (numbers among all) keeps from segment to segment."""


class SegmentContacts:
    """Near pairs of solids in one segment.

    Args:
        solids: of the scene.
        forest: of the segment.
        motion: of its bodies where the segment begins.
        remembered: of the segment before, or of a snapshot.
        near: near pairs, if they are known (from a snapshot), numbers of shapes among all, shape (m, 2).
        yielding: rigid pairs that are elastic now, see `contact_chattering`.
        first_z: index of the first event indicator.

    Attributes:
        memory: what the kernels see.
        gap: smallest gap of all pairs that are not near, at the last event [m].
    """

    def __init__(
        self,
        solids: ContactSolids,
        forest: Forest,
        motion: BodyMotion,
        remembered: Remembered,
        near: np.ndarray | None,
        yielding: Collection[tuple[int, int]],
        first_z: int,
    ) -> None:
        self._solids = solids
        shapes, present = table = solids.shapes(forest)
        filter, search = solids.filter(forest, present), search_memory(len(shapes))
        skin = _skin(shapes)
        is_known = near is not None
        if near is None:
            near = present[_near_pairs(shapes, motion, filter, skin, search)]
        gravity = math.sqrt(sum(g * g for g in forest.graph.gravity))
        self.memory = ContactMemory(
            solids, forest, near, shapes=table, filter=filter, search=search, horizon=skin, acceleration=2.0 * gravity,
            first_z=first_z, n_bodies=len(motion[1]),
        )  # fmt: skip
        self._broad = shapes, present, filter, search
        self.memory.pairs[[tuple(pair) in yielding for pair in near.tolist()], RESPONSE] = ELASTIC
        self.rests = Rests(self.memory, forest, self.pair_names)
        for pair, row in zip(map(tuple, near.tolist()), self.memory.pairs, strict=True):
            if pair in remembered:
                row[MEMORY:] = remembered[pair]
        if self.rests.able.any():
            self._hold(motion, is_known)
        self._divided: ContactMemory | None = None

    def _hold(self, motion: BodyMotion, is_known: bool) -> None:
        """Restore the rows of earlier contacts, if there are rows for them now.

        Contacts that have parted may come back at once; a snapshot knows them.
        """
        memory, pairs = self.memory, self.memory.pairs
        pairs[(pairs[:, ACTIVE] == HELD) & ~self.rests.able, MEMORY:] = 0.0
        held = pairs[:, ACTIVE] == HELD
        memory.hold(int(held.sum()), self.rests.idle)
        if is_known:
            return
        self.look(motion)
        parted = self.rests.able & (pairs[:, ACTIVE] == 0.0) & (memory.found[:, DISTANCE] <= memory.margin)
        pairs[:, LIFT] = np.where(parted, 2.0 * memory.margin - np.fmin(memory.found[:, DISTANCE], 0.0), pairs[:, LIFT])

    @property
    def held(self) -> list[RestingContact]:
        """Rows of what is held."""
        return self.rests.held if self.holds else []

    def pressed(self, motion: BodyMotion) -> list[tuple[tuple[str, str], Contact]]:
        """Return points of what is held, where bodies may only part when something else strikes, with both names of each
        pair.
        """
        rows = [made for made in self.held if made.kind in ("contact", "sliding contact")]
        if not rows:
            return []
        from .impact_kernels import states_of

        states = np.zeros((len(rows), 7))
        states_of(np.array([made.row for made in rows]), *motion, states)
        pairs = {frozenset(pair): pair for pair in self.pair_names}  # rows have the names in their own order
        return [
            (
                pairs[frozenset((made.frame_1, made.frame_2))],
                Contact(made.name, int(made.row[cut_table.BODY_1]), int(made.row[cut_table.BODY_2]), state[3:6], state[:3]),
            )
            for made, state in zip(rows, states, strict=True)
        ]

    @property
    def holds(self) -> bool:
        """True if rows hold something."""
        return bool((self.memory.pairs[:, ACTIVE] == HELD).any())

    def changes(self, found: Mapping[int, np.ndarray]) -> tuple[Remembered, str]:
        """Return the changed memory of pairs from now on, if there is any, with a description in words."""
        rows, texts = dict[tuple[int, int], np.ndarray](), list[str]()
        for k, row in found.items():
            before, after = self.memory.pairs[k, _STATE], row[_STATE - MEMORY]
            stays = before[0] == after[0] == HELD
            deeper = stays and row[LIFT - MEMORY] > self.memory.pairs[k, LIFT] + self.memory.margin[k]
            moved = stays and not np.array_equal(self.memory.pairs[k, FEATURES:], row[FEATURES - MEMORY :])
            if np.array_equal(before, after) and not deeper and not moved:
                continue
            i, j = self.memory.near[k].tolist()
            rows[i, j] = row
            one, other = self.pair_names[k]
            rubs = self.memory.pairs[k, MU_S] > 0.0
            what = _WORDS[Phase(int(after[-1])) if rubs else Phase.RESTING] if after[0] else "part"
            if after[0] and before[0] and before[-1] == after[-1]:
                what = f"touch at {int(after[1]).bit_count()} points"
            texts.append(f"{one}, {other} {what}")
        return rows, "; ".join(dict.fromkeys(texts))

    def pairs_at(self, places: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of shapes that near pairs are."""
        return [(i, j) for i, j in self.memory.near[places].tolist()]

    def places_of(self, pairs: Collection[tuple[int, int]]) -> list[int]:
        """Return which near pairs these pairs of shapes are."""
        return [k for k, pair in enumerate(map(tuple, self.memory.near.tolist())) if pair in pairs]

    @property
    def n_z(self) -> int:
        """Number of event indicators: two of each near pair, and the gap between all others."""
        return 2 * len(self.memory.near) + 1

    @property
    def bodies(self) -> np.ndarray:
        """The bodies of the near pairs, shape (m, 2)."""
        return self.memory.pairs[:, [BODY_1, BODY_2]].astype(np.int64)

    @property
    def touching_bodies(self) -> np.ndarray:
        """The bodies of pairs that touch and that no rows hold, shape (n, 2)."""
        return self.bodies[self.memory.pairs[:, ACTIVE] == 1.0]

    @property
    def held_bodies(self) -> np.ndarray:
        """The bodies of pairs that rows hold, shape (n, 2)."""
        return self.bodies[self.memory.pairs[:, ACTIVE] == HELD]

    @property
    def touching(self) -> np.ndarray:
        """True if each near pair touches, shape (m,)."""
        return self.memory.pairs[:, ACTIVE] != 0.0

    def entry(self, time: float, pairs: Sequence[int]) -> np.ndarray:
        """Return the memory of near pairs from ``time`` [s] on, for `contact_log.history`."""
        return entry(time, pairs, self.memory.pairs[:, MEMORY:])

    def remembered(self) -> dict[tuple[int, int], np.ndarray]:
        """See `Remembered`."""
        pairs = map(tuple, self.memory.near.tolist())
        return {pair: row[MEMORY:].copy() for pair, row in zip(pairs, self.memory.pairs, strict=True) if row[ACTIVE] != 0.0}

    def tell(self, forces: ForceTable) -> tuple[int, int, int]:
        """Set the memory of the row of all contacts; return its number, and the addresses of the code for the indicators and
        for the next step.
        """
        row = forces.names.index(CONTACT_FORCES)
        forces.rows[row, RECORD] = self.memory.address
        return row, _kernels().indicate_contacts.address, _kernels().bound_step.address

    def act_on_pieces(self, forest: Forest, forces: ForceTable, n: int) -> None:
        """Make contacts act on bodies that are cut into pieces, too: forces through cuts are measured there.

        Args:
            forest: with ``n`` pieces in the place of bodies. forces: its table.
        """
        self._divided = ContactMemory(self._solids, forest, self.memory.near, n_bodies=n)
        forces.rows[forces.names.index(CONTACT_FORCES), RECORD] = self._divided.address
        self._tell_pieces()

    def _tell_pieces(self) -> None:
        if self._divided is not None:
            self._divided.pairs[:, MEMORY:] = self.memory.pairs[:, MEMORY:]

    # -- events -----------------------------------------------------------------------------------------------------------

    @property
    def pair_names(self) -> list[tuple[str, str]]:
        """Names of both solids of each near pair."""
        names = self._solids.names
        return [(names[i], names[j]) for i, j in self.memory.near.tolist()]

    def look(self, motion: BodyMotion) -> None:
        """Find how far the near pairs are from each other, and how fast that changes."""
        self.gap = _kernels().look(self.memory.address, *motion)
        self.rests.look(*motion[:2])

    def settle(self, motion: BodyMotion) -> list[int]:
        """Begin and end contacts, sticking and slip that are due; return the numbers of near pairs whose memory has changed.

        Args:
            motion: of the bodies at the event, which `look` has seen.
        """
        self._lift()
        changed: dict[int, None] = {}
        for _ in range(phases.MOST_CHANGES + 2):
            begin, end, advance = self._due()
            now = np.flatnonzero(begin | end | advance).tolist()
            if not now:
                break
            for i in now:
                self._change(i, bool(begin[i]), bool(end[i]), motion)
            changed |= dict.fromkeys(now)
            self.look(motion)
        self._tell_pieces()
        return list(changed)

    def _lift(self) -> None:
        """Lift what has come near and still parts, as by the error of a step after it has parted slowly: no event again
        and again. What was deeper than what faces hold has been brought up."""
        memory, pairs = self.memory, self.memory.pairs
        distance, margin = memory.found[:, DISTANCE], memory.margin
        lift = pairs[:, LIFT].copy()
        # An indicator that begins below zero, by rounding, would not cross it.
        parting = (pairs[:, RESPONSE] == RIGID) & (memory.rates < -PARTING)
        parted = (self.rests.able | parting) & (pairs[:, ACTIVE] == 0.0) & (distance + lift <= 0.1 * margin)
        lift[parted] = (2.0 * margin - distance)[parted]
        held = (pairs[:, ACTIVE] == HELD) & (pairs[:, FEATURES] > 0.0)
        nearer = distance + lift <= -0.8 * DEEPER * margin
        lift = np.where(held, np.where(nearer, -distance, np.fmin(lift, np.fmax(-distance, 0.0))), lift)
        pairs[:, LIFT] = lift

    def _due(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return which near pairs begin a contact, end one, or go on with another phase of friction; masks (m,)."""
        memory, touching = self.memory, self.touching
        distance, margin = memory.found[:, DISTANCE], memory.margin
        # An indicator that is not positive crosses zero no more: what is not begun here falls through. Rigid solids part.
        deep = np.where(memory.pairs[:, RESPONSE] == RIGID, -10.0 * margin, 0.0)
        free = ~touching & ~(self.rests.able & (distance > -DEEP_AT_REST * memory.size))
        begin = free & ((distance <= deep) | ((distance <= margin) & (memory.rates >= -PARTING)))
        touching = touching & (memory.pairs[:, ACTIVE] != HELD)
        end = touching & (distance >= 2.0 * margin)
        return begin, end, touching & ~end & (memory.forces[:, FORCE_FRICTION] < 0.0)

    def _change(self, i: int, begins: bool, ends: bool, motion: BodyMotion) -> None:
        """Change the memory of a pair: its contact begins, or ends, or friction goes on to another phase."""
        memory = self.memory
        row = memory.pairs[i]
        if begins:
            phases.begin(row, memory.rates[i])
        elif ends:
            phases.end(row)
        else:
            poses = [_pose(motion, int(row[body])) for body in (BODY_1, BODY_2)]
            phases.advance(row, memory.forces[i], memory.found[i, NORMAL : NORMAL + 3].tolist(), *poses)

    def overlapping(self) -> list[tuple[str, str, float]]:
        """Return the names of the solids that penetrate each other by more than `DEEP` of the smaller one's size, and how deep
        [m].
        """
        memory, names = self.memory, self._solids.names
        depth = -memory.found[:, DISTANCE]
        deep = np.flatnonzero(depth > DEEP / TOUCH * memory.margin)
        return [(names[i], names[j], float(depth[k])) for k in deep.tolist() for i, j in [memory.near[k]]]

    def newcomers(self, motion: BodyMotion) -> list[tuple[str, str]]:
        """Return the names of the solids that have come near each other, to rounding, where the segment does not know them as
        near.
        """
        table, present, filter, search = self._broad
        known = set(map(tuple, self.memory.near.tolist()))
        found = present[_near_pairs(table, motion, filter, 1e-6 * _skin(table), search)].tolist()
        names = self._solids.names
        return list(dict.fromkeys((names[i], names[j]) for i, j in found if (i, j) not in known))


def _pose(motion: BodyMotion, body: int) -> phases.Pose:
    return (motion[0][body], motion[1][body]) if body >= 0 else phases.WORLD


def _skin(shapes: np.ndarray) -> float:
    """Return how near boxes must be for a pair to be near [m]; any distance where nothing moves."""
    reach = shapes[shapes[:, BODY] >= 0, REACH]
    return SKIN * float(np.median(reach)) if reach.size else 1.0


def _near_pairs(
    shapes: np.ndarray, motion: BodyMotion, filter: np.ndarray, skin: float, search: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the pairs of rows of shapes that are near each other, shape (m, 2)."""
    kernels = _kernels()
    n = len(shapes)
    R, p = np.zeros((n, 9)), np.zeros((n, 3))
    kernels.shape_poses(shapes, *motion[:2], R, p)
    pairs = np.zeros((4 * n, 2), dtype=np.int64)
    while (count := kernels.near_pairs(shapes, R, p, filter, skin, *search, pairs)) > len(pairs):
        pairs = np.zeros((count, 2), dtype=np.int64)
    return pairs[:count]


def _kernels() -> Any:
    """Return the machine code; loaded where a model has solids that collide, when it is made."""
    from . import kernels

    return kernels
