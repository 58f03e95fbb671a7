"""Blocks with any number of inputs u1, u2, ..., of Modelica.Blocks.Math, MathInteger and MathBoolean; integers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from ...model.errors import ModelError
from ...model.interpolation import Extrapolation
from ...model.model import Model, Var, is_number
from ...model.when import When
from .interfaces import check_ascending, steps

_KINDS = ("Real", "Integer", "Boolean")


def _inputs(nu: int, kind: str) -> tuple[list[str], Model]:
    if not isinstance(nu, Integral) or nu < 1 or kind not in _KINDS:
        raise ModelError("a block needs inputs", found=f"{nu!r} inputs of type {kind!r}", expected=f"1 or more, {_KINDS}")
    names = [f"u{k + 1}" for k in range(nu)]
    return names, Model({name: _variable(kind, input=True) for name in names})


def _variable(kind: str, **attributes: Any) -> Var:
    return Var(**attributes) if kind == "Real" else Var(type=kind, **attributes)


def MultiSum(nu: int = 2, k: Sequence[float] | None = None, *, kind: str = "Real") -> Model:
    """Sum of nu inputs with the gains k (all 1); ``kind="Integer"`` for integers."""
    names, model = _inputs(nu, kind)
    gains = [1] * nu if k is None else list(k)
    if len(gains) != nu or not all(map(is_number, gains)):
        raise ModelError("gains of a sum", found=repr(gains), expected=f"{nu} numbers, one for each input")
    terms = " + ".join(u if c == 1 else f"({c!r})*{u}" for c, u in zip(gains, names, strict=True))
    return model | Model(description=f"Weighted sum of {nu} inputs", y=_variable(kind, output=True), equations=[f"y = {terms}"])


def MultiProduct(nu: int = 2, *, kind: str = "Real") -> Model:
    """Product of nu inputs; ``kind="Integer"`` for integers."""
    names, model = _inputs(nu, kind)
    return model | Model(
        description=f"Product of {nu} inputs", y=_variable(kind, output=True), equations=[f"y = {'*'.join(names)}"]
    )


def MinMax(nu: int = 2) -> Model:
    """The smallest (y_min) and the largest (y_max) of nu inputs."""
    names, model = _inputs(nu, "Real")
    low = high = names[0]
    for name in names[1:]:
        low, high = f"min({low}, {name})", f"max({high}, {name})"
    return model | Model(
        description=f"Smallest and largest of {nu} inputs",
        y_min=Var(output=True),
        y_max=Var(output=True),
        equations=[f"y_min = {low}", f"y_max = {high}"],
    )


def MultiSwitch(
    expr: Sequence[float | bool | str],
    y_default: float | bool | str = 0.0,
    *,
    use_pre_as_default: bool = False,
    kind: str = "Real",
) -> Model:
    """The expression in ``expr`` that belongs to the first true input u1, u2, ...; y_default (or, with use_pre_as_default, the
    value before the event, which begins with y_default) where none is true. ``kind``: "Real", "Integer" or "Boolean".
    """
    names = [f"u{k + 1}" for k in range(len(expr))]
    _inputs(len(expr), kind)
    value = "pre(y)" if use_pre_as_default else str(y_default)
    for name, e in reversed(list(zip(names, expr, strict=True))):
        value = f"{e} if {name} else ({value})"
    start = {"init": y_default} if use_pre_as_default else {}
    return Model({name: Var(type="Boolean", input=True) for name in names}) | Model(
        description=f"Expression of the first true one of {len(expr)} inputs",
        y=_variable(kind, output=True, **start),
        equations=[f"y = {value}"],
    )


def _truth(nu: int, words: str, expression: str) -> Model:
    _, model = _inputs(nu, "Boolean")
    return model | Model(description=words, y=Var(type="Boolean", output=True), equations=[f"y = {expression}"])


def _joined(nu: int, operator: str) -> str:
    return f" {operator} ".join(f"u{k + 1}" for k in range(nu))


def MultiAnd(nu: int = 2) -> Model:
    """True if all of nu inputs are true."""
    return _truth(nu, f"Whether all of {nu} inputs are true", _joined(nu, "and"))


def MultiOr(nu: int = 2) -> Model:
    """True if one of nu inputs is true."""
    return _truth(nu, f"Whether one of {nu} inputs is true", _joined(nu, "or"))


def MultiNand(nu: int = 2) -> Model:
    """True if one of nu inputs is false."""
    return _truth(nu, f"Whether one of {nu} inputs is false", f"not ({_joined(nu, 'and')})")


def MultiNor(nu: int = 2) -> Model:
    """True if all of nu inputs are false."""
    return _truth(nu, f"Whether all of {nu} inputs are false", f"not ({_joined(nu, 'or')})")


def MultiXor(nu: int = 2) -> Model:
    """True if exactly one of nu inputs is true."""
    names = [f"u{k + 1}" for k in range(nu)]
    ones = [" and ".join(name if name == only else f"not {name}" for name in names) for only in names]
    return _truth(nu, f"Whether exactly one of {nu} inputs is true", " or ".join(f"({one})" for one in ones))


_INTEGER = Var(type="Integer", output=True)

IntegerConstant = Model(description="Constant integer k", k=1, y=_INTEGER, equations=["y = k"])

IntegerStep = Model(
    description="Integer offset, from start_time [s] on higher by height",
    height=1,
    offset=0,
    start_time=0.0,
    y=_INTEGER,
    equations=["y = offset + (height if after(start_time) else 0)"],
)


def IntegerTable(table: Sequence[Sequence[float]], *, extrapolation: Extrapolation = "hold") -> Model:
    """Integer that changes at the instants in the first column of table to the values in the second, the first at once.

    Parameters: 0 before start_time [s], by default at any time; shift_time [s] is added to the first column.

    Args:
        table: the instants, and the integers from there on.
        extrapolation: "hold", or "periodic" where it goes on as between the first and the last instant.
    """
    if not len(table) or any(np.shape(row) != (2,) or row[1] % 1 != 0 for row in table):
        raise ModelError("table of an integer", found=repr(table), expected="rows of a time [s] and an integer")
    check_ascending([time for time, _ in table])
    return steps(table, extrapolation) | Model(
        description="Integer that changes at given instants",
        y=_INTEGER,
        equations=["y = value if after(start_time) else 0"],
    )


RealToInteger = Model(
    description="u, rounded to the nearest integer",
    u=Var(input=True),
    y=_INTEGER,
    equations=["y = floor(u + 0.5) if u > 0 else ceil(u - 0.5)"],
)

IntegerToReal = Model(
    description="An integer as a real number", u=Var(type="Integer", input=True), y=Var(output=True), equations=["y = u"]
)

BooleanToInteger = Model(
    description="integer_true while u is true, else integer_false",
    integer_true=1,
    integer_false=0,
    u=Var(type="Boolean", input=True),
    y=_INTEGER,
    equations=["y = integer_true if u else integer_false"],
)

IntegerToBoolean = Model(
    description="Whether u >= threshold",
    threshold=1,
    u=Var(type="Integer", input=True),
    y=Var(type="Boolean", output=True),
    equations=["y = u >= threshold"],
)

TriggeredAdd = Model(
    description="u is added to y, which begins with y_start, when trigger becomes true",
    y_start=0,
    u=Var(type="Integer", input=True),
    trigger=Var(type="Boolean", input=True),
    y=Var(type="Integer", init="y_start", output=True),
    equations=[When("trigger", ["y = pre(y) + u"])],
)

TriggeredAddWithReset = TriggeredAdd | Model(
    description="TriggeredAdd that is set to y_start when reset becomes true",
    reset=Var(type="Boolean", input=True),
)
TriggeredAddWithReset["equations"] = [When("trigger", ["y = pre(y) + u"], elsewhen=[("reset", ["y = y_start"])])]
