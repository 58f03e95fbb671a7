"""Names for messages of objects that machine code knows only by number: states, indicators, blocks."""

from __future__ import annotations

from collections.abc import Mapping

from ...acausal.segment import SegmentLayout
from ...symbolic.codegen.array_layout import ArrayLayout
from ...symbolic.sorted.parts import computed
from ...symbolic.sorted.sorted_model import SortedModel
from ...symbolic.terms.arrays import element_names
from ..results.signals import relative_name


def state_names(model: SortedModel, layout: ArrayLayout, layouts: Mapping[str, SegmentLayout]) -> list[str]:
    """Return the names of the states of a segment: those of the equations, then those of the components.

    Args:
        layout: of the arrays. layouts: of the components, by path.
    """
    own = element_names(model.states, layout.shapes)
    return [*own, *(relative_name(path, name) for path, part in layouts.items() for name in part.names)]


def indicator_value(model: SortedModel, layouts: Mapping[str, SegmentLayout], k: int) -> str:
    """Return a text for the value of event indicator k."""
    n_relations = len(model.relations)
    if k < n_relations:
        text, path = model.relation_texts[k]
        return f"what the relation '{text}'{path and f' of {path}'} compares"
    k -= n_relations
    for path, part in layouts.items():
        if k < part.n_z:
            return f"event indicator {k} of {path or 'the component'}"
        k -= part.n_z
    return "an event indicator"


def failed_block(model: SortedModel, k: int, status: int) -> str:
    """Return the block with the number k that could not be evaluated; None if k is not the number of a block."""
    if not 0 <= k < len(model.blocks):
        return f"status {status}"
    return f"the equations for {', '.join(computed(model.blocks[k : k + 1])[:12])} could not be solved (status {status})"
