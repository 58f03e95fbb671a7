"""Sources of effort and of flow, constant and modulated."""

from __future__ import annotations

from ...model.model import Model, Var
from .impulses import REFUSED, at_events, finite
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

ImpulseSource = ActiveOnePort | Model(
    description=f"Source of the impulse s of the effort when the input u becomes true{_EACH}; its effort is zero",
    s=1.0,
    given="s + zeros(n)",
    u=Var(type="Boolean", input=True),
    hit=Var("edge(u)", type="Boolean", init=False),
    equations=["e = 0*f", at_events("E = (given if hit else 0*given)"), REFUSED],
)
