"""Derivatives become names, relations and ``after(t)`` become numbered events, ``pre(v)`` becomes numbered memory.

What makes an event is taken out of the equations: a relation or ``positive(e)`` becomes ``Apply("mode", (Const(k),))`` with
the k-th indicator, ``floor(e)`` a new Integer that changes where e leaves the interval from it to the next number, ``after(t)``
and a comparison of ``time`` with discrete quantities become ``Apply("after", (Const(k),))``. Equal ones share a number. Inside
``noEvent`` and between discrete quantities relations are evaluated as they stand. ``==`` and ``!=`` between continuous
quantities are refused: they have no sign change that an integrator could find.
When clauses, clocks and assertions have become ordinary equations before (`when`, `clocks`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ...acausal.delays import PATH as DELAYS
from ...acausal.protocol import CallEquation
from ...model.calculus import Split, differentiate, linear_in
from ...model.errors import ModelError, nearest
from ...model.expression import (
    ONE,
    RELATIONS,
    TIME,
    ZERO,
    Apply,
    Const,
    Equation,
    Expr,
    Name,
    Rewritten,
    add,
    apply,
    div,
    evaluate,
    neg,
    rewrite,
    sub,
)
from ...model.language import SUBSCRIPT, entry_of
from ..flat.flat_model import Assertion, FlatModel, Variable
from ..terms.arrays import shape_of
from ..terms.constants import READS, is_constant
from ..terms.names import base_of, derivative_of, is_before, join, value_before
from .clocks import expand_clocks
from .discrete import FLAGS_PER_TICKER, Discrete, Discreteness, Memory, Ticker, check_discrete, discrete_variables
from .homotopy import HOMOTOPY
from .simple_equations import SimpleEquations
from .when import expand_whens

_NESTING = RELATIONS | {"der", "noEvent", "smooth", "after", "positive", "floor", "change", "edge"}
"""Operators whose operands are changed before they are themselves."""


@dataclass
class Events:
    """Equations without relations and ``der``, and what was taken out of them (see `SortedModel`).

    Attributes:
        flat: with the variables that were added.
        assigned: variables that nothing but an assignment may compute: Integers, Booleans, those set at events.
        set_at_events: those that a when clause or a tick sets.
        discrete: memory, tickers, re-initialisations, assertions.
    """

    flat: FlatModel
    equations: list[Equation | CallEquation] = field(default_factory=list)
    indicators: list[Expr] = field(default_factory=list)
    relations: list[str] = field(default_factory=list)
    relation_texts: list[tuple[str, str]] = field(default_factory=list)
    time_events: list[Expr] = field(default_factory=list)
    strict: list[bool] = field(default_factory=list)
    limits: list[tuple[int, int]] = field(default_factory=list)
    assigned: frozenset[str] = frozenset()
    set_at_events: frozenset[str] = frozenset()
    discrete: Discrete = field(default_factory=Discrete)


def extract_events(flat: FlatModel) -> Events:
    """Replace ``der(...)`` by names and take the events out of all equations.

    Raises:
        ModelError: an unknown name, an operator where it has no meaning, a derivative of an input, an ``==`` of continuous
            quantities.
    """
    return _Extraction(flat).run()


def total_derivative(expr: Expr, flat: FlatModel) -> Expr:
    """Return the time derivative of ``expr``, where the derivative of a variable ``x`` is the name ``der(x)``.

    Raises:
        ModelError: an input would have to be differentiated, or a function without derivative.
    """

    def leaf(node: Expr) -> Expr | None:
        if type(node) is Apply:
            return ZERO if node.op in READS else None
        if type(node) is not Name or node.name in flat.parameters or node.name in flat.arrays or is_before(node.name):
            return ZERO
        if node.name == TIME.name:
            return ONE
        if node.name == HOMOTOPY:
            return ZERO
        variable = flat.variables.get(node.name)
        if variable is not None and variable.discrete:
            return ZERO
        if variable is not None and variable.input:
            raise rate_of_input(variable)
        return Name(derivative_of(node.name))

    return differentiate(expr, leaf)


def rate_of_input(variable: Variable) -> ModelError:
    """Return the error where the derivative of an input is needed."""
    return ModelError(
        f"the derivative of the input '{variable.name}' is needed, but only its value is known",
        path=variable.origin,
        remedy="Filter the input, or prescribe it by an equation that can be differentiated.",
    )


class _Extraction:
    def __init__(self, given: FlatModel) -> None:
        whens = expand_whens(given)
        clocks = expand_clocks(given, [*given.equations, *whens.equations])
        assertions = [*given.assertions, *whens.terminations]
        conditions = _conditions(assertions)
        self.equations = clocks.equations
        self.equations += [Equation(Name(name), a.condition, a.path, str(a)) for name, a in conditions.items()]
        self.reinits = whens.reinits
        self.initial_of = clocks.initial
        delayed = {name for name in given.variables if name.startswith(f"{DELAYS}.")}
        hidden = {**whens.variables, **clocks.variables}
        hidden |= {name: _variable_of(name, a) for name, a in conditions.items()}
        variables = {**given.variables, **hidden}
        set_at_events = whens.assigned.keys() | clocks.assigned
        assigned = {name for name, v in variables.items() if v.type != "Real"} | set_at_events
        found = discrete_variables(variables, [*given.parameters, *given.arrays], self.equations, assigned | clocks.clocked)
        if found:
            variables = {name: replace(v, discrete=True) if name in found else v for name, v in variables.items()}
        self.flat = replace(given, variables=variables)
        fixed = {*given.parameters, *given.arrays} if found or given.arrays else given.parameters
        changes_at_events = found | set(fixed) if found else fixed
        self.simple = SimpleEquations(self.equations, variables, fixed, {*found, *assigned, *clocks.clocked, *given.shapes})
        self.discreteness = Discreteness({*changes_at_events, *self.simple.constants})
        if found:
            check_discrete(self.equations, variables, changes_at_events, hidden)
        self.discrete = Discrete(
            tickers=clocks.tickers, assertions=assertions, conditions=list(conditions), hidden=set(hidden) | delayed
        )
        self.events = Events(
            self.flat, assigned=frozenset(assigned), set_at_events=frozenset(set_at_events), discrete=self.discrete
        )
        self.modes: dict[tuple[str, Expr], Apply] = {}
        self.times: dict[tuple[Expr, bool], Apply] = {}
        self.memory: dict[str, Expr] = {}
        self.floors: dict[Expr, Name] = {}
        self.samples: dict[tuple[Expr, Expr], Apply] = {}
        self._done: dict[bool, Rewritten] = {True: {}, False: {}}
        self._in_time: Split = {}
        self._inside = False
        self.path = self.text = ""

    def run(self) -> Events:
        for equation in self.equations:
            self.text = str(equation)
            if isinstance(equation, CallEquation):
                self.path = equation.component
                for output in equation.outputs:
                    self._known(output)
                changed: Equation | CallEquation = replace(equation, inputs=tuple(self._expr(e) for e in equation.inputs))
            else:
                self.path = equation.path
                changed = Equation(self._expr(equation.lhs), self._expr(equation.rhs), equation.path, self.text)
            self.events.equations.append(changed)
        for reinit in self.reinits:
            self.path, self.text = reinit.path, reinit.text
            active, value = self._expr(reinit.active), self._expr(reinit.value)
            whole = type(reinit.state) is Name and self.flat.shapes.get(reinit.state.name)
            (self.discrete.array_reinits if whole else self.discrete.reinits).append(
                replace(reinit, active=active, value=value)
            )
        self.events.assigned |= {name.name for name in self.floors.values()}
        return self.events

    def _expr(self, expr: Expr, events: bool = True) -> Expr:
        if not self._inside:
            self._inside = True  # what is nested is changed before what it is nested in: no recursion
            for node, within in self._nested(expr, events):
                self._expr(node, within)
            self._inside = False
        return rewrite(expr, lambda node: self._change(node, events), self._done[events])

    def _nested(self, expr: Expr, events: bool) -> list[tuple[Expr, bool]]:
        """Return the operations that ask for others to be changed, innermost first, and whether relations make events in
        them.
        """
        found: list[tuple[Expr, bool]] = []
        seen = set[tuple[int, bool]]()
        stack = [(expr, events, False)]
        while stack:
            node, within, visited = stack.pop()
            if type(node) is not Apply or id(node) in self._done[within]:
                continue
            if visited:
                found.append((node, within))
            elif (id(node), within) not in seen:
                seen.add((id(node), within))
                if node.op in _NESTING:
                    stack.append((node, within, True))
                parts = node.args
                inside = within and node.op != "noEvent"
                if node.op == "smooth":
                    parts, inside = node.args[1:], within and node.args[0] == ZERO
                stack += [(a, inside, False) for a in reversed(parts)]
        return found

    def _change(self, node: Expr, events: bool) -> Expr | None:
        if type(node) is Name:
            self._known(node)
            return None
        if type(node) is not Apply:
            return None
        op, args = node.op, node.args
        if stands_in := entry_of(op).stands_in:
            raise ModelError(f"'{node}' in '{self.text}' has no meaning here", path=self.path, expected=stands_in)
        if op == "der":
            return total_derivative(self._expr(args[0], events), self.flat)
        if op == "noEvent":
            return self._expr(args[0], False)
        if op == "smooth":
            return self._smooth(node, events)
        if op == "after":
            return self._relation(">=", TIME, self._expr(args[0], events), events, node)
        if op == "positive":
            return self._relation(">", self._expr(args[0], events), ZERO, events, node)
        if op in RELATIONS:
            return self._relation(op, self._expr(args[0], events), self._expr(args[1], events), events, node)
        if op == "floor":
            return self._floor(node, self._expr(args[0], events), events)
        if op == "terminal":
            self.discrete.terminal = True
            return None
        return self._remembering(node, events)

    def _remembering(self, node: Apply, events: bool) -> Expr | None:
        """Return the operators that compare with the past."""
        op, args = node.op, node.args
        if op == "pre":
            return self._pre(node, events)
        if op == "change":
            return apply("!=", self._expr(args[0], events), self._pre(node, events))
        if op == "edge":
            return apply("and", self._expr(args[0], events), apply("not", self._pre(node, events)))
        if op == "sample":
            return self._sample(*args)
        return None

    def _pre(self, node: Apply, events: bool) -> Expr:
        """Return the memory of the argument of ``pre``, ``edge`` or ``change``."""
        expr = self._expr(node.args[0], events)
        if type(expr) is Const or (type(expr) is Name and (expr.name in self.flat.parameters or expr.name in self.flat.arrays)):
            return expr
        if type(expr) is Apply and entry_of(expr.op) is SUBSCRIPT:
            return apply(expr.op, self._pre(Apply(node.op, expr.args), events))
        if type(expr) is not Name or expr == TIME:
            raise ModelError(
                f"'{node}' in '{self.text}' asks for the past of an expression",
                path=self.path,
                found=f"'{node.args[0]}'",
                expected=f"{node.op}(variable)",
                remedy="Give the expression a name, e.g. 'b = ...' with b=Var(type=\"Boolean\").",
            )
        if expr.name not in self.memory:
            is_array = bool(self.flat.shapes and shape_of(expr, self.flat.shapes))
            memory = self.discrete.array_memory if is_array else self.discrete.memory
            number = Apply("memory", (Const(len(memory)),))
            self.memory[expr.name] = Name(value_before(expr.name)) if is_array else number
            initial = self.initial_of.get(expr.name, expr.name)
            variable = self.flat.variables.get(base_of(expr.name))
            discrete = variable is not None and variable.discrete
            memory.append(Memory(expr.name, expr, initial, discrete))
        return self.memory[expr.name]

    def _smooth(self, node: Apply, events: bool) -> Expr:
        order = node.args[0]
        if type(order) is not Const or order.value < 0.0 or not order.value.is_integer():
            raise ModelError(
                f"'{node}' in '{self.text}' does not begin with a whole number",
                path=self.path,
                expected="smooth(0 or 1 or ..., expression)",
            )
        return self._expr(node.args[1], events and order.value == 0.0)

    def _sample(self, start: Expr, interval: Expr) -> Expr:
        """Return the flag of the instants ``start + n*interval``."""
        for argument in (start, interval):
            if not is_constant(self._expr(argument), self.flat.parameters):
                raise ModelError(
                    f"'{argument}' in 'sample({start}, {interval})' changes",
                    path=self.path,
                    found=f"'{self.text}'",
                    expected="sample(start, interval) with constants and parameters, or sample(variable, clock)",
                    remedy=nearest(str(interval), self.flat.clocks),
                )
        key = (start, interval)
        if key not in self.samples:
            number = FLAGS_PER_TICKER * len(self.discrete.tickers)
            self.discrete.tickers.append(Ticker(start=start, interval=interval))
            self.samples[key] = Apply("flag", (Const(number),))
        return self.samples[key]

    def _known(self, node: Name) -> None:
        base = base_of(node.name)
        if not (base in self.flat.variables or base in self.flat.parameters or base in self.flat.arrays or base == TIME.name):
            raise ModelError(
                f"unknown name '{base}' in '{self.text}'",
                path=self.path,
                remedy=nearest(base, [*self.flat.variables, *self.flat.parameters]),
            )

    def _relation(self, op: str, left: Expr, right: Expr, events: bool, node: Expr) -> Expr:
        difference = sub(left, right)
        simplest = self.simple.simplest(difference)
        if type(simplest) is Const:
            return Const(evaluate(Apply(op, (simplest, ZERO)), {}))
        if not events or self.discreteness.holds(difference):
            return apply(op, left, right)
        if self.flat.shapes and shape_of(difference, self.flat.shapes):
            raise ModelError(
                f"'{node}' in '{self.text}' makes events and is a relation of arrays",
                path=self.path,
                found=f"shape {shape_of(difference, self.flat.shapes)}",
                expected="a scalar",
                remedy="Write noEvent(...) around it if no events are wanted, or use its elements: x[0] > 1.",
            )
        if op in ("==", "!="):
            raise ModelError(
                f"'{op}' compares continuous quantities in '{self.text}'",
                path=self.path,
                expected="<, <=, > or >=, or discrete quantities",
                remedy="Write noEvent(...) around it if no event is wanted.",
            )
        ascending = self._switching_time(difference)
        if ascending is not None:
            time, rises = ascending
            begins = rises == (op in (">", ">="))
            after = self._after(time, strict=begins == (op in ("<", ">")))
            return after if begins else apply("not", after)
        key = (op, simplest)
        if key not in self.modes:
            self.modes[key] = Apply("mode", (Const(len(self.modes)),))
            self.events.indicators.append(difference)
            self.events.relations.append(op)
            self.events.relation_texts.append((str(node), self.path))
        return self.modes[key]

    def _floor(self, node: Apply, expr: Expr, events: bool) -> Expr:
        """Return a new Integer: kept between events, and at least one away from the value before where ``expr`` has left
        that.
        """
        if not events or self.discreteness.holds(expr):
            return apply("floor", expr)
        if self.flat.shapes and shape_of(expr, self.flat.shapes):
            raise ModelError(
                f"'{node}' in '{self.text}' makes events and its argument is an array",
                path=self.path,
                expected="a scalar",
                remedy="Write noEvent(...) around it if no events are wanted, or use its elements.",
            )
        simplest = self.simple.simplest(expr)
        if simplest not in self.floors:
            text = f"floor({expr})"
            while text in self.flat.variables:
                text += "'"
            name = self.floors[simplest] = Name(text)
            self.flat.variables[name.name] = Variable(name.name, origin=self.path, type="Integer", discrete=True)
            self.discrete.hidden.add(name.name)
            before, present = self._pre(Apply("pre", (name,)), events), Apply("floor", (expr,))
            # what init says of a variable that is equal to it is no value that expr has left
            self.discrete.memory[-1] = replace(self.discrete.memory[-1], discrete=False)
            above, below = add(before, ONE), sub(before, ONE)
            rises = self._relation(">=", expr, above, events, Apply(">=", (expr, Apply("floor", (expr,)))))
            falls = self._relation("<", expr, before, events, Apply("<", (expr, Apply("floor", (expr,)))))
            first, second = (
                int(r.args[0].value) if isinstance(r, Apply) and r.op == "mode" and isinstance(r.args[0], Const) else -1
                for r in (rises, falls)
            )
            if first >= 0 and second >= 0:
                self.events.limits.append((first, second))
            # relations that have not followed the memory yet must not count on: that is the wrong half of the interval
            upper = Apply(">=", (sub(expr, before), Const(0.5)))
            value = apply("if", falls, apply("if", upper, before, apply("min", present, below)), before)
            value = apply("if", rises, apply("if", upper, apply("max", present, above), before), value)
            value = apply("if", Apply("initial", ()), present, value)
            self.events.equations.append(Equation(name, value, self.path, self.text))
        return self.floors[simplest]

    def _switching_time(self, difference: Expr) -> tuple[Expr, bool] | None:
        """Return when ``difference = a*time + b`` (a a number, b discrete) changes its sign, and whether it rises."""
        ab = linear_in(difference, TIME.name, self._in_time)
        if ab is None or type(ab[0]) is not Const or ab[0].value == 0.0 or not self.discreteness.holds(ab[1]):
            return None
        return neg(div(ab[1], ab[0])), ab[0].value > 0.0

    def _after(self, time: Expr, *, strict: bool) -> Expr:
        key = (time, strict)
        if key not in self.times:
            self.times[key] = Apply("after", (Const(len(self.times)),))
            self.events.time_events.append(time)
            self.events.strict.append(strict)
        return self.times[key]


def _variable_of(name: str, assertion: Assertion) -> Variable:
    """Return the variable that stands for a condition; one that makes no events is looked at where results are stored."""
    if assertion.is_silent:
        return Variable(name, origin=assertion.path, observed=True)
    return Variable(name, origin=assertion.path, type="Boolean")


def _conditions(assertions: Iterable[Assertion]) -> dict[str, Assertion]:
    """Return the names of the variables that stand for the conditions of assertions."""
    named: dict[str, Assertion] = {}
    for assertion in assertions:
        name = join(assertion.path, f"assert({assertion.condition})")
        while name in named:
            name += "'"
        named[name] = assertion
    return named
