"""Arithmetic of scalars, among them complex numbers (`Complex` of Modelica, a record of ``re`` and ``im``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....model.expression import ZERO, Const, Expr, add, apply, div, mul, neg, power, sub
from .records import Record
from .refusals import Refusal

Scalar = Any
"""An `Expr` or a complex number."""


def parts_of(value: Scalar) -> tuple[Expr, Expr]:
    """Return the real and imaginary part."""
    if isinstance(value, Expr):
        return value, ZERO
    if isinstance(value, Record) and value.fields.keys() == {"re", "im"}:
        return value.fields["re"], value.fields["im"]
    raise Refusal(
        "an operator of records that are no complex numbers is not read", found=getattr(value, "type", type(value).__name__)
    )


def complex_number(re: Expr, im: Expr) -> Record:
    """Return the record ``Complex(re, im)``."""
    return Record("Complex", {"re": re, "im": im})


def _add(a: Scalar, b: Scalar) -> Scalar:
    (x, y), (u, v) = parts_of(a), parts_of(b)
    return complex_number(add(x, u), add(y, v))


def _sub(a: Scalar, b: Scalar) -> Scalar:
    (x, y), (u, v) = parts_of(a), parts_of(b)
    return complex_number(sub(x, u), sub(y, v))


def _mul(a: Scalar, b: Scalar) -> Scalar:
    (x, y), (u, v) = parts_of(a), parts_of(b)
    return complex_number(sub(mul(x, u), mul(y, v)), add(mul(x, v), mul(y, u)))


def _div(a: Scalar, b: Scalar) -> Scalar:
    (x, y), (u, v) = parts_of(a), parts_of(b)
    if v is ZERO:
        return complex_number(div(x, u), div(y, u))
    size = add(mul(u, u), mul(v, v))
    return complex_number(div(add(mul(x, u), mul(y, v)), size), div(sub(mul(y, u), mul(x, v)), size))


def _power(a: Scalar, b: Scalar) -> Scalar:
    """Return ``a ^ b`` by logarithm and exponential function, as the library's operator."""
    return _exp(_mul(b, _log(a)))


def _abs(z: Record) -> Expr:
    x, y = parts_of(z)
    return apply("sqrt", add(mul(x, x), mul(y, y)))


def _exp(z: Record) -> Record:
    x, y = parts_of(z)
    return _polar(apply("exp", x), y)


def _log(z: Scalar) -> Record:
    x, y = parts_of(z)
    return complex_number(apply("log", _abs(z)), apply("atan2", y, x))


def _sqrt(z: Record) -> Record:
    x, y = parts_of(z)
    return _polar(apply("sqrt", _abs(z)), div(apply("atan2", y, x), Const(2.0)))


def _polar(size: Expr, angle: Expr) -> Record:
    return complex_number(mul(size, apply("cos", angle)), mul(size, apply("sin", angle)))


FUNCTIONS: Mapping[str, Callable[[Record], Scalar]] = {"abs": _abs, "exp": _exp, "log": _log, "sqrt": _sqrt}
"""What functions of real numbers mean where they are called with complex ones."""


def _either(
    real: Callable[[Expr, Expr], Expr], of_complex: Callable[[Scalar, Scalar], Scalar]
) -> Callable[[Scalar, Scalar], Scalar]:
    def operation(a: Scalar, b: Scalar) -> Scalar:
        return of_complex(a, b) if isinstance(a, Record) or isinstance(b, Record) else real(a, b)

    return operation


plus, minus, times, over = _either(add, _add), _either(sub, _sub), _either(mul, _mul), _either(div, _div)
raised = _either(power, _power)


def negated(a: Scalar) -> Scalar:
    """Return the negated number ``-a``."""
    return complex_number(*map(neg, parts_of(a))) if isinstance(a, Record) else neg(a)


def are_equal(a: Scalar, b: Scalar) -> Expr:
    """Return ``a == b`` of complex numbers."""
    (x, y), (u, v) = parts_of(a), parts_of(b)
    return apply("and", apply("==", x, u), apply("==", y, v))
