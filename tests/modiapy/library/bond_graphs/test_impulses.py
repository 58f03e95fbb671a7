"""Impulses in bond graphs: what a blow changes at once, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, ModiaError, Var, instantiate
from modiapy.library.bond_graphs import (
    GY,
    J0,
    J1,
    TF,
    Bond,
    C,
    Composition,
    Decomposition,
    I,
    ImpulseSource,
    PermutBond,
    R,
    TF2_flow,
    mI,
)

END = R | Map(R=0.0)


def blow(**elements: Model) -> Model:
    """Return a 1-junction of an inertance of 2, a blow of 3 at 0.5 s, and further bonds that leave at ``J.b[2]`` and on."""
    return Model(
        impulses=True,
        J=J1 | Map(n_in=1, n_out=2),
        blow=ImpulseSource | Map(s=3.0),
        m=I | Map(I=2.0),
        when=Var("time > 0.5", type="Boolean", init=False),
        connect=[("blow.b", "J.a[0]"), ("J.b[0]", "m.a"), ("when", "blow.u")],
        **elements,
    )


def speed(model: Model, name: str = "m.f") -> np.ndarray:
    return instantiate(model).simulate(1.0)[name][-1]


def test_an_inertance_alone() -> None:
    assert speed(blow(end=END) | Model(connect=[("J.b[1]", "end.a")])) == pytest.approx([1.5])


def test_a_transformer_carries_the_impulse() -> None:
    """Momentum: the inertance behind the transformer counts m**2 times."""
    parts = {"tf": TF | Map(m=3.0), "J2": J1, "m2": I | Map(I=5.0)}
    model = blow(**parts) | Model(connect=[("J.b[1]", "tf.a"), ("tf.b", "J2.a[0]"), ("J2.b[0]", "m2.a")])
    assert speed(model) == pytest.approx([3.0 / (2.0 + 9.0 * 5.0)])
    assert speed(model, "m2.f") == pytest.approx([9.0 / 47.0])


@pytest.mark.parametrize("element", [C | Map(C=1e9), R | Map(R=1e-9), GY | Map(r=1e-9)])
def test_what_is_finite_takes_no_impulse(element: Model) -> None:
    """A very soft spring, a damper, or a gyrator with an inertance behind it holds the second inertance back no more."""
    behind = {"J0": J0 | Map(n_out=2), "x": element, "m2": I | Map(I=5.0)}
    links = [("J.b[1]", "J0.a[0]"), ("J0.b[0]", "x.a"), ("J0.b[1]", "m2.a")]
    if "b" in element:
        behind |= {"load": I | Map(I=1.0)}
        links += [("x.b", "load.a")]
    model = blow(**behind) | Model(connect=links)
    assert speed(model) == pytest.approx([1.5], abs=1e-6)
    assert speed(model, "m2.f") == pytest.approx([0.0], abs=1e-6)


def test_vectors() -> None:
    """Two inertances become one bond, are permuted and projected; the blow acts on both through a matrix."""
    model = Model(
        impulses=True,
        when=Var("time > 0.5", type="Boolean", init=False),
        blow=ImpulseSource | Map(n=1, s=2.0),
        tf=TF2_flow | Map(n_a=1, n_b=2, M=[[3.0], [4.0]]),
        bond=Bond | Map(n=2),
        permut=PermutBond | Map(n=2, p=[1, 0]),
        split=Decomposition,
        join=Composition,
        m=I | Map(n=2, I=[2.0, 5.0]),
        connect=[
            ("when", "blow.u"),
            ("blow.b", "tf.a"),
            ("tf.b", "bond.a"),
            ("bond.b", "permut.a"),
            ("permut.b", "split.a"),
            ("split.b1", "join.a1"),
            ("split.b2", "join.a2"),
            ("join.b", "m.a"),
        ],
    )
    result = instantiate(model).simulate(1.0)
    v = 2.0 / (3.0**2 * 5.0 + 4.0**2 * 2.0)  # of the single bond: element 0 of m is element 1 of the transformer
    assert result["m.f"][-1] == pytest.approx([4.0 * v, 3.0 * v])


def test_a_modulated_inertance_keeps_its_momentum_and_takes_the_blow() -> None:
    """I(t) = 2 + t: the momentum is 3 from 0.5 s on."""
    part = mI | Map(I=Var(["2 + time"]), p=Var(init=0.0))
    model = Model(
        impulses=True,
        when=Var("time > 0.5", type="Boolean", init=False),
        blow=ImpulseSource | Map(s=3.0),
        m=part,
        connect=[("blow.b", "m.a"), ("when", "blow.u")],
    )
    result = instantiate(model).simulate(1.0)
    assert result["m.p"][-1] == pytest.approx([3.0])
    assert speed(model) == pytest.approx([1.0])


def test_a_blow_needs_the_parameter() -> None:
    model = blow(end=END) | Model(connect=[("J.b[1]", "end.a")]) | Map(impulses=False)
    with pytest.raises(ModiaError, match=r"blow.*impulses need the parameter impulses=True in a model around"):
        instantiate(model).simulate(1.0)
