"""`Array`: submodels of one kind under one name, ``R[0]``, ``R[1]``, ..., and texts in which an index becomes a number."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Mapping
from typing import Any

from .control import For, If
from .errors import ModelError
from .limits import MOST_REPETITIONS
from .model import Entries, Model, Par, _like, merge_entry
from .scoping import EnclosingText, has_expressions, levels_of


class Array(Entries):
    """Submodels, or objects of a constructor, of one kind: ``R=Array(3, Resistor | Map(R="1 + 0.1*i"))``.

    An element is called ``R[0]``, ``R[1]``, ... in equations, connections, results and names of objects (Modelica's ``R[n]``,
    with indices from 0). ``Map(R=Map(...))`` changes all of them, ``Map(**{"R[1]": Map(...)})`` one. `For` connects them:
    ``equations=[For("i", "n - 1", ["connect(R[i].n, R[i+1].p)"])]``.

    Args:
        count: their number; an integer, or the text of an expression of parameters.
        element: a `Model` or the call of a constructor. In its texts the name ``index`` stands for the number of the element.
        index: this name.

    Raises:
        ModelError: ``element`` is something else, ``index`` no name.
    """

    def __init__(self, count: int | str, element: Model | Par, index: str = "i") -> None:
        if not isinstance(element, Model) and not (isinstance(element, Par) and "_constructor" in element):
            raise ModelError(
                "the element of the Array is neither a submodel nor an object", found=repr(element),
                expected="Array(3, Resistor | Map(R=2.0))", remedy="Numbers are written as a list, variables as Var(shape=3).",
            )  # fmt: skip
        number = isinstance(count, int) and not isinstance(count, bool)
        if not (number and 0 <= count <= MOST_REPETITIONS) and not isinstance(count, str):  # type: ignore[operator]
            expected = f"an integer up to {MOST_REPETITIONS}, or a text"
            raise ModelError("the number of elements of an Array is wrong", found=repr(count), expected=expected)
        if not isinstance(index, str) or not index.isidentifier():
            raise ModelError("the index of the Array is not a name", found=repr(index), expected='such as "i"')
        super().__init__(count=count, element=element, index=index)

    def changed(self, new: Mapping[str, Any], path: str, levels: int, position: int | None = None) -> Array:
        """Return the array with changes of all elements, or of the one at a ``position``."""
        result = _like(self, self)
        if position is None:
            result["element"] = merge_entry(self["element"], new, path, levels)
        else:
            result["changes"] = [*self.get("changes", ()), (position, new, levels)]
        return result

    def elements(self, count: int, path: str) -> dict[int, Any]:
        """Return all elements with their changes.

        Raises:
            ModelError: a change of an element that is not there.
        """
        made = {k: substituted(self["element"], self["index"], k) for k in range(count)}
        for position, new, levels in self.get("changes", ()):
            if position not in made:
                expected = f"one of [0] to [{count - 1}]" if count else "no element, as there is none"
                raise ModelError("there is no such element to modify", path=f"{path}[{position}]", expected=expected)
            made[position] = merge_entry(made[position], new, f"{path}[{position}]", levels)
        return made

    def __repr__(self) -> str:
        index = "" if self["index"] == "i" else f", index={self['index']!r}"
        changes = "".join(f" | {{[{k}]: {new!r}}}" for k, new, _ in self.get("changes", ()))
        return f"Array({self['count']!r}, {self['element']!r}{index}){changes}"


def _summed(index: str) -> str:
    """Return the pattern of what ``sum(... for i in`` adds over an index of this name, up to the range: a group."""
    return rf"(\bsum\((?:(?!\bsum\(|\bfor\b).)+\bfor\s+{index}\s+in\b)"


_BRACKET = re.compile(r"\[([\d+\-*/% ()]*[+\-*/%][\d+\-*/% ()]*)\]")


def substituted(value: Any, index: str, number: int, scopes: tuple[Model, ...] = ()) -> Any:
    """Return a value in whose texts the name ``index`` is a number; what stands in brackets is worked out: ``a[i+1].b`` as
    ``a[3].b``.

    ``{i}`` is the number within a name: ``pool.m{i}``.

    ``scopes`` are the models around it that belong to the value: where one of them has an entry of that name, this is meant.
    """
    if isinstance(value, str):
        if any(index in scope for scope in scopes[: max(len(scopes) - levels_of(value), 0)]):
            return value
        text = str(value).replace(f"{{{index}}}", str(number))
        text = re.sub(rf"{_summed(index)}|(?<![\w.]){index}(?!\w|\s*=(?!=))", lambda found: found[1] or str(number), text)
        text = _BRACKET.sub(lambda match: f"[{_worked_out(match[1])}]", text) if text != value else text
        return EnclosingText(text, value.levels) if isinstance(value, EnclosingText) else text
    if type(value) in (list, tuple):
        return type(value)(substituted(item, index, number, scopes) for item in value)
    if isinstance(value, For | If):
        if isinstance(value, For) and value.index == index:
            return value
        parts = {f.name: substituted(getattr(value, f.name), index, number, scopes) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)
    if isinstance(value, dict) and not (isinstance(value, Array) and value["index"] == index):
        inner = (*scopes, value) if isinstance(value, Model) else scopes
        made = value.copy()
        for key, entry in value.items():
            if has_expressions(key) or key in ("equations", "initial_equations", "connect"):
                dict.__setitem__(made, key, substituted(entry, index, number, inner))
        return made
    return value


def _worked_out(text: str) -> str:
    """Return an index of numbers as one number; as it is where it is none."""
    try:
        value = _integer(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return text
    return str(value)


def _integer(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_integer(operand)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _integer(left) + _integer(right)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _integer(left) - _integer(right)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _integer(left) * _integer(right)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            return _integer(left) // _integer(right)
        case ast.BinOp(left=left, op=ast.Mod(), right=right):
            return _integer(left) % _integer(right)
    raise ValueError
