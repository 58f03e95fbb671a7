"""Limits of joints: end stops as plastic impacts, contact held until it is pulled off, against closed forms and a stiff gap."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad

from modia3d import (
    Box,
    MassProperties,
    Model3D,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Screw,
    Solid,
    UniformGravity,
    WorldTorque,
)
from modia3d.files import read_scenario
from modiapy import Map, ModelError, SimulationError, Var, instantiate
from modiapy.library import translational
from modiapy.library.rotational import IdealGear, Inertia, Torque
from tests.modia3d import scenes
from tests.modia3d.scenes import world

pytestmark = pytest.mark.white_box

MASS, ARM, INERTIA = 2.0, 0.5, 0.2
"""Of a rod about its end: centre of mass at ARM, INERTIA about the hinge."""
UPPER = 0.8
DOWN = UniformGravity(n="-z")
run = partial(scenes.run, points=100)


def rod(**fields):
    properties = MassProperties(MASS, (ARM, 0.0, 0.0), 0.1, INERTIA - MASS * ARM**2 + 0.5, 0.2, 0.0, 0.0, 0.0)
    return Object3D(feature=Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=properties), **fields)


HINGE = INERTIA + 0.5
"""Moment of inertia about the hinge, as `rod` makes it."""


def causes(result):
    return [record.cause for record in result.segments][1:]


JOINTS = {
    "driven": RevoluteWithFlange("world", "rod", "y", limits=(-1.0, UPPER)),
    "passive": Revolute("world", "rod", "y", limits=(-1.0, UPPER)),
}


@pytest.mark.parametrize("joint", JOINTS.values(), ids=JOINTS)
def test_a_pendulum_falls_on_its_stop_and_stays(joint):
    result = run(world=world(DOWN), rod=rod(), hinge=joint)
    _, stopped = result.segments
    assert stopped.cause.startswith("hinge stops at its upper limit phi = 0.8; ")
    assert stopped.info["dof"] == 0
    fall = MASS * 9.81 * ARM * math.sin(UPPER)
    assert stopped.info["energy_lost"] == pytest.approx(fall, rel=1e-7)
    assert result.segment(1)["hinge.w"][-1] == pytest.approx(math.sqrt(2.0 * fall / HINGE), rel=1e-7)
    rest = result.segment(2)
    assert np.all(rest["hinge.w"] == 0.0)
    assert np.ptp(rest["hinge.phi"]) == 0.0
    assert rest["hinge.phi"][0] == pytest.approx(UPPER, abs=1e-9)
    weight = -MASS * 9.81 * ARM * math.cos(UPPER)
    assert rest["hinge.constraint_torque"] == pytest.approx(np.full(len(rest.time), weight), rel=1e-8)
    assert np.abs(result.segment(1)["hinge.constraint_torque"]).max() < 1e-12


@pytest.mark.parametrize("limits", [(0.5, 1.0), (-1.0, -0.5)])
@pytest.mark.parametrize("begins", ["hinge", "rotor"])
def test_limits_on_one_side_of_zero_hold_from_the_start(limits, begins):
    """Whether the joint itself says where it begins, or the rotor behind a gear does."""
    near = min(limits, key=abs)
    phi, w = 0.5 * (limits[0] + limits[1]), math.copysign(2.0, -near)
    first = {"phi": Var(init=phi), "w": Var(init=w)} if begins == "hinge" else {}
    rotor = {} if begins == "hinge" else {"phi": Var(init=50.0 * phi), "w": Var(init=50.0 * w)}
    result = run(
        0.3,
        world=world(),
        rod=rod(),
        hinge=RevoluteWithFlange("world", "rod", "y", limits=limits, **first),
        gear=IdealGear | Map(ratio=50.0),
        rotor=Inertia | Map(J=1e-3, **rotor),
        connect=[("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "hinge.flange")],
    )
    assert result["hinge.phi"][0] == pytest.approx(phi)
    assert result["hinge.phi"][-1] == pytest.approx(near, abs=1e-8)


def test_it_is_driven_away_when_the_drive_pulls_more_than_the_weight():
    model = {"drive": Torque, "connect": [("drive.flange", "hinge.flange")], "equations": ["drive.tau = -12*time"]}
    result = run(1.5, world=world(DOWN), rod=rod(), hinge=JOINTS["driven"], **model)
    first, second = result.segments[1:3]
    assert [cause.split(";")[0] for cause in causes(result)[:2]] == [
        "hinge stops at its upper limit phi = 0.8",
        "hinge leaves its upper limit phi = 0.8",
    ]
    released = MASS * 9.81 * ARM * math.cos(UPPER) / 12.0
    assert second.start == pytest.approx(released, abs=1e-8)
    assert first.start < second.start
    held = result.segment(2)["hinge.constraint_torque"]
    assert held[-1] == pytest.approx(0.0, abs=1e-8)
    assert np.all(held[:-1] < 0.0)
    moving = result.segment(3)
    assert moving["hinge.phi"][-1] < UPPER - 0.1
    assert second.info["dof"] == 1
    assert result.statistics["compilations_after_start"] == 0


def test_both_limits_and_dae_mode_agree():
    entries = {"drive": Torque, "connect": [("drive.flange", "hinge.flange")], "equations": ["drive.tau = -30*sin(6*time)"]}
    model = instantiate(Model3D(world=world(DOWN), rod=rod(), hinge=JOINTS["driven"], **entries))
    one, other = (model.simulate(3.0, tolerance=1e-9, mode=mode) for mode in ("ode", "dae"))
    sides = [cause.split(" limit")[0] for cause in causes(one)]
    assert {"hinge stops at its upper", "hinge stops at its lower", "hinge leaves its upper"} <= set(sides)
    assert [cause.split(" limit")[0] for cause in causes(other)] == sides
    for a, b in zip(one.segments, other.segments, strict=True):
        assert a.start == pytest.approx(b.start, abs=1e-5)
    phi = one["hinge.phi"]
    assert phi.max() < UPPER + 1e-8
    assert phi.min() > -1.0 - 1e-8


def test_a_stiff_gap_tends_to_the_end_stop():
    """A slide with a motor force runs into a stop: the rigid one, and springs and dampers that become stiffer."""
    slide = {
        "world": world(),
        "slide": Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=MassProperties(3.0))),
    }
    joint = PrismaticWithFlange("world", "slide", "x", v=Var(init=2.0), limits=(-math.inf, 0.5))
    drive = {
        "drive": translational.Force,
        "equations": ["drive.f = 6.0 - 12.0*time"],
        "connect": [("drive.flange", "at.flange")],
    }
    rigid = run(2.0, **slide, at=joint, **drive)
    assert [cause.split(" ")[1] for cause in causes(rigid)] == ["stops", "leaves"]
    assert rigid.segments[2].start == pytest.approx(0.5, abs=1e-8)
    away = 2.0 - 0.5
    assert rigid["at.s"][-1] == pytest.approx(0.5 - 12.0 * away**3 / 6.0 / 3.0, abs=1e-7)
    assert np.all(rigid.segment(2)["at.constraint_force"][:-2] < 0.0)
    differences = []
    for stiffness in (1e6, 1e8):
        damping = 50.0 * math.sqrt(stiffness * 3.0)
        soft = run(
            2.0,
            1e-8,
            **slide,
            at=PrismaticWithFlange("world", "slide", "x", v=Var(init=2.0)),
            drive=translational.Force,
            stop=translational.ElastoGap | Map(c=stiffness, d=damping, s_rel0=-0.5),
            wall=translational.Fixed,
            equations=drive["equations"],
            connect=[("drive.flange", "at.flange", "stop.flange_a"), ("stop.flange_b", "wall.flange")],
        )
        differences.append(abs(soft["at.s"][-1] - rigid["at.s"][-1]))
    assert differences[1] < 0.3 * differences[0]
    assert differences[1] < 0.02


def test_the_rotor_behind_a_gear_loses_its_speed_too():
    ratio, J = 50.0, 1e-3
    result = run(
        world=world(DOWN),
        rod=rod(),
        hinge=JOINTS["driven"],
        gear=IdealGear | Map(ratio=ratio),
        rotor=Inertia | Map(J=J),
        connect=[("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "hinge.flange")],
    )
    fall = MASS * 9.81 * ARM * math.sin(UPPER)
    before = result.segment(1)
    assert before["hinge.w"][-1] == pytest.approx(math.sqrt(2.0 * fall / (HINGE + J * ratio**2)), rel=1e-7)
    assert result.segments[1].info["energy_lost"] == pytest.approx(fall, rel=1e-7)
    assert np.all(result.segment(2)["rotor.w"] == 0.0)


def test_an_elastic_shaft_keeps_what_is_behind_it_moving():
    """The joint stops, the rotor behind a spring goes on: the impact takes the energy of the rod only."""
    from modiapy.library.rotational import Spring

    result = run(
        world=world(),
        rod=rod(),
        hinge=RevoluteWithFlange("world", "rod", "y", w=Var(init=2.0), limits=(-1.0, UPPER)),
        spring=Spring | Map(c=1.0),
        rotor=Inertia | Map(J=0.3, phi=Var(init=0.0), w=Var(init=2.0)),
        connect=[("rotor.flange_b", "spring.flange_a"), ("spring.flange_b", "hinge.flange")],
    )
    assert result.segments[1].info["energy_lost"] == pytest.approx(0.5 * HINGE * 4.0, rel=1e-6)
    before, after = result.segment(1), result.segment(2)
    assert after["rotor.w"][0] == pytest.approx(before["rotor.w"][-1], abs=1e-12)
    assert after["hinge.constraint_torque"][5] < 0.0


@pytest.mark.parametrize(
    "joint",
    [Prismatic("world", "rod", "z", v=1.0, limits=(-0.5, 0.2)), Screw("world", "rod", "z", 0.2, w=3.0, limits=(-9.0, 1.0))],
)
def test_prismatic_and_screw_joints_stop_as_well(joint):
    result = run(2.0, world=world(), rod=rod(), joint=joint)
    assert causes(result)[0].startswith("joint stops at its upper limit")
    energy = result["mechanics.kinetic_energy"]
    assert result.segments[1].info["energy_lost"] == pytest.approx(energy[0], rel=1e-8)
    assert energy[-1] == 0.0


def test_a_held_joint_transmits_what_the_same_joint_with_a_flange_transmits():
    """Double pendulum, the outer joint at its stop while the inner one swings: with and without flange."""

    def swing(outer):
        entries = {
            "world": world(DOWN),
            "upper": rod(),
            "lower": rod(),
            "tip": Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
        }
        inner = Revolute("world", "upper", "y", phi=0.2, w=1.5)
        pressing = WorldTorque("lower", (0.0, 40.0, 0.0))
        return run(0.3, 1e-11, **entries, inner=inner, outer=outer, pressing=pressing)

    passive = swing(Revolute("tip", "lower", "y", phi=0.3, w=4.0, limits=(-2.0, 0.5)))
    driven = swing(RevoluteWithFlange("tip", "lower", "y", phi=Var(init=0.3), w=Var(init=4.0), limits=(-2.0, 0.5)))
    assert len(passive.segments) >= 2
    assert [c.split(" J")[0][:40] for c in causes(passive)] == [c.split(" J")[0][:40] for c in causes(driven)]
    for a, b in zip(passive.segments, driven.segments, strict=True):
        assert a.start == pytest.approx(b.start, abs=1e-7)
    one, other = passive.segment(2), driven.segment(2)
    assert one["inner.w"][0] == pytest.approx(other["inner.w"][0], abs=1e-7)
    assert one["outer.constraint_torque"][-1] == pytest.approx(other["outer.constraint_torque"][-1], abs=1e-5)
    assert one["outer.constraint_torque"].max() < -1.0
    assert np.ptp(one["inner.phi"]) > 0.1


def test_a_joint_that_rests_on_its_stop_is_thrown_off_by_an_impact():
    """Two slides in a row: the outer one runs into its stop and pulls the inner one off, which rests on its own stop."""

    def slide(mass):
        return Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=MassProperties(mass)))

    result = run(
        1.0,
        world=world(),
        first=slide(1.0),
        second=slide(3.0),
        inner=Prismatic("world", "first", "x", s=0.0, limits=(0.0, 9.0)),
        outer=Prismatic("first", "second", "x", v=2.0, limits=(-1.0, 0.5)),
    )
    assert causes(result) == ["outer stops at its upper limit s = 0.5; 1.5 J lost"]
    after = result.segment(2)
    assert after["inner.v"][0] == pytest.approx(1.5, rel=1e-9)
    assert after["mechanics.momentum"][0] == pytest.approx([6.0, 0.0, 0.0], rel=1e-9)


def test_contact_at_the_initial_time():
    at_rest = run(0.2, world=world(DOWN), rod=rod(), hinge=Revolute("world", "rod", "y", phi=UPPER, limits=(-1.0, UPPER)))
    assert causes(at_rest) == ["hinge stops at its upper limit phi = 0.8"]
    assert np.ptp(at_rest["hinge.phi"]) == 0.0
    struck = run(0.2, world=world(DOWN), rod=rod(), hinge=Revolute("world", "rod", "y", phi=UPPER, w=1.0, limits=(-1.0, UPPER)))
    assert struck.segments[1].start == 0.0
    assert struck.segments[1].info["energy_lost"] == pytest.approx(0.5 * HINGE)
    leaving = run(0.2, world=world(), rod=rod(), hinge=Revolute("world", "rod", "y", phi=UPPER, w=-1.0, limits=(-1.0, UPPER)))
    assert causes(leaving) == []


def test_initial_equations_determine_where_between_its_limits_a_joint_starts():
    """Limits that exclude the value with which the search for a solution begins."""

    def hanging(condition, **hinge):
        joint = RevoluteWithFlange("world", "rod", "y", limits=(0.2, UPPER), **hinge)
        return run(1.0, world=world(DOWN), rod=rod(), hinge=joint, initial_equations=condition)

    given = hanging([], phi=Var(init=0.5), w=Var(init=-1.0))
    determined = hanging(["2*hinge.phi + hinge.w = 0", "hinge.phi - hinge.w = 1.5"])
    assert causes(given) == causes(determined) != []
    assert determined["hinge.phi"][0] == pytest.approx(0.5, rel=1e-12)
    np.testing.assert_allclose(determined["hinge.phi"], given["hinge.phi"], atol=1e-6)
    with pytest.raises(
        SimulationError, match=r"starts outside of its limits; found phi = 0.1; expected between 0.2 and 0.8"
    ) as error:
        hanging(["10*hinge.phi = 1", "hinge.w = 0"])
    assert error.value.path == "hinge"


def test_what_the_user_gets_wrong():
    with pytest.raises(
        SimulationError, match=r"starts outside of its limits; found phi = 0.9; expected between -1 and 0.8"
    ) as error:
        run(world=world(DOWN), rod=rod(), hinge=Revolute("world", "rod", "y", phi=0.9, limits=(-1.0, UPPER)))
    assert error.value.path == "hinge"
    with pytest.raises(ModelError, match=r"limits of Revolute are wrong; found \(1, 0\); expected a lower limit below"):
        instantiate(Model3D(world=world(DOWN), rod=rod(), hinge=Revolute("world", "rod", limits=(1.0, 0.0))))
    for flange in (RevoluteWithFlange, PrismaticWithFlange):
        with pytest.raises(ModelError, match=r"limits of \w+ are wrong; found 3; expected two numbers: lower, upper"):
            instantiate(Model3D(world=world(DOWN), rod=rod(), hinge=flange("world", "rod", limits=3)))
    with pytest.raises(ModelError, match=r"at_limit of Prismatic is wrong; found 'stopp'.*Did you mean 'stop'"):
        instantiate(Model3D(world=world(DOWN), rod=rod(), hinge=Prismatic("world", "rod", limits=(0.0, 1.0), at_limit="stopp")))
    with pytest.raises(SimulationError, match=r"reaches its upper limit phi = 0.8; found w = ") as error:
        run(world=world(DOWN), rod=rod(), hinge=Revolute("world", "rod", "y", limits=(-1.0, UPPER), at_limit="error"))
    assert error.value.path == "hinge"
    # w^2 HINGE/2 = MASS g ARM sin(phi), phi = s^2
    duration = quad(lambda s: 2.0 * s / math.sqrt(2.0 * MASS * 9.81 * ARM * math.sin(s * s) / HINGE), 0.0, math.sqrt(UPPER))[0]
    assert error.value.time == pytest.approx(duration, abs=1e-8)


def test_in_yaml(tmp_path):
    file = tmp_path / "stop.yaml"
    file.write_text(
        """
modia3d: 1
simulation: {stop_time: 1.0}
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  rod:
    Object3D:
      feature:
        Solid:
          shape: {Box: [1, 0.1, 0.1]}
          mass_properties: {MassProperties: {mass: 2.0, Ixx: 0.5, Iyy: 0.5, Izz: 0.5}}
  hinge: {RevoluteWithFlange: {obj1: world, obj2: rod, axis: y, w: {Var: {init: 2.0}}, limits: [-1.0, 0.8]}}
"""
    )
    result = read_scenario(file).instantiate().simulate(1.0)
    assert causes(result)[0].startswith("hinge stops at its upper limit")
