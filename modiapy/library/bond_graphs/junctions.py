"""Junctions of any number of bonds, and partial ones, in which some bonds have fewer elements."""

from __future__ import annotations

from ...model.array import Array
from ...model.control import For
from ...model.model import Model, Var
from .impulses import SIZE, with_impulses
from .ports import BondIn, BondOut

_Junction = Model(
    n="outer(bond_size, 1)",
    n_impulse=SIZE,
    n_in=1,
    n_out=1,
    a=Array("n_in", BondIn),
    b=Array("n_out", BondOut),
)

J0 = _Junction | Model(
    description="0-junction of n_in bonds a that enter and n_out bonds b that leave, all of size n; the efforts are equal,"
    " and the flows that enter sum up to those that leave",
    e=Var(shape="n", unit="{effort_unit}", description="effort of all bonds"),
    E=Var(impulse=True, shape="n_impulse", elements=True, unit="s.{effort_unit}", description="impulse of all bonds"),
    equations=with_impulses(
        For("i", "n_in", ["a[i].e = e"]),
        For("i", "n_out", ["b[i].e = e"]),
        "0*e = sum(a[i].f for i in range(n_in)) + sum(b[i].f for i in range(n_out))",
    ),
)

J1 = _Junction | Model(
    description="1-junction of n_in bonds a that enter and n_out bonds b that leave, all of size n; the flows along the half"
    " arrows are equal, and the efforts that enter sum up to those that leave",
    f=Var(shape="n", unit="{flow_unit}", description="flow of all bonds along their half arrows"),
    g=Var(impulse=True, shape="n_impulse", elements=True, unit="{flow_unit}", description="jump of the flow of all bonds"),
    equations=with_impulses(
        For("i", "n_in", ["a[i].f = f"]),
        For("i", "n_out", ["-b[i].f = f"]),
        "0*f = sum(a[i].e for i in range(n_in)) - sum(b[i].e for i in range(n_out))",
    ),
)

_Partial = Model(
    n="outer(bond_size, 1)",
    n_impulse=SIZE,
    n_partial=1,
    n_in=1,
    n_out=0,
    order=[0],
    a=BondIn,
    b=BondOut,
    c=Array("n_in", BondIn | Model(n="n_partial")),
    d=Array("n_out", BondOut | Model(n="n_partial")),
)
_ORDER = (
    " in some of its elements: n_in bonds c enter, n_out bonds d leave. Their element k is element order[k] of a and b; order"
    " is a permutation of 0 to n - 1, of which the first n_partial count."
)


def _sum(ports: str, variable: str, sign: str = "+") -> str:
    return f" {sign} sum({ports}[i].{variable}[k] for i in range({'n_in' if ports == 'c' else 'n_out'}))"


J0Partial = _Partial | Model(
    description=f"0-junction of a bond from a to b of size n, which bonds of size n_partial join{_ORDER}",
    e=Var(shape="n", unit="{effort_unit}", description="effort of all bonds"),
    E=Var(impulse=True, shape="n_impulse", elements=True, unit="s.{effort_unit}", description="impulse of all bonds"),
    equations=with_impulses(
        "a.e = e",
        "b.e = e",
        For(
            "k",
            "n_partial",
            [
                For("i", "n_in", ["c[i].e[k] = e[order[k]]"]),
                For("i", "n_out", ["d[i].e[k] = e[order[k]]"]),
                "0 = a.f[order[k]] + b.f[order[k]]" + _sum("c", "f") + _sum("d", "f"),
            ],
        ),
        For("k", "n - n_partial", ["0 = a.f[order[k]] + b.f[order[k]]"], first="n_partial"),
    ),
)

J1Partial = _Partial | Model(
    description=f"1-junction of a bond from a to b of size n, which bonds of size n_partial join{_ORDER}",
    f=Var(shape="n", unit="{flow_unit}", description="flow of all bonds along their half arrows"),
    g=Var(impulse=True, shape="n_impulse", elements=True, unit="{flow_unit}", description="jump of the flow of all bonds"),
    equations=with_impulses(
        "a.f = f",
        "-b.f = f",
        For(
            "k",
            "n_partial",
            [
                For("i", "n_in", ["c[i].f[k] = f[order[k]]"]),
                For("i", "n_out", ["-d[i].f[k] = f[order[k]]"]),
                "0 = a.e[order[k]] - b.e[order[k]]" + _sum("c", "e") + _sum("d", "e", "-"),
            ],
        ),
        For("k", "n - n_partial", ["a.e[order[k]] = b.e[order[k]]"], first="n_partial"),
    ),
)
