"""The built-in functions of Modelica, one entry each.

`BUILTINS` get values, `UNEVALUATED` the interpreter, trees and local variables: what needs more than values.
Source: Modelica Language Specification 3.6, sections 3.7 and 10.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...model.expression import ONE, ZERO, Apply, Const, Expr, Name, apply, div, mul, names, sub
from ...model.language import LANGUAGE
from ...model.parser import rule
from .clocks.operators import OPERATORS, clocked_sample
from .mixing import SEMI_LINEAR, expanded
from .terms.complex_numbers import FUNCTIONS
from .terms.context import Context, Evaluation, Locals, ModelLocals
from .terms.refusals import Refusal
from .terms.values import (
    Record,
    Value,
    array_of,
    cross,
    diagonal,
    each,
    filled,
    identity,
    integer,
    mapped,
    merged,
    product_all,
    skew,
    sum_all,
    total,
)


def _elementwise(op: str) -> Callable[..., Value]:
    """Return a function of the core, element by element."""
    entry = LANGUAGE[op]
    if entry.expansion:
        expand = rule(entry.expansion, entry.names)
        return lambda *values: each(lambda *args: _folded(op, args, expand), *values)
    return lambda *values: each(lambda *args: _applied(op, args), *values)


def _applied(op: str, args: Sequence[Value]) -> Value:
    """Return a function of scalars; of a complex number, where an import means that."""
    if isinstance(args[0], Record):
        if op not in FUNCTIONS:
            raise Refusal(f"the function '{op}' of a complex number is not read", found=args[0].type)
        return FUNCTIONS[op](args[0])
    return apply(op, *args)


def _folded(op: str, args: Sequence[Expr], expand: Callable[..., Expr]) -> Expr:
    """Return a derived function: of numbers its value, as Modelica defines it."""
    if all(type(a) is Const for a in args):
        x, y = (args[0].value, args[1].value if len(args) > 1 else 0.0)  # type: ignore[attr-defined]
        known = _OF_NUMBERS.get(op)
        if known is not None:
            return Const(known(x, y))
    return expand(*args)


_OF_NUMBERS: dict[str, Callable[[float, float], float]] = {
    "ceil": lambda x, _: float(np.ceil(x)),
    "integer": lambda x, _: float(np.floor(x)),
    "div": lambda x, y: float(np.trunc(x / y)),
    "mod": lambda x, y: x - float(np.floor(x / y)) * y,
    "rem": lambda x, y: x - float(np.trunc(x / y)) * y,
}


def _smallest(op: str) -> Callable[..., Value]:
    """Return ``min`` or ``max``: of two scalars, or of all elements of an array."""

    def function(*values: Value) -> Value:
        if len(values) == 2:
            return each(lambda a, b: apply(op, a, b), *values)
        return total(values[0], lambda a, b: apply(op, a, b), None)

    return function


def _shape(values: Sequence[Value]) -> tuple[int, ...]:
    return tuple(integer(v) for v in values)


def _fill(value: Value, *shape: Value) -> Value:
    if isinstance(value, np.ndarray):
        raise Refusal("'fill' with an array is not read")
    return filled(value, _shape(shape))


def _linspace(first: Expr, last: Expr, count: Value) -> np.ndarray:
    n = integer(count)
    step = div(sub(last, first), Const(n - 1)) if n > 1 else ZERO
    return array_of([apply("+", first, mul(Const(k), step)) for k in range(n)])


def _vector(value: Value) -> Value:
    return value.reshape(-1) if isinstance(value, np.ndarray) else array_of([value])


def _matrix(value: Value) -> np.ndarray:
    if not isinstance(value, np.ndarray):
        return array_of([array_of([value])])
    if value.ndim == 1:
        return value[:, None]
    return value.reshape(value.shape[:2]) if value.ndim > 2 else value


def _scalar(value: Value) -> Value:
    return value.flat[0] if isinstance(value, np.ndarray) else value


def _cat(dimension: Value, *parts: Value) -> np.ndarray:
    arrays = [p if isinstance(p, np.ndarray) else array_of([p]) for p in parts]
    return np.concatenate(arrays, axis=integer(dimension) - 1)


def side_by_side(parts: Sequence[Value], axis: int) -> np.ndarray:
    """Return ``[a, b]`` (axis 1) or ``[a; b]`` (axis 0): vectors are columns, arrays of more dimensions stay what they are."""
    matrices = [p if isinstance(p, np.ndarray) and p.ndim > 2 else _matrix(p) for p in parts]
    most = max(m.ndim for m in matrices)
    return np.concatenate([m.reshape(m.shape + (1,) * (most - m.ndim)) for m in matrices], axis=axis)


def _outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return array_of([array_of([mul(x, y) for y in b]) for x in a])


def _symmetric(a: np.ndarray) -> np.ndarray:
    return array_of([array_of([a[min(i, k), max(i, k)] for k in range(len(a))]) for i in range(len(a))])


def _transposed(a: Value) -> Value:
    return np.swapaxes(a, 0, 1)


def _boolean_of(value: Value) -> Value:
    return value


SIZES = {"Zeros": slice(None), "Ones": slice(None), "Fill": slice(1, None), "Identity": slice(None), "Linspace": slice(2, None)}
"""Which arguments of what makes arrays are sizes: they must be known at translation."""

BUILTINS: dict[str, Callable[..., Any]] = {
    **{
        name: _elementwise(name.lower())
        for name in ("Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh")
    },
    **{name: _elementwise(name.lower()) for name in ("Exp", "Log", "Log10", "Sqrt", "Abs", "Sign", "Floor", "Ceil", "Integer")},
    **{name: _elementwise(name.lower()) for name in ("Div", "Mod", "Rem")},
    "Min": _smallest("min"),
    "Max": _smallest("max"),
    "Sum": sum_all,
    "Product": product_all,
    "Zeros": lambda *shape: filled(ZERO, _shape(shape)),
    "Ones": lambda *shape: filled(ONE, _shape(shape)),
    "Fill": _fill,
    "Identity": lambda n: identity(integer(n)),
    "Diagonal": diagonal,
    "Linspace": _linspace,
    "Scalar": _scalar,
    "Vector": _vector,
    "Matrix": _matrix,
    "Transpose": _transposed,
    "OuterProduct": _outer,
    "Symmetric": _symmetric,
    "Cross": cross,
    "Skew": skew,
    "Cat": _cat,
    "Ndims": lambda value: Const(np.ndim(value) if isinstance(value, np.ndarray) else 0),
    "Initial": lambda: Apply("initial", ()),
    "Terminal": lambda: Apply("terminal", ()),
    "Boolean": _boolean_of,
}


# -- those that need more than values -----------------------------------------------------------------------------------


def _size(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    value = interpreter.value(args[0], local)
    shape = value.shape if isinstance(value, np.ndarray) else ()
    if len(args) == 1:
        return array_of([Const(n) for n in shape])
    k = integer(interpreter.known(interpreter.value(args[1], local)))
    if not 1 <= k <= len(shape):
        raise Refusal("'size' asks for a dimension that the array does not have", found=str(k), expected=f"1 to {len(shape)}")
    return Const(shape[k - 1])


def derivative_of(reading: Context, value: Value) -> Value:
    """Return ``der(value)``: zero of what does not change."""

    def rate(e: Expr) -> Expr:
        if type(e) is Const or reading.is_parametric(e):
            return ZERO
        reading.differentiated |= {e.name} if type(e) is Name else names(e)
        return Apply("der", (e,))

    return mapped(rate, value)


def _der(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    return derivative_of(interpreter.reading, interpreter.value(args[0], local))


def _remembering(op: str) -> Callable[..., Value]:
    """Return ``pre``, ``edge`` or ``change`` of a variable, or of an expression that gets a name."""

    def function(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
        if op == "pre" and isinstance(local, ModelLocals):  # what an algorithm has assigned so far is not what was before
            local = {name: value for name, value in local.items() if not interpreter.reading.is_declared(name)}
        value = interpreter.value(args[0], local)
        return each(lambda e: _of_past(op, e, interpreter), value)

    return function


def _of_past(op: str, expr: Expr, interpreter: Evaluation) -> Expr:
    if type(expr) is Const or interpreter.reading.is_parametric(expr):
        return expr if op == "pre" else ZERO
    if type(expr) is Apply and expr.op == "not" and op == "pre":
        return apply("not", _of_past(op, expr.args[0], interpreter))
    return Apply(op, (expr if type(expr) is Name else interpreter.reading.named(expr, "Boolean"),))


def _no_event(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    return each(lambda e: apply("noEvent", e), interpreter.value(args[0], local))


def _smooth(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    order = interpreter.known(interpreter.value(args[0], local))
    value = interpreter.value(args[1], local)
    if interpreter.in_function or isinstance(value, Record):
        return value
    if order == ZERO:
        value = each(_with_kinks, value)
    return each(lambda e: e if type(e) is Const else Apply("smooth", (order, e)), value)


def _with_kinks(expr: Expr) -> Expr:
    """Return ``noEvent(e)`` that is continuous but for its derivatives: with events, after the beginning.

    Nothing but accuracy depends on that, except where the expression is part of an algebraic loop with several solutions (an
    amplifier with limits and feedback): it must jump where the present one ends, and not where an integrator happens to look.
    """
    if type(expr) is Apply and expr.op == "noEvent":
        return apply("if", Apply("initial", ()), expr, expr.args[0])
    return expr


def _homotopy(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    actual, simplified = (interpreter.value(a, local) for a in args[:2])
    return merged(lambda a, b: a if type(a) is Const else Apply("homotopy", (a, b)), actual, simplified)


def _delay(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    value, *times = (interpreter.value(a, local) for a in args)
    return each(lambda e: e if type(e) is Const else Apply("delay", (e, *times)), value)


def _sample(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    clocked = clocked_sample(interpreter, args, local)
    if clocked is not None:
        return clocked
    start, interval = (interpreter.scalar(a, local) for a in args)
    return Apply("sample", (start, interval))


def _promoted(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    value = interpreter.value(args[0], local)
    n = integer(interpreter.known(interpreter.value(args[1], local)))
    array = value if isinstance(value, np.ndarray) else filled(value, ())
    return array.reshape((*array.shape, *([1] * (n - array.ndim))))


def _semi_linear(interpreter: Evaluation, args: Sequence[Any], local: Locals | None) -> Value:
    """Return ``semiLinear``; in an equation of two variables it stays until `mixing` has seen what is connected."""

    def one(x: Expr, positive: Expr, negative: Expr) -> Expr:
        stays = type(x) is Name and type(positive) is Name and not interpreter.in_function
        return Apply(SEMI_LINEAR, (x, positive, negative)) if stays else expanded(x, positive, negative)

    return each(one, *(interpreter.value(a, local) for a in args))


UNEVALUATED: dict[str, Callable[..., Value]] = {
    "Size": _size,
    "Der": _der,
    "Pre": _remembering("pre"),
    "Edge": _remembering("edge"),
    "Change": _remembering("change"),
    "NoEvent": _no_event,
    "Smooth": _smooth,
    "Homotopy": _homotopy,
    "Delay": _delay,
    "Sample": _sample,
    "Promote": _promoted,
    "SemiLinear": _semi_linear,
    **OPERATORS,
}
