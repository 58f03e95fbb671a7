"""Electric circuits.

Conventions of Modelica.Electrical.Analog: a current ``i`` is positive when it flows into the pin; SI units.
"""

from __future__ import annotations

from ..model.model import Map, Model, Var

Pin = Model(
    description="Pin of an electric component",
    v=Var(potential=True, unit="V", description="potential"),
    i=Var(flow=True, unit="A", description="current into the pin"),
)

OnePort = Model(
    description="Base of components with the pins p and n",
    p=Pin,
    n=Pin,
    v=Var(unit="V", description="voltage from p to n"),
    i=Var(unit="A", description="current from p to n"),
    equations=["v = p.v - n.v", "0 = p.i + n.i", "i = p.i"],
)

Resistor = OnePort | Model(description="Resistor R [Ohm]", R=1.0, equations=["v = R*i"])

Capacitor = OnePort | Map(v=Map(start=0.0)) | Model(description="Capacitor C [F]", C=1.0, equations=["C*der(v) = i"])

Inductor = OnePort | Map(i=Map(start=0.0)) | Model(description="Inductor L [H]", L=1.0, equations=["L*der(i) = v"])

ConstantVoltage = OnePort | Model(description="Source of the constant voltage V [V]", V=1.0, equations=["v = V"])

Ground = Model(description="Ground: the potential of the pin p is zero", p=Pin, equations=["p.v = 0"])
