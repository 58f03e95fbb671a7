"""Initial values, guesses and magnitudes of variables that stand for others, which have been eliminated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.errors import ModelError
from ...model.model import DefaultInit, FoundInit
from ..flat.flat_model import STATE_SELECT, Variable
from ..terms.names import integral_of, order_of
from .parts import Alias


def guess_values(variables: Mapping[str, Variable]) -> dict[str, float]:
    """Return the values that iterations begin with: ``start``, else ``init``, by name, elements of arrays one by one."""
    result: dict[str, float] = {}
    for name, v in variables.items():
        guess = v.init if v.start is None else v.start
        if guess is None:
            continue
        if np.ndim(guess):
            elements = np.asarray(guess, dtype=float)
            result |= {f"{name}[{','.join(map(str, p))}]": float(elements[p]) for p in np.ndindex(elements.shape)}
        else:
            result[name] = float(guess)
    return result


def magnitude(state: str, nominal: Mapping[str, Any]) -> Any:
    """Return the nominal value of a state, 1 where there is none; a derivative has that of its variable, if none of its own."""
    while state not in nominal and order_of(state):
        state = integral_of(state)
    return nominal.get(state, 1.0)


def nominal_values(variables: Mapping[str, Variable]) -> dict[str, float]:
    """Return the magnitudes by name."""
    return {name: float(v.nominal) for name, v in variables.items() if v.nominal is not None}


def _wish(variable: Variable) -> int:
    """Return the strength of a wish to be, or not to be, a state: that of one of several aliases holds for all.

    No wish is weaker than all but "never": a variable that is to be no state may have an alias that is one.
    """
    return {"never": -2, "default": -1}.get(variable.state_select) or STATE_SELECT.index(variable.state_select)


def _is_plain(variable: Variable) -> bool:
    """Return whether a variable has nothing that one in its place could take over."""
    given = variable.init is not None or variable.start is not None or variable.nominal is not None
    return not given and variable.state_select == "default"


def own_value(variable: Variable | None) -> Any:
    """Return ``init``, else ``start``, else None."""
    return None if variable is None else variable.start if variable.init is None else variable.init


def initial_value(variable: Variable | None, shape: tuple[int, ...] = ()) -> Any:
    """Return ``init``, else ``start``, else 0: a float, or an array of this shape."""
    value = own_value(variable)
    value = 0.0 if value is None else value
    return np.broadcast_to(np.asarray(value, dtype=float), shape).copy() if shape else float(value)


def value_before(name: str, variables: Mapping[str, Variable], aliases: Mapping[str, Alias]) -> Any:
    """Return the value of a variable before the simulation begins, also of one that was eliminated: a number or an array."""
    alias, value = aliases.get(name), own_value(variables.get(name))
    if value is None and alias is not None and alias.of:
        return alias.sign * value_before(alias.of, variables, aliases)
    return 0.0 if value is None else np.asarray(value, dtype=float) if np.ndim(value) else float(value)


def inherit_initial_values(variables: Mapping[str, Variable], aliases: Mapping[str, Alias]) -> dict[str, Variable]:
    """Return the variables where each one that stands for aliases has their ``init``, ``start`` and so on, if it has none of
    its own.

    Raises:
        ModelError: two aliases have contradicting values of ``init`` that users gave; a `DefaultInit` gives way to these.
    """
    result = dict(variables)
    source: dict[str, str] = {}
    for name, alias in aliases.items():
        member, target = variables.get(name), result.get(alias.of)
        if member is None or target is None or (_is_plain(member) and target.state_select != "never"):
            continue
        if member.init is not None:
            init = alias.sign * member.init
            if isinstance(member.init, DefaultInit):
                init = type(member.init)(init)
            if target.init is None or _weight(init) > _weight(target.init):
                target = replace(target, init=init)
                source[alias.of] = name
            elif not isinstance(init, DefaultInit) and not np.allclose(init, target.init, rtol=1e-12, atol=1e-300):
                other = source.get(alias.of, alias.of)
                equal = "equal" if alias.sign == aliases.get(other, Alias(alias.of)).sign else "opposite"
                raise ModelError(
                    f"the initial values of '{name}' and '{other}' contradict each other",
                    path=member.origin,
                    found=f"{name}: init={member.init!r}, {other}: init={variables[other].init!r}",
                    expected=f"{equal} values, because the equations make the two {equal}",
                    remedy="Give init to one of them only.",
                )
        if member.start is not None and target.start is None:
            target = replace(target, start=alias.sign * member.start)
        if member.nominal is not None and target.nominal is None:
            target = replace(target, nominal=member.nominal)
        if _wish(member) > _wish(target):
            target = replace(target, state_select=member.state_select)
        result[alias.of] = target
    return result


def _weight(init: Any) -> int:
    """Return the weight of an ``init``: of two values that of more weight counts."""
    return 0 if type(init) is DefaultInit else 1 if type(init) is FoundInit else 2
