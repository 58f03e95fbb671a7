"""Preference of variables as states, and what an event would move."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from ...acausal.protocol import CallEquation
from ...model.expression import Name, names
from ..flat.flat_model import STATE_SELECT
from ..hybrid.discrete import state_of
from ..hybrid.events import Events
from ..terms.names import base_of, order_of
from .alias import Elimination
from .equation_system import EquationSystem
from .state_selection import related


def reinitialised_variables(events: Events, elimination: Elimination) -> set[str]:
    """Return the variables to which events give new values, which states only can have."""
    reinits = [*events.discrete.reinits, *events.discrete.array_reinits]
    targets = [state_of(elimination.substitute(reinit.state))[0] for reinit in reinits]
    return {target.name for target in targets if isinstance(target, Name)}


def moved_by_events(system: EquationSystem, reinitialised: Set[str]) -> set[str]:
    """Return the variables that a new value of another one would move, from an event or a component, if they were no states."""
    calls = [node for node in system.nodes if isinstance(node, CallEquation)]
    used = {name for call in calls for expr in (*call.inputs, *call.outputs) for name in names(expr)}
    return related(system, reinitialised | used) - reinitialised


def state_preference(
    system: EquationSystem, reinitialised: Set[str], given: int, differentiated: Sequence[str]
) -> Callable[[str], tuple[int, ...]]:
    """Return the strength with which a variable is wanted as a state.

    What counts is ``state_select`` ("prefer" for what is re-initialised; no more than "default" for what must follow from a new
    value of another variable and not from an old difference to it), being re-initialised, ``init``, ``start``, being an input
    of a function, being differentiated, in the ``given`` equations of the model.
    """
    orders = dict.fromkeys(differentiated, 1)
    for v in {v for used in system.incidence[:given] for v in used}:
        base, order = base_of(system.variables[v]), order_of(system.variables[v])
        orders[base] = max(order, orders.get(base, 0))
    call_inputs: set[str] = set()
    for node in system.nodes[:given]:
        if isinstance(node, CallEquation):
            call_inputs.update(*(names(e) for e in node.inputs))
    moved = moved_by_events(system, reinitialised)
    default, prefer = STATE_SELECT.index("default"), STATE_SELECT.index("prefer")

    def wanted(name: str) -> tuple[int, ...]:
        variable = system.flat.variables.get(name)
        base, order = base_of(name), order_of(name)
        wish = STATE_SELECT.index(system.flat.variables[base].state_select)
        if name in reinitialised:
            wish = max(wish, prefer)
        elif wish == prefer and name in moved:
            wish = default
        always = wish == STATE_SELECT.index("always")
        return (
            2 * (wish if variable is not None or always else min(wish, default)) - (always and variable is None),
            name in reinitialised,
            variable is not None and variable.init is not None,
            variable is not None and variable.start is not None,
            name in call_inputs,
            order < orders.get(base, 0),
            wish,
        )

    return wanted
