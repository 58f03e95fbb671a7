"""Ideal components of all phases."""

from __future__ import annotations

from .. import basic, ideal, switches, transformers
from .interfaces import per_phase

IdealDiode = per_phase(ideal.IdealDiode, "ideal_diode", "Ideal diodes; parameters of electric.IdealDiode")
IdealThyristor = per_phase(
    ideal.IdealThyristor,
    "ideal_thyristor",
    "Ideal thyristors that fire1, ... ignite; parameters of electric.IdealThyristor",
)
IdealGTOThyristor = per_phase(
    ideal.IdealGTOThyristor,
    "ideal_gto_thyristor",
    "Ideal thyristors that can be turned off, ignited by fire1, ...; parameters of electric.IdealGTOThyristor",
)
IdealOpeningSwitch = per_phase(
    switches.IdealOpeningSwitch, "ideal_opening_switch", "Ideal switches, open while control1, control2, ... are true"
)
IdealClosingSwitch = per_phase(
    switches.IdealClosingSwitch, "ideal_closing_switch", "Ideal switches, closed while control1, control2, ... are true"
)
IdealTwoWaySwitch = per_phase(
    switches.IdealTwoWaySwitch,
    "ideal_two_way_switch",
    "Ideal switches from plug_p to plug_n2 while control1, control2, ... are true, else to plug_n1",
)
IdealIntermediateSwitch = per_phase(
    switches.IdealIntermediateSwitch,
    "ideal_intermediate_switch",
    "Ideal switches from plug_p1 to plug_n2 and from plug_p2 to plug_n1 while control1, ... are true, else straight",
)
OpenerWithArc = per_phase(
    switches.OpenerWithArc, "opener_with_arc", "Switches with an arc, open while control1, control2, ... are true"
)
CloserWithArc = per_phase(
    switches.CloserWithArc, "closer_with_arc", "Switches with an arc, closed while control1, control2, ... are true"
)
IdealTransformer = per_phase(
    transformers.IdealTransformer, "ideal_transformer", "Ideal transformers without magnetization: v1 = n*v2"
)
IdealTransformerWithMagnetization = per_phase(
    transformers.IdealTransformerWithMagnetization,
    "ideal_transformer",
    "Ideal transformers v1 = n*v2 with the magnetizing inductance Lm1 [H] of the side 1",
)
Idle = per_phase(basic.Idle, "idle", "Idle branches: no currents")
Short = per_phase(basic.Short, "short", "Short cuts: no voltages")
