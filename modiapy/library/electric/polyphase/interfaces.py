"""Plugs of m pins, and components made of one component for each phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ....model.model import RESERVED, Map, Model, Var
from ..interfaces import Pin
from .phases import check_phases

Polyphase = Callable[..., Model]
"""A function of the number of phases m (3 by default) that returns a model."""


def Plug(m: int = 3) -> Model:
    """Plug of m pins pin1, pin2, ..."""
    check_phases(m)
    return Model(description=f"Plug of {m} pins", **{f"pin{k}": Pin for k in range(1, m + 1)})


def phases(m: int) -> range:
    """Return the numbers of the phases."""
    return range(1, m + 1)


def per_phase(component: Model, name: str, description: str, angles: Callable[[int], list[float]] | None = None) -> Polyphase:
    """Return a polyphase component: for each phase k one component with the name ``name`` and k.

    Its parameters are those of the component and hold for all phases; parameters of a single phase are set in its component:
    ``Resistor() | Map(R=2.0, resistor3=Map(R=5.0))``. Inputs and outputs have the number of the phase behind their names. Its
    plugs have the names of the component's pins: plug_p for p.

    Args:
        component: with pins p, n, or p1, n1, p2, n2.
        name: of the components of the phases, without the number.
        description: of the polyphase component.
        angles: by how much the parameter ``phase`` of each phase lags behind that of the first one [rad].
    """
    pins = [key for key, entry in component.items() if isinstance(entry, Model) and entry == Pin]
    signals = {key: entry for key, entry in component.items() if isinstance(entry, Var) and (_of(entry, "input", "output"))}
    parameters = {
        key: entry for key, entry in component.items() if isinstance(entry, float | int | list | str) and key not in RESERVED
    }

    def build(m: int = 3) -> Model:
        check_phases(m)
        parts: dict[str, Any] = {f"plug_{pin}": Plug(m) for pin in pins}
        parts |= {f"{key}{k}": entry for key, entry in signals.items() for k in phases(m)}
        connections = []
        for k in phases(m):
            values = {key: key for key in parameters}
            if angles is not None:
                values["phase"] = f"phase - ({angles(m)[k - 1]!r})"
            parts[f"{name}{k}"] = component | Map(values)
            connections += [(f"plug_{pin}.pin{k}", f"{name}{k}.{pin}") for pin in pins]
            connections += [(f"{key}{k}", f"{name}{k}.{key}") for key in signals]
        return Model(parameters) | Model(description=f"{description}, {m} phases", **parts, connect=connections)

    build.__name__ = build.__qualname__ = name.title().replace("_", "")
    build.__doc__ = f"{description}, m phases."
    return build


def _of(entry: Mapping[str, Any], *attributes: str) -> bool:
    return any(entry.get(attribute) for attribute in attributes)
