"""Equations behind the value of a state, for messages of a simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ...model.expression import names
from ..sorted.parts import Assignment, Block, Call
from ..sorted.sorted_model import SortedModel


def behind_state(model: SortedModel, state: str, values: Mapping[str, float]) -> list[str]:
    """Return the equations that the derivative of a state follows from, each time the one behind the largest value."""
    if state not in model.states:
        return []
    home = {step.variable: step for block in model.blocks for step in _assignments(block) if step.equation is not None}
    name = model.derivatives[list(model.states).index(state)]
    chain: dict[str, str] = {}
    while name in home and name not in chain and len(chain) < 4:
        chain[name] = f"'{home[name].equation}' ({name} = {values.get(name, math.nan):.4g})"
        known = [n for n in names(home[name].expr) if n in home and n in values]
        name = max(known, key=lambda n: abs(values[n]), default="")
    return list(chain.values())


def _assignments(block: Block) -> Iterator[Assignment]:
    if isinstance(block, Assignment):
        yield block
    elif not isinstance(block, Call):
        yield from (step for step in block.body if isinstance(step, Assignment))
