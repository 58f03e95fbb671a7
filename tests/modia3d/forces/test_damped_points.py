"""Dampers at massless points, which make their positions states: closed forms, energy, the limit of small masses, changes."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

from modia3d import (
    ActionDelete,
    ActionWait,
    Formula,
    LineForce,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    SpringDamperPtP,
    UniformGravity,
    WorldForce,
)
from modiapy import Map, ModelError, SimulationError, Var, instantiate
from modiapy.library import translational

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box


def point(x=0.0, y=0.0, z=0.0):
    """A massless point."""
    return Object3D(parent="world", fixed_to_parent=False, translation=(x, y, z))


def element(one, two, stiffness=0.0, damping=0.0, length=0.0):
    return SpringDamperPtP(one, two, stiffness=stiffness, damping=damping, nominal_length=length)


def box_on_rail(**entries):
    """A box of 1 kg on a rail along x, from x = 1.2 m."""
    return {"world": world(), "box": body(mass=1.0), "joint": Prismatic("world", "box", "x", s=1.2)} | entries


def unaccounted(result):
    """What is missing in the energy, with what dampers take, over time, relative to what they take in all."""
    loss = CubicSpline(result.time, result["mechanics.dissipated_power"]).antiderivative()(result.time)
    total = energy(result) + loss
    return np.abs(total - total[0]).max() / loss[-1]


# -- closed forms -----------------------------------------------------------------------------------------------------------


def test_a_spring_behind_a_damper_is_a_maxwell_element():
    """``s'' = -k (s - p - l)``, ``d p' = k (s - p - l)``."""
    k, d, length = 50.0, 4.0, 0.5
    result = run(
        3.0, **box_on_rail(p=point(0.5), damper=element("world", "p", 0.0, d), spring=element("p", "box", k, 0.0, length))
    )
    A = np.array([[0.0, 1.0, 0.0], [-k, 0.0, k], [k / d, 0.0, -k / d]])
    b = np.array([0.0, k * length, -k * length / d])
    by_hand = solve_ivp(lambda t, x: A @ x + b, (0.0, 3.0), [1.2, 0.0, 0.5], t_eval=result.time, rtol=1e-11, atol=1e-12)
    assert result["joint.s"] == pytest.approx(by_hand.y[0], abs=1e-8)
    assert result["p.r_abs"][:, 0] == pytest.approx(by_hand.y[2], abs=1e-8)
    assert result["p.v_abs"][:, 0] == pytest.approx((A @ by_hand.y + b[:, None])[2], abs=1e-7)
    assert result["p.displacement.x"][0] == 0.0
    assert result["p.displacement.x"] == pytest.approx(by_hand.y[2] - 0.5, abs=1e-8)


def test_a_creeping_zener_element_relaxes_with_its_time_constant():
    """Spring k1 in series with spring k2 beside damper d, both ends held: tau = d / (k1 + k2)."""
    k1, k2, d = 30.0, 70.0, 5.0
    result = run(
        0.3,
        world=world(UniformGravity(g=0.0)),
        end=Object3D(parent="world", translation=(0.6, 0.8, 0.0)),
        p=point(0.3, 0.4, 0.0),
        one=element("world", "p", k1),
        two=element("p", "end", k2, d),
        box=free(),
    )
    along = result["p.r_abs"] @ (0.6, 0.8, 0.0)
    rest = k2 / (k1 + k2)
    assert along == pytest.approx(rest + (0.5 - rest) * np.exp(-result.time * (k1 + k2) / d), abs=1e-8)
    assert result["p.r_abs"] @ (-0.8, 0.6, 0.0) == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("n", [2, 4])
def test_equal_spring_dampers_in_series_are_one_of_a_fraction_of_both_constants(n):
    k, d, g, m = 200.0, 6.0, 9.81, 0.5
    names = ["world", *(f"p{i}" for i in range(1, n)), "box"]
    result = run(
        2.0,
        world=world(UniformGravity(n="x")),
        box=body(mass=m),
        joint=Prismatic("world", "box", "x", s=0.3),
        **{name: point() for name in names[1:-1]},
        **{f"s{i}": element(names[i], names[i + 1], k, d, 0.1) for i in range(n)},
    )
    rest, decay = n * 0.1 + m * g * n / k, d / n / (2 * m)
    omega = math.sqrt(k / n / m - decay**2)
    t = result.time
    s = rest + (0.3 - rest) * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    assert result["joint.s"] == pytest.approx(s, abs=1e-8)
    for i in range(1, n):
        assert result[f"p{i}.r_abs"][:, 0] == pytest.approx(s * i / n, abs=1e-8)


def test_a_quadratic_damper_gives_way_by_the_root_of_the_force():
    """A force of 3 N at a point between a damper ``5 v |v|`` and a slack spring: speed ``sqrt(3 / 5)``."""
    result = run(
        0.5,
        world=world(),
        end=Object3D(parent="world", translation=(9.0, 0.0, 0.0)),
        p=point(0.5),
        damper=element("world", "p", 0.0, Formula("5*v*abs(v)", "v")),
        slack=element("p", "end", 0.0),
        f=WorldForce("p", (3.0, 0.0, 0.0)),
        box=free(),
    )
    assert result["p.r_abs"][:, 0] == pytest.approx(0.5 + math.sqrt(0.6) * result.time, abs=1e-8)


# -- energy and motion in space ---------------------------------------------------------------------------------------------


def hanging(d1, d2, d3):
    """Three springs with dampers from two hooks to a body that swings."""
    return {
        "world": world(UniformGravity(n="-y")),
        "bar1": Object3D(parent="world", translation=(0.3, 0.0, 0.0)),
        "bar2": Object3D(parent="world", translation=(0.0, 0.0, 0.3)),
        "body1": free(mass=0.8, center=(0.0, -0.2, 0.0), translation=(0.5, -0.3, 0.0)),
        "p": point(0.2, -0.1, 0.1),
        "s1": element("bar1", "p", 20.0, d1, 0.1),
        "s2": element("p", "body1", 40.0, d2, 0.1),
        "s3": element("bar2", "p", 20.0, d3, 0.1),
    }


SCENES = {
    "one of three dampers": hanging(3.0, 0.0, 0.0),
    "another": hanging(0.0, 3.0, 0.0),
    "two of three": hanging(3.0, 3.0, 0.0),
    "two in a row that swing": {
        "world": world(UniformGravity(n="-y")),
        "box": free(translation=(0.6, -0.5, 0.1), velocity=(0.2, 0.0, 0.5)),
        "p": point(),
        "a": element("world", "p", 100.0, 3.0, 0.3),
        "b": element("p", "box", 150.0, 5.0, 0.3),
    },
    "two points, nonlinear": {
        "world": world(UniformGravity(n="-y")),
        "box": free(translation=(0.9, -0.9, 0.1), angular_velocity=(1.0, 0.0, 0.4)),
        "corner": Object3D(parent="box", translation=(0.05, 0.05, 0.0)),
        "p": point(0.3, -0.3, 0.0),
        "q": point(0.6, -0.6, 0.0),
        "a": element("world", "p", 100.0, Formula("3*v + v**3", "v"), 0.2),
        "b": element("p", "q", 100.0, 2.0, 0.2),
        "c": element("q", "corner", Formula("90*u + 200*u**3"), 0.0, 0.2),
    },
}


@pytest.mark.parametrize("scene", SCENES)
def test_energy_is_what_dampers_leave(scene):
    result = instantiate(Model3D(**SCENES[scene])).simulate(2.0, tolerance=1e-10, interval=1e-3)
    assert unaccounted(result) < 1e-6
    velocity = CubicSpline(result.time, result["p.r_abs"]).derivative()(result.time)
    assert result["p.v_abs"][9:-9] == pytest.approx(velocity[9:-9], abs=1e-3)


def test_what_is_in_a_row_stays_in_a_line():
    result = run(2.0, **SCENES["two in a row that swing"])
    e = result["box.r_abs"] / np.linalg.norm(result["box.r_abs"], axis=1)[:, None]
    p = result["p.r_abs"]
    assert p - e * np.sum(e * p, axis=1)[:, None] == pytest.approx(0.0, abs=1e-9)


def test_a_point_off_the_plane_of_its_three_dampers_falls_into_it():
    """There the dampers do not resist across the plane, so that tension takes the point there in finite time."""
    result = instantiate(Model3D(**hanging(3.0, 2.0, 1.0))).simulate(1.0, tolerance=1e-8, interval=1e-3)
    sides = np.stack([result["body1.r_abs"], np.tile((0.3, 0.0, 0.0), (len(result.time), 1)), result["p.r_abs"]], axis=1)
    volume = np.linalg.det(sides - (0.0, 0.0, 0.3))
    assert abs(volume[0]) > 1e-3
    assert volume[result.time > 0.1] == pytest.approx(0.0, abs=1e-6)
    assert result.statistics["rhs_evaluations"] < 5000


IN_A_ROW = SCENES["two in a row that swing"]


@pytest.mark.parametrize(
    ("parts", "tolerance"),
    [
        (IN_A_ROW | {"f": WorldForce("p", (0.3, 0.1, 0.2))}, 1e-6),  # begins straight, where dampers do not resist across
        (IN_A_ROW | {"c": element("p", "world", 0.0, 0.1), "p": point(0.3, 0.1, 0.2)}, 1e-6),  # begins with a kink
        (hanging(3.0, 2.0, 1.0), 1e-6),
    ],
)
def test_what_dampers_do_not_hold_across_does_not_depend_on_the_tolerance(parts, tolerance):
    rough, fine = (instantiate(Model3D(**parts)).simulate(1.0, tolerance=t, interval=1e-2) for t in (tolerance, 1e-9))
    body_name = "box" if "box" in parts else "body1"
    for name in ("p.r_abs", f"{body_name}.r_abs"):
        assert rough[name][1:] == pytest.approx(fine[name][1:], abs=100 * tolerance)


def test_points_that_dampers_do_not_hold_keep_the_momentum():
    """Two bodies and a point that falls into the plane of its three dampers: what the friction takes there is small.

    It has no reaction on the bodies (docs/forces.md): 2.9e-4 at any tolerance from 1e-7 to 1e-10, so that the bound cannot be
    that of the integrator.
    """
    result = run(
        1.0,
        tolerance=1e-9,
        world=world(),
        one=free(velocity=(0.1, 0.4, 0.0)),
        two=free(mass=3.0, translation=(0.9, 0.1, 0.2), angular_velocity=(0.5, 0.4, -1.0)),
        corner=Object3D(parent="two", translation=(0.1, -0.2, 0.0)),
        p=point(0.4, 0.2, 0.3),
        a=element("one", "p", 40.0, 2.0),
        b=element("p", "corner", 40.0, 3.0),
        c=element("two", "p", 30.0, 1.0),
    )
    assert_constant(result["mechanics.momentum"], 5e-4)
    assert_constant(result["mechanics.angular_momentum"], 5e-4)


def test_a_force_that_changes_moves_the_point():
    result = instantiate(Model3D(**hanging(3.0, 0.0, 0.0), f=WorldForce("p", (Formula("sin(3*t)", "t"), 0.5, 0.0)))).simulate(
        1.0, tolerance=1e-10, interval=1e-3
    )
    velocity = CubicSpline(result.time, result["p.r_abs"]).derivative()(result.time)
    assert result["p.v_abs"][9:-9] == pytest.approx(velocity[9:-9], abs=1e-4)


def test_small_masses_tend_to_the_massless_point():
    """The error of a body in the place of the point is proportional to its mass."""

    def motion(middle):
        parts = {"p": middle, "a": element("world", "p", 50.0, 4.0, 0.3), "b": element("p", "box", 80.0, 2.0, 0.3)}
        return run(1.0, **box_on_rail(**parts))["joint.s"]

    exact, masses = motion(point(0.5)), np.array([1e-2, 1e-3, 1e-4])
    errors = [
        np.abs(motion(free(mass=mass, inertia=mass, translation=(0.5, 0.0, 0.0))) - exact).max() for mass in masses.tolist()
    ]
    exponent = np.polyfit(np.log(masses), np.log(errors), 1)[0]
    assert exponent == pytest.approx(1.0, abs=0.05)
    assert errors[-1] < 1e-4


# -- changes of structure, snapshots ----------------------------------------------------------------------------------------


def arm_and_loads(joint):
    """A pendulum, two loads and two damped points between them; a bystander is deleted, then a load."""

    def program(actions):
        ActionWait(actions, 0.5)
        ActionDelete(actions, "bystander")
        ActionWait(actions, 0.5)
        ActionDelete(actions, "load")

    return Model3D(
        world=world(UniformGravity(n="-z")),
        arm=body(center=(0.0, 0.0, -0.5)),
        joint=joint,
        tip=Object3D(parent="arm", translation=(0.0, 0.0, -1.0)),
        load=free(mass=0.5, translation=(1.0, 0.0, -1.5), assembly_root=True),
        other=free(mass=0.5, translation=(0.0, 0.0, -1.5), assembly_root=True),
        bystander=free(assembly_root=True, translation=(5.0, 0.0, 0.0)),
        q=point(),
        q1=element("load", "q", 20.0, 1.0),
        q2=element("q", "world", 20.0, 1.0),
        p=point(),
        s1=element("tip", "p", 40.0, 2.0, 0.2),
        s2=element("p", "load", 40.0, 0.0, 0.2),
        s3=element("p", "other", 40.0, 1.0, 0.2),
        actions=ModelActions(program),
    )


PASSIVE = Revolute("world", "arm", "y", phi=0.5)


@pytest.fixture(scope="module")
def changing():
    return instantiate(arm_and_loads(PASSIVE)).simulate(1.5, tolerance=1e-9, interval=1e-3)


def test_a_state_goes_on_through_changes_of_structure(changing):
    p, q, after = changing["p.r_abs"], changing["q.r_abs"], changing.time > 1.0 + 1e-9
    for k in np.flatnonzero(np.diff(changing.time) == 0.0):
        assert p[k + 1] == pytest.approx(p[k], abs=1e-9)
        if changing.time[k] < 0.9:
            assert q[k + 1] == pytest.approx(q[k], abs=1e-9)
    assert np.isnan(q[after]).all()
    assert np.isfinite(p).all()
    tip, other = changing["tip.r_abs"][-1], changing["other.r_abs"][-1]
    assert np.cross(p[-1] - tip, other - tip) == pytest.approx(np.zeros(3), abs=1e-6)  # two are left: they are in line


def test_the_same_with_a_flange(changing):
    result = instantiate(arm_and_loads(RevoluteWithFlange("world", "arm", "y", phi=Var(init=0.5)))).simulate(
        1.5, tolerance=1e-9, interval=1e-3
    )
    for name in ("other.r_abs", "p.r_abs", "tip.v_abs"):
        assert result[name][-1] == pytest.approx(changing[name][-1], abs=1e-5)


def test_a_loose_tolerance_loses_no_more_than_it_says(changing):
    """The arm pulls the kink through straight again and again, where the dampers do not resist across."""
    result = instantiate(arm_and_loads(PASSIVE)).simulate(1.5, tolerance=1e-4, interval=1e-3)
    assert result["other.r_abs"] == pytest.approx(changing["other.r_abs"], abs=0.02)


@pytest.mark.parametrize("stop", [0.3, 1.2])
def test_a_snapshot_goes_on_alike(changing, tmp_path, stop):
    first = instantiate(arm_and_loads(PASSIVE))
    first.simulate(stop, tolerance=1e-9)
    first.save(tmp_path / "state")
    second = instantiate(arm_and_loads(PASSIVE))
    second.restore(tmp_path / "state")
    result = second.simulate(1.5)
    assert result["other.r_abs"][-1] == pytest.approx(changing["other.r_abs"][-1], abs=1e-6)
    assert result["p.r_abs"][-1] == pytest.approx(changing["p.r_abs"][-1], abs=1e-6)


def test_stored_results_have_the_points_of_each_segment(changing, tmp_path):
    stored = instantiate(arm_and_loads(PASSIVE)).simulate(1.5, tolerance=1e-9, interval=1e-3, output=tmp_path / "result.h5")
    for name in ("p.r_abs", "p.v_abs", "q.r_abs"):
        assert np.array_equal(stored[name], changing[name], equal_nan=True)


@pytest.mark.parametrize("solver", ["sundae", "scipy"])
def test_other_solvers_agree(changing, solver):
    result = instantiate(arm_and_loads(PASSIVE)).simulate(0.9, tolerance=1e-9, solver=solver)
    k = np.searchsorted(changing.time, 0.9 - 1e-9)
    assert result["p.r_abs"][-1] == pytest.approx(changing["p.r_abs"][k], abs=1e-5)


# -- what a user gets wrong ---------------------------------------------------------------------------------------------------


def test_a_damper_that_holds_no_more_than_one_newton_cannot_hold_a_spring_of_four():
    damper = element("p", "box", 0.0, Formula("tanh(v)", "v"))
    model = Model3D(**box_on_rail(p=point(0.5), s=element("world", "p", 10.0, 0.0, 0.1), d=damper))
    with pytest.raises(SimulationError, match="massless point 'p' cannot be balanced"):
        instantiate(model).simulate(1.0)


def test_a_line_force_at_a_point_is_refused_with_what_does_the_same():
    model = Model3D(
        **box_on_rail(
            p=point(0.5),
            one=element("world", "p", 10.0),
            two=element("world", "p", 10.0, 1.0),
            line=LineForce("p", "box"),
            damper=translational.Damper | Map(d=2.0),
            connect=[("line.flange_a", "damper.flange_a"), ("line.flange_b", "damper.flange_b")],
        )
    )
    with pytest.raises(ModelError, match=r"line\S*: 'p' is a massless point.*between both flanges of one LineForce"):
        instantiate(model)


@pytest.mark.parametrize("bystanders", [0, 3, 60])
def test_bodies_on_which_no_damper_acts_take_no_part(bystanders):
    """However many there are: each goes straight on, and point and box move as without them."""
    parts = {"world": world(), "box": free(translation=(0.3, 0.0, 0.0)), "p": point(0.1, 0.05)}
    parts |= {"a": element("world", "p", 20.0, 1.0, 0.05), "b": element("p", "box", 20.0, 1.0, 0.05)}
    alone = run(0.5, **parts, tolerance=1e-9)
    start, speed = np.array([-1.0, -2.0, -3.0]), np.array([-0.1, -0.2, -0.3])
    others = {f"other{k}": free(translation=start - k, velocity=speed) for k in range(bystanders)}
    result = run(0.5, **parts, **others, tolerance=1e-9)
    for k in range(bystanders):
        place = np.column_stack([result[f"other{k}.r[{i}]"] for i in range(3)])
        np.testing.assert_allclose(place, start - k + np.outer(result.time, speed), rtol=0.0, atol=1e-11)
    for name in ("box.r[0]", "box.r[1]", "box.r[2]"):
        np.testing.assert_allclose(result[name], alone[name], rtol=0.0, atol=1e-7)
    assert result.statistics["steps"] < 1.5 * alone.statistics["steps"]
