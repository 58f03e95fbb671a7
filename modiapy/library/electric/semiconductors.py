"""Components with a smooth nonlinear characteristic."""

from __future__ import annotations

from ...model.model import Model
from .interfaces import OnePort

Diode = OnePort | Model(
    description="Diode: Ids*(exp(v/Vt) - 1) + v/R, linear above v = max_exp*Vt. Ids [A]: saturation current; Vt [V]:"
    " voltage equivalent of temperature; R [Ohm]: parallel resistance",
    Ids=1e-6,
    Vt=0.04,
    max_exp=15.0,
    R=1e8,
    equations=[
        "i = noEvent((Ids*(exp(max_exp)*(1 + v/Vt - max_exp) - 1) if v/Vt > max_exp else Ids*(exp(v/Vt) - 1)) + v/R)",
    ],
)
