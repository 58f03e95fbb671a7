"""Flange, and bases of components with two flanges."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..flanges import TranslationalFlange as Flange

Compliant = Model(
    description="Base of components without mass that transmit a force and may change their length",
    flange_a=Flange,
    flange_b=Flange,
    s_rel=Var(start=0.0, unit="m", description="position of flange_b relative to flange_a"),
    f=Var(unit="N", description="force on flange_b"),
    equations=["s_rel = flange_b.s - flange_a.s", "flange_b.f = f", "flange_a.f = -f"],
)

CompliantWithSpeed = Compliant | Model(
    description="Base of components without mass whose force depends on the relative velocity. Relative quantities are"
    " preferred as states: of fast parts the difference is small, and must be exact.",
    s_rel=Map(state_select="prefer"),
    v_rel=Var(start=0.0, unit="m/s", state_select="prefer", description="velocity of flange_b relative to flange_a"),
    equations=["v_rel = der(s_rel)"],
)

Rigid = Model(
    description="Base of rigid components of length L [m]",
    L=0.0,
    flange_a=Flange,
    flange_b=Flange,
    s=Var(start=0.0, unit="m", description="position of the middle"),
    equations=["flange_a.s = s - L/2", "flange_b.s = s + L/2"],
)
