"""Beginning of the next segment: asked for at an event, carried out at the start of the segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from modiapy.acausal.segment import SegmentChange

from ..constraints.impact import Impact
from ..topology.appearance import Appearance
from ..topology.forest import Forest
from ..topology.mating import check_mating
from ..topology.structure import Structure
from .motion.configuration import Configuration

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, init=False, kw_only=True)
class Change(SegmentChange):
    """Change of structure that ends a segment, with the states from which the next one begins.

    Attributes:
        structure: of the next segment.
        after: coordinates and speeds of the last forest after the change; None if they are those of the last segment's end.
        acting: whether an action of the program is carried out by it.
        appearance: what appears.
        forest: of the next segment, and begin: its ``x_var``, where these are known already.
        rests: what pairs of shapes remember from then on, where contacts at rest have changed.
        yielding: pairs of shapes that are elastic from then on.
        pushes: for each point of what rests the names of both solids, and the normal impulse there [N.s].
        info: figures for the record of the next segment.
    """

    structure: Structure
    after: Configuration | None
    acting: bool
    appearance: Appearance | None
    forest: Forest | None
    begin: np.ndarray | None
    rests: Mapping[tuple[int, int], np.ndarray]
    yielding: frozenset[tuple[int, int]]
    pushes: tuple[tuple[tuple[str, str], float], ...]
    info: Mapping[str, object]

    def __init__(
        self,
        cause: str,
        reinit: Mapping[str, float] = _NOTHING,
        impact: np.ndarray | None = None,
        calms: bool = False,
        *,
        structure: Structure,
        after: Configuration | None = None,
        acting: bool = False,
        appearance: Appearance | None = None,
        forest: Forest | None = None,
        begin: np.ndarray | None = None,
        rests: Mapping[tuple[int, int], np.ndarray] = _NOTHING,
        yielding: frozenset[tuple[int, int]] = frozenset(),
        pushes: tuple[tuple[tuple[str, str], float], ...] = (),
        info: Mapping[str, object] = _NOTHING,
    ) -> None:
        vars(self).update(  # at once: one is made at every change, and field by field it takes five times as long
            cause=cause, reinit=reinit, impact=impact, calms=calms, structure=structure, after=after, acting=acting,
            appearance=appearance, forest=forest, begin=begin, rests=rests, yielding=yielding, pushes=pushes, info=info,
        )  # fmt: skip

    def with_impact(self, impact: Impact, structure: Structure) -> Change:
        """Return the same after an impact, with what holds then.

        ``info`` has the energy lost [J], and what the bodies got from outside, i.e. from the world and from what the equations
        know besides them: linear impulse [N.s], angular impulse about the world's origin [N.m.s], both in world.
        """
        assert self.after is not None
        after = Configuration(self.after.forest, self.after.q, impact.v)
        impulse = (after.momentum - self.after.momentum).tolist()
        info = {
            "energy_lost": impact.energy_lost,
            "impulse_from_outside": impulse[:3],
            "angular_impulse_from_outside": impulse[3:],
        }
        return replace(self, structure=structure, after=after, impact=impact.states, info=info)

    def beginning_with(self, forest: Forest, begin: np.ndarray) -> Change:
        """Return the same with the forest of the next segment and its ``x_var``."""
        return Change(
            self.cause, self.reinit, self.impact, self.calms, structure=self.structure, after=self.after, acting=self.acting,
            appearance=self.appearance, forest=forest, begin=begin, rests=self.rests, yielding=self.yielding,
            pushes=self.pushes, info=self.info,
        )  # fmt: skip

    def with_appearance(self, appearance: Appearance) -> Change:
        """Return the same where something appears.

        Raises:
            ModelError: it is attached to what an impact of the same change has moved.
        """
        assert self.after is not None
        seen = replace(appearance, present=self.after)
        for lock in self.structure.locks:
            one, other = lock.frame_a, lock.frame_b
            if one in seen.motions or other in seen.motions:
                check_mating(self.after.forest.graph.scene.mating, one, seen.motion_of(one), other, seen.motion_of(other))
        return replace(self, appearance=seen)
