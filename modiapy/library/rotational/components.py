"""Inertias, springs, dampers, gaps and ideal gears."""

from __future__ import annotations

from ...model.model import Model, Var
from ..flanges import TranslationalFlange
from .interfaces import Compliant, CompliantWithSpeed, Flange

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

Spring = Compliant | Model(
    description="Linear spring with constant c [N.m/rad], unstretched at phi_rel0 [rad]",
    c=1.0,
    phi_rel0=0.0,
    equations=["tau = c*(phi_rel - phi_rel0)"],
)

Damper = CompliantWithSpeed | Model(
    description="Linear damper with constant d [N.m.s/rad]",
    d=1.0,
    loss_power=Var("tau*w_rel", unit="W", description="heat"),
    equations=["tau = d*w_rel"],
)

SpringDamper = CompliantWithSpeed | Model(
    description="Linear spring c [N.m/rad] and damper d [N.m.s/rad] in parallel, unstretched at phi_rel0 [rad]",
    c=1.0,
    d=1.0,
    phi_rel0=0.0,
    loss_power=Var("d*w_rel**2", unit="W", description="heat"),
    equations=["tau = c*(phi_rel - phi_rel0) + d*w_rel"],
)

Disc = Model(
    description="Rigid connection without inertia, its right side turned by delta_phi [rad]",
    delta_phi=0.0,
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_b.phi = flange_a.phi + delta_phi", "0 = flange_a.tau + flange_b.tau"],
)

ElastoBacklash = CompliantWithSpeed | Model(
    description="Backlash b [rad] (total) in series with a spring c [N.m/rad] and a damper d [N.m.s/rad], unstretched at"
    " phi_rel0 [rad]. The damper never pulls the teeth together: its torque is at most that of the spring.",
    c=1.0,
    d=1.0,
    b=0.0,
    phi_rel0=0.0,
    phi_diff=Var("phi_rel - phi_rel0", unit="rad", description="angle from the middle of the backlash"),
    tau_c=Var(unit="N.m", description="torque of the spring"),
    tau_d=Var(unit="N.m", description="torque of the damper"),
    loss_power=Var("(tau - tau_c)*w_rel", unit="W", description="heat"),
    equations=[
        "tau_c = c*(phi_diff - b/2 if phi_diff > b/2 else (phi_diff + b/2 if phi_diff < -b/2 else 0))",
        "tau_d = d*w_rel",
        "tau = tau_c + (tau_d if b <= 1e-10 else noEvent(min(max(tau_d, -abs(tau_c)), abs(tau_c))))",
    ],
)

ElastoBacklash2 = CompliantWithSpeed | Model(
    description="Backlash b [rad] (total) in series with a spring c [N.m/rad] and a damper d [N.m.s/rad], unstretched at"
    " phi_rel0 [rad]. Contrary to ElastoBacklash the torque jumps at the beginning of a contact, and there are events; teeth"
    " never pull.",
    c=1.0,
    d=1.0,
    b=0.0,
    phi_rel0=0.0,
    phi_diff=Var("phi_rel - phi_rel0", unit="rad", description="angle from the middle of the backlash"),
    tau_c=Var(unit="N.m", description="torque of the spring"),
    tau_d=Var(unit="N.m", description="torque of the damper"),
    equations=[
        "tau_c = c*(phi_diff if b <= 1e-10 else (phi_diff - b/2 if phi_diff > b/2"
        " else (phi_diff + b/2 if phi_diff < -b/2 else 0)))",
        "tau_d = d*w_rel",
        "tau = tau_c + tau_d if b <= 1e-10 else ((0 if tau_c + tau_d <= 0 else tau_c + tau_d) if phi_diff > b/2"
        " else ((0 if tau_c + tau_d >= 0 else tau_c + tau_d) if phi_diff < -b/2 else 0))",
    ],
)

IdealGear = Model(
    description="Ideal gear without inertia: flange_a turns ratio times as fast as flange_b",
    ratio=1.0,
    flange_a=Flange,
    flange_b=Flange,
    equations=["flange_a.phi = ratio*flange_b.phi", "0 = ratio*flange_a.tau + flange_b.tau"],
)

IdealGearWithSupport = Model(
    description="IdealGear whose housing is the flange support",
    ratio=1.0,
    flange_a=Flange,
    flange_b=Flange,
    support=Flange,
    equations=[
        "flange_a.phi - support.phi = ratio*(flange_b.phi - support.phi)",
        "0 = ratio*flange_a.tau + flange_b.tau",
        "0 = flange_a.tau + flange_b.tau + support.tau",
    ],
)

IdealPlanetary = Model(
    description="Ideal planetary gear without inertia; ratio is the number of teeth of the ring over those of the sun",
    ratio=2.0,
    sun=Flange,
    carrier=Flange,
    ring=Flange,
    equations=[
        "(1 + ratio)*carrier.phi = sun.phi + ratio*ring.phi",
        "ring.tau = ratio*sun.tau",
        "carrier.tau = -(1 + ratio)*sun.tau",
    ],
)

IdealGearR2T = Model(
    description="Ideal gear from rotation to translation without inertia; ratio [rad/m]: angle of flange_r per position of"
    " flange_t",
    ratio=1.0,
    flange_r=Flange,
    flange_t=TranslationalFlange,
    equations=["flange_r.phi = ratio*flange_t.s", "0 = ratio*flange_r.tau + flange_t.f"],
)

IdealRollingWheel = Model(
    description="Wheel of the given radius [m], without inertia, that rolls without slip",
    radius=1.0,
    flange_r=Flange,
    flange_t=TranslationalFlange,
    equations=["flange_r.phi*radius = flange_t.s", "0 = radius*flange_t.f + flange_r.tau"],
)

Fixed = Model(
    description="Flange fixed in the housing at the angle phi0 [rad]",
    phi0=0.0,
    flange=Flange,
    equations=["flange.phi = phi0"],
)

RelativeStates = Model(
    description="The angle phi_rel and the speed w_rel between both flanges are wanted as states",
    flange_a=Flange,
    flange_b=Flange,
    phi_rel=Var(start=0.0, unit="rad", state_select="prefer"),
    w_rel=Var(start=0.0, unit="rad/s", state_select="prefer"),
    a_rel=Var(unit="rad/s2"),
    equations=[
        "phi_rel = flange_b.phi - flange_a.phi",
        "w_rel = der(phi_rel)",
        "a_rel = der(w_rel)",
        "flange_a.tau = 0",
        "flange_b.tau = 0",
    ],
)
