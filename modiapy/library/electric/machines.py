"""Machines, as far as a servo needs them."""

from __future__ import annotations

from ...model.model import Map, Model
from ..rotational.components import Inertia
from ..rotational.interfaces import Flange
from .electromotive import RotationalEMF
from .interfaces import Pin
from .resistors import Resistor
from .storage import Inductor

DCPermanentMagnet = Model(
    description="Machine with commutator and permanent magnets. Va_nominal [V], Ia_nominal [A], w_nominal [rad/s]: voltage,"
    " current and speed of its nominal point, which define its coefficient k; Ra [Ohm], La [H]: armature; Jr [kg.m2]: rotor",
    Va_nominal=100.0,
    Ia_nominal=100.0,
    w_nominal=149.22565104551518,
    Ra=0.05,
    La=0.0015,
    Jr=0.15,
    k="(Va_nominal - Ra*Ia_nominal)/w_nominal",
    pin_ap=Pin,
    pin_an=Pin,
    flange=Flange,
    ra=Resistor | Map(R="Ra"),
    la=Inductor | Map(L="La"),
    emf=RotationalEMF | Map(k="k"),
    rotor=Inertia | Map(J="Jr"),
    connect=[
        ("pin_ap", "ra.p"),
        ("ra.n", "la.p"),
        ("la.n", "emf.p"),
        ("emf.n", "pin_an"),
        ("emf.flange", "rotor.flange_a"),
        ("rotor.flange_b", "flange"),
    ],
)
