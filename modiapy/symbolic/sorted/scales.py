"""`Scales`: how large variables are whose ``nominal`` nobody gave, from what is known of those that depend on them linearly.

A tolerance is a promise about every variable. Behind a gear of ratio 1e6 the slow angle has to be a million times as exact as
the fast one, which follows from it; where an oscillation begins with 1e-6 m, its velocity and the masses beside it are small,
too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.expression import Expr
from ...model.model import DefaultInit
from ..flat.flat_model import Variable
from ..terms.constants import constant_value
from ..terms.disjoint_sets import DisjointSets

SMALL = 1e-3
"""What is not smaller than this has the magnitude 1, as anything of which nothing is known."""

LEAST = 1e-13
"""An initial value that is smaller than this stands for zero."""


@dataclass(frozen=True)
class Scales:
    """Linear equations between variables of one kind.

    Attributes:
        ratios: ``(a, b, r)``: ``a = r*b + constant``, r an expression of parameters.
        rates: variables, each with the one that is its derivative.
        sums: variables of one linear equation with three and more of them.
        moving: variables whose derivatives occur. An initial value of theirs tells how large they are, one of another variable
            may be a guess.
    """

    ratios: Sequence[tuple[str, str, Expr]] = ()
    rates: Sequence[tuple[str, str]] = ()
    sums: Sequence[Collection[str]] = ()
    moving: frozenset[str] = frozenset()

    def derived(self, variables: Mapping[str, Variable], parameters: Mapping[str, float]) -> dict[str, float]:
        """Return the magnitudes below `SMALL` of variables that have no ``nominal``, by name.

        A variable is as small as the least of those that follow from it by a ratio wants. All that are joined by ratios are
        smaller by the factor by which their initial values are; where they have none but zero, by that of what they are joined
        to by sums. Time is measured in seconds: a velocity is as large as its position.

        Args:
            variables: those that stand for aliases have their attributes.
            parameters: values.
        """
        begins = {name: size for name in sorted(self.moving) if (size := _initial_size(variables.get(name))) > 0.0}
        classes = self._classes(parameters)
        sizes = {root: min(_given(variables, name) / r for name, r in members.items()) for root, members in classes.items()}
        least = [sizes[root] * min(members.values()) for root, members in classes.items()]
        given = [_given(variables, name) for name in self.moving]
        if not any(size <= SMALL for size in (*begins.values(), *least, *given)):
            return {}
        place = {name: (root, r) for root, members in classes.items() for name, r in members.items()}
        for name in (*begins, *(name for known in (*self.rates, *self.sums) for name in known)):
            if name not in place:
                place[name], sizes[name] = (name, 1.0), _given(variables, name)
        for a, b in (*self.rates, *((b, a) for a, b in reversed(self.rates))):
            (of_a, r_a), (of_b, r_b) = place[a], place[b]
            if of_a != of_b and sizes[of_a] * r_a <= SMALL:
                sizes[of_b] = min(sizes[of_b], sizes[of_a] * r_a / r_b)
        shares = self._shares(begins, place, sizes, variables)
        found = {name: sizes[root] * shares[root] * r for name, (root, r) in place.items()}
        return {name: size for name, size in found.items() if size <= SMALL and _has_none(variables, name)}

    def _shares(
        self,
        begins: Mapping[str, float],
        place: Mapping[str, tuple[str, float]],
        sizes: Mapping[str, float],
        variables: Mapping[str, Variable],
    ) -> dict[str, float]:
        """Return the initial magnitude of the variables of each class, relative to their size; at most 1."""
        joined = DisjointSets[str]()
        for known in (*self.rates, *self.sums):
            first, *others = (place[name][0] for name in known)
            for other in others:
                joined.unite(first, other)
        given = {root for name, (root, _) in place.items() if not _has_none(variables, name)}
        own: dict[str, float] = {}
        groups: dict[str, float] = {}
        for name, size in begins.items():
            root, r = place[name]
            if root not in given:
                own[root] = max(own.get(root, 0.0), size / (r * sizes[root]))
        for root, share in own.items():
            groups[joined.find(root)] = max(groups.get(joined.find(root), 0.0), share)
        return {root: min(1.0, 1.0 if root in given else own.get(root, groups.get(joined.find(root), 1.0))) for root in sizes}

    def _classes(self, parameters: Mapping[str, float]) -> dict[str, dict[str, float]]:
        """Return the variables that are joined by ratios, each with its size by that of the first one."""
        near: dict[str, list[tuple[str, float]]] = {}
        for a, b, ratio in self.ratios:
            r = abs(constant_value(ratio, parameters))
            if 0.0 < r < np.inf:
                near.setdefault(a, []).append((b, 1.0 / r))
                near.setdefault(b, []).append((a, r))
        classes: dict[str, dict[str, float]] = {}
        seen: set[str] = set()
        for root in near:
            if root in seen:
                continue
            members, open_ones = {root: 1.0}, [root]
            for name in open_ones:
                for other, r in near[name]:
                    if other not in members:
                        members[other] = r * members[name]
                        open_ones.append(other)
            seen |= members.keys()
            classes[root] = members
        return classes


def _initial_size(variable: Variable | None) -> float:
    """Return the largest element of the initial value that a user gave; 0 where there is none."""
    value: Any = None if variable is None else variable.start if variable.init is None else variable.init
    if value is None or type(value) is DefaultInit:
        return 0.0
    size = float(np.abs(np.asarray(value, dtype=float)).max(initial=0.0))
    return size if LEAST <= size < np.inf else 0.0


def _has_none(variables: Mapping[str, Variable], name: str) -> bool:
    return name not in variables or variables[name].nominal is None


def _given(variables: Mapping[str, Variable], name: str) -> float:
    nominal = variables[name].nominal if name in variables else None
    return 1.0 if nominal is None else float(nominal)
