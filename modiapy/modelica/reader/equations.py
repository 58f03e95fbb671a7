"""Equations and initial equations: residuals of typed trees become scalar equations."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...model.expression import ONE, ZERO, Const, Equation, Expr, names
from ...symbolic.flat.flat_model import Assertion
from .parameters import is_parameter
from .reading import Reading
from .terms.complex_numbers import parts_of
from .terms.refusals import Refusal
from .terms.values import Record, Value, scalars

_EQUALS, _WORD = re.compile(r"(?<![<>=:])=(?!=)"), re.compile(r"[A-Za-z_][\w.]*")
_LONGEST = 160
"""So much of a written equation is quoted."""


def read_equations(reading: Reading) -> None:
    """Read all equations, initial equations and assertions."""
    for tree, local in _written_out(reading, ""):
        reading.flat.equations += equations_of(reading, tree, local)
    reading.initial = True
    for tree, local in _written_out(reading, "initial_"):
        reading.flat.initial_equations += equations_of(reading, tree, local)
    reading.initial = False
    for tree in (*reading.trees["assert_equations"], *reading.trees["initial_assert_equations"]):
        _read_assertion(reading, tree)


def _written_out(reading: Reading, kind: str) -> Iterable[tuple[Mapping[str, Any], dict[str, Any] | None]]:
    """Return all residuals, those of repetitions with the values of their indices.

    Where the front end did not write a repetition out, there are placeholders: its template says what they mean.
    """
    given = reading.trees[f"{kind}equations"]
    repeated: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}
    for entry in reading.trees[f"{kind}structured_equations"]:
        if entry.get("interiors_materialized"):
            continue
        binders = entry["domain"]["binders"]
        ranges = [range(b["lower"], b["upper"] + (1 if b["step"] > 0 else -1), b["step"]) for b in binders]
        k = entry["first_equation_index"]
        for index in itertools.product(*ranges):
            local = {b["display_name"]: Const(i) for b, i in zip(binders, index, strict=True)}
            for body in entry["template"]["body"]:
                repeated[k] = {"residual": body, "span": given[k]["span"], "origin": entry["origin"]}, local
                k += 1
    return [repeated.get(k, (tree, None)) for k, tree in enumerate(given)]


def equations_of(reading: Reading, tree: Mapping[str, Any], local: dict[str, Any] | None) -> Iterable[Equation]:
    """Return the scalar equations that a residual means."""
    reading.component, text = _origin(reading, tree)
    residual = tree["residual"]
    lhs, rhs = _sides(reading, residual, local)
    if isinstance(lhs, tuple):
        pairs = [pair for a, b in zip(lhs, rhs, strict=False) if a is not None for pair in _pairs(a, b, reading, tree)]
    else:
        pairs = _pairs(lhs, rhs, reading, tree)
    _check_condition(reading, tree, pairs)
    if reading.computed_booleans:
        pairs = [(reading.computed_booleans.get(a, a), b) for a, b in pairs]
    if len(pairs) == 1:
        return [Equation(a, b, reading.component, text) for a, b in pairs]
    return [Equation(a, b, reading.component, f"{text}: {k + 1}") for k, (a, b) in enumerate(pairs)]


def _check_condition(reading: Reading, tree: Mapping[str, Any], pairs: Sequence[tuple[Expr, Expr]]) -> None:
    """Refuse equations of a branch under a condition that changes, where the front end has left the condition out.

    The place of what it makes of an if-equation is that of its condition, which an equation has an ``=`` more than.
    """
    written = reading.source.places.quoted(tree["span"])
    if not written or _EQUALS.search(written) or "ComponentEquation" not in tree["origin"]:
        return
    variables = reading.trees["variables"]
    paths = {f"{reading.component}.{word}".lstrip(".") for word in _WORD.findall(written)}
    changing = {path for path in paths if path in variables and not is_parameter(variables[path])}
    if not changing or changing & set().union(*(names(a) | names(b) for a, b in pairs)):
        return
    refusal = Refusal("a branch of an if-equation was lost by the front end", found=f"no trace of '{written}'")
    reading.locate(refusal, tree)
    raise refusal


def _sides(reading: Reading, residual: Mapping[str, Any], local: dict[str, Any] | None) -> tuple[Value, Value]:
    binary = residual.get("Binary")
    interpreter = reading.interpreter
    if binary is None or binary["op"] != "Sub":
        return interpreter.value(residual, local), ZERO
    if "Tuple" in binary["lhs"]:
        call = binary["rhs"].get("FunctionCall")
        if call is None:
            raise Refusal("several variables on the left are equal to something else than a call of a function")
        results = reading.functions.results(call, local)
        elements = [None if _is_left_out(e) else interpreter.value(e, local) for e in binary["lhs"]["Tuple"]["elements"]]
        return tuple(elements), tuple(results)
    return interpreter.value(binary["lhs"], local), interpreter.value(binary["rhs"], local)


def _is_left_out(tree: Any) -> bool:
    return tree is None or tree == "Empty" or "Empty" in tree


def _pairs(lhs: Value, rhs: Value, reading: Reading, tree: Mapping[str, Any]) -> list[tuple[Expr, Expr]]:
    """Return the scalars of both sides, side by side."""
    if isinstance(lhs, Record) and isinstance(rhs, Record) and lhs.fields.keys() == rhs.fields.keys():
        return [p for key, value in lhs.fields.items() for p in _pairs(value, rhs.fields[key], reading, tree)]
    if isinstance(lhs, Record) != isinstance(rhs, Record) and np.shape(lhs) == np.shape(rhs):
        return [pair for a, b in zip(parts_of(lhs), parts_of(rhs), strict=True) for pair in _pairs(a, b, reading, tree)]
    left, right = list(scalars(lhs)), list(scalars(rhs))
    if np.shape(lhs) != np.shape(rhs) and len(right) == 1:  # a residual of a sum that is zero
        right = right * len(left)
    if len(left) != len(right):
        refusal = Refusal("both sides of an equation have different shapes", found=f"{np.shape(lhs)} and {np.shape(rhs)}")
        reading.locate(refusal, tree)
        raise refusal
    if not all(isinstance(e, Expr) for e in (*left, *right)):
        refusal = Refusal("an equation of texts or objects is not read")
        reading.locate(refusal, tree)
        raise refusal
    return list(zip(left, right, strict=True))


def _origin(reading: Reading, tree: Mapping[str, Any]) -> tuple[str, str]:
    """Return the path of the component, and the text of an equation with its place."""
    origin = tree["origin"]
    ((kind, what),) = origin.items() if isinstance(origin, Mapping) else ((str(origin), {}),)
    if kind in ("ComponentEquation", "VeiledEquation"):
        span = tree["span"]
        place = reading.source.places.of(span)
        written = reading.source.places.quoted(span)
        if len(written) > _LONGEST:
            written = f"{written[:_LONGEST]} ..."
        return what["component"], f"{written} ({place})" if place else written
    if kind == "Connection":
        return "", f"connect({what['lhs']}, {what['rhs']})"
    if kind == "FlowSum":
        return "", str(what["description"])
    if kind == "UnconnectedFlow":
        return "", f"{what['variable']} = 0"
    return "", kind


def _read_assertion(reading: Reading, tree: Mapping[str, Any]) -> None:
    reading.component, _ = _origin(reading, {**tree, "span": tree.get("span")})
    condition = reading.interpreter.scalar(tree["condition"])
    message = reading.interpreter.value(tree["message"])
    level = reading.interpreter.value(tree["level"]) if tree.get("level") is not None else None
    add_assertion(reading, condition, str(message), "warning" if level == Const(1) else "error")


def add_assertion(reading: Reading, condition: Expr, message: str, level: str) -> None:
    """Add an assertion, unless it holds anyway."""
    if type(condition) is Const and condition.value:
        return
    if reading.is_parametric(condition):
        if not reading.number(condition) and level == "error":
            raise Refusal(f"an assertion about parameters does not hold: {message}")
        return
    text = f"{message[:60]}" if condition != ONE else message
    reading.flat.assertions.append(Assertion(condition, message, level, reading.component, text))
