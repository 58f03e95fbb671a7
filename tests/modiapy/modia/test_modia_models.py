"""Behaviours that the tests of Modia.jl (repository ModiaSim/Modia.jl, ``test``) expect, with the final states stated there.

The rest of that list is elsewhere: TestArrays, TestStateSpace, TestLinearSystems in ``arrays``, TestSingularLRRL and the
symbolic tests in ``symbolic``, TestCauerLowPassFilter in ``reference``, TestHeatTransfer2 in ``arrays/test_rod.py``,
TestUnits in ``flat``.
Measurements and Monte Carlo simulation of uncertain parameters are features of Julia's number types, not of the language.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from modiapy import Clock, Function, Map, Model, ModelError, Par, SimulationError, Var, instantiate
from modiapy.library import electric, heat_transfer, rotational
from modiapy.library.paths import ptp_path

FirstOrder = Model(T=0.2, x=Var(init=0.3), u=Var("sin(time)"), y=Var("2*x"), equations=["T*der(x) + x = u"])


def test_first_order_with_function_and_output() -> None:
    """TestFirstOrder, TestParameter, TestExtraSimulateKeywordArguments (what a function needs is an argument of it)."""
    model = FirstOrder | Model(gain=1.0, signal=Function(lambda t, gain: gain * math.sin(t)), u=Var("signal(time, gain)"))
    result = instantiate(model).simulate(10.0, tolerance=1e-8)
    assert result["x"][-1] == pytest.approx(-0.3617373025974107, abs=1e-6)
    assert result["y"][-1] == 2.0 * result["x"][-1]


def test_merge_before_and_at_the_simulation() -> None:
    """TestFirstOrder2: T = 0.2, 0.3, 0.4 and x = 0.3, 0.6, 0.9; the last ones count."""
    sim = instantiate(FirstOrder | Map(T=0.3, x=Map(init=0.6)))
    result = sim.simulate(10.0, tolerance=1e-8, merge=Map(T=0.4, x=Map(init=0.9)))
    assert result["x"][-1] == pytest.approx(-0.17964872595554535, abs=1e-6)
    assert (sim.parameter("T"), sim.start("x")) == (0.4, 0.9)
    assert sim.simulate(0.1)["x"][0] == 0.6
    assert (sim.parameter("T"), sim.start("x")) == (0.3, 0.6)


def test_variables_and_parameters_with_attributes() -> None:
    """TestVariables, TestVar, TestDeclarations: attributes are merged, the order of merging does not matter."""
    assert Var(input=True) | Var(nominal=10.0) | Var(init=5.0) == Var(init=5.0, input=True, nominal=10.0)
    assert Par(5.0) | Par(description="a parameter", min=0.0) == Par(5.0, min=0.0, description="a parameter")
    assert Par(5.0) | Map(value=6.0) == Par(6.0)
    model = Model(p=Par(-1.0, description="a parameter"), s=Par("text", type="String"), x=Var(init=0.0))
    sim = instantiate(model | Model(y=Var(start=0.0), equations=["der(x) = p*x + 1", "y = x"]))
    assert sim.simulate(1.0, tolerance=1e-9)["x"][-1] == pytest.approx(1.0 - math.exp(-1.0), abs=1e-7)
    result = sim.simulate(1.0, tolerance=1e-9, merge=Map(p=-2.0, x=Map(init=2.0)))
    assert result["x"][-1] == pytest.approx(2.0 - 1.5 * (1.0 - math.exp(-2.0)), abs=1e-7)
    assert sim.parameter("s") == "text"


TwoInertias = Model(
    J1=0.0025,
    J2=170.0,
    r=105.0,
    tau_max=1.0,
    phi1=Var(),
    w1=Var(),
    tau=Var("tau_max if time < 1 else (0 if time < 2 else (-tau_max if time < 3 else 0))"),
    tau1=Var(),
    tau2=Var(),
    phi2=Var(init=0.5),
    w2=Var(init=0.0),
    equations=[
        "w1 = der(phi1)",
        "J1*der(w1) = tau - tau1",
        "phi1 = r*phi2",
        "r*tau1 = tau2",
        "w2 = der(phi2)",
        "J2*der(w2) = tau2",
    ],
)


def test_two_inertias_and_ideal_gear() -> None:
    """TestTwoInertiasAndIdealGear, ...WithUnits: index reduction, and which variables are the states."""
    sim = instantiate(TwoInertias)
    assert set(sim.states) == {"phi2", "w2"}
    result = sim.simulate(4.0, tolerance=1e-8)
    way = 2.0 * 105.0 / (170.0 + 105.0**2 * 0.0025)  # 1 s each of acceleration, constant speed and deceleration
    assert result["phi2"][-1] == pytest.approx(0.5 + way, abs=1e-6)
    assert result["phi2"][-1] == pytest.approx(1.5628074713622309, abs=2e-4)  # as Modia's test says, less exactly
    assert result["w2"][-1] == pytest.approx(0.0, abs=1e-6)
    assert result.statistics["events_by_kind"] == {"time": 3}


def test_too_many_initial_values_are_refused() -> None:
    """TestTwoInertiasAndIdealGear with all four variables initialised, and TestStateSelection's absolute damper."""
    with pytest.raises(SimulationError, match=r"phi2: .* contradicts .*found init=0.5; expected 0.0") as error:
        instantiate(TwoInertias | Map(phi1=Map(init=0.0), w1=Map(init=1.0))).simulate(4.0)
    assert "Remove this init" in str(error.value)
    fits = TwoInertias | Map(phi1=Map(init=52.5), w1=Map(init=0.0))
    assert instantiate(fits).simulate(0.1)["phi1"][0] == 52.5


def test_two_coupled_inertias_choose_the_states_that_are_wanted() -> None:
    """TestStateSelection: the variables declared first, or those that ``state_select`` prefers."""
    model = Model(
        J1=1.0,
        J2=1.0,
        phi1=Var(start=1.0),
        w1=Var(start=0.0),
        phi2=Var(start=0.0),
        w2=Var(start=0.0),
        tau1=Var(),
        tau2=Var(),
        equations=[
            *("w1 = der(phi1)", "J1*der(w1) = tau1", "w2 = der(phi2)", "J2*der(w2) = tau2"),
            *("phi2 = phi1", "tau1 + tau2 = 0"),
        ],
    )
    assert set(instantiate(model).states) == {"phi1", "w1"}


def test_a_nonlinear_variable_may_be_the_state() -> None:
    """The nonlinear equation is inverted by Newton iteration; what it says stays true."""
    model = Model(x=Var(init=1.0), y=Var(state_select="always"), equations=["der(x) = -x", "y = exp(x) + x"])
    sim = instantiate(model)
    assert sim.states == ("y",)
    result = sim.simulate(2.0, tolerance=1e-9)
    np.testing.assert_allclose(result["x"], np.exp(-result.time), atol=1e-7)
    np.testing.assert_allclose(result["y"], np.exp(result["x"]) + result["x"], rtol=1e-9)


def test_an_angle_may_be_the_state_of_a_pendulum_in_cartesian_coordinates() -> None:
    """Static selection where the constraint is nonlinear in all variables; the energy stays."""
    model = Model(
        x=Var(),
        y=Var(),
        vx=Var(),
        vy=Var(),
        force=Var(),
        phi=Var(init=1.2, state_select="always"),
        w=Var("der(phi)", init=0.0),
        E=Var("(vx**2 + vy**2)/2 + 9.81*y"),
        equations=[
            *("der(x) = vx", "der(y) = vy", "der(vx) = -force*x", "der(vy) = -force*y - 9.81"),
            *("x = 2*sin(phi)", "y = -2*cos(phi)"),
        ],
    )
    sim = instantiate(model)
    assert set(sim.states) == {"phi", "w"} or set(sim.states) == {"phi", "der(phi)"}
    result = sim.simulate(5.0, tolerance=1e-9)
    assert np.ptp(result["E"]) < 1e-5
    assert result["phi"].min() == pytest.approx(-1.2, abs=1e-3)


def test_state_events() -> None:
    """TestSimpleStateEvents: a spring force on one side only."""
    model = Model(
        fmax=1.5,
        m=1.0,
        k=1.0,
        d=0.1,
        s=Var(init=2.0),
        v=Var(init=0.0),
        positive_s=Var("positive(s)"),
        f=Var("0 if positive_s else fmax"),
        equations=["v = der(s)", "m*der(v) + d*v + k*s = f"],
    )
    result = instantiate(model).simulate(10.0, tolerance=1e-8)
    assert result["s"][-1] == pytest.approx(1.1756992201144405, abs=1e-5)
    assert result["v"][-1] == pytest.approx(-0.5351307571761175, abs=1e-5)


def test_time_events_at_a_time_that_is_a_parameter() -> None:
    """TestFirstOrder2's step in hours, TestSource's sine."""
    model = Model(T=2.0, t1=1.5, x=Var(init=1.0), u=Var("1 if after(t1) else 0"), equations=["T*der(x) + x = u"])
    x = instantiate(model).simulate(10.0, tolerance=1e-9)["x"][-1]
    assert x == pytest.approx(1.0 + (math.exp(-0.75) - 1.0) * math.exp(-4.25), abs=1e-7)
    source = instantiate(Model(f=2.0, y=Var("sin(2*pi*f*time)"))).simulate(1.0)
    np.testing.assert_allclose(source["y"], np.sin(4.0 * np.pi * source.time), atol=1e-12)


Vehicle = Model(
    m=1.0,
    k=0.0,
    d=0.1,
    x=Var(init=0.0),
    v=Var(init=5.0),
    f=Var(),
    equations=["der(x) = v", "m*der(v) = f - k*x - d*v"],
)


def test_speed_control_with_a_clock() -> None:
    """TestSynchronous: a P controller sampled with 0.1 s."""
    control = Vehicle | Model(
        clock=Clock(0.1),
        K=5.0,
        vref=100.0,
        vd=Var(start=0.0),
        u=Var(start=0.0),
        equations=["vd = sample(v, clock)", "u = K*(vref - vd)", "f = hold(u)"],
    )
    result = instantiate(control).simulate(1.5, tolerance=1e-8)
    assert result["x"][-1] == pytest.approx(133.3845202465569, rel=1e-5)
    assert result["v"][-1] == pytest.approx(98.03694943140056, rel=1e-5)


def test_speed_control_with_the_memory_of_an_integrator() -> None:
    """TestSynchronous: a PI controller; ``previous`` begins with the start value."""
    control = Vehicle | Model(
        clock=Clock(0.1),
        K=5.0,
        Ti=2.0,
        vref=100.0,
        vd=Var(),
        e=Var(),
        u=Var(),
        sum_e=Var(start=10.0),
        equations=[
            *("vd = sample(v, clock)", "e = vref - vd", "sum_e = previous(sum_e, clock) + e"),
            *("u = K*(e + sum_e/Ti)", "f = hold(u)"),
        ],
    )
    result = instantiate(control).simulate(1.5, tolerance=1e-8)
    x, v, total, decay = 0.0, 5.0, 10.0, math.exp(-0.01)
    for _ in range(15):  # exact from tick to tick
        error = 100.0 - v
        total += error
        final = 5.0 * (error + total / 2.0) / 0.1
        x, v = x + 0.1 * final + (v - final) * (1.0 - decay) / 0.1, final + (v - final) * decay
    assert (result["x"][-1], result["v"][-1]) == (pytest.approx(x, rel=1e-6), pytest.approx(v, rel=1e-6))


def test_pulse_and_flip_flop() -> None:
    """TestAsynchronous: set from 2 to 4 s, reset from 5 to 7 s."""
    pulse = Model(begin=0.0, width=1.0, y=Var("time >= begin and not time >= begin + width", type="Boolean"))
    model = Model(
        set=pulse | Map(begin=2.0, width=2.0),
        reset=pulse | Map(begin=5.0, width=2.0),
        Q=Var(type="Boolean", init=0.0),
        equations=["Q = set.y or not reset.y and pre(Q)"],
    )
    result = instantiate(model).simulate(10.0)
    inside = (result.time > 2.0) & (result.time < 5.0)
    outside = (result.time < 2.0) | (result.time > 5.0)
    assert result["Q"][inside].all()
    assert not result["Q"][outside].any()


RC = Model(
    R=electric.Resistor | Map(R=0.5),
    C=electric.Capacitor | Map(C=2.0, v=Map(init=0.1)),
    V=electric.ConstantVoltage | Map(V=10.0),
    ground=electric.Ground,
    connect=[("V.p", "R.p"), ("R.n", "C.p"), ("C.n", "V.n", "ground.p")],
)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_filter_circuit_and_what_can_be_read_of_it(mode: str) -> None:
    """TestFilterCircuit, TestFilterCircuit2: signals, last values, parameters in force; both kinds of integrators."""
    sim = instantiate(RC)
    merge = Map(R=Map(R=5.0), C=Map(v=Map(init=3.0)))
    result = sim.simulate(10.0, tolerance=1e-8, merge=merge, mode=mode)
    assert sim.value("C.v") == pytest.approx(7.424843902110655, abs=1e-6)
    assert sim.value("R.v") == pytest.approx(2.5751560978893453, abs=1e-6)
    assert (sim.value("C.n.v"), sim.value("R.R"), sim.parameter("V.V")) == (0.0, 5.0, 10.0)
    names = {f"{c}.{v}" for c in ("C", "R", "V") for v in ("i", "v", "p.i", "p.v", "n.i", "n.v")}
    assert set(result.signals()) >= names | {"time", "der(C.v)", "ground.p.i", "ground.p.v"}
    assert "R.p.vv" not in result


def test_modifiers_of_modifiers() -> None:
    """TestModifierMode: parameters and initial values of components of components, in one step or several."""
    circuits = Model(
        a=RC | Map(R=Map(R=2.0)) | Map(C=Map(C=0.5)),
        b=RC | Map(R=Map(R=2.0), C=Map(C=0.5)),
        c=RC | Map(R=Map(R=2.0), C=Map(C=0.5)) | Map(R=Map(R=1.0), V=Map(V=-10.0)),
    )
    result = instantiate(circuits).simulate(1.0, tolerance=1e-9)
    np.testing.assert_array_equal(result["a.C.v"], result["b.C.v"])
    assert result["a.C.v"][-1] == pytest.approx(10.0 - 9.9 * math.exp(-1.0), abs=1e-6)
    assert result["c.C.v"][-1] == pytest.approx(-10.0 + 10.1 * math.exp(-2.0), abs=1e-6)


def test_functions_with_several_results_in_equations() -> None:
    """TestMultiReturningFunction: three coupled inertias, their residuals from a function of unknown accelerations."""

    def residuals(J1: float, J2: float, a1: float, a2: float, tau0: float, tau1: float, tau2: float) -> tuple[float, float]:
        return J1 * a1 - tau0 + tau1, J2 * a2 - tau1 + tau2

    bodies = {name: Var(init=0.0) for name in ("phi1", "w1", "phi2", "phi3", "w2", "w3")}
    model = Model(
        **bodies,
        residuals=Function(residuals, outputs=2),
        J1=1.1,
        J2=1.2,
        J3=1.3,
        tau0=Var("sin(time)"),
        tau1=Var(),
        tau2=Var(),
        zero1=Var("0"),
        zero2=Var("0"),
        equations=[
            *("w1 = der(phi1)", "w2 = der(phi2)", "w3 = der(phi3)", "phi2 = phi1", "phi3 = phi2", "J3*der(w3) = tau2"),
            "(zero1, zero2) = residuals(J1, J2, der(w1), der(w2), tau0, tau1, tau2)",
        ],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-8)
    assert result["phi1"][-1] == pytest.approx(0.3029735305821086, abs=1e-5)
    assert result["w3"][-1] == pytest.approx(0.3933746028781303, abs=1e-5)


def test_functions_whose_results_are_zero() -> None:
    """TestMultiReturningFunction4A to 7A: two pendulums, their residuals from one function."""
    residuals = Function(lambda phi1, phi2, a1, a2: (a1 + math.sin(phi1), a2 + math.sin(phi2)), outputs=2)
    model = Model(
        phi1=Var(init=math.pi / 2.0),
        w1=Var(init=0.0),
        phi2=Var(init=math.pi / 4.0),
        w2=Var(init=0.0),
        residuals=residuals,
        equations=["w1 = der(phi1)", "w2 = der(phi2)", "(0, 0) = residuals(phi1, phi2, der(w1), der(w2))"],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    for k in (1, 2):
        energy = result[f"w{k}"] ** 2 / 2.0 - np.cos(result[f"phi{k}"])
        np.testing.assert_allclose(energy, -math.cos(math.pi / 2.0 / k), atol=1e-7)


def test_uncertain_parameters_and_initial_values() -> None:
    """TestUncertainties: deviations propagated linearly, by differences of simulations of one compiled model."""
    values = {"T": 0.2, "u0": 10.0, "k": 1.0, "x0": 5.0, "v0": 1.0, "m": 10.0, "F": 20.0}
    model = Model(
        **values,
        x=Var(init="x0"),
        v=Var(init="v0"),
        y=Var(),
        a=Var(),
        equations=["T*der(x) = u0", "y = k*x", "F = m*a", "der(v) = a"],
    )
    sim = instantiate(model)

    def end(**changes: float) -> np.ndarray:
        result = sim.simulate(1.0, tolerance=1e-10, merge=changes)
        return np.array([result["x"][-1], result["v"][-1]])

    step = 1e-3  # of 10 %, the deviation of every value
    parts = [(end(**{n: v * (1 + step)}) - end(**{n: v * (1 - step)})) * 0.05 / step for n, v in values.items()]
    np.testing.assert_allclose(end(), [54.99999999999998, 2.999999999999999], rtol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(parts, axis=0), [7.08872343937891, 0.3], rtol=1e-5)


def test_pendulum_whose_acceleration_a_function_computes() -> None:
    """TestMechanics: a damper at a revolute joint, torque and acceleration meet in a function."""
    model = Model(
        m=1.0,
        L=0.5,
        g=9.81,
        rev=Model(
            flange=rotational.Flange,
            phi=Var(init=1.5),
            w=Var(init=2.0),
            equations=["phi = flange.phi", "w = der(phi)"],
        ),
        damper=rotational.Damper | Map(d=0.4),
        support=rotational.Fixed,
        motion=Function(lambda phi, tau, m, L, g: (tau - m * g * L * math.cos(phi)) / (m * L * L)),
        equations=["der(rev.w) = motion(rev.phi, rev.flange.tau, m, L, g)"],
        connect=[("rev.flange", "damper.flange_b"), ("damper.flange_a", "support.flange")],
    )
    result = instantiate(model).simulate(20.0)
    assert math.sin(result["rev.phi"][-1]) == pytest.approx(-1.0, abs=1e-6)  # at rest, straight down
    assert result["rev.w"][-1] == pytest.approx(0.0, abs=1e-4)


def test_heat_flows_until_temperatures_agree() -> None:
    """TestHeatTransfer: a capacitor heated through a resistance."""
    model = Model(
        source=heat_transfer.FixedTemperature | Map(T=400.0),
        resistor=heat_transfer.ThermalResistor | Map(R=2.0),
        body=heat_transfer.HeatCapacitor | Map(C=3.0, T=Map(init=300.0)),
        connect=[("source.port", "resistor.port_a"), ("resistor.port_b", "body.port")],
    )
    result = instantiate(model).simulate(12.0, tolerance=1e-9)
    np.testing.assert_allclose(result["body.T"], 400.0 - 100.0 * np.exp(-result.time / 6.0), atol=1e-5)


def test_path_planning() -> None:
    """TestPathPlanning: three synchronised axes; at 0.5 s they are at 0.12, 2.24, 3.24."""
    points = [[0.0, 2.0, 3.0], [0.5, 3.0, 4.0], [0.8, 1.5, 0.3], [0.2, 1.5, 0.8]]
    path = ptp_path(["angle1", "angle2", "angle3"], points, v_max=[2.0] * 3, a_max=[3.0] * 3, start_time=0.1)
    model = Model(path=path, q=Var(init=2.0), equations=["der(q) = path.angle2.velocity"])
    result = instantiate(model).simulate(6.0, tolerance=1e-9, interval=0.01)
    at = int(np.argmin(np.abs(result.time - 0.5)))
    assert [result[f"path.angle{k}.position"][at] for k in (1, 2, 3)] == pytest.approx([0.12, 2.24, 3.24])
    for k, (start, end) in enumerate(zip(points[0], points[-1], strict=True), start=1):
        q, v, a = (result[f"path.angle{k}.{what}"] for what in ("position", "velocity", "acceleration"))
        assert (q[0], q[-1]) == (start, pytest.approx(end))
        assert np.abs(v).max() <= 2.0 + 1e-9
        assert np.abs(a).max() <= 3.0 + 1e-9
    np.testing.assert_allclose(result["q"], result["path.angle2.position"], atol=1e-6)
    with pytest.raises(ModelError, match="found 1 names, points of 2 values"):
        ptp_path(["a"], [[0.0, 1.0]], v_max=[1.0], a_max=[1.0])


def test_mistakes_that_modia_names() -> None:
    """TestModelsWithError: wrong connections, parameters and names."""
    for wrong, message in (
        (Model(connect=[("R.n", "C.pin")]), "'C.pin' .* leads nowhere"),
        (Model(connect=[("R.n",)]), "a connection is not a tuple of two or more paths"),
        (Model(y=Var(), equations=["R.I = y"]), "unknown name 'R.I'.* Did you mean 'R.i'"),
        (Model(equations=["R.i = 0"]), "C.v: the initial value contradicts the equations"),
    ):
        with pytest.raises(ModelError, match=message):
            instantiate(RC | wrong)
    with pytest.raises(ModelError, match=r"R\.res: there is no 'res' to modify"):
        RC | Map(R=Map(res=100.0))
