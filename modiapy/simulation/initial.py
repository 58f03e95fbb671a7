"""Initial values of variables that follow from states and parameters alone, before any component has data to compute with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from ..model.errors import ModelError, nearest
from ..model.expression import evaluate
from ..symbolic.flat_model import FlatModel
from ..symbolic.sorted_model import Assignment, SortedModel
from .signals import relative_name


def initial_values(
    sorted_model: SortedModel, flat: FlatModel, inputs: Mapping[str, float], time: float, x: Iterable[float]
) -> dict[str, float]:
    """Values of states, parameters, inputs, and of all variables computed from them without calling a component.

    A variable that cannot be computed that way has its ``init`` or ``start``, if it has one.
    """
    values = {"time": time, **flat.parameters, **inputs, **dict(zip(sorted_model.states, map(float, x), strict=True))}
    for block in sorted_model.blocks:
        if isinstance(block, Assignment):
            with suppress(KeyError, ArithmeticError, ValueError):
                values[block.variable] = evaluate(block.expr, values)
    for name, alias in sorted_model.aliases.items():
        _follow(name, alias.of, values, sorted_model)
    for name, variable in flat.variables.items():
        guess = variable.start if variable.init is None else variable.init
        if name not in values and guess is not None:
            values[name] = guess
    return values


def _follow(name: str, of: str, values: dict[str, float], sorted_model: SortedModel) -> None:
    alias = sorted_model.aliases[name]
    if name in values:
        return
    if of in sorted_model.aliases:
        _follow(of, sorted_model.aliases[of].of, values, sorted_model)
    if of in values:
        values[name] = alias.sign * values[of]
    elif alias.value is not None:
        with suppress(KeyError, ArithmeticError, ValueError):
            values[name] = evaluate(alias.value, values)


def initial_reader(values: Mapping[str, float], path: str) -> Callable[[str], float]:
    """What the component ``path`` reads initial values with.

    Raises:
        ModelError: (the returned function) there is no such variable, or its initial value is not known.
    """

    def read(name: str) -> float:
        full = relative_name(path, name)
        if full not in values:
            raise ModelError(f"the initial value of '{full}' is not known", path=path, remedy=nearest(full, values))
        return values[full]

    return read
