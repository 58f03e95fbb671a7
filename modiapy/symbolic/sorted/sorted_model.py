"""`SortedModel`: what the symbolic passes deliver, blocks in the order of their evaluation.

After index reduction the derivative of a variable is an unknown of its own with the name ``der(x)``, the second
``der(der(x))``; all expressions refer to unknowns by `Name`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...model.expression import TIME, Apply, Const, Equation, Expr, Name, rewrite
from ..flat.flat_model import FlatModel, Variable
from ..hybrid.discrete import Discrete
from ..terms.arrays import shape_at
from ..terms.names import base_of
from ..terms.readable import signs_collected
from .initial_values import inherit_initial_values, initial_value, value_before
from .parts import Alias, Assignment, Block, Constraint, LinearBlock, PassRecord, Storage, block_lines, defined_by
from .scales import Scales


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
        values = [value_before(m.initial, known, self.aliases) for m in self.discrete.memory]
        for m in self.discrete.array_memory:
            shape = (self.flat.shapes if shapes is None else shapes).get(base_of(m.name), ())
            values += np.broadcast_to(value_before(m.initial, known, self.aliases), shape).reshape(-1).tolist()
        return values

    def initial_states(
        self,
        variables: Mapping[str, Variable] | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
        *,
        inherited: bool = False,
    ) -> list[float]:
        """Return the initial values of the states: ``init``, else ``start``, else 0, aliases considered.

        Args:
            variables: with new values of ``init`` and ``start``; those of ``flat`` if None.
            shapes: of these variables; those of ``flat`` if None. Elements of arrays follow one another.
            inherited: the variables have the values of those that they replace already.

        Raises:
            ModelError: two aliases have contradicting values of ``init`` that users gave; a `DefaultInit` gives way to these.
        """
        shapes = self.flat.shapes if shapes is None else shapes
        known = self.flat.variables if variables is None else variables
        known = known if inherited else inherit_initial_values(known, self.aliases)
        values: list[float] = []
        for state in self.states:
            shape = shapes.get(base_of(state)) if shapes else None
            value = initial_value(known.get(state), shape or ())
            values += value.reshape(-1).tolist() if shape else [value]
        return values


def derivatives_in_body(model: SortedModel, block: LinearBlock) -> dict[str, int]:
    """Return the derivatives of states that follow from torn unknowns: name -> number of the state."""
    state_of = {name: k for k, name in enumerate(model.derivatives)}
    return {s.variable: state_of[s.variable] for s in block.body if isinstance(s, Assignment) and s.variable in state_of}


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
