"""Springs in series without a body between: against hand-written equations, closed forms and conservation laws."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

from modia3d import (
    AbsoluteSensor,
    ActionDelete,
    ActionWait,
    Bushing,
    Formula,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    Revolute,
    Sphere,
    SpringDamperPtP,
    UniformGravity,
    Visual,
    WorldForce,
    WorldTorque,
)
from modiapy import ModelError, SimulationError, instantiate

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box


def point(*translation, parent="world"):
    """A massless point."""
    return Object3D(parent=parent, fixed_to_parent=False, translation=translation or (0.0, 0.0, 0.0))


def spring(one, two, stiffness, length=0.0, **fields):
    return SpringDamperPtP(one, two, stiffness=stiffness, nominal_length=length, **fields)


def three_springs():
    """MultiBody.Examples.Elementary.ThreeSprings."""
    return {
        "world": world(UniformGravity(n="-y")),
        "bar1": Object3D(parent="world", translation=(0.3, 0.0, 0.0)),
        "bar2": Object3D(parent="world", translation=(0.0, 0.0, 0.3)),
        "body1": body(mass=0.8, center=(0.0, -0.2, 0.0), parent="world", fixed_to_parent=False, translation=(0.5, -0.3, 0.0)),
        "point": point(),
        "spring1": spring("bar1", "point", 20.0, 0.1),
        "spring2": spring("point", "body1", 40.0, 0.1),
        "spring3": spring("bar2", "point", 20.0, 0.1),
    }


def pull(a, b, stiffness, length):
    """Force of a spring on its end at ``a``."""
    r = b - a
    return (stiffness * (1.0 - length / np.linalg.norm(r))) * r


def three_springs_by_hand(times):
    """Positions of body and point: Newton-Euler equations with the matrix R among the states, fsolve for the point."""
    one, three, centre, mass, inertia = np.array([0.3, 0, 0]), np.array([0, 0, 0.3]), np.array([0, -0.2, 0]), 0.8, 0.1
    guess = [np.array([0.1, -0.2, 0.2])]

    def balance(r):
        residual = lambda p: pull(p, one, 20.0, 0.1) + pull(p, three, 20.0, 0.1) + pull(p, r, 40.0, 0.1)  # noqa: E731
        guess[0] = fsolve(residual, guess[0], xtol=1e-11)
        return guess[0]

    def rates(t, x):
        c, v, w, R = x[:3], x[3:6], x[6:9], x[9:].reshape(3, 3)
        r = c - R @ centre
        force = pull(r, balance(r), 40.0, 0.1)
        return np.concatenate(
            [v, force / mass + (0, -9.81, 0), np.cross(r - c, force) / inertia, np.cross(w, R, axisb=0, axisc=0).ravel()]
        )

    start = np.concatenate([(0.5, -0.5, 0.0), np.zeros(6), np.eye(3).ravel()])
    solution = solve_ivp(rates, (0.0, times[-1]), start, t_eval=times, rtol=1e-10, atol=1e-11)
    r = np.array([x[:3] - x[9:].reshape(3, 3) @ centre for x in solution.y.T])
    return r, np.array([balance(position) for position in r])


def test_three_springs_move_as_equations_written_by_hand():
    result = instantiate(Model3D(**three_springs())).simulate(2.0, tolerance=1e-10, interval=0.05)
    times = np.linspace(0.0, 2.0, 41)
    body_r, point_r = three_springs_by_hand(times)
    assert result["body1.r_abs"] == pytest.approx(body_r, abs=1e-6)
    assert result["point.r_abs"] == pytest.approx(point_r, abs=1e-6)


def test_every_signal_of_the_result_can_be_read():
    result = run(0.1, **three_springs())
    assert all(len(values) == len(result.time) for values in dict(result).values())


def test_three_springs_keep_the_energy_wherever_the_search_begins():
    starts = (), (0.1, -0.2, 0.2), (0.4, -0.1, 0.1)
    results = [run(10.0, **(three_springs() | {"point": point(*start)})) for start in starts]
    for result in results:
        assert_constant(energy(result), 1e-7)
        assert result["body1.r_abs"] == pytest.approx(results[0]["body1.r_abs"], abs=1e-5)
    close = run(2.0, points=400, **three_springs())
    velocity = np.gradient(close["point.r_abs"], close.time, axis=0)
    assert close["point.v_abs"][5:-5] == pytest.approx(velocity[5:-5], abs=1e-3)


@pytest.mark.parametrize("n", [2, 5])
def test_equal_springs_in_series_are_one_of_a_fraction_of_the_stiffness(n):
    """A box hung up by n springs swings up and down about its rest with ``sqrt(c / (n m))``; the springs go slack at times."""
    stiffness, mass, length, g = 200.0, 0.5, 0.1, 9.81
    names = ["world", *(f"p{i}" for i in range(1, n)), "box"]
    result = run(
        3.0,
        world=world(UniformGravity(n="x")),
        box=body(mass=mass),
        joint=Prismatic("world", "box", "x", s=n * length + 0.02),
        **{name: point() for name in names[1:-1]},
        **{f"spring{i}": spring(names[i], names[i + 1], stiffness, length) for i in range(n)},
    )
    rest, omega = n * length + mass * g * n / stiffness, math.sqrt(stiffness / n / mass)
    s = rest + (n * length + 0.02 - rest) * np.cos(omega * result.time)
    assert result["joint.s"] == pytest.approx(s, abs=1e-7)
    for i in range(1, n):
        assert result[f"p{i}.r_abs"][:, 0] == pytest.approx(s * i / n, abs=1e-7)
        assert result[f"p{i}.v_abs"][:, 0] == pytest.approx(result["joint.v"] * i / n, abs=1e-6)
    assert_constant(energy(result), 1e-7)


@pytest.mark.parametrize("hard", [1e4, 1e6])
def test_hard_springs_at_the_ends_of_a_soft_one_are_rods(hard):
    """A box swings on a row of three: as on one spring, longer by both hard ones; all springs stay in line."""
    swinging = {"box": free(translation=(0.6, -0.5, 0.1), velocity=(0.2, 0.0, 0.5)), "world": world(UniformGravity(n="-y"))}
    e = np.array([0.6, -0.5, 0.1]) / math.sqrt(0.62)
    row = run(
        1.0,
        tolerance=1e-8,
        **swinging,
        p=point(*(0.3 * e)),
        q=point(*((math.sqrt(0.62) - 0.3) * e)),
        a=spring("world", "p", hard, 0.3),
        b=spring("p", "q", 20.0, 0.1),
        c=spring("q", "box", hard, 0.3),
    )
    one = run(1.0, tolerance=1e-8, **swinging, a=spring("world", "box", 1.0 / (1.0 / 20.0 + 2.0 / hard), 0.7))
    r, v = one["box.r_abs"], one["box.v_abs"]
    assert row["box.r_abs"] == pytest.approx(r, abs=1e-6)
    length = np.linalg.norm(r, axis=1)[:, None]
    e = r / length
    force = (length - 0.7) / (1.0 / 20.0 + 2.0 / hard)
    assert row["p.r_abs"] == pytest.approx((0.3 + force / hard) * e, abs=1e-6)
    across = v - e * np.sum(e * v, axis=1)[:, None]
    slow = 20.0 / (20.0 * 2.0 + hard)
    assert row["p.v_abs"] == pytest.approx((0.3 + force / hard) / length * across + slow * (v - across), abs=1e-5)


def test_springs_without_tension_pass_through_slack():
    """Two springs of length 0 and pretension 0 in a row, beyond the point where their tension changes its sign."""
    result = run(
        2.0,
        world=world(),
        box=body(mass=1.0),
        joint=Prismatic("world", "box", "x", s=0.5),
        point=point(),
        one=spring("world", "point", 30.0, 0.2),
        two=spring("point", "box", 60.0, 0.2),
    )
    assert result["joint.s"] == pytest.approx(0.4 + 0.1 * np.cos(math.sqrt(20.0) * result.time), abs=1e-7)


def test_nonlinear_springs_and_a_force_at_points_keep_the_energy():
    """Springs between two points and three bodies, one of them hardening; the force does work, which is counted by hand."""
    force = np.array([0.5, -0.3, 0.2])
    result = run(
        2.0,
        world=world(),
        left=free(mass=1.0, translation=(-0.5, 0.2, 0.0), velocity=(0.0, 0.3, 0.1), angular_velocity=(1.0, 0.5, 0.2)),
        hook=Object3D(parent="left", translation=(0.1, 0.1, 0.0)),
        right=free(mass=2.0, translation=(0.6, 0.0, 0.1), velocity=(0.2, 0.0, 0.0)),
        a=point(),
        b=point(),
        s1=spring("world", "a", 20.0),
        s2=spring("a", "hook", Formula("30*u + 500*u**3")),
        s3=spring("a", "b", 50.0),
        s4=spring("right", "b", 25.0, nominal_force=1.0),
        s5=spring("b", "hook", 10.0),
        f=WorldForce("b", force),
    )
    total = energy(result) - result["b.r_abs"] @ force
    assert_constant(total, 1e-7)
    assert np.ptp(result["mechanics.kinetic_energy"]) > 0.3


def test_momentum_is_kept_between_free_bodies():
    result = run(
        2.0,
        world=world(),
        one=free(mass=1.0, velocity=(0.1, 0.4, 0.0)),
        two=free(mass=3.0, translation=(0.9, 0.1, 0.2), angular_velocity=(0.5, 0.4, -1.0)),
        corner=Object3D(parent="two", translation=(0.1, -0.2, 0.0)),
        point=point(),
        s1=spring("one", "point", Formula("30*u + 50*u**2")),
        s2=spring("point", "corner", 20.0),
        s3=spring("two", "point", 20.0),
    )
    assert_constant(result["mechanics.momentum"], 1e-8)
    assert_constant(result["mechanics.angular_momentum"], 1e-7)
    assert_constant(energy(result), 1e-7)
    assert result["mechanics.momentum_rate"] == pytest.approx(np.zeros((len(result.time), 3)), abs=1e-8)


def test_points_go_on_where_they_were_when_the_structure_changes():
    """An arm with a flange-free joint and springs; a bystander is deleted, then what pulls at the point."""

    def program(actions):
        ActionWait(actions, 0.7)
        ActionDelete(actions, "bystander")
        ActionWait(actions, 0.7)
        ActionDelete(actions, "load")

    parts = {
        "world": world(UniformGravity(n="-z")),
        "arm": body(center=(0.0, 0.0, -0.5)),
        "joint": Revolute("world", "arm", "y", phi=0.5),
        "tip": Object3D(parent="arm", translation=(0.0, 0.0, -1.0)),
        "load": free(mass=0.5, translation=(1.0, 0.0, -1.5), assembly_root=True),
        "point": point(),
        "s1": spring("tip", "point", 40.0, 0.2),
        "s2": spring("point", "load", 40.0, 0.2),
        "bystander": free(assembly_root=True, translation=(5.0, 0.0, 0.0)),
    }
    result = run(2.0, **parts, actions=ModelActions(program))
    undisturbed = run(2.0, **{name: part for name, part in parts.items() if name != "bystander"})
    early = result.time < 1.4
    paths = [np.interp(result.time[early], undisturbed.time, undisturbed["point.r_abs"][:, k]) for k in range(3)]
    expected = np.stack(paths, axis=1)
    assert result["point.r_abs"][early] == pytest.approx(expected, abs=1e-2)
    last = result.segment(len(result.segments))
    alone = energy(result)[result.time > 1.4 + 1e-9]
    assert_constant(alone, 1e-7)
    assert np.isnan(result["point.r_abs"][-1]).all()
    assert "point.r_abs" not in last


def test_what_cannot_be_is_refused_by_name():
    def refused(match, **entries):
        common = {"world": world(), "box": free(translation=(1.0, 0.0, 0.0)), "p": point()}
        with pytest.raises(ModelError, match=match):
            instantiate(Model3D(**(common | entries)))

    s1, s2 = spring("world", "p", 1.0), spring("p", "box", 1.0)
    refused(r"'b' cannot act at the massless point 'p'.*a torque", s1=s1, s2=s2, b=Bushing("p", "box", (1, 1, 1)))
    refused(r"'t' cannot act at the massless point 'p'.*a torque", s1=s1, s2=s2, t=WorldTorque("p", (1, 0, 0)))
    turned = WorldForce("p", (1, 0, 0), "p")
    refused(r"'f' cannot act at the massless point 'p'.*directions of the point", s1=s1, s2=s2, f=turned)
    refused(r"p: a massless point is undetermined.*one force element, 's1'", s1=s1)
    seen = Object3D(parent="world", fixed_to_parent=False, feature=Visual(shape=Sphere(0.1)))
    refused(r"p: a massless point has more than a position.*a feature", s1=s1, s2=s2, p=seen)
    refused(r"p: an assembly that can move freely has no mass")
    refused(r"eye: 'p' is a massless point, which neither sensors nor", s1=s1, s2=s2, eye=AbsoluteSensor("p"))
    rod = spring("p", "box", 1e7)
    refused(
        r"p: the springs at a massless point differ too much.*1e\+07 N/m of 's2'.*Leave out 's2'.*small mass", s1=s1, s2=rod
    )
    pull = WorldForce("p", ("sin(time)", "0", "0"))
    refused(r"pull: 'p' is a massless point, which neither sensors nor", s1=s1, s2=s2, pull=pull)
    refused(r"p: an assembly that can move freely has no mass", s1=s1, s2=s2, child=Object3D(parent="p"))


@pytest.mark.parametrize("damped", [0, 1, 2])
def test_springs_that_begin_pushed_together_are_refused(damped):
    """Whatever other points there are before the one between them."""
    parts = {"world": world(), "box": free(translation=(0.3, 0.0, 0.0))}
    for k in range(damped):
        parts |= {f"still{k}": point(0.0, 1.0 + k, 0.0), f"to{k}": spring("world", f"still{k}", 20.0, 0.1, damping=1.0)}
        parts |= {f"from{k}": spring(f"still{k}", "box", 20.0, 0.1, damping=1.0)}
    parts |= {"p": point(), "a": spring("world", "p", 20.0, 0.2), "b": spring("p", "box", 20.0, 0.2)}
    with pytest.raises(SimulationError, match=r" p: .*not stable[\s\S]*translation.*Solid with mass.*LineForce"):
        instantiate(Model3D(**parts)).simulate(1.0)


@pytest.mark.parametrize(
    ("solver", "others"),
    [*((solver, n) for n in (0, 1, 3) for solver in ("cvode", "adams", "chebyshev")), ("sundae", 1), ("scipy", 1)],
)
def test_forces_that_cannot_be_balanced_stop_the_simulation_by_name(solver, others):
    """Springs that never pull with more than 1 N each cannot hold a force of 3 N; other points before are held.

    These make the search fail earlier, but for what is near: steps that come nearer and nearer to the end are given up soon.
    """
    held = {}
    for k in range(others):
        held |= {f"still{k}": point(0.5, 0.0, 0.0), f"to{k}": spring("world", f"still{k}", 20.0, 0.1)}
        held |= {f"from{k}": spring(f"still{k}", "box", 20.0, 0.1)}
    model = Model3D(
        world=world(),
        box=free(translation=(1.0, 0.0, 0.0)),
        **held,
        p=point(),
        s1=spring("world", "p", Formula("tanh(u)")),
        s2=spring("p", "box", Formula("tanh(u)")),
        f=WorldForce("p", (0.0, Formula("3*t", "t"), 0.0)),
    )
    with pytest.raises(SimulationError, match=r"at time 0\.[67].*massless point 'p' cannot be balanced") as error:
        instantiate(model).simulate(2.0, solver=solver)
    assert error.value.path == "p"
    assert error.value.time == pytest.approx(2.0 / 3.0, rel=0.02)
    assert error.value.result.statistics["steps"] < 2000


@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("deleted", ["slider", "load"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_row_of_springs_whose_end_is_deleted_is_gone(count, deleted, damping):
    """Its points are nowhere, NaN; what is left at the other end moves without a force, and feels nothing of the row."""

    def program(actions):
        ActionWait(actions, 0.1)
        ActionDelete(actions, deleted)

    names = ["slider", *(f"p{k}" for k in range(count)), "load"]
    springs = {
        f"s{k}": spring(one, two, 20.0 + 10.0 * k, 0.3, damping=damping)
        for k, (one, two) in enumerate(itertools.pairwise(names))
    }
    result = run(
        0.3,
        world=world(),
        slider=free(mass=1.0, assembly_root=True),
        load=free(mass=2.0, translation=(2.0, 0.3, 0.0), assembly_root=True),
        actions=ModelActions(program),
        **{f"p{k}": point(2.0 * (k + 1) / (count + 1), 0.1, 0.0) for k in range(count)},
        **springs,
    )
    left, over = {"slider": "load", "load": "slider"}[deleted], result.time > 0.1 + 1e-9
    for k in range(count):
        assert np.isfinite(result[f"p{k}.r_abs"][result.time < 0.1]).all()
        assert np.isnan(result[f"p{k}.r_abs"][over]).all()
    assert np.isnan(result[f"{deleted}.r_abs"][over]).all()
    assert np.abs(result[f"{left}.v_abs"][-1]).max() > 0.01
    assert np.abs(result[f"{left}.a_abs"][over]).max() < 1e-12
    assert np.ptp(result[f"{left}.v_abs"][over], axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    last = result.segment(len(result.segments))
    assert last["mechanics.potential_energy"] == pytest.approx(np.zeros(len(last.time)), abs=1e-12)
