"""The user's graph of frames, joints and locks, its structural edits, and the spanning forest of a segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modiapy.model.model import Model

    from .forest import Forest

__all__ = ["forest_of"]


def forest_of(model: Model) -> Forest:
    """Return the forest of a `Model3D` at its start: arrays for `modia3d.dynamics.Dynamics`, names, frames.

    Limits, locks of its program and forces are no part of it; massless points are refused.

    Args:
        model: with values for all parameters.

    Raises:
        ModelError: the model is no multibody system of trees.
    """
    from modiapy.symbolic.analysis.error_places import errors_located
    from modiapy.symbolic.flattening.evaluate import evaluate

    from .build import build_graph
    from .forest import spanning_forest
    from .states import initial_structure

    with errors_located(model):
        graph = build_graph(evaluate(model).objects)
        return spanning_forest(
            graph, initial_structure(graph, {edge.name: ((0.0,), (0.0,)) for edge in graph.prescribed_joints})
        )
