"""The forests of the last structures: what comes again is not made again, and is kept once by all results that need it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from modiapy.acausal.segment import Sparsity

from ..forces.basics.layout import BODY_1, BODY_2
from ..forces.table import ForceTable
from ..topology.forest import Forest, spanning_forest
from ..topology.graph import SceneGraph
from ..topology.structure import Structure
from .exchange.exchange import Exchange
from .sparsity import NO_PAIRS, cut_bodies, forest_sparsity

K = TypeVar("K")
V = TypeVar("V")

CAPACITY = 8
"""Number of structures that are remembered."""


class Forests:
    """Forests of one graph by their structures, the last ones. They do not change; several threads may ask at once.

    Args:
        graph: the graph.
        exchange: force signals and sensors, on which the sparsity depends.
        may_close: whether locks may close loops.
    """

    def __init__(self, graph: SceneGraph, exchange: Exchange, may_close: bool = True) -> None:
        self._graph, self._exchange, self._may_close = graph, exchange, may_close
        self._known: _Last[Structure, Forest] = _Last()
        self._sparsities: _Last[tuple[object, ...], Sparsity] = _Last()

    def of(self, structure: Structure) -> Forest:
        """Return the spanning forest of a structure."""
        return self._known.get(structure, lambda: spanning_forest(self._graph, structure, self._may_close))

    def sparsity(
        self, forest: Forest, forces: ForceTable, touching: np.ndarray = NO_PAIRS, held: np.ndarray = NO_PAIRS
    ) -> Sparsity:
        """See `forest_sparsity`; ``forces`` is the table of this forest, ``touching`` are pairs of its bodies that touch,
        ``held`` those that are held together while they do.

        It depends on which bodies hang on which, not on their poses and masses: a body that is attached again, at a pose that
        is measured anew, has the sparsity it had.
        """
        key: tuple[object, ...] = forest.ints.tobytes(), touching.tobytes(), held.tobytes()
        if len(forces):
            key += forces.rows[:, [BODY_1, BODY_2]].tobytes(), forces.damped_rows[:, 3].tobytes(), len(forces.points)
        if self._exchange or forest.cuts:
            key += forest.frame_body.tobytes(), str(cut_bodies(forest))
        return self._sparsities.get(key, lambda: forest_sparsity(forest, forces, self._exchange, touching, held))


class _Last(Generic[K, V]):
    """The values that were asked for last, by their keys."""

    def __init__(self) -> None:
        self._values: dict[K, V] = {}
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; ``make`` makes it where it is not known."""
        with self._lock:
            known = self._values.pop(key, None)
            if known is not None:
                return self._keep(key, known)
        value = make()
        with self._lock:
            return self._keep(key, self._values.pop(key, value))

    def _keep(self, key: K, value: V) -> V:
        self._values[key] = value
        if len(self._values) > CAPACITY:
            self._values.pop(next(iter(self._values)))
        return value

    def __getstate__(self) -> dict[str, object]:
        return {}

    def __setstate__(self, state: object) -> None:
        self.__init__()  # type: ignore[misc]
