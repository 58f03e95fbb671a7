"""Formulas written into kernels with LLVM values: the numba side of `formula`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

_DOUBLE = ir.DoubleType()


def _llvm(value: Any) -> Any:
    """Convert an operand to a value of LLVM; it may be a number in the formula."""
    return value.value if isinstance(value, _Value) else ir.Constant(_DOUBLE, float(value))


class _Value:
    """A float64 of LLVM; arithmetic writes instructions."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def __add__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fadd(self.value, _llvm(other)))

    def __radd__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fadd(_llvm(other), self.value))

    def __sub__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fsub(self.value, _llvm(other)))

    def __rsub__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fsub(_llvm(other), self.value))

    def __mul__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fmul(self.value, _llvm(other)))

    def __rmul__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fmul(_llvm(other), self.value))

    def __truediv__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fdiv(self.value, _llvm(other)))

    def __rtruediv__(self, other: Any) -> _Value:
        return _Value(self.builder, self.builder.fdiv(_llvm(other), self.value))

    def __neg__(self) -> _Value:
        return _Value(self.builder, self.builder.fneg(self.value))


def formula_intrinsic(function: Callable[..., Any]) -> Any:
    """See `formula.formula`."""

    def typed(typingctx: Any, *args: Any) -> Any:
        given = [_as_floats(arg) for arg in args]

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            arguments = [_unpacked(context, builder, kind, value) for kind, value in zip(given, values, strict=True)]
            return _packed(context, builder, signature.return_type, function(*arguments))

        return _type_of(function(*(_example(kind) for kind in given)))(*given), generate

    names = ["typingctx", *inspect.signature(function).parameters]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    typed.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    typed.__name__, typed.__doc__ = function.__name__, function.__doc__
    return intrinsic(typed)


def _as_floats(kind: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        return types.BaseTuple.from_types([_as_floats(part) for part in _parts(kind)])
    if isinstance(kind, types.Number):
        return types.float64
    raise TypingError(f"a formula takes numbers and tuples of numbers, not {kind}")


def _parts(kind: Any) -> Any:
    """Return the types of the elements of a type of tuples."""
    return kind.types


def _example(kind: Any) -> Any:
    """Return NaN in the shape of a type: no operation with it raises an error."""
    return tuple(_example(part) for part in _parts(kind)) if isinstance(kind, types.BaseTuple) else math.nan


def _type_of(value: Any) -> Any:
    return types.BaseTuple.from_types([_type_of(part) for part in value]) if isinstance(value, tuple) else types.float64


def _unpacked(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        return tuple(_unpacked(context, builder, each, part) for each, part in zip(_parts(kind), parts, strict=True))
    return _Value(builder, value)


def _packed(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        parts = [_packed(context, builder, each, part) for each, part in zip(_parts(kind), value, strict=True)]
        return context.make_tuple(builder, kind, parts)
    return _llvm(value)
