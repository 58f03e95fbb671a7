"""Contacts at rest at an event: which points rows hold from then on, which pairs stick, slip or let go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...collision.tables import DISTANCE
from ...constraints.contact_impulse import PARTING
from ...constraints.contact_rest import Jam, RestingContacts, TouchingPoint
from ...constraints.kinds.constraint import Present
from ...constraints.kinds.cut_joint import evaluate_cuts
from ...constraints.loops import Loops
from ...constraints.tables import cut_table
from ...constraints.tables.limit_table import REST
from ...dynamics.basics.layout import KIND, LOCKED, PRESCRIBED, ROLE, V_INDEX, work_shape
from ...dynamics.joints.kinds import V_SIZE
from ...forces.contact.layout import (
    ACTIVE,
    CONTACT_COLUMNS,
    DRIFT,
    HELD,
    HELD_POINTS,
    LIFT,
    MEMORY,
    MU_K,
    MU_S,
    PHASE,
    V_SMALL,
    Phase,
)
from .contacts import BodyMotion, SegmentContacts
from .rests import CREEP

NEAR = 30.0
"""Distance of what rests already, in margins: what comes down is found a margin deep, and brought up again."""
JAMMED = 1e-6
"""Approach of a contact that friction jams [m/s]: it is none, but an impact goes on from it."""
_SLOW = 4.0 - 1e-6
"""Slip, in units of that below which it has no direction, with which a pair that begins to slip does not yet slide."""


class Moment(Present, Protocol):
    """A forest at one moment, with the motion of its bodies."""

    @property
    def bodies(self) -> BodyMotion:
        """Return the motion of all bodies in world."""


@dataclass(frozen=True, eq=False)
class Points:
    """All points of a pair, and how they move.

    Attributes:
        pair: place in the list of near pairs.
        gap: of each, shape (n,) [m]. opening: rate of the gaps [m/s]. slip: in two directions, shape (n, 2) [m/s].
        touching: which of them touch and do not part, mask.
        first: place of the first of their rows: normal and both slips of each point.
    """

    pair: int
    gap: np.ndarray
    opening: np.ndarray
    slip: np.ndarray
    touching: np.ndarray
    first: int


class Scene:
    """All points of pairs that rows may hold, at one moment.

    Args:
        contacts: of the segment, which `SegmentContacts.look` has seen.
        present: forest, coordinates and speeds.
    """

    def __init__(self, contacts: SegmentContacts, present: Moment) -> None:
        self._contacts, self.present = contacts, present
        memory, rests = contacts.memory, contacts.rests
        near = (memory.pairs[:, ACTIVE] == HELD) | (memory.found[:, DISTANCE] <= NEAR * memory.margin)
        pairs = np.flatnonzero(rests.able & near & (memory.pairs[:, ACTIVE] != 1.0)).tolist()
        self._table = np.concatenate([np.zeros((0, cut_table.COLUMNS)), *(rests.points(k) for k in pairs)])
        self.points: list[Points] = []
        if not pairs:
            return
        residual, self._G, self._gamma = evaluate_cuts(present, self._table)
        speed, at = self._G @ present.v, 0
        for k in pairs:
            n = 3 * len(rests.points(k))
            gap, v = residual[at : at + n : 3].copy(), speed[at : at + n].reshape(-1, 3)
            held = rests.held_points(k) if memory.pairs[k, ACTIVE] == HELD else np.zeros(len(gap), dtype=bool)
            fast = PARTING + 1e-8 * np.abs(v).max(initial=0.0)
            touching = (held | (gap <= NEAR * memory.margin[k])) & (v[:, 0] <= fast)
            self.points.append(Points(k, gap, v[:, 0].copy(), v[:, 1:].copy(), touching, at))
            at += n

    @property
    def approach(self) -> dict[int, float]:
        """Return how fast a point of each pair, that touches, approaches, where one does [m/s]."""
        found = {}
        for points in self.points:
            near = points.gap <= NEAR * self._contacts.memory.margin[points.pair]
            fast = float((-points.opening[near]).max(initial=0.0))
            if fast > REST * (1.0 + float(np.abs(points.slip).max(initial=0.0))):
                found[points.pair] = fast
        return found

    @property
    def torn(self) -> dict[int, np.ndarray]:
        """Pairs that are held, but part or slip: zeros, as they remember nothing then."""
        found = {}
        for points in self.points:
            pair = self._contacts.memory.pairs[points.pair]
            if pair[ACTIVE] != HELD:
                continue
            held = self._contacts.rests.held_points(points.pair)
            slip = float(np.abs(points.slip[held]).max(initial=0.0))
            if not points.touching[held].all() or (pair[PHASE] != Phase.SLIPPING and slip > CREEP * pair[V_SMALL]):
                found[points.pair] = np.zeros(CONTACT_COLUMNS - MEMORY)
        return found

    def jammed(self, pairs: Sequence[int]) -> dict[int, float]:
        """Return the pairs among those that touch which friction jams, and what it takes that all points that do approach a
        little.
        """
        touching = [points for points in self.points if points.touching.any()]
        return {touching[k].pair: JAMMED + max(0.0, float(touching[k].opening[touching[k].touching].max())) for k in pairs}

    def settle(self, a: np.ndarray, roles: np.ndarray, loops: Loops | None) -> dict[int, np.ndarray]:
        """Return the memory of each pair from then on, shape (CONTACT_COLUMNS - MEMORY,); zeros if it parts.

        Args:
            a: accelerations, evaluated at present, shape (nv,).
            roles: of the joints. loops: with the multipliers of the same evaluation.

        Raises:
            Jam: friction jams a pair; numbers of the pairs.
        """
        touching = [points for points in self.points if points.touching.any()]
        rest = {points.pair: np.zeros(CONTACT_COLUMNS - MEMORY) for points in self.points}
        if not touching:
            return rest
        M, moving = self._masses(roles)
        inverse = np.linalg.inv(M)
        a = np.where(moving, a, 0.0)
        tables, kept = [self._table], 0
        if loops is not None and len(loops.table):
            own = np.flatnonzero([row[cut_table.SPAN] == 0.0 for row in loops.table])
            _, G, _ = evaluate_cuts(self.present, loops.table)
            free = a.copy()
            free[moving] -= inverse @ (G.T @ loops.views["multipliers"])[moving]
            a = free
            if len(own):
                tables.insert(0, np.ascontiguousarray(loops.table[own]))
                kept = int(sum(loops.views["row_start"][k + 1] - loops.views["row_start"][k] for k in own))
        touches = self._sorted_out(touching, tables, kept, inverse, moving, a)
        for points, touch in zip(touching, touches, strict=True):
            rest[points.pair] = self._remembered(points, touch)
        return rest

    def _masses(self, roles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mass matrix of the joints that move by themselves, and which speeds these have."""
        from ...dynamics.mass_matrix import mass_matrix

        forest, q = self.present.forest, self.present.q
        M, moving = np.zeros((forest.nv, forest.nv)), np.zeros(forest.nv, dtype=bool)
        mass_matrix(forest.ints, forest.floats, q, M, np.zeros(work_shape(forest.n)))
        for row, role in zip(forest.ints, roles.tolist(), strict=True):
            if role not in (LOCKED, PRESCRIBED) and row[ROLE] != PRESCRIBED:
                moving[row[V_INDEX] : row[V_INDEX] + V_SIZE[row[KIND]]] = True
        return M[np.ix_(moving, moving)], moving

    def _sorted_out(
        self, touching: Sequence[Points], tables: list[np.ndarray], kept: int, inverse: np.ndarray, moving: np.ndarray,
        a: np.ndarray,
    ) -> list[TouchingPoint]:  # fmt: skip
        """Return the pairs with what holds them; where a face turns out to bear at one point only, once more with that."""
        masks = [points.touching for points in touching]
        touches = list[TouchingPoint]()
        for _ in range(4):
            patches = [self._contacts.rests.patch(points.pair, mask) for points, mask in zip(touching, masks, strict=True)]
            table = np.concatenate([*tables, *(patch.row[None] for patch in patches)])
            _, G, gamma = evaluate_cuts(self.present, table)
            b, G = G @ a + gamma, G[:, moving]
            A, at, touches = G @ inverse @ G.T, kept + len(self._gamma), list[TouchingPoint]()
            for points, patch in zip(touching, patches, strict=True):
                n = len(patch.row_names)
                touches.append(self._touch(points, kept + points.first, np.arange(at, at + n)))
                at += n
            RestingContacts(A, b, np.arange(kept), touches).settle()
            again = False
            for i, (touch, points) in enumerate(zip(touches, touching, strict=True)):
                bears = np.zeros(len(points.gap), dtype=bool)
                bears[np.flatnonzero(points.touching)[_bears(touch)]] = True
                if touch.sticks and bears.sum() == 1 < masks[i].sum():
                    masks[i], again = bears, True
            if not again:
                break
        return touches

    def _touch(self, points: Points, first: int, patch: np.ndarray) -> TouchingPoint:
        pair = self._contacts.memory.pairs[points.pair]
        at = first + 3 * np.flatnonzero(points.touching)
        slips, creep = np.stack([at + 1, at + 2], axis=1), CREEP * pair[V_SMALL]
        slip = points.slip[points.touching]
        size = np.linalg.norm(slip, axis=1)
        begins = pair[ACTIVE] == HELD and pair[PHASE] in (Phase.STARTING, Phase.RESTING)
        slides = bool(size.max(initial=0.0) > creep * (_SLOW if begins else 1.0))
        sticks = not slides and pair[MU_S] > 0.0
        directions = slip / np.fmax(size, creep)[:, None] if slides else np.zeros_like(slip)
        friction = float(pair[MU_K])
        return TouchingPoint(at, slips, friction, float(pair[MU_S]), directions, patch if sticks else patch[:0], sticks)

    def _remembered(self, points: Points, touch: TouchingPoint) -> np.ndarray:
        row = np.zeros(CONTACT_COLUMNS)
        bears = np.flatnonzero(points.touching)[_bears(touch)]
        if not len(bears):
            return row[MEMORY:]
        if self._is_unsettled(points, bears):
            bears = np.flatnonzero(points.touching)
        row[ACTIVE], row[HELD_POINTS] = HELD, float(sum(1 << int(k) for k in bears))
        row[PHASE] = Phase.RESTING if touch.sticks else Phase.STARTING if touch.begins else Phase.SLIPPING
        idle = np.setdiff1d(np.arange(len(points.gap)), bears)
        row[LIFT] = max(0.0, -float(points.gap[idle].min(initial=0.0)))
        if touch.begins:
            row[DRIFT : DRIFT + 6] = self._drift(points, touch, bears)
        self._contacts.rests.remember(points.pair, row)
        return row[MEMORY:]

    def _is_unsettled(self, points: Points, bears: np.ndarray) -> bool:
        """Return whether all points that touch have to be held for an instant, because some of them still part slowly: what
        takes that away where a few points bear alone would let others approach.
        """
        touching = points.touching
        if len(bears) == touching.sum():
            return False
        pair = self._contacts.memory.pairs[points.pair]
        if pair[ACTIVE] == HELD and (self._contacts.rests.held_points(points.pair) == touching).all():
            return False
        return bool(np.abs(points.opening[touching]).max() > REST * (1.0 + float(np.abs(points.slip).max())))

    def _drift(self, points: Points, touch: TouchingPoint, bears: np.ndarray) -> np.ndarray:
        """Return how the points that bear begin to slip, as the layout has it, from their accelerations."""
        rests, R = self._contacts.rests, self.present.bodies[0]
        rows = rests.points(points.pair)[bears]

        def turned(body: float) -> np.ndarray:
            return R[int(body)].reshape(3, 3) if body >= 0.0 else np.eye(3)

        normals, directions = self._directions(rows)
        chosen = np.searchsorted(np.flatnonzero(points.touching), bears)
        world = np.einsum("nk,nkj->nj", touch.drift[chosen], directions)
        size = np.abs(world).max(initial=0.0)
        world = world / size if size > 0.0 else world
        if len(bears) == 1:
            R_1 = turned(rows[0, cut_table.BODY_1]) @ rows[0, cut_table.FRAME_1 : cut_table.FRAME_1 + 9].reshape(3, 3)
            return np.concatenate([R_1.T @ world[0], np.zeros(3)])
        R_2 = turned(rows[0, cut_table.BODY_2])
        local, places = world @ R_2, rests.places(points.pair)[bears]
        arms, n = places - places.mean(axis=0), R_2.T @ normals[0]
        across = np.cross(n, arms)
        turning = float((across * local).sum()) / max(float((across**2).sum()), 1e-300)
        return np.concatenate([local.mean(axis=0), turning * n])

    def _directions(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the normals of points (n, 3), and both directions of slip, in world, shape (n, 2, 3)."""
        from ...constraints.kernels.cut_joint import evaluate_rows

        R, p, v, w = self.present.bodies
        n = len(rows)
        coefficients, found = np.zeros((3 * n, 6)), np.zeros((3, 3 * n))
        evaluate_rows(
            np.ascontiguousarray(rows), R, p, v, w, np.zeros_like(v), np.zeros_like(w), np.zeros((n, 3)), coefficients, *found
        )
        all_three = coefficients[:, :3].reshape(n, 3, 3)
        return all_three[:, 0], all_three[:, 1:]


def _bears(touch: TouchingPoint) -> np.ndarray:
    """Return which of the points of a pair bear, mask."""
    return np.asarray(touch.force > 1e-9 * touch.force.max(initial=0.0))


__all__ = ["Jam", "Scene"]
