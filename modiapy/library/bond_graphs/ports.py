"""Ends of bonds, and what the elements have in common.

A connection of a `BondOut` with a `BondIn` is a bond: the power ``e*f`` flows along its half arrow, from the first to the
second. Flows are positive into a component, as everywhere in the language; along the half arrow of a `BondOut` the flow is
``-b.f``.

The size n of a bond is that of the element, by default the parameter ``bond_size`` of a model around it, by default 1. Its
units are the texts ``effort_unit`` and ``flow_unit`` of the element or a model around it, see `domains`.
"""

from __future__ import annotations

from ...model.model import Model, Var

_EFFORT, _FLOW = "effort", "flow along the half arrow"
_SIZE = "outer(bond_size, 1)"
_E, _F = "{effort_unit}", "{flow_unit}"

BondIn = Model(
    description="End of a bond of size n whose half arrow enters the component, with efforts e and flows f",
    half_arrow="in",
    e=Var(potential=True, shape="n", elements=True, unit=_E, description="effort"),
    f=Var(flow=True, shape="n", elements=True, unit=_F, description="flow into the component"),
)

BondOut = Model(
    description="End of a bond of size n whose half arrow leaves the component, with efforts e and flows f",
    half_arrow="out",
    e=Var(potential=True, shape="n", elements=True, unit=_E, description="effort"),
    f=Var(flow=True, shape="n", elements=True, unit=_F, description="flow into the component"),
)

PassiveOnePort = Model(
    description="What elements with one bond a of size n have in common whose half arrow points at them",
    n=_SIZE,
    a=BondIn,
    e=Var(shape="n", unit=_E, description=_EFFORT),
    f=Var(shape="n", unit=_F, description=_FLOW),
    equations=["e = a.e", "f = a.f"],
)

ActiveOnePort = Model(
    description="What elements with one bond b of size n have in common whose half arrow leaves them",
    n=_SIZE,
    b=BondOut,
    e=Var(shape="n", unit=_E, description=_EFFORT),
    f=Var(shape="n", unit=_F, description=_FLOW),
    equations=["e = b.e", "f = -b.f"],
)

TwoPort = Model(
    description="What elements with a bond a that enters and a bond b that leaves, both of size n, have in common",
    n=_SIZE,
    a=BondIn,
    b=BondOut,
    e1=Var(shape="n", unit="{a.effort_unit}", description=f"{_EFFORT} at a"),
    f1=Var(shape="n", unit="{a.flow_unit}", description=f"{_FLOW} at a"),
    e2=Var(shape="n", unit="{b.effort_unit}", description=f"{_EFFORT} at b"),
    f2=Var(shape="n", unit="{b.flow_unit}", description=f"{_FLOW} at b"),
    equations=["e1 = a.e", "f1 = a.f", "e2 = b.e", "f2 = -b.f"],
)

TwoDiffPort = Model(
    description="What elements with a bond a of size n_a that enters and a bond b of size n_b that leaves have in common",
    n_a=_SIZE,
    n_b=_SIZE,
    a=BondIn | Model(n="n_a"),
    b=BondOut | Model(n="n_b"),
    e1=Var(shape="n_a", unit="{a.effort_unit}", description=f"{_EFFORT} at a"),
    f1=Var(shape="n_a", unit="{a.flow_unit}", description=f"{_FLOW} at a"),
    e2=Var(shape="n_b", unit="{b.effort_unit}", description=f"{_EFFORT} at b"),
    f2=Var(shape="n_b", unit="{b.flow_unit}", description=f"{_FLOW} at b"),
    equations=["e1 = a.e", "f1 = a.f", "e2 = b.e", "f2 = -b.f"],
)
