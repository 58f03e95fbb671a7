"""Names of what the passes make: derivatives, directional derivatives, paths."""

from __future__ import annotations


def derivative_name(name: str, order: int = 1) -> str:
    """Name of a time derivative of the variable ``name``."""
    return "der(" * order + name + ")" * order


def base_and_order(name: str) -> tuple[str, int]:
    """``("x", 2)`` for ``"der(der(x))"``: the variable and how often it is differentiated."""
    order = 0
    while name.startswith("der("):
        name, order = name[4:-1], order + 1
    return name, order


def slope_name(name: str) -> str:
    """Name of the directional derivative of the variable ``name`` in a `NonlinearBlock`."""
    return f"{name}'"


def join(path: str, name: str) -> str:
    """Path of ``name`` inside ``path``."""
    return f"{path}.{name}" if path and name else path or name
