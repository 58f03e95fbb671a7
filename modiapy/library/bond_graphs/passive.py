"""Resistors, conductors and storages, constant and modulated: each bond of a multibond for itself.

A modulated storage keeps its charge q or momentum p when its input changes, so that the energy that it gains or loses is the
work of whoever modulates it.
"""

from __future__ import annotations

from ...model.model import Model
from .ports import PassiveOnePort

R = PassiveOnePort | Model(description="Resistance R: a number for all n, or a list of n", R=1.0, equations=["e = R*f"])

G = PassiveOnePort | Model(description="Conductance G: a number for all n, or a list of n", G=1.0, equations=["f = G*e"])

C = PassiveOnePort | Model(
    description="Capacitance C: a number for all n, or a list of n; the efforts are its states",
    C=1.0,
    equations=["C*der(e) = f"],
)

I = PassiveOnePort | Model(
    description="Inertance I: a number for all n, or a list of n; the flows are its states", I=1.0, equations=["I*der(f) = e"]
)
