"""Mistakes in graphs, and what the messages name."""

from __future__ import annotations

import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library import bond_graphs as bg

PLAIN = Model(
    S=bg.Se, J=bg.J1 | Map(n_out=2), R=bg.R, X=bg.C, connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "X.a")]
)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (  # two efforts at one 0-junction
            Model(
                S=bg.Se,
                T=bg.Se | Map(e0=2.0),
                J=bg.J0 | Map(n_in=2),
                R=bg.R,
                connect=[("S.b", "J.a[0]"), ("T.b", "J.a[1]"), ("J.b[0]", "R.a")],
            ),
            r"contradicts.*'T: e = e0.*found 0 = T\.e0 - S\.e0 = 1",
        ),
        (  # a flow into an open switch, always
            Model(S=bg.Sf, W=bg.Sw | Map(open=Var(True)), connect=[("S.b", "W.a")]),
            r"contradict",
        ),
        (PLAIN | Model(connect=[("S.b", "J.a[1]")]), r"'J\.a\[1\]' in connect\(S\.b, J\.a\[1\]\) leads nowhere.*a\[0\]"),
        (PLAIN | Map(J=Map(n_out=3)), r"nothing is connected with 'J\.b\[2\]'"),
        (PLAIN | Map(J=Map(n_out=1)), r"'J\.b\[1\]' in connect\(J\.b\[1\], X\.a\) leads nowhere"),
        (PLAIN | Model(connect=[("R", "X.a")]), r"'R' in connect\(R, X\.a\) is not a connector.*R\.a"),
        (PLAIN | Model(bond_size=0), r"shape is wrong; found 'n' = \[0\]"),
        (PLAIN | Model(bond_size=2) | Map(R=Map(R=[1, 2, 3])), r"R: 'R\.R' and 'R\.f'.*\(3,\) and \(2,\)"),
        (
            Model(bond_size=2, S=bg.Se, R=bg.RF | Map(R=[[1.0]]), connect=[("S.b", "R.a")]),
            r"R: 'transpose\(transpose\(R\.R\)\)@R\.f' has no meaning.*\(1, 1\) and 'R\.f' of shape \(2,\)",
        ),
        (
            Model(bond_size=2, S=bg.Se, G=bg.GF | Map(G=[2.0, 1.0]), connect=[("S.b", "G.a")]),
            r"G: 'transpose\(G\.G\)' has no meaning.*found 'G\.G' of shape \(2,\); expected a matrix",
        ),
        (Model(S=bg.mSe, R=bg.R, connect=[("S.b", "R.a")]), r"S\.s: nothing is connected to this input"),
        (Model(S=bg.Se, W=bg.Sw, connect=[("S.b", "W.a")]), r"W\.open: nothing is connected to this input"),
        (
            Model(
                S=bg.Se | Map(n=2),
                X=bg.TF2_flow | Map(n_a=2, n_b=3, M=[[1, 2, 3]]),
                R=bg.R | Map(n=3),
                connect=[("S.b", "X.a"), ("X.b", "R.a")],
            ),
            r"X: .*M@.*\(1, 3\)",
        ),
    ],
)  # fmt: skip
def test_messages_name_the_mistake(model: Model, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(model)


def test_a_misspelt_parameter_is_refused() -> None:
    with pytest.raises(ModelError, match=r"there is no 'r' to modify"):
        bg.R | Map(r=2.0)


def test_sizes_cannot_be_merged_but_parameters_can() -> None:
    sim = instantiate(Model(bond_size=2, S=bg.Se, R=bg.R | Map(R=[1.0, 2.0]), connect=[("S.b", "R.a")]))
    assert sim.simulate(0.0, merge=Map(R=Map(R=[4.0, 5.0])))["R.f"][-1] == pytest.approx([0.25, 0.2])
    with pytest.raises((SimulationError, ModelError)):
        sim.simulate(0.0, merge=Map(bond_size=3))


def test_an_effort_that_nothing_determines_is_named() -> None:
    """Flows alone meet in the junction."""
    model = Model(
        S=bg.Sf, T=bg.Sf | Map(f0=-1.0), J=bg.J0 | Map(n_in=2, n_out=0), connect=[("S.b", "J.a[0]"), ("T.b", "J.a[1]")]
    )
    with pytest.raises(ModelError, match=r"too few equations \(1 missing\) for '.*e\[0\]'"):
        instantiate(model)
