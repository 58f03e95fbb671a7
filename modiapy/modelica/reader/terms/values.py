"""Values of Modelica's expressions while they are read: scalars, arrays, records and texts.

A scalar is an `Expr` of the core, an array a numpy array of them (of objects), a record its fields by name, a text a `str`.
Operations on arrays become operations on their elements here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from ....model.expression import ONE, ZERO, Apply, Const, Expr, Name, apply, mul, neg, sub
from .complex_numbers import over, plus, raised, times
from .records import Record as Record
from .refusals import Refusal

_IN_SEQUENCE = 100
"""So many elements are combined one after the other."""

Value = Any
"""An `Expr`, an array of them, a `Record`, a text or an object."""


def array_of(items: Sequence[Value]) -> np.ndarray:
    """Return the items side by side: an array with one dimension more than they have."""
    shapes = {np.shape(item) if isinstance(item, np.ndarray) else () for item in items}
    if len(shapes) > 1:
        raise Refusal("the elements of an array have different shapes", found=", ".join(map(str, shapes)))
    result = np.empty((len(items), *next(iter(shapes), ())), dtype=object)
    for k, item in enumerate(items):
        result[k] = item
    return result


def filled(value: Value, shape: Sequence[int]) -> np.ndarray:
    """Return an array of this shape with the value in all places."""
    result = np.empty(tuple(shape), dtype=object)
    result.fill(value)
    return result


def each(function: Callable[..., Any], *values: Value) -> Value:
    """Return a function of scalars, applied element by element; scalars among arrays are the same for all elements."""
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    if not arrays:
        return function(*values)
    shape = arrays[0].shape
    if any(a.shape != shape for a in arrays):
        raise Refusal("operands have different shapes", found=" and ".join(str(a.shape) for a in arrays))
    result = np.empty(shape, dtype=object)
    parts = [v.flat if isinstance(v, np.ndarray) else [v] * result.size for v in values]
    for k, operands in enumerate(zip(*parts, strict=True)):
        result.flat[k] = function(*operands)
    return result


def mapped(function: Callable[[Any], Any], value: Value) -> Value:
    """Return a function of scalars, applied to all scalars of arrays and records."""
    if isinstance(value, Record):
        return Record(value.type, {key: mapped(function, part) for key, part in value.fields.items()})
    return each(lambda item: mapped(function, item) if isinstance(item, Record) else function(item), value)


def merged(function: Callable[[Any, Any], Any], a: Value, b: Value) -> Value:
    """Return two values of the same kind as one, element by element and field by field."""
    if isinstance(a, Record) and isinstance(b, Record):
        return Record(a.type, {key: merged(function, value, b.fields[key]) for key, value in a.fields.items()})
    if isinstance(a, str) or isinstance(b, str) or not _is_plain(a) or not _is_plain(b):
        if a is b or a == b:
            return a
        raise Refusal("a text or an object depends on a condition that changes")
    return each(lambda x, y: merged(function, x, y) if isinstance(x, Record) else function(x, y), a, b)


def _is_plain(value: Value) -> bool:
    return isinstance(value, Expr | np.ndarray)


def scalars(value: Value) -> Iterable[Any]:
    """Generate all scalars of a value, in the order of their declaration."""
    if isinstance(value, Record):
        for part in value.fields.values():
            yield from scalars(part)
    elif isinstance(value, np.ndarray):
        for item in value.flat:
            yield from scalars(item) if isinstance(item, Record) else (item,)
    else:
        yield value


def size_of(value: Value) -> int:
    """Return the number of its scalars."""
    return sum(1 for _ in scalars(value))


# -- arithmetic ---------------------------------------------------------------------------------------------------------


def product(a: Value, b: Value) -> Value:
    """Return ``a * b`` of Modelica: of scalars, of a scalar and an array, the inner product, products with matrices."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return each(times, a, b)
    if a.shape[-1] != b.shape[0] or a.ndim > 2 or b.ndim > 2:
        raise Refusal("the factors of a product of arrays do not fit", found=f"{a.shape} and {b.shape}")
    left, right = (a if a.ndim == 2 else a[None, :]), (b if b.ndim == 2 else b[:, None])
    result = np.empty((left.shape[0], right.shape[1]), dtype=object)
    for i, row in enumerate(left):
        for k, column in enumerate(right.T):
            result[i, k] = reduce(plus, [times(x, y) for x, y in zip(row, column, strict=True)], ZERO)
    if a.ndim == 1 and b.ndim == 1:
        return result[0, 0]
    return result[0] if a.ndim == 1 else result[:, 0] if b.ndim == 1 else result


def quotient(a: Value, b: Value) -> Value:
    """Return ``a / b``, b a scalar."""
    if isinstance(b, np.ndarray):
        raise Refusal("the divisor is an array", found=f"shape {b.shape}")
    return each(over, a, b)


def matrix_power(a: Value, b: Value) -> Value:
    """Return ``a ^ b``: of numbers, or a square matrix to a whole number."""
    if not isinstance(a, np.ndarray):
        return raised(a, b)
    count = integer(b)
    result: Value = identity(a.shape[0])
    for _ in range(count):
        result = product(result, a)
    return result


def identity(n: int) -> np.ndarray:
    """Return the unit matrix."""
    return diagonal(filled(ONE, (n,)))


def diagonal(v: np.ndarray) -> np.ndarray:
    """Return the matrix with these elements on its diagonal."""
    result = filled(ZERO, (len(v), len(v)))
    for k, item in enumerate(v):
        result[k, k] = item
    return result


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the cross product."""
    return array_of([sub(mul(a[i], b[k]), mul(a[k], b[i])) for i, k in ((1, 2), (2, 0), (0, 1))])


def skew(v: np.ndarray) -> np.ndarray:
    """Return the matrix whose product with w is ``cross(v, w)``."""
    return array_of([array_of([ZERO, neg(v[2]), v[1]]), array_of([v[2], ZERO, neg(v[0])]), array_of([neg(v[1]), v[0], ZERO])])


def total(value: Value, function: Callable[[Expr, Expr], Expr], start: Expr | None) -> Expr:
    """Return all elements combined by a function."""
    items = [*([] if start is None else [start]), *scalars(value)]
    if not items:
        raise Refusal("an empty array has no largest or smallest element")
    return _combined(items, function)


def sum_all(value: Value) -> Value:
    """Return the sum of all elements."""
    return _combined([ZERO, *(value.flat if isinstance(value, np.ndarray) else [value])], plus)


def _combined(items: Sequence[Any], function: Callable[[Any, Any], Any]) -> Any:
    """Return the items combined by a function, one after the other; many by halves, or their expression would be too deep."""
    if len(items) <= _IN_SEQUENCE:
        return reduce(function, items)
    middle = len(items) // 2
    return function(_combined(items[:middle], function), _combined(items[middle:], function))


def product_all(value: Value) -> Expr:
    """Return the product of all elements."""
    return total(value, mul, ONE)


# -- numbers ------------------------------------------------------------------------------------------------------------


def is_constant(value: Value) -> bool:
    """Return whether a value consists of numbers (or texts)."""
    return all(type(item) is Const or isinstance(item, str) for item in scalars(value))


def integer(value: Value) -> int:
    """Return a whole number that is known."""
    if type(value) is not Const or value.value != int(value.value):
        raise Refusal("a whole number is not known at translation", found=f"'{value}'")
    return int(value.value)


def boolean(flag: bool) -> Const:
    """Return True or False."""
    return ONE if flag else ZERO  # type: ignore[return-value]


def relation(op: str, a: Expr, b: Expr) -> Expr:
    """Return ``a op b``, folded where both are numbers."""
    if type(a) is Const and type(b) is Const:
        return boolean(bool(apply_value(op, a.value, b.value)))
    return Apply(op, (a, b))


def apply_value(op: str, *args: float) -> Any:
    """Return the value of an operator of the language."""
    from ....model.language import entry_of

    value = entry_of(op).value
    assert value is not None
    return value(*args)


def choice(condition: Expr, a: Expr, b: Expr) -> Expr:
    """Return ``if condition then a else b``."""
    return a if a is b or a == b else apply("if", condition, a, b)


def names_of(base: str, shape: Sequence[int]) -> np.ndarray | Name:
    """Return the names ``base[1,1]``, ... of the elements of an array as Modelica counts them, or the name itself."""
    if not shape:
        return Name(base)
    result = np.empty(tuple(shape), dtype=object)
    for index in np.ndindex(*shape):
        result[index] = Name(f"{base}[{','.join(str(k + 1) for k in index)}]")
    return result
