"""No dependence of derivatives or residuals on states and their derivatives is missed, for random equations."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Model, Var, instantiate
from modiapy.simulation.evaluation.machine import Machine

from ..symbolic.random_daes import RandomDae

pytestmark = pytest.mark.white_box

MOVED, SEEN = 1e-3, 1e-9


def exact(dae, name, order):
    if name.startswith("multiplier"):
        return 0.0
    return dae.exact("der(" * order + name + ")" * order, 0.1)


def outside(evaluated, points, incidence):
    """Entries of the Jacobian that the incidence lacks: what changes where one of the values does."""
    known = set(zip(incidence.rows.tolist(), incidence.columns.tolist(), strict=True))
    before, missed = evaluated(*points), set()
    for values in points:
        for k in range(values.size):
            values[k] += MOVED
            missed |= {(int(row), k) for row in np.flatnonzero(np.abs(evaluated(*points) - before) > SEEN)} - known
            values[k] -= MOVED
    return missed


@settings(max_examples=12)
@given(seed=st.integers(0, 10**9), parts=st.integers(0, 3), kind=st.sampled_from(("index_two", "index_three", "second_order")))
def test_the_incidence_has_all_that_residuals_and_derivatives_depend_on(seed, parts, kind):
    dae = RandomDae(random.Random(seed)).build(parts)
    getattr(dae, kind)()
    declared = {name: Var(**fields) for name, fields in dae.variables().items()}
    sim = instantiate(Model(**dae.parameters, **declared, equations=dae.equations))
    if not sim.states:
        return
    machine = Machine(sim.compiled, sim.flat)
    x = np.array([exact(dae, name, 0) for name in sim.states])
    n = x.size
    machine.enter_segment({}, n, machine.n_relations)
    problem = machine.problem(n, machine.n_relations)

    def derivatives(values):
        out = np.zeros(n)
        assert problem.rhs(0.1, values, out) == 0
        return out

    if problem.incidence is not None and not sim.sorted.constraints:
        assert not outside(derivatives, [x], problem.incidence)
    if sim.compiled.has_residuals:
        dae_problem = machine.problem(n, machine.n_relations, dae=True)
        rates = np.array([exact(dae, name, 1) for name in sim.states])

        def residuals(values, slopes):
            out = np.zeros(n)
            assert dae_problem.residual(0.1, values, slopes, out) == 0
            return out

        assert np.abs(residuals(x, rates)).max() < 1e-7
        if dae_problem.incidence is not None:
            assert not outside(residuals, [x, rates], dae_problem.incidence)
