"""The loop between samples with the memory of one segment."""

from __future__ import annotations

import numpy as np

from ..evaluation.machine import Machine
from ..events.iteration import EventIteration
from ..segments.options import Options
from ..segments.segment import Segment
from .sample_loop import SampleLoop
from .tableaus import BOGACKI_SHAMPINE, DORMAND_PRINCE

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Times, states and unknowns of stored points."""

AT_ONCE = 2000
"""Steps after which an interrupt is seen."""

ROOM = 1000
"""Points that are stored at once."""

BUDGET = 20000
"""Evaluations from one sample to the next, from which on an implicit method is taken even if no stiffness is found."""


def bound_loop(machine: Machine, options: Options, iteration: EventIteration, segment: Segment) -> tuple[SampleLoop, Rows]:
    """Return the loop with the memory of a segment, and the rows to which it stores points."""
    loop = SampleLoop()
    memory, context = machine.memory, machine.memory.context
    n, n_z, tickers = segment.x.size, segment.n_z, iteration.tickers
    loop.dimension = float(n)
    loop.n, loop.n_z, loop.n_relations, loop.n_tickers = n, n_z, machine.n_relations, len(tickers)
    loop.n_memory, loop.n_flags, loop.n_unknowns = memory.pre.size, memory.flags.size, memory.unknowns.size
    loop.n_reinits, active = memory.reinits.size // 2, np.array(machine.layout.reinits, dtype=np.int64)
    factors = context.factorised
    loop.n_active, loop.n_factors, loop.n_workspace = active.size, factors.size, context.workspace.size
    loop.rtol = options.tolerance
    absolute = options.absolute_tolerance * np.ones(n)
    scales = machine.scales(n)
    limits = machine.contexts.limits
    loop.n_limits = limits.size
    loop.start, loop.distance = options.start_time, options.interval
    loop.budget = BUDGET
    for suffix, tableau in (("3", BOGACKI_SHAMPINE), ("5", DORMAND_PRINCE)):
        setattr(loop, f"stages{suffix}", tableau.c.size)
        arrays = {"a": tableau.a.reshape(-1), "c": tableau.c, "error": tableau.error, "dense": tableau.dense.reshape(-1)}
        loop.connect(**{f"{name}{suffix}": array for name, array in arrays.items()})
    stages = DORMAND_PRINCE.c.size + 1
    loop.connect(
        x=segment.x,
        x0=np.zeros(n),
        x1=np.zeros(n),
        y=np.zeros(n),
        k=np.zeros(stages * n),
        sampled_x=np.zeros(n),
        sizes=np.zeros(n),
        stage=np.zeros(n),
        atol=absolute if scales is None else absolute * scales,
        z=np.zeros(5 * n_z),
        signs=machine.relation_signs,
        limits=limits,
        first=np.array([ticks.first for ticks in tickers]),
        interval=np.array([ticks.factor * ticks.interval for ticks in tickers]),
        ticked=np.zeros(len(tickers)),
        modes=memory.modes,
        flags=memory.flags,
        pre=memory.pre,
        current=memory.current,
        remembered=iteration.continuous.astype(float),
        reinits=memory.reinits,
        array_reinits=memory.array_reinits,
        activity=active,
        workspace=context.workspace,
        factors=factors,
        kept=np.zeros(memory.pre.size + memory.flags.size + len(tickers) + memory.modes.size),
        aside=np.zeros(context.workspace.size),
    )
    loop.x1_array, loop.ticked_array = loop.arrays["x1"][:n], loop.arrays["ticked"][: len(tickers)]
    loop.stores = int(segment.result.keeps or bool(machine.sorted.discrete.assertions))  # what is stored is checked
    loop.at_once = 1 if machine.projection.active else AT_ONCE  # after each step states are brought onto their constraints
    loop.room = ROOM
    rows = np.zeros(ROOM), np.zeros((ROOM, n)), np.zeros((ROOM, memory.unknowns.size))
    loop.connect(times=rows[0], states=rows[1].reshape(-1), unknowns=rows[2].reshape(-1))
    loop.model, loop.outputs = machine.compiled.address_of("model"), machine.compiled.address_of("outputs")  # type: ignore[assignment]
    loop.context = context.address
    return loop, rows
