"""Forces along a line through flanges, with masses on the line: against springs, closed forms, Lagrange's equations, energy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import (
    ActionDelete,
    Box,
    EventAfterPeriod,
    LineForce,
    LineForceWithMass,
    LineForceWithTwoMasses,
    Model3D,
    ModelActions,
    Object3D,
    PointGravity,
    Revolute,
    RevoluteWithFlange,
    Solid,
    SolidMaterial,
    SpringDamperPtP,
    UniformGravity,
)
from modia3d.files import read_scenario
from modiapy import Map, ModelError, Var, instantiate
from modiapy.library import translational

from ..scenes import body, energy, free, run, world

pytestmark = pytest.mark.white_box

G = 9.80665


def earth():
    return world(UniformGravity(G, "-y"))


def on_the_line(component):
    """A component between the flanges of `line`."""
    return {"part": component, "connect": [("line.flange_a", "part.flange_a"), ("line.flange_b", "part.flange_b")]}


def system(**more):
    """An arm on a joint with a flange and a ball that flies; both off their centres of mass."""
    return {
        "world": earth(),
        "arm": body(center=(0.2, 0.0, 0.0)),
        "rev": RevoluteWithFlange("world", "arm", "z", w=Var(init=1.0)),
        "end": Object3D(parent="arm", translation=(0.4, 0.0, 0.0)),
        "ball": free(translation=(1.5, 0.3, 0.2), velocity=(0, 1, 0.5), angular_velocity=(1, 0, 2), center=(0.05, 0, 0)),
        "tip": Object3D(parent="ball", translation=(0.0, 0.1, 0.0)),
        **more,
    }


def test_spring_and_damper_of_the_library_are_a_spring_damper():
    part = translational.SpringDamper | Map(c=50.0, d=2.0, s_rel0=1.0)
    line = run(1.0, **system(line=LineForce("end", "tip"), **on_the_line(part)))
    spring = run(1.0, **system(spring=SpringDamperPtP("end", "tip", stiffness=50.0, damping=2.0, nominal_length=1.0)))
    for name in ("ball.r_abs", "rev.phi", "rev.w"):
        assert line[name] == pytest.approx(spring[name], abs=1e-8)
    assert line["part.s_rel"] == pytest.approx(np.linalg.norm(line["tip.r_abs"] - line["end.r_abs"], axis=1), abs=1e-9)


@pytest.mark.parametrize(
    "line",
    [LineForceWithMass("end", "tip", 0.7, 0.3), LineForceWithTwoMasses("end", "tip", 0.7, 0.4, 0.1, 0.2)],
    ids=["one mass", "two masses"],
)
def test_energy_with_masses_on_the_line(line):
    result = run(1.5, **system(line=line, **on_the_line(translational.Spring | Map(c=50.0, s_rel0=1.0))))
    of_spring = 25.0 * (result["part.s_rel"] - 1.0) ** 2
    total = energy(result) + result["line.kinetic_energy"] + result["line.potential_energy"] + of_spring
    assert np.ptp(total) < 2e-7 * np.abs(total).max()
    assert np.ptp(energy(result)) > 1.0


def test_point_mass_hanging_on_a_spring_with_mass():
    """`SpringWithMass` of the Modelica library: half the way and half the speed of the body for the mass of the spring."""
    m, of_spring, c, s_0 = 1.0, 0.5, 40.0, 0.2
    result = run(
        2.0,
        world=earth(),
        body=free(mass=m, translation=(0.0, -0.3, 0.0)),
        line=LineForceWithMass("world", "body", of_spring),
        **on_the_line(translational.Spring | Map(c=c, s_rel0=s_0)),
    )
    effective, rest = m + of_spring / 4.0, s_0 + (m + of_spring / 2.0) * G / c
    expected = rest + (0.3 - rest) * np.cos(math.sqrt(c / effective) * result.time)
    assert result["line.line.s"] == pytest.approx(expected, abs=1e-7)


def cylinder(phi, w, m, l, L_a, L_b, d):
    """Acceleration of the `LineForceWithTwoMasses` of the Modelica library by Lagrange's equation in the joint's angle."""
    side = l / 20.0
    mass = 7700.0 * l * side * side
    inertia = mass * (l * l + side * side) / 12.0 + mass * l * l / 4.0

    def geometry(phi):
        b = l * np.array((np.cos(phi), np.sin(phi)))
        db = l * np.array((-np.sin(phi), np.cos(phi)))
        r = b + (0.0, 1.2)
        length = np.sqrt(r @ r)
        e = r / length
        dlength = e @ db
        return b, db, e, (db - e * dlength) / length, dlength

    def inertia_and_potential(phi):
        b, db, e, de, _ = geometry(phi)
        two = db - L_b * de
        total = inertia + m * (L_a * de @ (L_a * de)) + m * (two @ two)
        return total, G * (mass * b[1] / 2.0 + m * L_a * e[1] + m * (b[1] - L_b * e[1]))

    M, (dM, dV) = inertia_and_potential(phi)[0], (x.imag / 1e-30 for x in inertia_and_potential(phi + 1e-30j))
    dlength = geometry(phi)[4]
    return (-dM * w * w / 2.0 - dV - d * dlength * dlength * w) / M


def test_hydraulic_cylinder_of_two_masses_is_what_lagrange_says():
    """`LineForceWithTwoMasses` of the Modelica library: a damper between a wall and the end of a swinging box."""
    m, l, L, d = 1.0, 0.7, 0.2, 3.0
    result = run(
        3.0,
        world=earth(),
        wall=Object3D(parent="world", translation=(0.0, -0.9, 0.0)),
        pivot=Object3D(parent="world", translation=(0.0, 0.3, 0.0)),
        start=Object3D(),
        box=Object3D(
            parent="start", feature=Solid(Box(l, l / 20, l / 20), SolidMaterial(density=7700.0)), translation=(l / 2, 0, 0)
        ),
        end=Object3D(parent="start", translation=(l, 0.0, 0.0)),
        rev=Revolute("pivot", "start", "z"),
        line=LineForceWithTwoMasses("wall", "end", m, m, L),
        **on_the_line(translational.Damper | Map(d=d)),
    )
    expected = solve_ivp(
        lambda _, x: (x[1], cylinder(*x, m, l, L, L, d)), (0.0, 3.0), (0.0, 0.0), "DOP853", result.time, rtol=1e-11, atol=1e-12
    ).y
    assert result["rev.phi"] == pytest.approx(expected[0], abs=1e-6)
    assert np.ptp(expected[0]) > 1.0


def test_springs_and_a_sliding_mass_in_series():
    """Two springs with a 1-D mass between: its inertia acts along the line alone, as the closed form of two masses says."""
    m, between, c = 2.0, 0.5, 30.0
    series = {
        "left": translational.Spring | Map(c=c, s_rel0=0.5),
        "mass": translational.Mass | Map(m=between, s=Var(init=0.5), v=Var(init=0.0)),
        "right": translational.Spring | Map(c=c, s_rel0=0.5),
        "connect": [
            ("line.flange_a", "left.flange_a"),
            ("left.flange_b", "mass.flange_a"),
            ("mass.flange_b", "right.flange_a"),
            ("right.flange_b", "line.flange_b"),
        ],
    }
    result = run(2.0, world=world(), ball=free(mass=m, translation=(0.0, 1.3, 0.0)), line=LineForce("world", "ball"), **series)
    K, M = np.array([[2.0 * c, -c], [-c, c]]), np.diag([between, m])
    squares, modes = np.linalg.eig(np.linalg.solve(M, K))
    weights = np.linalg.solve(modes, [0.0, 0.3])
    expected = 1.0 + modes[1] @ (weights[:, None] * np.cos(np.sqrt(squares)[:, None] * result.time))
    assert result["ball.r_abs"][:, 1] == pytest.approx(expected, abs=1e-7)


def test_heat_of_a_damper_in_series_with_a_spring():
    """The third body of `HeatLosses` of the Modelica library: what the mechanics and the springs lose is the damper's heat."""
    series = {
        "damper": translational.Damper | Map(d=2.0, s_rel=Var(init=0.0)),
        "part": translational.Spring | Map(c=30.0, s_rel0=0.1),
        "heat": Var(init=0.0),
        "equations": ["der(heat) = damper.loss_power"],
        "connect": [
            ("line.flange_a", "damper.flange_a"),
            ("damper.flange_b", "part.flange_a"),
            ("part.flange_b", "line.flange_b"),
        ],
    }
    result = run(
        3.0,
        world=earth(),
        hook=Object3D(parent="world", translation=(0.9, 0.0, 0.0)),
        body=free(center=(0.0, -0.2, 0.0), translation=(0.9, -0.2, 0.0), angular_velocity=(0.0, 0.0, math.radians(2.0))),
        spring=SpringDamperPtP("hook", "body", stiffness=30.0, nominal_length=0.2),
        line=LineForce("hook", "body"),
        **series,
    )
    total = energy(result) + 15.0 * (result["part.s_rel"] - 0.1) ** 2 + result["heat"]
    assert total == pytest.approx(np.full(len(total), total[0]), abs=1e-7)
    assert result["heat"][-1] > 1.0


def test_a_gap_pushes_only_while_it_is_closed():
    """A ball thrown against an `ElastoGap` without damping comes back as fast, after half a period of the spring's."""
    v, c, m = 2.0, 400.0, 1.0
    result = run(
        1.0,
        world=world(),
        ball=free(mass=m, translation=(0.0, 0.0, 1.0), velocity=(0.0, 0.0, -v)),
        line=LineForce("world", "ball"),
        **on_the_line(translational.ElastoGap | Map(c=c, d=0.0, s_rel0=0.5)),
    )
    assert result["ball.v_abs"][-1] == pytest.approx([0.0, 0.0, v], abs=1e-6)
    contact = math.pi * math.sqrt(m / c)
    assert result["ball.r_abs"][-1] == pytest.approx([0.0, 0.0, 0.5 + v * (1.0 - 0.5 / v - contact)], abs=1e-6)
    assert result.statistics["events"] >= 2


def test_what_is_connected_to_one_flange_acts_on_that_end_alone():
    result = run(
        1.0,
        world=world(),
        one=free(),
        two=free(mass=2.0, translation=(0.0, 0.0, 1.0)),
        line=LineForce("one", "two"),
        push=translational.ConstantForce | Map(f_constant=3.0),
        connect=[("push.flange", "line.flange_b")],
    )
    assert result["two.v_abs"][-1] == pytest.approx([0.0, 0.0, 1.5], abs=1e-8)
    assert result["one.v_abs"][-1] == pytest.approx(np.zeros(3), abs=1e-12)


def test_no_force_after_an_end_is_deleted():
    def program(actions):
        EventAfterPeriod(actions, 0.5)
        ActionDelete(actions, "two")

    with pytest.warns(UserWarning, match="line.line.s = nan"):
        result = run(
            1.0,
            world=world(),
            one=free(assembly_root=True),
            two=free(translation=(0.0, 0.0, 1.0), assembly_root=True),
            line=LineForce("one", "two"),
            actions=ModelActions(program),
            **on_the_line(translational.Spring | Map(c=1.0, s_rel0=0.4)),
        )
    speed = result["one.v_abs"][:, 2]
    after = speed[result.time > 0.5]
    assert after == pytest.approx(np.full(len(after), 0.6 / math.sqrt(2.0) * math.sin(math.sqrt(2.0) / 2.0)), abs=1e-7)


@pytest.mark.parametrize("gone", ["one", "two"])
def test_no_constant_force_either_after_any_end_is_deleted(gone):
    def program(actions):
        EventAfterPeriod(actions, 0.5)
        ActionDelete(actions, gone)

    result = run(
        1.0,
        world=world(),
        one=free(translation=(0.0, 1.0, 0.0), assembly_root=True),
        two=free(translation=(0.0, 1.0, 1.0), assembly_root=True),
        line=LineForce("one", "two"),
        actions=ModelActions(program),
        push_a=translational.ConstantForce | Map(f_constant=-3.0),
        push_b=translational.ConstantForce | Map(f_constant=3.0),
        connect=[("push_a.flange", "line.flange_a"), ("push_b.flange", "line.flange_b")],
    )
    other, speed = ("two", 1.5) if gone == "one" else ("one", -1.5)
    after = result[f"{other}.v_abs"][result.time > 0.5]
    assert after == pytest.approx(np.tile([0.0, 0.0, speed], (len(after), 1)), abs=1e-8)


@pytest.mark.parametrize(
    ("line", "gravity", "words"),
    [
        (lambda: LineForce("world", ""), None, ["obj2 of LineForce", "the name of an Object3D"]),
        (lambda: LineForce("world", "bal"), None, ["line.end_a", "no Object3D 'bal'", "ball"]),
        (
            lambda: LineForceWithMass("world", "ball", length_fraction=2.0),
            None,
            ["length_fraction of LineForceWithMass", "0 to 1"],
        ),
        (lambda: LineForceWithTwoMasses("world", "ball", m_b=-1.0), None, ["m_b of LineForceWithTwoMasses", "at least 0"]),
        (lambda: LineForceWithMass("world", "ball"), PointGravity(1.0), ["line.gravity", "PointGravity", "UniformGravity"]),
    ],
)
def test_mistakes_are_named(line, gravity, words):
    with pytest.raises(ModelError) as caught:
        instantiate(Model3D(world=world(gravity), ball=free(translation=(1.0, 0.0, 0.0)), line=line()))
    for word in words:
        assert word in str(caught.value)


def test_yaml_says_the_same(tmp_path):
    file = tmp_path / "line.yaml"
    file.write_text(
        """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  ball: {Object3D: {feature: {Solid: {shape: {Sphere: {diameter: 0.1}},
         mass_properties: {MassProperties: [1, [0, 0, 0], 1, 1, 1]}}},
         parent: world, fixed_to_parent: false, translation: [0, -0.3, 0]}}
  line: {LineForceWithMass: {obj1: world, obj2: ball, m: 0.5}}
  part: {translational.Spring: {c: 40.0, s_rel0: 0.2}}
  connect: [[line.flange_a, part.flange_a], [line.flange_b, part.flange_b]]
simulation: {stop_time: 1.0, tolerance: 1.0e-9}
"""
    )
    result = instantiate(read_scenario(file).model).simulate(1.0, tolerance=1e-10)
    rest = 0.2 + 1.25 * 9.81 / 40.0
    expected = rest + (0.3 - rest) * np.cos(math.sqrt(40.0 / 1.125) * result.time)
    assert result["line.line.s"] == pytest.approx(expected, abs=1e-7)
