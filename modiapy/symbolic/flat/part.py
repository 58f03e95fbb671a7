"""`FlatPart`: a flat model that another front end has made, as a part of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from ...model.errors import ModelError
from ...model.expression import TIME, Equation, Expr, Name
from ...model.tables import table_at
from ..terms.names import join
from .flat_model import FlatModel
from .merge import merged_flat
from .rewriting import Rewriting
from .visualizer import Visualizer


@dataclass(frozen=True, eq=False)
class FlatPart:
    """Flat model behind the entries of a submodel (its entry `FLAT`).

    Attributes:
        flat: parameters, equations, and the variables that are no entries, by paths relative to the submodel.
        elements: the parameters that are entries: name in ``flat`` -> path of the entry, with the index of the element that
            it is, counted from 0: ``"table[1,2]"`` -> ``"table[0,1]"``.
    """

    flat: FlatModel
    elements: Mapping[str, str]

    def __repr__(self) -> str:
        return f"<{self.flat.name}: {len(self.flat.equations)} equations>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with the tables that parameters refer to by their address."""
        tables = {name: table for name, value in self.flat.parameters.items() if (table := table_at(value)) is not None}
        return {**vars(self), "tables": tables}

    def __setstate__(self, state: dict[str, Any]) -> None:
        tables = state.pop("tables")
        flat = state["flat"]
        parameters = {**flat.parameters, **{name: table.handle for name, table in tables.items()}}
        vars(self).update({**state, "flat": replace(flat, parameters=parameters)})

    def add_to(self, whole: FlatModel, path: str) -> None:
        """Add everything to a flat model, whose parameters have the values of the entries already.

        Args:
            whole: changed in place.
            path: of the submodel.

        Raises:
            ModelError: a value that the equations are built on was changed.
        """
        given = {name: whole.parameters.pop(join(path, entry)) for name, entry in self.elements.items()}
        flat = self._with_values(given, path)
        within = Rewriting(partial(_of_whole, path), path)
        whole.parameters |= {join(path, name): value for name, value in flat.parameters.items()}
        whole.variables |= {join(path, name): within.variable(v) for name, v in flat.variables.items()}
        whole.equations += [within.equation(e) for e in flat.equations if isinstance(e, Equation)]
        whole.initial_equations += map(within.equation, flat.initial_equations)
        whole.whens += map(within.when, flat.whens)
        whole.assertions += map(within.assertion, flat.assertions)
        whole.objects = {**whole.objects, **{join(path, name): value for name, value in flat.objects.items()}}
        numbers = {**flat.settled, **flat.parameters}
        whole.visualizers += tuple(_visualizer_in(path, one, numbers) for one in flat.visualizers)
        if flat.start_time is not None:
            whole.start_time = flat.start_time
        if not path:
            whole.defaults = flat.defaults

    def _with_values(self, given: Mapping[str, float], path: str) -> FlatModel:
        try:
            return merged_flat(self.flat, given)
        except ModelError as error:
            error.path = join(path, error.path)
            raise


def _visualizer_in(path: str, visualizer: Visualizer, numbers: Mapping[str, float]) -> Visualizer:
    values = {
        key: tuple(numbers.get(e, join(path, e)) if isinstance(e, str) else e for e in elements)
        for key, elements in visualizer.values.items()
    }
    return replace(visualizer, path=join(path, visualizer.path), values=values)


def _of_whole(path: str, node: Expr) -> Expr | None:
    """Return a name of the part as it is in the whole."""
    return Name(join(path, node.name)) if type(node) is Name and node.name != TIME.name else None
