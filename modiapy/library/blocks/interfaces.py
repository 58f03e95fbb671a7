"""Bases of blocks: a source ``y``, one input ``u``, two inputs ``u1, u2``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...model.errors import ModelError
from ...model.interpolation import Extrapolation
from ...model.model import Model, Var, is_number
from ...model.tables import Table1D

Source = Model(description="Base of sources: one output", y=Var(output=True))

SISO = Model(description="Base of blocks with one input and one output", u=Var(input=True), y=Var(output=True))

SI2SO = Model(
    description="Base of blocks with two inputs and one output",
    u1=Var(input=True),
    u2=Var(input=True),
    y=Var(output=True),
)


def check_ascending(times: Sequence[Any]) -> None:
    """Refuse instants of a table that are no numbers in ascending order. Raises ModelError."""
    if not all(map(is_number, times)) or any(b <= a for a, b in pairwise(times)):
        raise ModelError("instants of a table", found=repr(list(times)), expected="numbers in ascending order [s]")


def steps(rows: Sequence[Sequence[float]], extrapolation: Extrapolation) -> Model:
    """Return a discrete variable ``value`` that changes at given instants, for sources from start_time [s] on.

    Args:
        rows: of an instant [s] and the value from there on; the first value holds before, too.
        extrapolation: see `Table1D`.
    """
    return Model(
        start_time="-inf",
        shift_time=0.0,
        values=Table1D([list(map(float, row)) for row in rows], interpolation="constant", extrapolation=extrapolation),
        value=Var("values(time - shift_time)"),
    )
