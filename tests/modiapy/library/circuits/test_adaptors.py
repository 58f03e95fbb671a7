"""Examples of Modelica.Electrical.Analog with adaptors for FMUs against their published results."""

from __future__ import annotations

from math import pi

from modiapy import Map, Model, Var
from modiapy.library import blocks, electric

from ...reference.agreement import assert_agreement
from ...reference.points import table
from . import circuit_points

_TO_CURRENT, _TO_VOLTAGE = electric.GeneralVoltageToCurrentAdaptor, electric.GeneralCurrentToVoltageAdaptor
_CAPACITOR = electric.Capacitor | Map(v=Map(init=0.0))
_INDUCTOR = electric.Inductor | Map(i=Map(init=0.0))


def block(inputs: str, outputs: str, connect: list[tuple[str, ...]], **parts: Model) -> Model:
    """A part of a circuit with signals only."""
    signals = {name: Var(input=True) for name in inputs.split()} | {name: Var(output=True) for name in outputs.split()}
    return Model(signals) | Model(ground=electric.Ground, connect=connect, **parts)


DIRECT_CAPACITOR = block(
    "i_drive i",
    "v dv",
    [
        ("i_drive", "source.i"),
        ("source.n", "capacitor.p", "adaptor.pin_p"),
        ("ground.p", "source.p", "capacitor.n", "adaptor.pin_n"),
        ("adaptor.p", "v"),
        ("adaptor.pder", "dv"),
        ("i", "adaptor.f"),
    ],
    source=electric.SignalCurrent,
    capacitor=_CAPACITOR | Map(C=1e-3),
    adaptor=_TO_VOLTAGE(use_fder=False),
)
INVERSE_CAPACITOR = block(
    "v dv",
    "i",
    [
        ("adaptor.pin_p", "capacitor.p"),
        ("ground.p", "adaptor.pin_n", "capacitor.n"),
        ("v", "adaptor.p"),
        ("dv", "adaptor.pder"),
        ("adaptor.f", "i"),
    ],
    capacitor=electric.Capacitor | Map(C=2e-3, v=Map(start=None)),
    adaptor=_TO_CURRENT(use_fder=False),
)
DIRECT_INDUCTOR = block(
    "v_drive v",
    "i di",
    [
        ("v_drive", "source.v"),
        ("source.p", "inductor.p"),
        ("inductor.n", "adaptor.pin_p"),
        ("ground.p", "source.n", "adaptor.pin_n"),
        ("adaptor.f", "i"),
        ("adaptor.fder", "di"),
        ("v", "adaptor.p"),
    ],
    source=electric.SignalVoltage,
    inductor=_INDUCTOR | Map(L=1e-3),
    adaptor=_TO_CURRENT(use_pder=False),
)
INVERSE_INDUCTOR = block(
    "i di",
    "v",
    [
        ("adaptor.pin_p", "inductor.p"),
        ("ground.p", "adaptor.pin_n", "inductor.n"),
        ("i", "adaptor.f"),
        ("di", "adaptor.fder"),
        ("adaptor.p", "v"),
    ],
    inductor=electric.Inductor | Map(L=2e-3, i=Map(start=None)),
    adaptor=_TO_VOLTAGE(use_pder=False),
)
RESISTOR = block(
    "v1 v2",
    "i1 i2",
    [
        ("left.pin_p", "resistor.p"),
        ("right.pin_p", "resistor.n"),
        ("ground.p", "left.pin_n", "right.pin_n"),
        ("v1", "left.p"),
        ("left.f", "i1"),
        ("v2", "right.p"),
        ("right.f", "i2"),
    ],
    resistor=electric.Resistor | Map(R=10.0),
    left=_TO_CURRENT(False, False),
    right=_TO_CURRENT(False, False),
)
CONDUCTOR = block(
    "i1 i2",
    "v1 v2",
    [
        ("left.pin_p", "right.pin_p", "conductor.p"),
        ("ground.p", "left.pin_n", "right.pin_n", "conductor.n"),
        ("left.p", "v1"),
        ("i1", "left.f"),
        ("right.p", "v2"),
        ("i2", "right.f"),
    ],
    conductor=electric.Conductor | Map(G=10.0),
    left=_TO_VOLTAGE(False, False),
    right=_TO_VOLTAGE(False, False),
)

GENERATION_OF_FMUS = Model(
    description="Analog.Examples.GenerationOfFMUs",
    sine12=blocks.Sine | Map(f=2.0),
    direct_capacitor=DIRECT_CAPACITOR,
    inverse_capacitor=INVERSE_CAPACITOR,
    resistor2=RESISTOR,
    capacitor2a=_CAPACITOR | Map(C=1e-3),
    capacitor2b=_CAPACITOR | Map(C=2e-3),
    current2=electric.SignalCurrent,
    to_voltage2a=_TO_VOLTAGE(False, False),
    to_voltage2b=_TO_VOLTAGE(False, False),
    sine34=blocks.Sine | Map(f=2.0),
    direct_inductor=DIRECT_INDUCTOR,
    inverse_inductor=INVERSE_INDUCTOR,
    voltage4=electric.SignalVoltage,
    inductor4a=_INDUCTOR | Map(L=1e-3),
    inductor4b=_INDUCTOR | Map(L=2e-3),
    to_current4a=_TO_CURRENT(False, False),
    to_current4b=_TO_CURRENT(False, False),
    conductor4=CONDUCTOR,
    ground=electric.Ground,
    connect=[
        ("sine12.y", "direct_capacitor.i_drive", "current2.i"),
        ("direct_capacitor.v", "inverse_capacitor.v"),
        ("direct_capacitor.dv", "inverse_capacitor.dv"),
        ("inverse_capacitor.i", "direct_capacitor.i"),
        ("current2.n", "capacitor2a.p", "to_voltage2a.pin_p"),
        ("to_voltage2a.p", "resistor2.v1"),
        ("resistor2.i1", "to_voltage2a.f"),
        ("to_voltage2b.p", "resistor2.v2"),
        ("resistor2.i2", "to_voltage2b.f"),
        ("to_voltage2b.pin_p", "capacitor2b.p"),
        ("sine34.y", "direct_inductor.v_drive", "voltage4.v"),
        ("inverse_inductor.v", "direct_inductor.v"),
        ("direct_inductor.di", "inverse_inductor.di"),
        ("direct_inductor.i", "inverse_inductor.i"),
        ("voltage4.p", "inductor4a.p"),
        ("inductor4a.n", "to_current4a.pin_p"),
        ("to_current4b.pin_p", "inductor4b.p"),
        ("to_current4a.f", "conductor4.i1"),
        ("conductor4.v1", "to_current4a.p"),
        ("to_current4b.f", "conductor4.i2"),
        ("conductor4.v2", "to_current4b.p"),
        ("ground.p", "current2.p", "capacitor2a.n", "to_voltage2a.pin_n", "to_voltage2b.pin_n", "capacitor2b.n"),
        ("ground.p", "voltage4.n", "to_current4a.pin_n", "to_current4b.pin_n", "inductor4b.n"),
    ],
)

GENERATION_OF_FMUS_POINTS = table("""
time capacitor2a.v capacitor2b.v direct_capacitor.capacitor.v direct_inductor.inductor.i inductor4a.i inductor4b.i
0.1 22.4120967 16.2872935 18.3288946 18.3288946 22.4120967 16.2872935
0.2 50.8789492 46.5390023 47.9856513 47.9856513 50.8789492 46.5390023
0.3 45.690479 49.1330451 47.9855231 47.9855231 45.690479 49.1330451
0.4 14.0169674 20.4845374 18.3286807 18.3286807 14.0169674 20.4845374
0.5 -0.369933733 0.184679063 -0.000191869001 -0.000191869001 -0.369933733 0.184679063
0.6 22.4119085 16.2871056 18.3287066 18.3287066 22.4119085 16.2871056
0.7 50.8787542 46.5388081 47.9854568 47.9854568 50.8787542 46.5388081
0.8 45.6902411 49.1328072 47.9852852 47.9852852 45.6902411 49.1328072
0.9 14.0167012 20.4842705 18.328414 18.328414 14.0167012 20.4842705
1 -0.370200455 0.184412376 -0.000458567713 -0.000458567713 -0.370200455 0.184412376
""")


def cut_circuits() -> Model:
    """Analog.Examples.ResonanceCircuits: each connection of two elements is cut by a pair of adaptors."""
    parts: dict[str, Model] = {}
    connections: list[tuple[str, ...]] = [("inductor1.p", "to_voltage1a.pin_p", "to_voltage1b.pin_p")]
    pins = ["voltage2.n", "current1.p", "inductor1.n", "conductor1.n", "capacitor1.n", "capacitor2.n"]
    cuts = {  # the pins at which there are the adaptors to current and to voltage
        "1a": ("current1.n", ""),
        "1b": ("conductor1.p", ""),
        "1c": ("conductor1.p", "capacitor1.p"),
        "2a": ("inductor2.p", "voltage2.p"),
        "2b": ("inductor2.n", "resistor2.p"),
        "2c": ("capacitor2.p", "resistor2.n"),
    }
    for name, (current, voltage) in cuts.items():
        derivative = "fder" if name.startswith("1") else "pder"
        exchanged = {"use_pder": derivative == "pder", "use_fder": derivative == "fder"}
        parts |= {f"to_current{name}": _TO_CURRENT(**exchanged), f"to_voltage{name}": _TO_VOLTAGE(**exchanged)}
        connections += [(f"to_current{name}.{signal}", f"to_voltage{name}.{signal}") for signal in ("p", "f", derivative)]
        connections.append((current, f"to_current{name}.pin_p"))
        connections += [(voltage, f"to_voltage{name}.pin_p")] if voltage else []
        pins += [f"to_current{name}.pin_n", f"to_voltage{name}.pin_n"]
    return Model(
        current1=electric.SineCurrent | Map(f=50.0 / pi),
        inductor1=_INDUCTOR | Map(L=0.01),
        conductor1=electric.Conductor,
        capacitor1=_CAPACITOR | Map(C=0.01),
        voltage2=electric.SineVoltage | Map(f=50.0 / pi),
        inductor2=_INDUCTOR | Map(L=0.01),
        resistor2=electric.Resistor,
        capacitor2=_CAPACITOR | Map(C=0.01),
        ground=electric.Ground,
        connect=[*connections, ("ground.p", *pins)],
        **parts,
    )


def test_parts_of_circuits_exchange_signals() -> None:
    assert_agreement(GENERATION_OF_FMUS, GENERATION_OF_FMUS_POINTS, 2e-5, points=20000)


def test_resonance_of_circuits_that_are_cut() -> None:
    assert_agreement(cut_circuits(), circuit_points.RESONANCE_CIRCUITS, 1e-5, points=20000)
