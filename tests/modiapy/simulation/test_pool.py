"""Integrators that wait for the next segment with the same sizes and sparsity do there what new ones would do."""

import numpy as np
import pytest

from benchmarks.switch_scenes import PERIOD, our_boxes
from modiapy import Model, Var, instantiate
from modiapy.simulation.evaluation import problems
from modiapy.simulation.solvers import pool

pytestmark = pytest.mark.white_box

CHANGES = 6


@pytest.fixture(scope="module", params=[3, 14, 26], ids=["dense", "coloured", "sparse"])
def simulation(request):
    """Boxes that are joined and parted, and a relation that changes between the changes of structure and at some of them."""
    switching = {"s": Var(init=0.0), "equations": ["der(s) = 1 - s if sin(314.1592653589793*time) > 0 else -1"]}
    return instantiate(Model(scene=our_boxes(request.param, CHANGES), **switching))


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_results_are_the_same_bits_with_integrators_that_are_used_again_and_with_new_ones(simulation, mode):
    made, results = [], []
    create = pool.create_solver
    for capacity in (pool.CAPACITY, 0):
        count = [0]

        def counted(*arguments, count=count):
            count[0] += 1
            return create(*arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pool, "CAPACITY", capacity)
            patch.setattr(pool, "create_solver", counted)
            results.append(simulation.simulate((CHANGES + 1) * PERIOD, interval=PERIOD / 3, tolerance=1e-7, mode=mode))
        made.append(count[0])
    again, new = results
    assert made == [2, CHANGES + 1]  # one for each of both structures
    assert again.statistics["steps"] == new.statistics["steps"] > 20
    assert [record.steps for record in again.segments] == [record.steps for record in new.segments]
    assert np.array_equal(again.time, new.time)
    for index in range(1, CHANGES + 2):
        assert np.array_equal(again.segment(index).x, new.segment(index).x)


@pytest.mark.parametrize("most", [2, pool.CAPACITY])
@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_results_are_the_same_bits_where_an_integrator_gets_the_matrix_of_another_problem(simulation, mode, most, monkeypatch):
    """Every structure counts as new; those that have the size of one before take its integrator."""
    monkeypatch.setattr(problems, "_same", lambda *_: False)
    made, results = [], []
    create = pool.create_solver
    for capacity in (most, 0):
        monkeypatch.setattr(pool, "CAPACITY", capacity)
        monkeypatch.setattr(pool, "create_solver", lambda *arguments: made.append(arguments) or create(*arguments))
        results.append(simulation.simulate((CHANGES + 1) * PERIOD, interval=PERIOD / 3, tolerance=1e-7, mode=mode))
        monkeypatch.setattr(pool, "create_solver", create)
    taken, new = results
    assert len(made) == 2 + CHANGES + 1  # one for each of both sizes, and all of the second run
    for name in ("steps", "rhs_evaluations", "jacobian_evaluations"):
        assert taken.statistics[name] == new.statistics[name]
    for index in range(1, CHANGES + 2):
        assert np.array_equal(taken.segment(index).x, new.segment(index).x)
