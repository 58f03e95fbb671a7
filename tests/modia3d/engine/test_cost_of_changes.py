"""What a change of structure costs, counted where a clock would be unreliable: calls of Python functions, and memory."""

import cProfile
import pstats
import tracemalloc

import numpy as np
import pytest

from benchmarks.switch_scenes import PERIOD, our_boxes
from modia3d.engine import forests
from modiapy import instantiate
from modiapy.simulation.evaluation.machine import Machine
from modiapy.simulation.solvers import pool

pytestmark = pytest.mark.white_box


def calls_of_a_change(bodies):
    """Calls of functions for one more change, from runs that differ in the number of changes only."""
    counts = []
    for changes in (4, 8):
        simulation = instantiate(our_boxes(bodies, changes))
        simulation.simulate((changes + 1) * PERIOD, interval=PERIOD)
        profile = cProfile.Profile()
        profile.runcall(simulation.simulate, (changes + 1) * PERIOD, interval=PERIOD)
        counts.append(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
    return (counts[1] - counts[0]) / 4


def test_a_change_calls_hardly_more_functions_in_a_larger_scene():
    small, large = calls_of_a_change(30), calls_of_a_change(90)
    assert small < 1000
    assert large < 1.1 * small


def test_a_change_evaluates_all_variables_once_before_and_once_after_it(monkeypatch):
    """What is read by components, stored and saved at one point in time is one evaluation."""
    counts, evaluate = [], Machine.evaluate

    def counted(*arguments):
        counts[-1] += 1
        evaluate(*arguments)

    monkeypatch.setattr(Machine, "evaluate", counted)
    for changes in (4, 8):
        simulation = instantiate(our_boxes(10, changes))
        counts.append(0)
        result = simulation.simulate((changes + 1) * PERIOD, interval=PERIOD)
        assert len(result.segments) == changes + 1
    assert counts[1] - counts[0] == 2 * 4


def test_memory_of_many_changes_is_that_of_their_results():
    bodies, used = 10, []
    for changes in (10, 110):
        simulation = instantiate(our_boxes(bodies, changes))
        simulation.simulate(3 * PERIOD, interval=PERIOD)
        tracemalloc.start()
        result = simulation.simulate((changes + 1) * PERIOD, interval=PERIOD)
        used.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(result.segments) == changes + 1
    points, states = 3, 13 * bodies
    tables = 8 * (32 + 8 + 7 * 4) * bodies  # of bodies and frames, for result signals
    assert (used[1] - used[0]) / 100 < 3 * (8 * points * states + tables) + 12_000


def test_the_work_of_a_step_does_not_depend_on_the_number_of_free_bodies():
    """Evaluations, colours and steps are those of one body, so that a step costs as much as its bodies."""
    found = []
    for bodies in (30, 120):
        statistics = instantiate(our_boxes(bodies, 0)).simulate(2.0, interval=2.0).statistics
        found.append([statistics[name] for name in ("steps", "rhs_evaluations", "jacobian_evaluations")])
    assert np.allclose(*found, rtol=0.05, atol=0.0)
    assert found[0][1] < 4 * found[0][0]


def test_a_structure_that_was_there_before_needs_no_new_integrator(monkeypatch):
    """Joined and parted again and again: colours and matrices are those of the first time, also where they are sparse."""
    made = []
    create = pool.create_solver
    monkeypatch.setattr(pool, "create_solver", lambda *arguments: made.append(create(*arguments)) or made[-1])
    result = instantiate(our_boxes(30, 8)).simulate(9 * PERIOD, interval=PERIOD)
    assert len(result.segments) == 9
    assert len(made) == 2


def test_sparsity_is_computed_once_for_each_way_in_which_bodies_hang_together(monkeypatch):
    """Joined boxes have poses that are measured anew each time; what depends on what is as it was."""
    computed, given = [], []
    compute, give = forests.forest_sparsity, forests.Forests.sparsity

    def counted(*arguments):
        computed.append(compute(*arguments))
        return computed[-1]

    def compared(self, forest, forces, near, *more):
        given.append((give(self, forest, forces, near, *more), compute(forest, forces, self._exchange, near)))
        return given[-1][0]

    monkeypatch.setattr(forests, "forest_sparsity", counted)
    monkeypatch.setattr(forests.Forests, "sparsity", compared)
    instantiate(our_boxes(30, 8)).simulate(9 * PERIOD, interval=PERIOD)
    assert len(given) == 9
    assert len(computed) == 2
    for remembered, fresh in given:
        assert np.array_equal(remembered.starts, fresh.starts)
        assert np.array_equal(remembered.columns, fresh.columns)


@pytest.mark.parametrize(("solver", "asks"), [("cvode", True), ("adams", False), ("chebyshev", False)])
def test_only_integrators_with_a_jacobian_ask_for_its_sparsity(monkeypatch, solver, asks):
    given, give = [], forests.Forests.sparsity
    monkeypatch.setattr(forests.Forests, "sparsity", lambda *arguments: given.append(give(*arguments)) or given[-1])
    instantiate(our_boxes(30, 2)).simulate(3 * PERIOD, interval=PERIOD, solver=solver)
    assert bool(given) == asks


def test_forests_of_structures_that_come_again_are_kept_once():
    """Parted boxes have the structure they had before, to the last bit: their segments share its arrays."""
    simulation = instantiate(our_boxes(10, 8))
    result = simulation.simulate(9 * PERIOD, interval=PERIOD)
    parted = {id(result.segment(k).layouts[""].names._forest) for k in (3, 5, 7, 9)}
    assert len(parted) == 1
