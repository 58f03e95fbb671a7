"""Bus bonds: several bonds of different domains in one connector, those of a convective flow.

Any model of `BondIn` or `BondOut` is a connector of this kind. Source: D. Zimmer, A Modelica library for multibond graphs
and its application in 3D-mechanics, thesis, ETH Zurich 2006, section 3.1.
"""

from __future__ import annotations

from ...model.array import Array
from ...model.control import For
from ...model.model import Map, Model, Var
from .junctions import J0, J1
from .ports import BondIn, BondOut

_UNITS = {"T": ("K", "W/K"), "p": ("Pa", "m3/s"), "g": ("J/kg", "kg/s")}
"""Bonds of a convective flow: the units of effort and flow."""


def _end(bond: Model, direction: str) -> Model:
    bonds = {name: bond | Model(n=1, e=Var(unit=effort), f=Var(unit=flow)) for name, (effort, flow) in _UNITS.items()}
    return Model(
        description=f"End of a bus bond whose half arrows {direction} the component: temperature T with the flow of entropy,"
        " pressure p with the volume flow, specific free enthalpy g with the mass flow",
        **bonds,
    )


BusIn, BusOut = _end(BondIn, "enter"), _end(BondOut, "leave")


def _junction(junction: Model, what: str) -> Model:
    return Model(
        description=f"{what} of each bond of n_in bus bonds a that enter and n_out bus bonds b that leave",
        n_in=1,
        n_out=1,
        a=Array("n_in", BusIn),
        b=Array("n_out", BusOut),
        **{f"J_{name}": junction | Map(n=1, n_in="n_in", n_out="n_out") for name in _UNITS},
        connect=[
            For("i", "n_in", [(f"a[i].{name}", f"J_{name}.a[i]") for name in _UNITS]),
            For("i", "n_out", [(f"J_{name}.b[i]", f"b[i].{name}") for name in _UNITS]),
        ],
    )


BusJ0, BusJ1 = _junction(J0, "0-junction"), _junction(J1, "1-junction")

ToBus = Model(
    description="Bonds T, p and g of size 1 become the bus bond b",
    **{name: BusIn[name] for name in _UNITS},
    b=BusOut,
    connect=[(name, f"b.{name}") for name in _UNITS],
)

FromBus = Model(
    description="The bus bond a becomes bonds T, p and g of size 1",
    a=BusIn,
    **{name: BusOut[name] for name in _UNITS},
    connect=[(f"a.{name}", name) for name in _UNITS],
)
