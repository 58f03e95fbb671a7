"""The symbolic passes from the flat model to blocks in the order of their evaluation, in their order: `PASSES`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...model.errors import nesting_limited, warn_user
from ...model.expression import ZERO, Equation, Name, names
from ..flat.flat_model import FlatModel, Node
from ..flattening.control import expand_control
from ..hybrid.discrete import refuse_loop, resolve_discrete
from ..hybrid.events import Events, extract_events
from ..hybrid.homotopy import HOMOTOPY, going_over, has_homotopy, with_actual
from ..hybrid.observed import set_apart, silenced
from ..sorted.parts import Assignment, Block, LinearBlock, NonlinearBlock, Storage, computed, expressions_of
from ..sorted.sorted_model import Initialization, SortedModel
from ..terms.names import derivative_of
from .alias import Elimination, eliminate_aliases
from .array_blocks import arranged, scalars_first
from .dependent_constraints import describe_open, remove_dependent
from .index_one import index_one_form
from .initialization import initialization, needs_initialization
from .like_quantities import scales
from .reduced_system import equation_system, reduced_system
from .shared import name_shared
from .singularities import describe_arbitrary, remove_singularities
from .sorting import sort_equations
from .state_preference import reinitialised_variables, state_preference
from .state_selection import NoStaticSelection, check_wishes, select_states, wishes_of_higher_order
from .tearing import solve_component
from .translation import Again, Pass, Translation, found, scalar_equations, translated
from .zero_storage import describe_zeros, solved_for_rates, without, zero_constants


@nesting_limited()
def sort_model(flat: FlatModel, observe: Callable[[str, Translation], None] | None = None) -> SortedModel:
    """Sort the equations of a model: all passes, one after the other.

    Args:
        flat: the model.
        observe: called after each pass with its name and what there is then, which prints itself.

    Raises:
        ModelError: the model is singular, contradicts itself, or needs something that is not supported; the message names
            the equations and variables concerned.
    """
    return found(translated(flat, PASSES, observe).sorted)


def _expand(state: Translation) -> Translation:
    flat = expand_control(state.flat)
    if has_homotopy(flat):
        return replace(state, flat=with_actual(flat), simplified=going_over(flat))
    return replace(state, flat=flat)


def _extract_events(state: Translation) -> Translation:
    """Extract the events; variables that are only observed make none."""
    events = extract_events(silenced(state.flat))
    return replace(state, flat=events.flat, events=events)


def _name_shared(state: Translation) -> Translation:
    events = name_shared(found(state.events))
    return replace(state, flat=events.flat, events=events)


def _set_apart(state: Translation) -> Translation:
    events, observed = set_apart(found(state.events))
    apart = {str(e.lhs) for e in observed}
    variables = {name: v for name, v in state.flat.variables.items() if name not in apart}
    return replace(state, flat=replace(state.flat, variables=variables), events=events, observed=observed)


def _eliminate_aliases(state: Translation) -> Translation:
    events = found(state.events)
    elimination = eliminate_aliases(state.flat, without(events.equations, state.zeros), events.set_at_events)
    return replace(state, elimination=elimination)


def _remove_singularities(state: Translation) -> Translation:
    events, elimination = found(state.events), found(state.elimination)
    singularities = remove_singularities(state.flat, elimination, _elsewhere(state), events.set_at_events)
    if singularities.arbitrary:
        warn_user(describe_arbitrary(singularities.arbitrary, state.flat, elimination.aliases))
    return replace(state, elimination=singularities.elimination, singularities=singularities)


def _reduce_index(state: Translation) -> Translation:
    """Differentiate equations between states as often as the choice of states needs it."""
    events, elimination = found(state.events), found(state.elimination)
    assigned = _left_over(events.assigned, elimination)
    reduced = replace(state.flat, variables={**state.flat.variables, **elimination.variables})
    reinitialised = reinitialised_variables(events, elimination)
    system = reduced_system(
        lambda: equation_system(reduced, elimination, assigned, events.set_at_events, state.wishes), elimination, reinitialised
    )
    return replace(
        state,
        assigned=assigned,
        reduced=reduced,
        reinitialised=reinitialised,
        system=system,
        given=len(elimination.equations),
        selection=None,
        components=(),
    )


def _select_states(state: Translation) -> Translation:
    """Select the states: dependent constraints are removed, or the index-1 form is taken where no static selection exists."""
    elimination, system = found(state.elimination), found(state.system)
    wanted = state_preference(system, state.reinitialised, state.given, elimination.differentiated)
    try:
        selected = replace(state, selection=select_states(system, wanted), constraints=(), constraint_nodes=frozenset())
    except NoStaticSelection as refusal:
        if (regular := _without_dependent(state)) is not None:
            raise Again(regular, "reduce index") from None
        form = index_one_form(system, wanted, refusal)
        selected = replace(
            state, selection=form.selection, constraints=form.constraints, constraint_nodes=frozenset(form.nodes)
        )
    if not state.wishes and (wishes := wishes_of_higher_order(system, found(selected.selection))):
        # if that is impossible, the message is about the wish
        raise Again(replace(state, wishes=wishes, system=None), "reduce index", otherwise=selected)
    return selected


def _without_dependent(state: Translation) -> Translation | None:
    """Return the model without constraints that depend on others; None if there are none."""
    events, before = found(state.events), found(state.singularities)
    elimination = found(state.elimination)
    regular = remove_dependent(state.flat, before, _elsewhere(state), events.set_at_events)
    if regular is None:
        return None
    chosen = regular.arbitrary[len(before.arbitrary) :]
    removed = regular.elimination.redundant[len(elimination.redundant) :]
    warn_user(describe_open(chosen, removed, state.flat))
    return replace(state, elimination=regular.elimination, singularities=regular, wishes={}, system=None)


def _sort(state: Translation) -> Translation:
    """Return the strong components in the order of their evaluation."""
    system = found(state.system)
    components = sort_equations(system, found(state.selection).unknowns, state.constraint_nodes)
    state = replace(state, components=components)
    if state.assigned:
        _check_loops(state)
    return state


def _check_storage(state: Translation) -> Translation:
    """Check the constants that the choice of states stands on; those that are zero may not leave equations without solution."""
    elimination = found(state.elimination)
    rates = {alias.of for alias in elimination.rates.values()}
    parts = state.parts()
    systems = [system for nodes, unknowns in parts if (system := solved_for_rates(nodes, unknowns, rates)) is not None]
    zeros = zero_constants(systems, elimination.equations, state.flat)
    if zeros.keys() - state.zeros.keys():
        zeros = {**zeros, **state.zeros}
        given = Translation(
            state.flat, state.simplified, state.events, observed=state.observed, zeros=zeros, records=state.records
        )
        raise Again(given, "eliminate aliases", anew=True)
    return replace(state, storage=Storage(state.zeros, systems, elimination.equations))


def _tear(state: Translation) -> Translation:
    """Solve each component for its unknowns, systems of equations by tearing."""
    flat = state.flat
    solved = (solve_component(nodes, unknowns, flat.parameters, flat.shapes) for nodes, unknowns in state.parts())
    blocks = [block for parts in solved for block in parts]
    blocks += [Assignment(derivative_of(constraint.multiplier), ZERO) for constraint in state.constraints]
    if flat.shapes:
        blocks = [arranged(block, flat) for block in blocks]
    return replace(state, blocks=blocks)


def _assemble(state: Translation) -> Translation:
    """Return the sorted model, with states in the order of the state vector, and what events need in terms of its variables."""
    flat, events, elimination, system = state.flat, found(state.events), found(state.elimination), found(state.system)
    observed = [Assignment(str(e.lhs), elimination.substitute(e.rhs), e) for e in state.observed]
    blocks, reduced = [*state.blocks, *observed], found(state.reduced)
    states = [system.variables[v] for v in found(state.selection).states]
    states = scalars_first([*states, *(constraint.multiplier for constraint in state.constraints)], flat.shapes)
    check_wishes(system, states, elimination.variables, elimination.aliases)
    variables = {**events.flat.variables, **reduced.variables}
    model = SortedModel(
        flat=replace(reduced, variables=variables),
        states=states,
        derivatives=[derivative_of(name) for name in states],
        blocks=blocks,
        aliases=elimination.aliases,
        unknowns=scalars_first(computed(blocks), flat.shapes),
        indicators=[elimination.substitute(e) for e in events.indicators],
        relations=events.relations,
        relation_texts=events.relation_texts,
        time_events=[elimination.substitute(e) for e in events.time_events],
        strict=events.strict,
        limits=events.limits,
        inputs=scalars_first((name for name, v in flat.variables.items() if v.input), flat.shapes),
        report=_report(state),
        notes=[*found(state.singularities).notes(flat), *describe_zeros(state.zeros, flat)],
        assumptions=elimination.assumptions,
        storage=found(state.storage),
        redundant_initials=_redundant_initials(elimination, set(states), events),
        discrete=resolve_discrete(
            events.discrete,
            elimination.substitute,
            states,
            [name for name, v in elimination.variables.items() if v.state_select == "prefer"],
        ),
        constraints=state.constraints,
        scales=scales(elimination, state.observed, variables, flat.parameters),
    )
    return replace(state, sorted=model)


def _initialize(state: Translation) -> Translation:
    """Set up the problem that determines initial values where they follow from more than those of states."""
    elimination, model = found(state.elimination), found(state.sorted)
    multipliers = {constraint.multiplier for constraint in state.constraints}
    model.passes = state.records
    problem = None
    if needs_initialization(state.flat, elimination.variables, [name for name in model.states if name not in multipliers]):
        problem = initialization(model, found(state.system), elimination)
    problem = _by_homotopy(state, [*state.blocks, *(problem.sorted.blocks if problem else ())]) or problem
    if problem is not None:
        model.initialization = problem
        model.redundant_initials = list(dict.fromkeys([*model.redundant_initials, *problem.checked]))
        model.report = {**model.report, "states fixed by start": len(model.initialization.fixed)}
    return state


def _by_homotopy(state: Translation, blocks: Sequence[Block]) -> Initialization | None:
    """Return the problem that goes over from simplified expressions to actual ones; None where no unknown depends on itself by
    them.

    Only where one does may there be several solutions, or none that is found.
    """
    if state.simplified is None or not any(map(_is_implicit, blocks)):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the same as of the simulation
        begun = translated(state.simplified, PASSES[:-1])
    problem = initialization(found(begun.sorted), found(begun.system), found(begun.elimination))
    used = set().union(*(names(e) for block in problem.sorted.blocks if _is_implicit(block) for e in expressions_of(block)))
    return problem if HOMOTOPY in used else None


def _is_implicit(block: Block) -> bool:
    """Return whether unknowns of a block depend on themselves."""
    if not isinstance(block, Assignment):
        return isinstance(block, LinearBlock | NonlinearBlock)
    if block.equation is None:
        return False
    lhs, rhs = (block.variable in names(side) for side in (block.equation.lhs, block.equation.rhs))
    alone = type(block.equation.lhs) is Name or type(block.equation.rhs) is Name
    return (lhs and rhs) or not alone


def _named(state: Translation) -> str:
    return f"{len(found(state.events).equations)} equations with what they share"


def _aliases(state: Translation) -> str:
    elimination = found(state.elimination)
    return f"{len(elimination.aliases)} aliases, {len(elimination.redundant)} redundant equations"


def _differentiated(state: Translation) -> str:
    return f"{len(found(state.system).nodes) - state.given} equations differentiated"


def _states(state: Translation) -> str:
    return f"{len(found(state.selection).states)} states"


def _systems(state: Translation) -> str:
    kinds = (("linear", LinearBlock), ("nonlinear", NonlinearBlock))
    counts = [(name, sum(isinstance(block, kind) for block in state.blocks)) for name, kind in kinds]
    parts = [f"{n} {name} systems" for name, n in counts if n]
    return f"{len(state.blocks)} blocks" + (f", of these {' and '.join(parts)}" if parts else "")


PASSES = (
    Pass("expand control", _expand, lambda state: f"{len(state.flat.parameters)} parameters"),
    Pass("extract events", _extract_events, lambda state: f"{len(found(state.events).indicators)} relations make events"),
    Pass("name what is shared", _name_shared, _named),
    Pass("set observed apart", _set_apart, lambda state: f"{len(state.observed)} variables are only observed"),
    Pass("eliminate aliases", _eliminate_aliases, _aliases),
    Pass("remove singularities", _remove_singularities, _aliases),
    Pass("reduce index", _reduce_index, _differentiated),
    Pass("select states", _select_states, _states),
    Pass("sort (BLT)", _sort, lambda state: f"{len(state.components)} blocks"),
    Pass("check storage", _check_storage),
    Pass("tear and solve", _tear, _systems),
    Pass("assemble", _assemble),
    Pass("pose initialization", _initialize),
)
"""All passes in their order. Some find out what an earlier one has to respect, and go on with that one: `translation.Again`."""


def _elsewhere(state: Translation) -> set[str]:
    """Return the names that occur outside of the equations, those that stand for them included."""
    events, elimination = found(state.events), found(state.elimination)
    exprs = [*events.indicators, *events.time_events, *(e.rhs for e in state.observed)]
    exprs += [e for reinit in events.discrete.reinits for e in (reinit.active, reinit.value)]
    exprs += [side for equation in events.flat.initial_equations for side in (equation.lhs, equation.rhs)]
    used = {*events.assigned, *(memory.name for memory in events.discrete.memory), *names(*exprs)}
    return used | {elimination.aliases[name].of for name in used if name in elimination.aliases}


def _left_over(assigned: frozenset[str], elimination: Elimination) -> frozenset[str]:
    """Return the variables that stand for those of ``assigned``; they change at events only, too."""
    left = {elimination.aliases[name].of if name in elimination.aliases else name for name in assigned} - {""}
    for name in left:
        elimination.variables[name] = replace(elimination.variables[name], discrete=True)
    return frozenset(left)


def _redundant_initials(elimination: Elimination, states: set[str], events: Events) -> list[str]:
    """Return the variables with ``init`` that are neither states nor remembered at the beginning."""
    remembered = {name for m in events.discrete.memory if m.discrete for name in (m.name, m.initial)} | events.assigned
    remembered |= {elimination.aliases[name].of for name in remembered if name in elimination.aliases}
    return [
        name
        for name, variable in elimination.variables.items()
        if variable.init is not None and name not in states and name not in remembered
    ]


def _check_loops(state: Translation) -> None:
    """Refuse discrete variables that need each other's present values."""
    for nodes, unknowns in state.parts():
        if len(nodes) > 1 or _needs_itself(nodes[0], unknowns[0]):
            refuse_loop(unknowns, nodes, found(state.system).assigned)


def _needs_itself(node: Node, unknown: str) -> bool:
    return isinstance(node, Equation) and unknown in names(node.lhs) & names(node.rhs)


def _report(state: Translation) -> dict[str, int]:
    flat, elimination, system = state.flat, found(state.elimination), found(state.system)
    linear = [block for block in state.blocks if isinstance(block, LinearBlock)]
    nonlinear = [block for block in state.blocks if isinstance(block, NonlinearBlock)]
    states = found(state.selection).states
    variables = [elimination.variables.get(system.variables[v]) for v in states]
    return {
        "equations": scalar_equations(flat.equations),
        "variables": len(flat.variables) + len(state.observed),
        "parameters": len(flat.parameters),
        "aliases": len(elimination.aliases),
        "redundant equations": len(elimination.redundant),
        "equations after alias elimination": scalar_equations(elimination.equations),
        "differentiated equations": len(system.nodes) - state.given,
        "states": len(states),
        "blocks": len(state.blocks),
        "linear systems": len(linear),
        "largest linear system": max((len(b.unknowns) + len(computed(b.body)) for b in linear), default=0),
        "unknowns of linear systems": sum(len(b.unknowns) for b in linear),
        "nonlinear systems": len(nonlinear),
        "unknowns of nonlinear systems": sum(len(b.unknowns) for b in nonlinear),
        "states fixed by start": sum(v is None or v.init is None for v in variables),
    }
