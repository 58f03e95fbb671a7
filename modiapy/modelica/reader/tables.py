"""Tables: arrays of numbers that are looked up by subscripts that change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...model.expression import Const, Expr
from ...model.tables import LookupTable, LookupTable2D
from ...symbolic.flattening.time_tables import TimeTables
from .terms.context import Context
from .terms.values import Value

_FEW = 6
"""So many elements are chosen from by comparison."""


class Tables:
    """The tables of a model; the flat model refers to each by the parameter that is its handle."""

    def __init__(self, reading: Context) -> None:
        self.reading = reading
        self._of_constants: dict[bytes, tuple[str, LookupTable | LookupTable2D]] = {}

    @cached_property
    def in_time(self) -> TimeTables:
        """Counters of the kinks of tables of time."""
        return TimeTables(self.reading.flat.variables, self.reading.flat.equations)

    @cached_property
    def _equations(self) -> dict[str, Any]:
        """Trees of equations ``variable = expression``, by the name of the variable."""
        binary = (tree["residual"].get("Binary") for tree in self.reading.trees["equations"])
        sides = ((b["lhs"].get("VarRef"), b["rhs"]) for b in binary if b is not None and b["op"] == "Sub")
        return {left["name"]["name"]: right for left, right in sides if left is not None and not left["subscripts"]}

    def definition(self, name: str) -> Expr | None:
        """Return the definition of a variable by an equation ``name = expression``; None if there is none."""
        tree = self._equations.get(name)
        value = self.reading.interpreter.value(tree) if tree is not None else None
        return value if isinstance(value, Expr) else None

    def add(self, table: LookupTable | LookupTable2D) -> str:
        """Add a table to the equations; return its name."""
        flat = self.reading.flat
        name = f"table({len(flat.objects) + 1})"
        flat.parameters[name] = table.handle
        flat.objects = {**flat.objects, name: table}
        return name

    def of_constants(self, value: np.ndarray, subscripts: Sequence[Value]) -> Value | None:
        """Return the element of an array of numbers, by a table; None for a few elements, or if they are no numbers."""
        flat = [item for item in value.flat if type(item) is Const]
        scalar = all(isinstance(s, Expr) for s in subscripts)
        if len(flat) != value.size or value.size <= _FEW or value.ndim > 2 or len(subscripts) != value.ndim or not scalar:
            return None
        numbers = np.array([item.value for item in flat]).reshape(value.shape)
        key = repr((value.shape, numbers.tobytes())).encode()
        if key not in self._of_constants:
            table = _steps(numbers)
            self._of_constants[key] = self.add(table), table
        name, table = self._of_constants[key]
        return table.call(name, list(subscripts))[0]


def _steps(numbers: np.ndarray) -> LookupTable | LookupTable2D:
    """Return a table whose value at k is the k-th number."""
    abscissas = [np.arange(1, n + 1) - 0.5 for n in numbers.shape]
    if numbers.ndim == 1:
        return LookupTable(np.column_stack([abscissas[0], numbers]), "constant", "hold")
    data = np.zeros((numbers.shape[0] + 1, numbers.shape[1] + 1))
    data[1:, 0], data[0, 1:], data[1:, 1:] = abscissas[0], abscissas[1], numbers
    return LookupTable2D(data, "constant", "hold")
