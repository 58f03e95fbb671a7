"""Sources of effort and of flow, constant and modulated."""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import finite
from .ports import ActiveOnePort

_EACH = ": a number for all n elements, or a list of n"

Se = ActiveOnePort | Model(description=f"Source of the effort e0{_EACH}", e0=1.0, equations=finite("e = e0"))

Sf = ActiveOnePort | Model(description=f"Source of the flow f0{_EACH}", f0=1.0, equations=finite("f = f0", impulse="g = 0*E"))

mSe = ActiveOnePort | Model(
    description="Source whose effort is the input s of size n", s=Var(input=True, shape="n"), equations=finite("e = s")
)

mSf = ActiveOnePort | Model(
    description="Source whose flow is the input s of size n",
    s=Var(input=True, shape="n"),
    equations=finite("f = s", impulse="g = 0*E"),
)
