"""Conversion of a simulation's state at a restart to a `Snapshot`, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ...acausal.abilities import Saves
from ...acausal.protocol import ComponentRun
from ...acausal.segment import SegmentLayout, SegmentStart
from ...model.errors import ModelError
from ..evaluation.machine import Machine
from ..events.chattering import Chattering
from ..events.history import EventHistory
from ..events.iteration import EventIteration
from ..files.schema import Damaged, vector
from ..results.result import Result
from ..results.segment_result import SegmentRecord, SegmentResult
from ..results.signals import PresentReader, SignalTable, state_index_in
from ..sampled.held_inputs import HeldInputs
from ..sampled.sampled_path import SampledPath
from ..segments.current_point import CurrentPoint
from ..segments.options import Options
from ..segments.segment import Segment, begin_components
from ..solvers import SolverStatistics
from .snapshot import Snapshot, damaged, restore_components, saved_components


class Resumable(Protocol):
    """Part of a simulation that is saved and brought back: see `SegmentLoop`."""

    current: CurrentPoint
    machine: Machine
    options: Options
    result: Result
    components: dict[str, ComponentRun]
    saving: list[Saves | None]
    iteration: EventIteration
    history: EventHistory
    work: SolverStatistics
    sampled: SampledPath
    inputs: HeldInputs
    chattering: Chattering

    def begin_result(self, result: Result) -> None:
        """Report to another result from now on."""


def take_snapshot(simulation: Resumable) -> Snapshot:
    """Return the state of a simulation whose integrator is about to start again."""
    current, machine, work = simulation.current, simulation.machine, simulation.work
    segment = current.segment
    simulation.inputs.note_series()
    present, steps = segment.solver_statistics(), segment.steps
    if present is not None:
        work, steps = work.plus(present), steps + present.steps
    return Snapshot(
        time=current.time,
        x=segment.x.copy(),
        unknowns=current.unknowns,  # evaluations make another one
        options=simulation.options.kept,
        segment={**vars(segment.record), "info": _present(segment.record.info), "steps": steps},
        work=machine.work_with(work),
        points=segment.result.points_before + segment.result.points,
        inputs_held=simulation.inputs.present(),
        parts={path: layout.x.size for path, layout in segment.layouts.items()},
        memory=machine.memory.arrays(),
        sampled=simulation.sampled.state(),
        iteration=simulation.iteration.state(),
        history=simulation.history.state(),
        inputs={name: series.to_data() for name, series in machine.over_time.series.items()},
        components={
            path: None if run is None else run.snapshot()
            for path, run in zip(simulation.components, simulation.saving, strict=True)
        },
    )


def _present(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a segment, with copies of its lists."""
    return {name: list(value) if isinstance(value, list) else value for name, value in info.items()}


def resume(simulation: Resumable, snapshot: Snapshot) -> None:
    """Bring a new simulation to the state of a snapshot; the caller starts its integrator next.

    Raises:
        ModelError: parts of the snapshot do not fit one another, or a component cannot be restored.
    """
    try:
        _check_sizes(simulation, snapshot)
        _resume(simulation, snapshot)
    except ModelError:
        raise
    except Exception as error:  # what fits the schema may still contradict itself, to components that trust it
        raise damaged(error, "") from None


def _resume(simulation: Resumable, snapshot: Snapshot) -> None:
    machine, current = simulation.machine, simulation.current
    current.time, current.unknowns = snapshot.time, snapshot.unknowns.copy()
    simulation.work = SolverStatistics(**snapshot.work)
    simulation.history.restore(snapshot.history)
    simulation.iteration.restore(snapshot.iteration)
    simulation.sampled.restore(snapshot.sampled)
    restore_components(simulation.components, snapshot.components)
    layouts = begin_components(simulation.components, _starts(simulation, snapshot))
    for path, layout in layouts.items():
        if layout.x.size != snapshot.parts[path]:
            raise Damaged(f"{path}: expected {layout.x.size} states, found {snapshot.parts[path]}")
    x_inv = snapshot.x[: machine.layout.n_states]
    record = SegmentRecord(**snapshot.segment)

    def result(_: SegmentRecord, table: SignalTable, layouts: Mapping[str, SegmentLayout]) -> SegmentResult:
        return simulation.result.resume(record, table, layouts, snapshot.points)

    segment = Segment(record.index, record.start, record.cause, machine, machine.table, x_inv, layouts, result)
    segment.x[:] = snapshot.x
    segment.record, segment.steps = record, record.steps
    segment.end_at(simulation.options)
    machine.memory.restore(snapshot.memory)
    current.enter(segment)


def _check_sizes(simulation: Resumable, snapshot: Snapshot) -> None:
    """Refuse a snapshot whose sizes are not those of the model, before memory is accessed with them. Raises Damaged."""
    machine, begin = simulation.machine, snapshot.segment
    n_inv, n_var = machine.layout.n_states, sum(snapshot.parts.values())
    if snapshot.parts.keys() != simulation.components.keys():
        raise Damaged(f"parts: expected those of {', '.join(simulation.components) or 'no component'}")
    vector(n_inv + n_var)(snapshot.x, "x")
    vector(machine.memory.unknowns.size)(snapshot.unknowns, "unknowns")
    if (begin["states_invariant"], begin["states_variant"]) != (n_inv, n_var) or begin["index"] < 1:
        raise Damaged(f"segment: expected {n_inv} and {n_var} states, and a number of the segment from 1 on")
    if not np.isfinite(snapshot.x).all():
        raise Damaged("x: expected finite numbers")


def _starts(simulation: Resumable, snapshot: Snapshot) -> dict[str, SegmentStart]:
    """Return the start data for components that begin again in their present segment."""
    time, x, unknowns, table = snapshot.time, snapshot.x, simulation.current.unknowns, simulation.machine.table
    starts, first = {}, simulation.machine.layout.n_states
    for path in simulation.components:
        part = slice(first, first + snapshot.parts[path])
        read = PresentReader(table, path, time, x, unknowns)
        starts[path] = SegmentStart(time, x[part].copy(), read, state_index=state_index_in(table, path))
        first = part.stop
    return starts


def at_last_sample(simulation: Resumable) -> Snapshot:
    """Return the state at the last sample, see `SampledPath`."""
    with simulation.sampled.at_last_sample() as (undone, points):
        work, simulation.work = simulation.work, simulation.work.plus(undone)
        state = take_snapshot(simulation)
        state.points = simulation.current.segment.result.points_before + points
        simulation.work = work
    return state


def present_state(simulation: Resumable) -> Snapshot:
    """Return the present point as a state from which a simulation can go on. Raises ModelError."""
    saved_components(simulation.components)
    current, memory = simulation.current, simulation.machine.memory
    before, aside = current.unknowns, memory.put_aside()
    current.evaluate()
    state = take_snapshot(simulation)
    inputs = simulation.inputs
    state.inputs_next = np.where(inputs.values == inputs.applied, np.nan, inputs.values)
    state.state_names = simulation.machine.all_states()[: simulation.machine.layout.n_states]
    current.unknowns = before
    memory.go_on_with(aside)
    return state


def goes_back(simulation: Resumable, snapshot: Snapshot, result: Result) -> bool:
    """Go back to a state of the present segment, with a new result; return whether that is possible.

    The state must be one of this process: it is not checked.
    """
    current, machine = simulation.current, simulation.machine
    segment, inputs, states = current.segment, snapshot.inputs_held, snapshot.components
    if (
        inputs is None
        or machine.over_time.moves
        or any(len(series["times"]) > 1 for series in snapshot.inputs.values())
        or snapshot.x.size != segment.x.size
        or not all(run.goes_back(states[path]) for path, run in simulation.components.items())
    ):
        return False
    done = segment.solver_statistics() or SolverStatistics()
    simulation.sampled.work()
    current.time, segment.x[:], current.unknowns = snapshot.time, snapshot.x, snapshot.unknowns.copy()
    machine.memory.put_back(snapshot.memory)
    machine.memory.forget_factors()
    simulation.inputs.restore(inputs)
    simulation.iteration.put_back(snapshot.iteration)
    simulation.history.put_back(snapshot.history)
    simulation.chattering.forget()
    simulation.work = SolverStatistics(**snapshot.work).minus(done)
    record = SegmentRecord(**{**snapshot.segment, "info": dict(snapshot.segment["info"])})
    segment.steps = record.steps - done.steps
    simulation.begin_result(result)
    segment.begin_again(record, result.begin)
    simulation.sampled.restore(snapshot.sampled)
    simulation.sampled.went_back()
    current.keep()
    return True
