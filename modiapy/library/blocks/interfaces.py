"""Bases of blocks: a source ``y``, one input ``u``, two inputs ``u1, u2``."""

from __future__ import annotations

from ...model.model import Model, Var

Source = Model(description="Base of sources: one output", y=Var(output=True))

SISO = Model(description="Base of blocks with one input and one output", u=Var(input=True), y=Var(output=True))

SI2SO = Model(
    description="Base of blocks with two inputs and one output",
    u1=Var(input=True),
    u2=Var(input=True),
    y=Var(output=True),
)
