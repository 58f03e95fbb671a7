"""Junctions of any number of bonds."""

from __future__ import annotations

from ...model.array import Array
from ...model.control import For
from ...model.model import Model, Var
from .ports import BondIn, BondOut

_Junction = Model(
    n="outer(bond_size, 1)",
    n_in=1,
    n_out=1,
    a=Array("n_in", BondIn),
    b=Array("n_out", BondOut),
)

J0 = _Junction | Model(
    description="0-junction of n_in bonds a that enter and n_out bonds b that leave, all of size n; the efforts are equal,"
    " and the flows that enter sum up to those that leave",
    e=Var(shape="n", description="effort of all bonds"),
    equations=[
        For("i", "n_in", ["a[i].e = e"]),
        For("i", "n_out", ["b[i].e = e"]),
        "0*e = sum(a[i].f for i in range(n_in)) + sum(b[i].f for i in range(n_out))",
    ],
)

J1 = _Junction | Model(
    description="1-junction of n_in bonds a that enter and n_out bonds b that leave, all of size n; the flows along the half"
    " equal, and the efforts that enter sum up to those that leave",
    f=Var(shape="n", description="flow of all bonds along their half arrows"),
    equations=[
        For("i", "n_in", ["a[i].f = f"]),
        For("i", "n_out", ["-b[i].f = f"]),
        "0*f = sum(a[i].e for i in range(n_in)) - sum(b[i].e for i in range(n_out))",
    ],
)
