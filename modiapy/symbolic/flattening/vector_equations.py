"""Vector equations between scalars, ``[a, b] = f(x)`` or ``[0, 0] = g(a, b)``, become one equation for each element.

An equation of arrays is matched with an unknown of its own shape; where there are more vector equations than such unknowns,
those that have a list of scalars on one side are written element by element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...model.expression import Apply, Const, Equation, Expr, Name, names
from ..flat.flat_model import FlatModel
from ..terms.arrays import Shape, shape_of


def split_vector_equations(flat: FlatModel, missing: Counter[Shape]) -> None:
    """Replace vector equations of which there are too many.

    Args:
        flat: its equations and initial equations are changed in place; ``shapes`` gets those of what is taken apart.
        missing: by shape, how many variables there are more than equations.
    """
    rank: list[Callable[[Equation], bool]] = [
        lambda e: any(_elements(side, 0) and all(type(a) is Name for a in _elements(side, 0)) for side in (e.lhs, e.rhs)),
        lambda e: not _has_arrays(e, flat),
        lambda e: True,
    ]
    for fits in rank:
        for equation in [e for e in flat.equations if isinstance(e, Equation) and fits(e)]:
            shape = _shape(equation, flat)
            if len(shape) == 1 and missing[shape] < 0 and (parts := _parts(equation, shape[0], flat)):
                missing[shape] += 1
                _exchange(flat.equations, equation, parts)
    for equation in list(flat.initial_equations):
        shape = _shape(equation, flat)
        if len(shape) == 1 and not _has_arrays(equation, flat) and (parts := _parts(equation, shape[0], flat)):
            _exchange(flat.initial_equations, equation, parts)


def _shape(equation: Equation, flat: FlatModel) -> Shape:
    return shape_of(equation.lhs, flat.shapes) or shape_of(equation.rhs, flat.shapes)


def _has_arrays(equation: Equation, flat: FlatModel) -> bool:
    """Return whether an equation has variables that are arrays."""
    return any(flat.shapes.get(name) for name in names(equation.lhs) | names(equation.rhs) if name in flat.variables)


def _elements(side: Expr, n: int) -> tuple[Expr, ...]:
    """Return the elements of a list, or a number for all n elements; () for anything else."""
    if type(side) is Const:
        return (side,) * n
    return side.args if type(side) is Apply and side.op == "array" else ()


def _parts(equation: Equation, n: int, flat: FlatModel) -> list[Equation]:
    """Return the equations of the elements; [] where no side is a list of scalars."""
    if not any(_elements(side, n) and _is_scalar(side, n, flat) for side in (equation.lhs, equation.rhs)):
        return []
    sides = (equation.lhs, equation.rhs)
    pairs = zip(*(_elements(s, n) if _is_scalar(s, n, flat) else _taken_apart(s, n, flat) for s in sides), strict=True)
    return [replace(equation, lhs=a, rhs=b, text=f"{equation} [{k}]") for k, (a, b) in enumerate(pairs)]


def _is_scalar(side: Expr, n: int, flat: FlatModel) -> bool:
    elements = _elements(side, n)
    return len(elements) == n and not any(shape_of(element, flat.shapes) for element in elements)


def _taken_apart(side: Expr, n: int, flat: FlatModel) -> tuple[Expr, ...]:
    flat.shapes[str(side)] = (n,)
    return tuple(Apply(f"[{k}]", (side,)) for k in range(n))


def _exchange(equations: list[Any], old: Equation, new: Sequence[Equation]) -> None:
    k = next(k for k, equation in enumerate(equations) if equation is old)
    equations[k : k + 1] = new
