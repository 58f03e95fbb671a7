"""Where a `Model3D` stands in a model, when it begins and what else is there changes names and times, and nothing else."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from modiapy import Model, instantiate, read_result
from tests.everything import assert_close, assert_same_values, changed, told, units, values
from tests.modia3d.engine.busy_scenes import OPTIONS, SCENES, STOP, simulated, translated

BEGIN = 1.0 - 2.0**-8
"""A start time [s]; all times after it are rounded otherwise."""
TIMES = ("start", "time", "begin", "end", "stop_time")
STEPS = ("points", "steps", "rhs_evaluations", "jacobian_evaluations", "projections", "order")
"""What rounding decides."""


@pytest.mark.parametrize("name", SCENES)
def test_within_other_models_all_names_have_its_path(name):
    """Bit by bit; those of signals, in what events and programs tell, in tables."""
    alone = simulated(name)
    within = instantiate(Model(outer=Model(inner=SCENES[name]())), "Scene").simulate(STOP, **OPTIONS)

    def short(text):
        return text.replace("outer.inner.", "")

    own = [signal.removeprefix("der(") for signal in within if signal != "time"]
    assert all(signal.startswith("outer.inner.") for signal in own)
    assert_same_values(values(alone), {short(signal): x for signal, x in values(within).items()})
    assert changed(told(within), short) == told(alone)
    assert {short(signal): unit for signal, unit in units(within).items()} == units(alone)


@pytest.mark.parametrize("name", SCENES)
def test_at_another_time_all_times_are_others(name):
    """Nothing in the scenes depends on time but the program, which begins with the simulation."""
    first, later = simulated(name), translated(name).simulate(BEGIN + STOP, start_time=BEGIN, **OPTIONS)

    def moved(result, begin):
        def number(key, x):
            return x - begin if key in TIMES and isinstance(x, float) else 0 if key in STEPS else x

        return changed(told(result), str, number)

    assert_close(moved(first, 0.0), moved(later, BEGIN), 1e-5)
    for record in first.segments:
        one, other = first.segment(record.index), later.segment(record.index)
        for signal in one.signals():
            for end in (0, -1):
                expected, found = one[signal][end], other[signal][end] - (BEGIN if signal == "time" else 0.0)
                assert found == pytest.approx(expected, rel=1e-3, abs=1e-3, nan_ok=True), (record, signal, end)


@pytest.mark.parametrize("name", SCENES)
@settings(max_examples=1, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.floats(0.3, 0.9))
def test_saved_and_gone_on_with_it_tells_the_same(tmp_path, name, part):
    """All that the run tells that was never interrupted, in a file that both parts write to."""
    sim, whole, file = translated(name), simulated(name), tmp_path / "result.h5"
    sim.simulate(part * STOP, output=file, save=tmp_path / "snapshot", **OPTIONS)
    sim.restore(tmp_path / "snapshot")
    sim.simulate(STOP, output=file)
    continued = read_result(file, sim)
    assert told(continued) == told(whole)
    assert_same_values(values(whole), values(continued))


@pytest.mark.parametrize("name", SCENES)
def test_two_of_them_in_one_model_do_the_same(name):
    """What belongs to one of them is nothing to the other one: states, indicators, memory, what programs wait for."""
    twins = instantiate(Model(one=SCENES[name](), two=SCENES[name]()), "Twins").simulate(STOP, **OPTIONS)
    own = {signal for signal in twins if signal.removeprefix("der(").startswith("one.")}
    assert len(own) == len(simulated(name).signals()) - 1
    for segment in (twins.segment(record.index) for record in twins.segments):
        if segment.time[0] < segment.time[-1]:  # else one of them has changed, and the other one not yet
            for signal in own & set(segment.signals()):
                other = segment[f"two.{signal[4:]}" if signal.startswith("one.") else f"der(two.{signal[8:]}"]
                np.testing.assert_allclose(other, segment[signal], rtol=1e-6, atol=1e-6, err_msg=signal)
    for rows in (twins.program_log, twins.contacts):
        one = [entry for entry in rows if "one." in str(entry)]
        assert_close(changed(one, partial(re.sub, r"\bone\.", "two.")), [entry for entry in rows if "two." in str(entry)])
