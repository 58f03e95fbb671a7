"""Layout of arrays in memory: sizes and offsets are data, so that one machine code serves arrays of all sizes.

The code generator asks for *words*: each is a description of a number (`Word`) that depends on shapes. `ArrayLayout` gives
these numbers for the shapes of one simulation. Scalars keep fixed places: states, unknowns and inputs come first, arrays after
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model.expression import Apply, Expr, Name
from ..flat.flat_model import FlatModel
from ..kernels.linear_memory import LINEAR
from ..kernels.newton_memory import NEWTON
from ..sorted.parts import LinearBlock, NonlinearBlock
from ..sorted.sorted_model import SortedModel
from ..terms.arrays import Shape, element_name, element_names, flat_indices, offsets, shape_at, shape_of, size
from .context import AT_EVENTS, MODES, event_sizes
from .systems import System

Word = tuple[str, Expr | int, int]
"""Kind, argument and position (0 where it has no meaning) of a number that depends on shapes.

- ``size`` of an expression, ``rows``, ``inner``, ``columns`` of a product, ``length`` of an array along dimension ``position``
- ``state``, ``unknown`` of a name: offset of the array in the state vector, in the row of unknowns
- ``memory`` of an expression: offset of its value in the memory of arrays
- ``gather`` of a subscript or a transposition: offset there of the flat indices in the operand
- ``first`` of a subscript: flat index of its first element
- of the system of equations that is block k: ``system``: offset of its memory in the workspace, ``field``: of the field at
  ``position`` there (`Layout.fields`), ``place``: of the variable at ``position`` among its unknowns and opened variables,
  ``given``: 1 if an integrator of residuals supplies the unknowns, ``column``: offset in the memory of arrays of a column
- ``past``, ``present`` of ``pre(x)``: offset of its value before an event in the memory of modes, after it in that of
  time events; ``reinit`` of k: offset there of array re-initialisation k
- ``unknowns``: length of the row of unknowns
"""


def split(names: Sequence[str], values: Sequence[float] | np.ndarray, shapes: Mapping[str, Shape]) -> dict[str, Any]:
    """Return the floats and arrays by name, from the values of all one after the other."""
    if not shapes:
        return dict(zip(names, map(float, values), strict=True))
    row = np.asarray(values, dtype=float)
    places, _ = offsets(names, shapes)
    result: dict[str, Any] = {}
    for name, first in places.items():
        shape = shape_at(name, shapes)
        result[name] = row[first : first + size(shape)].reshape(shape).copy() if shape else float(row[first])
    return result


def dimensions(product: Apply, shapes: Mapping[str, Shape]) -> tuple[int, int, int]:
    """Return (m, k, n) of the product (m, k) @ (k, n) where vectors are rows or columns."""
    a, b = (shape_of(arg, shapes) for arg in product.args)
    return size(a[:-1]), b[0], size(b[1:])


def array_values(flat: FlatModel) -> dict[str, np.ndarray]:
    """Return the values of array parameters and of array inputs at the top level."""
    inputs = [v for name, v in flat.variables.items() if v.input and flat.shapes.get(name)]
    given = {v.name: np.zeros(flat.shapes[v.name]) if v.start is None else np.asarray(v.start, dtype=float) for v in inputs}
    return {**flat.arrays, **given}


@dataclass
class ArrayLayout:
    """Offsets and sizes for the shapes of one simulation.

    Attributes:
        model: what is simulated.
        shapes: of all arrays by name.
        systems: with array unknowns, by the number of their block.
        states, unknowns: offset of each state, of each unknown and input in the row of unknowns.
        n_states, n_unknowns: lengths of the state vector (without components) and of the row of unknowns.
        remembered, n_memory: offset of each value of ``pre(...)`` (scalars, then arrays by that name), and how many there are.
        reinits, n_reinits: for each re-initialisation of an array the offset of (active, elements), and the length of all.
    """

    model: SortedModel
    shapes: Mapping[str, Shape]
    systems: Mapping[int, System] = field(default_factory=dict)
    states: dict[str, int] = field(init=False)
    unknowns: dict[str, int] = field(init=False)
    n_states: int = field(init=False)
    n_unknowns: int = field(init=False)
    remembered: dict[str, int] = field(init=False)
    n_memory: int = field(init=False)
    reinits: list[int] = field(default_factory=list)
    n_reinits: int = 0
    _used: int = 0
    _places: dict[tuple[str, Expr | int], int] = field(default_factory=dict)
    _indices: list[tuple[int, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.states, self.n_states = offsets(self.model.states, self.shapes)
        self.unknowns, self.n_unknowns = offsets(self.model.stored, self.shapes)
        discrete = self.model.discrete
        remembered = [m.name for m in discrete.memory] + [m.before for m in discrete.array_memory]
        self.remembered, self.n_memory = offsets(remembered, self.shapes)
        for reinit in discrete.array_reinits:
            self.reinits.append(self.n_reinits)
            self.n_reinits += 1 + size(shape_of(reinit.state, self.shapes))

    def shape(self, name: str) -> Shape:
        """Return the shape of a variable or of its derivative."""
        return shape_at(name, self.shapes) if self.shapes else ()

    def state_names(self) -> list[str]:
        """Return the names of all states, elements of arrays one by one."""
        return element_names(self.model.states, self.shapes)

    def numbers(self, words: Iterable[Word]) -> np.ndarray:
        """Return the values of words, int64; what lies in the memory of arrays gets its place here."""
        return np.array([self._number(*word) for word in words], dtype=np.int64)

    def by_element(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Return the values of scalars and of all elements of arrays, by name; a number stands for all elements."""
        return by_element(values, self.shapes)

    def memory(self, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the memory of arrays (eight-byte words) after `numbers`: values of parameters, indices."""
        memory = np.zeros(self._used)
        integers = memory.view(np.int64)
        for (kind, what), place in self._places.items():
            if kind == "memory" and type(what) is Name and what.name in arrays:
                value = arrays[what.name]
                memory[place : place + value.size] = value.reshape(-1)
        for place, indices in self._indices:
            integers[place : place + indices.size] = indices
        return memory

    def memory_of(self, name: str, memory: np.ndarray) -> np.ndarray:
        """Return the elements of an array of the model in the memory of arrays, shape (size,)."""
        place = self._places["memory", Name(name)]
        return memory[place : place + size(shape_at(name, self.shapes))]

    def _number(self, kind: str, what: Expr | int, index: int) -> int:
        if isinstance(what, int):
            if kind == "reinit":
                return AT_EVENTS.offset("array_reinit", **event_sizes(self.model, self.n_memory)) + self.reinits[what]
            return self._of_system(kind, what, index) if kind != "unknowns" else self.n_unknowns
        if kind == "size":
            return size(shape_of(what, self.shapes))
        if kind == "length":
            return shape_of(what, self.shapes)[index]
        if kind == "memory":
            return self._place(kind, what, size(shape_of(what, self.shapes)))
        if type(what) is Name and kind in ("past", "present"):
            sizes = event_sizes(self.model)
            first = MODES.offset("memory", **sizes) if kind == "past" else AT_EVENTS.offset("present", **sizes)
            return first + self.remembered[what.name]
        if type(what) is Name:
            return (self.states if kind == "state" else self.unknowns)[what.name]
        assert type(what) is Apply
        if kind in ("rows", "inner", "columns"):
            return dimensions(what, self.shapes)[("rows", "inner", "columns").index(kind)]
        indices = flat_indices(what, self.shapes)
        if kind == "first":
            return int(indices[0]) if indices.size else 0
        place = self._place(kind, what, indices.size)
        self._indices.append((place, indices))
        return place

    def _of_system(self, kind: str, k: int, index: int) -> int:
        block, system = self.model.blocks[k], self.systems[k]
        assert isinstance(block, LinearBlock | NonlinearBlock)
        if kind == "place":
            names = (*block.unknowns, *(block.opened if isinstance(block, NonlinearBlock) else ()))
            return offsets(names, self.shapes)[0][names[index]]
        if kind == "given":
            return int(system.given)
        if kind == "column":
            return self._place(kind, k, system.size)
        fields = list((LINEAR if isinstance(block, LinearBlock) else NEWTON).fields)
        return system.offset + (system.field(fields[index]) if kind == "field" else 0)

    def _place(self, kind: str, what: Expr | int, words: int) -> int:
        place = self._places.get((kind, what))
        if place is None:
            place = self._places[kind, what] = self._used
            self._used += words
        return place


def by_element(values: Mapping[str, Any], shapes: Mapping[str, Shape]) -> dict[str, float]:
    """Return the values of scalars and of all elements of arrays, by name; a number stands for all elements."""
    result: dict[str, float] = {}
    for name, value in values.items():
        shape = np.shape(value) or shape_at(name, shapes)
        if shape:
            elements = np.broadcast_to(value, shape)
            result |= {element_name(name, p): float(elements[p]) for p in np.ndindex(shape)}
        else:
            result[name] = float(value)
    return result
