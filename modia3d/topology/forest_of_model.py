"""The forest of a model at its start, for dynamics without a simulation."""

from __future__ import annotations

from modiapy.model.model import Model
from modiapy.symbolic.analysis.error_places import errors_located
from modiapy.symbolic.flattening.evaluate import evaluate

from .build import build_graph
from .forest import Forest, spanning_forest
from .states import initial_structure


def forest_of(model: Model) -> Forest:
    """Return the forest of a `Model3D` at its start: arrays for `modia3d.dynamics.Dynamics`, names, frames.

    Limits, locks of its program and forces are no part of it; massless points are refused.

    Args:
        model: with values for all parameters.

    Raises:
        ModelError: the model is no multibody system of trees.
    """
    with errors_located(model):
        graph = build_graph(evaluate(model).objects)
        return spanning_forest(
            graph, initial_structure(graph, {edge.name: ((0.0,), (0.0,)) for edge in graph.prescribed_joints})
        )
