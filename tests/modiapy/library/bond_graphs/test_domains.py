"""Units of domains, bonds of heat, bus bonds, and converters to the connectors of other libraries."""

from __future__ import annotations

import re

import numpy as np
import pytest

from modiapy import Map, Model, Par, Result, Var, check_units, instantiate
from modiapy.library import bond_graphs as bg
from modiapy.library import electric, heat_transfer, rotational, translational


def simulated(model: Model, stop: float = 1.0) -> Result:
    return instantiate(model).simulate(stop, tolerance=1e-9, interval=0.05)


MOTOR = Model(
    circuit=bg.Electric
    | Model(
        b=bg.BondOut | Model(n=1),
        S=bg.Se | Map(e0=Par(10.0, unit="V")),
        J=bg.J1 | Map(n_out=3),
        R=bg.R | Map(R=Par(2.0, unit="Ohm")),
        L=bg.I | Map(I=Par(0.1, unit="H")),
        connect=[("S.b", "J.a[0]"), ("J.b[0]", "R.a"), ("J.b[1]", "L.a"), ("J.b[2]", "b")],
    ),
    G=bg.GY | Map(r=Par(0.5, unit="N.m/A")) | Model(a=bg.Electric, b=bg.Rotational),
    shaft=bg.Rotational
    | Model(
        a=bg.BondIn | Model(n=1),
        J=bg.J1 | Map(n_out=2),
        M=bg.I | Map(I=Par(0.1, unit="kg.m2")),
        D=bg.R | Map(R=Par(0.01, unit="N.m.s/rad")),
        connect=[("a", "J.a[0]"), ("J.b[0]", "M.a"), ("J.b[1]", "D.a")],
    ),
    connect=[("circuit.b", "G.a"), ("G.b", "shaft.a")],
)


def test_a_graph_has_the_units_of_its_domains() -> None:
    assert check_units(MOTOR) == []
    result = simulated(MOTOR)
    units = {"circuit.R.e": "V", "circuit.J.f": "A", "G.f1": "A", "G.e2": "N.m", "shaft.J.f": "rad/s", "shaft.a.e": "N.m"}
    assert {name: result.unit(name) for name in units} == units


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (Map(circuit=Map(R=Map(R=Par(2.0, unit="V")))), r"circuit\.R: in 'e = R\*f'"),
        (Map(G=Map(r=Par(0.5, unit="N"))), "G: in 'e1 = r"),
        (Map(shaft=Map(effort_unit="N")), r"G\.b\.e.*\[m \* N\].*shaft\.a\.e"),
        (Map(shaft=Map(M=Map(I=Par(0.1, unit="kg")))), r"shaft\.M: in 'I\*der\(f\) = e'"),
    ],
)
def test_wrong_units_are_found(change: Map, place: str) -> None:
    messages = check_units(MOTOR | change)
    assert any(re.search(place, message) for message in messages), messages


def test_without_a_domain_nothing_is_said_about_units() -> None:
    model = Model(S=bg.Se, R=bg.R, connect=[("S.b", "R.a")])
    assert check_units(model) == []
    assert simulated(model, 0.0).unit("R.e") == ""


@pytest.mark.parametrize(("name", "value"), [("RS", 2.0), ("GS", 0.5), ("mRS", 2.0), ("mGS", 0.5)])
def test_losses_become_heat(name: str, value: float) -> None:
    """5 V at 2 Ohm heat 4 J/K by 12.5 W; what flows away through 0.5 W/K to 300 K."""
    kind = name[-2]
    model = Model(
        S=bg.Se | Map(e0=5.0),
        X=getattr(bg, name) | Map(**{kind: Var([value]) if name.startswith("m") else value}),
        J=bg.J0 | Map(n_out=2),
        C=bg.HeatCapacity | Map(C=4.0, T=Var(init=300.0)),
        W=bg.HeatConductor | Map(G=0.5),
        E=bg.J0 | Map(n_in=2, n_out=0),
        room=bg.Thermal | bg.Se | Map(e0=300.0),
        connect=[
            ("S.b", "X.a"),
            ("X.th", "J.a[0]"),
            ("J.b[0]", "C.a"),
            ("J.b[1]", "W.a"),
            ("W.b", "E.a[0]"),
            ("room.b", "E.a[1]"),
        ],
    )
    assert check_units(model) == []
    result = simulated(model, 10.0)
    rise = result["C.T"] - 300.0
    assert rise == pytest.approx(12.5 / 0.5 * (1 - np.exp(-0.5 / 4.0 * result.time)), abs=1e-5)
    assert result["W.Q_flow"] == pytest.approx(0.5 * rise, abs=1e-6)
    entropy = result["W.f2"][:, 0] - result["W.f1"][:, 0]
    assert entropy == pytest.approx(result["W.Q_flow"] * (1 / 300.0 - 1 / result["C.T"]), abs=1e-9)
    assert (entropy >= -1e-12).all()
    assert result["room.f"][:, 0] == pytest.approx(-result["W.Q_flow"] / 300.0, abs=1e-9)


def test_bus_bonds_carry_bonds_of_several_domains() -> None:
    """Two sources feed one 0-junction; a 1-junction divides each effort between two loads."""
    sources = {f"{name}{k}": bg.Sf | Map(f0=k + value) for name, value in (("T", 1.0), ("p", 2.0), ("g", 3.0)) for k in (1, 2)}
    loads = {f"R{name}{k}": bg.R | Map(R=k * value) for name, value in (("T", 10.0), ("p", 20.0), ("g", 30.0)) for k in (1, 2)}
    model = Model(
        **sources,
        **loads,
        A1=bg.ToBus,
        A2=bg.ToBus,
        J=bg.BusJ0 | Map(n_in=2),
        K=bg.BusJ1 | Map(n_out=2),
        B1=bg.FromBus,
        B2=bg.FromBus,
        connect=[
            *((f"{name}{k}.b", f"A{k}.{name}") for name in "Tpg" for k in (1, 2)),
            *((f"B{k}.{name}", f"R{name}{k}.a") for name in "Tpg" for k in (1, 2)),
            ("A1.b", "J.a[0]"),
            ("A2.b", "J.a[1]"),
            ("J.b[0]", "K.a[0]"),
            ("K.b[0]", "B1.a"),
            ("K.b[1]", "B2.a"),
        ],
    )
    result = simulated(model, 0.0)
    for name, flow, resistance in (("T", 1.0, 10.0), ("p", 2.0, 20.0), ("g", 3.0, 30.0)):
        total = 3 + 2 * flow
        for k in (1, 2):
            assert result[f"R{name}{k}.f"][-1] == pytest.approx([total])
            assert result[f"{name}{k}.e"][-1] == pytest.approx([3 * resistance * total])
    assert [result.unit(f"J.a[0].{name}.{v}") for name in "Tpg" for v in "ef"] == ["K", "W/K", "Pa", "m3/s", "J/kg", "kg/s"]


def test_converters_join_graphs_with_the_other_libraries() -> None:
    """The armature of a motor is a circuit, its gyrator a graph, its load a shaft; losses become heat."""
    model = Model(
        V=electric.ConstantVoltage | Map(V=10.0),
        R=electric.Resistor | Map(R=2.0),
        L=electric.Inductor | Map(L=0.1),
        ground=electric.Ground,
        A=bg.FromElectric,
        G=bg.GY | Map(r=0.5),
        B=bg.ToRotational,
        shaft=rotational.Inertia | Map(J=0.1),
        friction=bg.RS | Map(R=0.01),
        F=bg.FromRotational,
        H=bg.ToHeat,
        heat=heat_transfer.HeatCapacitor | Map(C=2.0),
        connect=[
            ("V.p", "R.p"), ("R.n", "L.p"), ("L.n", "A.p"), ("A.n", "V.n", "ground.p"),
            ("A.b", "G.a"), ("G.b", "B.a"), ("B.flange", "shaft.flange_a"), ("shaft.flange_b", "F.flange"),
            ("F.b", "friction.a"), ("friction.th", "H.a"), ("H.port", "heat.port"),
        ],
    )  # fmt: skip
    assert check_units(model) == []
    result, graph = simulated(model, 2.0), simulated(MOTOR, 2.0)
    assert result["shaft.w"] == pytest.approx(graph["shaft.J.f"][:, 0], abs=1e-6)
    assert result["L.i"] == pytest.approx(graph["circuit.J.f"][:, 0], abs=1e-6)
    heat = np.trapezoid(0.01 * result["shaft.w"] ** 2, result.time)
    assert 2.0 * (result["heat.T"][-1] - result["heat.T"][0]) == pytest.approx(heat, rel=1e-2)


def test_every_converter_passes_on_all_power() -> None:
    """There and back again: the resistance behind two converters is that without them."""
    for there, back, middle in (
        ("ToElectric", "FromElectric", [("X.p", "Y.p"), ("X.n", "Y.n", "ground.p")]),
        ("ToRotational", "FromRotational", [("X.flange", "Y.flange")]),
        ("ToTranslational", "FromTranslational", [("X.flange", "Y.flange")]),
        ("ToHeat", "FromHeat", [("X.port", "Y.port")]),
    ):
        model = Model(
            ground=electric.Ground,
            S=bg.Se | Map(e0=12.0),
            J=bg.J1 | Map(n_out=2),
            Q=bg.R | Map(R=2.0),
            X=getattr(bg, there),
            Y=getattr(bg, back),
            R=bg.R | Map(R=4.0),
            connect=[("S.b", "J.a[0]"), ("J.b[0]", "Q.a"), ("J.b[1]", "X.a"), *middle, ("Y.b", "R.a")],
        )
        result = simulated(model)
        assert result["R.e"][-1] == pytest.approx([8.0]), there
        assert result["J.f"][-1] == pytest.approx([2.0]), there
    assert translational.Flange in bg.ToTranslational.values()
