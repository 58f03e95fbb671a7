"""Impulses in bonds: beside effort and flow, a bond carries the impulse E of the effort and the jump g of the flow.

They are zero except at events, and exist in models with the parameter ``impulses=True`` only. Their equations follow from those
of effort and flow (thesis, 8.4.1): what holds between efforts, and between flows, holds between impulses, and between jumps. An
effort that stays finite (resistors, capacitors, sources, gyrators) has no impulse, a flow that is given has no jump, and an
inertance has ``E = I*g``.
"""

from __future__ import annotations

import re
from typing import Any

from ...model.control import For, If
from ...model.when import Assert, When

SIZE = "n if outer(impulses, False) else 0"
"""Number of impulses of a bond of size n."""

REFUSED = Assert("n_impulse > 0", "impulses need the parameter impulses=True in a model around this one")
"""What refuses an element that makes impulses in a model without them."""

_NONE = "1e-12"
"""Jump below which nothing jumps: plastic impacts in a chain end by ever smaller ones, down to rounding errors."""

_EFFORT_OR_FLOW = re.compile(r"\b[ef](?=[12]?\b)")


def impulse_of(equation: Any) -> Any:
    """Return an equation of efforts and flows, or a `For` of such equations, for impulses and jumps."""
    if isinstance(equation, For):
        return For(equation.index, equation.count, [impulse_of(one) for one in equation.equations], equation.first)
    return _EFFORT_OR_FLOW.sub(lambda found: {"e": "E", "f": "g"}[found.group()], equation)


def at_events(*equations: Any) -> If:
    """Return an entry of equations that holds in models with ``impulses=True``."""
    return If("n_impulse > 0", equations)


def with_impulses(*equations: Any) -> list[Any]:
    """Return linear equations of efforts and flows, and the same equations of impulses and jumps."""
    return [*equations, at_events(*map(impulse_of, equations))]


def jump(size: str, *reinits: str) -> When:
    """Return the clause that sets states after a jump of this size, an expression, in an event."""
    return When(f"{size} > {_NONE}", list(reinits))


def finite(*equations: Any, impulse: str = "E = 0*g", momentum: str = "") -> list[Any]:
    """Return equations of which no impulse follows, with what holds at events.

    Args:
        equations: of efforts and flows.
        impulse: equation of impulses and jumps; by default, the effort has no impulse.
        momentum: what sets a state after an impulse.
    """
    return [*equations, at_events(impulse, *([jump("norm(g)", momentum)] if momentum else []))]


def gyrates(*equations: Any) -> list[Any]:
    """Return equations of a gyrator, whose efforts stay finite as its flows do."""
    return [*equations, at_events("E1 = 0*g1", "E2 = 0*g2")]


def inertance(equation: str, impulse: str) -> list[Any]:
    """Return the equations of an inertance, which sets its flows after an impulse if ``sets_flow``."""
    return [*finite(equation, impulse=impulse), If("n_impulse > 0 and sets_flow", [jump("norm(g)", "reinit(f, f + g)")])]
