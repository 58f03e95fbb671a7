"""Attributes of variables and parameters: their names, what type checkers know of them, and what they are called elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict, get_type_hints


class VarAttributes(TypedDict, total=False):
    """Attributes of a `Var`. A value may be a number, an array, a list, or text: an expression."""

    value: Any
    init: Any
    start: Any
    nominal: Any
    shape: int | str | Sequence[int | str]
    state_select: str
    input: bool
    output: bool
    observed: bool
    impulse: bool
    elements: bool
    potential: bool
    flow: bool
    unit: str
    description: str
    type: str | Sequence[str]


class ParAttributes(TypedDict, total=False):
    """Attributes of a `Par` that is no call of a constructor."""

    value: Any
    min: Any
    max: Any
    unit: str
    description: str
    choices: Sequence[str]
    structural: bool
    type: Literal["String"]


VAR_HINTS, PAR_HINTS = get_type_hints(VarAttributes), get_type_hints(ParAttributes)
VAR_ATTRIBUTES, PAR_ATTRIBUTES = tuple(VAR_HINTS), tuple(PAR_HINTS)

OTHER_ATTRIBUTES = {
    "fixed": "A value that holds at the beginning is init=..., a guess is start=...",
    "min": "Limits belong to parameters: Par(value, min=...); for a variable write Assert('x >= 0', 'message').",
    "max": "Limits belong to parameters: Par(value, max=...); for a variable write Assert('x <= 1', 'message').",
    "quantity": "The unit says it: unit='N.m'.",
    "displayUnit": "Values are in the unit: unit='rad'.",
    "hideResult": "Results are computed when they are asked for; leave it out.",
}
"""What attributes of Modelica and Modia are here."""
