"""Transformers and gyrators."""

from __future__ import annotations

from ...model.model import Model
from .ports import TwoPort

TF = TwoPort | Model(
    description="Transformer with the ratio m, a number for all n or a list of n: e1 = m*e2, f2 = m*f1",
    m=1.0,
    equations=["e1 = m*e2", "f2 = m*f1"],
)

GY = TwoPort | Model(
    description="Gyrator with the ratio r, a number for all n or a list of n: e1 = r*f2, e2 = r*f1",
    r=1.0,
    equations=["e1 = r*f2", "e2 = r*f1"],
)
