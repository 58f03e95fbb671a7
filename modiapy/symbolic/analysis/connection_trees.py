"""Trees of overdetermined connectors, for a user who wants to see where a loop was opened."""

from __future__ import annotations

from ...model.model import Model
from ..flattening.connections import connection_equations
from ..flattening.evaluate import evaluate
from ..flattening.overdetermined import ConnectionForest


def connection_trees(model: Model) -> ConnectionForest:
    """Return the spanning trees of the overdetermined connectors of a model: ``print`` shows their roots and what was broken.

    The model is flattened only as far as its connections, so that it need not be complete otherwise.

    Args:
        model: with records that have an ``equality_constraint``, see "Overdetermined connectors" in docs/language.md.

    Raises:
        ModelError: wrong connections; records without any root; branches that form a loop or join two roots.
    """
    return connection_equations(evaluate(model, "Model").tree).forest
