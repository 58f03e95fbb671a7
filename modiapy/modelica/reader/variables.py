"""Variables of the flat model: one for each scalar, with start value, type and wishes; binding equations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name
from ...symbolic.flat.flat_model import Variable
from .parameters import free, is_parameter
from .reading import Reading
from .terms.refusals import Refusal
from .terms.values import Value, names_of, scalars

_CORE_TYPES = {"Real": "Real", "Integer": "Integer", "Boolean": "Boolean", "enumeration": "Integer"}


def read_variables(reading: Reading) -> None:
    """Declare all variables, and the equations of their bindings; evaluate all parameters."""
    for name, variable in reading.trees["variables"].items():
        reading.component = name.rpartition(".")[0]
        try:
            _read(reading, name, variable)
        except Refusal as refusal:
            reading.locate(refusal, {"span": variable["source_span"]})
            raise


def _read(reading: Reading, name: str, variable: Mapping[str, Any]) -> None:
    kind = reading.types.kind(name, variable)
    if is_parameter(variable) and not free(variable):
        if kind != "object":
            reading.parameters.value(name, variable)
        return
    if kind == "Clock":
        _read_clock(reading, name, variable)
        return
    if kind not in _CORE_TYPES:
        if kind == "String":
            return
        raise Refusal(f"a variable of the type '{reading.types.names.get(name, kind)}' is not read", path=name)
    elements = list(scalars(names_of(name, variable["dims"])))
    starts = _starts(reading, name, variable, kind, len(elements))
    fixed = _flags(variable["fixed"], len(elements))
    nominal = _number(reading, variable["nominal"])
    more: dict[str, Any] = {
        "input": _is_input(reading, name, variable),
        "output": "Output" in variable["causality"] and "." not in name,
        "flow": variable["flow"],
        "unit": variable["unit"] or "",
        "description": variable["description"] or "",
        "origin": reading.component,
        "type": "Real" if is_parameter(variable) else _CORE_TYPES[kind],
        "literals": reading.types.literals(name) if kind == "enumeration" and not is_parameter(variable) else (),
        "nominal": abs(nominal) if nominal else None,
        "state_select": variable["state_select"].lower() if kind == "Real" else "default",
    }
    for element, start, held in zip(elements, starts, fixed, strict=True):
        begins = held and not is_parameter(variable)
        declared = _declared(reading, element.name, start, begins, kind)
        reading.flat.variables[element.name] = Variable(element.name, **declared, **more)
    _bind(reading, name, variable, elements)


def _read_clock(reading: Reading, name: str, variable: Mapping[str, Any]) -> None:
    """Read a clock, which is no variable of the flat model (`expansion`)."""
    elements = list(scalars(names_of(name, variable["dims"])))
    reading.clocks |= {element.name for element in elements}
    if variable["binding"] is not None:
        values = list(scalars(reading.interpreter.value(variable["binding"])))
        reading.flat.equations += [Equation(e, v, reading.component) for e, v in zip(elements, values, strict=True)]


def _declared(reading: Reading, name: str, start: Expr | None, fixed: bool, kind: str) -> dict[str, Any]:
    """Return ``init`` or ``start``; what depends on parameters follows them."""
    if start is None:
        start = ZERO if fixed or kind != "Real" else None
    if start is None:
        return {}
    attribute = "init" if fixed else "start"
    if type(start) is not Const:
        reading.parameters.bindings[f"{name}.{attribute}"] = start
    return {attribute: reading.number(start)}


def _starts(reading: Reading, name: str, variable: Mapping[str, Any], kind: str, count: int) -> Iterable[Expr | None]:
    """Start values of the elements; None where none is written."""
    tree = variable["start"]
    if tree is None or _is_default(tree, variable):
        return [Const(1.0) if kind == "enumeration" else None] * count
    value: Value = reading.interpreter.value(tree)
    items = list(scalars(value))
    if not isinstance(value, np.ndarray):
        return items * count
    if len(items) != count:
        raise Refusal("the start value has another shape", path=name, found=str(value.shape), expected=str(variable["dims"]))
    return items


def _is_default(tree: Mapping[str, Any], variable: Mapping[str, Any]) -> bool:
    """Return whether the front end put the start value of the type there: nothing is written, so it stands where the variable
    does.
    """
    literal = tree.get("Literal")
    return literal is not None and literal["span"] == variable["source_span"]


def _flags(fixed: Any, count: int) -> Iterable[bool]:
    if not fixed:
        return [False] * count
    return [bool(f) for f in fixed] if len(fixed) == count else [bool(fixed[0])] * count


def _number(reading: Reading, tree: Any) -> float | None:
    if tree is None:
        return None
    value = reading.interpreter.value(tree)
    first = next(iter(scalars(value)))
    return reading.number(first) if isinstance(first, Expr) else None


def _is_input(reading: Reading, name: str, variable: Mapping[str, Any]) -> bool:
    """Return whether a variable is an input of the whole model."""
    top = name in reading.trees["top_level_input_components"] or "." not in name
    return "Input" in variable["causality"] and top and variable["binding"] is None


def _bind(reading: Reading, name: str, variable: Mapping[str, Any], elements: list[Name]) -> None:
    """Add the binding equation of a variable; a parameter that initialization computes keeps its value."""
    flat, path = reading.flat, reading.component
    if is_parameter(variable):
        flat.equations += [Equation(Apply("der", (element,)), ZERO, path) for element in elements]
        return
    if variable["binding"] is None:
        return
    value = reading.interpreter.value(variable["binding"])
    items = list(scalars(value))
    items = items * len(elements) if not isinstance(value, np.ndarray) and len(items) == 1 else items
    if len(items) != len(elements):
        raise Refusal("the binding has another shape", path=name, found=str(np.shape(value)), expected=str(variable["dims"]))
    place = reading.source.places.of(variable["source_span"])
    at = f" ({place})" if place else ""
    flat.equations += [Equation(e, item, path, f"{e.name} = its binding{at}") for e, item in zip(elements, items, strict=True)]
