"""Examples of Modelica.Electrical.Analog with switches, ideal diodes and thyristors, against their published results."""

from __future__ import annotations

import pytest

from modiapy import Map, Model
from modiapy.library import blocks, electric

from ...reference.agreement import assert_agreement
from ...reference.points import table

CONTROLLED_SWITCH_WITH_ARC = Model(
    description="Analog.Examples.ControlledSwitchWithArc",
    constant_voltage1=electric.ConstantVoltage | Map(V=50.0),
    inductor1=electric.Inductor | Map(L=0.1, i=Map(init=0.0)),
    resistor1=electric.Resistor | Map(R=1.0),
    switch1=electric.ControlledIdealClosingSwitch,
    constant_voltage2=electric.ConstantVoltage | Map(V=50.0),
    inductor2=electric.Inductor | Map(L=0.1, i=Map(init=0.0)),
    resistor2=electric.Resistor | Map(R=1.0),
    switch2=electric.ControlledCloserWithArc | Map(V0=30.0, dv_dt=10000.0, V_max=60.0),
    sine_voltage=electric.SineVoltage | Map(V=1.0, f=1.0),
    ground=electric.Ground,
    connect=[
        ("inductor1.n", "resistor1.p"),
        ("switch1.n", "inductor1.p"),
        ("constant_voltage1.p", "switch1.p"),
        ("inductor2.n", "resistor2.p"),
        ("switch2.n", "inductor2.p"),
        ("constant_voltage2.p", "switch2.p"),
        ("sine_voltage.p", "switch1.control", "switch2.control"),
        ("ground.p", "resistor1.n", "constant_voltage1.n", "resistor2.n", "constant_voltage2.n", "sine_voltage.n"),
    ],
)

CONTROLLED_SWITCH_WITH_ARC_POINTS = table("""
time inductor1.i inductor2.i
0.3 44.2717949 44.2717949
0.57 0.000499995 2.66196098
0.9 0.000499995 0.000499995
1.2 34.4298305 34.4298305
1.5 0.000499995 15.4980529
1.8 0.000499995 0.000499995
2.1 7.67633064 7.67633064
2.4 47.8924136 47.8924136
2.7 0.000499995 0.000499995
3 0.000499995 0.000499995
3.3 44.2717949 44.2717949
3.57 0.000499995 2.66196098
3.9 0.000499995 0.000499995
4.2 34.4298305 34.4298305
4.5 0.000499995 15.4980529
4.8 0.000499995 0.000499995
5.1 7.67633064 7.67633064
5.4 47.8924136 47.8924136
5.7 0.000499995 0.000499995
6 0.000499995 0.000499995
""")

SWITCH_WITH_ARC = Model(
    description="Analog.Examples.SwitchWithArc",
    boolean_pulse=blocks.BooleanPulse | Map(period=1.0),
    constant_voltage1=electric.ConstantVoltage | Map(V=50.0),
    inductor1=electric.Inductor | Map(L=0.1, i=Map(init=0.0)),
    resistor1=electric.Resistor | Map(R=1.0),
    switch1=electric.IdealClosingSwitch,
    constant_voltage2=electric.ConstantVoltage | Map(V=50.0),
    inductor2=electric.Inductor | Map(L=0.1, i=Map(init=0.0)),
    resistor2=electric.Resistor | Map(R=1.0),
    switch2=electric.CloserWithArc | Map(dv_dt=10000.0, V0=30.0, V_max=60.0),
    ground=electric.Ground,
    connect=[
        ("inductor1.n", "resistor1.p"),
        ("switch1.n", "inductor1.p"),
        ("constant_voltage1.p", "switch1.p"),
        ("inductor2.n", "resistor2.p"),
        ("switch2.n", "inductor2.p"),
        ("constant_voltage2.p", "switch2.p"),
        ("boolean_pulse.y", "switch1.control", "switch2.control"),
        ("ground.p", "resistor1.n", "constant_voltage1.n", "resistor2.n", "constant_voltage2.n"),
    ],
)

SWITCH_WITH_ARC_POINTS = table("""
time inductor1.i inductor2.i
0.1 31.6058947 31.6058947
0.2 43.2329372 43.2329372
0.3 47.5102443 47.5102443
0.4 49.0837597 49.0837597
0.49 49.6271899 49.6271899
0.6 0.000499995 12.1158606
0.7 0.000499995 0.000499995
0.8 0.000499995 0.000499995
0.9 0.000499995 0.000499995
0.99 0.000499995 0.000499995
1.1 31.6060787 31.6060787
1.2 43.2330049 43.2330049
1.3 47.5102692 47.5102692
1.4 49.0837689 49.0837689
1.49 49.6271936 49.6271936
1.6 0.000499995 12.1158619
1.7 0.000499995 0.000499995
1.8 0.000499995 0.000499995
1.9 0.000499995 0.000499995
2 0.000499995 0.000499995
""")

CHARACTERISTIC_IDEAL_DIODES = Model(
    description="Analog.Examples.CharacteristicIdealDiodes",
    ideal=electric.IdealDiode | Map(Ron=0.0, Goff=0.0, Vknee=0.0),
    with_ron_goff=electric.IdealDiode | Map(Ron=0.1, Goff=0.1, Vknee=0.0),
    with_ron_goff_vknee=electric.IdealDiode | Map(Ron=0.2, Goff=0.2, Vknee=5.0),
    sine_voltage1=electric.SineVoltage | Map(V=10.0, offset=-9.0, f=1.0),
    r1=electric.Resistor | Map(R=1e-3),
    r2=electric.Resistor | Map(R=1e-3),
    r3=electric.Resistor | Map(R=1e-3),
    sine_voltage2=electric.SineVoltage | Map(V=10.0, offset=0.0, f=1.0),
    sine_voltage3=electric.SineVoltage | Map(V=10.0, offset=0.0, f=1.0),
    ground=electric.Ground,
    connect=[
        ("ideal.n", "r1.p"),
        ("with_ron_goff.n", "r2.p"),
        ("with_ron_goff_vknee.n", "r3.p"),
        ("sine_voltage2.p", "ideal.p"),
        ("sine_voltage1.p", "with_ron_goff.p"),
        ("with_ron_goff_vknee.p", "sine_voltage3.p"),
        ("ground.p", "sine_voltage1.n", "r1.n", "r2.n", "r3.n", "sine_voltage2.n", "sine_voltage3.n"),
    ],
)

CHARACTERISTIC_IDEAL_DIODES_POINTS = table("""
time ideal.v with_ron_goff.v with_ron_goff_vknee.v
0.075 0 -4.45964904 4.5389972
0.1666 0 -0.341806936 8.63896406
0.25 0 0.99009901 9.97412935
0.3334 0 -0.341806936 8.63896406
0.4084 0 -3.55676747 5.43967847
0.4916 0 -8.47161027 0.527437079
0.5834 -5.00362716 -14.0022269 -5.00262663
0.6666 -8.65815888 -17.6563932 -8.6564276
0.75 -10 -18.9981002 -9.9980004
0.8334 -8.65815888 -17.6563932 -8.6564276
0.9166 -5.00362716 -14.0022269 -5.00262663
1 -2.4492936e-15 -8.99910009 -2.66453526e-15
""")

CHARACTERISTIC_THYRISTORS = Model(
    description="Analog.Examples.CharacteristicThyristors",
    ideal_thyristor1=electric.IdealThyristor | Map(Vknee=1.0),
    sine_voltage1=electric.SineVoltage | Map(V=10.0, offset=0.0, f=1.0),
    r3=electric.Resistor | Map(R=1e-3),
    ideal_gto_thyristor1=electric.IdealGTOThyristor | Map(Vknee=1.0),
    r1=electric.Resistor | Map(R=1e-3),
    boolean_step1=blocks.BooleanTable([1.25, 3.2, 4.2, 4.25, 5.7, 5.72]),
    ideal_thyristor2=electric.IdealThyristor | Map(Vknee=1.0),
    r2=electric.Resistor | Map(R=1e-3),
    ideal_gto_thyristor2=electric.IdealGTOThyristor | Map(Vknee=1.0),
    r4=electric.Resistor | Map(R=1e-3),
    boolean_pulse=blocks.BooleanPulse | Map(width=20.0, period=1.0, start_time=0.15),
    ground=electric.Ground,
    connect=[
        ("ideal_thyristor1.n", "r3.p"),
        ("sine_voltage1.p", "ideal_thyristor1.p", "ideal_gto_thyristor1.p", "ideal_gto_thyristor2.p", "ideal_thyristor2.p"),
        ("ideal_gto_thyristor1.n", "r1.p"),
        ("ideal_gto_thyristor1.fire", "ideal_thyristor1.fire", "boolean_step1.y"),
        ("ideal_thyristor2.n", "r2.p"),
        ("ideal_gto_thyristor2.n", "r4.p"),
        ("ideal_gto_thyristor2.fire", "ideal_thyristor2.fire", "boolean_pulse.y"),
        ("ground.p", "sine_voltage1.n", "r3.n", "r1.n", "r2.n", "r4.n"),
    ],
)

CHARACTERISTIC_THYRISTORS_POINTS = table("""
time ideal_thyristor1.off ideal_thyristor2.off boolean_step1.y
0.2004 1 0 0
0.3996 1 0 0
0.6 1 1 0
0.8004 1 1 0
0.9996 1 1 0
1.2 1 0 0
1.4004 0 0 1
1.5996 1 1 1
1.8 1 1 1
2.0004 1 1 1
2.1996 0 0 1
2.4 0 0 1
2.6004 1 1 1
2.7996 1 1 1
3 1 1 1
3.18 0 0 1
3.3996 0 0 0
3.6 1 1 0
3.8004 1 1 0
3.9996 1 1 0
4.1796 1 0 0
4.4004 0 0 0
4.5996 1 1 0
4.8 1 1 0
5.0004 1 1 0
5.1996 1 0 0
5.4 1 0 0
5.6004 1 1 0
5.7996 1 1 0
6 1 1 0
""")

IDEAL_TRIAC_CIRCUIT = Model(
    description="Analog.Examples.IdealTriacCircuit",
    r=electric.Resistor | Map(R=20.0),
    v=electric.SineVoltage | Map(V=5.0, f=2.0),
    boolean_pulse=blocks.BooleanPulse | Map(width=50.0, period=0.25, start_time=0.1),
    ideal_triac=electric.IdealTriac | Map(capacitor=Map(v=Map(init=0.0))),
    ground=electric.Ground,
    connect=[
        ("r.p", "v.p"),
        ("r.n", "ideal_triac.n"),
        ("ideal_triac.fire1", "boolean_pulse.y"),
        ("ground.p", "v.n", "ideal_triac.p"),
    ],
)

IDEAL_TRIAC_CIRCUIT_POINTS = table("""
time ideal_triac.capacitor.v ideal_triac.ideal_thyristor.off ideal_triac.ideal_thyristor1.off
0.09 0.361520203 1 1
0.2 0.498964404 0 1
0.3 0.353431967 1 1
0.4 -0.0705842446 1 0
0.5 -0.191606834 1 1
0.59 0.196601476 1 1
0.7 0.366173106 0 1
0.8 0.242375585 1 1
0.9 -0.163038285 1 0
1 -0.267673471 1 1
1.09 0.131128091 1 1
1.2 0.313453981 0 1
1.3 0.198276792 1 1
1.4 -0.199749481 1 0
1.5 -0.297874353 1 1
1.59 0.10513674 1 1
1.7 0.292526118 0 1
1.8 0.180768073 1 1
1.9 -0.214325918 1 0
2 -0.309865854 1 1
""")


@pytest.mark.parametrize(
    "name",
    [
        "CONTROLLED_SWITCH_WITH_ARC",
        "SWITCH_WITH_ARC",
        "CHARACTERISTIC_IDEAL_DIODES",
        "CHARACTERISTIC_THYRISTORS",
        "IDEAL_TRIAC_CIRCUIT",
    ],
)
def test_agrees_with_the_published_result(name: str) -> None:
    assert_agreement(globals()[name], globals()[f"{name}_POINTS"], 3e-5, points=20000)
