"""Laws of springs and dampers, and forces as functions of time: a number, a table, or a function of one argument."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Union

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.model.functions import UserFunction
from modiapy.model.tables import LARGEST, LookupTable

from ...scene.basics import checks
from ...scene.formulas import function_of_text
from .layout import CONSTANT, FUNCTION, LINEAR, TABLE


@dataclass(frozen=True)
class FormulaLaw:
    """A function of one argument as text: ``Formula("100*u + 5*u**3")``.

    Attributes:
        expression: sums, products, powers, ``a if c else b`` and the functions of the language (sin, exp, abs, sign, ...).
        argument: name of the argument in it.
    """

    expression: str
    argument: str = "u"
    function: UserFunction = field(init=False, repr=False)

    def __post_init__(self) -> None:
        argument, expression = (checks.text("Formula", name, getattr(self, name)) for name in ("argument", "expression"))
        object.__setattr__(self, "function", function_of_text("Formula", (argument,), (expression,)))


Law = Union[float, LookupTable, UserFunction, FormulaLaw, Callable[[float], float]]  # noqa: UP007
"""A number, a `Table1D` (one column of results, extrapolated linearly or held), a `Formula`, or a Python function (of one
number, with one result, that numba can compile)."""


def law(owner: str, name: str, value: object, *, negative: bool = False) -> Law:
    """Return ``value`` in its stored form: a float, a table, or a `UserFunction`.

    Args:
        owner, name: of the field, for messages.
        value: what the user gave.
        negative: whether a number may be negative.

    Raises:
        ModelError: it is no law.
    """
    if isinstance(value, LookupTable):
        if value.columns != 1 or value.extrapolation not in ("linear", "hold"):
            raise ModelError(
                f"{name} of {owner}: the table does not fit",
                found=f"{value.columns} columns of results, extrapolation={value.extrapolation!r}",
                expected="one column, and 'linear' or 'hold'",
            )
        return value
    if isinstance(value, FormulaLaw):
        return value.function
    if inspect.isfunction(value):
        value = UserFunction(value)
    if isinstance(value, UserFunction):
        if (value.inputs, value.outputs) != (1, 1):
            raise ModelError(
                f"{name} of {owner}: the function '{value.name}' does not fit",
                found=f"{value.inputs} arguments, {value.outputs} results",
                expected="one of each",
            )
        return value
    return checks.number(owner, name, value) if negative else checks.not_negative(owner, name, value)


def laws3(owner: str, name: str, values: object, *, negative: bool = False) -> tuple[Law, Law, Law]:
    """Return three laws, along or about x, y, z. Raises ModelError as `law`, or if they are not three."""
    items = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else ()
    if len(items) != 3:
        remedy = "A function gives one component: (f_x, f_y, f_z)." if callable(values) else ""
        raise ModelError(
            f"{name} of {owner} is wrong", found=repr(values), expected="three numbers, tables or functions", remedy=remedy
        )
    x, y, z = (law(owner, f"{name}[{i}]", value, negative=negative) for i, value in enumerate(items))
    return x, y, z


def law_columns(laws: Sequence[Law], number: int = LINEAR) -> tuple[float, ...]:
    """Return the kind and number of each law for the table of forces, see `modia3d.forces.basics.layout`.

    Args:
        laws: in their stored form.
        number: what a number means, `LINEAR` or `CONSTANT`.

    Raises:
        ModelError: a function cannot be compiled.
    """
    columns: list[float] = []
    for item in laws:
        if isinstance(item, LookupTable):
            columns += TABLE, item.handle
        elif isinstance(item, UserFunction):
            from modiapy.symbolic.codegen.external import machine_code

            columns += FUNCTION, float(machine_code(item))
        else:
            assert isinstance(item, float)
            columns += number, item
    return tuple(columns)


def next_kink(laws: Sequence[Law], time: float) -> float:
    """Return the first abscissa after ``time`` [s] at which one of the tables of time has a kink or jump; infinity if there is
    none.
    """
    following = [table.kink(table.passed(time)) for table in laws if isinstance(table, LookupTable)]
    return min((x for x in following if x < LARGEST), default=math.inf)


def beside_kinks(laws: Sequence[Law], time: np.ndarray) -> np.ndarray:
    """Return the time points of a segment, (nt,) [s], where those that end at a kink of a table of time are just before it."""
    kinks = [table.kinks for table in laws if isinstance(table, LookupTable)]
    if not kinks:
        return time
    arrives = np.diff(time, prepend=np.inf) > 0.0
    return np.where(arrives & np.isin(time, np.concatenate(kinks)), np.nextafter(time, -np.inf), time)


__all__ = ["CONSTANT", "LINEAR", "FormulaLaw", "Law", "beside_kinks", "law", "law_columns", "laws3", "next_kink"]
