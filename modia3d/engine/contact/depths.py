"""Solids that penetrate each other by more than contact forces are meant for: told once for each pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..contact_log.log import Pair
from ..contact_log.notes import DEEPEST, DEEPEST_TIME, DEPTH_COLUMNS
from .solids import ContactSolids

KIND = "deep penetration"
"""What such an event is called where events are counted."""
_HERTZ = 1.5
"""Power of the depth in the normal force."""
_MARGIN = 2.0
"""By how much stiffer than would do a contact is advised to be: what is damped otherwise may go deeper."""


class Depths:
    """Record of depths while segments last, and of the pairs that were told.

    Args:
        solids: of the scene.
        part: of the smallest length of the smaller solid; what is deeper is told.
        factor: on the stiffness of all contacts, see `SceneFeature`.
        full: makes the full path of a name.
    """

    def __init__(self, solids: ContactSolids, part: float, factor: float, full: Callable[[str], str]) -> None:
        self._part, self._factor, self._full = part, factor, full
        self._lengths = np.array([_smallest_length(one.solid.shape) for one in solids.solids])
        self._told: set[Pair] = set()
        self._pairs: Sequence[Pair] = ()
        self._solids, self._depths = np.zeros((0, 2), dtype=np.int64), np.zeros((0, DEPTH_COLUMNS))
        self._least = np.zeros(0)
        self._waiting: list[dict[str, Any]] = []

    def begin_segment(self, pairs: Sequence[Pair], solids: np.ndarray, depths: np.ndarray) -> None:
        """Begin a segment with these pairs.

        Args:
            pairs: names of the solids of each near pair of shapes. solids: their numbers, shape (n, 2).
            depths: what kernels note of them, zeros, see `contact_log.notes`.
        """
        self._waiting = self.notes()
        self._pairs, self._solids, self._depths = pairs, solids, depths
        self._least = self._part * self._lengths[solids].min(axis=1, initial=np.inf)

    def notes(self) -> list[dict[str, Any]]:
        """Return the notes since the last call, as plain data.

        Each has its ``kind``, the ``time`` of the largest ``depth`` so far [s, m], the ``pair`` (two names), what ``part`` that
        is of the smallest length of the smaller solid, and a ``text``.
        """
        found, self._waiting = self._waiting, []
        for k in np.flatnonzero(self._depths[:, DEEPEST] > self._least).tolist():
            if self._pairs[k] not in self._told:
                self._told.add(self._pairs[k])
                found.append(self._note(k))
        return found

    def data(self) -> Callable[[], list[list[str]]]:
        """Return a function that gives the pairs that were reported, as plain data for `restore`."""
        told = self._told.copy()
        return lambda: sorted(map(list, told))

    def restore(self, data: Sequence[Sequence[str]]) -> None:
        """Restore the data of `data`. Raises ValueError, TypeError if they are something else."""
        self._told = {(str(one), str(other)) for one, other in data}

    def _note(self, k: int) -> dict[str, Any]:
        depth, time = float(self._depths[k, DEEPEST]), float(self._depths[k, DEEPEST_TIME])
        one, other = (self._full(name) for name in self._pairs[k])
        lengths = self._lengths[self._solids[k]]
        smaller, length = (one, other)[int(np.argmin(lengths))], float(lengths.min())
        needed = _MARGIN * self._factor * (depth / (self._part * length)) ** _HERTZ
        stiffer = "a stiffer contact_material or a larger contact_sphere_radius"
        if self._factor < 1.0:
            stiffer = f"elastic_contact_reduction_factor={min(1.0, _rounded_up(needed)):.2g} or more, {stiffer}"
        text = (
            f"{one} and {other} penetrate each other by {depth:.3g} m, {100.0 * depth / length:.2g} % of the smallest length "
            f"of {smaller}: the contact is too soft for its load, and solids may pass through each other. Take {stiffer}, or a "
            "smaller load."
        )
        return {"kind": KIND, "time": time, "text": text, "pair": [one, other], "depth": depth, "part": depth / length}


def _smallest_length(shape: Any) -> float:
    """Return the smallest length of the box about a shape [m]."""
    lower, upper = shape.bounding_box
    return float(np.subtract(upper, lower).min())


def _rounded_up(value: float) -> float:
    """Return the next number with two digits."""
    unit = 10.0 ** (np.floor(np.log10(value)) - 1.0)
    return float(np.ceil(value / unit) * unit)
