"""Storage elements of value zero are no states: closed forms, limits, merges, messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.linalg import expm, null_space, orth

from modiapy import Map, Model, ModelError, SimulationError, SimulationModel, Var, instantiate
from modiapy.library import electric, heat_transfer, rotational, translational


def low_pass(**changes: Any) -> Model:
    """1 V of 1 Hz, 100 Ohm, a capacitor."""
    return Model(
        source=electric.SineVoltage | Map(V=1.0, f=1.0),
        r=electric.Resistor | Map(R=100.0),
        c=electric.Capacitor | Map(**changes),
        ground=electric.Ground,
        connect=[("source.p", "r.p"), ("r.n", "c.p"), ("c.n", "source.n", "ground.p")],
    )


@pytest.mark.parametrize("zero", [0.0, -0.0, 0, "0*R0"])
def test_capacitor_of_value_zero_carries_no_current(zero: Any) -> None:
    sim = instantiate(low_pass(C=zero) | Map(c=Model(R0=2.0)))
    r = sim.simulate(1.0, tolerance=1e-8)
    assert not sim.states
    assert not np.any(r["c.i"])
    np.testing.assert_allclose(r["c.v"], np.sin(2 * np.pi * r.time), atol=1e-12)
    assert "no state, because c.C = 0" in str(sim.report())


def test_inductor_of_value_zero_has_no_voltage() -> None:
    """Two resistors in parallel, an inductor before one of them, across a current source."""
    model = Model(
        source=electric.SineCurrent | Map(I=2.0, f=1.0),
        r1=electric.Resistor | Map(R=1.0),
        r2=electric.Resistor | Map(R=3.0),
        coil=electric.Inductor | Map(L=0.0),
        ground=electric.Ground,
        connect=[("source.n", "r1.p", "coil.p"), ("coil.n", "r2.p"), ("r1.n", "r2.n", "source.p", "ground.p")],
    )
    r = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(r["coil.i"], 0.5 * np.sin(2 * np.pi * r.time), atol=1e-12)
    assert not np.any(r["coil.v"])


def test_masses_of_value_zero_between_springs() -> None:
    """What is between the springs follows: they are one spring of 1.2; its acceleration is that fraction of the mass's."""

    def chain(library: Any, mass: str, value: str, angle: str) -> Model:
        body = getattr(library, mass)
        return Model(
            body=body | Map({value: 1.0, angle: Map(init=1.0)}),
            s1=library.Spring | Map(c=2.0),
            zero=body | Map({value: 0.0}),
            s2=library.Spring | Map(c=3.0),
            fixed=library.Fixed,
            connect=[
                ("body.flange_b", "s1.flange_a"),
                ("s1.flange_b", "zero.flange_a"),
                ("zero.flange_b", "s2.flange_a"),
                ("s2.flange_b", "fixed.flange"),
            ],
        )

    for library, mass, value, angle in ((rotational, "Inertia", "J", "phi"), (translational, "Mass", "m", "s")):
        sim = instantiate(chain(library, mass, value, angle))
        r = sim.simulate(3.0, tolerance=1e-10)
        assert len(sim.states) == 2
        expected = np.cos(np.sqrt(1.2) * r.time)
        np.testing.assert_allclose(r[f"body.{angle}"], expected, atol=1e-7)
        np.testing.assert_allclose(r[f"zero.{angle}"], 0.4 * expected, atol=1e-7)
        np.testing.assert_allclose(r["zero.a"], -0.48 * expected, atol=1e-7)


def test_heat_capacitor_of_value_zero() -> None:
    model = Model(
        capacitor=heat_transfer.HeatCapacitor | Map(C=0.0),
        conductor=heat_transfer.ThermalConductor | Map(G=2.0),
        cold=heat_transfer.FixedTemperature | Map(T=300.0),
        flow=heat_transfer.FixedHeatFlow | Map(Q_flow=10.0),
        connect=[("flow.port", "capacitor.port", "conductor.port_a"), ("conductor.port_b", "cold.port")],
    )
    r = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(r["capacitor.T"], 305.0, rtol=1e-14)


_CHAIN = [(1, 2, 1.0), (2, 3, 2.0), (3, 0, 5.0)]

_VALUES = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0])


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[tuple[int, int, float]], list[tuple[int, int, float]]]:
    """Resistors (a chain from node 1 on, the last node has one to ground, 0) and capacitors between nodes."""
    n = draw(st.integers(2, 5))
    ohms = st.sampled_from([0.5, 1.0, 2.0, 5.0])
    resistors = [(k, k + 1, draw(ohms)) for k in range(1, n)] + [(n, 0, draw(ohms))]
    pairs = st.lists(st.integers(0, n), min_size=2, max_size=2, unique=True)
    capacitors = [(a, b, draw(_VALUES)) for a, b in draw(st.lists(pairs, min_size=1, max_size=6))]
    return resistors, capacitors


def network(resistors: list[tuple[int, int, float]], capacitors: list[tuple[int, int, float]]) -> Model:
    """1 A into node 1; node 0 is the ground."""
    model = Model(ground=electric.Ground, source=electric.ConstantCurrent | Map(I=1.0))
    pins: dict[int, list[str]] = {0: ["ground.p", "source.p"], 1: ["source.n"]}
    for kind, key, parts in (("r", "R", resistors), ("c", "C", capacitors)):
        for k, (a, b, value) in enumerate(parts):
            name = f"{kind}{k}"
            model |= Model({name: (electric.Resistor if kind == "r" else electric.Capacitor) | Map({key: value})})
            pins.setdefault(a, []).append(f"{name}.p")
            pins.setdefault(b, []).append(f"{name}.n")
    return model | Model(connect=[tuple(group) for group in pins.values()])


def _stamped(parts: list[tuple[int, int, float]], n: int) -> np.ndarray:
    matrix = np.zeros((n + 1, n + 1))
    for a, b, value in parts:
        matrix[np.ix_([a, b], [a, b])] += value * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return matrix[1:, 1:]


def slow_reference(
    resistors: list[tuple[int, int, float]], capacitors: list[tuple[int, int, float]], time: float
) -> tuple[np.ndarray, int]:
    """Node voltages at ``time`` of C v' = b - G v, without charge at first, and the rank of C: nodal analysis."""
    n = len(resistors)
    c, g = _stamped(capacitors, n), _stamped([(a, b, 1.0 / r) for a, b, r in resistors], n)
    b = np.eye(n)[0]
    free, charged = null_space(c), orth(c)
    rank = charged.shape[1]
    inner = np.linalg.inv(free.T @ g @ free) if free.size else np.zeros((0, 0))
    passive = free @ inner @ free.T  # v = charged @ y + free @ z, free' (b - G v) = 0
    g_y = charged.T @ (g - g @ passive @ g) @ charged
    b_y = charged.T @ (b - g @ passive @ b)
    a = np.zeros((rank + 1, rank + 1))
    if rank:
        a[:rank] = np.linalg.solve(charged.T @ c @ charged, np.column_stack([-g_y, b_y]))
    y = expm(a * time)[:rank, rank]
    return charged @ y + passive @ (b - g @ (charged @ y)), rank


@settings(max_examples=25, deadline=None, derandomize=True)
@given(networks())
@example((_CHAIN, [(1, 2, 1.0), (2, 3, 2.0), (1, 3, 0.5), (1, 0, 0.0), (2, 0, 0.0), (3, 0, 0.0)]))
@example((_CHAIN, [(1, 2, 1.0), (2, 3, 2.0), (3, 0, 0.0), (1, 0, 0.0)]))
def test_networks_with_some_zero_capacitors_agree_with_nodal_analysis(
    parts: tuple[list[tuple[int, int, float]], list[tuple[int, int, float]]],
) -> None:
    resistors, capacitors = parts
    sim = instantiate(network(resistors, capacitors))
    r = sim.simulate(1.5, tolerance=1e-9)
    expected, rank = slow_reference(resistors, capacitors, 1.5)
    nodes = [r[f"r{k}.p.v"][-1] for k in range(len(resistors))]
    np.testing.assert_allclose(nodes, expected, atol=1e-6)
    assert len(sim.states) == rank
    for k, (_, _, value) in enumerate(capacitors):
        if value == 0.0:
            np.testing.assert_allclose(r[f"c{k}.i"], 0.0, atol=1e-12)


def test_zero_is_the_limit_of_small_values() -> None:
    def voltages(small: float) -> list[float]:
        r = instantiate(network(_CHAIN, [(1, 0, small), (2, 0, 1.0), (2, 3, small)])).simulate(1.5, tolerance=1e-10)
        return [r[f"r{k}.p.v"][-1] for k in range(3)]

    limit = np.array(voltages(0.0))
    far, near = (np.abs(np.array(voltages(small)) - limit).max() for small in (1e-3, 1e-5))
    assert 50.0 < far / near < 200.0


FORMS = [
    "C*der(v) = i",
    "i = der(v)*C",
    "2*i = k*C*der(v)/3",
    "i = (C + D)*der(v)",
    "i = (C - 0*k)*der(v)",
    "i = der(C*v)",
    "i = der(v*C) - D*der(v)",
    "i = (C if k > 0 else 0)*der(v)",
    "i = C*(1 + v**2)*der(v)",
    "i = C/(1 + v**2)*der(v)",
    "i = (C*exp(v) + D*v)*der(v)",
    "i = (k - 2)*der(v)",
    "i = smooth(1, C*v)*der(v)",
    "i = noEvent(C)*der(v)",
    "i - C*der(v) = D*der(i)",
]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_a_coefficient_that_is_zero(form: str) -> None:
    model = Model(C=0.0, D=0.0, k=2.0, u=Var("sin(time)"), v=Var(start=0.0), i=Var(), equations=["u - v = 3*i", form])
    sim = instantiate(model)
    r = sim.simulate(1.0)
    assert not sim.states
    np.testing.assert_allclose(r["v"], np.sin(r.time), atol=1e-12)
    np.testing.assert_allclose(r["i"], 0.0, atol=1e-12)


def test_coefficient_that_is_a_variable_which_vanishes() -> None:
    """As in transistors: c is a sum of products with parameters that are zero."""
    equations = ["u - v = 3*i", "c = C*exp(v) + D*sqrt(1 + v*v)", "i = c*der(v) + e*der(u)", "e = 2*c"]
    model = Model(C=0.0, D=0.0, u=Var("sin(time)"), v=Var(), i=Var(), c=Var(), e=Var(), equations=equations)
    r = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(r["v"], np.sin(r.time), atol=1e-12)


def test_derivative_in_a_nonlinear_equation() -> None:
    model = Model(L=0.0, i=Var(start=0.0), u=Var("sin(time)"), v=Var(), equations=["v = L*der(i)", "i + i**3 + v = u"])
    sim = instantiate(model)
    r = sim.simulate(1.0)
    assert not sim.states
    np.testing.assert_allclose(r["i"] + r["i"] ** 3, np.sin(r.time), atol=1e-10)
    implicit = Model(L=0.0, i=Var(start=0.0), equations=["i + L*der(i) + (i + L*der(i))**3 = sin(time)"])
    r = instantiate(implicit).simulate(1.0)
    np.testing.assert_allclose(r["i"] + r["i"] ** 3, np.sin(r.time), atol=1e-10)


@pytest.mark.parametrize("coefficient", [0.0, np.zeros(2)])
def test_arrays_of_storage_elements(coefficient: Any) -> None:
    model = Model(
        C=coefficient,
        v=Var(init=None, start=np.zeros(2)),
        i=Var(start=np.zeros(2)),
        u=Var("[sin(time), cos(time)]"),
        equations=["C*der(v) = i", "u - v = 3*i"],
    )
    sim = instantiate(model)
    r = sim.simulate(1.0)
    np.testing.assert_allclose(r["v"], np.column_stack([np.sin(r.time), np.cos(r.time)]), atol=1e-12)
    with pytest.raises(ModelError, match=r"C was 0 when the model was translated"):
        sim.simulate(1.0, merge=Map(C=coefficient + 1.0))


def test_what_was_found_before_is_kept_where_storage_elements_vanish() -> None:
    """Variables that are only observed, and simplified expressions, which choose among several solutions."""
    for chosen in (-15.0, 15.0):
        model = Model(
            C=0.0, chosen=chosen, x=Var(init=0.0), y=Var(), a=Var(), v=Var(), i=Var(), w=Var("2*v + y", observed=True),
            equations=["y = homotopy(min(15, max(-15, 1000*a)), chosen)", "a = 0.5*y - 0.6*x", "der(x) = y - x",
                       "C*der(v) = i", "x - v = 3*i"],
        )  # fmt: skip
        r = instantiate(model).simulate(0.2, tolerance=1e-9)
        np.testing.assert_allclose(r["y"], chosen)
        np.testing.assert_allclose(r["v"], chosen * (1.0 - np.exp(-r.time)), atol=1e-6)
        np.testing.assert_allclose(r["w"], 2.0 * r["v"] + chosen, atol=1e-12)


# -- other values -------------------------------------------------------------------------------------------------------


def test_what_was_zero_stays_zero_in_merges() -> None:
    sim = instantiate(low_pass(C="C0*k") | Map(c=Model(C0=0.0, k=1.0)))
    with pytest.raises(ModelError, match=r"c\.C was 0 when the model was translated.*found c\.C = 0\.001.*instantiate"):
        sim.simulate(1.0, merge=Map(c=Map(C0=1e-3)))
    r = sim.simulate(1.0, merge=Map(c=Map(C0=0.0, k=5.0), r=Map(R=7.0)))
    np.testing.assert_allclose(r["c.v"], np.sin(2 * np.pi * r.time), atol=1e-12)


def test_what_was_not_zero_does_not_become_zero_in_merges() -> None:
    sim = instantiate(low_pass(C=1e-3))
    with pytest.raises(ModelError, match=r"with c\.C = 0 .*C\*der\(v\) = i.*no state.*instantiate\(model \| Map"):
        sim.simulate(1.0, merge=Map(c=Map(C=0.0)))
    assert sim.simulate(1.0, merge=Map(c=Map(C=1e-2)))["c.v"][-1] != sim.simulate(1.0)["c.v"][-1]


def _damped(d: float) -> SimulationModel:
    """Two inertias with a spring and a damper between them."""
    model = Model(
        j1=rotational.Inertia | Map(phi=Map(init=1.0)),
        link=rotational.SpringDamper | Map(c=2.0, d=d),
        j2=rotational.Inertia | Map(phi=Map(init=0.0)),
        connect=[("j1.flange_b", "link.flange_a"), ("link.flange_b", "j2.flange_a")],
    )
    return instantiate(model)


def test_coefficients_that_are_not_needed_stay_parameters() -> None:
    """A damper of value zero beside a spring; a capacitor of value zero in series with another: both may be merged."""
    merged, own = (
        _damped(0.0).simulate(2.0, tolerance=1e-9, merge=Map(link=Map(d=0.5))),
        _damped(0.5).simulate(2.0, tolerance=1e-9),
    )
    assert merged["link.phi_rel"][-1] == pytest.approx(own["link.phi_rel"][-1], abs=1e-8)
    assert abs(merged["link.phi_rel"][-1] - _damped(0.0).simulate(2.0)["link.phi_rel"][-1]) > 0.1

    chain, series = [(1, 2, 1.0), (2, 3, 1.0), (3, 0, 1.0)], [(1, 2, 1.0), (2, 0, 0.0), (1, 0, 1.0)]
    sim = instantiate(network(chain, series))
    r = sim.simulate(1.5, tolerance=1e-9, merge=Map(c1=Map(C=2.0)))
    expected, _ = slow_reference(chain, [(1, 2, 1.0), (2, 0, 2.0), (1, 0, 1.0)], 1.5)
    np.testing.assert_allclose([r[f"r{k}.p.v"][-1] for k in range(3)], expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_zero_stays_a_parameter_where_other_coefficients_determine_the_derivatives(seed: int) -> None:
    """Numbers, parameters, and what changes with states and time, in random places of the matrix of the derivatives."""
    rng, values, n = np.random.default_rng(seed), {"x0": 0.3, "x1": 0.7, "x2": -0.4, "time": 0.0, "k": 2.0}, 3
    forms = ["0", "0", "C", "C", "-C", "C*x1", "k", "1.5", "({0} + x1*x2)", "exp(0.{0}*x0)/k"]

    def drawn() -> list[list[str]]:
        return [[rng.choice(forms).format(2 * i + j + 1) for j in range(n)] for i in range(n)]

    def matrix(texts: list[list[str]], c: float) -> np.ndarray:
        return np.array([[eval(text, {"exp": np.exp}, values | {"C": c}) for text in row] for row in texts])

    texts = drawn()
    while "C" not in str(texts) or any(abs(np.linalg.det(matrix(texts, c))) < 0.1 for c in (0.0, 0.7)):
        texts = drawn()
    equations = [" + ".join(f"{text}*der(x{j})" for j, text in enumerate(texts[i])) + f" = {i + 1}" for i in range(n)]
    states = {f"x{j}": Var(init=values[f"x{j}"]) for j in range(n)}
    sim = instantiate(Model(C=0.0, k=2.0, **states, equations=equations))
    assert len(sim.states) == n
    for c in (0.0, 0.7):
        result = sim.simulate(0.0, merge=Map(C=c))
        found = [result[f"der(x{j})"][0] for j in range(n)]
        np.testing.assert_allclose(found, np.linalg.solve(matrix(texts, c), np.arange(n) + 1.0), rtol=1e-9)


def test_init_of_what_is_no_state_holds_or_is_refused() -> None:
    r = instantiate(low_pass(C=0.0, v=Map(init=0.0))).simulate(1.0)
    assert r["c.v"][0] == 0.0
    with pytest.raises(SimulationError, match=r"c\.v.*found init=0\.5.*expected 0\.0.*c\.C = 0"):
        instantiate(low_pass(C=0.0, v=Map(init=0.5))).simulate(1.0)
    r = instantiate(low_pass(C=0.0, v=Map(start=0.5))).simulate(1.0)
    assert r["c.v"][0] == 0.0
