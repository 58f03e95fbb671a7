"""Mechanics with 3-vectors: closed forms and conserved quantities."""

import numpy as np
import pytest
from scipy.linalg import expm

from modiapy import Map, Model, Var, instantiate
from modiapy.symbolic.codegen.compilation_counter import compilations

pytestmark = pytest.mark.white_box

Flange = Model(r=Var(potential=True, shape=3), f=Var(flow=True, shape=3))

Mass = Model(
    m=1.0,
    flange=Flange,
    r=Var(init=[0.0, 0.0, 0.0]),
    v=Var(init=[0.0, 0.0, 0.0]),
    equations=["r = flange.r", "der(r) = v", "m*der(v) = flange.f"],
)
Gravity = Model(m=1.0, g=[0.0, 0.0, -9.81], flange=Flange, equations=["flange.f = -m*g"])
Spring = Model(
    c=10.0,
    d=0.0,
    a=Flange,
    b=Flange,
    s=Var(),
    equations=["s = b.r - a.r", "b.f = c*s + d*der(s)", "a.f = -b.f"],
)
Fixed = Model(r0=[0.0, 0.0, 0.0], flange=Flange, equations=["flange.r = r0"])


def test_orbit_keeps_energy_and_angular_momentum():
    orbit = Model(
        mu=1.0,
        m=2.0,
        r=Var(init=[1.0, 0.0, 0.0]),
        v=Var(init=[0.0, 0.8, 0.3]),
        f=Var(),
        d=Var(),
        L=Var(),
        E=Var(),
        equations=[
            "der(r) = v",
            "m*der(v) = f",
            "d = sqrt(r@r)",
            "f = -mu*m*r/d**3",
            "L = m*cross(r, v)",
            "E = 0.5*m*dot(v, v) - mu*m/d",
        ],
    )
    sim = instantiate(orbit)
    assert sim.states == ("r", "v")
    result = sim.simulate(20.0, tolerance=1e-10)
    momentum = 2.0 * np.cross([1.0, 0.0, 0.0], [0.0, 0.8, 0.3])
    np.testing.assert_allclose(result["L"] - momentum, 0.0, atol=1e-6)
    np.testing.assert_allclose(result["E"], 0.73 - 2.0, atol=1e-6)
    a = 1.0 / (2.0 - 0.73)  # semi-major axis by the vis-viva equation
    period = 2 * np.pi * a**1.5
    final = sim.simulate(period, tolerance=1e-10)["r"][-1]
    np.testing.assert_allclose(final, [1.0, 0.0, 0.0], atol=1e-6)


def test_thrown_mass():
    model = Model(
        mass=Mass | Map(m=3.0, r=Var(init=[1.0, 2.0, 3.0]), v=Var(init=[4.0, 0.0, 5.0])),
        gravity=Gravity | Map(m=3.0),
        connect=[("mass.flange", "gravity.flange")],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    t = result.time[:, None]
    g = np.array([0.0, 0.0, -9.81])
    np.testing.assert_allclose(result["mass.r"], [1, 2, 3] + t * [4, 0, 5] + 0.5 * t**2 * g, atol=1e-6)
    np.testing.assert_allclose(result["gravity.flange.f"], np.broadcast_to(-3 * g, (t.size, 3)))


def test_two_masses_rigidly_connected_hang_on_a_spring():
    """Index reduction with vectors: the positions of both masses are one; forces meet in a linear system of vectors."""
    model = Model(
        fixed=Fixed,
        spring=Spring | Map(d=0.1),
        one=Mass | Map(r=Var(init=[1.0, 0.0, 0.0])),
        two=Mass | Map(r=Var(init=None), v=Var(init=None)),
        gravity=Gravity,
        connect=[("fixed.flange", "spring.a"), ("spring.b", "one.flange", "two.flange", "gravity.flange")],
    )
    sim = instantiate(model)
    assert sim.states == ("one.r", "one.v")
    result = sim.simulate(3.0, tolerance=1e-9)
    t, delta = result.time, 0.1 / 4
    w = np.sqrt(10.0 / 2 - delta**2)
    decay = np.exp(-delta * t) * (np.cos(w * t) + delta / w * np.sin(w * t))
    np.testing.assert_allclose(result["two.r[0]"], decay, atol=1e-6)
    np.testing.assert_allclose(result["two.r[1]"], 0.0, atol=1e-12)
    np.testing.assert_allclose(result["two.r[2]"], -0.981 * (1 - decay), atol=1e-6)
    np.testing.assert_allclose(result["one.flange.f"] + result["two.flange.f"], 2 * result["der(one.v)"], atol=1e-9)


def test_mass_matrix_of_any_size():
    """``M der(v) = -K q`` is solved for the vector der(v); the number of degrees of freedom is data."""
    model = Model(
        M=[[2.0, 1.0], [1.0, 3.0]],
        K=[[1.0, 0.0], [0.0, 2.0]],
        q=Var(init=[1.0, 0.0]),
        v=Var(init=[0.0, 0.0]),
        equations=["der(q) = v", "M@der(v) = -K@q"],
    )
    sim = instantiate(model)
    for n in (1, 2, 4):
        rng = np.random.default_rng(n)
        root = rng.normal(size=(n, n))
        mass, stiffness, q0 = root @ root.T + np.eye(n), np.diag(rng.uniform(1, 3, n)), rng.normal(size=n)
        before = compilations()
        merge = Map(M=mass, K=stiffness, q=Var(init=q0), v=Var(init=np.zeros(n)))
        result = sim.simulate(2.0, tolerance=1e-10, merge=merge)
        assert compilations() == before
        a = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(mass, stiffness), np.zeros((n, n))]])
        np.testing.assert_allclose(result["q"][-1], (expm(2 * a) @ [*q0, *np.zeros(n)])[:n], atol=1e-7)


def test_prescribed_path_by_elements():
    """All elements of a vector given one by one; velocity and acceleration follow by differentiation."""
    model = Model(
        phi=Var(init=0.0),
        r=Var(shape=3),
        v=Var(),
        a=Var(),
        equations=["der(phi) = 2", "r[0] = cos(phi)", "r[1] = sin(phi)", "r[2] = 0.5*phi", "v = der(r)", "a = der(v)"],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-10)
    t = result.time
    np.testing.assert_allclose(result["r"], np.stack([np.cos(2 * t), np.sin(2 * t), t], axis=1), atol=1e-8)
    np.testing.assert_allclose(result["v"], np.stack([-2 * np.sin(2 * t), 2 * np.cos(2 * t), 1 + 0 * t], axis=1), atol=1e-8)
    np.testing.assert_allclose(result["a"], np.stack([-4 * np.cos(2 * t), -4 * np.sin(2 * t), 0 * t], axis=1), atol=1e-8)


def test_mixed_block_of_scalars_and_vectors():
    """A scalar tension and vector accelerations in one linear system: a pendulum by its forces, u along the rod."""
    model = Model(
        m=2.0,
        k=3.0,
        u=[0.6, 0.8],
        r=Var(init=[1.0, 0.0]),
        v=Var(init=[0.0, 0.0]),
        a=Var(),
        s=Var(),
        equations=["der(r) = v", "der(v) = a", "m*a = -k*r - s*u", "s = 0.5*(a@u)"],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    u, r, s = np.array([0.6, 0.8]), result["r"], result["s"]
    np.testing.assert_allclose(2.0 * result["a"], -3.0 * r - s[:, None] * u, atol=1e-10)
    np.testing.assert_allclose(s, 0.5 * (-3.0 * r @ u) / 2.5, atol=1e-10)


def test_events_depend_on_elements():
    """Thrust until the height 0.5 is reached; then free fall."""
    model = Model(
        h=Var(init=[0.0, 0.0, 1.0]),
        v=Var(init=[1.0, 0.0, 0.0]),
        equations=["der(h) = v", "der(v) = [0, 0, -9.81]*(1 if h[2] > 0.5 else 0)"],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    fall = np.sqrt(2 * 0.5 / 9.81)
    np.testing.assert_allclose(result["h"][-1], [1.0, 0.0, 0.5 - 9.81 * fall * (1 - fall)], atol=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_opposite_vectors_are_aliases(sign):
    text = "b = a" if sign > 0 else "a + b = 0"
    sim = instantiate(Model(a=Var(init=[1.0, 2.0]), b=Var(), equations=["der(a) = -a", text]))
    assert sim.sorted.aliases["b"].of == "a"
    result = sim.simulate(1.0)
    np.testing.assert_array_equal(result["b"], sign * result["a"])
    np.testing.assert_array_equal(result["b[1]"], sign * result["a[1]"])
    np.testing.assert_array_equal(result["der(b)"], sign * result["der(a)"])
