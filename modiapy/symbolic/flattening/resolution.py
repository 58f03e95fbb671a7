"""Meaning of the names in the equations of one model."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from ...model.errors import ModelError, nearest
from ...model.expression import (
    CONSTANTS,
    TIME,
    Apply,
    Const,
    Equation,
    Expr,
    Name,
    Text,
    names,
    rewrite,
)
from ...model.model import EXPANDABLE, Model, Par, Var, is_number
from ...model.tables import LookupTable
from ...model.when import ClockDefinition
from ..flat.flat_model import Assertion, Variable, WhenEquation
from ..terms.names import join
from .connections import Connections, record_at
from .control import integer
from .instance import (
    Instance,
    Target,
    compare_texts,
    element,
    find_function,
    literal_index,
    literals_of,
    locate,
    offered,
    suggest,
)
from .meanings import other_meaning, warn_of
from .time_tables import TimeTables, argument_of_time


class Resolution:
    """Resolves the names in the equations of one instance.

    Args:
        instance: whose equations.
        mentioned: receives the inputs of submodels and the signals of buses that they mention.
        handles: receives the handles of the tables that they call, by path.
        connections: of the whole model.
    """

    def __init__(self, instance: Instance, mentioned: set[str], handles: dict[str, float], connections: Connections) -> None:
        self.connections = connections
        self.instance = instance
        self.mentioned, self.handles = mentioned, handles
        self.known: dict[tuple[str, str], Expr] = {("time", ""): TIME}
        self.added: list[Equation] = []
        self.whens: list[WhenEquation] = []
        self.assertions: list[Assertion] = []
        self.clocks: dict[str, ClockDefinition] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.variables: dict[str, Variable] = {}
        self.time_tables = TimeTables(self.variables, self.added)
        self.levels = 0

    def outside(self, levels: int) -> Self:
        """Return the same for a text of the instance that was written so many models further out, see `model.scoping`."""
        if not levels:
            return self
        other = copy.copy(self)
        other.levels, other.known = levels, {("time", ""): TIME}
        return other

    def target(self, name: str, skip: str = "") -> Target | None:
        """Return the target of a name."""
        return locate(self.instance, name, skip, self.levels)

    def resolve(self, expr: Expr, text: str, skip: str = "") -> Expr:
        """Return an expression of the equation ``text`` with all names by full path; ``skip`` is the variable that it is bound
        to.
        """

        def change(node: Expr) -> Expr | None:
            if type(node) is Name:
                return self.name(node.name, text, skip)
            if type(node) is Text:
                return self.literal(node.value, text)
            if type(node) is Apply and node.op in ("==", "!="):
                return self.comparison(node, text)
            if type(node) is Apply and node.op == "element":
                return self.element(node, text, skip)
            if type(node) is not Apply or node.op != "call":
                return None
            results = self.results(node, text, skip)
            if len(results) > 1:
                raise ModelError(
                    f"'{node.args[0]}' in '{text}' has {len(results)} results",
                    path=self.instance.path,
                    expected="one result in an expression",
                    remedy=f"Write ({', '.join('abcdefgh'[: len(results)])}) = {node.args[0]}(...).",
                )
            return results[0]

        return rewrite(expr, change)

    def comparison(self, node: Apply, text: str) -> Expr | None:
        """Return ``kind == "PI"`` as 0 or 1; None if no side is text."""

        def text_of(side: Expr) -> str | None:
            if type(side) is Text:
                return side.value
            target = self.target(side.name) if type(side) is Name else None
            value = target.instance.values.get(target.key) if target is not None else None
            return value if isinstance(value, str) else None

        for one, other in (node.args, node.args[::-1]):
            if type(one) is not Name or type(other) is not Text:
                continue
            target = self.target(one.name)
            if target is None:
                raise self.unknown(one.name, text)
            if literals := literals_of(target.instance.model[target.key]):
                return Apply(node.op, (self.resolve(one, text), literal_index(other.value, literals, text, self.instance.path)))
        return compare_texts(node, text_of, text, self.instance.path)

    def literal(self, value: str, text: str) -> Expr:
        """Number of a literal of an enumeration, found by the variables of this model and of its submodels."""
        types = {literals_of(var) for i in self.instance.walk() for var in i.variables.values()}
        having = {t for t in types if value in t}
        if len({t.index(value) for t in having}) == 1:
            return literal_index(value, having.pop(), text, self.instance.path)
        raise ModelError(
            f"'{value}' in '{text}' is text",
            path=self.instance.path,
            found=f"{len(having)} enumerations with this literal" if having else "no variable of an enumeration that has it",
            expected="a number, a comparison of parameters, or a literal of Var(type=(...))",
            remedy=nearest(value, [word for t in types for word in t]),
        )

    def element(self, node: Apply, text: str, skip: str) -> Expr:
        """Return ``x[i]`` with indices that parameters, and indices of `For`, determine."""
        array, *indices = node.args
        known = [integer(self.resolve(i, text), self.handles, text, self.instance.path) for i in indices]
        position = f"[{','.join(map(str, known))}]"
        if type(array) is Name:
            return self.name(f"{array}{position}", text, skip)
        return Apply(position, (self.resolve(array, text),))

    def results(self, node: Apply, text: str, skip: str = "") -> list[Expr]:
        """Return the results of the call of a function of the model, all names by full path."""
        assert type(node.args[0]) is Name
        if node.args[0].name.startswith("Connections."):
            return [self.rooted(node, text)]
        name, args = node.args[0].name, [self.resolve(a, text, skip) for a in node.args[1:]]
        function, path = find_function(
            self.instance, name, len(args), text, self.instance.path, lambda p: p.instance.values[p.key], self.levels
        )
        handle = getattr(function, "handle", None)
        if handle is not None:
            self.handles[path] = handle
        if isinstance(function, LookupTable):
            return self.table(function, path, args[0], text)
        return function.call(path, args)

    def table(self, table: LookupTable, path: str, u: Expr, text: str) -> list[Expr]:
        """Return the results of a table, with time events where its argument u grows like time."""
        argument = argument_of_time(u, lambda e: names(e) <= self.handles.keys())
        if argument is None:
            return table.call(path, [u])
        label = join(self.instance.path, path.rpartition(".")[2])
        return self.time_tables.results(table, path, argument, (label, self.instance.path, text))

    def rooted(self, node: Apply, text: str) -> Expr:
        """Return 0 or 1: ``Connections.is_root(R)``, ``Connections.rooted(R)`` (nearer to the root than its branch's other
        end).
        """
        path, function = self.instance.path, str(node.args[0])
        if function not in ("Connections.is_root", "Connections.rooted") or len(node.args) != 2:
            expected = "Connections.is_root(a.R) or Connections.rooted(a.R)"
            raise ModelError(f"'{function}' in '{text}' is not a function of one record", path=path, expected=expected)
        graph, forest = self.connections.graph, self.connections.forest
        record = record_at(self.instance, str(node.args[1]), text, self.connections.records)
        if function == "Connections.is_root":
            return Const(forest.is_root(record))
        ends = [e.b if e.a == record else e.a for e in graph.branches if record in (e.a, e.b)]
        if len(ends) != 1:
            raise ModelError(
                f"'{node.args[1]}' in '{text}' belongs to {len(ends)} branches", path=path, expected="one Connections.branch"
            )
        return Const(forest.parent.get(ends[0]) == record)

    def name(self, name: str, text: str, skip: str) -> Expr:
        """Return the meaning of a name: a variable here or below, a parameter here, below or in an enclosing model, a
        constant.
        """
        key = (name, skip if name == skip else "")
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.find(name, text, skip)
        return found

    def find(self, name: str, text: str, skip: str) -> Expr:
        """`name`, not from the cache."""
        target = self.target(name, skip)
        if target is None:
            if name in CONSTANTS:
                return Const(CONSTANTS[name])
            if name == skip:
                raise ModelError(
                    f"'{name}' is bound to an expression of itself: '{text}'",
                    path=self.instance.path,
                    remedy=f"Write it among the equations, with {name}=Var().",
                )
            raise self.unknown(name, text)
        entry = target.instance.model[target.key]
        other = other_meaning(self.instance, name, skip, self.levels, target)
        if other is not None and (other.scope is self.instance or not isinstance(other.instance.model[other.key], Var)):
            warn_of(self.instance.path, text, target, other)
        if isinstance(entry, Var):
            if target.scope not in self.owners():
                raise ModelError(
                    f"'{name}' in '{text}' is a variable of the enclosing model '{target.scope.path or 'at the top'}'",
                    path=self.instance.path,
                    expected="a variable of this model or its submodels",
                    remedy="Declare an input or a connector and connect it.",
                )
            received = entry.get("input") and target.instance.owner() is not target.scope
            if received or EXPANDABLE in target.instance.model:
                self.mentioned.add(join(target.instance.path, target.key))
            variable = Name(join(target.instance.path, target.key))
            return Apply(target.index, (variable,)) if target.index else variable
        value = None if isinstance(entry, Model) else target.instance.values[target.key]
        value = element(value, target.index, self.instance.path, text)
        if isinstance(value, ClockDefinition):
            self.clocks[target.path] = value
            return Name(target.path)
        if isinstance(entry, Par) and entry.get("structural") and (literal := _literal(value)) is not None:
            if not np.isfinite(np.asarray(value, dtype=float)).all():
                found = f"{np.asarray(value).tolist()} in '{text}'"
                raise ModelError("the parameter has no finite value", path=target.path, found=found, expected="finite numbers")
            return literal
        if isinstance(value, np.ndarray) and value.ndim in (1, 2) and value.dtype.kind in "biuf":
            path = join(target.instance.path, target.key)
            self.arrays[path] = np.array(target.instance.values[target.key], dtype=float)
            return Apply(target.index, (Name(path),)) if target.index else Name(path)
        if not is_number(value):
            found = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise ModelError(
                f"'{name}' in '{text}' is not a number", path=self.instance.path, found=found, remedy=offered(value)
            )
        self.mentioned.add(target.path)
        return Name(target.path)

    def owners(self) -> list[Instance]:
        """Return the models whose variables a text of the instance may use: the one where it was written, and those between."""
        own = [self.instance]
        while self.levels >= len(own) and own[-1].parent is not None:
            own.append(own[-1].parent)
        return own

    def unknown(self, name: str, text: str) -> ModelError:
        """Return the error for a name that leads nowhere."""
        here: Instance | None = self.instance
        whole = name.partition("[")[0]
        for part in whole.split("."):
            here = here.children.get(part) if here is not None else None
        if here is not None:
            options = ", ".join(f"{whole}.{key}" for key in here.variables)
            return ModelError(f"'{whole}' in '{text}' is a model", path=self.instance.path, expected=options or "a variable")
        remedy = _of_component(self.instance, name) or suggest(self.instance, name)
        if "." not in name and not remedy:
            remedy = f"Declare it in the model: {whole}=Var(), or {whole}=2.0 for a parameter."
        elif "." not in name and remedy.startswith("Did you mean"):
            remedy += f" A new variable is declared: {whole}=Var()."
        return ModelError(f"unknown name '{name}' in '{text}'", path=self.instance.path, remedy=remedy)


def _literal(value: Any) -> Expr | None:
    """Return the value of a structural parameter as an expression: a number, or a list of numbers; None for anything else."""
    if is_number(value):
        return Const(float(value))
    if not isinstance(value, np.ndarray) or not value.ndim:
        return None
    parts = [_literal(part if isinstance(part, np.ndarray) else float(part)) for part in value]
    return None if None in parts else Apply("array", tuple(p for p in parts if p is not None))


def _of_component(start: Instance, name: str) -> str:
    """Return the remark of the component to which a name leads, see `AcausalComponent`; "" if there is none."""
    scope: Instance | None = start
    while scope is not None:
        here, rest = scope, name
        while True:
            remedy = here.component.remedy_in_equations(rest) if here.component is not None else ""
            head, dot, below = rest.partition(".")
            if remedy or not dot or head not in here.children:
                break
            here, rest = here.children[head], below
        if remedy:
            return remedy
        scope = scope.parent
    return ""
