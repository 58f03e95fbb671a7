"""Behaviours that Modia's own tests of the symbolic passes expect, on models of the same structure (TestStateSelection,
TestLinearEquations, TestLinearSystems, TestTwoInertiasAndIdealGear, TestModelsWithError)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Map, Model, ModelError, ModiaError, Var, instantiate
from modiapy.library.electric import Capacitor, Resistor
from modiapy.library.rotational import Flange, IdealGear, Inertia


def test_first_order_system_has_one_state():
    model = Model(T=0.2, x=Var(init=0.3), u=Var(), y=Var(), equations=["u = 1.0", "der(x) = (u - x)/T", "y = 2*x"])
    sim = instantiate(model)
    assert sim.states == ("x",)
    result = sim.simulate(1.0, tolerance=1e-8)
    assert result["y"] == pytest.approx(2.0 - 1.4 * np.exp(-result.time / 0.2), abs=1e-6)


def test_two_coupled_inertias_move_as_one():
    model = Model(
        J1=1.0,
        J2=3.0,
        phi1=Var(start=1.0),
        w1=Var(start=0.5),
        phi2=Var(start=0.0),
        w2=Var(start=0.0),
        tau1=Var(),
        tau2=Var(),
        equations=[
            "w1 = der(phi1)",
            "J1*der(w1) = tau1 + 8",
            "w2 = der(phi2)",
            "J2*der(w2) = tau2",
            "phi2 = phi1",
            "tau2 + tau1 = 0",
        ],
    )
    sim = instantiate(model)
    assert len(sim.states) == 2
    assert sim.report()["unknowns of linear systems"] == 1
    result = sim.simulate(1.0)
    assert result["w1"][-1] - result["w1"][0] == pytest.approx(2.0)
    assert result["tau2"] == pytest.approx(np.full(result.time.size, 6.0))


def test_linear_equations_beside_a_state():
    equations = [
        "x1 = sin(time)",
        "p2*x2 = p1*x1",
        "2*x3 + 4*x4 = x1",
        "x3 + x5 = 2*x2",
        "4*x4 + 5*x5 = x1 + x2",
        "der(x6) = -x5*x6",
    ]
    model = Model(p1=4.0, p2=2.0, **{f"x{k}": Var() for k in range(1, 6)}, x6=Var(start=1.0), equations=equations)
    sim = instantiate(model)
    assert sim.states == ("x6",)
    report = sim.report()
    assert (report["linear systems"], report["largest linear system"], report["unknowns of linear systems"]) == (1, 3, 1)
    result = sim.simulate(2.0, tolerance=1e-9)
    matrix = np.array([[2.0, 4.0, 0.0], [1.0, 0.0, 1.0], [0.0, 4.0, 5.0]])
    x5 = np.linalg.solve(matrix, [1.0, 4.0, 3.0])[2]
    assert result["x5"] == pytest.approx(x5 * np.sin(result.time), abs=1e-12)
    assert result["x6"] == pytest.approx(np.exp(x5 * (np.cos(result.time) - 1.0)), rel=1e-7)


def test_derivative_of_a_state_is_an_unknown_of_linear_equations():
    equations = ["x1 = sin(time)", "p2*x2 = p1*x1", "p2*x3 + p1*x4 + 5*der(x6) = x1", "x3 + x5 = 2*x2", "4*x4 + 5*x5 = x1 + x2"]
    equations.append("3*der(x6) = -5*x3 - 2*x4")
    model = Model(p1=4.0, p2=2.0, **{f"x{k}": Var() for k in range(1, 6)}, x6=Var(start=1.0), equations=equations)
    sim = instantiate(model)
    assert sim.states == ("x6",)
    assert sim.report()["unknowns of linear systems"] == 1
    result = sim.simulate(2.0, tolerance=1e-9)
    # unknowns x3, x4, x5, der(x6) for x1 = 1
    matrix = np.array([[2.0, 4.0, 0.0, 5.0], [1.0, 0.0, 1.0, 0.0], [0.0, 4.0, 5.0, 0.0], [5.0, 2.0, 0.0, 3.0]])
    slope = np.linalg.solve(matrix, [1.0, 4.0, 3.0, 0.0])[3]
    assert result["x6"] == pytest.approx(1.0 + slope * (1.0 - np.cos(result.time)), abs=1e-7)


MULTI_INDEX = [
    "0 = u1 + x1 - x2",
    "0 = u2 + x1 + x2 - x3 + der(x6)",
    "0 = u3 + x1 + der(x3) - x4",
    "x1d = der(x1)",
    "x2d = der(x2)",
    "x3d = der(x3)",
    "x6d = der(x6)",
    "x6dd = der(x6d)",
    "0 = u4 + 2*der(x1d) + der(x2d) + der(x3d) + der(x4) + der(x6dd)",
    "0 = u5 + 3*der(x1d) + 2*der(x2d) + x5",
    "0 = u6 + 2*x6 + x7",
    "0 = u7 + 3*x6 + 4*x7",
]


def test_equations_of_several_indices():
    names = ["x1", "x3", "x4", "x5", "x6", "x7", "x1d", "x3d", "x6d", "x6dd", *(f"u{k}" for k in range(1, 8))]
    model = Model(
        x2=Var(init=0.0),
        x2d=Var(init=0.0),
        **{name: Var() for name in names},
        equations=[*(f"u{k} = sin({k}*time)" for k in range(1, 8)), *MULTI_INDEX],
    )
    sim = instantiate(model)
    assert sim.states == ("x2", "x2d")
    result = sim.simulate(2.0, tolerance=1e-10)
    t = result.time
    x6 = (np.sin(7 * t) - 4.0 * np.sin(6 * t)) / 5.0
    assert result["x6"] == pytest.approx(x6, abs=1e-12)
    assert result["x1"] == pytest.approx(result["x2"] - np.sin(t), abs=1e-9)

    def slope(t, y):
        """(x2, der(x2)) by elimination of all other variables by hand."""
        u = lambda k, n: k**n * np.sin(k * t + n * np.pi / 2)  # noqa: E731
        x6 = lambda n: (u(7, n) - 4.0 * u(6, n)) / 5.0  # noqa: E731
        # x1 = x2 - u1, x3 = u2 + x1 + x2 + der(x6), x4 = u3 + x1 + der(x3); then
        # 0 = u4 + 2 x1'' + x2'' + x3'' + x4' + x6'''
        # x1'' = a - u1'', x3'' = u2'' + 2a - u1'' + x6''', x4' = u3' + x2' - u1' + x3''
        rest = u(4, 0) - 2.0 * u(1, 2) + 2.0 * (u(2, 2) - u(1, 2) + x6(3)) + u(3, 1) + y[1] - u(1, 1) + x6(3)
        return [y[1], -rest / 7.0]

    reference = solve_ivp(slope, (0.0, 2.0), [0.0, 0.0], rtol=1e-11, atol=1e-12, dense_output=True).sol(t)
    assert result["x2"] == pytest.approx(reference[0], abs=1e-6)
    assert result["x2d"] == pytest.approx(reference[1], abs=1e-6)


AbsoluteDamper = Model(
    flange=Flange,
    d=1.0,
    phi=Var(init=0.0),
    w=Var(),
    equations=["phi = flange.phi", "w = der(phi)", "flange.tau = d*w"],
)
Drive = Model(
    inertia=Inertia | Map(phi=Map(init=0.0), w=Map(init=1.0)),
    damper=AbsoluteDamper,
    connect=[("inertia.flange_b", "damper.flange")],
)


def test_initial_angle_that_is_given_twice_must_be_the_same():
    result = instantiate(Drive).simulate(4.0, tolerance=1e-8)
    assert result["inertia.w"] == pytest.approx(np.exp(-result.time), abs=1e-6)
    with pytest.raises(ModiaError, match="contradict") as error:
        instantiate(Drive | Map(damper=Map(phi=Map(init=1.0)))).simulate(4.0)
    assert "damper.phi" in str(error.value)
    assert "inertia.phi" in str(error.value)


def test_two_inertias_and_an_ideal_gear():
    model = Model(
        a=Inertia | Map(J=0.0025),
        b=Inertia | Map(J=170.0, phi=Map(init=0.5), w=Map(init=0.0)),
        gear=IdealGear | Map(ratio=105.0),
        equations=["a.flange_a.tau = 10"],
        connect=[("a.flange_b", "gear.flange_a"), ("gear.flange_b", "b.flange_a")],
    )
    with pytest.raises(ModelError, match="contradicts") as error:
        instantiate(model)
    assert "Nothing is connected to the connector of 'a.flange_a.tau'" in error.value.remedy
    drive = Model(flange=Flange, equations=["flange.tau = -10"])
    model = Model({key: entry for key, entry in model.items() if key != "equations"})
    model |= Model(drive=drive, connect=[("drive.flange", "a.flange_a")])
    sim = instantiate(model)
    assert len(sim.states) == 2
    result = sim.simulate(4.0, tolerance=1e-8)
    acceleration = 10.0 * 105.0 / (170.0 + 105.0**2 * 0.0025)
    assert result["b.phi"] == pytest.approx(0.5 + 0.5 * acceleration * result.time**2, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Model(R=Resistor | Map(res=100.0)), ("there is no 'res'", "one of R, ")),
        (lambda: Model(R=Resistor, C=Capacitor, connect=[("R.n", "C.pin")]), ("'C.pin'", "no connector")),
        (lambda: Model(R=Resistor, connect=[("R.n",)]), ("two or more paths",)),
        (lambda: Model(R=Resistor, y=Var(), equations=["R.I = y"]), ("unknown name 'R.I'",)),
        (lambda: Model(R=Resistor, equations=["R.i = 1"]), ("R: i = p.i", "Nothing is connected")),
        (lambda: Model(v=Var(start=0.0)), ("'v'", "too few equations")),
        (lambda: Model(equations=["v = 0.0"]), ("unknown name 'v'",)),
    ],
)
def test_mistakes_are_told(make, words):
    with pytest.raises(ModelError) as error:
        instantiate(make())
    for word in words:
        assert word in str(error.value)
