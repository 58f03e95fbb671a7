"""Sources of voltage and current at one port that a voltage or current at another one controls."""

from __future__ import annotations

from ...model.model import Model
from .interfaces import TwoPort

VCV = TwoPort | Model(description="Voltage source v2 = gain*v1", gain=1.0, equations=["v2 = gain*v1", "i1 = 0"])

VCC = TwoPort | Model(
    description="Current source i2 = trans_conductance*v1 [S]",
    trans_conductance=1.0,
    equations=["i2 = trans_conductance*v1", "i1 = 0"],
)

CCV = TwoPort | Model(
    description="Voltage source v2 = trans_resistance*i1 [Ohm]",
    trans_resistance=1.0,
    equations=["v2 = trans_resistance*i1", "v1 = 0"],
)

CCC = TwoPort | Model(description="Current source i2 = gain*i1", gain=1.0, equations=["i2 = gain*i1", "v1 = 0"])
