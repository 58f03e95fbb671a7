"""Collisions: what they cost, what they leave alone, momentum and energy, and what a user gets wrong."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModiaError, Var, instantiate
from modiapy.library.mechanics_3d import (
    Body,
    CollisionPool,
    CollisionSpherePlane,
    CollisionSphereSphere,
    EnergyInjection,
    Fixed,
    FixedTranslation,
    FreeBodyMovement,
    Marble,
    Prismatic,
    Revolute,
    SimpleBody,
    Spherical,
    World3D,
)

SPACE = World3D | Map(gravity_type="none")


def pool(x: np.ndarray, v: np.ndarray, w: np.ndarray | None = None, **law: Any) -> Model:
    """Return free spheres of 0.5 m, 1, 2, 3, ... kg of which any two may collide; x, v, w [deg/s] of shape (n, 3)."""
    n = len(x)
    w = np.zeros((n, 3)) if w is None else w
    bodies = {
        f"b{k}": Body | Map(m=k + 1.0, I_11=0.1, I_22=0.1, I_33=0.1, x_start=list(x[k]), v_start=list(v[k]), w_start=list(w[k]))
        for k in range(n)
    }
    return Model(
        impulses=True,
        world3D=SPACE,
        pool=CollisionPool(n) | Map(radius=[0.5] * n, **law),
        **bodies,
        connect=[(f"pool.frames[{k}]", f"b{k}.frame_a") for k in range(n)],
    )


def momenta(result: Any, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return momentum, angular momentum about the origin and energy over time; the tensors of inertia are spherical."""
    linear, angular, energy = 0.0, 0.0, 0.0
    for k in range(n):
        frame, m = f"b{k}.frame_a.P", k + 1.0
        v, w = result[f"{frame}.v"], result[f"{frame}.w"]
        spin = 0.1 * np.einsum("tji,tj->ti", result[f"{frame}.R"], w)
        linear = linear + m * v
        angular = angular + m * np.cross(result[f"{frame}.x"], v) + spin
        energy = energy + 0.5 * m * (v**2).sum(axis=1) + 0.05 * (w**2).sum(axis=1)
    return linear, angular, energy


@pytest.mark.parametrize("mu_R", [0.0, 0.3, 10.0])
@pytest.mark.parametrize("n", [2, 4, 8])
def test_table_8_1(n: int, mu_R: float) -> None:
    """The thesis factorises 12 to 110 unknowns for 2 to 8 bodies; here, two bodies that touch need at most 12 in any case."""
    x = np.array([[3.0 * k, 0, 0] for k in range(n)])
    v = np.array([[1.0 + 0.05 * k if k % 2 == 0 else 0.0, 0, 0] for k in range(n)])  # one pair after the other
    w = np.array([[0.0, 30.0 * k, 90.0] for k in range(n)])
    sim = instantiate(pool(x, v, w, mu_R=mu_R))
    result = sim.simulate(2.5, interval=0.5)
    assert [result[f"pool.pair{k}_{k + 1}.collisions"][-1] for k in range(0, n, 2)] == [1] * (n // 2)
    assert sum(result[f"pool.pair{i}_{j}.collisions"][-1] for i, j in itertools.combinations(range(n), 2)) == n // 2
    assert result.statistics["impulses"] <= 12
    linear, angular, energy = momenta(result, n)
    assert linear == pytest.approx(np.tile(linear[0], (len(linear), 1)), abs=1e-9)
    assert angular == pytest.approx(np.tile(angular[0], (len(angular), 1)), abs=1e-5)
    if mu_R == 0:
        assert energy[-1] == pytest.approx(energy[0], rel=1e-6)
    else:
        assert energy[-1] < energy[0] - 1e-3


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 10**6), mu_R=st.sampled_from([0.0, 0.1, 1.0]), elasticity=st.sampled_from([0.0, 0.5, 1.0]))
def test_laws_of_a_collision(seed: int, mu_R: float, elasticity: float) -> None:
    """Momentum stays; the speed along the normal has the elasticity; friction stays in its cone and opposes the slip."""
    draw = np.random.default_rng(seed)
    x = np.array([[0.0, 0, 0], [2.0, *draw.uniform(-0.5, 0.5, 2)]])
    v = np.array([[1.0, *draw.uniform(-0.1, 0.1, 2)], [-1.0, *draw.uniform(-0.1, 0.1, 2)]])
    result = COLLISION.simulate(
        2.0,
        merge=Map(
            pool=Map(mu_R=mu_R, elasticity=elasticity),
            **{f"b{k}": Map(x_start=x[k], v_start=v[k], w_start=draw.uniform(-300, 300, 3)) for k in range(2)},
        ),
        tolerance=1e-9,
    )
    linear, angular, energy = momenta(result, 2)
    assert linear[-1] == pytest.approx(linear[0], abs=1e-9)
    assert angular[-1] == pytest.approx(angular[0], abs=1e-6)
    assert energy[-1] <= energy[0] + 1e-8
    count = result["pool.pair0_1.collisions"]
    after = np.flatnonzero(count > 0)[0]
    normal, u = result["pool.pair0_1.normal"], result["pool.pair0_1.u"]
    speeds = normal[after - 1] @ u[after - 1], normal[after] @ u[after]
    assert count[-1] == 1
    assert speeds[1] == pytest.approx(-elasticity * speeds[0], abs=1e-8)
    push = result["pool.pair0_1.F_last"][-1]
    along = push @ normal[after]
    friction = push - along * normal[after]
    slip, left = result["pool.pair0_1.slip"][after - 1], result["pool.pair0_1.slip"][after]
    assert np.linalg.norm(friction) <= mu_R * along + 1e-9
    assert friction @ slip <= 1e-12
    if np.linalg.norm(left) > 1e-7:
        assert friction == pytest.approx(-mu_R * along * slip / np.linalg.norm(slip), abs=1e-9)
        assert left / np.linalg.norm(left) == pytest.approx(slip / np.linalg.norm(slip), abs=1e-6)


COLLISION = instantiate(pool(np.array([[0.0, 0, 0], [3.0, 0, 0]]), np.zeros((2, 3))))


def test_what_is_not_touched_keeps_every_bit() -> None:
    """A spherical pendulum beside a collision: its states after the event are those before, and those without collision."""

    def both(distance: float) -> Any:
        beside = Model(
            support=Fixed | Map(r=[0, 50, 0]),
            joint=Spherical | Map(w_start=[10, 20, 30], phi_start=[0, 0, 30]),
            rod=FixedTranslation | Map(r=[0, -1, 0]),
            bob=SimpleBody,
            connect=[("support.frame_b", "joint.frame_a"), ("joint.frame_b", "rod.frame_a"), ("rod.frame_b", "bob.frame_a")],
        )
        x, v = np.array([[0.0, 0, 0], [2.0, distance, 0]]), np.array([[1.0, 0, 0], [0, 0, 0]])
        return instantiate(pool(x, v, mu_R=0.1) | Model(beside=beside)).simulate(2.0)

    result = both(0.3)
    hit = np.flatnonzero(np.diff(result["pool.pair0_1.collisions"]))[0]
    assert result["b1.frame_a.P.v"][hit + 1, 0] > result["b1.frame_a.P.v"][hit, 0]
    for name in ("beside.joint.Q", "beside.joint.w"):
        assert np.array_equal(result[name][hit], result[name][hit + 1])
    assert both(5.0)["pool.pair0_1.collisions"][-1] == 0


def test_three_at_one_instant() -> None:
    """The outer ones reach the middle one together: both laws hold at once. A row that touches passes the impulse on."""
    x, v = np.array([[-3.0, 0, 0], [0, 0, 0], [3, 0, 0]]), np.array([[3.0, 0, 0], [0, 0, 0], [-1, 0, 0]])
    model = pool(x, v) | Map(b0=Map(m=1.0), b1=Map(m=1.0), b2=Map(m=1.0), pool=Map(radius=[0.5, 0.5, 0.5]))
    model = model | Map(b0=Map(x_start=[-7, 0, 0]))  # the first one needs 2 s for 6 m, the last one 2 s for 2 m
    result = instantiate(model).simulate(3.0)
    assert [result[f"b{k}.frame_a.P.v"][-1, 0] for k in range(3)] == pytest.approx([-5 / 3, 4 / 3, 7 / 3], abs=1e-7)

    row = model | Map(b0=Map(x_start=[-3, 0, 0]), b2=Map(x_start=[1, 0, 0], v_start=[0, 0, 0]))
    result = instantiate(row).simulate(2.0)
    assert [result[f"b{k}.frame_a.P.v"][-1, 0] for k in range(3)] == pytest.approx([0, 0, 3], abs=1e-7)


@pytest.mark.parametrize("joint", [Revolute, Prismatic])
@pytest.mark.parametrize("turned", [False, True])
def test_an_impact_passes_a_joint(joint: Model, turned: bool) -> None:
    """A sphere hits one of two bodies with a joint between them: Lagrange's equations of the impact in all coordinates.

    The joint is the tree's branch in either direction, so that all forms of its equations are used.
    """
    lever = [0.0, 0.8, 0.0]
    hit, other = Body | Map(m=2.0, I_11=0.3, I_22=0.4, I_33=0.5), SimpleBody | Map(m=3.0, I_11=0.2, I_22=0.6, I_33=0.7)
    ends = ("b.frame_a", "a.frame_b") if turned else ("a.frame_b", "b.frame_a")
    model = Model(
        impulses=True,
        world3D=SPACE,
        hit=hit,
        a=FixedTranslation | Map(r=lever),
        b=FixedTranslation | Map(r=lever),
        joint=joint | Map(n=[0, 0, 1] if joint is Revolute else [1, 0, 0]),
        other=other,
        bullet=Body | Map(m=1.0, x_start=[-3, 0.1, 0.2], v_start=[2, 0, 0]),
        c=CollisionSphereSphere | Map(ra=0.5, rb=0.5),
        connect=[
            ("hit.frame_a", "a.frame_a", "c.frame_b"),
            (ends[0], "joint.frame_a"),
            ("joint.frame_b", ends[1]),
            ("b.frame_b", "other.frame_a"),
            ("bullet.frame_a", "c.frame_a"),
        ],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-10)
    k = np.flatnonzero(result["c.collisions"] > 0)[0]
    frames = {name: f"{name}.frame_a.P" for name in ("hit", "other", "bullet")}
    mass = {"hit": 2.0, "other": 3.0, "bullet": 1.0}
    jumps = {name: result[f"{frame}.v"][k] - result[f"{frame}.v"][k - 1] for name, frame in frames.items()}
    turns = {name: result[f"{frame}.w"][k] - result[f"{frame}.w"][k - 1] for name, frame in frames.items()}
    assert sum(mass[name] * jumps[name] for name in frames) == pytest.approx(np.zeros(3), abs=1e-9)
    inertia = {"hit": np.diag([0.3, 0.4, 0.5]), "other": np.diag([0.2, 0.6, 0.7]), "bullet": 0.001 * np.eye(3)}
    place = {name: result[f"{frame}.x"][k] for name, frame in frames.items()}
    assert sum(
        mass[name] * np.cross(place[name], jumps[name]) + inertia[name] @ turns[name] for name in frames
    ) == pytest.approx(np.zeros(3), abs=1e-9)
    axis = np.array([0.0, 0, 1])
    pivot = {"hit": np.array(lever), "other": -np.array(lever)}
    moved = {name: jumps[name] + np.cross(turns[name], pivot[name]) for name in pivot}
    if joint is Revolute:
        assert moved["hit"] == pytest.approx(moved["other"], abs=1e-9)
        assert (turns["other"] - turns["hit"])[:2] == pytest.approx([0, 0], abs=1e-9)
        torque = inertia["other"] @ turns["other"] + 3.0 * np.cross(place["other"] - place["hit"] - lever, jumps["other"])
        assert torque @ axis == pytest.approx(0.0, abs=1e-9)
    else:
        assert turns["other"] == pytest.approx(turns["hit"], abs=1e-9)
        assert (moved["other"] - moved["hit"])[1:] == pytest.approx([0, 0], abs=1e-9)
        assert jumps["other"][0] == pytest.approx(0.0, abs=1e-9)
    energy = sum(
        0.5 * mass[name] * (result[f"{frame}.v"] ** 2).sum(axis=1)
        + 0.5 * np.einsum("ti,ij,tj->t", result[f"{frame}.w"], inertia[name], result[f"{frame}.w"])
        for name, frame in frames.items()
    )
    assert energy[k] == pytest.approx(energy[k - 1], abs=1e-8)


def test_a_marble_that_rolls_is_hit() -> None:
    """A sphere that slides without friction hits a marble that rolls: the marble has 7/5 of its mass."""
    model = Model(
        impulses=True,
        world3D=SPACE,
        marble=Marble | Map(r=0.5, m=1.0, I_11=0.1, I_22=0.1, I_33=0.1),
        ball=Body | Map(m=1.4, x_start=[-3, 0.5, 0], v_start=[1, 0, 0]),
        c=CollisionSphereSphere | Map(ra=0.5, rb=0.5),
        connect=[("ball.frame_a", "c.frame_a"), ("marble.frame_b", "c.frame_b")],
    )
    result = instantiate(model).simulate(3.0)
    assert result["ball.frame_a.P.v"][-1] == pytest.approx([0, 0, 0], abs=1e-7)
    assert result["marble.frame_b.P.v"][-1] == pytest.approx([1, 0, 0], abs=1e-7)
    assert result["marble.body.frame_a.P.R"][-1].T @ result["marble.body.frame_a.P.w"][-1] == pytest.approx(
        [0, 0, -2], abs=1e-6
    )


@pytest.mark.parametrize("use_quaternions", [True, False])
def test_a_plane_that_turns_is_hit_beside_its_centre(use_quaternions: bool) -> None:
    """A free plate whose surface a ball hits at 0.7 m from its centre: one free body hits another one."""
    plate = FreeBodyMovement | Map(use_quaternions=use_quaternions, phi_start=[0, 0, 20])
    model = Model(
        impulses=True,
        world3D=SPACE,
        motion=plate,
        plate=SimpleBody | Map(m=2.0, I_11=0.5, I_22=0.6, I_33=0.7),
        ball=Body | Map(m=1.0, x_start=[0.7, 3, 0], v_start=[0, -2, 0]),
        c=CollisionSpherePlane | Map(ra=0.5),
        connect=[("motion.frame_b", "plate.frame_a", "c.frame_b"), ("ball.frame_a", "c.frame_a")],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-10)
    angle = np.radians(20)
    normal = np.array([-np.sin(angle), np.cos(angle), 0])
    k = np.flatnonzero(result["c.collisions"] > 0)[0]
    arm = np.cross(result["ball.frame_a.P.x"][k] - 0.5 * normal, normal)[2]
    push = 2 * 2.0 * np.cos(angle) / (1 / 1.0 + 1 / 2.0 + arm**2 / 0.7)
    assert result["ball.frame_a.P.v"][k] == pytest.approx([0, -2, 0] + push * normal, abs=1e-8)
    assert result["plate.frame_a.P.v"][k] == pytest.approx(-push * normal / 2, abs=1e-8)
    assert result["plate.frame_a.P.w"][k] == pytest.approx([0, 0, -push * arm / 0.7], abs=1e-8)
    assert -result["c.F_last"][k] == pytest.approx(push * normal, abs=1e-8)


def test_without_the_parameter_a_collision_is_refused() -> None:
    model = pool(np.array([[0.0, 0, 0], [3.0, 0, 0]]), np.zeros((2, 3))) | Map(impulses=False)
    with pytest.raises(ModiaError, match=r"pool\.pair0_1.*impulses need the parameter impulses=True in a model around"):
        instantiate(model).simulate(1.0)


def test_an_overlap_at_the_beginning_is_refused() -> None:
    model = pool(np.array([[0.0, 0, 0], [0.9, 0, 0]]), np.zeros((2, 3)))
    with pytest.raises(ModiaError, match=r"pool\.pair0_1.*the surfaces overlap at the beginning"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize("v", [2.0, 0.0, -2.0])
def test_injected_energy(v: float) -> None:
    """5 J into a body of 2 kg along its motion, from rest, and against it: then two impulses are possible."""
    model = Model(
        impulses=True,
        world3D=SPACE,
        body=Body | Map(m=2.0, v_start=[v, 0, 0]),
        burst=EnergyInjection | Map(n=[1, 0, 0], E=5.0),
        late=Var("time > 0.5", type="Boolean", init=False),
        connect=[("body.frame_a", "burst.frame_a"), ("late", "burst.u")],
    )
    if v < 0:
        with pytest.raises(ModiaError, match=r"burst.*energy is injected against the motion"):
            instantiate(model).simulate(1.0)
    else:
        after = instantiate(model).simulate(1.0)["body.frame_a.P.v"][-1]
        assert after == pytest.approx([np.sqrt(v**2 + 5.0), 0, 0], abs=1e-9)
