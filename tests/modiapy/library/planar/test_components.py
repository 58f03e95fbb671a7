"""Components of planar mechanics in closed form, by balances, and where a user errs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import heat_transfer, planar, rotational, translational

from .examples import PLANAR, at, begins, slides

WEIGHTLESS = Model(planar_world=planar.PlanarWorld | Map(constant_gravity=[0.0, 0.0]))


def run(model: Model, stop_time: float = 1.0, **options: Any) -> Any:
    return instantiate(model, check_units=True).simulate(stop_time, tolerance=1e-11, interval=stop_time / 50, **options)


def thrown(vx: float, vy: float, w: float, **given: Any) -> Any:
    return planar.Body | begins(0.0, w) | Map(r=Map(init=[0.0, 0.0]), v=Map(init=[vx, vy]), **given)


def test_a_free_body_falls_and_turns() -> None:
    r = run(PLANAR | Model(body=thrown(3.0, 4.0, 2.0, m=2.0, I=0.1)))
    t = r.time
    np.testing.assert_allclose(r["body.r"], np.column_stack([3.0 * t, 4.0 * t - 4.905 * t**2]), atol=1e-9)
    np.testing.assert_allclose(r["body.phi"], 2.0 * t, atol=1e-9)
    np.testing.assert_allclose(r["body.a"], np.broadcast_to([0.0, -9.81], (len(t), 2)), atol=1e-9)


def test_gravity_is_that_of_the_world_around_the_body() -> None:
    inside = Model(
        planar_world=planar.PlanarWorld | Map(constant_gravity=[1.0, 2.0]), part=Model(body=planar.Body | at(0.0, 0.0))
    )
    assert run(inside)["part.body.v"][-1] == pytest.approx([1.0, 2.0], abs=1e-9)
    light = PLANAR | Model(body=planar.Body | at(0.0, 0.0) | Map(enable_gravity=False))
    assert run(light)["body.v"][-1] == pytest.approx([0.0, 0.0], abs=1e-12)
    own = PLANAR | Model(body=planar.Body | at(0.0, 0.0) | planar.WithGravityInput)
    assert run(own | Model(equations=["body.g = [1 if after(0.5) else 0, 0]"]))["body.v"][-1] == pytest.approx(
        [0.5, 0.0], abs=1e-9
    )


def test_a_body_without_a_world_is_refused_by_name() -> None:
    with pytest.raises(ModelError, match=r"planar_world.constant_gravity"):
        instantiate(Model(body=planar.Body))


def test_a_rod_without_direction_is_refused() -> None:
    """A prismatic joint needs one."""
    slider = planar.Prismatic | Map(r=[0.0, 0.0])
    with pytest.raises(ModelError, match=r"slider.*r\[0\].*division by zero"):
        instantiate(PLANAR | Model(fixed=planar.Fixed, slider=slider, connect=[("fixed.frame", "slider.frame_a")]))


CHAIN = WEIGHTLESS | Model(
    body=thrown(0.3, -0.2, 1.0, m=1.5, I=0.2),
    rod=planar.FixedTranslation | Map(r=[0.4, 0.3]),
    hinge=planar.Revolute | begins(0.5, -2.0),
    turn=planar.FixedRotation | Map(alpha=0.7),
    rail=planar.Prismatic | Map(r=[1.0, -1.0]) | slides(0.6, 0.5),
    end=planar.Body | Map(m=0.8, I=0.05),
    connect=[
        ("body.frame_a", "rod.frame_a"),
        ("rod.frame_b", "hinge.frame_a"),
        ("hinge.frame_b", "turn.frame_a"),
        ("turn.frame_b", "rail.frame_a"),
        ("rail.frame_b", "end.frame_a"),
    ],
)


def momentum(r: Any, **bodies: tuple[float, float]) -> np.ndarray:
    """Return linear momentum and angular momentum about the origin over time, shape (nt, 3)."""
    total = np.zeros((len(r.time), 3))
    for name, (m, inertia) in bodies.items():
        p, place = m * r[f"{name}.v"], r[f"{name}.r"]
        spin = place[:, 0] * p[:, 1] - place[:, 1] * p[:, 0] + inertia * r[f"{name}.w"]
        total += np.column_stack([p, spin])
    return total


def energy(r: Any, **bodies: tuple[float, float]) -> np.ndarray:
    """Return kinetic energy over time."""
    parts = [
        0.5 * m * (r[f"{name}.v"] ** 2).sum(axis=1) + 0.5 * inertia * r[f"{name}.w"] ** 2
        for name, (m, inertia) in bodies.items()
    ]
    return np.sum(parts, axis=0)


def test_a_free_chain_keeps_momentum_and_energy() -> None:
    r = run(CHAIN, 3.0)
    masses = {"body": (1.5, 0.2), "end": (0.8, 0.05)}
    total = momentum(r, **masses)
    np.testing.assert_allclose(total, np.broadcast_to(total[0], total.shape), atol=1e-8)
    np.testing.assert_allclose(energy(r, **masses), energy(r, **masses)[0], rtol=1e-8)
    assert np.ptp(r["hinge.phi"]) > 1.0
    assert np.ptp(r["rail.s"]) > 0.1


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6).filter(lambda x: abs(x[0]) + abs(x[1]) > 0.1),
    st.floats(0.2, 5.0),
)
def test_springs_and_dampers_about_one_axis_keep_momentum(values: list[float], stiffness: float) -> None:
    """Forces along the line of both bodies, and torques; energy is what the damper's heat leaves."""
    x, y, vx, vy, w1, w2 = values
    model = WEIGHTLESS | Model(
        one=thrown(vx, vy, w1, m=1.0, I=0.1),
        two=planar.Body | Map(m=2.0, I=0.3, r=Map(init=[x, y]), v=Map(init=[-vy, vx])) | begins(0.0, w2),
        spring=planar.SpringDamper
        | Map(c_x=stiffness, c_y=stiffness, c_phi=1.0, d_x=0.0, d_y=0.0, d_phi=0.5, enable_assert=False),
        damper=planar.Damper | Map(d=0.3),
        heat=Var(init=0.0, unit="J"),
        equations=["der(heat) = spring.loss_power + damper.loss_power"],
        connect=[("one.frame_a", "spring.frame_a", "damper.frame_a"), ("two.frame_a", "spring.frame_b", "damper.frame_b")],
    )
    r = instantiate(model).simulate(1.0, tolerance=1e-10)
    total = momentum(r, one=(1.0, 0.1), two=(2.0, 0.3))
    np.testing.assert_allclose(total, np.broadcast_to(total[0], total.shape), atol=1e-7)
    stretched = r["spring.length"] ** 2 * stiffness / 2 + 0.5 * r["spring.phi_rel"] ** 2
    whole = energy(r, one=(1.0, 0.1), two=(2.0, 0.3)) + stretched + r["heat"]
    np.testing.assert_allclose(whole, whole[0], atol=1e-7)


def test_forces_are_resolved_where_they_are_said_to_be() -> None:
    """A body that turns with a constant speed under a force along its x axis, that of the world, that of another frame."""
    for change, angle in (
        (Map(), lambda t: 3.0 * t),
        (Map(resolve_in_frame="world"), lambda t: 0.0 * t),
        (planar.WithFrameResolve, lambda t: 0.0 * t + 0.5),
    ):
        resolves = [("force.frame_resolve", "fixed.frame")] if change is planar.WithFrameResolve else []
        model = WEIGHTLESS | Model(
            body=thrown(0.0, 0.0, 3.0, m=2.0, I=0.1),
            force=planar.WorldForce | change,
            fixed=planar.Fixed | Map(phi=0.5),
            equations=["force.force = [2, 0, 0]"],
            connect=[("force.frame_b", "body.frame_a"), *resolves],
        )
        r = run(model)
        alpha = angle(r.time)
        np.testing.assert_allclose(r["body.a"], np.column_stack([np.cos(alpha), np.sin(alpha)]), atol=1e-9)


def test_a_relative_force_acts_on_both_frames() -> None:
    model = WEIGHTLESS | Model(
        one=thrown(0.0, 0.0, 1.0, m=2.0, I=0.5),
        two=planar.Body | Map(m=1.0, I=0.25) | at(1.0, 0.0) | begins(0.0, 0.0),
        force=planar.RelativeForce | Map(resolve_in_frame="frame_b"),
        equations=["force.force = [0, 3, 1]"],
        connect=[("one.frame_a", "force.frame_a"), ("two.frame_a", "force.frame_b")],
    )
    r = run(model)
    np.testing.assert_allclose(r["two.w"], 4.0 * r.time, atol=1e-9)
    np.testing.assert_allclose(r["one.w"], 1.0 - 2.0 * r.time, atol=1e-9)
    phi = 2.0 * r.time**2
    np.testing.assert_allclose(r["two.a"], 3.0 * np.column_stack([-np.sin(phi), np.cos(phi)]), atol=1e-8)
    np.testing.assert_allclose(r["one.a"], -r["two.a"] / 2.0, atol=1e-12)


def test_drag_that_grows_with_the_square_of_the_speed() -> None:
    """v' = -c v^2 has the solution v0/(1 + c v0 t), in both directions."""
    model = WEIGHTLESS | Model(
        body=thrown(4.0, -3.0, 2.0, m=2.0, I=0.5),
        drag=planar.QuadraticSpeedDependentForce | Map(F_nominal=-5.0, v_nominal=5.0, tau_nominal=-1.0, w_nominal=2.0),
        connect=[("body.frame_a", "drag.frame_b")],
    )
    r = run(model)
    t = r.time
    np.testing.assert_allclose(r["body.v"], np.column_stack([4.0 / (1.0 + 0.4 * t), -3.0 / (1.0 + 0.3 * t)]), atol=1e-8)
    np.testing.assert_allclose(r["body.w"], 2.0 / (1.0 + t), atol=1e-8)


def test_prismatic_joints_that_are_driven() -> None:
    """A mass on an inclined rail, with a force and a damper along it."""
    model = PLANAR | Model(
        fixed=planar.Fixed | Map(phi=0.4, r=[1.0, 2.0]),
        rail=planar.PrismaticWithFlange | slides(),
        body=planar.Body | Map(m=2.0),
        force=translational.ConstantForce | Map(f_constant=3.0),
        damper=translational.Damper | Map(d=0.7) | heat_transfer.WithHeatPort,
        ambient=heat_transfer.FixedTemperature,
        connect=[
            ("fixed.frame", "rail.frame_a"),
            ("rail.frame_b", "body.frame_a"),
            ("force.flange", "rail.flange_a"),
            ("damper.flange_a", "rail.support"),
            ("damper.flange_b", "rail.flange_a"),
            ("damper.heat_port", "ambient.port"),
        ],
    )
    r = run(model)
    end = (3.0 - 2.0 * 9.81 * np.sin(0.4)) / 0.7
    np.testing.assert_allclose(r["rail.v"], end * (1.0 - np.exp(-0.35 * r.time)), atol=1e-8)
    np.testing.assert_allclose(r["body.r"] - [1.0, 2.0], r["rail.s"][:, None] * [np.cos(0.4), np.sin(0.4)], atol=1e-9)


def test_supports_of_joints_are_fixed_in_the_world() -> None:
    """Springs between flange and support are unstretched at zero, also on a frame that is turned."""
    model = WEIGHTLESS | Model(
        fixed=planar.Fixed | Map(r=[1.0, 2.0], phi=0.7),
        hinge=planar.RevoluteWithFlange | begins(0.3),
        rail=planar.PrismaticWithFlange | slides(0.2),
        wheel=planar.Body | Map(m=1.0, I=0.5),
        mass=planar.Body | Map(m=2.0, I=0.5),
        turns=rotational.Spring | Map(c=2.0),
        slides=translational.Spring | Map(c=18.0),
        connect=[
            ("fixed.frame", "hinge.frame_a", "rail.frame_a"),
            ("hinge.frame_b", "wheel.frame_a"),
            ("rail.frame_b", "mass.frame_a"),
            ("hinge.support", "turns.flange_a"),
            ("hinge.flange_a", "turns.flange_b"),
            ("rail.support", "slides.flange_a"),
            ("rail.flange_a", "slides.flange_b"),
        ],
    )
    r = run(model)
    np.testing.assert_allclose(r["hinge.phi"], 0.3 * np.cos(2.0 * r.time), atol=1e-8)
    np.testing.assert_allclose(r["rail.s"], 0.2 * np.cos(3.0 * r.time), atol=1e-8)


def test_what_drives_a_joint_acts_back_on_its_first_frame() -> None:
    model = WEIGHTLESS | Model(
        base=thrown(0.0, 0.0, 0.0, m=1.0, I=2.0),
        hinge=planar.RevoluteWithFlange | begins(),
        wheel=planar.Body | Map(m=1.0, I=0.5),
        motor=rotational.ConstantTorque | Map(tau_constant=1.0),
        connect=[("base.frame_a", "hinge.frame_a"), ("hinge.frame_b", "wheel.frame_a"), ("motor.flange", "hinge.flange_a")],
    )
    r = run(model)
    np.testing.assert_allclose(r["base.w"], -0.5 * r.time, atol=1e-9)
    np.testing.assert_allclose(r["wheel.w"], 2.0 * r.time, atol=1e-9)


def test_free_motion_makes_relative_coordinates_states() -> None:
    """A body seen from a frame that turns goes round; the motion itself is straight."""
    model = WEIGHTLESS | Model(
        table=thrown(0.0, 0.0, 2.0, m=1.0, I=1.0),
        free=planar.FreeMotion
        | Map(s_x=Map(init=0.5), s_y=Map(init=0.0), v_x=Map(init=1.0), v_y=Map(init=-1.0))
        | begins(0.0, -2.0),
        body=planar.Body,
        connect=[("table.frame_a", "free.frame_a"), ("free.frame_b", "body.frame_a")],
    )
    simulation = instantiate(model)
    assert {"free.s_x", "free.s_y", "free.v_x", "free.v_y", "free.phi", "free.w"} <= set(simulation.states)
    r = simulation.simulate(1.0, tolerance=1e-11)
    np.testing.assert_allclose(r["body.r"], np.column_stack([0.5 + r.time, 0.0 * r.time]), atol=1e-8)
    np.testing.assert_allclose(r["body.phi"], 0.0, atol=1e-9)


ORBIT = WEIGHTLESS | Model(
    centre=planar.Fixed | Map(r=[0.2, -0.1], phi=0.3),
    hinge=planar.Revolute | begins(0.0, 2.0),
    rod=planar.FixedTranslation | Map(r=[1.5, 0.0]),
    body=planar.Body,
    connect=[("centre.frame", "hinge.frame_a"), ("hinge.frame_b", "rod.frame_a"), ("rod.frame_b", "body.frame_a")],
)


def measured(name: str, signal: str, *ends: str, given: Map | Model | None = None, frame: str = "") -> tuple[Any, np.ndarray]:
    """Return the result of a body on a circle, and what a sensor between these frames measures."""
    sensor = getattr(planar, name) | (Map(resolve_in_frame=frame) if frame else Map()) | (given or Map())
    connect = [(f"sensor.{port}", end) for port, end in zip(("frame_a", "frame_b"), ends, strict=False)]
    r = run(ORBIT | Model(sensor=sensor, connect=connect), 2.0)
    return r, r[f"sensor.{signal}"]


def columns(*values: Any) -> np.ndarray:
    return np.column_stack(np.broadcast_arrays(*values))


def test_absolute_sensors_on_a_circle() -> None:
    r, v = measured("AbsoluteVelocity", "v", "body.frame_a", frame="frame_a")
    np.testing.assert_allclose(v, columns(0.0 * r.time, 3.0, 2.0), atol=1e-8)
    _, a = measured("AbsoluteAcceleration", "a", "body.frame_a", frame="frame_a")
    np.testing.assert_allclose(a, columns(0.0 * r.time - 6.0, 0.0, 0.0), atol=1e-8)
    angle = 0.3 + 2.0 * r.time
    _, world = measured("AbsoluteAcceleration", "a", "body.frame_a", frame="world")
    np.testing.assert_allclose(world, columns(-6.0 * np.cos(angle), -6.0 * np.sin(angle), 0.0), atol=1e-8)
    _, place = measured("AbsolutePosition", "r", "body.frame_a", frame="world")
    np.testing.assert_allclose(place, columns(0.2 + 1.5 * np.cos(angle), 1.5 * np.sin(angle) - 0.1, angle), atol=1e-8)
    _, own = measured("AbsolutePosition", "r", "body.frame_a")
    np.testing.assert_allclose(own[:, 2], 0.0, atol=1e-12)


def test_relative_sensors_see_what_an_observer_on_the_first_frame_sees() -> None:
    r, place = measured("RelativePosition", "r_rel", "body.frame_a", "centre.frame")
    np.testing.assert_allclose(place, columns(-1.5 + 0.0 * r.time, 0.0, -2.0 * r.time), atol=1e-8)
    _, still = measured("RelativeVelocity", "v_rel", "body.frame_a", "centre.frame", frame="world")
    np.testing.assert_allclose(still, columns(0.0 * r.time, 0.0, -2.0), atol=1e-8)
    _, a = measured("RelativeAcceleration", "a_rel", "centre.frame", "body.frame_a", frame="frame_b")
    np.testing.assert_allclose(a, columns(-6.0 + 0.0 * r.time, 0.0, 0.0), atol=1e-8)
    _, distance = measured("Distance", "distance", "centre.frame", "body.frame_a")
    np.testing.assert_allclose(distance, 1.5, atol=1e-9)
    _, zero = measured("Distance", "distance", "body.frame_a", "body.frame_a")
    np.testing.assert_allclose(zero, 0.0, atol=1e-12)


def test_vectors_are_transformed_between_frames() -> None:
    r, turned = measured(
        "TransformRelativeVector",
        "r_out",
        "centre.frame",
        "body.frame_a",
        given=Map(frame_r_in="frame_a", frame_r_out="frame_b", r_in=Var([1.0, 0.0, 7.0], input=False)),
    )
    t = 2.0 * r.time
    np.testing.assert_allclose(turned, columns(np.cos(t), -np.sin(t), 7.0), atol=1e-8)
    _, world = measured(
        "TransformAbsoluteVector",
        "r_out",
        "body.frame_a",
        given=Map(frame_r_out="world", r_in=Var([1.0, 0.0, 7.0], input=False)),
    )
    np.testing.assert_allclose(world, columns(np.cos(0.3 + t), np.sin(0.3 + t), 7.0), atol=1e-8)


def test_cut_sensors_measure_the_force_that_holds_a_body_on_its_circle() -> None:
    sensors = {
        "both": planar.CutForceAndTorque,
        "force": planar.CutForce | Map(resolve_in_frame="world", positive_sign=False),
        "torque": planar.CutTorque,
        "power": planar.Power,
    }
    names = list(sensors)
    between = [(f"{a}.frame_b", f"{b}.frame_a") for a, b in pairwise(names)]
    model = WEIGHTLESS | Model(
        centre=planar.Fixed,
        hinge=planar.RevoluteWithFlange | begins(0.0, 2.0),
        rod=planar.FixedTranslation | Map(r=[1.5, 0.0]),
        body=planar.Body | Map(m=2.0, I=0.5),
        motor=rotational.ConstantTorque | Map(tau_constant=3.0),
        **sensors,
        connect=[("centre.frame", "hinge.frame_a"), ("hinge.frame_b", "rod.frame_a"), ("motor.flange", "hinge.flange_a")]
        + [("rod.frame_b", "both.frame_a"), *between, ("power.frame_b", "body.frame_a")],
    )
    r = run(model)
    rate = 3.0 / (2.0 * 1.5**2 + 0.5)
    w, phi = 2.0 + rate * r.time, 2.0 * r.time + rate * r.time**2 / 2
    np.testing.assert_allclose(r["both.force"], columns(-3.0 * w**2, 3.0 * rate), atol=1e-7)
    np.testing.assert_allclose(r["both.torque"], 0.5 * rate, atol=1e-9)
    np.testing.assert_allclose(r["torque.torque"], r["both.torque"], atol=1e-12)
    along, across = -3.0 * w**2, 3.0 * rate
    world = -columns(along * np.cos(phi) - across * np.sin(phi), along * np.sin(phi) + across * np.cos(phi))
    np.testing.assert_allclose(r["force.force"], world, atol=1e-7)
    np.testing.assert_allclose(r["power.power"], 3.0 * w, atol=1e-8)


def test_a_rigid_spring_bears_no_torque() -> None:
    model = PLANAR | Model(
        fixed=planar.Fixed,
        spring=planar.Spring | Map(c_x=4.0, c_y=9.81, s_relx0=0.5, s_rely0=0.0),
        body=planar.Body | Map(m=1.0, I=1.0) | at(1.0, 0.0) | begins(0.0, 1.0),
        connect=[("fixed.frame", "spring.frame_a"), ("spring.frame_b", "body.frame_a")],
    )
    r = run(model)
    w = np.sqrt(9.81)
    np.testing.assert_allclose(r["body.r"], columns(0.5 + 0.5 * np.cos(2.0 * r.time), np.cos(w * r.time) - 1.0), atol=1e-8)
    np.testing.assert_allclose(r["body.w"], 1.0, atol=1e-12)


def test_frames_at_one_place_are_warned_of() -> None:
    model = WEIGHTLESS | Model(
        fixed=planar.Fixed,
        spring=planar.Spring,
        body=planar.Body | at(0.0, 0.0),
        connect=[("fixed.frame", "spring.frame_a"), ("spring.frame_b", "body.frame_a")],
    )
    with pytest.warns(UserWarning, match="spring.*at the same place"):
        run(model)
    run(model | Map(spring=Map(enable_assert=False)))
