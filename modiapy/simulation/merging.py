"""Merging of new values into a translated model. The machine code stays, so the structure of the equations must not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..model.errors import StructureError
from ..symbolic.sorted.sorted_model import SortedModel
from .values import Values


def merged(model: Any, name: str, values: Values, sorted_model: SortedModel, merge: Mapping[str, Any]) -> Values:
    """Return the values of a translated model with those of ``merge`` in place of the old ones.

    Args:
        model, name: as it was written. values, sorted_model: with which it was translated.

    Raises:
        ModelError: ``merge`` does not fit the model.
        StructureError: it changes the structure of the equations.
    """
    from ..symbolic.flat.merge import merged_flat
    from ..symbolic.flattening.array_flattening import align_elements
    from ..symbolic.flattening.control import expand_control
    from ..symbolic.flattening.evaluate import evaluate
    from ..symbolic.flattening.flat_arrays import with_arrays
    from ..symbolic.flattening.flatten import flatten, remedy_for_merge, same_structure
    from ..symbolic.structure.alias import check_constants
    from ..symbolic.structure.array_blocks import check_sizes
    from ..symbolic.structure.singularities import check_assumptions
    from ..symbolic.structure.zero_storage import check_zeros

    evaluated = None
    if values.evaluated is None:
        flat = with_arrays(merged_flat(model, merge))
        difference = same_structure(expand_control(values.flat), expand_control(flat))
    else:
        evaluated = evaluate(model | merge, name)
        flat = flatten(evaluated)
        align_elements(values.flat, flat)
        difference = same_structure(values.flat, flat)
    if difference is not None:
        raise StructureError(
            "'merge' changes the structure of the equations",
            path=name,
            found=difference,
            expected="new values only",
            remedy=remedy_for_merge(model, merge),
        )
    if flat.shapes:
        check_sizes(sorted_model, flat.shapes)
    check_constants(sorted_model.aliases, flat)
    check_assumptions(sorted_model, flat.parameters)
    check_zeros(sorted_model.storage, flat)
    return Values(flat, evaluated)


class _Mergeable(Protocol):
    def _merged(self, merge: Mapping[str, Any]) -> Values: ...


def keeps_structure(model: _Mergeable, merge: Mapping[str, Any]) -> bool:
    """Return whether a translated model can be simulated with these values.

    Raises:
        ModelError: they do not fit the model at all.
    """
    try:
        model._merged(merge)
    except StructureError:
        return False
    return True
