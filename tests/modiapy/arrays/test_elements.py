"""Arrays whose elements are unknowns of their own: what an equation may determine then, and what stays as it was."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Function, Map, Model, ModelError, Var, When, instantiate

TOP = Model(
    J=[0.3, 0.5, 0.9],
    n=[0.36, 0.48, 0.8],
    R=Var(shape=(3, 3), elements=True),
    phi=Var(init=0.2),
    rate=Var(init=1.5),
    w=Var(shape=3),
    t=Var(shape=3),
    equations=[
        "R = transpose([n])@[n] + cos(phi)*[[1, 0, 0], [0, 1, 0], [0, 0, 1]] - cos(phi)*transpose([n])@[n] - sin(phi)*skew(n)",
        "der(phi) = rate",
        "w = rate*n",
        "J*der(w) + cross(w, J*w) = t + [0, 0, 0.1]@R",
        "n@t = 0",
    ],
)
"""A body on a hinge with the axis n, driven by a torque in the world; the torque of the hinge has no part along n."""


def test_hinge_determines_one_component_of_its_torque() -> None:
    result = instantiate(TOP).simulate(2.0, tolerance=1e-10)
    n, inertia = np.array([0.36, 0.48, 0.8]), np.diag([0.3, 0.5, 0.9])
    assert result["t"] @ n == pytest.approx(0.0, abs=1e-12)
    assert np.einsum("tij,tkj->tik", result["R"], result["R"]) == pytest.approx(
        np.broadcast_to(np.eye(3), (501, 3, 3)), abs=1e-12
    )
    # R leaves n as it is, so that the driving torque has the constant component 0.1*n[2] along it
    phi = 0.2 + 1.5 * result.time + 0.1 * 0.8 / (n @ inertia @ n) * result.time**2 / 2
    assert result["phi"] == pytest.approx(phi, abs=1e-8)


def test_results_are_arrays_as_they_were() -> None:
    sim = instantiate(TOP)
    result = sim.simulate(1.0)
    assert result["R"].shape == (501, 3, 3)
    assert result["R[2,0]"] == pytest.approx(result["R"][:, 2, 0], abs=0.0)
    assert result["der(w)"].shape == (501, 3)
    assert sim.states == ("phi", "rate")


def test_arrays_that_are_marked_join_those_that_are_not() -> None:
    """The flow of the other side of a connection is marked by this one, a function of arrays gets and gives whole arrays."""
    Plug = Model(e=Var(potential=True, shape=2), f=Var(flow=True, shape=2, elements=True))
    Source = Model(p=Plug, equations=["p.e = [1, 2]"])
    Load = Model(
        p=Plug,
        turn=Function(lambda v: np.array([v[1], -v[0]]), shapes="v"),
        equations=["p.f[0] + p.f[1] = p.e[0]", "turn(p.f)[0] = 3*p.e[1]"],
    )
    result = instantiate(Model(source=Source, load=Load, connect=[("source.p", "load.p")])).simulate(0.1)
    assert result["load.p.f"][-1] == pytest.approx([1 - 6, 6])
    assert result["source.p.f"][-1] == pytest.approx([-(1 - 6), -6])


def test_initial_values_are_merged_and_set_at_events() -> None:
    model = Model(
        x=Var(init=[1.0, 2.0], elements=True),
        k=Var(type="Integer", init=[0, 5]),
        equations=["der(x) = [1, -1]", When("x[0] > 1.5", ["reinit(x, [x[1] - 1, 0])", "k[1] = pre(k[1]) + 1"])],
    )
    sim = instantiate(model)
    result = sim.simulate(1.0)
    assert result["x"][-1] == pytest.approx([1.0, -0.5])
    assert result["k"][-1].tolist() == [0, 6]
    assert sim.simulate(0.25, merge=Map(x=Var(init=[0.0, 7.0])))["x"][-1] == pytest.approx([0.25, 6.75])


def test_size_zero_is_no_variable() -> None:
    """A connector with a part that a parameter leaves out; what depends on it vanishes, a sum of it is 0."""
    Plug = Model(
        e=Var(potential=True, shape=2, elements=True),
        f=Var(flow=True, shape=2, elements=True),
        E=Var(potential=True, shape="m", elements=True),
        F=Var(flow=True, shape="m", elements=True),
    )
    model = Model(
        m=0,
        a=Model(p=Plug, equations=["p.e = [1, 2]", "p.E = 3*p.F + 6"]),
        b=Model(p=Plug, total=Var("sum(p.F)"), equations=["p.f = 2*p.e", "p.F = p.E"]),
        connect=[("a.p", "b.p")],
    )
    without = instantiate(model)
    assert not any(".E" in name or ".F" in name for name in without.flat.variables)
    result = without.simulate(0.0)
    assert result["b.p.f"][-1] == pytest.approx([2.0, 4.0])
    assert result["b.total"][-1] == 0.0
    assert instantiate(model | Map(m=3)).simulate(0.0)["b.p.F"][-1] == pytest.approx([1.5] * 3)
    with pytest.raises(ModelError, match="one or two positive integers"):
        instantiate(Model(n=0, x=Var(shape="n", init=0.0), equations=["der(x) = 1"]))


def test_mistakes_are_told_as_for_other_arrays() -> None:
    model = Model(x=Var(shape=3, elements=True), y=Var(shape=2), equations=["x = y"])
    with pytest.raises(ModelError, match="the two sides of the equation have different shapes") as caught:
        instantiate(model)
    assert "(3,) = (2,)" in str(caught.value)
    with pytest.raises(ModelError, match=r"too few equations \(1 missing\) for 'x\[1\]'"):
        instantiate(Model(x=Var(shape=2, elements=True), equations=["x[0] = 1"]))
    grown = instantiate(Model(n=2, x=Var(shape="n", elements=True, init=0.0), equations=["der(x) = 1"]))
    with pytest.raises(ModelError, match="'x") as caught:
        grown.simulate(1.0, merge=Map(n=3))
    assert "instantiate(model | Map(...))" in str(caught.value)
