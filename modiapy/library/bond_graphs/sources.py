"""Sources of effort and of flow, constant and modulated."""

from __future__ import annotations

from ...model.model import Model, Var
from .ports import ActiveOnePort

_EACH = ": a number for all n elements, or a list of n"

Se = ActiveOnePort | Model(description=f"Source of the effort e0{_EACH}", e0=1.0, equations=["e = e0"])

Sf = ActiveOnePort | Model(description=f"Source of the flow f0{_EACH}", f0=1.0, equations=["f = f0"])

mSe = ActiveOnePort | Model(
    description="Source whose effort is the input s of size n", s=Var(input=True, shape="n"), equations=["e = s"]
)

mSf = ActiveOnePort | Model(
    description="Source whose flow is the input s of size n", s=Var(input=True, shape="n"), equations=["f = s"]
)
