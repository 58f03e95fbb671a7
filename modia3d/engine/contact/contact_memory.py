"""Memory of the contacts of a segment as kernels see it, while it lasts and afterwards."""

from __future__ import annotations

import numpy as np

from modiapy.acausal.memory import data_address

from ...collision.tables import BODY, REACH
from ...collision.tree import search_memory
from ...forces.contact.layout import BODY_1, BODY_2, SHAPE_1, SHAPE_2
from ...topology.forest import Forest
from .contact_layout import ACCELERATION, CONTACTS, EVENT_COLUMNS, HORIZON
from .solids import ContactSolids

TOUCH = 1e-9
"""A contact ends at twice this part of the size of the smaller solid, and so does not begin again at once."""

NO_EVENTS = np.zeros((0, EVENT_COLUMNS))


class ContactMemory:
    """The record `CONTACTS`, and what it points to.

    Args:
        solids: of the scene.
        forest: of the segment.
        near: near pairs, numbers of shapes of all solids, ascending, shape (m, 2).
        bodies: that carry the frames, in the place of the forest's.
        events: of a segment that is over, rows (time, pair, row), ascending.
        first_z: index of the first indicator.

    Attributes:
        address: of the record.
        pairs: table of the near pairs, shape (m, CONTACT_COLUMNS), see `modia3d.forces.contact.layout`.
        found, forces: what was found about them, and what acts between them, see there and `modia3d.collision.tables`.
        solids: numbers of the solids of each near pair, shape (m, 2).
        rates: how fast the distance of each shrinks, at events [m/s].
        size: reach of the smaller solid of each [m]. margin: distance below which it touches [m].
        points: scratch, see `modia3d.collision.tables`.
        notes: see `contact_log.notes`. depths: see there.
        shapes: the table of shapes. listed: rows in it of each near pair, shape (m, 2).
    """

    def __init__(
        self,
        solids: ContactSolids,
        forest: Forest,
        near: np.ndarray,
        *,
        shapes: tuple[np.ndarray, np.ndarray] | None = None,
        filter: np.ndarray | None = None,
        search: tuple[np.ndarray, np.ndarray] | None = None,
        horizon: float = 0.0,
        acceleration: float = 0.0,
        bodies: np.ndarray | None = None,
        events: np.ndarray = NO_EVENTS,
        first_z: int = 0,
        n_bodies: int = 0,
    ) -> None:
        table, present = shapes or solids.shapes(forest, bodies)
        boxes, tree = search or search_memory(0)
        place = np.full(len(solids.shape_solid), -1, dtype=np.int64)
        place[present] = np.arange(len(present))
        listed = np.ascontiguousarray(place[near].reshape(-1, 2))
        self.near = near
        self.solids = solids.shape_solid[near].reshape(-1, 2)
        alike = first_of(self.solids)
        self.pairs = solids.rows(near)
        self.pairs[:, [SHAPE_1, SHAPE_2]] = listed
        self.pairs[:, [BODY_1, BODY_2]] = table[listed, BODY]
        sizes = {
            "n_shapes": len(table), "n_pairs": len(near), "n_filter": 0 if filter is None else len(filter),
            "n_boxes": len(boxes), "n_tree": len(tree), "n_events": len(events), "n_bodies": n_bodies,
            "n_held": 0, "n_idle": 0,
        }  # fmt: skip
        head = CONTACTS.head(
            **sizes, first_z=first_z, shapes=table, near=listed, pairs=self.pairs, filter=filter, boxes=boxes, tree=tree,
            events=events, alike=alike,
        )  # fmt: skip
        memory = np.zeros(CONTACTS.words(**sizes))
        memory[: len(head)].view(np.int64)[:] = head
        views = CONTACTS.views(memory, "bounds", "margin", "found", "forces", "rates", "points", "notes", "depths", **sizes)
        self.margin, self.found, self.forces = views["margin"], views["found"], views["forces"]
        self.rates, self.points, self.notes, self.depths = views["rates"], views["points"], views["notes"], views["depths"]
        self.shapes, self.listed = table, listed
        views["bounds"][HORIZON], views["bounds"][ACCELERATION] = horizon, acceleration
        self.size = table[listed, REACH].min(axis=1, initial=np.inf)
        self.margin[:] = TOUCH * self.size
        self._keep = table, listed, alike, filter, boxes, tree, events, memory
        self.address, self._memory, self._idle = data_address(memory), memory, NO_EVENTS

    def hold(self, n_held: int, idle: np.ndarray) -> None:
        """Hold so many pairs by rows; these points of them are not held, rows of `constraints.tables.cut_table`."""
        self._idle = np.ascontiguousarray(idle)
        words = self._memory.view(np.int64)
        words[CONTACTS.offset("n_held")], words[CONTACTS.offset("n_idle")] = n_held, len(idle)
        words[CONTACTS.offset("idle")] = data_address(self._idle) if len(idle) else 0


def first_of(pairs: np.ndarray) -> np.ndarray:
    """Return for each row of numbers the first row with the same ones, int64 (m,)."""
    _, first, same = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    return np.ascontiguousarray(first[same.ravel()], dtype=np.int64)
