"""Parts of a `SortedModel`: blocks in the order of their evaluation, eliminated variables, constraints, records of passes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...acausal.protocol import CallEquation
from ...model.expression import Equation, Expr
from ..terms.names import is_argument

Shown = Callable[[Expr], Expr]
"""An expression as a reader wants it."""


@dataclass(frozen=True)
class Assignment:
    """``variable := expr``, from ``equation`` (kept for messages)."""

    variable: str
    expr: Expr
    equation: Equation | None = None

    def lines(self, shown: Shown) -> list[str]:
        """Return the lines of its text; ``shown`` gives expressions as a reader wants them."""
        return [f"{self.variable} := {shown(self.expr)}"]


@dataclass(frozen=True)
class Call:
    """A component function with all inputs known: ``outputs := function(inputs)``."""

    call: CallEquation

    def lines(self, shown: Shown) -> list[str]:
        """Return the lines of its text."""
        inputs = ", ".join(str(shown(e)) for e in self.call.inputs)
        outputs = ", ".join(output.name for output in self.call.outputs)
        return [f"{outputs} := {self.call.function.name}({inputs})  [{self.call.component or 'top level'}]"]


def _system_lines(kind: str, block: LinearBlock | NonlinearBlock, shown: Shown) -> list[str]:
    """Return a torn system: what is iterated over, what follows from that in sequence, and what has to become zero."""
    unknowns = len(defined_by(block))
    lines = [f"{kind} system of {unknowns} unknown{'s' if unknowns > 1 else ''}, torn: {', '.join(block.unknowns)}"]
    lines += [f"    {line}" for step in block.body for line in step.lines(shown)]
    return [*lines, *(f"    0 = {shown(residual)}" for residual in block.residuals)]


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

    def lines(self, shown: Shown) -> list[str]:
        """Return the lines of its text."""
        return _system_lines("linear, constant" if self.constant else "linear", self, shown)


@dataclass(frozen=True)
class NonlinearBlock:
    """A torn nonlinear system of equations, solved by a damped Newton iteration with the exact Jacobian.

    Given values of ``unknowns``, ``body`` computes all other variables of the block in sequence and ``residuals`` must be
    zero; ``equations`` are those of the residuals. ``directional_derivatives`` computes those of what the body computes
    in a direction: that of the variable ``x`` has the name `directional_of`; those of the unknowns (the direction) are given.
    ``residual_derivatives`` are those of the residuals: one column of the Jacobian where the direction is a unit vector.
    ``opened`` are the variables of the body that depend on the unknowns nonlinearly, or in which something is nonlinear; among
    them arguments of functions, which stand in the body as variables of their own (`argument_of`). Where the iteration over
    the unknowns fails, these are unknowns too, and their assignments residuals.
    """

    unknowns: tuple[str, ...]
    body: tuple[Assignment | Call, ...]
    residuals: tuple[Expr, ...]
    equations: tuple[Equation, ...]
    directional_derivatives: tuple[Assignment | Call, ...]
    residual_derivatives: tuple[Expr, ...]
    opened: tuple[str, ...] = ()

    def lines(self, shown: Shown) -> list[str]:
        """Return the lines of its text."""
        return _system_lines("nonlinear", self, shown)


Block = Assignment | Call | LinearBlock | NonlinearBlock


def block_lines(blocks: Sequence[Block], shown: Shown) -> list[str]:
    """Return the blocks as text, numbered in the order of their evaluation."""
    lines = []
    for k, block in enumerate(blocks, 1):
        first, *others = block.lines(shown)
        lines += [f"{k:>4}  {first}", *(f"      {line}" for line in others)]
    return lines


@dataclass(frozen=True)
class Alias:
    """An eliminated variable: ``sign * of`` (sign is +1 or -1), or, with ``of == ""``, the parameter expression ``value``."""

    of: str
    sign: int = 1
    value: Expr | None = None

    def __str__(self) -> str:
        return f"{'-' if self.sign < 0 else ''}{self.of}" if self.value is None else str(self.value)


@dataclass(frozen=True)
class Constraint:
    """A constraint between states that the integrator keeps (index-1 form, see `index_one`).

    Attributes:
        multiplier: name of the state whose derivative moves the states back onto the constraint; zero in exact arithmetic.
        residual: what is zero.
        equation: where it comes from.
        directions: state -> coefficient of the multiplier's derivative in that state's equation.
        level: 0 for a constraint of the highest derivatives that are states (velocities), 1 for what it is the derivative of.
    """

    multiplier: str
    residual: Expr
    equation: Equation
    directions: Mapping[str, Expr]
    level: int = 0


@dataclass(frozen=True)
class SolvedForRates:
    """Equations that are solved together for ``unknowns``, of which ``rates`` are derivatives; parameters are coefficients."""

    nodes: Sequence[Equation | CallEquation]
    unknowns: Sequence[str]
    rates: frozenset[str]


@dataclass(frozen=True)
class Storage:
    """Values of parameters that the choice of states stands on (see `zero_storage`).

    Attributes:
        zeros: constants that were taken to be zero for good, and an equation in which each is the coefficient of a derivative.
        systems: they must not become singular.
        equations: of the model after alias elimination.
    """

    zeros: Mapping[Expr, Equation] = field(default_factory=dict)
    systems: Sequence[SolvedForRates] = ()
    equations: Sequence[Equation | CallEquation] = ()


@dataclass(frozen=True)
class PassRecord:
    """Record of a pass: numbers of scalar equations and of variables (None: not counted), and a remark."""

    name: str
    equations: int
    variables: int | None
    remark: str


def defined_by(block: Block) -> tuple[str, ...]:
    """Return the names of the variables that a block computes, in that order."""
    if isinstance(block, Assignment):
        return (block.variable,)
    if isinstance(block, Call):
        return tuple(name.name for name in block.call.outputs)
    return block.unknowns + tuple(name for inner in block.body for name in defined_by(inner))


def expressions_of(block: Block) -> tuple[Expr, ...]:
    """Return the expressions that a block evaluates."""
    if isinstance(block, Assignment):
        return (block.expr,)
    if isinstance(block, Call):
        return block.call.inputs
    return tuple(e for inner in block.body for e in expressions_of(inner)) + block.residuals


def computed(blocks: Sequence[Block]) -> list[str]:
    """Return the names of the variables of the model that blocks compute, in that order; arguments of functions are none."""
    return [name for block in blocks for name in defined_by(block) if not is_argument(name)]
