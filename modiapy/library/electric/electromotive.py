"""Electromotive forces: between circuits and mechanics."""

from __future__ import annotations

from ...model.model import Model, Var
from ..flanges import TranslationalFlange
from ..rotational.interfaces import Flange
from .interfaces import OnePort

RotationalEMF = OnePort | Model(
    description="Electromotive force of a machine with the transformation coefficient k [N.m/A = V.s/rad], its housing fixed",
    k=1.0,
    flange=Flange,
    phi=Var("flange.phi", unit="rad", description="angle of the shaft"),
    w=Var("der(phi)", unit="rad/s", description="angular velocity of the shaft"),
    tau=Var("-k*i", unit="N.m", description="torque on the machine's flange"),
    equations=["v = k*w", "flange.tau = tau"],
)

TranslationalEMF = OnePort | Model(
    description="Electromotive force of a linear drive with the transformation coefficient k [N/A = V.s/m], its housing fixed",
    k=1.0,
    flange=TranslationalFlange,
    s=Var("flange.s", unit="m", description="position"),
    vel=Var("der(s)", unit="m/s", description="velocity"),
    f=Var("-k*i", unit="N", description="force on the drive's flange"),
    equations=["v = k*vel", "flange.f = f"],
)
