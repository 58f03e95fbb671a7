"""Checks of a `FlatModel` that another front end, or a user, has written; those from a `Model` are as they must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError, nearest
from ...model.expression import Equation, Text, walk
from .flat_model import STATE_SELECT, TYPES, FlatModel, Variable


def check_flat(flat: FlatModel) -> None:
    """Refuse flat models that the passes after flattening cannot read.

    Raises:
        ModelError: names the variable, parameter or equation.
    """
    for name, value in (*flat.parameters.items(), *flat.arrays.items()):
        number_of(value, name)
    for name, variable in flat.variables.items():
        _check_variable(name, variable, flat)
    equations = [*flat.equations, *flat.initial_equations]
    for equation in equations:
        _check_equation(equation)
    sides = [side for e in equations if isinstance(e, Equation) for side in (e.lhs, e.rhs)]
    if any(type(node) is Text for node in walk(*sides)):
        _refuse_text(equations)


def number_of(value: Any, path: str) -> np.ndarray:
    """Return a number, vector or matrix as an array.

    Raises:
        ModelError: it is none.
    """
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise ModelError("the value is not a number", path=path, found=repr(value), expected="a number, or an array of numbers")
    return array.astype(float)


def _check_variable(name: str, variable: Variable, flat: FlatModel) -> None:
    if variable.name != name or name in flat.parameters or name in flat.arrays:
        what = f"the variable '{variable.name}'" if variable.name != name else "a variable and a parameter"
        raise ModelError("the name of a variable is taken", path=name, found=what, expected="one variable of this name")
    for attribute in ("init", "start", "nominal"):
        if (value := getattr(variable, attribute)) is not None:
            number_of(value, f"{name}.{attribute}")
    for attribute, known in (("type", TYPES), ("state_select", STATE_SELECT)):
        if (value := getattr(variable, attribute)) not in known:
            expected = f"one of {', '.join(known)}"
            raise ModelError(f"unknown {attribute} '{value}'", path=name, expected=expected, remedy=nearest(value, known))


def _check_equation(equation: object) -> None:
    if isinstance(equation, CallEquation):
        return
    if not isinstance(equation, Equation):
        remedy = "modiapy.model.parser.parse_equation reads a text."
        raise ModelError("this is not an equation", found=repr(equation), expected="an Equation", remedy=remedy)


def _refuse_text(equations: Iterable[Equation | CallEquation]) -> None:
    for e in equations:
        if not isinstance(e, Equation):
            continue
        for text in (n for n in walk(e.lhs, e.rhs) if type(n) is Text):
            raise ModelError(f"'{text.value}' in '{e}' is text", path=e.path, expected="the number of a literal")
