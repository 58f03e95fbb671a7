"""Guesses of variables without a start value: where equations compute them from those that have one.

Nonlinear equations at the beginning are solved from there. States, which begin with their start values, get none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...model.expression import Equation, Expr, Name, evaluate, names
from .reading import Reading

_LARGEST = 1e100


def guess_others(reading: Reading) -> None:
    """Set start values of Real variables that are not differentiated to those that explicit equations give."""
    flat = reading.flat
    known: dict[str, float] = dict(flat.parameters)
    known["time"] = flat.defaults.get("start_time", 0.0)
    for name, variable in flat.variables.items():
        value = variable.start if variable.init is None else variable.init
        if value is not None:
            known[name] = float(value)
    wanted = {n for n, v in flat.variables.items() if n not in known and v.type == "Real" and n not in reading.differentiated}
    if not wanted:
        return
    waiting: dict[str, list[int]] = {}
    explicit = [pair for e in flat.equations if isinstance(e, Equation) for pair in _solved(e, wanted)]
    missing = []
    for k, (_, expr) in enumerate(explicit):
        unknown = names(expr) - known.keys()
        missing.append(len(unknown))
        for name in unknown:
            waiting.setdefault(name, []).append(k)
    queue = [k for k, n in enumerate(missing) if not n]
    for k in queue:
        name, expr = explicit[k]
        if name in known:
            continue
        try:
            value = float(evaluate(expr, known))
        except (KeyError, ArithmeticError, ValueError):
            continue
        if not abs(value) < _LARGEST:
            continue
        known[name] = value
        flat.variables[name] = replace(flat.variables[name], start=value)
        for other in waiting.get(name, ()):
            missing[other] -= 1
            if not missing[other]:
                queue.append(other)


def _solved(equation: Equation, wanted: set[str]) -> Iterator[tuple[str, Expr]]:
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if type(side) is Name and side.name in wanted:
            yield side.name, other
