"""Small graphs against closed forms, for single bonds and multibonds."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, Result, Var, instantiate
from modiapy.library.bond_graphs import GY, J0, J1, TF, C, G, I, R, Se, Sf

SIZES = (1, 3)


def simulated(model: Model, stop: float = 1.0) -> Result:
    return instantiate(model).simulate(stop, interval=stop / 20, tolerance=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_rc_in_series_at_an_effort(n: int) -> None:
    size = Map(n=n)
    model = Model(
        S=Se | size | Map(e0=2.0),
        J=J1 | size | Map(n_out=2),
        R=R | size | Map(R=[1.0, 2.0, 4.0][:n]),
        C=C | size | Map(C=0.5, e=Var(init=0.0)),
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "C.a")],
    )
    result = simulated(model)
    for k, tau in enumerate([0.5, 1.0, 2.0][:n]):
        assert result["C.e"][:, k] == pytest.approx(2 * (1 - np.exp(-result.time / tau)), abs=1e-7)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("two_port", [TF | Map(m=2.0), GY | Map(r=2.0)])
def test_a_load_behind_a_transformer_or_gyrator(n: int, two_port: Model) -> None:
    """Behind a gyrator a capacitance is an inertance r**2*C, a conductance a resistance r**2*G."""
    size = Map(n=n)
    model = Model(
        S=Sf | size | Map(f0=3.0),
        J=J0 | size | Map(n_in=1, n_out=2),
        R=R | size | Map(R=2.0),
        T=two_port | size,
        K=J0 | size | Map(n_out=2),
        C=C | size | Map(C=0.5, e=Var(start=0.0)),
        G=G | size | Map(G=0.25),
        connect=[
            ("S.b", "J.a[0]"),
            ("J.b[0]", "R.a"),
            ("J.b[1]", "T.a"),
            ("T.b", "K.a[0]"),
            ("K.b[0]", "C.a"),
            ("K.b[1]", "G.a"),
        ],
    )
    result = simulated(model)
    if "m" in two_port:  # e_C = e/2, and 3 = e/2 + 0.5*(0.5*e_C' + 0.25*e_C)
        steady, rate = 3 / (1 + 0.5 * 0.25), (1 + 0.5 * 0.25) / (0.5 * 0.5)
    else:  # e_C = 2*f1, and e = 2*(3 - f1) = 2*(0.5*2*f1' + 0.25*2*f1)
        steady, rate = 2 * 6 / (2 + 1), (2 + 1) / 2
    for k in range(n):
        assert result["C.e"][:, k] == pytest.approx(steady * (1 - np.exp(-rate * result.time)), abs=1e-7)


@pytest.mark.parametrize("n", SIZES)
def test_a_storage_of_each_kind_oscillates(n: int) -> None:
    size = Map(n=n)
    model = Model(
        J=J1 | size | Map(n_in=0, n_out=2),
        C=C | size | Map(C=0.5, e=Var(init=1.0)),
        L=I | size | Map(I=0.5),
        connect=[("J.b[0]", "C.a"), ("J.b[1]", "L.a")],
    )
    result = simulated(model, 3.0)
    energy = 0.25 * result["C.e"] ** 2 + 0.25 * result["L.f"] ** 2
    assert energy == pytest.approx(np.full_like(energy, 0.25), abs=1e-7)
    assert result["C.e"][:, n - 1] == pytest.approx(np.cos(2 * result.time), abs=1e-6)
