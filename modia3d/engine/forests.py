"""The forests of the last structures: what comes again is not made again, and is kept once by all results that need it."""

from __future__ import annotations

from modiapy.acausal.protocol import Sparsity

from ..forces.basics.layout import BODY_1, BODY_2
from ..forces.table import ForceTable
from ..topology.forest import Forest, spanning_forest
from ..topology.graph import SceneGraph
from ..topology.structure import Structure
from .exchange.exchange import Exchange
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
        self._sparsities: dict[tuple[object, ...], Sparsity] = {}

    def of(self, structure: Structure) -> Forest:
        """The spanning forest of a structure."""
        forest = self._known.pop(structure, None) or spanning_forest(self._graph, structure)
        self._known[structure] = forest
        if len(self._known) > CAPACITY:
            self._known.pop(next(iter(self._known)))
        return forest

    def sparsity(self, forest: Forest, forces: ForceTable) -> Sparsity:
        """See `forest_sparsity`; ``forces`` is the table of this forest.

        It depends on which bodies hang on which, not on their poses and masses: a body that is attached again, at a pose that
        is measured anew, has the sparsity it had.
        """
        between, displaced = forces.rows[:, [BODY_1, BODY_2]], forces.damped_rows[:, 3]
        arrays = forest.ints, forest.frame_body, between, displaced
        key = (*(array.tobytes() for array in arrays), len(forces.points))
        known = self._sparsities.pop(key, None) or forest_sparsity(forest, forces, self._exchange)
        self._sparsities[key] = known
        if len(self._sparsities) > CAPACITY:
            self._sparsities.pop(next(iter(self._sparsities)))
        return known
