"""All symbolic passes from the flat model to blocks in the order of their evaluation."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError, nesting_limited
from ...model.expression import ZERO, Equation, Expr, Name, names
from ..flat.flat_model import STATE_SELECT, FlatModel, Node
from ..flattening.control import expand_control
from ..hybrid.discrete import refuse_loop, resolve_discrete, state_of
from ..hybrid.events import Events, extract_events
from ..terms.names import base_of, derivative_of, order_of
from .alias import Elimination, eliminate_aliases
from .array_blocks import arranged, scalars_first
from .dependent_constraints import describe_open, remove_dependent
from .equation_system import EquationSystem
from .index_one import index_one_form
from .index_reduction import reduce_index
from .initialization import initialization, needs_initialization
from .singularities import Singularities, describe_arbitrary, remove_singularities
from .sorted_model import Assignment, Block, Constraint, LinearBlock, NonlinearBlock, SortedModel, Storage, computed
from .sorting import Component, check_structure, sort_equations
from .state_selection import (
    NoStaticSelection,
    Selection,
    add_wished_states,
    check_wishes,
    is_smooth,
    possible_states,
    related,
    select_states,
    wishes_of_higher_order,
)
from .tearing import solve_component
from .zero_storage import ZeroStorage, describe_zeros, solved_for_rates, without, zero_constants


@nesting_limited()
def sort_model(flat: FlatModel) -> SortedModel:
    """Sort the equations of a model: alias elimination, index reduction, state selection, sorting, tearing.

    Raises:
        ModelError: the model is singular, contradicts itself, or needs something that is not supported; the message names
            the equations and variables concerned.
    """
    events = extract_events(expand_control(flat))
    flat = events.flat
    zeros: dict[Expr, Equation] = {}
    while True:
        elimination = eliminate_aliases(flat, without(events.equations, zeros), events.set_at_events)
        singularities = remove_singularities(flat, elimination, _elsewhere(events, elimination), events.set_at_events)
        if singularities.arbitrary:
            warnings.warn(describe_arbitrary(singularities.arbitrary, flat, elimination.aliases), stacklevel=2)
        try:
            return _sorted(flat, events, singularities, zeros)
        except ZeroStorage as found:
            zeros = found.zeros | zeros


def _sorted(
    flat: FlatModel,
    events: Events,
    singularities: Singularities,
    zeros: Mapping[Expr, Equation],
    wishes: Mapping[str, int] = MappingProxyType({}),
) -> SortedModel:
    """The passes after the removal of singularities.

    Args:
        flat, events, singularities: the model.
        zeros: constants that are taken as zero.
        wishes: orders of derivatives, see `wishes_of_higher_order`.

    Raises:
        ZeroStorage: other constants than ``zeros`` have to be taken as zero for good.
    """
    elimination = singularities.elimination
    assigned = _left_over(events.assigned, elimination)
    reduced = replace(flat, variables={**flat.variables, **elimination.variables})
    reinitialised = _reinitialised(events, elimination)

    def build() -> EquationSystem:
        return _equation_system(reduced, elimination, assigned, events.set_at_events, wishes)

    system = _reduced_system(build, elimination, reinitialised)
    given = len(elimination.equations)
    wanted = _state_preference(system, reinitialised, given, elimination.differentiated)
    constraints: list[Constraint] = []
    constraint_nodes: set[int] = set()
    try:
        selection = select_states(system, wanted)
    except NoStaticSelection as refusal:
        regular = remove_dependent(flat, singularities, _elsewhere(events, elimination), events.set_at_events)
        if regular is not None:
            chosen = regular.arbitrary[len(singularities.arbitrary) :]
            removed = regular.elimination.redundant[len(elimination.redundant) :]
            warnings.warn(describe_open(chosen, removed, flat), stacklevel=2)
            return _sorted(flat, events, regular, zeros)
        form = index_one_form(system, wanted, refusal)
        selection, constraints, constraint_nodes = form.selection, form.constraints, form.nodes
    if not wishes and (wishes := wishes_of_higher_order(system, selection)):
        with contextlib.suppress(ModelError):  # then the message is about the wish
            return _sorted(flat, events, singularities, zeros, wishes)
    components = sort_equations(system, selection.unknowns, constraint_nodes)
    if assigned:
        _check_loops(system, components)
    parts = [([system.nodes[n] for n in c.nodes], [system.variables[v] for v in c.unknowns]) for c in components]
    storage = _storage(parts, flat, elimination, zeros)
    blocks = [solve_component(nodes, unknowns, flat.parameters, flat.shapes) for nodes, unknowns in parts]
    states = [system.variables[v] for v in selection.states]
    multipliers = [constraint.multiplier for constraint in constraints]
    blocks += [Assignment(derivative_of(name), ZERO) for name in multipliers]
    states += multipliers
    if flat.shapes:
        blocks = [arranged(block, flat.shapes) for block in blocks]
        states = scalars_first(states, flat.shapes)
    check_wishes(system, states, elimination.variables, elimination.aliases)
    model = SortedModel(
        flat=reduced,
        states=states,
        derivatives=[derivative_of(name) for name in states],
        blocks=blocks,
        aliases=elimination.aliases,
        unknowns=scalars_first(computed(blocks), flat.shapes),
        indicators=[elimination.substitute(e) for e in events.indicators],
        relations=events.relations,
        relation_texts=events.relation_texts,
        time_events=[elimination.substitute(e) for e in events.time_events],
        inputs=scalars_first((name for name, v in flat.variables.items() if v.input), flat.shapes),
        report=_report(flat, elimination, len(system.nodes) - given, system, selection, blocks),
        notes=[*singularities.notes(flat), *describe_zeros(zeros, flat)],
        assumptions=elimination.assumptions,
        storage=storage,
        redundant_initials=_redundant_initials(elimination, set(states), events),
        discrete=resolve_discrete(
            events.discrete,
            elimination.substitute,
            states,
            [name for name, v in elimination.variables.items() if v.state_select == "prefer"],
        ),
        constraints=constraints,
    )
    if needs_initialization(flat, elimination.variables, [name for name in states if name not in multipliers]):
        model.initialization = initialization(model, system, elimination)
        model.redundant_initials = {**model.redundant_initials, **model.initialization.checked}
        model.report = {**model.report, "states fixed by start": len(model.initialization.fixed)}
    return model


def _storage(
    parts: Sequence[tuple[list[Node], list[str]]], flat: FlatModel, elimination: Elimination, zeros: Mapping[Expr, Equation]
) -> Storage:
    """What the choice of states stands on. Raises ZeroStorage if constants that are zero leave equations without solution."""
    rates = {alias.of for alias in elimination.rates.values()}
    systems = [system for nodes, unknowns in parts if (system := solved_for_rates(nodes, unknowns, rates)) is not None]
    found = zero_constants(systems, elimination.equations, flat)
    if found.keys() - zeros.keys():
        raise ZeroStorage(found)
    return Storage(zeros, systems, elimination.equations)


def _elsewhere(events: Events, elimination: Elimination) -> set[str]:
    """Names that occur outside of the equations, those that stand for them included."""
    exprs = [*events.indicators, *events.time_events]
    exprs += [e for reinit in events.discrete.reinits for e in (reinit.active, reinit.value)]
    exprs += [side for equation in events.flat.initial_equations for side in (equation.lhs, equation.rhs)]
    found = {*events.assigned, *(memory.name for memory in events.discrete.memory)}.union(*map(names, exprs))
    return found | {elimination.aliases[name].of for name in found if name in elimination.aliases}


def _left_over(assigned: frozenset[str], elimination: Elimination) -> frozenset[str]:
    """The variables that stand for those of ``assigned``; they change at events only, too."""
    left = {elimination.aliases[name].of if name in elimination.aliases else name for name in assigned} - {""}
    for name in left:
        elimination.variables[name] = replace(elimination.variables[name], discrete=True)
    return frozenset(left)


def _equation_system(
    flat: FlatModel,
    elimination: Elimination,
    assigned: frozenset[str],
    set_at_events: frozenset[str],
    wishes: Mapping[str, int],
) -> EquationSystem:
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


def _reduced_system(build: Callable[[], EquationSystem], elimination: Elimination, reinitialised: Set[str]) -> EquationSystem:
    """The equations after index reduction, with the derivatives of variables that would be good states, if these can be."""
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
        moved = _moved(richer, reinitialised)
        if moved.isdisjoint(possible):
            return richer
        possible = [name for name in possible if name not in moved]
    return system


def _reinitialised(events: Events, elimination: Elimination) -> set[str]:
    """Variables to which events give new values, which states only can have."""
    reinits = [*events.discrete.reinits, *events.discrete.array_reinits]
    targets = [state_of(elimination.substitute(reinit.state))[0] for reinit in reinits]
    return {target.name for target in targets if isinstance(target, Name)}


def _moved(system: EquationSystem, reinitialised: Set[str]) -> set[str]:
    """Variables that a new value of another one would move, from an event or a component, if they were no states."""
    calls = [node for node in system.nodes if isinstance(node, CallEquation)]
    used = {name for call in calls for expr in (*call.inputs, *call.outputs) for name in names(expr)}
    return related(system, reinitialised | used) - reinitialised


def _state_preference(
    system: EquationSystem, reinitialised: Set[str], given: int, differentiated: Sequence[str]
) -> Callable[[str], tuple[int, ...]]:
    """How much a variable is wanted as a state.

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
    moved = _moved(system, reinitialised)
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


def _redundant_initials(elimination: Elimination, states: set[str], events: Events) -> dict[str, Any]:
    """What ``init`` says of variables that are neither states nor remembered at the beginning."""
    remembered = {name for m in events.discrete.memory if m.discrete for name in (m.name, m.initial)} | events.assigned
    remembered |= {elimination.aliases[name].of for name in remembered if name in elimination.aliases}
    return {
        name: variable.init
        for name, variable in elimination.variables.items()
        if variable.init is not None and name not in states and name not in remembered
    }


def _check_loops(system: EquationSystem, components: Sequence[Component]) -> None:
    """Refuse discrete variables that need each other's present values."""
    for component in components:
        unknowns = [system.variables[v] for v in component.unknowns]
        nodes = [system.nodes[n] for n in component.nodes]
        own = len(nodes) == 1 and _needs_itself(nodes[0], unknowns[0])
        if len(nodes) > 1 or own:
            refuse_loop(unknowns, nodes, system.assigned)


def _needs_itself(node: Node, unknown: str) -> bool:
    return isinstance(node, Equation) and unknown in names(node.lhs) & names(node.rhs)


def _report(
    flat: FlatModel,
    elimination: Elimination,
    differentiated: int,
    system: EquationSystem,
    selection: Selection,
    blocks: Sequence[Block],
) -> dict[str, int]:
    linear = [block for block in blocks if isinstance(block, LinearBlock)]
    nonlinear = [block for block in blocks if isinstance(block, NonlinearBlock)]
    states = [elimination.variables.get(system.variables[v]) for v in selection.states]
    return {
        "equations": sum(len(e.outputs) if isinstance(e, CallEquation) else 1 for e in flat.equations),
        "variables": len(flat.variables),
        "parameters": len(flat.parameters),
        "aliases": len(elimination.aliases),
        "redundant equations": len(elimination.redundant),
        "equations after alias elimination": sum(
            len(e.outputs) if isinstance(e, CallEquation) else 1 for e in elimination.equations
        ),
        "differentiated equations": differentiated,
        "states": len(selection.states),
        "blocks": len(blocks),
        "linear systems": len(linear),
        "largest linear system": max((len(b.unknowns) + len(computed(b.body)) for b in linear), default=0),
        "unknowns of linear systems": sum(len(b.unknowns) for b in linear),
        "nonlinear systems": len(nonlinear),
        "unknowns of nonlinear systems": sum(len(b.unknowns) for b in nonlinear),
        "states fixed by start": sum(v is None or v.init is None for v in states),
    }
