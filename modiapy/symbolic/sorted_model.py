"""`SortedModel`: what the symbolic passes deliver, blocks in the order of their evaluation.

After index reduction the derivative of a variable is an unknown of its own with the name ``der(x)``, the second
``der(der(x))``; all expressions refer to unknowns by `Name`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..acausal.protocol import CallEquation
from ..model.errors import ModelError
from ..model.expression import Equation, Expr
from .flat_model import FlatModel, Variable


def derivative_name(name: str) -> str:
    """Name of the time derivative of the variable ``name``."""
    return f"der({name})"


def base_and_order(name: str) -> tuple[str, int]:
    """``("x", 2)`` for ``"der(der(x))"``: the variable and how often it is differentiated."""
    order = 0
    while name.startswith("der("):
        name, order = name[4:-1], order + 1
    return name, order


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
    zero. ``equations`` are those of the residuals, in their order; the assignments of the body carry their own. ``constant``:
    the matrix depends on parameters only and is factorised once at initialization.
    """

    unknowns: tuple[str, ...]
    body: tuple[Assignment | Call, ...]
    residuals: tuple[Expr, ...]
    equations: tuple[Equation, ...]
    constant: bool


Block = Assignment | Call | LinearBlock


@dataclass(frozen=True)
class Alias:
    """An eliminated variable: ``sign * of`` (sign is +1 or -1), or, with ``of == ""``, the parameter expression ``value``."""

    of: str
    sign: int = 1
    value: Expr | None = None


@dataclass
class SortedModel:
    """Matched, reduced, sorted and torn equations.

    Attributes:
        flat: where it came from; a variable that stands for others has inherited their ``init`` and ``start``.
        states: names of the invariant states in the order of the state vector (order of declaration). Where the user
            differentiates twice, ``der(x)`` is a state too.
        derivatives: for each state the name of the variable that holds its derivative: an unknown, or another state.
        blocks: in the order of evaluation. Known before the first block: ``time``, states, inputs, parameters.
        aliases: eliminated variables.
        unknowns: names of all variables the blocks compute, in that order. Where functions need each other's outputs, one of
            them, ``y``, is torn and computed again as ``y.computed``.
        indicators: expressions e of ``positive(e)`` and of relations that make events, in the order of ``z_inv``. The k-th
            relation stands in the blocks as ``Apply("mode", (Const(k),))``: 1.0 where it holds, frozen between events.
        relations: for each indicator, the relation it came from ("<", "<=", ">", ">="; "positive" is ">").
        time_events: argument of the k-th ``after(t)``, which stands in the blocks as ``Apply("after", (Const(k),))``.
        inputs: names of top-level inputs.
        report: sizes before and after each pass, for `sim.report()`.
        redundant_initials: variables with ``init`` that are not states and their initial values: the equations determine
            them, so after initialization they must have these values.
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
    redundant_initials: Mapping[str, float] = field(default_factory=dict)

    def initial_states(self, variables: Mapping[str, Variable] | None = None) -> list[float]:
        """Initial values of the states: ``init``, else ``start``, else 0, aliases considered.

        Args:
            variables: with new values of ``init`` and ``start``; those of ``flat`` if None.

        Raises:
            ModelError: two aliases have contradicting values of ``init``.
        """
        known = inherit_initial_values(self.flat.variables if variables is None else variables, self.aliases)
        values = []
        for state in self.states:
            variable = known.get(state)
            value = None if variable is None else variable.start if variable.init is None else variable.init
            values.append(0.0 if value is None else float(value))
        return values


def inherit_initial_values(variables: Mapping[str, Variable], aliases: Mapping[str, Alias]) -> dict[str, Variable]:
    """Variables where each one that stands for aliases has their ``init`` and ``start``, if it has none of its own.

    Raises:
        ModelError: two aliases have contradicting values of ``init``.
    """
    result = dict(variables)
    source: dict[str, str] = {}
    for name, alias in aliases.items():
        member, target = variables.get(name), result.get(alias.of)
        if member is None or target is None:
            continue
        if member.init is not None:
            init = alias.sign * member.init
            if target.init is None:
                target = replace(target, init=init)
                source[alias.of] = name
            elif not math.isclose(init, target.init, rel_tol=1e-12, abs_tol=1e-300):
                other = source.get(alias.of, alias.of)
                equal = "equal" if alias.sign == aliases.get(other, Alias(alias.of)).sign else "opposite"
                raise ModelError(
                    f"the initial values of '{name}' and '{other}' contradict each other",
                    path=member.origin,
                    found=f"{name}: init={member.init!r}, {other}: init={variables[other].init!r}",
                    expected=f"{equal} values, because the equations make the two {equal}",
                    remedy="Give init to one of them only.",
                )
        if member.start is not None and target.start is None:
            target = replace(target, start=alias.sign * member.start)
        result[alias.of] = target
    return result
