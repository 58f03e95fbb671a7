"""Bonds as components: to have one by name, with a causal stroke, a sensor of power, or its elements in another order.

A stroke stands at the end where the flow is computed. It decides nothing: a picture of the graph compares it with what the
sorted equations compute where.
"""

from __future__ import annotations

from ...model.control import For
from ...model.model import Model, Par, Var
from .impulses import SIZE, with_impulses
from .ports import BondIn, BondOut, TwoPort

Bond = Model(
    description="Bond of size n from a to b, with its effort e and its flow f along the half arrow",
    n="outer(bond_size, 1)",
    n_impulse=SIZE,
    a=BondIn,
    b=BondOut,
    e=Var(shape="n", unit="{effort_unit}", description="effort"),
    f=Var(shape="n", unit="{flow_unit}", description="flow along the half arrow"),
    E=Var(impulse=True, shape="n_impulse", elements=True, unit="s.{effort_unit}", description="impulse of the effort"),
    g=Var(impulse=True, shape="n_impulse", elements=True, unit="{flow_unit}", description="jump of the flow"),
    equations=with_impulses("e = a.e", "f = a.f", "e = b.e", "f = -b.f"),
)

_Causal = Bond | Model(stroke=Par("tail", choices=("tail", "head"), description="end at which the flow is computed"))

eBond = _Causal | Model(description="Bond whose causal stroke is at its tail a: the flow is computed there, the effort at b")

fBond = _Causal | Model(
    description="Bond whose causal stroke is at its head b: the flow is computed there, the effort at a", stroke="head"
)

_POWER = Model(P=Var("e@f", output=True, description="power along the half arrow"))

PBond, ePBond, fPBond = (
    bond | _POWER | Model(description=f"{bond['description']}; output P is the power along the half arrow")
    for bond in (Bond, eBond, fBond)
)

PermutBond = TwoPort | Model(
    description="Bond that permutes its elements: number i of b is number p[i] of a, counted from 0",
    p=[0],
    equations=with_impulses(For("i", "n", ["e2[i] = e1[p[i]]", "f2[i] = f1[p[i]]"])),
)
