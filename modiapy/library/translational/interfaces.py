"""Flange, and bases of components with two flanges."""

from __future__ import annotations

from ...model.model import Model, Var
from .. import rotational
from ..flanges import TranslationalFlange as Flange
from .counterparts import counterpart

Compliant = counterpart(rotational.Compliant) | Model(
    description="Base of components without mass that transmit a force and may change their length"
)

CompliantWithSpeed = counterpart(rotational.CompliantWithSpeed) | Model(
    description="Base of components without mass whose force depends on the relative velocity. Relative quantities are"
    " preferred as states: of fast parts the difference is small, and must be exact."
)

Rigid = Model(
    description="Base of rigid components of length L [m]",
    L=0.0,
    flange_a=Flange,
    flange_b=Flange,
    s=Var(start=0.0, unit="m", description="position of the middle"),
    equations=["flange_a.s = s - L/2", "flange_b.s = s + L/2"],
)
