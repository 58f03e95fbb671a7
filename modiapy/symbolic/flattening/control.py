"""If- and for-equations: balanced branches become if-expressions, repetitions are unrolled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...model.errors import ModelError
from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name, apply, evaluate, names, rewrite, sub
from ...model.language import SUBSCRIPT, entry_of
from ...model.limits import copies_counted, count_copies
from ..flat.flat_model import FlatModel, ForEquation, IfEquation


@dataclass(frozen=True)
class Branch:
    """Equations that hold under a condition, all names by full path."""

    condition: Expr
    equations: Sequence[Equation]


def joined(branches: Sequence[Branch], otherwise: Sequence[Equation], path: str, text: str) -> list[Equation]:
    """Return the equations that mean the same as all branches.

    Where all branches define the same variables, or elements of arrays (``variable = expression``), these are matched by name,
    else equations are matched by position and joined as residuals.

    Raises:
        ModelError: the branches have different numbers of equations.
    """
    sides = [*(b.equations for b in branches), otherwise]
    counts = [len(equations) for equations in sides]
    if len(set(counts)) > 1:
        raise ModelError(
            f"the branches of '{text}' have different numbers of equations",
            path=path,
            found=", ".join(map(str, counts)),
            expected="equal numbers, as the condition may change during the simulation",
        )
    conditions = [b.condition for b in branches]
    defined = [{e.lhs: e for e in equations if _is_variable(e.lhs)} for equations in sides]
    if all(len(d) == counts[0] and d.keys() == defined[0].keys() for d in defined):
        return [Equation(v, _choice(conditions, [d[v].rhs for d in defined]), path, f"{v} in {text}") for v in defined[0]]
    rows = zip(*sides, strict=True)
    return [
        Equation(_choice(conditions, [sub(e.lhs, e.rhs) for e in row]), ZERO, path, f"equation {k + 1} of {text}")
        for k, row in enumerate(rows)
    ]


def _is_variable(side: Expr) -> bool:
    """Return whether one side of an equation is a variable or a part of an array."""
    return type(side) is Name or (type(side) is Apply and entry_of(side.op) is SUBSCRIPT and type(side.args[0]) is Name)


def _choice(conditions: Sequence[Expr], values: Sequence[Expr]) -> Expr:
    result = values[-1]
    for condition, value in zip(reversed(conditions), reversed(values[:-1]), strict=True):
        result = apply("if", condition, value, result)
    return result


def chosen(conditions: Sequence[Expr], parameters: Mapping[str, float]) -> int | None:
    """Return the index of the first condition that holds (their number if none does); None if they depend on more than
    parameters.
    """
    for k, condition in enumerate(conditions):
        if not names(condition) <= parameters.keys():
            return None
        try:
            if evaluate(condition, parameters):
                return k
        except (KeyError, ValueError, ArithmeticError):
            return None
    return len(conditions)


def integer(expr: Expr, parameters: Mapping[str, float], text: str, path: str) -> int:
    """Return the value of an index or bound. Raises ModelError if it is not an integer that parameters determine."""
    try:
        value = evaluate(expr, parameters)
    except (KeyError, ValueError, ArithmeticError, AssertionError):
        value = None
    if value is None or not float(value).is_integer():
        found = f"'{expr}'" + ("" if value is None else f" = {value!r}")
        raise ModelError(f"an index in '{text}' is not known", path=path, found=found, expected="an integer of parameters")
    return int(value)


def element_of(expr: Apply, flat: FlatModel, text: str, path: str) -> Expr:
    """Return ``x[i]`` with the index known: the scalar of that name, or an element of an array."""
    array, *indices = expr.args
    positions = ",".join(str(integer(i, flat.parameters, text, path)) for i in indices)
    name = f"{array}[{positions}]"
    if type(array) is Name and (name in flat.variables or name in flat.parameters):
        return Name(name)
    if type(array) is Name and array.name not in flat.shapes and array.name not in flat.arrays:
        raise ModelError(f"there is no '{name}' in '{text}'", path=path)
    return Apply(f"[{positions}]", (array,))


def expand_control(flat: FlatModel) -> FlatModel:
    """Return the model without if- and for-equations; ``flat`` itself if it has none.

    Raises:
        ModelError: see `joined`, `integer`.
    """
    if not flat.compound:
        return flat
    with copies_counted():
        expanded = [equation for entry in flat.compound for equation in _expand(entry, flat, {})]
    return replace(flat, equations=[*flat.equations, *expanded], compound=[])


def _expand(entry: Equation | IfEquation | ForEquation, flat: FlatModel, indices: Mapping[str, float]) -> list[Equation]:
    if isinstance(entry, Equation):
        return [
            Equation(
                _resolved(entry.lhs, flat, indices, entry),
                _resolved(entry.rhs, flat, indices, entry),
                entry.path,
                _indexed(entry, indices),
            )
        ]
    if isinstance(entry, ForEquation):
        first, last = (
            integer(_resolved(bound, flat, indices, entry), flat.parameters, str(entry), entry.path)
            for bound in (entry.first, entry.last)
        )
        count_copies(max(0, last - first + 1), entry.path, f"the number of repetitions of '{entry}'")
        steps = [{**indices, entry.index: float(k)} for k in range(first, last + 1)]
        return [equation for step in steps for e in entry.equations for equation in _expand(e, flat, step)]
    conditions = [_resolved(condition, flat, indices, entry) for condition, _ in entry.branches]
    given = [*(equations for _, equations in entry.branches), entry.otherwise]
    by_index = chosen(conditions, {})
    if by_index is not None:
        return [equation for e in given[by_index] for equation in _expand(e, flat, indices)]
    sides = [[equation for e in equations for equation in _expand(e, flat, indices)] for equations in given]
    choice = chosen(conditions, flat.parameters) if len({len(s) for s in sides}) > 1 else None
    if choice is not None:
        return sides[choice]
    branches = [Branch(c, s) for c, s in zip(conditions, sides, strict=False)]
    return joined(branches, sides[-1], entry.path, entry.text or f"if {conditions[0]}")


def _resolved(expr: Expr, flat: FlatModel, indices: Mapping[str, float], entry: object) -> Expr:
    path = getattr(entry, "path", "")

    def change(node: Expr) -> Expr | None:
        if type(node) is Name and node.name in indices:
            return Const(indices[node.name])
        if type(node) is Apply and node.op == "element":
            args = tuple(rewrite(a, change) for a in node.args)
            return element_of(Apply("element", args), flat, str(entry), path)
        return None

    return rewrite(expr, change)


def _indexed(equation: Equation, indices: Mapping[str, float]) -> str:
    if not indices:
        return equation.text
    return f"{equation} with {', '.join(f'{name} = {int(value)}' for name, value in indices.items())}"
