"""The two examples of PlanarMechanics.GearComponents 1.6.0, rebuilt: same components, names, parameters and stop times."""

from __future__ import annotations

from modiapy import Map, Model
from modiapy.library import heat_transfer, planar, rotational

from .examples import begins

_WHEEL = planar.Body | Map(m=1.0, I=1e-3)

SPUR_GEAR = Model(
    planar_world=planar.PlanarWorld,
    gear_a_bearing=planar.RevoluteWithFlange | Map(phi=Map(init=0.0)),
    constant_speed=rotational.ConstantSpeed | Map(w_fixed=1.0),
    gear_a=_WHEEL,
    fixed_a=planar.Fixed,
    gear_b=_WHEEL,
    gear_b_bearing=planar.RevoluteWithFlange,
    constant_torque=rotational.ConstantTorque | Map(tau_constant=10.0),
    gearwheel_external=planar.RigidNoLossExternal,
    fixed_b=planar.Fixed | Map(r=[2.0, 0.0]),
    connect=[
        ("fixed_a.frame", "gear_a_bearing.frame_a"),
        ("gear_a_bearing.frame_b", "gear_a.frame_a", "gearwheel_external.frame_a"),
        ("gearwheel_external.frame_b", "gear_b.frame_a", "gear_b_bearing.frame_a"),
        ("gear_b_bearing.frame_b", "fixed_b.frame"),
        ("constant_speed.flange", "gear_a_bearing.flange_a"),
        ("constant_torque.flange", "gear_b_bearing.flange_a"),
    ],
)

RIGID_NO_LOSS_PLANETARY = Model(
    r_s=1.0,
    r_p=1.0,
    r_r=3.0,
    J_s=1e-3,
    J_p=1e-3,
    J_c=1e-3,
    J_r=1e-3,
    planar_world=planar.PlanarWorld,
    flange_sun=rotational.Flange,
    flange_ring=rotational.Flange,
    flange_carrier=rotational.Flange,
    heat_port=heat_transfer.HeatPort,
    sun=rotational.Inertia | Map(J="J_s"),
    ring=rotational.Inertia | Map(J="J_r"),
    carrier=rotational.Inertia | Map(J="J_c"),
    planet=planar.Body | Map(m=1.0, I="J_p"),
    planet_ring=planar.RigidNoLossInternal | Map(r_a="r_p", r_b="r_r") | heat_transfer.WithHeatPort,
    sun_planet=planar.RigidNoLossExternal | Map(r_a="r_s", r_b="r_p") | heat_transfer.WithHeatPort,
    bearing_sun=planar.RevoluteWithFlange,
    bearing_ring=planar.RevoluteWithFlange,
    bearing_planet=planar.Revolute,
    bearing_carrier=planar.RevoluteWithFlange,
    carrier_angle=planar.FixedRotation,
    carrier_part=planar.FixedTranslation | Map(r=["r_s + r_p", 0.0]),
    fixed=planar.Fixed,
    connect=[
        ("fixed.frame", "bearing_sun.frame_a", "bearing_ring.frame_a", "bearing_carrier.frame_a"),
        ("bearing_carrier.frame_b", "carrier_angle.frame_a"),
        ("carrier_angle.frame_b", "carrier_part.frame_a"),
        ("carrier_part.frame_b", "bearing_planet.frame_a"),
        ("bearing_planet.frame_b", "planet.frame_a", "sun_planet.frame_b", "planet_ring.frame_a"),
        ("bearing_sun.frame_b", "sun_planet.frame_a"),
        ("bearing_ring.frame_b", "planet_ring.frame_b"),
        ("bearing_sun.flange_a", "sun.flange_a", "flange_sun"),
        ("bearing_ring.flange_a", "ring.flange_a", "flange_ring"),
        ("bearing_carrier.flange_a", "carrier.flange_a"),
        ("carrier.flange_b", "flange_carrier"),
        ("heat_port", "sun_planet.heat_port", "planet_ring.heat_port"),
    ],
)

PLANETARY_GEAR = Model(
    planetary=RIGID_NO_LOSS_PLANETARY | Map(bearing_sun=Map(phi=Map(init=0.0)), bearing_carrier=begins(0.0, 0.5)),
    heat_capacitor=heat_transfer.HeatCapacitor | Map(C=1.0, T=Map(init=293.15)),
    sun_speed=rotational.ConstantSpeed | Map(w_fixed=1.0),
    ring_torque=rotational.ConstantTorque | Map(tau_constant=1.0),
    connect=[
        ("heat_capacitor.port", "planetary.heat_port"),
        ("planetary.flange_sun", "sun_speed.flange"),
        ("ring_torque.flange", "planetary.flange_ring"),
    ],
)
