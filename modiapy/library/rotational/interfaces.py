"""Flange, and bases of components with two flanges."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..flanges import RotationalFlange as Flange

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

CompliantWithSpeed = Compliant | Model(
    description="Base of components without inertia whose torque depends on the relative speed. Relative quantities are"
    " preferred as states: of fast shafts the difference is small, and must be exact.",
    phi_rel=Map(state_select="prefer"),
    w_rel=Var(start=0.0, unit="rad/s", state_select="prefer", description="angular velocity of flange_b relative to flange_a"),
    equations=["w_rel = der(phi_rel)"],
)
