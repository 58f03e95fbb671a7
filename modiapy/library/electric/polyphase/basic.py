"""Resistors, storage elements and transformers of all phases; stars, deltas, and connections of single pins."""

from __future__ import annotations

from ....model.errors import ModelError
from ....model.model import Map, Model, Var
from .. import resistors, storage, transformers
from ..interfaces import Pin
from .interfaces import Plug, per_phase, phases
from .phases import base_systems, check_phases

Resistor = per_phase(resistors.Resistor, "resistor", "Resistors R [Ohm]; T_ref, alpha, T as those of electric.Resistor")
Conductor = per_phase(resistors.Conductor, "conductor", "Conductors G [S]; T_ref, alpha, T as those of electric.Conductor")
VariableResistor = per_phase(
    resistors.VariableResistor, "variable_resistor", "Resistors whose resistances R1, R2, ... [Ohm] are inputs"
)
VariableConductor = per_phase(
    resistors.VariableConductor, "variable_conductor", "Conductors whose conductances G1, G2, ... [S] are inputs"
)
Capacitor = per_phase(storage.Capacitor, "capacitor", "Capacitors C [F]")
Inductor = per_phase(storage.Inductor, "inductor", "Inductors L [H]")
SaturatingInductor = per_phase(
    storage.SaturatingInductor, "saturating_inductor", "Inductors that saturate; parameters of electric.SaturatingInductor"
)
VariableCapacitor = per_phase(
    storage.VariableCapacitor, "variable_capacitor", "Capacitors whose capacitances C1, C2, ... [F] are inputs"
)
VariableInductor = per_phase(
    storage.VariableInductor, "variable_inductor", "Inductors whose inductances L1, L2, ... [H] are inputs"
)
Transformer = per_phase(
    transformers.Transformer,
    "transformer",
    "Transformers with the inductances L1, L2 [H] and the coupling inductance M [H] of each phase",
)


def Star(m: int = 3) -> Model:
    """Connects all pins of plug_p with pin_n."""
    return Model(
        description=f"Star connection of {m} phases",
        plug_p=Plug(m),
        pin_n=Pin,
        connect=[("pin_n", *(f"plug_p.pin{k}" for k in phases(m)))],
    )


def _polygons(m: int, number: int, step: int) -> Model:
    """Return each pin of plug_n with the pin of plug_p that is ``step`` phases further among ``number`` ones."""
    check_phases(m, 2)
    ends = [(k, (k - 1) // number * number + (k - 1 + step) % number + 1) for k in phases(m)]
    return Model(
        description=f"Delta connections of {m} phases",
        plug_p=Plug(m),
        plug_n=Plug(m),
        connect=[(f"plug_n.pin{k}", f"plug_p.pin{following}") for k, following in ends],
    )


def Delta(m: int = 3) -> Model:
    """Connects each pin of plug_n with the next pin of plug_p."""
    return _polygons(m, m, 1)


def MultiDelta(m: int = 3, k_polygon: int = 1) -> Model:
    """Connects each pin of plug_n with the pin of plug_p that is k_polygon phases further in the same symmetric system.

    Args:
        m: number of phases.
        k_polygon: 1 up to half of the phases of a symmetric system; others count as 1.
    """
    number = m // base_systems(m)
    return _polygons(m, number, k_polygon if number > 2 and 1 <= k_polygon <= (number - 1) // 2 else 1)


def _systems(m: int) -> list[range]:
    """Return the phases of each symmetric system."""
    check_phases(m)
    number = m // base_systems(m)
    return [range(first, first + number) for first in range(1, m + 1, number)]


def MultiStar(m: int = 3) -> Model:
    """Star connections of the symmetric systems of which m phases consist, with the plug starpoints of their centres."""
    systems = _systems(m)
    return Model(
        description=f"Star connections of {m} phases",
        plug_p=Plug(m),
        starpoints=Plug(len(systems)),
        connect=[(f"starpoints.pin{s}", *(f"plug_p.pin{k}" for k in system)) for s, system in enumerate(systems, start=1)],
    )


def MultiStarResistance(m: int = 3) -> Model:
    """Connects the centres of the stars of all symmetric systems with pin, each through the resistance R [Ohm]."""
    n = base_systems(m)
    return Model(
        description=f"Star connections of {m} phases with resistances between their centres",
        R=1e6,
        plug=Plug(m),
        pin=Pin,
        multi_star=MultiStar(m),
        resistor=Resistor(n) | Map(R="R"),
        star=Star(n),
        connect=[
            ("plug", "multi_star.plug_p"),
            ("multi_star.starpoints", "resistor.plug_p"),
            ("resistor.plug_n", "star.plug_p"),
            ("star.pin_n", "pin"),
        ],
    )


def SplitToSubsystems(m: int = 3) -> Model:
    """Connects plug_p with a plug plugs_n1, plugs_n2, ... for each symmetric system of which m phases consist."""
    systems = _systems(m)
    return Model({f"plugs_n{s}": Plug(len(system)) for s, system in enumerate(systems, start=1)}) | Model(
        description=f"{m} phases, split to symmetric systems",
        plug_p=Plug(m),
        connect=[
            (f"plug_p.pin{k}", f"plugs_n{s}.pin{j}")
            for s, system in enumerate(systems, start=1)
            for j, k in enumerate(system, start=1)
        ],
    )


def _single(m: int, k: int, end: str) -> Model:
    if not 1 <= k <= m:
        raise ModelError("a plug has no such pin", found=f"k = {k!r}", expected=f"1 to {m}")
    return Model({f"plug_{end}": Plug(m), f"pin_{end}": Pin}) | Model(
        description=f"Connects pin {k} of {m}",
        equations=[f"pin_{end}.v = plug_{end}.pin{k}.v"]
        + [f"plug_{end}.pin{j}.i = {f'-pin_{end}.i' if j == k else '0'}" for j in phases(m)],
    )


def PlugToPin_p(m: int = 3, k: int = 1) -> Model:
    """Connects the pin number k of plug_p with pin_p; no current flows into the others."""
    return _single(m, k, "p")


def PlugToPin_n(m: int = 3, k: int = 1) -> Model:
    """Connects the pin number k of plug_n with pin_n; no current flows into the others."""
    return _single(m, k, "n")


def _all(m: int, end: str) -> Model:
    return Model({f"pin_{end}{k}": Pin for k in phases(m)}) | Model(
        {f"plug_{end}": Plug(m)},
        description=f"Connects {m} pins",
        connect=[(f"plug_{end}.pin{k}", f"pin_{end}{k}") for k in phases(m)],
    )


def PlugToPins_p(m: int = 3) -> Model:
    """Connects all pins of plug_p with pin_p1, pin_p2, ..."""
    return _all(m, "p")


def PlugToPins_n(m: int = 3) -> Model:
    """Connects all pins of plug_n with pin_n1, pin_n2, ..."""
    return _all(m, "n")


def ZeroInductor(m: int = 3) -> Model:
    """Inductance Lzero [H] of the zero sequence: all phases have the voltage that the mean i0 of their currents induces."""
    return Model({f"v{k}": Var(unit="V") for k in phases(m)}) | Model(
        description=f"Zero sequence inductance of {m} phases",
        Lzero=1.0,
        plug_p=Plug(m),
        plug_n=Plug(m),
        i0=Var(start=0.0, unit="A", description="mean of the currents"),
        v0=Var("Lzero*der(i0)", unit="V", description="voltage of each phase"),
        equations=[f"{m}*i0 = {' + '.join(f'plug_p.pin{k}.i' for k in phases(m))}"]
        + [f"v{k} = plug_p.pin{k}.v - plug_n.pin{k}.v" for k in phases(m)]
        + [f"v{k} = v0" for k in phases(m)]
        + [f"plug_p.pin{k}.i + plug_n.pin{k}.i = 0" for k in phases(m)],
    )
