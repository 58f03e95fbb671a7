"""The forests of the last structures: what comes again is not made again, and is kept once by all results that need it."""

from __future__ import annotations

from modiapy.acausal.protocol import Sparsity

from ..forces.table import ForceTable
from ..topology.forest import Forest, spanning_forest
from ..topology.graph import SceneGraph
from ..topology.structure import Structure
from .exchange import Exchange
from .sparsity import forest_sparsity

CAPACITY = 8
"""Number of structures that are remembered."""


class Forests:
    """Forests of one graph by their structures, the last ones.

    Args:
        graph: the graph.
        exchange: force signals and sensors, on which the sparsity depends.
    """

    def __init__(self, graph: SceneGraph, exchange: Exchange) -> None:
        self._graph, self._exchange = graph, exchange
        self._known: dict[Structure, Forest] = {}
        self._sparsities: dict[Forest, Sparsity] = {}

    def of(self, structure: Structure) -> Forest:
        """The spanning forest of a structure."""
        forest = self._known.pop(structure, None) or spanning_forest(self._graph, structure)
        self._known[structure] = forest
        if len(self._known) > CAPACITY:
            self._sparsities.pop(self._known.pop(next(iter(self._known))), None)
        return forest

    def sparsity(self, forest: Forest, forces: ForceTable) -> Sparsity:
        """See `forest_sparsity`; ``forces`` is the table of this forest."""
        known = self._sparsities.get(forest)
        if known is None:
            known = self._sparsities[forest] = forest_sparsity(forest, forces, self._exchange)
            if len(self._sparsities) > CAPACITY:
                self._sparsities.pop(next(iter(self._sparsities)))
        return known
