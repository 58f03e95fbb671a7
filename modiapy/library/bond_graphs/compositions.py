"""Bonds that are joined to a longer one, or taken apart."""

from __future__ import annotations

from ...model.model import Model
from .impulses import with_impulses
from .ports import BondIn, BondOut

_SIZES = Model(n_a="outer(bond_size, 1)", n_b="outer(bond_size, 1)", n_impulse="n_a + n_b if outer(impulses, False) else 0")

Composition = _SIZES | Model(
    description="Composition of the bonds a1 of size n_a and a2 of size n_b to one bond b, first the elements of a1",
    a1=BondIn | Model(n="n_a"),
    a2=BondIn | Model(n="n_b"),
    b=BondOut | Model(n="n_a + n_b"),
    equations=with_impulses("b.e = concat(a1.e, a2.e)", "-b.f = concat(a1.f, a2.f)"),
)

Decomposition = _SIZES | Model(
    description="Decomposition of the bond a into the bonds b1 of size n_a, its first elements, and b2 of size n_b, the rest",
    a=BondIn | Model(n="n_a + n_b"),
    b1=BondOut | Model(n="n_a"),
    b2=BondOut | Model(n="n_b"),
    equations=with_impulses("a.e = concat(b1.e, b2.e)", "a.f = -concat(b1.f, b2.f)"),
)
