"""Sources of effort and of flow, constant and modulated."""

from __future__ import annotations

from ...model.model import Model, Var
from .ports import ActiveOnePort

Se = ActiveOnePort | Model(
    description="Source of the effort e0: a number for all n, or a list of n", e0=1.0, equations=["e = e0"]
)

Sf = ActiveOnePort | Model(
    description="Source of the flow f0: a number for all n, or a list of n", f0=1.0, equations=["f = f0"]
)

mSe = ActiveOnePort | Model(
    description="Source whose effort is the input s of size n", s=Var(input=True, shape="n"), equations=["e = s"]
)

mSf = ActiveOnePort | Model(
    description="Source whose flow is the input s of size n", s=Var(input=True, shape="n"), equations=["f = s"]
)
