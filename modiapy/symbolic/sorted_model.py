"""`SortedModel`: what the symbolic passes deliver, blocks in the order of their evaluation.

After index reduction the derivative of a variable is an unknown of its own with the name ``der(x)``, the second
``der(der(x))``; all expressions refer to unknowns by `Name`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..acausal.protocol import CallEquation
from ..model.expression import Equation, Expr
from .flat_model import FlatModel


@dataclass(frozen=True)
class Assignment:
    """``variable := expr``, from ``equation`` (kept for messages)."""

    variable: str
    expr: Expr
    equation: Equation | None = None


@dataclass(frozen=True)
class Call:
    """A component function with all inputs known: ``outputs := function(inputs)``."""

    call: CallEquation


@dataclass(frozen=True)
class LinearBlock:
    """A torn linear system of equations, solved by linear equation iteration (listing 7 and 8 of the 2024 paper).

    Given values of ``unknowns``, ``body`` computes all other variables of the block in sequence and ``residuals`` must be
    zero. ``constant``: the matrix depends on parameters only and is factorised once at initialization.
    """

    unknowns: tuple[str, ...]
    body: tuple[Assignment | Call, ...]
    residuals: tuple[Expr, ...]
    equations: tuple[Equation, ...]
    constant: bool


Block = Assignment | Call | LinearBlock


@dataclass(frozen=True)
class Alias:
    """An eliminated variable: ``sign * of`` (sign is +1 or -1), or, with ``of == ""``, the expression ``value`` of parameters."""

    of: str
    sign: int = 1
    value: Expr | None = None


@dataclass
class SortedModel:
    """Matched, reduced, sorted and torn equations.

    Attributes:
        flat: where it came from.
        states: names of the invariant states in the order of the state vector.
        derivatives: for each state the name of the variable that holds its derivative (after alias elimination).
        blocks: in the order of evaluation. Known before the first block: ``time``, states, inputs, parameters.
        aliases: eliminated variables.
        unknowns: names of all variables the blocks compute, in that order.
        indicators: expressions e of ``positive(e)`` and of relations that make events, in the order of ``z_inv``. The k-th
            relation stands in the blocks as ``Apply("mode", (Const(k),))``: 1.0 where it holds, frozen between events.
        relations: for each indicator, the relation it came from ("<", "<=", ">", ">="; "positive" is ">").
        time_events: argument of the k-th ``after(t)``, which stands in the blocks as ``Apply("after", (Const(k),))``.
        inputs: names of top-level inputs.
        report: sizes before and after each pass, for `sim.report()`.
    """

    flat: FlatModel
    states: Sequence[str]
    derivatives: Sequence[str]
    blocks: Sequence[Block]
    aliases: Mapping[str, Alias]
    unknowns: Sequence[str]
    indicators: Sequence[Expr] = ()
    relations: Sequence[str] = ()
    time_events: Sequence[Expr] = ()
    inputs: Sequence[str] = ()
    report: Mapping[str, int] = field(default_factory=dict)
