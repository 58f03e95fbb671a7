"""Random differential-algebraic equations with a known solution: what the passes make of them has this solution."""

import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modiapy import Model, Var, instantiate
from modiapy.flat import sort_model
from modiapy.model.expression import evaluate
from modiapy.symbolic.interpreter.interpreter import interpret

from .flat_models import flat_model
from .random_daes import RandomDae, values_of
from .sorted_models import Run

pytestmark = pytest.mark.white_box

seeds = st.integers(0, 10**9)


def agree(values, expected, tolerance):
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, rel=tolerance, abs=tolerance), name


def at(dae, model, t):
    """What the interpreter computes from the states that the solution has at time t."""
    states = [0.0 if name.startswith("multiplier") else dae.exact(name, t) for name in model.states]
    guesses = {name: wave.value(t) + 0.01 for name, wave in dae.waves.items()}
    after = [float(t >= evaluate(e, dae.parameters)) for e in model.time_events]
    return states, interpret(model, t, states, dae.parameters, guesses=guesses, after=after)


@settings(max_examples=120)
@given(seed=seeds, parts=st.integers(1, 5))
def test_every_variable_and_derivative_has_its_value(seed, parts):
    """At an instant with the states that the solution has there."""
    dae = RandomDae(random.Random(seed)).build(parts)
    model = sort_model(flat_model(dae.equations, dae.variables(), dae.parameters))
    for t in (0.1, 0.7):
        _, values = at(dae, model, t)
        agree(values, values_of(dae, values, t), 1e-7)


@settings(max_examples=15)
@given(seed=seeds, parts=st.integers(1, 5))
def test_machine_code_computes_the_same(seed, parts):
    dae = RandomDae(random.Random(seed)).build(parts)
    model = sort_model(flat_model(dae.equations, dae.variables(), dae.parameters))
    states, values = at(dae, model, 0.1)
    got = Run(model).outputs(0.1, states)
    for name, value in got.items():
        assert value == pytest.approx(values[name], rel=1e-9, abs=1e-9), name


@settings(max_examples=20)
@given(seed=seeds, parts=st.integers(1, 4), given_=st.sampled_from(("start", "init")))
@example(seed=25, parts=4, given_="init")  # a state times the time, which is 0
@example(seed=15, parts=4, given_="init")  # a square has two roots
def test_the_solution_is_found_from_its_initial_values(seed, parts, given_):
    """Whether these are ``start`` or ``init`` of all variables; none of them is refused."""
    dae = RandomDae(random.Random(seed)).build(parts)
    declared = {
        n: Var(**{given_ if k == "start" else k: v for k, v in entries.items()}) for n, entries in dae.variables().items()
    }
    speeds = [f"der({name}) = {dae.waves[name].value(0.0, 1)!r}" for name in dae.unnamed]
    model = Model(**dae.parameters, **declared, equations=dae.equations, initial_equations=speeds)
    result = instantiate(model).simulate(1.0, tolerance=1e-8)
    for name in dae.waves:
        exact = [dae.exact(name, t) for t in result.time]
        np.testing.assert_allclose(result[name], exact, atol=1e-4, err_msg=name)
