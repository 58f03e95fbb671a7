"""One-dimensional rotational mechanics.

Conventions of Modelica.Mechanics.Rotational: a cut torque ``tau`` is positive when it acts on the component, along its axis of
rotation; SI units, angles in rad.
"""

from __future__ import annotations

from ..model.model import Map, Model, Var

Flange = Model(
    description="Mechanical flange of a shaft",
    phi=Var(potential=True, unit="rad", description="absolute angle"),
    tau=Var(flow=True, unit="N.m", description="cut torque"),
)

Inertia = Model(
    description="Shaft with moment of inertia J [kg.m2]; J*a is the sum of the torques of both flanges",
    J=1.0,
    flange_a=Flange,
    flange_b=Flange,
    phi=Var(start=0.0, unit="rad", description="absolute angle"),
    w=Var(start=0.0, unit="rad/s", description="angular velocity"),
    a=Var(unit="rad/s2", description="angular acceleration"),
    equations=[
        "phi = flange_a.phi",
        "phi = flange_b.phi",
        "w = der(phi)",
        "a = der(w)",
        "J*a = flange_a.tau + flange_b.tau",
    ],
)

Compliant = Model(
    description="Base of components without inertia that transmit a torque and may twist",
    flange_a=Flange,
    flange_b=Flange,
    phi_rel=Var(start=0.0, unit="rad", description="angle of flange_b relative to flange_a"),
    tau=Var(unit="N.m", description="torque on flange_b"),
    equations=[
        "phi_rel = flange_b.phi - flange_a.phi",
        "flange_b.tau = tau",
        "flange_a.tau = -tau",
    ],
)

Spring = Compliant | Model(
    description="Linear spring with constant c [N.m/rad], unstretched at phi_rel0 [rad]",
    c=1.0,
    phi_rel0=0.0,
    equations=["tau = c*(phi_rel - phi_rel0)"],
)

Damper = Compliant | Model(
    description="Linear damper with constant d [N.m.s/rad]",
    d=1.0,
    w_rel=Var(unit="rad/s", description="angular velocity of flange_b relative to flange_a"),
    equations=["w_rel = der(phi_rel)", "tau = d*w_rel"],
)

SpringDamper = Compliant | Model(
    description="Linear spring c [N.m/rad] and damper d [N.m.s/rad] in parallel, unstretched at phi_rel0 [rad]",
    c=1.0,
    d=1.0,
    phi_rel0=0.0,
    w_rel=Var(unit="rad/s", description="angular velocity of flange_b relative to flange_a"),
    equations=["w_rel = der(phi_rel)", "tau = c*(phi_rel - phi_rel0) + d*w_rel"],
)

IdealGear = Model(
    description="Ideal gear without inertia: flange_a turns ratio times as fast as flange_b",
    ratio=1.0,
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_a.phi = ratio*flange_b.phi", "0 = ratio*flange_a.tau + flange_b.tau"],
)

Fixed = Model(
    description="Flange fixed in the housing at the angle phi0 [rad]",
    phi0=0.0,
    flange=Flange,
    equations=["flange.phi = phi0"],
)

Torque = Model(
    description="External torque tau [N.m] that drives the flange",
    tau=Var(input=True, unit="N.m"),
    flange=Flange,
    equations=["flange.tau = -tau"],
)

Position = Model(
    description="The flange moves exactly as phi_ref [rad], which must be twice differentiable where inertias are moved",
    phi_ref=Var(input=True, unit="rad"),
    flange=Flange,
    equations=["flange.phi = phi_ref"],
)

Speed = Model(
    description="The flange turns exactly with w_ref [rad/s]",
    w_ref=Var(input=True, unit="rad/s"),
    flange=Flange,
    phi=Var(start=0.0, unit="rad", description="angle of the flange"),
    equations=["phi = flange.phi", "der(phi) = w_ref"],
)

_Sensor = Model(flange=Flange, equations=["0 = flange.tau"])

AngleSensor = _Sensor | Model(
    description="Measures the absolute angle phi [rad] of the flange",
    phi=Var("flange.phi", output=True, unit="rad"),
)

SpeedSensor = _Sensor | Model(
    description="Measures the absolute angular velocity w [rad/s] of the flange",
    w=Var("der(flange.phi)", output=True, unit="rad/s"),
)

TorqueSensor = Model(
    description="Measures the torque tau [N.m] that flange_a passes on to flange_b",
    flange_a=Flange,
    flange_b=Flange,
    tau=Var("flange_a.tau", output=True, unit="N.m"),
    equations=["flange_a.phi = flange_b.phi", "0 = flange_a.tau + flange_b.tau"],
)

ConstantTorque = (
    Torque
    | Map(tau=Var("tau_constant", input=False))
    | Model(description="Constant torque tau_constant [N.m] that drives the flange", tau_constant=1.0)
)
