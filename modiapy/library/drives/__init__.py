"""Drives of robot joints: cascaded P-PI controller, motor inertia and gear, to be connected to a joint's flange.

Structure after the servo of Neumayr & Otter (2024), listing 1, with a reference for the speed in addition.
"""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..blocks import PI
from ..rotational import Flange, IdealGear, Inertia, SpringDamper, Torque

__all__ = ["ElasticDrive", "PPIController", "RigidDrive"]

PPIController = Model(
    description="Cascade on the motor's side: P controller of the angle with feed-forward of the speed, PI controller of the"
    " speed. k_p: gain of the angle [1/s]; k_pi: gain of the speed [N.m.s/rad]; T_pi: integral time [s]",
    k_p=20.0,
    k_pi=1.0,
    T_pi=0.05,
    phi_ref=Var(input=True, unit="rad", description="reference of the angle"),
    w_ref=Var(input=True, unit="rad/s", description="reference of the speed"),
    phi=Var(input=True, unit="rad", description="measured angle"),
    w=Var(input=True, unit="rad/s", description="measured speed"),
    tau=Var("PI.y", output=True, unit="N.m", description="commanded torque"),
    PI=PI | Map(k="k_pi", T="T_pi"),
    equations=["PI.u = k_p*(phi_ref - phi) + w_ref - w"],
)

_Drive = Model(
    ratio=100.0,
    J_motor=1e-3,
    k_p=20.0,
    k_pi=1.0,
    T_pi=0.05,
    phi_ref=Var(input=True, unit="rad", description="reference of the joint's angle"),
    w_ref=Var(input=True, unit="rad/s", description="reference of the joint's speed"),
    flange=Flange,
    controller=PPIController | Map(k_p="k_p", k_pi="k_pi", T_pi="T_pi"),
    torque=Torque,
    motor=Inertia | Map(J="J_motor"),
    gear=IdealGear | Map(ratio="ratio"),
    equations=[
        "controller.phi_ref = ratio*phi_ref",
        "controller.w_ref = ratio*w_ref",
        "controller.phi = motor.phi",
        "controller.w = motor.w",
    ],
    connect=[
        ("controller.tau", "torque.tau"),
        ("torque.flange", "motor.flange_a"),
        ("motor.flange_b", "gear.flange_a"),
    ],
)

_PARAMETERS = (
    " ratio: motor angle per joint angle; J_motor: motor inertia [kg.m2];"
    " k_p [1/s], k_pi [N.m.s/rad], T_pi [s]: see PPIController"
)

ElasticDrive = _Drive | Model(
    motor=Map(phi=Map(init="ratio*phi0"), w=Map(init="ratio*w0")),
    description="Controlled drive with an elastic gear. States: motor.phi, motor.w, controller.PI.x. At the beginning the"
    " gear is unstretched and at rest relative to a joint with angle phi0 [rad] and speed w0 [rad/s]. c [N.m/rad],"
    " d [N.m.s/rad]: spring and damper of the gear on the joint's side;" + _PARAMETERS,
    c=1e5,
    d=1e2,
    phi0=0.0,
    w0=0.0,
    spring=SpringDamper | Map(c="c", d="d"),
    connect=[("gear.flange_b", "spring.flange_a"), ("spring.flange_b", "flange")],
)

RigidDrive = _Drive | Model(
    description="Controlled drive with a rigid gear: the motor moves with the joint, whose angle and speed are the states; the"
    " only state of its own is controller.PI.x." + _PARAMETERS,
    connect=[("gear.flange_b", "flange")],
)
