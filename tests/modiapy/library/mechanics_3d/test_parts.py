"""Parts, joints, forces and sensors in space: closed forms, conserved quantities, and what a user gets wrong."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Var, check_units, instantiate
from modiapy.library import rotational, translational
from modiapy.library.mechanics_3d import (
    AbsoluteSensor,
    ActuatedPrismatic,
    ActuatedRevolute,
    Body,
    BodyForce,
    BodyShape,
    BodyTorque,
    CloseLoop,
    CutForce,
    CutTorque,
    Damping,
    Fixed,
    FixedRotation,
    FixedTranslation,
    Force,
    FreeBodyMovement,
    FreeTranslationalMovement,
    GravityPool,
    Power,
    Prismatic,
    RelativeSensor,
    Revolute,
    SimpleBody,
    Spherical,
    SpringDamper,
    Torque,
    Universal,
    World3D,
    WorldForce,
    WorldTorque,
)

SPACE = World3D | Map(g=0.0)
INERTIA = {"m": 2.0, "I_11": 1.0, "I_22": 2.0, "I_33": 2.5, "I_21": 0.1, "I_31": -0.2, "I_32": 0.3}
TENSOR = np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.3], [-0.2, 0.3, 2.5]])


def momentum(result, body):
    """Return the angular momentum about the centre of mass, in the world."""
    R, w = result[f"{body}.frame_a.P.R"], result[f"{body}.frame_a.P.w"]
    return np.einsum("tji,tj->ti", R, w @ TENSOR)


CARDAN = [list(s) for s in itertools.permutations((1, 2, 3))]
EULER = [[a, b, a] for a, b in itertools.permutations((1, 2, 3), 2)]


@pytest.mark.parametrize("sequence", [None, *CARDAN, *EULER])
def test_free_body_tumbles_in_the_same_way_with_all_coordinates(sequence):
    start = [20.0, 40.0, 30.0]
    about = sequence or [1, 2, 3]
    motion = Map(use_quaternions=sequence is None, sequence_angles=about, phi_start=start, v_start=[1.0, 2.0, 3.0])
    model = Model(world3D=World3D, body=Body | Map(**INERTIA, w_start=[20.0, 30.0, 10.0]) | motion)
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    # the rotations in turn, each about an axis of the system turned so far
    R = np.eye(3)
    for axis, angle in zip(about, np.radians(start), strict=True):
        i, j, k = (axis - 1) % 3, axis % 3, (axis + 1) % 3
        step = np.zeros((3, 3))
        step[i, i] = 1
        step[j, j] = step[k, k] = np.cos(angle)
        step[j, k], step[k, j] = np.sin(angle), -np.sin(angle)
        R = step @ R
    np.testing.assert_allclose(result["body.frame_a.P.R"][0], R, atol=1e-12)
    np.testing.assert_allclose(result["body.frame_a.P.w"][0], np.radians([20, 30, 10]), atol=1e-9)
    L = momentum(result, "body")
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=1e-6)
    path = np.outer(result.time, [1, 2, 3]) - 4.905 * np.outer(result.time**2, [0, 1, 0])
    np.testing.assert_allclose(result["body.frame_a.P.x"], path, atol=1e-6)


def chain(*joints, world=SPACE, **more):
    """Return a wall, and bodies of 1 m each on the given joints; the body k is ``body{k}``."""
    parts, connect, last = {"world3D": world, "wall": Fixed} | more, [], "wall.frame_b"
    for k, joint in enumerate(joints):
        parts |= {f"joint{k}": joint, f"body{k}": BodyShape | Map(**INERTIA)}
        connect += [(last, f"joint{k}.frame_a"), (f"joint{k}.frame_b", f"body{k}.frame_a")]
        last = f"body{k}.frame_b"
    return Model(**parts, connect=connect)


def energy(result, n, g=9.81):
    total = 0.0
    for k in range(n):
        x, v, w = (result[f"body{k}.body.frame_a.P.{name}"] for name in "xvw")
        total = total + (v**2).sum(1) + 0.5 * np.einsum("ti,ij,tj->t", w, TENSOR, w) + 2 * g * x[:, 1]
    return total


@settings(max_examples=4, deadline=None)
@given(
    kinds=st.lists(
        st.sampled_from(
            [
                Revolute | Map(n=[1, 2, 2], w_start=60.0),
                Prismatic | Map(n=[0, 3, 4], v_start=0.5),
                Spherical | Map(w_start=[50.0, 20.0, -30.0]),
                Spherical | Map(use_quaternions=False, sequence_angles=[3, 1, 2], w_start=[20.0, 30.0, 10.0]),
                Universal | Map(first=Map(w_start=70.0)),
            ]
        ),
        min_size=1,
        max_size=2,
    )
)
def test_chains_of_joints_keep_their_energy(kinds):
    result = instantiate(chain(*kinds, world=World3D)).simulate(0.5, tolerance=1e-9)
    E = energy(result, len(kinds))
    np.testing.assert_allclose(E, E[0], atol=1e-5)


def test_the_root_of_a_tree_may_be_at_its_end():
    """The same two bodies on a hinge, one time with the first, one time with the second as root."""
    paths = []
    for first in ("one", "two"):
        free = {"one": Body | Map(w_start=[0.0, 0.0, 90.0], **INERTIA), "two": SimpleBody | Map(**INERTIA)}
        ends = [("one.frame_a", "rod.frame_a"), ("rod.frame_b", "hinge.frame_a"), ("hinge.frame_b", "two.frame_a")]
        if first == "two":
            free = {"two": Body | Map(x_start=[1, 0, 0], v_start=[0, math.pi / 2, 0], w_start=[0, 0, 90], **INERTIA)}
            free |= {"one": SimpleBody | Map(**INERTIA)}
        model = Model(world3D=SPACE, **free, rod=FixedTranslation, hinge=Revolute | Map(n=[0, 1, 1]), connect=ends)
        sim = instantiate(model)
        assert all(name.startswith((f"{first}.motion", "hinge")) for name in sim.states)
        result = sim.simulate(1.0, tolerance=1e-10)
        paths.append(np.stack([result[f"{name}.frame_a.P.x"] for name in ("one", "two")]))
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-7)


def test_universal_joint_turns_about_two_axes():
    model = Model(
        world3D=SPACE,
        wall=Fixed,
        joint=Universal | Map(n_a=[1, 0, 0], n_b=[0, 1, 0], first=Map(w_start=10.0), second=Map(w_start=20.0)),
        body=SimpleBody | Map(**INERTIA),
        connect=[("wall.frame_b", "joint.frame_a"), ("joint.frame_b", "body.frame_a")],
    )
    result = instantiate(model).simulate(1.0)
    a, b = result["joint.first.phi"], result["joint.second.phi"]
    x_axis = np.stack([np.cos(b), np.sin(a) * np.sin(b), -np.cos(a) * np.sin(b)], axis=1)
    np.testing.assert_allclose(result["body.frame_a.P.R"][:, 0], x_axis, atol=1e-9)


def test_forces_and_torques_act_where_and_as_they_are_resolved():
    """A body that is turned by 90 degrees about z: its x axis is the y axis of the world."""
    sources = {
        "world_force": (WorldForce | Map(force=Var([1.0, 0, 0])), [1, 0, 0], [0, 0, 0]),
        "body_force": (BodyForce | Map(force=Var([1.0, 0, 0])), [0, 1, 0], [0, 0, 0]),
        "world_torque": (WorldTorque | Map(torque=Var([1.0, 0, 0])), [0, 0, 0], [0, -1, 0]),
        "body_torque": (BodyTorque | Map(torque=Var([1.0, 0, 0])), [0, 0, 0], [1, 0, 0]),
    }
    for name, (source, force, torque) in sources.items():
        body = Body | Map(m=2.0, I_11=1.0, I_22=1.0, I_33=1.0, phi_start=[0.0, 0.0, 90.0])
        model = Model(world3D=SPACE, body=body, source=source, connect=[("source.frame_b", "body.frame_a")])
        result = instantiate(model).simulate(0.1)
        np.testing.assert_allclose(2 * result["body.motion.a"][0], force, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(result["body.motion.z"][0], torque, atol=1e-9, err_msg=name)


def test_fixed_rotation_turns_what_is_behind_it():
    model = Model(
        world3D=World3D,
        wall=Fixed | Map(r=[0.0, 1.0, 0.0]),
        turn=FixedRotation | Map(n=[0, 0, 2], angle=30.0),
        slide=Prismatic | Map(n=[1, 0, 0]),
        body=SimpleBody,
        connect=[("wall.frame_b", "turn.frame_a"), ("turn.frame_b", "slide.frame_a"), ("slide.frame_b", "body.frame_a")],
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["slide.s"], -9.81 / 4 * result.time**2, atol=1e-7)  # down a slope of 30 degrees
    direction = np.array([np.cos(np.pi / 6), 0.5, 0.0])
    np.testing.assert_allclose(result["body.frame_a.P.x"], [0, 1, 0] + np.outer(result["slide.s"], direction), atol=1e-9)


def test_forces_between_bodies_keep_the_momentum_and_dampers_lose_energy():
    bodies = {
        "one": Body | Map(**INERTIA, v_start=[0.0, 1.0, 0.0]),
        "two": Body | Map(**INERTIA, x_start=[2.0, 0.0, 0.0]),
        "spring": SpringDamper | Map(c=20.0, s0=1.5, d_line=1.0),
        "damping": Damping | Map(d=0.3),
        "pull": Force | Map(force=Var([0.4, 0.0, 0.0])),
        "twist": Torque | Map(torque=Var([0.0, 0.3, 0.0])),
    }
    ends = [(f"{name}.frame_{x}", f"{body}.frame_a") for name in list(bodies)[2:] for x, body in (("a", "one"), ("b", "two"))]
    result = instantiate(Model(world3D=SPACE, **bodies, connect=ends)).simulate(3.0, tolerance=1e-9)
    v = [result[f"{name}.frame_a.P.v"] for name in ("one", "two")]
    np.testing.assert_allclose(v[0] + v[1], np.broadcast_to([0.0, 1.0, 0.0], v[0].shape), atol=1e-8)
    L = momentum(result, "one") + momentum(result, "two")
    np.testing.assert_allclose(L, 0, atol=1e-7)  # the twist is the opposite torque for the other
    assert np.abs(momentum(result, "two")).max() > 0.1


def test_actuated_joints_carry_drives_and_their_bearings():
    model = Model(
        world3D=SPACE,
        wall=Fixed,
        hinge=ActuatedRevolute | Map(n=[0, 1, 0]),
        slide=ActuatedPrismatic | Map(n=[1, 0, 0], s_start=1.0),
        body=SimpleBody | Map(m=2.0, I_22=1.0),
        rotor=rotational.Inertia | Map(J=3.0),
        torque=rotational.ConstantTorque | Map(tau_constant=12.0),
        spring=translational.Spring | Map(c=8.0, s_rel0=1.0),
        connect=[
            ("wall.frame_b", "hinge.frame_a"),
            ("hinge.frame_b", "slide.frame_a"),
            ("slide.frame_b", "body.frame_a"),
            ("torque.flange", "rotor.flange_a"),
            ("rotor.flange_b", "hinge.axis"),
            ("slide.bearing", "spring.flange_a"),
            ("spring.flange_b", "slide.axis"),
        ],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    w, s, v = result["hinge.w"], result["slide.s"], result["slide.v"]
    np.testing.assert_allclose((3 + 1 + 2 * s**2) * w, 12 * result.time, atol=1e-7)  # angular momentum
    work = 12 * result["hinge.phi"]
    np.testing.assert_allclose((4 + 2 * s**2) * w**2 / 2 + v**2 + 4 * (s - 1) ** 2, work, atol=1e-7)


def test_sensors_measure_what_flows_through_a_joint():
    model = chain(Revolute | Map(n=[0, 0, 1], w_start=50.0), world=World3D)
    model |= Model(
        force=CutForce,
        torque=CutTorque,
        power=Power,
        absolute=AbsoluteSensor,
        relative=RelativeSensor,
        end=SimpleBody | Map(m=0.5, I_11=0.1, I_22=0.1, I_33=0.1),
        connect=[
            ("body0.frame_b", "force.frame_a", "absolute.frame_a", "relative.frame_b"),
            ("wall.frame_b", "relative.frame_a"),
            ("force.frame_b", "torque.frame_a"),
            ("torque.frame_b", "power.frame_a"),
            ("power.frame_b", "end.frame_a"),
        ],
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-10)
    a, v, w, z = (result[f"absolute.{name}"] for name in ("a_abs", "v_abs", "w_abs", "z_abs"))
    np.testing.assert_allclose(result["force.force"], 0.5 * (a + [0, 9.81, 0]), atol=1e-9)
    np.testing.assert_allclose(result["torque.torque"], 0.1 * z, atol=1e-9)
    np.testing.assert_allclose(result["power.power"], (result["force.force"] * v).sum(1) + 0.1 * (z * w).sum(1), atol=1e-9)
    for one, other in (("r_rel", "r_abs"), ("v_rel", "v_abs"), ("a_rel", "a_abs"), ("w_rel", "w_abs"), ("z_rel", "z_abs")):
        np.testing.assert_allclose(result[f"relative.{one}"], result[f"absolute.{other}"], atol=1e-9, err_msg=one)
    np.testing.assert_allclose(w[:, 2], result["joint0.w"], atol=1e-12)


def test_loop_closes_by_itself_or_by_an_element():
    """Four equal rods: the third one stays parallel to the ground, whichever way the loop is closed."""
    hinge, rod = Revolute | Map(n=[0, 0, 1]), FixedTranslation
    parts = {
        "world3D": World3D,
        "wall": Fixed,
        "crank": hinge | Map(phi_start=60.0, phi=Map(state_select="always"), w=Map(state_select="always")),
        "left": rod,
        "knee": Spherical | Map(use_quaternions=False, sequence_angles=[3, 1, 2], phi_start=[-60.0, 0.0, 0.0]),
        "top": rod,
        "right": rod,
        "pivot": hinge | Map(phi_start=60.0),
        "body": SimpleBody | Map(m=3.0),
        "ground": rod,
        "cross": Universal | Map(n_a=[0, 0, 1], n_b=[0, 1, 0], first=Map(phi_start=-60.0)),
    }
    tree = [
        ("wall.frame_b", "crank.frame_a", "ground.frame_a"),
        ("crank.frame_b", "left.frame_a"),
        ("left.frame_b", "knee.frame_a"),
        ("knee.frame_b", "top.frame_a"),
        ("ground.frame_b", "pivot.frame_a"),
        ("pivot.frame_b", "right.frame_a"),
        ("top.frame_b", "body.frame_a"),
        ("right.frame_b", "cross.frame_a"),
    ]
    found = []
    for closing in ({}, {"close": CloseLoop}):
        ends = (
            [("cross.frame_b", "close.frame_a"), ("close.frame_b", "body.frame_a")]
            if closing
            else [("cross.frame_b", "body.frame_a")]
        )
        result = instantiate(Model(**parts, **closing, connect=[*tree, *ends])).simulate(1.0, tolerance=1e-9)
        found.append(result["body.frame_a.P.x"])
        half = np.stack([1 + np.cos(result["crank.phi"]), np.sin(result["crank.phi"])], axis=1)
        np.testing.assert_allclose(found[-1][:, :2], half, atol=1e-8)
    np.testing.assert_allclose(found[0], found[1], atol=1e-7)


def test_bodies_on_translations_and_in_fields_of_gravity():
    point = World3D | Map(gravity_type="point", mue=8.0)
    circle = Body | Map(x_start=[2.0, 0.0, 0.0], v_start=[0.0, 2.0, 0.0])
    result = instantiate(Model(world3D=point, body=circle)).simulate(3.0, tolerance=1e-10)
    path = 2 * np.stack([np.cos(result.time), np.sin(result.time), 0 * result.time], axis=1)
    np.testing.assert_allclose(result["body.frame_a.P.x"], path, atol=1e-7)
    two = {"pool": GravityPool(2) | Map(G=2.0, mass=[3.0, 1.0])}
    for k, (m, x, v) in enumerate(((3.0, -0.25, -0.25), (1.0, 0.75, 0.75))):
        two[f"body{k}"] = Body | Map(m=m, x_start=[x, 0, 0], v_start=[0, v * math.sqrt(8.0), 0])
    ends = [(f"pool.body[{k}].frame", f"body{k}.frame_a") for k in range(2)]
    result = instantiate(Model(world3D=World3D | Map(gravity_type="none"), **two, connect=ends)).simulate(2.0, tolerance=1e-10)
    distance = result["body0.frame_a.P.x"] - result["body1.frame_a.P.x"]
    np.testing.assert_allclose(np.linalg.norm(distance, axis=1), 1.0, atol=1e-7)
    slide = FreeTranslationalMovement | Map(r=[0, 1, 0], v_start=[1, 0, 0])
    free = FreeBodyMovement | Map(v_start=[1, 0, 0], x_start=[0, 1, 0])
    for joint in (slide, free):
        model = Model(world3D=World3D, joint=joint, body=SimpleBody, connect=[("joint.frame_b", "body.frame_a")])
        end = instantiate(model).simulate(1.0)["body.frame_a.P.x"][-1]
        np.testing.assert_allclose(end, [1.0, 1 - 4.905, 0.0], atol=1e-6)


def test_units_of_a_machine_fit():
    check_units(chain(Revolute, Spherical, Prismatic, world=World3D))


def test_a_part_that_nothing_holds_is_named():
    model = Model(world3D=World3D, body=SimpleBody, rod=FixedTranslation, connect=[("rod.frame_b", "body.frame_a")])
    with pytest.raises(ModelError, match="no root"):
        instantiate(model)


def test_relative_sensor_between_two_bodies_sees_the_joint():
    hinges = [Revolute | Map(n=[0, 1, 0], w_start=40.0), Revolute | Map(n=[1, 2, 2], w_start=70.0)]
    model = chain(*hinges) | Model(
        relative=RelativeSensor,
        connect=[("relative.frame_a", "body0.frame_b"), ("relative.frame_b", "joint1.frame_b")],
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-9)
    axis = np.array([1, 2, 2]) / 3
    np.testing.assert_allclose(result["relative.w_rel"], np.outer(result["joint1.w"], axis), atol=1e-9)
    np.testing.assert_allclose(result["relative.r_rel"], 0, atol=1e-9)
    turn = np.trace(result["relative.R_rel"], axis1=1, axis2=2)
    np.testing.assert_allclose(turn, 1 + 2 * np.cos(result["joint1.phi"]), atol=1e-9)
