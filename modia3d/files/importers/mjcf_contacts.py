"""Geoms of MuJoCo that collide: bit masks, excluded bodies and explicit pairs become groups of shapes.

MuJoCo lets two geoms of different bodies collide where a bit of ``contype`` of one is one of ``conaffinity`` of the other, but
for neighbours in the tree (unless the parent is fixed in the world) and for bodies that ``<exclude>`` names; a ``<pair>``
collides whatever these say. Source: "Collision detection, selection" in MuJoCo's documentation of its computation.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

Kind = tuple[int, int, int, int]
"""What decides: ``contype``, ``conaffinity``, the body of the geom if an exclusion names it, itself if a pair does; else -1."""


class CollidingGeoms:
    """The geoms of a compiled model that may collide with others.

    Args:
        model: the compiled model.
        parents_filtered: whether neighbours in the tree do not collide (flag ``filterparent``).

    Attributes:
        groups: of each geom that may collide, by its number; all "" where nothing has to be told apart.
        no_contact: pairs of groups that do not collide.
    """

    def __init__(self, model: Any, parents_filtered: bool) -> None:
        self._model, self._parents_filtered = model, parents_filtered
        pairs = zip(model.pair_geom1[: model.npair], model.pair_geom2[: model.npair], strict=True)
        self._pairs = {frozenset(map(int, pair)) for pair in pairs}
        signatures = [int(s) for s in model.exclude_signature[: model.nexclude]]
        self._excluded = {frozenset((s >> 16, s & 0xFFFF)) for s in signatures}
        kinds = self._kinds()
        numbers = {kind: k for k, kind in enumerate(dict.fromkeys(kinds.values()), 1)}
        apart = [pair for pair in combinations_with_replacement(numbers, 2) if not self._may_collide(*pair)]
        named = {kind for pair in apart for kind in pair}
        self.groups = {geom: f"geoms_{numbers[kind]}" if kind in named else "" for geom, kind in kinds.items()}
        self.no_contact = [(f"geoms_{numbers[a]}", f"geoms_{numbers[b]}") for a, b in apart]

    def _kinds(self) -> dict[int, Kind]:
        model = self._model
        excluded = {body for pair in self._excluded for body in pair}
        paired = {geom for pair in self._pairs for geom in pair}
        kinds: dict[int, Kind] = {}
        for geom in range(model.ngeom):
            type_, affinity, body = (int(of[geom]) for of in (model.geom_contype, model.geom_conaffinity, model.geom_bodyid))
            if type_ or affinity or geom in paired:
                kinds[geom] = type_, affinity, body if body in excluded else -1, geom if geom in paired else -1
        return kinds

    def _may_collide(self, one: Kind, two: Kind) -> bool:
        """Return whether geoms of two kinds may; those of one body never do, so nothing has to be said about them."""
        if one == two and (one[2] >= 0 or one[3] >= 0):
            return True
        if one[3] >= 0 and frozenset((one[3], two[3])) in self._pairs:
            return True
        excluded = one[2] >= 0 and frozenset((one[2], two[2])) in self._excluded
        return bool(one[0] & two[1] or two[0] & one[1]) and not excluded

    def across(self, body: int) -> bool:
        """Return whether a body collides with the one that it is joined to."""
        welds = self._model.body_weldid
        return not self._parents_filtered or int(welds[self._model.body_parentid[body]]) == 0

    def pairs_of_neighbours(self) -> Iterator[tuple[int, int]]:
        """Generate the explicit pairs of bodies that are joined and do not collide."""
        model = self._model
        for pair in sorted(map(sorted, self._pairs)):
            welds = [int(model.body_weldid[model.geom_bodyid[geom]]) for geom in pair]
            for child, parent in (welds, welds[::-1]):
                if int(model.body_weldid[model.body_parentid[child]]) == parent and child != parent and not self.across(child):
                    yield pair[0], pair[-1]
                    break
