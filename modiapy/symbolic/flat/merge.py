"""New values in a `FlatModel` that was written by hand: what ``simulate(merge=...)`` does there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ...model.errors import ModelError, nearest
from ...model.expression import Expr, evaluate
from .checks import number_of
from .flat_model import FlatModel, Variable

_ATTRIBUTES = ("init", "start", "nominal", "shape")


F = TypeVar("F", bound=FlatModel)


def merged_flat(flat: F, changes: Mapping[str, Any]) -> F:
    """Return ``flat`` with other values of parameters, and other ``init``, ``start``, ``nominal`` and shapes of variables.

    An array may get another size.

    Args:
        flat: stays as it is.
        changes: by path, nested or not: ``Map(gear=Map(ratio=2.0))`` is ``{"gear.ratio": 2.0}``.

    Raises:
        ModelError: there is no such parameter or variable, or the value is not a number.
    """
    parameters, variables, arrays, shapes = dict(flat.parameters), dict(flat.variables), dict(flat.arrays), dict(flat.shapes)
    given = set()
    for path, value in _elements(_leaves(changes, "", flat), flat):
        given.add(path)
        if path in variables:
            variables[path] = _changed(variables[path], value)
            shape = value.get("shape", np.shape(value.get("init", value.get("start"))))
            shapes |= {path: tuple(np.atleast_1d(shape).tolist())} if shape else {}
        elif path in arrays:
            arrays[path] = _number(value, path, np.ndim(arrays[path]))
            shapes.pop(path, None)
        elif path in parameters:
            parameters[path] = _number(value, path)
        elif path in flat.settled:
            _check_settled(path, value, flat.settled[path])
        else:
            raise ModelError(
                "there is no such parameter or variable", path=path, remedy=nearest(path, [*parameters, *arrays, *variables])
            )
    _follow(flat, parameters, variables, given)
    return replace(flat, parameters=parameters, variables=variables, arrays=arrays, shapes=shapes)


def _follow(flat: FlatModel, parameters: dict[str, float], variables: dict[str, Variable], given: set[str]) -> None:
    """Compute parameters and initial values that depend on changed ones anew, unless they are given themselves."""
    for name, expr in flat.bindings.items():
        owner, _, attribute = name.rpartition(".")
        if name in parameters and name not in given:
            parameters[name] = _value(expr, parameters, name)
        elif owner in variables and attribute in ("init", "start") and owner not in given:
            following: dict[str, Any] = {attribute: _value(expr, parameters, owner)}
            variables[owner] = replace(variables[owner], **following)
    for name, (expr, before) in flat.premises.items():
        if (now := _value(expr, parameters, name)) != before:
            raise ModelError(
                "the equations are built on the value of a parameter",
                path=name,
                found=f"{now!r}, as '{expr}'",
                expected=f"{before!r} as before",
                remedy=_BUILT_ON,
            )


_BUILT_ON = "Change it where the model is written, and load that."


def _value(expr: Expr, parameters: Mapping[str, float], path: str) -> float:
    try:
        return float(evaluate(expr, parameters))
    except (ArithmeticError, ValueError) as error:
        raise ModelError(f"'{expr}' has no value", path=path, found=str(error)) from error


def _check_settled(path: str, value: Any, settled: float) -> None:
    if _number(value, path) != settled:
        expected = f"{settled!r}: the equations are built on it"
        raise ModelError("this parameter cannot be changed", path=path, found=repr(value), expected=expected, remedy=_BUILT_ON)


def _elements(leaves: Iterable[tuple[str, Any]], flat: FlatModel) -> Iterator[tuple[str, Any]]:
    """Generate a vector or matrix for the scalars ``x[1]``, ... or ``x[1,1]``, ... as the values of these."""
    known = (flat.parameters, flat.settled, flat.variables)
    for path, value in leaves:
        first = f"{path}[{','.join('1' for _ in np.shape(value))}]"
        attributes = isinstance(value, Mapping) or not np.ndim(value) or path in flat.arrays
        if attributes or not any(first in names for names in known):
            yield path, value
            continue
        for index, item in np.ndenumerate(number_of(value, path)):
            yield f"{path}[{','.join(str(k + 1) for k in index)}]", float(item)


def _leaves(changes: Mapping[str, Any], prefix: str, flat: FlatModel) -> Iterator[tuple[str, Any]]:
    for key, value in changes.items():
        if not isinstance(key, str):
            raise ModelError(
                "the name of an entry is not a text", path=prefix[:-1], found=repr(key), expected="such as 'gear.ratio'"
            )
        path = prefix + key
        if isinstance(value, Mapping) and path not in flat.variables:
            yield from _leaves(value, f"{path}.", flat)
        else:
            yield path, value


def _changed(variable: Variable, value: Any) -> Variable:
    if not isinstance(value, Mapping) or not set(value) <= set(_ATTRIBUTES):
        raise ModelError(
            "a variable is changed by something else than its attributes",
            path=variable.name,
            found=repr(value),
            expected=f"Var(...) with {', '.join(_ATTRIBUTES)}",
        )
    attributes: dict[str, Any] = {
        key: _number(v, f"{variable.name}.{key}", 0 if key == "nominal" else np.ndim(v))
        for key, v in value.items()
        if key != "shape"
    }
    return replace(variable, **attributes)


def _number(value: Any, path: str, dimensions: int = 0) -> Any:
    """Return a float, or an array with so many dimensions."""
    number = number_of(value, path)
    if number.ndim != dimensions:
        expected = ("a number", "a vector", "a matrix")[dimensions]
        raise ModelError("the value has the wrong number of dimensions", path=path, found=repr(value), expected=expected)
    return number if dimensions else float(number)
