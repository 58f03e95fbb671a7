"""Initial values: those that follow from states and parameters alone, and the solution of the initialization problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..acausal.abilities import Assembles
from ..acausal.protocol import ComponentRun, Mode
from ..acausal.segment import SegmentStart
from ..model.errors import ModelError, NumericalError, SimulationError, nearest
from ..model.expression import TIME, Apply, Const, Expr, evaluate, rewrite
from ..model.model import DefaultInit, FoundInit
from ..symbolic.codegen.array_layout import array_values, split
from ..symbolic.flat.flat_model import FlatModel, Variable
from ..symbolic.hybrid.homotopy import HOMOTOPY
from ..symbolic.sorted.initial_values import inherit_initial_values
from ..symbolic.sorted.parts import Assignment
from ..symbolic.sorted.sorted_model import SortedModel
from ..symbolic.terms.arrays import evaluate_arrays
from .evaluation.component_checks import begin_runs
from .results.signals import relative_name, state_index_in
from .segments.delay_history import DelayHistory
from .segments.segment import begin_components

if TYPE_CHECKING:
    from .evaluation.machine import Machine

_MAX_ITERATIONS = 100
_MAX_ASSEMBLIES = 10
_SHORTEST_PART = 1e-4
"""Of the way from simplified to actual expressions at once, where a longer one fails."""
_SETTLED = 1e-12
"""Largest change of a component's initial states, absolute and relative, from one solution to the next."""


def initial_values(
    sorted_model: SortedModel, flat: FlatModel, inputs: Mapping[str, float], time: float, x: Iterable[float]
) -> dict[str, float]:
    """Return the values of states, parameters, inputs, and of all variables computed from them without calling a component.

    A variable that cannot be computed that way has its ``init`` or ``start``, if it has one.
    """
    states = split(sorted_model.states, list(x), flat.shapes)
    values: dict[str, Any] = {"time": time, **flat.parameters, **array_values(flat), **inputs, **states}

    def value(expr: Expr) -> Any:
        return evaluate_arrays(expr, values, flat.shapes) if flat.shapes else evaluate(expr, values)

    for block in sorted_model.blocks:
        if isinstance(block, Assignment):
            with suppress(KeyError, ArithmeticError, ValueError):
                try:
                    values[block.variable] = value(block.expr)
                except KeyError as error:
                    if error.args[0] not in _EVENTS:
                        raise
                    values[block.variable] = value(_without_events(block.expr, sorted_model))
    for name, alias in sorted_model.aliases.items():
        _follow(name, alias.of, values, sorted_model)
    for name, variable in flat.variables.items():
        guess = variable.start if variable.init is None else variable.init
        if name not in values and guess is not None:
            values[name] = guess
    return values


_EVENTS = ("mode", "after", "initial")
"""Operators of the memory of events, by which expressions change at these alone."""


def _without_events(expr: Expr, model: SortedModel) -> Expr:
    """Replace the relations and times of events in an expression by their values at the initial event."""

    def change(node: Expr) -> Expr | None:
        if type(node) is not Apply or node.op not in _EVENTS:
            return None
        if node.op == "initial":
            return Const(1.0)
        k = int(node.args[0].value) if type(node.args[0]) is Const else -1
        if node.op == "after":
            return rewrite(Apply(">" if model.is_strict(k) else ">=", (TIME, model.time_events[k])), change)
        relation = ">" if model.relations[k] == "positive" else model.relations[k]
        return rewrite(Apply(relation, (model.indicators[k], Const(0.0))), change)

    return rewrite(expr, change)


def assembled(machine: Machine, time: float, components: Mapping[str, ComponentRun]) -> FlatModel:
    """Return the flat model with initial values that components compute for variables to which the user gives none.

    Args:
        machine: of the simulation. time: initial time [s]. components: by path.

    Raises:
        ModelError: nothing fits to the given ones.
    """
    flat, model = machine.flat, machine.sorted
    assembling = {path: run for path, run in components.items() if isinstance(run, Assembles) and run.assembles}
    if not assembling:
        return flat
    for _ in range(_MAX_ASSEMBLIES):
        x = model.initial_states(flat.variables, flat.shapes)
        values = initial_values(model, flat, machine.inputs, time, x)
        asked = {
            relative_name(path, name): value
            for path, run in assembling.items()
            for name, value in run.assembled(initial_reader(values, path)).items()
        }
        given = _where_free(flat.variables, model, asked)
        if not given:
            break
        flat = replace(flat, variables={**flat.variables, **given})
    return flat


def _where_free(variables: Mapping[str, Variable], model: SortedModel, asked: Mapping[str, float]) -> dict[str, Variable]:
    """Return the variables whose initial values the user leaves open, with values that components computed."""
    known, found = inherit_initial_values(variables, model.aliases), {}
    for name, value in asked.items():
        alias = model.aliases.get(name)
        of, wanted = (alias.of, alias.sign * value) if alias is not None and alias.of else (name, value)
        variable = known.get(of)
        if variable is None:
            continue
        if variable.init is None and variable.start != wanted:
            found[of] = replace(variable, start=wanted)
        elif isinstance(variable.init, DefaultInit) and variable.init != wanted:
            found[of] = replace(variable, init=FoundInit(wanted))
    return found


def first_states(
    machine: Machine, time: float, components: Mapping[str, ComponentRun], told: Callable[[Sequence[str]], None]
) -> tuple[np.ndarray, dict[str, SegmentStart]]:
    """Return the first states of the equations, shape (n_inv,), and the start data of the components, by path.

    ``told`` is called with the states that no initial condition determines, if there is an initialization problem. Errors as of
    `assembled` and `solve_initial`.
    """
    flat = assembled(machine, time, components)
    own = flat is machine.flat
    variables = machine.variables if own else flat.variables
    x_inv = np.array(machine.sorted.initial_states(variables, flat.shapes, inherited=own))
    if not components and machine.sorted.initialization is None:
        return x_inv, {}
    values = initial_values(machine.sorted, flat, machine.inputs, time, x_inv)
    if machine.sorted.initialization is not None:
        told(machine.sorted.initialization.fixed)
        solved = solve_initial(machine, flat, time, values)
        machine.memory.begin_with(solved)
        initial = [np.ravel(solved.get(name, 0.0)) for name in machine.sorted.states]  # multipliers begin with 0
        x_inv = np.concatenate([np.zeros(0), *initial])
        values |= solved
    return x_inv, {path: initial_start(machine, time, values, path) for path in components}


def solve_initial(machine: Machine, given: FlatModel, time: float, guesses: Mapping[str, float]) -> dict[str, float]:
    """Solve the initialization problem of a model that has one.

    Args:
        machine: of the simulation. given: its flat model, with initial values.
        time: initial time [s].
        guesses: initial values that components read before anything is solved.

    Returns:
        Values of all variables by name.

    Raises:
        SimulationError: there is no solution; names the equations.
    """
    from .evaluation.machine import Machine

    initial, problem = machine.compiled.initial, machine.sorted.initialization
    assert initial is not None
    assert problem is not None
    flat = problem.flat(given)
    solver = Machine(initial, flat)
    values, solved = dict(guesses), dict[str, Any]()
    x = np.zeros(0)
    for iteration in range(_MAX_ITERATIONS):
        starts = {path: initial_start(machine, time, values, path) for path in flat.components}
        runs = begin_runs(flat.components)
        layouts = begin_components(runs, starts)
        last, x = x, np.concatenate([np.zeros(0), *(layout.x for layout in layouts.values())])
        if iteration and x.shape == last.shape and np.allclose(x, last, rtol=_SETTLED, atol=_SETTLED, equal_nan=True):
            break
        solver.enter_segment(layouts, x.size, solver.n_relations + sum(layout.n_z for layout in layouts.values()))
        if not iteration and solver.memory.pre.size:
            solver.memory.pre[:] = problem.sorted.initial_memory(machine.flat.variables, machine.flat.shapes)
        settle = partial(_go_over if HOMOTOPY in solver.inputs else _settle, solver, time, x)
        DelayHistory(solver, runs.values()).begin(time, x, settle)
        solved = {name: source.value(time, x, solver.memory.unknowns) for name, source in solver.table.items()}
        if not x.size:
            break
        values |= solved
    else:
        raise NumericalError(
            "initialization: states of components and the initial equations, which depend on each other, do not settle",
            time=time,
        )
    _begin_relations(machine, solver)
    return _finite_states(machine.sorted.states, solver, time, x, solved)


def _begin_relations(machine: Machine, solver: Machine) -> None:
    """Set the relations of the simulation to their values in the solution of the initialization problem."""
    own, theirs = (_numbers(m.sorted.relation_texts) for m in (machine, solver))
    for text in own.keys() & theirs.keys():
        machine.memory.modes[own[text]] = solver.memory.modes[theirs[text]]


def _numbers(texts: Sequence[tuple[str, str]]) -> dict[tuple[str, str, int], int]:
    """Return the numbers of relations, by text, path, and the number of equal ones before."""
    counts: dict[tuple[str, str], int] = {}
    found = {}
    for k, text in enumerate(texts):
        found[(*text, counts.get(text, 0))] = k
        counts[text] = counts.get(text, 0) + 1
    return found


def _finite_states(
    states: Iterable[str], solver: Machine, time: float, x: np.ndarray, solved: dict[str, Any]
) -> dict[str, Any]:
    """Return the solution. Raises SimulationError where a state has no value; names the equation that it would follow from."""
    from .evaluation.explanation import explain

    if not all(np.isfinite(solved.get(name, 0.0)).all() for name in states):
        error = explain(solver, time, x)
        if error is not None:
            error.message = f"initialization: {error.message}"
            raise error
    return solved


def check_initial_values(machine: Machine, read: Callable[[str], Any]) -> None:
    """Check that initial values of variables that are not states agree with the equations.

    Args:
        machine: of the simulation. read: value of a variable at the beginning.

    Raises:
        ModelError: names the variable.
    """
    multipliers = {constraint.multiplier for constraint in machine.sorted.constraints}
    states = [name for name in machine.sorted.states if name not in multipliers]
    source = f"the initial values of {', '.join(states)}" if states else "the equations"
    if machine.flat.initial_equations:
        source = "the initial equations " + "; ".join(f"'{equation}'" for equation in machine.flat.initial_equations[:6])
    if machine.sorted.storage.zeros:
        source += f" (no states because of {', '.join(f'{zero} = 0' for zero in machine.sorted.storage.zeros)})"
    for name in machine.sorted.redundant_initials:
        declared = _declared(machine, name)
        if not declared:
            continue
        value, wanted = read(declared), machine.flat.variables[declared].init
        if wanted is not None and not np.allclose(value, wanted, rtol=1e-6, atol=1e-6):
            raise ModelError(
                "the initial value contradicts the equations",
                path=declared,
                found=f"init={wanted!r}",
                expected=f"{value!r}, computed from {source}",
                remedy="Remove this init, or change the others.",
            )


def _declared(machine: Machine, name: str) -> str:
    """Return the variable with ``init`` among a variable and its aliases; "" if there is none."""
    variables, aliases = machine.flat.variables, machine.sorted.aliases
    members = (name, *(n for n, alias in aliases.items() if alias.of == name))
    given = {n: variables[n].init for n in members if n in variables}
    return next((n for n, init in given.items() if init is not None and not isinstance(init, DefaultInit)), "")


def _go_over(solver: Machine, time: float, x: np.ndarray) -> None:
    """Solve with the simplified expressions of ``homotopy``, then with the actual ones, in several parts if necessary.

    Where the simplified ones have no solution, the actual ones are solved alone. Raises as `_settle`, for the actual ones.
    """
    memory, done, step = solver.memory.arrays(), 0.0, 1.0
    try:
        solver.hold_input(HOMOTOPY, done)
        _settle(solver, time, x)
    except SimulationError:
        solver.memory.restore(memory)
        solver.hold_input(HOMOTOPY, 1.0)
        return _settle(solver, time, x)
    while done < 1.0:
        memory, end = solver.memory.arrays(), min(done + step, 1.0)
        solver.hold_input(HOMOTOPY, end)
        try:
            _settle(solver, time, x)
        except SimulationError:
            solver.memory.restore(memory)
            step *= 0.25
            if step < _SHORTEST_PART:
                raise
        else:
            done, step = end, 2.0 * step
    return None


def _settle(solver: Machine, time: float, x: np.ndarray) -> None:
    """Solve with the states ``x`` of components, until relations no longer change."""
    from .evaluation.explanation import explain
    from .evaluation.machine import EvaluationFailure
    from .evaluation.relations import Relations
    from .events.iteration import SIMULTANEOUS

    relations = Relations(solver)
    try:
        for iteration in range(_MAX_ITERATIONS):
            one = iteration >= SIMULTANEOUS
            if not relations.update(time, x, Mode.INITIAL, one_at_a_time=one).size:
                break
        else:
            raise NumericalError("relations do not settle at initialization", time=time)
        solver.evaluate(time, x, Mode.OUTPUTS | Mode.INITIAL)
    except EvaluationFailure as failure:
        error = explain(solver, failure.time, failure.x) or NumericalError(str(failure), time=time)
        error.message = f"initialization: {error.message}"
        raise error from None


def _follow(name: str, of: str, values: dict[str, float], sorted_model: SortedModel) -> None:
    alias = sorted_model.aliases[name]
    if name in values:
        return
    if of in sorted_model.aliases:
        _follow(of, sorted_model.aliases[of].of, values, sorted_model)
    if of in values:
        values[name] = alias.sign * values[of]
    elif alias.value is not None:
        with suppress(KeyError, ArithmeticError, ValueError):
            values[name] = evaluate(alias.value, values)


def initial_start(machine: Machine, time: float, values: Mapping[str, float], path: str) -> SegmentStart:
    """Return the start data of the component at ``path`` for the beginning of a simulation with these initial values."""
    return SegmentStart(time, None, initial_reader(values, path), state_index=state_index_in(machine.table, path))


def initial_reader(values: Mapping[str, float], path: str) -> Callable[[str], float]:
    """Return the function by which the component at ``path`` reads initial values.

    Raises:
        ModelError: (the returned function) there is no such variable, or its initial value is not known.
    """

    def read(name: str) -> float:
        full = relative_name(path, name)
        if full not in values:
            raise ModelError(f"the initial value of '{full}' is not known", path=path, remedy=nearest(full, values))
        return values[full]

    return read
