"""The size of all bonds of a graph is a parameter of a model around them, or 1."""

from __future__ import annotations

import pytest

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library.bond_graphs import J1, C, R, Se

GRAPH = Model(S=Se, J=J1 | Map(n_out=2), R=R, C=C, connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "C.a")])


def sizes(model: Model) -> list[int]:
    result = instantiate(model).simulate(0.0)
    return [result[name].shape[1] for name in ("C.e", "sub.C.e", "sub.graph.C.e", "other.C.e") if name in result]


def test_the_nearest_enclosing_model_says_the_size() -> None:
    assert sizes(GRAPH) == [1]
    assert sizes(GRAPH | Model(bond_size=2)) == [2]
    assert sizes(Model(bond_size=3, sub=GRAPH | Map(S=Map(e0=[1, 2, 3])))) == [3]
    assert sizes(Model(bond_size=3, sub=GRAPH | Model(bond_size=2))) == [2]
    assert sizes(Model(bond_size=3, sub=Model(graph=GRAPH), other=GRAPH | Model(bond_size="bond_sizes", bond_sizes=2))) == [
        3,
        2,
    ]


def test_an_element_may_have_another_size() -> None:
    with pytest.raises(ModelError, match=r"connect\(J\.b\[0\], R\.a\)"):
        instantiate(GRAPH | Model(bond_size=2) | Map(R=Map(n=1)))
    own = Model(bond_size=2, S=Se | Map(n="bond_size + 1"), R=R | Map(n=3), connect=[("S.b", "R.a")])
    assert instantiate(own).simulate(0.0)["R.f"].shape[1] == 3


def test_outer_is_a_parameter_of_an_enclosing_model_or_a_default() -> None:
    part = Model(k="2*outer(gain, outer(base, 3))", x=Var("k*time"))
    for model, value in (
        (Model(p=part), 6.0),
        (Model(base=4.0, p=part), 8.0),
        (Model(base=4.0, q=Model(gain=5.0, p=part)), 10.0),
    ):
        result = instantiate(model).simulate(1.0)
        name = "p.x" if "p" in model else "q.p.x"
        assert result[name][-1] == pytest.approx(value)
    with pytest.raises(ModelError, match=r"unknown function 'outer'.*outer\(name, 2\.0\)"):
        instantiate(part | Map(k="outer(gain)"))
    with pytest.raises(ModelError, match=r"'gain' in .* is a variable"):
        instantiate(Model(gain=Var("time"), p=part))
