"""Connectors at the top of a model, and parameters that may be modified: what others see of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .component import Notes
from .parameters import free, is_parameter
from .reading import Reading

_NONE = "Empty"


def ports_of(reading: Reading) -> dict[str, str]:
    """ "potential" or "flow" by variable, for all connectors at the top that consist of scalars without a direction.

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
    """The parameters that may be modified, with what the source says of them."""
    return {
        name: Notes(variable["unit"] or "", variable["description"] or "", reading.types.kind(name, variable) == "Boolean")
        for name, variable in reading.trees["variables"].items()
        if is_parameter(variable)
        and "Constant" not in variable["variability"]
        and not (free(variable) or variable["is_protected"] or reading.is_final(name))
    }
