"""All symbolic passes from the flat model to blocks in the order of their evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..acausal.protocol import CallEquation
from ..model.expression import names
from .alias import Elimination, eliminate_aliases
from .events import extract_events
from .flat_model import FlatModel
from .index_reduction import EquationSystem, reduce_index
from .sorted_model import Assignment, Block, Call, LinearBlock, SortedModel, derivative_name
from .sorting import check_structure, sort_equations
from .state_selection import Selection, select_states
from .tearing import solve_component


def sort_model(flat: FlatModel) -> SortedModel:
    """Sort the equations of a model: alias elimination, index reduction, state selection, sorting, tearing.

    Raises:
        ModelError: the model is singular, contradicts itself, or needs something that is not supported; the message names
            the equations and variables concerned.
    """
    events = extract_events(flat)
    elimination = eliminate_aliases(flat, events.equations)
    reduced = replace(flat, variables={**flat.variables, **elimination.variables})
    system = _equation_system(reduced, elimination)
    check_structure(system, elimination.redundant)
    wanted = _state_preference(system)
    differentiated = reduce_index(system)
    selection = select_states(system, wanted)
    components = sort_equations(system, selection.unknowns)
    blocks = [
        solve_component([system.nodes[n] for n in c.nodes], [system.variables[v] for v in c.unknowns], flat.parameters)
        for c in components
    ]
    states = [system.variables[v] for v in selection.states]
    return SortedModel(
        flat=reduced,
        states=states,
        derivatives=[derivative_name(name) for name in states],
        blocks=blocks,
        aliases=elimination.aliases,
        unknowns=computed(blocks),
        indicators=[elimination.substitute(e) for e in events.indicators],
        relations=events.relations,
        time_events=[elimination.substitute(e) for e in events.time_events],
        inputs=[name for name, v in flat.variables.items() if v.input],
        report=_report(flat, elimination, differentiated, system, selection, blocks),
        redundant_initials=_redundant_initials(elimination, set(states)),
    )


def computed(blocks: Sequence[Block]) -> list[str]:
    """Names of the variables that blocks compute, in the order of their computation."""
    result: list[str] = []
    for block in blocks:
        if isinstance(block, Assignment):
            result.append(block.variable)
        elif isinstance(block, Call):
            result += [output.name for output in block.call.outputs]
        else:
            result += [*block.unknowns, *computed(block.body)]
    return result


def _equation_system(flat: FlatModel, elimination: Elimination) -> EquationSystem:
    system = EquationSystem(flat)
    for name, variable in elimination.variables.items():
        if not variable.input:
            system.add_variable(name)
    for equation in elimination.equations:
        system.add_node(equation)
    return system


def _state_preference(system: EquationSystem) -> Callable[[str], tuple[bool, ...]]:
    """How much a variable is wanted as a state: ``init``, ``start``, input of a component function, differentiated."""
    differentiated = {name for name, derivative in zip(system.variables, system.up, strict=True) if derivative >= 0}
    call_inputs: set[str] = set()
    for node in system.nodes:
        if isinstance(node, CallEquation):
            call_inputs.update(*(names(e) for e in node.inputs))

    def wanted(name: str) -> tuple[bool, ...]:
        variable = system.flat.variables.get(name)
        return (
            variable is not None and variable.init is not None,
            variable is not None and variable.start is not None,
            name in call_inputs,
            name in differentiated,
        )

    return wanted


def _redundant_initials(elimination: Elimination, states: set[str]) -> dict[str, float]:
    return {
        name: variable.init
        for name, variable in elimination.variables.items()
        if variable.init is not None and not variable.input and name not in states
    }


def _report(
    flat: FlatModel,
    elimination: Elimination,
    differentiated: int,
    system: EquationSystem,
    selection: Selection,
    blocks: Sequence[Block],
) -> dict[str, int]:
    linear = [block for block in blocks if isinstance(block, LinearBlock)]
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
    }
