"""Where equations stand in a model, and when a simulation begins, changes names and times, and nothing else; so with errors."""

import functools
import re

import numpy as np
import pytest

from modiapy import Assert, Clock, Function, Map, Model, SimulationError, Table1D, Var, When, instantiate
from tests.everything import assert_close, assert_same_values, changed, told, units, values

from .test_segments import between_bodies

STOP, OPTIONS = 1.5, {"interval": 0.1, "tolerance": 1e-8}
BEGIN = 1.0 - 2.0**-8
TIMES = ("start", "time", "stop_time")
STEPS = ("points", "steps", "rhs_evaluations", "jacobian_evaluations", "factorisations", "order")
"""What rounding decides."""

BUSY = Model(
    begin=0.0,
    clock=Clock(0.35),
    curve=Table1D([[0, 0], [1, 2], [3, 1]]),
    between=between_bodies(n=4, max_level=3, refine_above=6.0),
    x=Var(init=1.0, unit="m"),
    v=Var(init=0.0, unit="m/s"),
    h=Var(init=0.5),
    w=Var(init=0.0),
    u=Var("0.3*sin(5*(time - begin))"),
    y=Var(start=0.5),
    s=Var(),
    past=Var("delay(x, 0.2)"),
    vector=Var(init=[1.0, 2.0]),
    sampled=Var(start=0.0, type="Real"),
    held=Var(start=0.0),
    bounces=Var(init=0, type="Integer"),
    ticks=Var(init=0, type="Integer"),
    last=Var(init=0.0),
    equations=[
        "der(x) = v",
        "der(v) = -9*x - 0.1*y + u + (0.5 if x > 0.3 else 0.0) + (1.0 if time - begin > 0.8 else 0.0)",
        "der(h) = w",
        "der(w) = -9.81 + 0.1*past",
        "der(vector) = -vector + [x, held]",
        "y + 0.2*sin(y) + 0.1*y**3 = x",
        "s = curve(x + 1)",
        "sampled = sample(x, clock) + 0.5*previous(sampled)",
        "held = hold(sampled)",
        When("h < 0", ["reinit(w, 0.9*abs(pre(w)))", "bounces = pre(bounces) + 1", "last = x"]),
        When("sample(begin + 0.1, 0.4)", ["ticks = pre(ticks) + 1"]),
    ],
)
"""Events of all kinds, a nonlinear equation, a delay, an array, and a component whose states change in number."""


@functools.cache
def translated():
    return instantiate(BUSY, "Busy")


@functools.cache
def simulated():
    return translated().simulate(STOP, **OPTIONS)


def short(text):
    return text.replace("outer.inner.", "")


def within(model):
    return instantiate(Model(outer=Model(inner=model)), "Busy")


def test_within_other_models_all_names_have_its_path():
    """Bit by bit."""
    alone, result = simulated(), within(BUSY).simulate(STOP, **OPTIONS)
    assert len(alone.segments) > 3
    assert set(alone.statistics["events_by_kind"]) == {"state", "time", "clock"}
    assert_same_values(values(alone), {short(signal): x for signal, x in values(result).items()})
    assert changed(told(result), short) == told(alone)
    assert {short(signal): unit for signal, unit in units(result).items()} == units(alone)


def test_at_another_time_all_times_are_others():
    first, later = simulated(), translated().simulate(BEGIN + STOP, start_time=BEGIN, merge=Map(begin=BEGIN), **OPTIONS)

    def moved(result, begin):
        def number(key, x):
            return x - begin if key in TIMES and isinstance(x, float) else 0 if key in STEPS else x

        return changed(told(result), str, number)

    assert_close(moved(first, 0.0), moved(later, BEGIN), 1e-6)
    one, other = ({name: x for name, x in values(result).items() if name != "begin"} for result in (first, later))
    other["time"] = other["time"] - BEGIN
    for name, expected in one.items():
        np.testing.assert_allclose(other[name], expected, rtol=1e-5, atol=1e-5, err_msg=name)


def fails(x):
    if x > 0.5:
        raise ValueError("too large")
    return x


RAMP = {"begin": 0.0, "x": Var(init=0.0), "y": Var()}
FAILING = {
    "a root of what is negative": Model(**RAMP, equations=["der(x) = 1 + y", "y = sqrt(0.5 - x)"]),
    "no solution": Model(**RAMP | {"y": Var(start=0.4)}, equations=["der(x) = 1 + 0*y", "y**2 = 0.5 - x"]),
    "an assertion": Model(**RAMP, equations=["der(x) = 1", "y = x", Assert("y < 0.5", "too far")]),
    "a state that grows": Model(**RAMP, equations=["der(x) = 1/(0.5 - x)**2", "y = x"]),
    "faster and faster": Model(
        h=Var(init=0.1), v=Var(init=0.0), equations=["der(h) = v", "der(v) = -9.81", When("h < 0", ["reinit(v, -0.5*pre(v))"])]
    ),
    "relations that do not settle": Model(
        **RAMP, p=Var(), equations=["der(x) = 1", "y = (1 if p > 0.5 else 0) if x > 0.5 else 0", "p = (0 if y > 0.5 else 1)"]
    ),
    "a function": Model(**RAMP, f=Function(fails), equations=["der(x) = 1 + f(x)", "y = x"]),
    "a state without a value": Model(**RAMP, equations=["der(x) = 1", "y = x", When("x > 0.5", ["reinit(x, log(-y))"])]),
}


@pytest.mark.parametrize("name", FAILING)
def test_errors_have_the_path_and_the_time_and_say_the_same(name):
    """With the words of the same error elsewhere, and with all points until then."""
    model = FAILING[name]
    alone, inside, later = (
        failure(sim, begin) for sim, begin in ((instantiate(model), 0.0), (within(model), 0.0), (instantiate(model), BEGIN))
    )
    assert words(short(str(inside)).replace("outer.inner: ", "")) == words(str(alone))
    assert inside.path == (f"outer.inner.{alone.path}".removesuffix(".") if alone.path or "outer" in inside.path else "")
    assert type(inside) is type(alone) is type(later)
    assert inside.time == alone.time == pytest.approx(later.time - BEGIN, abs=1e-6)
    for one, other, shift in ((alone, inside, 0.0), (alone, later, BEGIN)):
        assert one.result.status == other.result.status == "failed"
        assert len(one.result.time) == len(other.result.time)
        assert other.result.time - shift == pytest.approx(one.result.time, abs=1e-6)
    assert_same_values(values(alone.result), {short(signal): x for signal, x in values(inside.result).items()})


def words(text):
    """Without the place in this file."""
    return re.sub(r"\S+\.py:\d+: ", "", text)


def failure(sim, begin):
    with pytest.raises(SimulationError) as caught:
        sim.simulate(begin + 1.2, start_time=begin, **OPTIONS)
    return caught.value
