"""Operators of complex numbers (`Complex` of Modelica, a record of ``re`` and ``im``)."""

from __future__ import annotations

from collections.abc import Callable

from ...model.expression import ZERO, Expr, add, apply, div, mul, neg, sub
from .terms.refusals import Refusal
from .terms.values import Record, Value


def _parts(value: Value) -> tuple[Expr, Expr]:
    if isinstance(value, Expr):
        return value, ZERO
    if isinstance(value, Record) and value.fields.keys() == {"re", "im"}:
        return value.fields["re"], value.fields["im"]
    raise Refusal("an operator of records that are no complex numbers", found=getattr(value, "type", type(value).__name__))


def _complex(re: Expr, im: Expr) -> Record:
    return Record("Complex", {"re": re, "im": im})


def _add(a: Value, b: Value) -> Value:
    (x, y), (u, v) = _parts(a), _parts(b)
    return _complex(add(x, u), add(y, v))


def _sub(a: Value, b: Value) -> Value:
    (x, y), (u, v) = _parts(a), _parts(b)
    return _complex(sub(x, u), sub(y, v))


def _mul(a: Value, b: Value) -> Value:
    (x, y), (u, v) = _parts(a), _parts(b)
    return _complex(sub(mul(x, u), mul(y, v)), add(mul(x, v), mul(y, u)))


def _div(a: Value, b: Value) -> Value:
    (x, y), (u, v) = _parts(a), _parts(b)
    size = add(mul(u, u), mul(v, v))
    return _complex(div(add(mul(x, u), mul(y, v)), size), div(sub(mul(y, u), mul(x, v)), size))


def _neg(a: Value, _: Value) -> Value:
    x, y = _parts(a)
    return _complex(neg(x), neg(y))


def _equal(a: Value, b: Value) -> Value:
    (x, y), (u, v) = _parts(a), _parts(b)
    return apply("and", apply("==", x, u), apply("==", y, v))


OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    "Add": _add,
    "Sub": _sub,
    "Mul": _mul,
    "Div": _div,
    "Neg": _neg,
    "Eq": _equal,
}
