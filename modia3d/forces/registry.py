"""The force elements by the names of their constructors; light to import.

An element is a file of `elements` that declares all there is to know of it, and a line here. From these follow the exports of
`modia3d`, the names of scenarios, and what the engine does with it. Elements from outside are added by `add`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modiapy.model.errors import ModelError

ELEMENTS = {
    "Bushing": "bushing",
    "Rope": "rope",
    "SpringDamperPtP": "spring_damper",
    "WorldForce": "world_load",
    "WorldTorque": "world_load",
}
"""Name of the constructor -> file in `elements`."""

ADDED: dict[str, Callable[..., Any]] = {}
"""Constructors of elements from outside of this package, by name."""


def add(name: str, construct: Callable[..., Any]) -> None:
    """Register the constructor of an external element for scenarios; see `modia3d.forces.constructors.add_element`.

    Raises:
        ModelError: there is another element of this name.
    """
    if name in ELEMENTS or name in ADDED:
        raise ModelError(f"force element '{name}' exists already", found="an element of this name", expected="a new name")
    ADDED[name] = construct
