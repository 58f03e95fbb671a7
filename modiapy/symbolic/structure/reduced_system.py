"""The equations and unknowns after index reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from ...model.errors import ModelError
from ..flat.flat_model import FlatModel
from ..terms.names import derivative_of
from .alias import Elimination
from .equation_system import EquationSystem
from .index_reduction import reduce_index
from .sorting import check_structure
from .state_preference import moved_by_events
from .state_selection import add_wished_states, is_smooth, possible_states


def reduced_system(build: Callable[[], EquationSystem], elimination: Elimination, reinitialised: Set[str]) -> EquationSystem:
    """Return the equations after index reduction, with the derivatives of variables that would be good states, if these can
    be.
    """
    system = build()
    check_structure(system, elimination.redundant)
    matching = reduce_index(system)
    possible = possible_states(system, matching, elimination.variables)
    while possible:
        richer = build()
        for name in possible:
            richer.add_variable(derivative_of(name))
        try:
            reduce_index(richer)
        except ModelError:
            return system
        more = (n for n in range(len(elimination.equations)) if richer.order(n) > system.order(n))
        if not all(is_smooth(richer, n) for n in more):
            return system
        moved = moved_by_events(richer, reinitialised)
        if moved.isdisjoint(possible):
            return richer
        possible = [name for name in possible if name not in moved]
    return system


def equation_system(
    flat: FlatModel,
    elimination: Elimination,
    assigned: frozenset[str],
    set_at_events: frozenset[str],
    wishes: Mapping[str, int],
) -> EquationSystem:
    """Return the equations that are left after the elimination, before any is differentiated but those that wishes ask for.

    Args:
        flat: the model.
        elimination: of aliases and singularities.
        assigned: variables that are assigned at events.
        set_at_events: states that are re-initialised at events.
        wishes: variable -> how often it must be differentiated to be the state that the user wants.
    """
    system = EquationSystem(flat, assigned, set_at_events)
    _add(system, elimination)
    if settled := system.settle():
        system = EquationSystem(flat, assigned, set_at_events, settled)
        _add(system, elimination)
    for name in elimination.differentiated:
        if name in elimination.rates and not elimination.variables[name].input:
            system.add_variable(derivative_of(name))  # that of another one stands for it, but any of them may be the state
    add_wished_states(system, elimination.variables, wishes)
    return system


def _add(system: EquationSystem, elimination: Elimination) -> None:
    """Add variables and equations."""
    for name, variable in elimination.variables.items():
        if not variable.input:
            system.add_variable(name)
    for equation in elimination.equations:
        system.add_node(equation)
