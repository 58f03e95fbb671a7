"""Variables that passes make of others: derivatives, values before an event, clock values, directional derivatives; paths.

Everything is known by name. The name of a variable of the model is text; what a pass makes of one is an `Unknown`, which knows
what it was made of: its text is for readers (and for `result["der(x)"]`) and is never taken apart.
"""

from __future__ import annotations

import functools
from enum import Enum
from typing import Any


class Kind(Enum):
    """Relation of an `Unknown` to its base."""

    DERIVATIVE = "der"
    """Derivative by time, of any order."""
    BEFORE = "pre"
    """Value before an event."""
    HELD = "hold"
    """Value of a clocked variable since its last tick."""
    PREVIOUS = "previous"
    """Value of a clocked variable at the tick before."""
    DIRECTIONAL = "'"
    """Directional derivative within a system of nonlinear equations."""
    MOVED = "'+-"
    """Value at a point beside the present one, for differences."""
    ARGUMENT = ".argument"
    """Argument of a function within a system of nonlinear equations, of the shape of its base."""


class Unknown(str):
    """Name of a variable that a pass made of another one; equal to its text.

    Attributes:
        base: name of the variable that it was made of (may be one of these, too: ``pre(der(x))``), never a derivative of a
            derivative: ``der(der(x))`` has the base x and the order 2.
        kind: what it is of that.
        order: of a derivative by time; 0 for all other kinds.
    """

    __slots__ = ("base", "kind", "order")

    base: str
    kind: Kind
    order: int

    def __new__(cls, text: str, base: str, kind: Kind, order: int = 0) -> Unknown:
        self = super().__new__(cls, text)
        self.base, self.kind, self.order = base, kind, order
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Unknown, (str.__str__(self), self.base, self.kind, self.order)


@functools.lru_cache(maxsize=1 << 16)
def derivative_of(name: str, order: int = 1) -> str:
    """Return a time derivative of a variable (itself for order 0)."""
    if order == 0:
        return name
    base, order = base_of(name), order + order_of(name)
    return Unknown("der(" * order + base + ")" * order, base, Kind.DERIVATIVE, order)


def base_of(name: str) -> str:
    """Return the variable of which something is a derivative; itself for all others."""
    return name.base if type(name) is Unknown and name.kind is Kind.DERIVATIVE else name


def order_of(name: str) -> int:
    """Return how often a variable is differentiated by time."""
    return name.order if type(name) is Unknown else 0


def integral_of(name: str) -> str:
    """Return the variable or derivative of which a derivative is the first one."""
    return derivative_of(base_of(name), order_of(name) - 1)


def value_before(name: str) -> Unknown:
    """Return the value of a variable before an event."""
    return Unknown(f"pre({name})", name, Kind.BEFORE)


def is_before(name: str) -> bool:
    """Return whether it is the value of a variable before an event."""
    return type(name) is Unknown and name.kind is Kind.BEFORE


def clocked_value(kind: Kind, name: str) -> Unknown:
    """Return the `Kind.HELD` or `Kind.PREVIOUS` value of a clocked variable."""
    return Unknown(f"{kind.value}({name})", name, kind)


def directional_of(name: str) -> str:
    """Return the directional derivative of a variable in a `NonlinearBlock`."""
    return Unknown(f"{name}'", name, Kind.DIRECTIONAL)


def moved_value(name: str, mark: str) -> Unknown:
    """Return the value of a variable on the side ``mark`` ("+" or "-") of the present one."""
    return Unknown(f"{name}'{mark}", name, Kind.MOVED)


def argument_of(name: str, number: int) -> str:
    """Return an argument of a function in a `NonlinearBlock`, of the shape of this variable."""
    return Unknown(f"{name}.argument{number}", name, Kind.ARGUMENT)


def is_argument(name: str) -> bool:
    """Return whether it is an argument of a function, and no variable of the model."""
    return type(name) is Unknown and name.kind is Kind.ARGUMENT


def join(path: str, name: str) -> str:
    """Return the path of ``name`` inside ``path``."""
    return f"{path}.{name}" if path and name else path or name
