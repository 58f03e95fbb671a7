"""Behaviours of Modia's tests of arrays, written anew: TestArrays, TestLinearSystems, TestMultiReturningFunction, the rod.

Figures are those of these tests (``requiredFinalStates``), or closed forms.
"""

import math

import numpy as np
import pytest

from modiapy import Function, Map, Model, Var, instantiate
from modiapy.library.blocks import StateSpace

LinearODE = Model(A=[[-1.0, 0.0], [0.0, -2.0]], x=Var(init=[1.0, 2.0]), equations=["der(x) = A@x"])

T = 0.2
LinearStateSpace = Model(
    A=[[-1 / T]],
    B=[[1 / T]],
    C=[[0.9]],
    W=[[1.1]],
    u=Var(input=True, start=[0.0]),
    x=Var(init=[0.2]),
    y=Var(output=True, shape=1),
    w=Var(),
    equations=["der(x) = A@x + B@u", "y = C@x", "w = W@x"],
)


def test_linear_ode_changes_its_size():
    sim = instantiate(LinearODE)
    np.testing.assert_allclose(sim.simulate(2.0)["x"][-1], [0.13533533463680386, 0.036632273646086545], rtol=1e-4)
    merge = Map(A=np.diag([-1.0, -2.0, -3.0]), x=Var(init=[1.1, 2.1, 3.1]))
    result = sim.simulate(2.0, merge=merge)
    np.testing.assert_allclose(result["x"][-1], [0.14886882881582736, 0.038462894626776434, 0.00768439894426358], rtol=1e-4)
    assert result["der(x)"].shape == (result.time.size, 3)
    assert result.statistics["compilations_after_start"] == 0


def test_state_space_changes_its_order_and_its_extra_outputs():
    model = Model(ss=LinearStateSpace, y=Var("ss.y[0]"), equations=["ss.u = [2]"])
    sim = instantiate(model)
    result = sim.simulate(1.0)
    assert result["ss.x"][-1, 0] == pytest.approx(1.987867388853733, rel=1e-4)
    np.testing.assert_allclose(result["y"], 0.9 * result["ss.x"][:, 0])
    ss = Map(
        A=-np.eye(2) / T,
        B=[[1 / T], [1 / T]],
        C=[[0.5, 0.5]],
        W=[[0.5, 0.6], [0.7, 0.8], [0.9, 1.0]],
        x=Var(init=[0.3, 0.4]),
    )
    result = sim.simulate(1.0, merge=Map(ss=ss))
    np.testing.assert_allclose(result["ss.x"][-1], 2 + (np.array([0.3, 0.4]) - 2) * math.exp(-1 / T), rtol=1e-5)
    assert result["ss.w"].shape == (result.time.size, 3)
    np.testing.assert_allclose(result["ss.w"][-1], np.array(ss["W"]) @ result["ss.x"][-1])


def test_matrices_of_expressions_of_parameters():
    """TestStateSpace, TestParameter: an oscillator whose damping is changed above; its name may be that of a matrix."""
    model = Model(
        w=20.0,
        damping=0.1,
        k=2.0,
        sys=StateSpace | Map(A="[[0, 1], [-w**2, -2*damping*w]]", B="[[0], [w**2]]", C="[[k, 0]]"),
        equations=["sys.u = [1]"],
    )
    sim = instantiate(model)
    for changes, end in (
        (Map(damping=0.3), [0.9974089572681231, 0.011808652820321723]),
        (Map(w=100.0, k=1.1), [0.9999806306477742, -0.00391695258236727]),
        (Map(damping=0.3, sys=Map(x_start=[1.0, 1.0])), [1.0000295203337868, 0.0022367686372974493]),
    ):
        result = sim.simulate(1.0, tolerance=1e-9, merge=changes)
        np.testing.assert_allclose(result["sys.x"][-1], end, atol=1e-5)
        assert result["sys.y"][-1, 0] == pytest.approx(changes.get("k", 2.0) * result["sys.x"][-1, 0])
    with pytest.warns(UserWarning, match=r"sys\.A: .*'D' = 0\.1 is meant, not 'sys\.D' = \[\[0\.0\]\]"):
        sim = instantiate(Model(D=0.1, sys=StateSpace | Map(A="[[0, 1], [-1, -D]]", B=[[0.0], [1.0]], C=[[1.0, 0.0]])))
    np.testing.assert_array_equal(sim.parameter("sys.A"), [[0.0, 1.0], [-1.0, -0.1]])


def test_vectors_of_several_kinds_in_submodels():
    """Scalars, vectors and systems beside each other, of which two change their sizes."""
    sub = Model(
        ss=LinearStateSpace,
        x1=Var(init=1.1),
        x3=Var(init=[0.5, 0.6, 0.7]),
        x4=Var(init=[0.8, 0.9]),
        x2=Var(start=0.0),
        equations=["der(x1) = -x1", "der(x2) = -x2", "der(x3) = -x3", "der(x4) = -x4"],
    )
    two = Map(A=-np.eye(2) / T, B=[[1 / T]] * 2, C=[[0.4, 0.4]], W=[[1.0, 0.0]], x=Var(init=[0.3, 0.4]))
    model = Model(submodel=sub, ss=LinearStateSpace | two, equations=["ss.u = [2]", "submodel.ss.u = [2.1]"])
    sim = instantiate(model)
    three = Map(A=-np.eye(3) / T, B=[[1 / T]] * 3, C=[[0.5] * 3], W=[[1.0, 0.0, 0.0]], x=Var(init=[0.35, 0.45, 0.55]))
    result = sim.simulate(1.0, tolerance=1e-8, merge=Map(submodel=Map(x4=Var(init=[0.85])), ss=three))
    decay = math.exp(-1.0)
    assert result["submodel.x1"][-1] == pytest.approx(1.1 * decay, rel=1e-6)
    np.testing.assert_allclose(result["submodel.x3"][-1], np.array([0.5, 0.6, 0.7]) * decay, rtol=1e-6)
    np.testing.assert_allclose(result["submodel.x4"][-1], [0.85 * decay], rtol=1e-6)
    np.testing.assert_allclose(result["ss.x"][-1], 2 + (np.array([0.35, 0.45, 0.55]) - 2) * math.exp(-1 / T), rtol=1e-6)
    assert result["submodel.ss.x"][-1, 0] == pytest.approx(2.1 + (0.2 - 2.1) * math.exp(-1 / T), rel=1e-6)
    np.testing.assert_array_equal(sim.value("ss.x"), result["ss.x"][-1])


def residuals(J, a, tau):
    """Of inertias in a row, between the torques ``tau``."""
    r = J * a - tau[:-1] + tau[1:]
    return r[0], r[1], r[2]


def test_a_function_returns_the_residuals_of_several_equations():
    """Three inertias on one shaft; final values are those of Modia."""
    model = Model(
        J=[1.1, 1.2, 1.3],
        f=Function(residuals, shapes=["", "", ""]),
        phi=Var(init=0.0),
        w=Var(init=0.0),
        a=Var(start=0.0),
        tau=Var("sin(time)"),
        inner=Var(),
        outer=Var(),
        r0=Var(),
        r1=Var(),
        r2=Var(),
        equations=[
            "der(phi) = w",
            "der(w) = a",
            "(r0, r1, r2) = f(J, [a, a, a], [tau, inner, outer, 0])",
            "r0 = 0",
            "r1 = 0",
            "r2 = 0",
        ],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-8)
    assert result["phi"][-1] == pytest.approx(0.3029735305821086, rel=1e-4)
    assert result["w"][-1] == pytest.approx(0.3933746028781303, rel=1e-4)
    np.testing.assert_allclose(result["outer"], 1.3 * result["a"], atol=1e-8)


def test_insulated_rod_of_any_number_of_volumes():
    """A rod with one cold and one hot end ends with the linear distribution."""
    rod = Model(
        n=5,
        a=1.0,
        left=0.0,
        right=1.0,
        T=Var(init=0.0, shape="n"),
        ends=Var("concat(2*left - T[0], T, 2*right - T[-1])"),
        equations=["der(T) = a*n**2*(ends[:-2] - 2*T + ends[2:])"],
    )
    sim = instantiate(rod)
    for n in (5, 8, 100):
        final = sim.simulate(3.0, merge=Map(n=n), tolerance=1e-8)["T"][-1]
        np.testing.assert_allclose(final, (np.arange(n) + 0.5) / n, atol=1e-6)
