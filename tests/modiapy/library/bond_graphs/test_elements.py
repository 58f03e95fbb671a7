"""Each element against its equation, computed by numpy from efforts, flows and their integrals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, Result, Var, instantiate
from modiapy.library import bond_graphs as bg

M = np.array([[2.0, 0.5], [0.3, 1.5]])
M32 = np.array([[2.0, 0.5], [0.3, 1.5], [-0.4, 1.0]])
V = np.array([2.0, 0.7])
S = ["1 + sin(3*time)", "2 - time"]


def simulated(model: Model, stop: float = 1.0) -> Result:
    return instantiate(model).simulate(stop, tolerance=1e-9, interval=0.05)


def written(value: np.ndarray, factor: str = "(1 + 0.5*sin(2*time))") -> list[Any]:
    """Return an array of expressions: numbers times a factor that varies over time."""
    return [written(row, factor) if np.ndim(row) else f"{row}*{factor}" for row in value]


def at_an_effort(element: Model) -> Model:
    """Return a graph of size 2: an effort S, a resistance of 0.5 and the element X in series; Q and P are its integrals."""
    return Model(
        bond_size=2,
        S=bg.mSe | Map(s=Var(S)),
        J=bg.J1 | Map(n_out=2),
        R=bg.R | Map(R=0.5),
        X=element,
        Q=Var(shape=2, init=0.0),
        P=Var(shape=2, init=0.0),
        equations=["der(Q) = X.f", "der(P) = X.e"],
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "X.a")],
    )


@pytest.mark.parametrize("kind", "RGCI")
@pytest.mark.parametrize(("name", "value"), [("{}", V), ("m{}", V), ("{}F", M), ("m{}F", M)])
def test_passive_elements_and_their_fields(kind: str, name: str, value: np.ndarray) -> None:
    """What is dual, and what is stored, is the matrix times the effort or flow; of modulated ones, at each time."""
    modulated = name.startswith("m")
    given = Var(written(value)) if modulated else value.tolist()
    result = simulated(at_an_effort(getattr(bg, name.format(kind)) | Map(**{kind: given})))
    matrix = value if value.ndim == 2 else np.diag(value)
    factor = (1 + 0.5 * np.sin(2 * result.time))[:, None] if modulated else 1.0
    left, right = {
        "R": (result["X.e"], result["X.f"]),
        "G": (result["X.f"], result["X.e"]),
        "C": (result["Q"], result["X.e"]),
        "I": (result["P"], result["X.f"]),
    }[kind]
    stored = factor * (right @ matrix.T)
    assert left == pytest.approx(stored - (stored[0] if kind in "CI" else 0.0), abs=1e-6)
    assert np.abs(left[-1]).min() > 0.05
    effort = np.column_stack([1 + np.sin(3 * result.time), 2 - result.time])
    assert result["X.e"] + 0.5 * result["X.f"] == pytest.approx(effort, abs=1e-8)


def test_who_modulates_a_capacitor_does_work() -> None:
    """At constant charge the stored energy changes by -e**2/2 for each change of the capacitance, as plates are pulled."""
    work = Model(E=Var(init=0.0), W=Var(init=0.0), equations=["der(E) = X.e@X.f", "der(W) = -X.e@X.e/2*0.5*2*cos(2*time)"])
    result = simulated(at_an_effort(bg.mC | Map(C=Var(["1 + 0.5*sin(2*time)"] * 2), q=Var(init=[0.0, 0.5]))) | work, 3.0)
    capacitance = 1 + 0.5 * np.sin(2 * result.time)
    energy = np.sum(result["X.q"] ** 2, axis=1) / (2 * capacitance)
    assert energy - energy[0] == pytest.approx(result["E"] + result["W"], abs=1e-6)
    assert np.abs(result["W"]).max() > 0.1


@pytest.mark.parametrize("name", ["Se", "Sf", "mSe", "mSf"])
def test_sources(name: str) -> None:
    given = Map(s=Var(S)) if name.startswith("m") else Map(**{"e0" if name == "Se" else "f0": [1.0, -2.0]})
    source = getattr(bg, name)
    result = simulated(Model(bond_size=2, S=source | given, R=bg.R | Map(R=[2.0, 4.0]), connect=[("S.b", "R.a")]))
    values = np.column_stack([1 + np.sin(3 * result.time), 2 - result.time])
    expected = values if name.startswith("m") else np.broadcast_to([1.0, -2.0], values.shape)
    assert result["R.e" if name.endswith("e") else "R.f"] == pytest.approx(expected)
    assert result["R.e"] == pytest.approx(result["R.f"] * [2.0, 4.0])
    assert result["S.e"] * result["S.f"] == pytest.approx(result["R.e"] * result["R.f"])  # along the half arrow


def between(element: Model, n_a: int, n_b: int) -> Model:
    """Return an effort with resistance of size n_a before an element, and a load of size n_b behind it."""
    return Model(
        S=bg.Se | Map(n=n_a, e0=[3.0, 1.0, -2.0][:n_a]),
        J=bg.J1 | Map(n=n_a, n_out=2),
        R=bg.R | Map(n=n_a, R=0.5),
        X=element,
        K=bg.J1 | Map(n=n_b, n_out=2),
        L=bg.R | Map(n=n_b, R=[1.0, 2.0, 0.7][:n_b]),
        C=bg.C | Map(n=n_b, C=0.3),
        connect=[
            ("S.b", "J.a[0]"),
            ("J.b[0]", "R.a"),
            ("J.b[1]", "X.a"),
            ("X.b", "K.a[0]"),
            ("K.b[0]", "L.a"),
            ("K.b[1]", "C.a"),
        ],
    )


def check_power(result: Result, name: str = "X") -> None:
    powers = [(result[f"{name}.e{k}"] * result[f"{name}.f{k}"]).sum(axis=1) for k in (1, 2)]
    assert powers[0] == pytest.approx(powers[1], abs=1e-9)
    assert np.abs(powers[0]).max() > 0.1


@pytest.mark.parametrize("modulated", [False, True])
@pytest.mark.parametrize("kind", ["TF", "GY", "TF2", "GY2"])
@pytest.mark.parametrize("transformed", ["effort", "flow"])
def test_transformers_and_gyrators_by_matrices(kind: str, transformed: str, modulated: bool) -> None:
    matrix = M32 if kind.endswith("2") else M
    sizes = Map(n_a=2, n_b=3) if kind.endswith("2") else Map(n=2)
    element = getattr(bg, f"{'m' if modulated else ''}{kind}_{transformed}")
    given = Map(M=Var(written(matrix)) if modulated else matrix.tolist())
    result = simulated(between(element | sizes | given, 2, len(matrix)))
    e1, f1, e2, f2 = (result[f"X.{name}"] for name in ("e1", "f1", "e2", "f2"))
    if kind.startswith("GY"):
        e2, f2 = f2, e2
    if transformed == "flow":
        e1, f1, e2, f2 = f1, e1, f2, e2
    factor = (1 + 0.5 * np.sin(2 * result.time))[:, None] if modulated else 1.0
    assert e2 == pytest.approx(factor * (e1 @ matrix.T), abs=1e-9)
    assert f1 == pytest.approx(factor * (f2 @ matrix), abs=1e-9)
    check_power(result)


@pytest.mark.parametrize(("name", "parameter"), [("TF", "m"), ("GY", "r"), ("mTF", "m"), ("mGY", "r"), ("SGY", "")])
def test_transformers_and_gyrators_by_ratios(name: str, parameter: str) -> None:
    given = {parameter: Var(written(V)) if name.startswith("m") else V.tolist()} if parameter else {}
    result = simulated(between(getattr(bg, name) | Map(n=2, **given), 2, 2))
    ratio = 1.0 if not parameter else V * ((1 + 0.5 * np.sin(2 * result.time))[:, None] if name.startswith("m") else 1.0)
    e1, f1, e2, f2 = (result[f"X.{key}"] for key in ("e1", "f1", "e2", "f2"))
    other, back = (e2, f2) if name.endswith("TF") else (f2, e2)
    assert e1 == pytest.approx(ratio * other, abs=1e-9)
    assert back == pytest.approx(ratio * f1, abs=1e-9)
    check_power(result)


def test_a_free_body_turns_as_eulers_equations_say() -> None:
    """Neither energy nor the length of the angular momentum changes; the axis of medium inertia is unstable."""
    inertia = np.array([[1.0, 0.1, 0.0], [0.1, 2.0, 0.2], [0.0, 0.2, 3.0]])
    for gyro, given in ((bg.MGY, inertia.tolist()), (bg.mMGY, Var(inertia.tolist()))):
        model = Model(
            bond_size=3,
            J=bg.J1 | Map(n_in=0, n_out=2),
            body=bg.IF | Map(I=inertia.tolist(), f=Var(init=[0.01, 2.0, 0.0])),
            gyro=gyro | Map(I=given),
            connect=[("J.b[0]", "body.a"), ("J.b[1]", "gyro.a")],
        )
        w = simulated(model, 10.0)["body.f"]
        momentum = w @ inertia
        assert np.sum(w * momentum, axis=1) == pytest.approx(np.full(len(w), w[0] @ momentum[0]), rel=1e-6)
        assert np.linalg.norm(momentum, axis=1) == pytest.approx(np.full(len(w), np.linalg.norm(momentum[0])), rel=1e-6)
        assert w[:, 1].min() < -1.0


def test_what_a_sensor_measures_may_be_given() -> None:
    """The source is whatever makes the flow and the effort behind the resistance fulfil an equation."""
    model = Model(
        s=Var(shape=1),
        S=bg.mSe,
        J=bg.J1 | Map(n_out=3),
        R=bg.R | Map(R=2.0),
        Df=bg.Df,
        K=bg.J0 | Map(n_out=2),
        G=bg.G | Map(G=0.25),
        De=bg.De,
        equations=["S.s = s", "De.e_out + 2*Df.f_out = [sin(time)]"],
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "Df.a"), ("J.b[2]", "K.a[0]")],
    ) | Model(connect=[("K.b[0]", "G.a"), ("K.b[1]", "De.a")])
    result = simulated(model)
    assert result["s"][:, 0] == pytest.approx(np.sin(result.time), abs=1e-9)  # f = e/4, s = 2 f + e
    assert result["Df.f_out"][:, 0] == pytest.approx(np.sin(result.time) / 6, abs=1e-9)


@pytest.mark.parametrize(("name", "signal"), [("De", "e_out"), ("Dp", "p"), ("Df", "f_out"), ("Dq", "q")])
def test_sensors(name: str, signal: str) -> None:
    """Beside a conductance at a 0-junction, or a resistance at a 1-junction, they change nothing."""
    of_effort = name in ("De", "Dp")
    start = Map(**{f"{signal}_start": [1.0, -2.0]}) if signal in "pq" else Map()
    model = Model(
        bond_size=2,
        S=bg.mSe | Map(s=Var(S)),
        J=bg.J1 | Map(n_out=2),
        R=bg.R,
        K=(bg.J0 if of_effort else bg.J1) | Map(n_out=2),
        L=bg.R | Map(R=3.0),
        D=getattr(bg, name) | start,
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "K.a[0]"), ("K.b[0]", "L.a"), ("K.b[1]", "D.a")],
    )
    result = simulated(model)
    t = result.time
    value = np.column_stack([1 + np.sin(3 * t), 2 - t])
    integral = np.column_stack([t + (1 - np.cos(3 * t)) / 3, 2 * t - t**2 / 2])
    scale = 0.75 if of_effort else 0.25
    expected = scale * integral + [1.0, -2.0] if signal in "pq" else scale * value
    assert result[f"D.{signal}"] == pytest.approx(expected, abs=1e-7)
    assert np.abs(result["D.e"] * result["D.f"]).max() == 0.0


def test_partial_junctions() -> None:
    """Bonds join elements 2 and 0 of a bond of size 3: flows into the efforts there, efforts into the flows there."""
    partial = Map(n=3, n_partial=2, n_out=1, order=[2, 0, 1])
    parts = Model(
        R=bg.R | Map(n=3, R=[1.0, 2.0, 4.0]),
        Q=bg.R | Map(n=2, R=[1.0, 3.0]),
        connect=[("S.b", "J.a"), ("J.b", "R.a"), ("P.b", "J.c[0]"), ("J.d[0]", "Q.a")],
    )
    flows = Model(S=bg.Sf | Map(n=3, f0=[10.0, 20.0, 30.0]), P=bg.Sf | Map(n=2, f0=[1.0, 2.0]), J=bg.J0Partial | partial)
    result = simulated(parts | flows, 0.0)
    assert result["R.e"][-1] == pytest.approx([(10 + 2) / (1 + 1 / 3), 20 * 2, (30 + 1) / (1 / 4 + 1)])
    assert result["Q.e"][-1] == pytest.approx(result["R.e"][-1, [2, 0]])
    efforts = Model(S=bg.Se | Map(n=3, e0=[10.0, 20.0, 30.0]), P=bg.Se | Map(n=2, e0=[1.0, 2.0]), J=bg.J1Partial | partial)
    result = simulated(parts | efforts, 0.0)
    assert result["R.f"][-1] == pytest.approx([(10 + 2) / (1 + 3), 20 / 2, (30 + 1) / (4 + 1)])
    assert result["Q.f"][-1] == pytest.approx(result["R.f"][-1, [2, 0]])
    power = [np.sum(result[f"J.{port}.e"] * result[f"J.{port}.f"]) for port in ("a", "b", "c[0]", "d[0]")]
    assert sum(power) == pytest.approx(0.0, abs=1e-9)
    for order, message in (([2, 2, 1], "structurally singular"), ([0, 3, 1], r"no 'J\.f\[3\]'"), ([0, 1], "no element")):
        with pytest.raises(ModelError, match=message):
            instantiate(parts | efforts | Map(J=Map(order=order)))


def test_compositions_decompositions_and_permutations_are_bonds() -> None:
    """Two bonds become one, are permuted, and taken apart differently."""
    model = Model(
        S=bg.Se | Map(n=2, e0=[1.0, 2.0]),
        T=bg.Se | Map(n=1, e0=3.0),
        X=bg.Composition | Map(n_a=2, n_b=1),
        P=bg.PermutBond | Map(n=3, p=[2, 0, 1]),
        Y=bg.Decomposition | Map(n_a=1, n_b=2),
        Q=bg.R | Map(n=1, R=5.0),
        R=bg.R | Map(n=2, R=[2.0, 4.0]),
        connect=[("S.b", "X.a1"), ("T.b", "X.a2"), ("X.b", "P.a"), ("P.b", "Y.a"), ("Y.b1", "Q.a"), ("Y.b2", "R.a")],
    )
    result = simulated(model, 0.0)
    assert result["Q.e"][-1] == pytest.approx([3.0])
    assert result["R.e"][-1] == pytest.approx([1.0, 2.0])
    assert result["T.f"][-1] == pytest.approx([3 / 5])
    assert result["S.f"][-1] == pytest.approx([1 / 2, 2 / 4])
    for p, message in (([0, 0, 1], "structurally singular"), ([0, 1], "no element"), ([0, 1, 3], r"no '.*\[3\]'")):
        with pytest.raises(ModelError, match=message):
            instantiate(model | Map(P=Map(p=p)))


@pytest.mark.parametrize("name", ["Bond", "eBond", "fBond", "PBond", "ePBond", "fPBond"])
def test_bonds_with_a_name(name: str) -> None:
    """A stroke decides nothing."""
    model = Model(
        bond_size=2,
        S=bg.Se | Map(e0=[3.0, 5.0]),
        X=getattr(bg, name),
        R=bg.R | Map(R=[1.0, 2.0]),
        connect=[("S.b", "X.a"), ("X.b", "R.a")],
    )
    result = simulated(model, 0.0)
    assert result["X.e"][-1] == pytest.approx([3.0, 5.0])
    assert result["X.f"][-1] == pytest.approx([3.0, 2.5])
    if "P" in name:
        assert result["X.P"][-1] == pytest.approx(3 * 3 + 5 * 2.5)
    stroke = {"e": "tail", "f": "head"}.get(name[0])
    assert ("stroke" in model["X"]) == (stroke is not None)
    if stroke is not None:
        assert model["X"]["stroke"]["value"] == stroke
        with pytest.raises(ModelError, match="stroke"):
            instantiate(model | Map(X=Map(stroke="middle")))
