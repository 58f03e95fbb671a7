"""Flanges of shafts and of sliding parts: the connectors of one-dimensional mechanics."""

from __future__ import annotations

from ..model.model import Model, Var

RotationalFlange = Model(
    description="Mechanical flange of a shaft",
    phi=Var(potential=True, unit="rad", description="absolute angle"),
    tau=Var(flow=True, unit="N.m", description="cut torque"),
)

TranslationalFlange = Model(
    description="Mechanical flange of a sliding part",
    s=Var(potential=True, unit="m", description="absolute position"),
    f=Var(flow=True, unit="N", description="cut force"),
)
