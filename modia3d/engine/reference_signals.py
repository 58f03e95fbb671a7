"""The paths of an action program as variables of the equations."""

from __future__ import annotations

from modiapy.acausal.protocol import CallEquation
from modiapy.model.expression import Name
from modiapy.model.model import Model, Var

from .exchange import functions
from .exchange.part import level
from .program import Schedule

QUANTITIES = ("position", "velocity", "acceleration")


def add_references(part: Model, schedule: Schedule) -> None:
    """Add the variables ``<path of the program>.<name>.position``, ``.velocity``, ``.acceleration`` to the acausal part."""
    names = schedule.reference_names
    if not names:
        return
    for name in names:
        level(part, schedule.name)[name] = Model({quantity: Var() for quantity in QUANTITIES})
    outputs = tuple(Name(f"{schedule.name}.{name}.{quantity}") for quantity in QUANTITIES for name in names)
    part["equations"].append(CallEquation(functions.references(len(names), schedule.jerk_limited), (), outputs))
