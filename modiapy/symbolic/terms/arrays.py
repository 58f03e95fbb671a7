"""Shapes of array expressions: how they are found and checked, and how array expressions are evaluated.

An array variable is one unknown of the equations and an array parameter one parameter; their shapes, known by name, stand in
`FlatModel.shapes` (names that are not there are scalars). Operators work element by element as in numpy, where a scalar may
stand beside an array; two arrays have equal shapes. What works on whole arrays is of kind `ARRAY` in `model/language.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from ...model.entry import ShapeError
from ...model.errors import ModelError
from ...model.expression import (
    ZERO,
    Apply,
    Const,
    Equation,
    Expr,
    Name,
    Operator,
    evaluate,
    evaluated,
    is_array_operator,
    postorder,
)
from ...model.language import FILL, PART, SUBSCRIPT, entry_of
from ...model.tree import index_of as index_of
from .names import Unknown

Shape = tuple[int, ...]


def shape_at(name: str, shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape of a variable, or of the variable that it was made of (`Unknown`); () for a scalar."""
    found = shapes.get(name)
    while found is None and type(name) is Unknown:
        name = name.base
        found = shapes.get(name)
    return () if found is None else found


def size(shape: Shape) -> int:
    """Return the number of elements."""
    return math.prod(shape)


def offsets(names: Sequence[str], shapes: Mapping[str, Shape]) -> tuple[dict[str, int], int]:
    """Return the offset of each variable where all stand one after the other, and the length of all."""
    if not shapes:
        return {name: k for k, name in enumerate(names)}, len(names)
    places, n = {}, 0
    for name in names:
        places[name] = n
        n += size(shape_at(name, shapes))
    return places, n


def element_name(name: str, position: Sequence[int]) -> str:
    """Name of an element, e.g. ``x[0]`` or ``A[1,2]``."""
    return f"{name}[{','.join(map(str, position))}]"


def element_names(names: Iterable[str], shapes: Mapping[str, Shape]) -> list[str]:
    """Return the names of scalars and of all elements of arrays, in the order in which they lie in memory."""
    result = []
    for name in names:
        shape = shape_at(name, shapes)
        result += [element_name(name, p) for p in np.ndindex(shape)] if shape else [name]
    return result


# -- shapes of expressions ----------------------------------------------------------------------------------------------


def shape_of(expr: Expr, shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape of an expression; () for a scalar.

    Raises:
        ModelError: operands do not fit each other (without path and equation, which the caller knows).
    """
    shape = partial_shape(expr, lambda name: shape_at(name, shapes), shapes)
    assert shape is not None
    return shape


def partial_shape(expr: Expr, known: Callable[[str], Shape | None], shapes: Mapping[str, Shape]) -> Shape | None:
    """Return the shape as `shape_of` does; None where it depends on a name of which ``known`` gives None."""
    if type(expr) is not Apply:
        return known(expr.name) if type(expr) is Name else ()
    done: dict[int, Shape | None] = {}
    for node in postorder(expr):
        if type(node) is Apply:
            done[id(node)] = _of_operands(node, [done[id(a)] for a in node.args], shapes)
        else:
            done[id(node)] = known(node.name) if type(node) is Name else ()
    return done[id(expr)]


def shape_of_operation(expr: Apply, found: Sequence[Shape], shapes: Mapping[str, Shape]) -> Shape:
    """Return the shape of an operation on operands of the shapes ``found``. Errors as of `shape_of`."""
    shape = _of_operands(expr, found, shapes)
    assert shape is not None
    return shape


def _of_operands(expr: Apply, found: Sequence[Shape | None], shapes: Mapping[str, Shape]) -> Shape | None:
    """Return the shape of an operation on operands of the shapes ``found``."""
    op = expr.op
    entry = entry_of(op)
    if entry is FILL or entry is PART:
        return shapes[op[5:]]
    if type(op) is Operator and op.of_arrays:
        return _of_result(expr, op, found)
    if not is_array_operator(op):
        return elementwise_shape(expr, found)
    determined = [s for s in found if s is not None]
    return _of_array_operator(expr, determined) if len(determined) == len(found) else None


def elementwise_shape(expr: Apply, found: Sequence[Shape | None]) -> Shape | None:
    """Return the shape of an elementwise operation on operands of the shapes ``found``, which must agree; scalars stand for any
    shape.
    """
    arrays = [(a, s) for a, s in zip(expr.args, found, strict=True) if s]
    for a, s in arrays[1:]:
        if s != arrays[0][1]:
            what = f"'{arrays[0][0]}' and '{a}' in '{expr}'"
            raise ModelError(f"{what} have different shapes", found=f"{arrays[0][1]} and {s}", expected="equal shapes")
    if arrays and type(expr.op) is Operator:
        raise ModelError(
            f"'{expr.op}' was given an array",
            found=f"'{arrays[0][0]}' of shape {arrays[0][1]}",
            expected="scalars",
            remedy="Function(..., shapes=...) makes a function of arrays.",
        )
    return arrays[0][1] if arrays else None if None in found else ()


def _of_array_operator(expr: Apply, found: Sequence[Shape]) -> Shape:
    entry, args = entry_of(expr.op), expr.args
    if entry is SUBSCRIPT:
        return _of_subscript(expr, found[0])
    assert entry.shape is not None
    try:
        return entry.shape([None if a == ZERO else s for a, s in zip(args, found, strict=True)])
    except ShapeError as error:
        listed = " and ".join(f"'{a}' of shape {s}" if s else f"the scalar '{a}'" for a, s in zip(args, found, strict=True))
        undeclared = [a for a, s in zip(args, found, strict=True) if not s and type(a) is Name]
        remedy = f"If '{undeclared[0]}' is an array, declare it with Var(shape=...) or an array as init." if undeclared else ""
        expected = str(error).format(*args)
        raise ModelError(f"'{expr}' has no meaning", found=listed, expected=expected, remedy=remedy) from None


def _of_result(expr: Apply, op: Operator, found: Sequence[Shape | None]) -> Shape | None:
    """Return the shape of a result of a function of arrays, from those of its arguments; None if it depends on one that is
    None.
    """
    function: Any = op.function
    declared: Any = function.shapes[op.result]
    if isinstance(declared, tuple):
        return declared
    given = dict(zip(function.arguments, found, strict=True))
    try:
        return partial_shape(declared, given.__getitem__, {})
    except ModelError as error:
        listed = ", ".join(f"'{a}' of shape {s}" if s else f"the scalar '{a}'" for a, s in zip(expr.args, found, strict=True))
        raise ModelError(
            f"'{expr}' has no meaning", found=listed, expected=f"arguments such that '{declared}' has a shape ({error.found})"
        ) from None


def _of_subscript(expr: Apply, shape: Shape) -> Shape:
    what = f"an array of shape {shape}" if shape else "a scalar"
    try:
        return np.broadcast_to(0.0, shape)[index_of(expr.op)].shape
    except (IndexError, ValueError):
        raise ModelError(f"there is no '{expr}'", found=f"'{expr.args[0]}' is {what}", remedy="Indices count from 0.") from None


def flat_indices(expr: Apply, shapes: Mapping[str, Shape]) -> np.ndarray:
    """Return the flat indices in its operand of the elements of a subscript, or of an operator that gathers them."""
    shape = shape_of(expr.args[0], shapes)
    numbers = np.arange(size(shape), dtype=np.int64).reshape(shape)
    entry = entry_of(expr.op)
    picked = numbers[index_of(expr.op)] if entry is SUBSCRIPT else entry.value_of_arrays(numbers)
    return np.ascontiguousarray(picked, dtype=np.int64).reshape(-1)


# -- matching and comparison --------------------------------------------------------------------------------------------


def matchable(equation: Equation, unknowns: Set[str], shapes: Mapping[str, Shape]) -> Set[str]:
    """Return those of the ``unknowns`` that an equation may be matched with: they have its shape."""
    shape = shape_of(equation.lhs, shapes) or shape_of(equation.rhs, shapes)
    return {name for name in unknowns if shape_at(name, shapes) == shape}


def same_rank(a: Mapping[str, Shape], b: Mapping[str, Shape]) -> str | None:
    """Return the first name whose number of dimensions differs, None if there is none: such a change needs new machine code."""
    for name in dict.fromkeys([*a, *b]):
        here, there = a.get(name, ()), b.get(name, ())
        if len(here) != len(there):
            return f"'{name}' of shape {here} got the shape {there}"
    return None


# -- values -------------------------------------------------------------------------------------------------------------


def evaluate_arrays(expr: Expr, values: Mapping[str, Any], shapes: Mapping[str, Shape] | None = None) -> Any:
    """Return the value of an expression of numbers and arrays: a float or an array.

    Args:
        expr: what is evaluated.
        values: floats and arrays by name.
        shapes: see `FlatModel.shapes`; not needed where no scalar was made an array.

    Raises:
        KeyError: a name is not in ``values``.
        ValueError, ZeroDivisionError, OverflowError: as Python's arithmetic raises them, for scalars.
    """
    return evaluated(expr, values, _needed, lambda node, done: _value(node, done, shapes or {}))


def _needed(node: Apply, done: Mapping[int, Any]) -> Sequence[Expr]:
    """Return the operands that count: of a choice by a number the condition, then one of the others."""
    if node.op != "if":
        return node.args
    condition = done.get(id(node.args[0]))
    if condition is None:
        return node.args[:1]
    return node.args[1:] if isinstance(condition, np.ndarray) else node.args[1:2] if condition else node.args[2:]


def _value(node: Apply, done: Mapping[int, Any], shapes: Mapping[str, Shape]) -> Any:
    """Return the value from the values of the operands."""
    op = node.op
    if op == "if":
        condition = done[id(node.args[0])]
        if not isinstance(condition, np.ndarray):
            return done[id(node.args[1 if condition else 2])]
        return np.where(condition, *(done[id(a)] for a in node.args[1:]))
    args = [done[id(a)] for a in node.args]
    if is_array_operator(op):
        return _array_value(node, args, shapes)
    if any(isinstance(a, np.ndarray) for a in args):
        with np.errstate(all="ignore"):
            return np.asarray(entry_of(op).value_of_arrays(*args), dtype=float)
    return evaluate(Apply(op, tuple(map(Const, args))), {})


def _array_value(expr: Apply, args: list[Any], shapes: Mapping[str, Shape]) -> Any:
    op = expr.op
    value: Any
    if type(op) is Operator:
        value, shape = op.function.evaluate(args)[op.result], _of_result(expr, op, [np.shape(a) for a in args])
        if np.shape(value) != shape:
            raise ValueError(f"{op} returned an array of shape {np.shape(value)} instead of {shape}")
        return value
    entry = entry_of(op)
    if entry is FILL or entry is PART:
        value = np.broadcast_to(args[0], shapes[op[5:]])
    elif not entry.collects and any(np.ndim(a) == 0 and a == 0.0 for a in args):
        return 0.0  # the number 0 stands for an array of zeros
    else:
        value = np.asarray(args[0])[index_of(op)] if entry is SUBSCRIPT else entry.value_of_arrays(*args)
    return np.array(value, dtype=float) if np.ndim(value) else float(value)
