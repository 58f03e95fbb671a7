"""A loaded model as a part of others: its connectors are ports, its parameters and variables entries of a submodel."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...model.errors import ModelError
from ...model.expression import ZERO, Const, Equation, Expr, Name, names, rewrite, substitute
from ...model.model import FLAT, Model, Par, Var
from ...model.parser import parse
from ...model.places import without_places
from ...model.scoping import moved_in
from ...symbolic.flat.flat_model import FlatModel, Variable
from ...symbolic.flat.part import FlatPart
from ...symbolic.flattening.delays import with_written_delays
from ...symbolic.flattening.instance import check_name


@dataclass(frozen=True)
class Notes:
    """Notes of the source on a parameter: its unit, what it is, and whether it is a Boolean."""

    unit: str = ""
    description: str = ""
    boolean: bool = False


@dataclass
class LoadedModel(FlatModel):
    """A model read from Modelica source: simulated alone, or a submodel of others.

    ``Model(drive=loaded, ...)`` makes a submodel of it, ``loaded | Map(J=2.0)`` one with other values. The connectors at its
    top are ports then, which are connected with others; alone, nothing flows through them.

    Attributes:
        ports: variables of connectors at the top: "potential" or "flow".
        open: parameters that may be modified, with notes: all but final, protected and constant ones.
    """

    ports: Mapping[str, str] = field(default_factory=dict)
    open: Mapping[str, Notes] = field(default_factory=dict)

    def __or__(self, changes: Mapping[str, Any]) -> Model:
        """Return the submodel with other values, as of a `Model`."""
        return self.as_entry() | changes

    def as_entry(self) -> Model:
        """Return the submodel that stands for it.

        Raises:
            ModelError: an input is an array.
        """
        with without_places():
            return _Submodel(self).model()


class _Submodel:
    """Entries of a submodel, nested as the names are, and the part that stands behind them.

    A name of which some piece is none of Python's, as that of an element of an array of components, is no entry.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        self.loaded = loaded
        self.flat = with_written_delays(loaded)
        self.root: dict[str, Any] = {}
        self.elements: dict[str, str] = {}

    def model(self) -> Model:
        """Return the submodel of the component."""
        shown = {name: v for name, v in self.flat.variables.items() if not v.literals and _is_path(name)}
        self._add_parameters()
        for name, variable in shown.items():
            self._put(name, self._variable(variable))
        for name, variable in self.flat.variables.items():
            if variable.input and name not in shown:
                raise ModelError(
                    "an input of a component that is an array or a part of one cannot be connected",
                    path=f"{self.loaded.name}.{name}",
                    expected="scalar inputs",
                )
        closed = {Equation(Name(name), ZERO, "", f"{name} = 0") for name in self.loaded.ports}
        hidden = {name: variable for name, variable in self.flat.variables.items() if name not in shown}
        equations = [e for e in self.flat.equations if e not in closed]
        plain = {f.name: getattr(self.flat, f.name) for f in FlatModel.__dataclass_fields__.values()}
        part = FlatModel(**{**plain, "variables": hidden, "equations": equations})
        return _nested(self.root) | Model({FLAT: FlatPart(part, self.elements)})

    def _put(self, name: str, entry: Any) -> None:
        *owners, key = name.split(".")
        here = self.root
        for owner in owners:
            here = here.setdefault(owner, {})
        here[key] = entry

    # -- variables -----------------------------------------------------------------------------------------------------

    def _variable(self, variable: Variable) -> Var:
        role = self.loaded.ports.get(variable.name)
        given = {
            "init": self._initial(variable, "init"),
            "start": self._initial(variable, "start"),
            "nominal": variable.nominal,
            "state_select": variable.state_select if variable.state_select != "default" else None,
            "type": variable.type if variable.type != "Real" else None,
            "unit": variable.unit or None,
            "description": variable.description or None,
            "input": variable.input or None,
            "output": variable.output or None,
            "observed": variable.observed or None,
        }
        attributes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        attributes |= {role: True} if role else {}
        return Var(**attributes)

    def _initial(self, variable: Variable, attribute: str) -> Any:
        value = getattr(variable, attribute)
        binding = self.flat.bindings.get(f"{variable.name}.{attribute}")
        return value if binding is None else self._text(binding, variable.name)

    # -- parameters ----------------------------------------------------------------------------------------------------

    def _add_parameters(self) -> None:
        """Add entries of all parameters that may be modified, arrays as such; what follows from others is an expression."""
        values = {**self.flat.settled, **self.flat.parameters}
        arrays: dict[str, dict[tuple[int, ...], str]] = {}
        for name in values:
            whole, _, index = name.partition("[")
            if whole in self.loaded.open and _is_path(whole) and index.count("]") == (1 if index else 0):
                position = tuple(int(k) - 1 for k in index[:-1].split(",")) if index else ()
                arrays.setdefault(whole, {})[position] = name
        for whole, elements in arrays.items():
            for position, name in elements.items():
                self.elements[name] = whole + (f"[{','.join(map(str, position))}]" if position else "")
        waiting = dict(arrays)
        while unwritten := [whole for whole, elements in waiting.items() if not self._written(whole, elements)]:
            for whole in unwritten:  # its expression cannot be written as a text: it follows, but is no entry
                for name in waiting.pop(whole).values():
                    del self.elements[name]
        for whole, elements in waiting.items():
            notes = self.loaded.open[whole]
            given: dict[str, Any] = {"unit": notes.unit, "description": notes.description}
            value = self._value(whole, elements, values, boolean=notes.boolean)
            self._put(whole, Par(value, **{key: text for key, text in given.items() if text}))

    def _written(self, whole: str, elements: Mapping[tuple[int, ...], str]) -> bool:
        bindings = self.flat.bindings
        return all(_reads_back(self._expr(bindings[name])) for name in elements.values() if name in bindings)

    def _value(self, whole: str, elements: Mapping[tuple[int, ...], str], values: Mapping[str, float], *, boolean: bool) -> Any:
        def of(name: str) -> Any:
            binding = self.flat.bindings.get(name)
            number = values[name]
            plain: Any = bool(number) if boolean else int(number) if number == int(number) and abs(number) < 1e15 else number
            return plain if binding is None else self._text(binding, whole)

        if () in elements:
            return of(elements[()])
        shape = tuple(max(position[k] for position in elements) + 1 for k in range(len(next(iter(elements)))))
        array = np.empty(shape, dtype=object)
        for position in itertools.product(*map(range, shape)):
            array[position] = of(elements[position])
        return array.tolist()

    def _text(self, binding: Expr, name: str) -> Any:
        """Return an expression as it is written at the place of an entry: its names are those of the submodel."""
        expr = self._expr(binding)
        return expr.value if type(expr) is Const else moved_in(str(expr), name.count("."))

    def _expr(self, binding: Expr) -> Expr:
        """Return an expression in terms of entries."""
        while hidden := {name for name in names(binding) if name not in self.elements}:
            values: dict[str, Expr] = {
                name: self.flat.bindings.get(name, Const(self.flat.parameters.get(name, self.flat.settled.get(name, 0.0))))
                for name in hidden
            }
            binding = substitute(binding, values)
        return rewrite(binding, lambda node: Name(self.elements[node.name]) if type(node) is Name else None)


def _nested(entries: Mapping[str, Any]) -> Model:
    return Model({key: _nested(entry) if type(entry) is dict else entry for key, entry in entries.items()})


def _reads_back(expr: Expr) -> bool:
    """Return whether the text of an expression means the expression."""
    try:
        return parse(str(expr)) == expr
    except ModelError:
        return False


def _is_path(name: str) -> bool:
    """Return whether a name can be that of an entry."""
    try:
        for piece in name.split("."):
            check_name(piece, None, "")
            if piece.startswith("_") or not piece.isidentifier():
                return False
    except ModelError:
        return False
    return True
