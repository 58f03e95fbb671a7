"""Table of the place of each variable of the equations: among states, computed unknowns, or parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from ...acausal.protocol import AcausalComponent
from ...acausal.reading import Reader
from ...model.errors import ModelError, nearest
from ...model.expression import evaluate
from ...model.tables import table_at
from ...symbolic.codegen.array_layout import ArrayLayout
from ...symbolic.sorted.sorted_model import SortedModel
from ...symbolic.terms.arrays import element_name
from ..files.schema import Damaged, anything, each, one_of, parts, record, table, text, whole


class Points(Protocol):
    """Stored points: ``time`` (nt,), all states ``x`` (nt, n), ``unknowns`` (nt, n_unknowns)."""

    @property
    def time(self) -> np.ndarray: ...
    @property
    def x(self) -> np.ndarray: ...
    @property
    def unknowns(self) -> np.ndarray: ...


@dataclass(frozen=True, slots=True)
class Source:
    """``factor * row[index]`` of the states or of the unknowns, ``factor * time``, or the constant ``factor``.

    With a ``shape`` it is an array, whose elements follow one another from ``index`` on.
    """

    kind: str  # "state", "unknown", "time" or "constant"
    index: int = 0
    factor: float | np.ndarray = 1.0
    shape: tuple[int, ...] = ()

    def scaled(self, sign: float | np.ndarray) -> Source:
        """Return the source multiplied by ``sign``."""
        return Source(self.kind, self.index, sign * self.factor, self.shape)

    def element(self, position: tuple[int, ...]) -> Source:
        """Return an element of an array. Raises KeyError if there is no such element."""
        if len(position) != len(self.shape) or any(k >= n for k, n in zip(position, self.shape, strict=True)):
            raise KeyError(position)
        if isinstance(self.factor, np.ndarray):
            return Source("constant", factor=float(self.factor[position]))
        return Source(self.kind, self.index + int(np.ravel_multi_index(position, self.shape)), self.factor)

    def names(self, name: str) -> list[tuple[int, str]]:
        """Return the index and name of the variable ``name``, or of all elements of the array."""
        elements = [element_name(name, p) for p in np.ndindex(self.shape)] if self.shape else [name]
        return list(enumerate(elements, self.index))

    def value(self, time: float, x: np.ndarray, unknowns: np.ndarray) -> Any:
        """Return the value at one point in time, a float or an array."""
        kind = self.kind
        if kind == "constant":
            return self.factor
        if kind == "time":
            return self.factor * time
        row = x if kind == "state" else unknowns
        if self.shape:
            return self.factor * row[self.index : self.index + math.prod(self.shape)].reshape(self.shape)
        return self.factor * float(row[self.index])

    def values(self, points: Points) -> np.ndarray:
        """Return the values over time, shape (nt, ...); only the required data of the points is read."""
        if self.kind == "constant":
            return np.broadcast_to(self.factor, (points.time.size, *self.shape)).copy()
        if self.kind == "time":
            return points.time.copy() if self.factor == 1.0 else self.factor * points.time
        table = points.x if self.kind == "state" else points.unknowns
        if self.shape:
            rows = table[:, self.index : self.index + math.prod(self.shape)]
            return np.multiply(self.factor, rows.reshape(table.shape[0], *self.shape))
        column = table[:, self.index]
        return column.copy() if self.factor == 1.0 else self.factor * column


_DATA = record(
    states=whole,
    unknowns=whole,
    sources=table(parts(one_of("state", "unknown", "time", "constant"), whole, anything, each(whole))),
)
"""What `SignalTable.to_data` gives."""


class SignalTable(Mapping[str, Source]):
    """Sources of all variables, parameters and inputs of the equations, by full path; derivatives of states as ``der(x)``.

    Attributes:
        n_states, n_unknowns: how many there are of the equations, elements of arrays counted.
        internal: names of variables by which components work, found by these names but not listed as signals.
        gathered: numbers that components read together, by the path of the component and their names relative to it.
    """

    def __init__(
        self,
        sorted_model: SortedModel,
        parameters: Mapping[str, float],
        layout: ArrayLayout,
        arrays: Mapping[str, np.ndarray],
        components: Mapping[str, AcausalComponent] = MappingProxyType({}),
    ) -> None:
        self.n_states, self.n_unknowns = layout.n_states, layout.n_unknowns
        self.gathered: dict[tuple[str, tuple[str, ...]], Gathered] = {}
        self._sources: dict[str, Source] = {"time": Source("time")}
        self._states = {i: name for name, i in layout.states.items()}
        self._sources |= {name: Source("state", i, 1.0, layout.shape(name)) for name, i in layout.states.items()}
        self._sources |= {name: Source("unknown", i, 1.0, layout.shape(name)) for name, i in layout.unknowns.items()}
        constant = {name: value for name, value in arrays.items() if name not in layout.unknowns}
        self._sources |= {name: Source("constant", 0, value, value.shape) for name, value in constant.items()}
        numbers = {name: value for name, value in parameters.items() if table_at(value) is None}  # a table is no signal
        self._sources |= {name: Source("constant", factor=value) for name, value in numbers.items()}
        for name, alias in sorted_model.aliases.items():
            if not alias.of and alias.value is not None:
                self._sources[name] = Source("constant", factor=_constant(alias.value, parameters))
        for name in sorted_model.aliases:
            self._follow(name, sorted_model)
        for state, derivative in zip(sorted_model.states, sorted_model.derivatives, strict=True):
            self._sources.setdefault(f"der({state})", self._follow(derivative, sorted_model))
        for name in list(sorted_model.aliases):
            self._derivative_of_alias(name)
        self.hidden = {name: self._sources.pop(name) for name in sorted_model.discrete.hidden if name in self._sources}
        """Sources of variables that the user did not write."""
        for name in self.hidden:
            self._sources.pop(f"der({name})", None)
        own = tuple(f"{relative_name(path, name)}." for path, c in components.items() for name in c.reserved_names)
        self.internal = frozenset(name for name in self._sources if name.removeprefix("der(").startswith(own))

    def to_data(self) -> dict[str, Any]:
        """Return the table as plain data."""
        sources = {name: [s.kind, s.index, np.asarray(s.factor).tolist(), list(s.shape)] for name, s in self._sources.items()}
        data = {"states": self.n_states, "unknowns": self.n_unknowns, "sources": sources}
        return data | ({"internal": sorted(self.internal)} if self.internal else {})

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> SignalTable:
        """Return the table that `to_data` described. Raises Damaged or ValueError where it is something else."""
        internal = data.get("internal", [])
        _DATA({key: value for key, value in data.items() if key != "internal"}, "table")
        each(text)(internal, "table.internal")
        table = cls.__new__(cls)
        table._states, table.hidden, table._sources, table.gathered = {}, {}, {}, {}
        table.n_states, table.n_unknowns, table.internal = data["states"], data["unknowns"], frozenset(internal)
        columns = {"state": table.n_states, "unknown": table.n_unknowns}
        for name, (kind, index, factor, shape) in data["sources"].items():
            value = np.array(factor, dtype=float) if isinstance(factor, list) else float(factor)
            inside = kind not in columns or index + math.prod(shape) <= columns[kind]
            shapes = [tuple(shape)] if kind == "constant" else [(), tuple(shape)]
            if not inside or np.shape(value) not in shapes:
                raise Damaged(f"table.sources.{name}: a source that is not in the data")
            table._sources[name] = Source(kind, index, value, tuple(shape))
        return table

    def _follow(self, name: str, sorted_model: SortedModel) -> Source:
        source = self._sources.get(name)
        if source is None:
            alias = sorted_model.aliases[name]
            source = self._sources[name] = self._follow(alias.of, sorted_model).scaled(alias.sign)
        return source

    def _derivative_of_alias(self, name: str) -> None:
        source = self._sources[name]
        if source.kind == "state":
            derivative = self._sources[f"der({self._states[source.index]})"]
            self._sources.setdefault(f"der({name})", derivative.scaled(source.factor))

    @property
    def listed(self) -> list[str]:
        """Names of all signals, without those that are `internal`."""
        return [name for name in self._sources if name not in self.internal]

    def find(self, name: str) -> Source | None:
        """Return the source of a variable; None if there is none.

        This is the fast way for variables that are read at each event.
        """
        return self._sources.get(name) or self.get(name)

    def __getitem__(self, name: str) -> Source:
        source = self._sources.get(name)
        if source is None:
            whole, bracket, index = name.rpartition("[")
            if not bracket or not re.fullmatch(r"\d+(,\d+)*\]", index):
                raise KeyError(name)
            source = self._sources[whole].element(tuple(map(int, index[:-1].split(","))))
        return source

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def _constant(expr, known: Mapping[str, float]) -> float:  # type: ignore[no-untyped-def]
    try:
        return evaluate(expr, known)
    except (ArithmeticError, ValueError, KeyError):
        return math.nan


def relative_name(path: str, name: str) -> str:
    """Return the full path of ``name`` in the component ``path`` ("" is the top level)."""
    if not path:
        return name
    return f"der({path}.{name[4:]}" if name.startswith("der(") else f"{path}.{name}"


class PresentReader(Reader):
    """Reader of variables at one point, by path relative to a component; an unknown name raises a ModelError.

    Args:
        table: of the equations. path: of the component.
        time: [s]. x: all states (n,). unknowns: all computed variables (n_unknowns,).
    """

    def __init__(self, table: SignalTable, path: str, time: float, x: np.ndarray, unknowns: np.ndarray) -> None:
        self._table, self._path = table, path
        self._point = time, x, unknowns

    def __call__(self, name: str) -> float:
        value: float = _source(self._table, self._path, name).value(*self._point)
        return value

    def all(self, names: tuple[str, ...]) -> np.ndarray:
        """See `Reader`."""
        table, path = self._table, self._path
        together = table.gathered.get((path, names))
        if together is None:
            together = table.gathered[path, names] = Gathered([_source(table, path, name) for name in names], table)
        return together.values(*self._point)


class Gathered:
    """Numbers of a table that are read together.

    Args:
        sources: of each of them. table: theirs.
    """

    def __init__(self, sources: Sequence[Source], table: SignalTable) -> None:
        self._n_states, self._n = table.n_states, table.n_states + table.n_unknowns
        first = {"state": 0, "unknown": self._n_states, "time": self._n, "constant": self._n + 1}
        self._places = np.array([first[source.kind] + source.index for source in sources], dtype=np.int64)
        self._factors = np.array([float(source.factor) for source in sources])
        self._are_states = all(source.kind == "state" and source.factor == 1.0 for source in sources)

    def values(self, time: float, x: np.ndarray, unknowns: np.ndarray) -> np.ndarray:
        """Return the values at one point in time, shape (len(sources),); see `Source.value`."""
        if self._are_states:
            return x[self._places]  # type: ignore[no-any-return]
        row = np.empty(self._n + 2)
        row[: self._n_states], row[self._n_states : self._n] = x[: self._n_states], unknowns
        row[self._n], row[self._n + 1] = time, 1.0
        return self._factors * row[self._places]  # type: ignore[no-any-return]


def state_index_in(table: SignalTable, path: str) -> Callable[[str], tuple[int, float] | None]:
    """Return the function by which the component at ``path`` finds variables among the states, see `StateIndex`."""

    def place(name: str) -> tuple[int, float] | None:
        source = _source(table, path, name)
        return (source.index, float(source.factor)) if source.kind == "state" and not source.shape else None

    return place


def _source(table: SignalTable, path: str, name: str) -> Source:
    """Return the source of a variable by its path relative to a component. Raises ModelError where there is none."""
    full = relative_name(path, name) if path else name
    source = table.find(full)
    if source is None:
        raise ModelError(f"there is no variable '{full}'", path=path, remedy=nearest(full, table))
    return source
