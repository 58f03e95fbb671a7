"""Outside of a model: connectors at its top, parameters that may be modified, its visualizers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...symbolic.flat.visualizer import Visualizer
from .component import Notes
from .parameters import free, is_parameter
from .reading import Reading
from .terms.refusals import Refusal
from .terms.values import names_of, scalars

_NONE = "Empty"


def ports_of(reading: Reading) -> dict[str, str]:
    """Return "potential"" or "flow" by variable, for all connectors at the top that consist of scalars without a direction.

    A connector with anything else, as a frame with its arrays, is none: it stays as it is in a model that is simulated alone.
    """
    variables: Mapping[str, Any] = reading.trees["variables"]
    found: dict[str, str] = {}
    for connector in reading.trees["top_level_connectors"]:
        inside = {name: v for name, v in variables.items() if name.startswith(f"{connector}.")}
        if all(_is_physical(reading, name, v) for name, v in inside.items()):
            found |= {name: "flow" if v["flow"] else "potential" for name, v in inside.items()}
    return found


def _is_physical(reading: Reading, name: str, variable: Mapping[str, Any]) -> bool:
    other = variable["stream"] or variable["from_expandable_connector"] or variable["is_overconstrained"] or variable["dims"]
    return (
        not other
        and variable["causality"] == _NONE
        and not is_parameter(variable)
        and reading.types.kind(name, variable) == "Real"
    )


def open_parameters(reading: Reading) -> dict[str, Notes]:
    """Return the parameters that may be modified, with what the source says of them."""
    return {
        name: Notes(variable["unit"] or "", variable["description"] or "", reading.types.kind(name, variable) == "Boolean")
        for name, variable in reading.trees["variables"].items()
        if is_parameter(variable)
        and "Constant" not in variable["variability"]
        and not (free(variable) or variable["is_protected"] or reading.is_final(name))
    }


# -- visualizers --------------------------------------------------------------------------------------------------------

_PLACED = {"R.T": (3, 3), "r": (3,), "color": (3,)}
_VECTORS, _SCALARS = ("r_shape", "lengthDirection", "widthDirection"), ("length", "width", "height", "extra")
_SHAPE: dict[str, tuple[int, ...]] = {**_PLACED, **dict.fromkeys(_VECTORS, (3,)), **dict.fromkeys(_SCALARS, ())}
_VECTOR: dict[str, tuple[int, ...]] = {**_PLACED, "coordinates": (3,), "headAtOrigin": ()}
_DECIDES = {"shapeType": ("shape", _SHAPE), "quantity": ("vector", _VECTOR)}
"""Parameters by which visualizers are known, and the variables of them; their dimensions."""


def visualizers_of(reading: Reading) -> Iterator[Visualizer]:
    """Generate the shapes and vectors, known by the variables that those of the standard library have; the direction of
    gravity.

    Source: Modelica Standard Library 4.1, ``Modelica.Utilities.Internal.PartialModelicaServices.Animation``.
    """
    variables: Mapping[str, Any] = reading.trees["variables"]
    for name, variable in variables.items():
        path, _, last = name.rpartition(".")
        if last not in _DECIDES:
            continue
        kind, quantities = _DECIDES[last]
        prefix = tuple(variable["dims"])
        wanted = {key: (*prefix, *dims) for key, dims in quantities.items()}
        if any(tuple(variables.get(f"{path}.{key}", {"dims": (None,)})["dims"]) != dims for key, dims in wanted.items()):
            continue
        texts = _texts(reading, name, variable, kind)
        for index in np.ndindex(*prefix):
            element = f"{path}[{','.join(str(k + 1) for k in index)}]" if index else path
            values = {key: _elements(f"{path}.{key}", dims, index) for key, dims in wanted.items()}
            yield Visualizer(element, kind, str(texts[index]), values)
    if tuple(variables.get("world.n", {"dims": ()})["dims"]) == (3,):
        yield Visualizer("world", "gravity", "", {"n": _elements("world.n", (3,), ())})


def _elements(name: str, dims: tuple[int, ...], index: tuple[int, ...]) -> tuple[str, ...]:
    names = names_of(name, dims)
    part = names[index] if isinstance(names, np.ndarray) else names
    return tuple(element.name for element in scalars(part))


def _texts(reading: Reading, name: str, variable: Mapping[str, Any], kind: str) -> np.ndarray:
    """Return the kinds of shapes, or of quantities; "" where that is not known."""
    prefix = tuple(variable["dims"])
    try:
        value = reading.parameters.value(name, variable)
    except Refusal:
        return np.full(prefix, "", dtype=object)
    if kind == "vector":
        literals = reading.types.literals(name)
        numbers = [reading.number(e) for e in scalars(value)]
        found = [literals[int(n) - 1] if 0 < n <= len(literals) else "" for n in numbers]
    else:
        given = value.ravel() if isinstance(value, np.ndarray) else [value]
        found = [_file(reading, text) if isinstance(text, str) else "" for text in given]
    found = found * int(np.prod(prefix)) if len(found) == 1 else found
    return np.array(found, dtype=object).reshape(prefix)


def _file(reading: Reading, text: str) -> str:
    """Return a kind of shape; of an address in a library, the file; "" for files elsewhere, which no model makes anybody
    read.
    """
    if not text.startswith("modelica://"):
        return "" if {"/", "\\", ":", "."} & set(text) else text
    path = reading.source.resource(text) if ".." not in text.split("/") else None
    return "" if path is None else str(path.absolute())
