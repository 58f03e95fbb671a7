"""Switches and diodes: which side of them is zero, when it changes, and what they cannot do."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, NumericalError, Result, Var, instantiate, redeclare
from modiapy.library import bond_graphs as bg


def simulated(model: Model, stop: float = 2.0) -> Result:
    return instantiate(model).simulate(stop, tolerance=1e-9, interval=stop / 200)


def in_series(element: Model, n: int = 1, effort: list[str] | None = None) -> Model:
    """Return an effort, a resistance of 2 and the element X at one 1-junction."""
    return Model(
        bond_size=n,
        S=bg.mSe | Map(s=Var(effort or ["3*sin(6*time)"] * n)),
        J=bg.J1 | Map(n_out=2),
        R=bg.R | Map(R=2.0),
        X=element,
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "X.a")],
    )


@pytest.mark.parametrize("element", [bg.Sw, bg.Sw2 | Map(Ron=1e-9, Goff=1e-9)])
@pytest.mark.parametrize("n", [1, 2])
def test_a_switch_is_open_while_its_input_is_true(element: Model, n: int) -> None:
    result = simulated(in_series(element | Map(open=Var("time < 0.51 or time > 1.49")), n))
    open_now = (result.time < 0.51) | (result.time > 1.49)
    inner = np.minimum(np.abs(result.time - 0.51), np.abs(result.time - 1.49)) > 1e-6
    effort = 3 * np.sin(6 * result.time)
    for k in range(n):
        assert result["X.f"][inner, k] == pytest.approx(np.where(open_now, 0.0, effort / 2)[inner], abs=1e-7)
        assert result["X.e"][inner, k] == pytest.approx(np.where(open_now, effort, 0.0)[inner], abs=1e-7)


@pytest.mark.parametrize(("Ron", "Goff"), [(0.1, 0.2), ([0.1, 0.5], [0.2, 0.0])])
def test_a_switch_may_leak(Ron: object, Goff: object) -> None:
    result = simulated(in_series(bg.Sw2 | Map(Ron=Ron, Goff=Goff, open=Var("time > 1")), 2, ["1", "2"]))
    closed, opened = np.flatnonzero(result.time < 0.99)[-1], -1
    assert result["X.e"][closed] == pytest.approx(np.multiply(Ron, result["X.f"][closed]))
    assert result["X.f"][opened] == pytest.approx(np.multiply(Goff, result["X.e"][opened]))


def test_an_ideal_diode_rectifies() -> None:
    """It lets a positive flow pass, and takes a negative effort."""
    result = simulated(in_series(bg.D))
    effort = 3 * np.sin(6 * result.time)
    assert result["X.f"][:, 0] == pytest.approx(np.maximum(effort, 0.0) / 2, abs=1e-7)
    assert result["X.e"][:, 0] == pytest.approx(np.minimum(effort, 0.0), abs=1e-7)
    turned = simulated(in_series(bg.D | Map(d=1.0)))
    assert turned["X.f"][:, 0] == pytest.approx(np.minimum(3 * np.sin(6 * turned.time), 0.0) / 2, abs=1e-7)


def test_a_diode_leaks_and_begins_to_block_at_an_effort() -> None:
    result = simulated(in_series(bg.D2 | Map(Ron=0.1, Goff=0.01, e0=-0.5)))
    e, f = result["X.e"][:, 0], result["X.f"][:, 0]
    blocking = e < 0.5
    assert f[blocking] == pytest.approx(0.01 * e[blocking], abs=1e-9)
    assert e[~blocking] == pytest.approx(0.5 + 0.1 * (f[~blocking] - 0.01 * 0.5), abs=1e-9)
    assert blocking.any()
    assert not blocking.all()


def test_a_diode_of_a_multibond_acts_along_its_direction() -> None:
    """Across it there is no effort; along it the flow has one sign."""
    result = simulated(in_series(bg.D | Map(d=[0.6, 0.8]), 2, ["3*sin(6*time)", "1"]))
    effort, direction = np.column_stack([3 * np.sin(6 * result.time), np.ones_like(result.time)]), np.array([0.6, 0.8])
    along = effort @ direction
    assert result["X.e"] == pytest.approx(np.maximum(along, 0.0)[:, None] * direction, abs=1e-7)
    assert result["X.f"] @ direction == pytest.approx(np.minimum(along, 0.0) / 2, abs=1e-7)


def test_a_bridge_of_four_ideal_diodes() -> None:
    """Graetz's bridge: 0-junctions are the nodes; the load sees the amount of the effort."""
    model = Model(
        S=bg.mSe | Map(s=Var(["3*sin(6*time)"])),
        A=bg.J1 | Map(n_in=1, n_out=2),
        Ri=bg.R | Map(R=0.5),
        P=bg.J0 | Map(n_in=1, n_out=2),
        T1=bg.J1 | Map(n_in=1, n_out=2),
        D1=bg.D,
        T2=bg.J1 | Map(n_in=1, n_out=2),
        D2=bg.D | Map(d=1.0),
        turn=bg.TF | Map(m=-1.0),
        L=bg.J0 | Map(n_in=2, n_out=1),
        load=bg.R | Map(R=2.0),
        connect=[
            ("S.b", "A.a[0]"), ("A.b[0]", "Ri.a"), ("A.b[1]", "P.a[0]"), ("P.b[0]", "T1.a[0]"), ("T1.b[0]", "D1.a"),
            ("P.b[1]", "T2.a[0]"), ("T2.b[0]", "D2.a"), ("T1.b[1]", "L.a[0]"), ("T2.b[1]", "turn.a"), ("turn.b", "L.a[1]"),
            ("L.b[0]", "load.a"),
        ],
    )  # fmt: skip
    result = simulated(model)
    assert result["load.e"][:, 0] == pytest.approx(2.0 / 2.5 * np.abs(3 * np.sin(6 * result.time)), abs=1e-6)


@pytest.mark.parametrize(
    ("storage", "junction", "condition", "start"),
    [
        (bg.C | Map(e=Map(start=0.5)), bg.J0, "time < 1", 1.0),
        (bg.C | Map(e=Map(start=0.5)), bg.J0, "time > 1", 0.0),
        (bg.I | Map(f=Map(start=0.5)), bg.J1, "time > 1", 1.0),
        (bg.I, bg.J1, "time < 1", 0.0),
    ],
)
def test_a_storage_that_a_switch_would_empty_is_named(storage: Model, junction: Model, condition: str, start: float) -> None:
    """A capacitor beside a closed switch, an inductor in series with an open one, also while it is empty."""
    model = Model(
        S=bg.Se,
        J=bg.J1 | Map(n_out=2),
        R=bg.R,
        K=junction | Map(n_out=2),
        X=storage,
        W=bg.Sw | Map(open=Var(condition)),
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "K.a[0]"), ("K.b[0]", "X.a"), ("K.b[1]", "W.a")],
    )
    with pytest.raises(
        NumericalError, match=r"W: at time.*'K\.b\[1\].*With W\.open = .* nothing determines 'K\.b\[1\]"
    ) as raised:
        simulated(model)
    assert raised.value.time == pytest.approx(start)
    leaking = simulated(model | Map(W=redeclare(bg.Sw2 | Map(Ron=0.01, Goff=0.01, open=Var(condition)))))
    assert leaking.time[-1] == pytest.approx(2.0)


def test_a_diode_that_stops_an_inductor_leaks() -> None:
    """Ideal, it would leave the effort of the inductor open, and is named."""
    model = in_series(bg.D) | Map(J=Map(n_out=3)) | Model(L=bg.I | Map(I=0.2), connect=[("J.b[2]", "L.a")])
    with pytest.raises(NumericalError, match=r"X\.(s > 0|blocking)"):
        simulated(model)
    flow = simulated(model | Map(X=redeclare(bg.D2)))["L.f"]
    assert flow.min() > -5e-5
    assert flow.max() > 0.5
