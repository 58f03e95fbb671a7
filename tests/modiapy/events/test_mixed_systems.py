"""Linear systems whose coefficients depend on modes, which depend on the solution; machine code beside the interpreter."""

import numpy as np
import pytest
from scipy.linalg import expm

from modiapy import Clock, Map, Model, ModelError, Var, When, instantiate
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.interpreter.interpreter import interpret

pytestmark = pytest.mark.white_box

Pin = Model(v=Var(potential=True), i=Var(flow=True))
TwoPin = Model(p=Pin, n=Pin, v=Var(), i=Var(), equations=["v = p.v - n.v", "0 = p.i + n.i", "i = p.i"])
Resistor = TwoPin | Model(R=1.0, equations=["v = R*i"])
Sine = TwoPin | Model(V=10.0, equations=["v = V*sin(2*pi*time)"])
Ground = Model(p=Pin, equations=["p.v = 0"])
Diode = TwoPin | Model(
    R_on=1e-5,
    G_off=1e-5,
    s=Var(),
    off=Var(type="Boolean"),
    equations=["off = s < 0", "v = s*(1 if off else R_on)", "i = s*(G_off if off else 1)"],
)
BRIDGE = [
    ("source.p", "inner.p"),
    ("inner.n", "d1.p", "d2.n"),
    ("source.n", "d3.p", "d4.n"),
    ("d1.n", "d3.n", "load.p"),
    ("d2.p", "d4.p", "load.n", "ground.p"),
]
Bridge = Model(
    source=Sine, inner=Resistor | Map(R=0.5), load=Resistor | Map(R=10.0), ground=Ground,
    d1=Diode, d2=Diode, d3=Diode, d4=Diode, connect=BRIDGE,
)  # fmt: skip


def test_bridge_of_ideal_diodes():
    result = instantiate(Bridge).simulate(2.0)
    current = abs(10.0 * np.sin(2 * np.pi * result.time)) / 10.5
    assert result["load.i"] == pytest.approx(current, abs=2e-3)
    conducting = sum(result[f"d{k}.off"] == 0.0 for k in (1, 2, 3, 4))
    away = current > 1e-3
    assert set(conducting[away]) == {2}


def test_many_diodes_in_series_and_parallel_settle_together():
    n = 12
    parts = {f"d{k}": Diode for k in range(n)} | {f"r{k}": Resistor | Map(R=1.0 + k) for k in range(n)}
    chain = [(f"d{k}.n", f"d{k + 1}.p", f"r{k}.p") for k in range(n - 1)] + [(f"d{n - 1}.n", f"r{n - 1}.p")]
    ground = ("source.n", "ground.p", *(f"r{k}.n" for k in range(n)))
    model = Model(source=Sine, ground=Ground, connect=[("source.p", "d0.p"), *chain, ground], **parts)
    result = instantiate(model).simulate(1.0)
    voltage = np.maximum(10.0 * np.sin(2 * np.pi * result.time), 0.0)
    assert result[f"r{n - 1}.v"] == pytest.approx(voltage, abs=2e-2)
    assert result.statistics["events"] <= 4


def test_modes_that_leave_the_equations_singular_are_passed_over():
    # without any resistance an open switch and a blocking diode leave the current of the inductor no path
    ideal = Map(R_on=0.0, G_off=0.0)
    switch = TwoPin | Model(
        s=Var(),
        opened=Var("time >= 1", type="Boolean"),
        equations=["v = s*(1 if opened else 0)", "i = s*(0 if opened else 1)"],
    )
    inductor = TwoPin | Model(L=2.0, equations=["L*der(i) = v"]) | Map(i=Var(init=0.0))
    model = Model(
        source=TwoPin | Model(equations=["v = 6"]), ground=Ground, switch=switch, diode=Diode | ideal,
        R=Resistor | Map(R=3.0), L=inductor,
        connect=[("source.p", "switch.p"), ("switch.n", "diode.n", "R.p"), ("R.n", "L.p"),
                 ("source.n", "diode.p", "L.n", "ground.p")],
    )  # fmt: skip
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    t = result.time
    charged = 2.0 * (1.0 - np.exp(-1.5 * np.minimum(t, 1.0)))
    assert result["L.i"] == pytest.approx(charged * np.exp(-1.5 * np.maximum(t - 1.0, 0.0)), abs=1e-6)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_events_in_both_modes_of_integration(mode):
    ball = Model(
        h=Var(init=1.0), v=Var(init=0.0), equations=["der(h) = v", "der(v) = -9.81", When("h < 0", ["reinit(v, -0.5*pre(v))"])]
    )
    result = instantiate(ball).simulate(1.0, mode=mode, tolerance=1e-9)
    fall = np.sqrt(2 / 9.81)
    s = 1.0 - fall if 2 * fall > 1.0 else 1.0 - 2 * fall
    speed = 0.5 * 9.81 * fall * (1.0 if 2 * fall > 1.0 else 0.5)
    assert result["h"][-1] == pytest.approx(speed * s - 0.5 * 9.81 * s**2, abs=1e-6)


def test_sampled_speed_control_of_a_mass_with_spring_and_damper():
    # exact discretisation of the plant by the matrix exponential
    model = Model(
        m=2.0, d=1.0, c=3.0, k=4.0, clk=Clock(0.2), x=Var(init=0.1), v=Var(init=0.0), f=Var(), u=Var(init=0.0), vs=Var(),
        equations=["der(x) = v", "m*der(v) = f - d*v - c*x", "vs = sample(v, clk)", "u = k*(1 - vs)", "f = hold(u)"],
    )  # fmt: skip
    result = instantiate(model).simulate(3.0, tolerance=1e-10)
    a = np.array([[0.0, 1.0, 0.0], [-1.5, -0.5, 0.5], [0.0, 0.0, 0.0]])
    step, z = expm(0.2 * a), np.array([0.1, 0.0, 0.0])
    for n in range(15):
        z[2] = 4.0 * (1.0 - z[1])
        row = np.flatnonzero(np.isclose(result.time, 0.2 * n, rtol=0, atol=1e-9))[-1]
        assert [result[name][row] for name in ("x", "v", "f")] == pytest.approx(z, abs=1e-7)
        z = step @ z


def test_machine_code_agrees_with_the_interpreter():
    rules = When(["x > 0.3", "b"], ["n = pre(n) + 2*y"], elsewhen=[("y > 1", ["n = -1"])])
    model = Model(
        x=Var(init=0.0), b=Var(type="Boolean"), n=Var(init=1.0), y=Var(),
        equations=["der(x) = 1 - n*x", "y = 3*x + (1 if b else 0)", "b = after(0.4) and pre(n) > 0", rules],
    )  # fmt: skip
    simulation = instantiate(model)
    model = simulation.sorted
    context = ModelContext(simulation.compiled)
    rng = np.random.default_rng(1)
    for _ in range(20):
        context.modes[:] = rng.integers(0, 2, context.modes.size)
        context.after[:] = rng.integers(0, 2, context.after.size)
        context.pre[:] = rng.integers(0, 2, context.pre.size)
        t, x, der = rng.uniform(), rng.uniform(size=1), np.zeros(1)
        given = {"modes": context.modes.tolist(), "after": context.after.tolist(), "memory": context.pre.tolist()}
        expected = interpret(model, t, x, {}, **given)
        assert context.evaluate(t, x, der, np.zeros(9), 2) == 0
        values = dict(zip(model.unknowns, context.unknowns, strict=True))
        assert values == pytest.approx({name: expected[name] for name in model.unknowns})


def test_merging_other_when_clauses_at_simulate_is_refused():
    model = Model(x=Var(init=0.0), n=Var(init=0.0), equations=["der(x) = 1", When("x > 0.5", ["n = 1"])])
    simulation = instantiate(model)
    with pytest.raises(ModelError, match="changes the structure") as error:
        simulation.simulate(1.0, merge=Map(equations=[When("x > 0.7", ["reinit(x, 0)"])]))
    assert "is new" in error.value.found


def test_a_printed_model_reads_like_what_was_written():
    text = str(Model(n=Var(init=0.0), equations=["a = b", When("x > 0.5", ["n = 1"], elsewhen=[("y", ["n = 2"])])]))
    assert "When('x > 0.5', ['n = 1'], elsewhen=[('y', ['n = 2'])])," in text
