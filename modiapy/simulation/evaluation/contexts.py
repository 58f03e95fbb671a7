"""`ComponentContexts`: data of each component that its machine code reads in the present segment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any

import numpy as np

from ...acausal.protocol import CONTEXT_SLOTS, Slot
from ...acausal.segment import SegmentLayout

_SIZES, _NONE = Struct("=4q"), (0,) * (CONTEXT_SLOTS - Slot.DATA)
_OWN = Struct(f"={len(_NONE)}q")
"""Sizes and offsets of a component in its context, and its own slots; numpy takes three times as long to write them."""


class ComponentContexts:
    """Contexts of the components of one run.

    Args:
        copied: contexts to begin with, one for each component.

    Attributes:
        all: the contexts in the order of the components, int64, see `modiapy.acausal.protocol.Slot`.
        limits: longest next step that each allows [s], shape (n_components,); its functions write it.
        layouts: in the present segment, by path.
    """

    def __init__(self, copied: Sequence[np.ndarray]) -> None:
        self.all = [context.copy() for context in copied]
        self.limits = np.full(len(self.all), math.inf)
        for k, context in enumerate(self.all):
            context[Slot.LONGEST_STEP] = self.limits.ctypes.data + k * self.limits.itemsize
        self.layouts: Mapping[str, SegmentLayout] = {}

    def enter_segment(self, layouts: Mapping[str, SegmentLayout]) -> None:
        """Rewrite the contexts in place for a new segment."""
        x_offset = z_offset = 0
        self.limits[:] = math.inf
        for context, layout in zip(self.all, layouts.values(), strict=True):
            _SIZES.pack_into(context.data, 8 * Slot.N_X, layout.x.size, layout.n_z, x_offset, z_offset)
            _OWN.pack_into(context.data, 8 * Slot.DATA, *layout.data, *_NONE[len(layout.data) :])
            x_offset += layout.x.size
            z_offset += layout.n_z
        self.layouts = layouts

    def kept(self, path: str) -> Any:
        """Return `SegmentLayout.keep` of a component in the present segment; None where there is none yet."""
        return self.layouts[path].keep if path in self.layouts else None


def new_contexts(count: int) -> ComponentContexts:
    """Create the contexts of ``n`` components, before their first segment."""
    return ComponentContexts([np.zeros(CONTEXT_SLOTS, dtype=np.int64)] * count)
