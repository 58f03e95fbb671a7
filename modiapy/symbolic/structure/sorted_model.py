"""`SortedModel`: what the symbolic passes deliver, blocks in the order of their evaluation.

After index reduction the derivative of a variable is an unknown of its own with the name ``der(x)``, the second
``der(der(x))``; all expressions refer to unknowns by `Name`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import TIME, Apply, Const, Equation, Expr, Name, rewrite
from ...model.model import DefaultInit, FoundInit
from ..flat.flat_model import STATE_SELECT, FlatModel, Variable
from ..hybrid.discrete import Discrete
from ..terms.arrays import shape_at
from ..terms.names import base_of, integral_of, is_argument, order_of
from ..terms.readable import signs_collected
from .scales import Scales

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
        strict: for each of them whether it is ``time > t``, which does not hold yet at t itself.
        limits: numbers of the two relations that end the interval of one ``floor(e)``: an exact zero of one is a zero of the
            other one, too, as soon as the value follows.
        inputs: names of top-level inputs.
        report: sizes, for `sim.report()`.
        passes: that made it, in their order.
        notes: what was changed to remove singularities, for `sim.report()`.
        assumptions: sums of parameters that were found to be zero, and the redundant equations that were removed for it.
        storage: storage elements of value zero, and what may not become one.
        redundant_initials: variables with ``init`` that are not states: the equations determine them, so after initialization
            they must have these values.
        initialization: how initial values are computed; None if they are those of the states.
        constraints: between states, where no static selection of states exists; the states are then not independent.
        relation_texts: for each relation its text as the user wrote it (names by full path) and the path where it stands.
        discrete: memory, ticks, re-initialisations and assertions, evaluated at events.
        scales: magnitudes of variables that follow from those of others.
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
    strict: Sequence[bool] = ()
    limits: Sequence[tuple[int, int]] = ()
    inputs: Sequence[str] = ()
    report: Mapping[str, int] = field(default_factory=dict)
    passes: Sequence[PassRecord] = ()
    notes: Sequence[str] = ()
    assumptions: Sequence[tuple[Expr, Equation]] = ()
    storage: Storage = field(default_factory=Storage)
    redundant_initials: Sequence[str] = ()
    initialization: Initialization | None = None
    constraints: Sequence[Constraint] = ()
    discrete: Discrete = field(default_factory=Discrete)
    relation_texts: Sequence[tuple[str, str]] = ()
    scales: Scales = field(default_factory=Scales)

    @property
    def stored(self) -> Sequence[str]:
        """Names of the unknowns and inputs, scalars first: what an evaluation gives besides states and derivatives."""
        names = [*self.unknowns, *self.inputs]
        return sorted(names, key=lambda name: bool(shape_at(name, self.flat.shapes))) if self.flat.shapes else names

    def readable(self, expr: Expr) -> Expr:
        """Return ``expr`` with relations, times of events and ``pre(v)`` as written, in place of their numbers."""

        def change(node: Expr) -> Expr | None:
            if type(node) is not Apply or node.op not in ("mode", "after") or type(node.args[0]) is not Const:
                return None
            k = int(node.args[0].value)
            if node.op == "mode":
                return Name(f"({self.relation_texts[k][0]})")
            return self.time_relation(k, self.time_events[k])

        return signs_collected(self.discrete.readable(rewrite(expr, change)))

    def is_strict(self, k: int) -> bool:
        """Return whether the k-th time event is ``time > t``."""
        return k < len(self.strict) and self.strict[k]

    def time_relation(self, k: int, time: Expr) -> Expr:
        """Return the k-th time event as it may be written, ``after(...)`` or ``time > ...``; ``time``: as it is shown."""
        return Apply(">", (TIME, time)) if self.is_strict(k) else Apply("after", (time,))

    def __str__(self) -> str:
        """Return the blocks in the order of their evaluation, as assignments and torn systems."""
        size = sum(len(defined_by(block)) for block in self.blocks)
        lines = [f"model {self.flat.name}: {len(self.states)} states, {size} unknowns in {len(self.blocks)} blocks", "states"]
        known = set(self.states)
        for state, derivative in zip(self.states, self.derivatives, strict=True):
            follows = self.aliases.get(derivative)
            shape = "".join(f"[{n}]" for n in shape_at(state, self.flat.shapes))
            lines.append(
                f"  {state}{shape}" + (f"  with {derivative} = {follows}" if follows and derivative not in known else "")
            )
        lines += [f"inputs {', '.join(self.inputs)}"] if self.inputs else []
        lines += ["blocks", *block_lines(self.blocks, self.readable)]
        lines += [f"constraint  0 = {constraint.residual}" for constraint in self.constraints]
        lines += ["events", *self._events()] if self._events() else []
        lines += ["aliases", *(f"  {name} = {alias}" for name, alias in self.aliases.items())] if self.aliases else []
        if self.initialization is not None:
            lines += ["initialization", *(f"  {line}" for line in str(self.initialization.sorted).splitlines()[1:])]
        return "\n".join(lines)

    def _events(self) -> list[str]:
        """Return the lines of what makes events, and of what these change besides."""
        lines = [f"  {text}" + (f"  [{path}]" if path else "") for text, path in self.relation_texts]
        lines += [f"  {self.time_relation(k, self.readable(e))}" for k, e in enumerate(self.time_events)]
        lines += [f"  every {t.clock or f'sample({t.start}, {t.interval})'}" for t in self.discrete.tickers]
        reinits = [*self.discrete.reinits, *self.discrete.array_reinits]
        return lines + [f"  {r.text} where {self.readable(r.active)}" for r in reinits]

    def initial_memory(
        self, variables: Mapping[str, Variable], shapes: Mapping[str, tuple[int, ...]] | None = None
    ) -> list[float]:
        """Return the values of ``pre(...)`` at the beginning: ``init``, else ``start``, else 0; arrays at the end."""
        known = inherit_initial_values({**self.flat.variables, **variables}, self.aliases)
        values = [_initial_value(m.initial, known, self.aliases) for m in self.discrete.memory]
        for m in self.discrete.array_memory:
            shape = (self.flat.shapes if shapes is None else shapes).get(base_of(m.name), ())
            values += np.broadcast_to(_initial_value(m.initial, known, self.aliases), shape).reshape(-1).tolist()
        return values

    def initial_states(
        self, variables: Mapping[str, Variable] | None = None, shapes: Mapping[str, tuple[int, ...]] | None = None
    ) -> list[float]:
        """Return the initial values of the states: ``init``, else ``start``, else 0, aliases considered.

        Args:
            variables: with new values of ``init`` and ``start``; those of ``flat`` if None.
            shapes: of these variables; those of ``flat`` if None. Elements of arrays follow one another.

        Raises:
            ModelError: two aliases have contradicting values of ``init`` that users gave; a `DefaultInit` gives way to these.
        """
        shapes = self.flat.shapes if shapes is None else shapes
        known = inherit_initial_values(self.flat.variables if variables is None else variables, self.aliases)
        values = []
        for state in self.states:
            variable = known.get(state)
            value = None if variable is None else variable.start if variable.init is None else variable.init
            shape = shapes.get(base_of(state)) if shapes else None
            if shape:
                values += np.broadcast_to(0.0 if value is None else value, shape).reshape(-1).tolist()
            else:
                values.append(0.0 if value is None else float(value))
        return values


def guess_values(variables: Mapping[str, Variable]) -> dict[str, float]:
    """Return the values that iterations begin with: ``start``, else ``init``, by name, elements of arrays one by one."""
    result: dict[str, float] = {}
    for name, v in variables.items():
        guess = v.init if v.start is None else v.start
        if guess is None:
            continue
        if np.ndim(guess):
            elements = np.asarray(guess, dtype=float)
            result |= {f"{name}[{','.join(map(str, p))}]": float(elements[p]) for p in np.ndindex(elements.shape)}
        else:
            result[name] = float(guess)
    return result


def magnitude(state: str, nominal: Mapping[str, Any]) -> Any:
    """Return the nominal value of a state, 1 where there is none; a derivative has that of its variable, if none of its own."""
    while state not in nominal and order_of(state):
        state = integral_of(state)
    return nominal.get(state, 1.0)


def nominal_values(variables: Mapping[str, Variable]) -> dict[str, float]:
    """Return the magnitudes by name."""
    return {name: float(v.nominal) for name, v in variables.items() if v.nominal is not None}


def _wish(variable: Variable) -> int:
    """Return the strength of a wish to be, or not to be, a state: that of one of several aliases holds for all.

    No wish is weaker than all but "never": a variable that is to be no state may have an alias that is one.
    """
    return {"never": -2, "default": -1}.get(variable.state_select) or STATE_SELECT.index(variable.state_select)


def _initial_value(name: str, variables: Mapping[str, Variable], aliases: Mapping[str, Alias]) -> Any:
    variable, alias = variables.get(name), aliases.get(name)
    value = None if variable is None else variable.start if variable.init is None else variable.init
    if value is None and alias is not None and alias.of:
        return alias.sign * _initial_value(alias.of, variables, aliases)
    return 0.0 if value is None else np.asarray(value, dtype=float) if np.ndim(value) else float(value)


def inherit_initial_values(variables: Mapping[str, Variable], aliases: Mapping[str, Alias]) -> dict[str, Variable]:
    """Return the variables where each one that stands for aliases has their ``init``, ``start`` and so on, if it has none of
    its own.

    Raises:
        ModelError: two aliases have contradicting values of ``init`` that users gave; a `DefaultInit` gives way to these.
    """
    result = dict(variables)
    source: dict[str, str] = {}
    for name, alias in aliases.items():
        member, target = variables.get(name), result.get(alias.of)
        if member is None or target is None:
            continue
        if member.init is not None:
            init = alias.sign * member.init
            if isinstance(member.init, DefaultInit):
                init = type(member.init)(init)
            if target.init is None or _weight(init) > _weight(target.init):
                target = replace(target, init=init)
                source[alias.of] = name
            elif not isinstance(init, DefaultInit) and not np.allclose(init, target.init, rtol=1e-12, atol=1e-300):
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
        if member.nominal is not None and target.nominal is None:
            target = replace(target, nominal=member.nominal)
        if _wish(member) > _wish(target):
            target = replace(target, state_select=member.state_select)
        result[alias.of] = target
    return result


def _weight(init: Any) -> int:
    """Return the weight of an ``init``: of two values that of more weight counts."""
    return 0 if type(init) is DefaultInit else 1 if type(init) is FoundInit else 2


def defined_by(block: Block) -> tuple[str, ...]:
    """Return the names of the variables that a block computes, in that order."""
    if isinstance(block, Assignment):
        return (block.variable,)
    if isinstance(block, Call):
        return tuple(name.name for name in block.call.outputs)
    return block.unknowns + tuple(name for inner in block.body for name in defined_by(inner))


def derivatives_in_body(model: SortedModel, block: LinearBlock) -> dict[str, int]:
    """Return the derivatives of states that follow from torn unknowns: name -> number of the state."""
    state_of = {name: k for k, name in enumerate(model.derivatives)}
    return {s.variable: state_of[s.variable] for s in block.body if isinstance(s, Assignment) and s.variable in state_of}


def expressions_of(block: Block) -> tuple[Expr, ...]:
    """Return the expressions that a block evaluates."""
    if isinstance(block, Assignment):
        return (block.expr,)
    if isinstance(block, Call):
        return block.call.inputs
    return tuple(e for inner in block.body for e in expressions_of(inner)) + block.residuals


def computed(blocks: Sequence[Block]) -> list[str]:
    """Return the names of the variables that blocks compute, in the order of their computation."""
    result: list[str] = []
    for block in blocks:
        if isinstance(block, Assignment):
            result += [] if is_argument(block.variable) else [block.variable]
        elif isinstance(block, Call):
            result += [output.name for output in block.call.outputs]
        else:
            result += [*block.unknowns, *computed(block.body)]
    return result


@dataclass(frozen=True)
class Initialization:
    """Problem that determines initial values which follow from each other.

    Attributes:
        sorted: without states: what are states in the simulation are computed by its blocks.
        values: parameter of ``sorted`` -> variable whose ``init`` (else ``start``, else 0) it is.
        fixed: states that nothing determines, and that begin with ``start`` or 0.
        checked: variables whose ``init`` must follow from everything else.
    """

    sorted: SortedModel
    values: Mapping[str, str]
    fixed: tuple[str, ...]
    checked: tuple[str, ...]

    def flat(self, flat: FlatModel) -> FlatModel:
        """Return the flat model of ``sorted`` with the values and sizes of ``flat``, that of a simulation."""
        own = self.sorted.flat
        known = {**own.variables, **inherit_initial_values(flat.variables, self.sorted.aliases)}
        shapes = {**flat.shapes, **{p: s for p, name in self.values.items() if (s := shape_at(name, flat.shapes))}}
        values = {p: initial_value(known.get(name), shapes.get(p, ())) for p, name in self.values.items()}
        return replace(
            own,
            parameters={**flat.parameters, **{p: v for p, v in values.items() if p not in shapes}},
            arrays={**flat.arrays, **{p: v for p, v in values.items() if p in shapes}},
            shapes=shapes,
            variables={**own.variables, **flat.variables},
            components=flat.components,
        )


def initial_value(variable: Variable | None, shape: tuple[int, ...] = ()) -> Any:
    """Return ``init``, else ``start``, else 0: a float, or an array of this shape."""
    value = None if variable is None else variable.start if variable.init is None else variable.init
    value = 0.0 if value is None else value
    return np.broadcast_to(np.asarray(value, dtype=float), shape).copy() if shape else float(value)
