"""Bonds with a name, and causal ones."""

from __future__ import annotations

from ...model.model import Model, Var
from .ports import BondIn, BondOut

Bond = Model(
    description="Bond of size n from a to b with effort e and flow f along its half arrow",
    n="outer(bond_size, 1)",
    a=BondIn,
    b=BondOut,
    e=Var(shape="n", description="effort"),
    f=Var(shape="n", description="flow along the half arrow"),
    equations=["e = a.e", "f = a.f", "e = b.e", "f = -b.f"],
)
