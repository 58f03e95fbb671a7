"""The tree of instances: each model in its place, and where a name that is written there leads to."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...acausal.protocol import AcausalComponent
from ...model.entry import Kind
from ...model.errors import ModelError, nearest
from ...model.expression import CONSTANTS, Apply, Const, EquationFunction, Expr, Name, evaluate, names, rewrite
from ...model.functions import is_function
from ...model.language import CALLED, names_of
from ...model.model import (
    APPENDED,
    EQUALITY,
    EXPANDABLE,
    REDECLARED,
    RESERVED,
    Map,
    Model,
    Par,
    Var,
    check_list,
    indexed,
    is_number,
)
from ...model.parser import parse
from ...model.scoping import levels_of
from ..terms.names import join
from .component_arrays import expanded


@dataclass(eq=False)
class Instance:
    """Instance of a model: the model at its path, with what surrounds it.

    Attributes:
        path: full path ("" for the top level).
        model: what the user wrote, all merged.
        parent: enclosing instance.
        children: submodels by name, in the order of declaration.
        values: evaluated parameters by name: numbers, arrays, objects that constructors returned.
        variables: variables by name; ``init`` and ``start`` are evaluated numbers, ``value`` is still text.
        made: what the model's own constructor returned.
        component: the predefined acausal component that the model stands for.
    """

    path: str
    model: Model
    parent: Instance | None = None
    children: dict[str, Instance] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Var] = field(default_factory=dict)
    made: Any = None
    component: AcausalComponent | None = None

    def walk(self) -> Iterator[Instance]:
        """Generate this instance and all below, each before its children, in the order of declaration."""
        yield self
        for child in self.children.values():
            yield from child.walk()

    def is_connector(self) -> bool:
        """Return whether the model is a connector: a bus, potential or flow variables, or only connectors and unbound
        variables.

        Of the last kind are records of signals, with inputs or outputs.
        """
        direct = self.variables.values()
        if EXPANDABLE in self.model or any(v.get("potential") or v.get("flow") for v in direct):
            return True
        return (
            (bool(self.children) or any(v.get("input") or v.get("output") for v in direct))
            and self.made is None
            and set(self.model) <= {*self.children, *self.variables, "description", EQUALITY}
            and all(v.get("value") is None for v in direct)
            and all(child.is_connector() for child in self.children.values())
        )

    def owner(self) -> Instance:
        """Return the model that a connector belongs to (for anything else the instance itself)."""
        here = self
        while here.parent is not None and here.is_connector():
            here = here.parent
        return here


@dataclass(frozen=True, slots=True)
class Target:
    """Target of a name: the entry ``key`` of ``instance``; ``index`` is the text of an array index such as ``[0]``.

    ``scope`` is the instance in which the first part of the name was found.
    """

    instance: Instance
    key: str
    index: str
    scope: Instance

    @property
    def path(self) -> str:
        """Full path of the entry, index included."""
        return join(self.instance.path, self.key) + self.index


def instantiate_tree(model: Model, path: str = "", parent: Instance | None = None) -> Instance:
    """Return the tree of instances of a model, nothing evaluated.

    Raises:
        ModelError: a name that cannot stand in an expression, a modification of something that is not there.
    """
    if not isinstance(model, Model):
        raise ModelError("this is not a Model", path=path, found=type(model).__name__)
    for key, entry in model.items():
        if "[" in key and entry is not None:  # names of elements are those of an Array only
            check_name(key, entry, join(path, key))
    instance = Instance(path, model, parent)
    instance.model = expanded(model, path, lambda value, text, where: _count(instance, value, text, where))
    make_children(instance)
    return instance


def _count(instance: Instance, value: Any, text: str, path: str) -> int:
    """Return a number of elements or repetitions: an integer, or an expression of parameters that are numbers or such
    expressions.

    Raises:
        ModelError: it is no integer, or depends on something else.
    """
    pending: list[tuple[str, str]] = []

    def number(start: Instance, given: Any, skip: str) -> float:
        if isinstance(given, Par) and "_constructor" not in given:
            given = given.get("value")
        if is_number(given):
            return float(given)
        if not isinstance(given, str) or (start.path, skip) in pending:
            raise KeyError(skip)
        pending.append((start.path, skip))
        expr, values = with_defaults(parse(given, path), start, skip, levels_of(given)), {}
        for name in names(expr):
            target = locate(start, name, skip, levels_of(given))
            if target is None or target.index:
                raise KeyError(name)
            values[name] = number(target.instance, target.instance.model[target.key], target.key)
        pending.pop()
        return evaluate(expr, values)

    try:
        found = number(instance, value, "")
        if not found.is_integer():
            raise ValueError
    except (KeyError, ValueError, ArithmeticError):
        raise ModelError(
            f"the number in '{text}' is not known",
            path=path,
            found=repr(value),
            expected="an integer, or an expression of parameters",
        ) from None
    return int(found)


def make_children(instance: Instance) -> None:
    """Make the children of an instance that are not there yet, and check the names of its entries."""
    for key in APPENDED:
        check_list(key, instance.model.get(key), instance.path)
    for key, entry in instance.model.items():
        if not is_entry(key) or entry is None:
            continue
        path = join(instance.path, key)
        if isinstance(entry, Map):
            raise ModelError(
                "there is nothing that this Map could modify", path=path, remedy="Write Model(...) for a submodel."
            )
        check_name(indexed(key)[0], entry, path)
        if isinstance(entry, Model) and REDECLARED in entry:
            raise ModelError(
                "there is no submodel to redeclare", path=path, remedy="redeclare(...) stands in a Map that is merged."
            )
        if isinstance(entry, Model) and key not in instance.children:
            instance.children[key] = instantiate_tree(entry, path, instance)


_MISSING = {
    "if": "Write 'a if condition else b'.",
    "fill": "A number as init, or beside an array, stands for all elements.",
    "zeros": "A number as init, or beside an array, stands for all elements.",
    "ones": "A number as init, or beside an array, stands for all elements.",
    "outer": "In values of parameters, outer(name, 2.0) is the parameter of that name of an enclosing model, 2.0 without one.",
    "size": "It is a function of parameters: n='size(A, 0)' as an entry of the model, then n here.",
    "product": "Write a*b, or For(...).",
    "cat": "Write concat(a, b).",
    "vector": "Write [a, b].",
    "actualStream": "There are no stream connectors.",
    "inStream": "There are no stream connectors.",
    "cardinality": "What is connected is known when the model is written: use a parameter.",
    "ln": "The natural logarithm is log(x).",
    "Clock": "A clock is an entry of the model: c=Clock(0.1), then sample(u, c).",
    "Function": "A function is an entry of the model: f=Function(python_function), then f(u).",
    "Table1D": "A table is an entry of the model: table=Table1D(data), then table(u).",
    "Table2D": "A table is an entry of the model: table=Table2D(data), then table(u1, u2).",
}
"""Functions of Modelica that are not there: name -> what is written in their place."""

_RESERVED_NAMES = frozenset(("time", *names_of(Kind.EQUATION, Kind.FUNCTION, Kind.DERIVED))) - {"delay"}
_FUNCTION_NAMES = _RESERVED_NAMES | set(CALLED)
"""Names that entries, and those that functions of a model must not have: many a block is called delay."""


def check_name(key: str, entry: Any, path: str) -> None:
    """Refuse the name of an entry that could not be written in an expression, or could be read as a path."""
    is_object = isinstance(entry, Par) and "_constructor" in entry
    if is_object and key in _FUNCTION_NAMES and is_function(entry["_constructor"]):
        raise ModelError(f"'{key}' is a function of the language", path=path, expected="another name for a function")
    if not key.isidentifier() or keyword.iskeyword(key) or (key in _RESERVED_NAMES and not is_object):
        raise ModelError(
            f"{key!r} {'has a meaning of its own' if key.isidentifier() else 'is not a name'}",
            path=path,
            expected="a name of letters, digits and underscores that is not reserved",
            remedy=f"What belongs to '{key.partition('.')[0]}' stands in a Model of that name." if "." in key else "",
        )
    if (read := unicodedata.normalize("NFKC", key)) != key:
        raise ModelError(f"'{key}' is read as '{read}' in expressions, as in Python", path=path, expected=f"'{read}'")


def is_entry(key: str) -> bool:
    """Return whether a key of a model names a variable, parameter or submodel (and not something that has its own meaning)."""
    return key not in RESERVED and not key.startswith("_")


def is_parameter(entry: Any) -> bool:
    """Return whether an entry of a model is a parameter (or an object)."""
    return entry is not None and not isinstance(entry, Var | Model)


_INDEX = re.compile(r"(?:\[[^\]]*\])+$")


def scopes(start: Instance, levels: int = 0) -> Iterator[Instance]:
    """Generate the instances in which a name is looked up, in this order: the one where it is written, the enclosing ones, then
    those between it and ``start``, from outside inward.

    Args:
        start: where the text stands.
        levels: how many models further out it was written, see `model.scoping`; the outermost one if there are fewer.
    """
    inner: list[Instance] = []
    here = start
    while levels > len(inner) and here.parent is not None:
        inner.append(here)
        here = here.parent
    scope: Instance | None = here
    while scope is not None:
        yield scope
        scope = scope.parent
    yield from reversed(inner)


def locate(start: Instance, name: str, skip: str = "", levels: int = 0) -> Target | None:
    """Find what a dotted name means that stands in ``start``: the first of its `scopes` that has it.

    Args:
        start: where the name stands.
        name: e.g. ``gear.ratio``, ``table[2]``.
        skip: the entry of ``start`` that the name is written in; an entry never refers to itself.
        levels: how many models further out the name was written.

    Returns:
        Where it leads, or None if it leads nowhere. A name without a dot does not mean a submodel, unless a constructor makes
        an object of that.
    """
    match = _INDEX.search(name)
    index = match.group().replace("][", ",") if match else ""
    parts = (name[: match.start()] if match else name).split(".")
    for scope in scopes(start, levels):
        entry = scope.model.get(parts[0])
        if entry is not None and is_entry(parts[0]) and not (scope is start and parts[0] == skip):
            target = _descend(scope, parts, index)
            if target is not None or len(parts) > 1:
                return target
    return None


def with_defaults(expr: Expr, start: Instance, skip: str = "", levels: int = 0) -> Expr:
    """Return an expression with ``outer(NAME, default)`` replaced by the name where it leads somewhere, else by the default.

    Args:
        expr: the expression.
        start, skip, levels: see `locate`.
    """

    def change(node: Expr) -> Expr | None:
        if type(node) is not Apply or node.op != "call" or node.args[0] != Name("outer") or len(node.args) != 3:
            return None
        _, name, default = node.args
        return name if type(name) is Name and locate(start, name.name, skip, levels) is not None else rewrite(default, change)

    return rewrite(expr, change)


def _descend(scope: Instance, parts: list[str], index: str) -> Target | None:
    here = scope
    for part in parts[:-1]:
        if part not in here.children:
            return None
        here = here.children[part]
    key = parts[-1]
    entry = here.model.get(key)
    if entry is None or not is_entry(key) or (isinstance(entry, Model) and "_constructor" not in entry):
        return None
    return Target(here, key, index, scope)


def find_function(
    start: Instance, name: str, count: int, text: str, path: str, value_of: Callable[[Target], Any], levels: int = 0
) -> tuple[EquationFunction, str]:
    """Return the function that is called by ``name`` with ``count`` arguments in an expression, and its path in the model.

    Args:
        start: where the call stands.
        name, count, text, path: of the call; the expression it stands in and its path, for messages.
        value_of: gives the value of a parameter.
        levels: how many models further out the call was written.

    Raises:
        ModelError: there is no such function, or it has another number of inputs.
    """
    target = locate(start, name, levels=levels)
    value = None if target is None or isinstance(target.instance.model[target.key], Var | Model) else value_of(target)
    if target is None or value is None or not is_function(value):
        functions = [key for scope in scopes(start) for key, v in scope.values.items() if is_function(v)]
        what = f"unknown function '{name}'" if target is None else f"'{name}' is not a function"
        remedy = _MISSING.get(name) or nearest(name, [*_RESERVED_NAMES, *functions])
        raise ModelError(f"{what} in '{text}'", path=path, remedy=remedy)
    if count != value.inputs:
        raise ModelError(
            f"'{name}' in '{text}' has the wrong number of arguments",
            path=path,
            found=f"{count} arguments",
            expected=str(value.inputs),
        )
    return value, target.path


def literals_of(entry: Any) -> tuple[str, ...]:
    """Return the literals of a variable that is an enumeration, ``Var(type=("open", "closed"))``; () for any other entry."""
    kind = entry.get("type") if isinstance(entry, Var) else None
    return tuple(kind) if isinstance(kind, tuple | list) else ()


def literal_index(value: str, literals: Sequence[str], text: str, path: str) -> Const:
    """Number of a literal. Raises ModelError if the enumeration does not have it."""
    if value not in literals:
        raise ModelError(
            f"'{value}' in '{text}' is not a literal of the enumeration",
            path=path,
            expected=f"one of {', '.join(literals)}",
            remedy=nearest(value, literals),
        )
    return Const(list(literals).index(value))


def compare_texts(node: Apply, text_of: Callable[[Expr], str | None], text: str, path: str) -> Expr | None:
    """Return ``kind == "PI"`` as a number (0 or 1); None if the comparison is not one of texts.

    Args:
        node: the comparison.
        text_of: the text that a side means, None if it is a number.
        text, path: the expression it stands in and its path, for messages.

    Raises:
        ModelError: a text is compared with a number.
    """
    sides = [text_of(a) for a in node.args]
    if sides == [None, None]:
        return None
    if None in sides:
        raise ModelError(
            f"'{node}' in '{text}' compares a text with a number", path=path, expected="a parameter whose value is text"
        )
    return Const((sides[0] == sides[1]) == (node.op == "=="))


def offered(entry: Any) -> str:
    """Return the other name that an object, or the class behind a constructor, offers to the equations ("" if none)."""
    made = entry.get("_constructor") if isinstance(entry, Par) else entry
    return str(getattr(made, "in_equations", ""))


def suggest(start: Instance, name: str) -> str:
    """Return a sentence that proposes a name, visible in ``start``, that is spelled most like ``name``, or what is missing."""
    parts = name.split(".")
    scope: Instance | None = start
    seen: dict[str, None] = {}
    while scope is not None:
        here, prefix = scope, ""
        for part in parts[:-1]:
            if part not in here.children:
                break
            here, prefix = here.children[part], f"{prefix}{part}."
        own = [key for key, entry in here.model.items() if is_entry(key) and (scope is start or not isinstance(entry, Var))]
        seen.update(dict.fromkeys(prefix + key for key in own))
        if scope is start:
            seen.update((f"{k}.{v}", None) for k, c in scope.children.items() for v in c.model if is_entry(v))
        scope = scope.parent
    found = nearest(name, [*seen, *CONSTANTS, "time"])
    if not found and len(parts) > 1 and not any(known.partition(".")[0] == parts[0] for known in seen):
        return f"Give an enclosing model an entry '{parts[0]}'."
    return found


def element(value: Any, index: str, path: str, text: str = "") -> Any:
    """Return ``value`` or, with an index such as ``[1]`` or ``[0,2]``, its element; ``text`` of an equation in which it stands.

    Raises:
        ModelError: the value has no such element.
    """
    if not index:
        return value
    position = tuple(int(i) for i in index[1:-1].split(","))
    array = value if isinstance(value, np.ndarray) else None
    if isinstance(value, list | tuple):
        array = np.array(value, dtype=object)
    if array is None or len(position) > array.ndim or any(not 0 <= i < n for i, n in zip(position, array.shape, strict=False)):
        found = "a scalar" if array is None else f"an array of shape {array.shape}"
        message = f"there is no element {index}" + (f" in '{text}'" if text else "")
        raise ModelError(message, path=path, found=found, remedy="Indices count from 0.")
    return array[position]


def scalars(value: Any) -> Iterator[tuple[str, float]]:
    """Generate ``(index, number)`` of all numbers in a parameter value: index "" for a scalar, ``[0]``, ``[0,1]`` for
    arrays.
    """
    if is_number(value):
        yield "", float(value)
    elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        for position in np.ndindex(value.shape):
            yield f"[{','.join(map(str, position))}]", float(value[position])
