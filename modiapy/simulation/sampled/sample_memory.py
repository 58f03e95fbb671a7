"""The memory of the loop between samples, see `samples`."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from ..solvers.step_compiler import Address, Floats, Wholes

LOW, HIGH = 3, 5
"""Orders of the two methods."""


class Ended(IntEnum):
    """Reason why the loop ended."""

    PAUSED = 0
    """The time ``pause`` is reached, or the ``goal`` that no step and no tick may pass."""
    FULL = 1
    """There is no more room for points; it goes on when ``count`` is zero."""
    NEAR = 2
    """An indicator may cross zero in the next step, or the step failed."""
    UNDECIDED = 3
    """A component has to say what a sample means for it: an indicator of its has another sign than before."""
    EVENT = 4
    """A tick is due that is more than new values of variables, or another event."""
    STIFF = 5
    """So many evaluations were needed since the last sample that an implicit method is better."""
    FAILED = 6
    """A point could not be evaluated that was to be stored."""
    REFUSED = 7
    """An input is not finite; nothing has changed."""


class SampleMemory:
    """A stretch of simulation between samples: fields that are numbers, arrays and functions. Times in s.

    Attributes:
        time, x: where it stands.
        goal: no step and no tick passes it. pause: where it ends, if that is before; hard: not 0 where a step ends there, too.
        begin, end: of the last step. x0, x1, k: states at both ends, derivatives at its stages, row by row.
        fresh: not 0 where no step was made since the last sample, which was at ``end``.
        h: length of the next step, 0 where nothing is known.
        sampled, sampled_x: time and states of the last sample; sampled_h, sampled_order, sampled_patience, sampled_spent,
            sampled_count, sampled_steps, sampled_evaluations: what these fields were then, before a method was chosen.
        stages, order, a, c, error, dense: see `tableaus.Tableau`; with 3 and 5 those of both methods.
        patience: for how many samples the method of higher order is taken.
        dimension: the number of states n as a floating-point number.
        sizes: the largest magnitude of each state at the ends of steps until now.
        rtol, atol: see `solvers.create_solver`.
        z: indicators at the beginning, inside, at the end of the step, at an event, at the beginning of the step before.
        known: not 0 if the indicators at ``end`` are known, before a sample there. signs: of relations that are true.
        before: length of the step before, 0 if there is none. goes_on: not 0 if that ended where the next one begins.
        moved: not 0 where x1 has been changed behind the last step.
        open: not 0 where the last stage of the last step has been left out.
        values, applied, inputs: of held inputs the values to be, and those until now; where the model reads them.
        changed: how many samples had other values.
        limits, n_limits: what components say of the next step, see `modiapy.acausal.protocol.CONTEXT`, and how many they are.
        allowed: how many steps may be made until control is given back, of at_once where it begins.
        evaluations, steps, ticks, samples: counts. spent, budget: evaluations since the last sample, and how many may be.
        first, interval, ticked: of each ticker the first tick, the distance of two, how many there were. next: the next of all.
        stage: states at the last stage but one. stiff, calm: steps that stability limited, and others.
        modes, flags, pre, current: see `ModelContext`. remembered: 1 where the value before an event is the left limit.
        reinits, n_reinits, array_reinits, activity: see `ModelContext`; where in the latter is whether one is active.
        workspace, factors: memory of systems of equations; words that are zero where matrices are to be factorised anew.
        kept: what was in modes, flags, pre and ``ticked`` before an event. aside: of ``workspace``.
        stores: not 0 if points are stored: times, states, unknowns, ``count`` of ``room``.
        output, number, start, distance: next point of the grid, its number, and where the grid begins; distance of its points.
        model, outputs, context: machine code, see `CompiledModel`, and its memory.
    """

    time: float
    goal: float
    pause: float
    hard: int
    begin: float
    end: float
    fresh: int
    h: float
    sampled: float
    sampled_h: float
    sampled_order: int
    sampled_patience: int
    sampled_spent: int
    sampled_count: int
    sampled_steps: int
    sampled_evaluations: int
    n: int
    dimension: float
    n_z: int
    n_relations: int
    n_limits: int
    n_tickers: int
    n_memory: int
    n_flags: int
    n_reinits: int
    n_active: int
    n_factors: int
    n_workspace: int
    n_unknowns: int
    stages: int
    stages3: int
    stages5: int
    order: int
    patience: int
    stiff: int
    calm: int
    rtol: float
    known: int
    before: float
    goes_on: int
    open: int
    moved: int
    n_inputs: int
    changed: int
    allowed: int
    at_once: int
    evaluations: int
    steps: int
    ticks: int
    samples: int
    spent: int
    budget: int
    next: float
    stores: int
    count: int
    room: int
    output: float
    number: float
    start: float
    distance: float
    values: Floats
    applied: Floats
    inputs: Floats
    x: Floats
    x0: Floats
    x1: Floats
    y: Floats
    k: Floats
    sampled_x: Floats
    sizes: Floats
    stage: Floats
    a: Floats
    c: Floats
    error: Floats
    dense: Floats
    a3: Floats
    c3: Floats
    error3: Floats
    dense3: Floats
    a5: Floats
    c5: Floats
    error5: Floats
    dense5: Floats
    atol: Floats
    z: Floats
    signs: Floats
    limits: Floats
    first: Floats
    interval: Floats
    ticked: Floats
    modes: Floats
    flags: Floats
    pre: Floats
    current: Floats
    remembered: Floats
    reinits: Floats
    array_reinits: Floats
    activity: Wholes
    workspace: Floats
    factors: Wholes
    kept: Floats
    aside: Floats
    times: Floats
    states: Floats
    unknowns: Floats
    context: Address
    model: Callable[..., int]
    outputs: Callable[..., int]
