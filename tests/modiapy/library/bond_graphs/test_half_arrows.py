"""A connection of a half arrow that leaves with one that enters is a bond; nothing else is."""

from __future__ import annotations

import pytest

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library.bond_graphs import J1, BondIn, BondOut, C, I, R, Se

PARTS = Model(S=Se, J=J1 | Map(n_out=3), R=R, C=C, L=I)
BONDS = [("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "C.a"), ("J.b[2]", "L.a")]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            PARTS | Model(connect=[("S.b", "J.b[0]"), *BONDS[2:]]),
            r"two half arrows do not make a bond: 'S\.b' and 'J\.b\[0\]'.*both leave",
        ),
        (PARTS | Model(T=R, U=R, connect=[*BONDS, ("T.a", "U.a")]), r"'T\.a' and 'U\.a'.*both enter"),
        (PARTS | Model(connect=BONDS[:-1]), r"nothing is connected with 'J\.b\[2\]'"),
        (
            PARTS | Model(T=R, connect=[*BONDS, ("T.a", "R.a")]),
            r"more than two ends.*'J\.b\[0\]', 'R\.a', 'T\.a'.*a junction",
        ),
        (Model(S=Se | Map(n=2), R=R | Map(n=3), connect=[("S.b", "R.a")]), r"connect\(S\.b, R\.a\).*\(2,\) = \(3,\)"),
        (Model(R=R | Map(a=BondIn | Model(half_arrow="up"))), r"R\.a: 'half_arrow' is no direction; found 'up'"),
    ],
)
def test_a_bond_has_two_ends_of_which_one_leaves(model: Model, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(model)


def test_a_bond_passes_the_border_of_a_model() -> None:
    """The connector of a model has the same direction inside and outside of it."""
    load = Model(a=BondIn, J=J1 | Map(n_out=2), R=R, C=C, connect=[("a", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "C.a")])
    source = Model(b=BondOut | Model(n=1), S=Se | Map(e0=2.0), connect=[("S.b", "b")])
    inner = load | Model(n=1) | Map(C=Map(e=Var(init=0.5)))
    model = Model(source=source, load=inner, connect=[("source.b", "load.a")])
    result = instantiate(model).simulate(40.0)
    assert result["load.C.e"][-1] == pytest.approx([2.0], abs=1e-4)
    assert instantiate(inner).simulate(0.0)["J.f"][-1] == pytest.approx([0.0])  # alone, it may be open
    for wrong in (
        Model(source=source, load=inner | Model(T=Se, connect=[("T.b", "a")]), connect=[("source.b", "load.a")]),
        Model(load=inner | Model(b=BondOut, T=R, connect=[("T.a", "b")])),
    ):
        with pytest.raises(ModelError, match=r"more than two ends|both enter|both leave"):
            instantiate(wrong)
