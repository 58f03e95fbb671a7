"""Resistors, conductors and storages, constant and modulated: each element of a bond for itself.

The inputs of modulated elements have the names of the parameters. A modulated storage keeps its charge q or momentum p when its
input changes, so that the energy that it gains or loses is the work of whoever modulates it.
"""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import finite, inertance
from .ports import Inertance, PassiveOnePort

_EACH = ": a number for all n elements, or a list of n"
_INPUT = "is an input of size n"

R = PassiveOnePort | Model(description=f"Resistance R{_EACH}; e = R*f", R=1.0, equations=finite("e = R*f"))

G = PassiveOnePort | Model(description=f"Conductance G{_EACH}; f = G*e", G=1.0, equations=finite("f = G*e"))

C = PassiveOnePort | Model(
    description=f"Capacitance C{_EACH}; f = C*der(e). The efforts are its states.", C=1.0, equations=finite("C*der(e) = f")
)

I = Inertance | Model(
    description=f"Inertance I{_EACH}; e = I*der(f). The flows are its states.",
    I=1.0,
    equations=inertance("I*der(f) = e", "E = I*g"),
)

mR = PassiveOnePort | Model(
    description=f"Resistance that {_INPUT}; e = R*f", R=Var(input=True, shape="n"), equations=finite("e = R*f")
)

mG = PassiveOnePort | Model(
    description=f"Conductance that {_INPUT}; f = G*e", G=Var(input=True, shape="n"), equations=finite("f = G*e")
)

_CHARGE = Var(shape="n", description="charge: integral of the flow")
_MOMENTUM = Var(shape="n", description="momentum: integral of the effort")

mC = PassiveOnePort | Model(
    description=f"Capacitance that {_INPUT}; q = C*e with the charge q, f = der(q)",
    C=Var(input=True, shape="n"),
    q=_CHARGE,
    equations=finite("q = C*e", "der(q) = f"),
)

mI = Inertance | Model(
    description=f"Inertance that {_INPUT}; p = I*f with the momentum p, e = der(p)",
    I=Var(input=True, shape="n"),
    p=_MOMENTUM,
    equations=finite("p = I*f", "der(p) = e", impulse="E = I*g", momentum="reinit(p, p + E)"),
)
