"""Random hybrid programs against a slow interpreter of the language's rules."""

import random
import re

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from modiapy import Model, Var, When, instantiate

from .random_programs import AFTER, Interpreter, RandomProgram, TooMany

STOP = 2.05
"""No instant of a sample."""


def check_printed(program: RandomProgram, written: str, printed: str) -> None:
    """All samples, clocks and re-initialisations are listed among what makes events, and no others."""
    used = {f"{start:g}, {interval:g}" for start, interval in program.samples if f"sample({start!r}, {interval!r})" in written}
    assert set(re.findall(r"^  every sample\((.*)\)$", printed, re.M)) == used
    assert len(re.findall(r"^  every \S*clock$", printed, re.M)) == bool(program.clock)
    reinits = sorted(name for when in program.whens for branch in when for name in branch.reinits)
    assert sorted(re.findall(r"^  reinit\((?:s\.s\.)?(\w+), .* where ", printed, re.M)) == reinits


@settings(max_examples=40, phases=(Phase.explicit, Phase.generate))
@example(seed=51150473, parts=7, mode="dae", nested=False)  # what is observed jumps where the clock ticks
@example(seed=1349, parts=9, mode="ode", nested=False)  # after the initial event a state gets a new value at once
@given(seed=st.integers(0, 10**9), parts=st.integers(2, 12), mode=st.sampled_from(("ode", "dae")), nested=st.booleans())
def test_all_variables_have_their_values_between_all_events(seed: int, parts: int, mode: str, nested: bool) -> None:
    program = RandomProgram(random.Random(seed)).build(parts)
    try:
        stretches = Interpreter(program).run(STOP)
    except TooMany:
        return
    model = program.model()
    sim = instantiate(Model(s=Model(s=model)) if nested else model)
    result = sim.simulate(STOP, interval=0.037, mode=mode, tolerance=1e-8)
    check_printed(program, repr(model), str(sim.sorted))
    prefix, t = "s.s." if nested else "", result.time
    instants = t[np.flatnonzero(np.diff(t) == 0.0)]
    begins = np.array([stretch.begin for stretch in stretches])
    assert all(np.abs(begins - instant).min() < 1e-6 for instant in instants), "what makes no event has made one"
    assert result.statistics["events"] < len(stretches)
    for stretch in stretches:
        rows = np.flatnonzero((t > stretch.begin + 1e-6) & (t < stretch.end - 1e-6))
        rows = np.append(np.flatnonzero(np.abs(t - stretch.begin) <= 1e-6)[-1:], rows)
        expected = [stretch.at(max(t[k], stretch.begin) + AFTER) for k in rows]
        just_before = stretch.at(stretch.begin - 1e-7)
        for name in program.kinds:
            got, wanted = result[prefix + name][rows], np.array([values[name] for values in expected])
            if name in program.observed and len(rows) and abs(got[0] - just_before[name]) < 1e-5:
                wanted[0] = got[0]  # what is only observed may jump by rounding where an event is
            np.testing.assert_allclose(got, wanted, atol=1e-5, err_msg=f"{name} in {model}")


def test_what_follows_from_the_initial_event_gives_states_new_values() -> None:
    """``u`` becomes false when ``pre(l)`` does, which is in the iteration after the initial event."""
    values = {"l": Var("time > 1", type="Boolean", init=True), "u": Var("pre(l)", type="Boolean", init=True)}
    model = Model(x=Var(init=0.0), **values, equations=["der(x) = 1", When("not u", ["reinit(x, 5)"])])
    assert instantiate(model).simulate(0.5)["x"][0] == 5.0


@pytest.mark.parametrize("before", [-5, 0, 1, 3])
@pytest.mark.parametrize("value", ["floor(x)", "1 if x >= 1 else 0"])
def test_the_first_value_of_pre_makes_one_change(value: str, before: int) -> None:
    """Whatever it is: nothing was in between."""
    k, n = Var(value, type="Integer", init=before), Var(type="Integer", init=0)
    model = Model(x=Var(init=0.2), k=k, n=n, equations=["der(x) = 1", "n = pre(n) + (1 if change(k) else 0)"])
    assert instantiate(model).simulate(0.5)["n"][0] == (before != 0)
