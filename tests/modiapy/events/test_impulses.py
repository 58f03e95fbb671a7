"""Impulses: variables that are zero except at events, solved for all that acts at one instant, and for nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Result, Var, When, instantiate
from modiapy.symbolic.codegen.groups import Group, group_blocks
from modiapy.symbolic.sorted.parts import LinearBlock

pytestmark = pytest.mark.white_box


def discs(x: np.ndarray, v: np.ndarray, masses: np.ndarray, stated: int = 1) -> Model:
    """Discs of diameter 1 without spin in a plane, any two of which may collide; x and v of shape (n, 2).

    Each contact is ``stated`` so many times: of several impulses between the same discs only the sum is determined.
    """
    n, entries, equations = len(x), {"e": 1.0}, list[Any]()
    pairs = [(i, j, k) for i in range(n) for j in range(i + 1, n) for k in range(stated)]
    for i in range(n):
        entries |= {
            f"m{i}": float(masses[i]),
            f"x{i}": Var(init=x[i], elements=True),
            f"v{i}": Var(init=v[i], elements=True, state_select="prefer"),
            f"dv{i}": Var(shape=2, elements=True, impulse=True),
        }
        pushes = [f"{'' if b == i else '-'}n{a}_{b}_{k}*F{a}_{b}_{k}" for a, b, k in pairs if i in (a, b)]
        equations += [f"der(x{i}) = v{i}", f"der(v{i}) = [0, 0]", f"m{i}*dv{i} = {' + '.join(pushes) or '[0, 0]'}"]
    for i, j, k in pairs:
        c = f"{i}_{j}_{k}"
        entries |= {f"F{c}": Var(impulse=True), f"n{c}": Var(shape=2, elements=True)}
        entries |= {name: Var(type="Boolean", init=False) for name in (f"hit{c}", f"touch{c}")}
        equations += [
            f"n{c} = (x{j} - x{i})/norm(x{j} - x{i})",
            f"touch{c} = norm(x{j} - x{i}) < 1",
            f"hit{c} = edge(touch{c})",
            f"0 = n{c}@(dv{j} - dv{i} + (1 + e)*(v{j} - v{i})) if hit{c} else F{c}",
        ]
    whens = [When(f"norm(dv{i}) > 0", [f"reinit(v{i}, v{i} + dv{i})"]) for i in range(n)]
    return Model(**entries, equations=[*equations, *whens])


def speeds(result: Result, n: int) -> np.ndarray:
    return np.array([result[f"v{i}"][-1] for i in range(n)])


def test_only_what_touches_is_factorised() -> None:
    """Six discs, 15 possible contacts: three pairs collide, two of them at one instant; then a row of three at once."""
    x = np.array([[0.0, 0], [3, 0], [0, 10], [3, 10], [0, 30], [3, 30]])
    v = np.array([[1.0, 0], [0, 0], [1, 0], [0, 0], [2, 0], [0, 0]])
    sim = instantiate(discs(x, v, np.ones(6)))
    result = sim.simulate(5.0)
    assert speeds(result, 6) == pytest.approx(v[[1, 0, 3, 2, 5, 4]], abs=1e-9)
    assert result.statistics["impulses"] == 0  # each impulse follows from one equation, also of the two at t = 2
    assert max(len(block.unknowns) for block in sim.sorted.blocks if isinstance(block, LinearBlock)) == 15

    row = discs(np.array([[0.0, 0], [3, 0], [-3, 0], [0, 9]]), np.array([[0.0, 0], [-1, 0], [1, 0], [0, 0]]), np.ones(4))
    result = instantiate(row).simulate(4.0)
    assert speeds(result, 4) == pytest.approx(np.array([[0.0, 0], [1, 0], [-1, 0], [0, 0]]), abs=1e-9)
    assert result.statistics["impulses"] == 2


def test_nothing_is_computed_between_events() -> None:
    sim = instantiate(discs(np.array([[0.0, 0], [3, 0.2]]), np.array([[1.0, 0], [0, 0]]), np.array([1.0, 2.0])))
    groups = dict(zip((str(b) for b in sim.sorted.blocks), group_blocks(sim.sorted), strict=True))
    late = [text for text, group in groups.items() if group is Group.EVENTS]
    assert any("F0_1_0" in text for text in late)
    assert not any("F0_1_0" in text for text, group in groups.items() if group < Group.EVENTS)
    result = sim.simulate(4.0)
    assert result.statistics["factorisations"] <= 1
    assert result["F0_1_0"] == pytest.approx(0.0, abs=0.0)  # before and after the event


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 4), stated=st.integers(1, 2))
def test_collisions_of_discs_are_those_of_two_bodies_each(seed: int, n: int, stated: int) -> None:
    """Momentum and energy stay, as does the result when each contact is stated twice; and each impulse is that of its pair."""
    draw = np.random.default_rng(seed)
    x = np.array([[3.0 * i, 0.0] for i in range(n)]) + draw.uniform(-0.3, 0.3, (n, 2))
    v, masses = draw.uniform(-1, 1, (n, 2)) - 0.8 * x, draw.uniform(0.5, 3.0, n)
    result = instantiate(discs(x, v, masses, stated)).simulate(4.0, tolerance=1e-8)
    after = speeds(result, n)
    assert masses @ after == pytest.approx(masses @ v, abs=1e-8)
    assert masses @ (after**2).sum(axis=1) == pytest.approx(masses @ (v**2).sum(axis=1), rel=1e-8)
    assert after == pytest.approx(by_hand(x, v, masses, 4.0), abs=1e-5)


def by_hand(x: np.ndarray, v: np.ndarray, masses: np.ndarray, stop: float) -> np.ndarray:
    """Speeds after collisions of two discs at a time, from the instants at which distances are 1."""
    x, v, t = x.copy(), v.copy(), 0.0
    pairs = [(i, j) for i in range(len(x)) for j in range(i + 1, len(x))]
    while True:
        meetings = []
        for i, j in pairs:
            d, u = x[j] - x[i], v[j] - v[i]
            a, b, c = u @ u, d @ u, d @ d - 1.0
            if b < 0 and b * b > a * c and c > -1e-9:
                meetings.append(((-b - np.sqrt(b * b - a * c)) / a, i, j))
        step, i, j = min(meetings, default=(np.inf, 0, 0))
        if t + step > stop:
            return v
        t, x = t + step, x + step * v
        normal = x[j] - x[i]
        impulse = 2 * masses[i] * masses[j] / (masses[i] + masses[j]) * ((v[j] - v[i]) @ normal) * normal
        v[i], v[j] = v[i] + impulse / masses[i], v[j] - impulse / masses[j]


WHEEL = Model(
    m=2.0,
    r=0.5,
    J=0.3,
    mu=0.2,
    e=0.6,
    y=Var(init=2.0),
    vx=Var(init=1.0, state_select="prefer"),
    vy=Var(init=0.0, state_select="prefer"),
    w=Var(init=0.0, state_select="prefer"),
    touch=Var(type="Boolean", init=False),
    hit=Var(type="Boolean", init=False),
    slides=Var(type="Boolean", init=False),
    slip=Var("vx + r*w"),
    N=Var(impulse=True),
    T=Var(impulse=True),
    dslip=Var("T/m + r*r*T/J", impulse=True),
    equations=[
        "der(y) = vy",
        "der(vx) = 0",
        "der(vy) = -9.81",
        "der(w) = 0",
        "touch = y < r",
        "hit = edge(touch)",
        "0 = N - (1 + e)*m*(-vy) if hit else N",
        "slides = mu*N - abs(T) < (slip + dslip)*sign(slip)",
        "T = 0 if not hit else (-mu*N*sign(slip) if slides else -slip/(1/m + r*r/J))",
        When("N > 0", ["reinit(vx, vx + T/m)", "reinit(vy, vy + N/m)", "reinit(w, w + r*T/J)"]),
    ],
)
"""A wheel that falls on the floor, with Coulomb friction: it slides during the impact, or leaves it rolling."""


@pytest.mark.parametrize("w", [-9.0, -2.5, -2.0, 0.0, 3.0])
def test_relation_between_impulses_decides_at_the_event_alone(w: float) -> None:
    sim = instantiate(WHEEL)
    result = sim.simulate(1.0, merge=Map(w=Var(init=w)), tolerance=1e-10)
    m, r, inertia, mu, e = 2.0, 0.5, 0.3, 0.2, 0.6
    slip, normal = 1.0 + r * w, (1 + e) * m * np.sqrt(2 * 9.81 * 1.5)
    stick = -slip / (1 / m + r * r / inertia)
    tangential = np.clip(stick, -mu * normal, mu * normal)
    assert result["vx"][-1] == pytest.approx(1.0 + tangential / m, abs=1e-8)
    assert result["w"][-1] == pytest.approx(w + r * tangential / inertia, abs=1e-8)
    assert result.statistics["events"] == 2  # it touches the floor and leaves it: the relation of the impulses makes none
    assert sim.simulate(0.5, merge=Map(w=Var(init=w))).statistics["events"] == 0


def test_impulse_may_follow_from_another_one_at_the_same_instant() -> None:
    """A ball falls on one that lies on the floor: both impacts of the lower one are at one time, one after the other."""
    model = Model(
        e=1.0,
        a=Var(init=0.5),
        b=Var(init=2.5),
        va=Var(init=0.0, state_select="prefer"),
        vb=Var(init=-1.0, state_select="prefer"),
        pair=Var("b - a < 1 and vb < va - 1e-12", type="Boolean", init=False),
        ground=Var("a < 0.5 + 1e-9 and va < -1e-12", type="Boolean", init=False),
        P=Var(impulse=True),
        Q=Var(impulse=True),
        n=Var(type="Integer", init=0),
        equations=[
            "der(a) = va",
            "der(b) = vb",
            "der(va) = 0",
            "der(vb) = 0",
            "0 = 2*P - Q - (1 + e)*(va - vb) if edge(pair) else P",
            "0 = Q - P + (1 + e)*va if edge(ground) else Q",
            When("abs(Q - P) > 0", ["reinit(va, va + Q - P)", "n = pre(n) + 1"]),
            When("P > 0", ["reinit(vb, vb + P)"]),
        ],
    )
    sim = instantiate(model)
    result = sim.simulate(2.0, tolerance=1e-9)
    assert result["n"][-1] == 3  # down, up again by the floor, and to rest by the other ball
    assert [result["va"][-1], result["vb"][-1]] == pytest.approx([0.0, 1.0], abs=1e-9)
    plastic = sim.simulate(2.0, merge=Map(e=0.0))
    assert [plastic["va"][-1], plastic["vb"][-1]] == pytest.approx([0.0, 0.0], abs=1e-9)  # by ever smaller impacts


def test_what_events_need_beside_impulses_begins_at_the_last_event() -> None:
    """Of two roots that both grow, y follows the one where it began, although the other passes its start value later."""
    model = Model(
        x=Var(init=0.0),
        y=Var(start=1.0),
        P=Var("1 if sample(0, 0.5) else 0", impulse=True),
        equations=["der(x) = 0", "(y - 1 - 2*time)*(y + 3 - 2*time) = 0", When("P > 0", ["reinit(x, y)"])],
    )
    assert instantiate(model).simulate(2.7)["x"][-1] == pytest.approx(6.0, abs=1e-6)  # at 2.5; the other root is 2


def test_impulse_in_a_derivative_is_refused() -> None:
    with pytest.raises(
        ModelError, match=r"derivatives need an impulse; found F = .*; expected variables with impulse=True only in"
    ):
        instantiate(Model(x=Var(init=1.0), F=Var("2*x", impulse=True), equations=["der(x) = -F"]))


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        (Var(impulse=True, init=1.0), "an impulse is zero except at events; found init"),
        (Var(impulse=True, type="Integer"), "an impulse is zero except at events; found type Integer"),
        (Var(impulse=True, start=1.0), "an impulse has a derivative"),
    ],
)
def test_impulse_that_lasts_is_refused(variable: Var, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        instantiate(Model(P=variable, equations=["P = 1" if "type" in variable else "der(P) = -P"]))
