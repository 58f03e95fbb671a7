"""Clocked partitions: ``sample(u, clock)``, ``hold(y)`` and ``previous(x)`` become memory that changes at ticks.

Equations that are connected through variables, not through ``sample`` or ``hold``, are a partition; it is clocked if
``sample`` or ``previous`` occurs in it or ``hold`` refers to it, and its clock is the one that its ``sample`` names. Only
what ``sample`` and ``previous`` deliver is memory; from that the other equations of the partition compute constants between
ticks. Source of the semantics: Modelica Language Specification 3.6, chapter 16.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import TIME, Apply, Const, Equation, Expr, Name, apply, names, rewrite, walk
from ..flat.flat_model import FlatModel, Variable
from ..terms.disjoint_sets import DisjointSets
from ..terms.names import Kind, clocked_value, join
from .discrete import FLAGS_PER_TICKER, Ticker


@dataclass
class Clocked:
    """Equations without clocks.

    Attributes:
        equations: of the whole model.
        variables: new ones.
        assigned: new variables that change at ticks.
        initial: new variable -> variable that has its initial value.
        tickers: one for each clock that is used.
        clocked: variables of clocked partitions.
    """

    equations: list[Equation | CallEquation]
    variables: dict[str, Variable] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    initial: dict[str, str] = field(default_factory=dict)
    tickers: list[Ticker] = field(default_factory=list)
    clocked: set[str] = field(default_factory=set)


def expand_clocks(flat: FlatModel, equations: list[Equation | CallEquation]) -> Clocked:
    """Take the clocks out of ``equations``.

    Raises:
        ModelError: a partition with two clocks or none, ``der`` or ``time`` in a clocked partition.
    """
    uses = any(_is_clocked(node, flat) for node in _nodes(*(e for e in equations if isinstance(e, Equation))))
    return _Partitions(flat, equations).run() if uses else Clocked(equations)


def _nodes(*equations: Equation) -> Iterator[Expr]:
    return walk(*(side for equation in equations for side in (equation.lhs, equation.rhs)))


def _is_clocked(node: Expr, flat: FlatModel) -> bool:
    return type(node) is Apply and (node.op in ("hold", "previous") or _clock_of(node, flat) is not None)


def _clock_of(node: Expr, flat: FlatModel) -> str | None:
    """Name of the clock in ``sample(u, clock)`` or ``previous(x, clock)``; two names of one clock are the same."""
    name = node.args[1] if type(node) is Apply and node.op in ("sample", "previous") and len(node.args) == 2 else None
    clock = flat.clocks.get(name.name) if type(name) is Name else None
    if clock is None:
        return None
    return next(name for name, other in flat.clocks.items() if other is clock)


class _Partitions:
    def __init__(self, flat: FlatModel, equations: list[Equation | CallEquation]) -> None:
        self.flat, self.given = flat, equations
        self.result = Clocked([])
        self.partitions: DisjointSets[str] = DisjointSets()
        self.clock: dict[str, str] = {}
        self.because: dict[str, Equation] = {}
        self.number: dict[str, int] = {}

    def run(self) -> Clocked:
        unclocked: list[tuple[Equation, Name]] = []
        inside: list[str | None] = []
        for equation in self.given:
            own = self._unite(equation)
            inside.append(own)
            if isinstance(equation, CallEquation):
                continue
            for node in _nodes(equation):
                if type(node) is Apply and node.op in ("hold", "previous"):
                    unclocked.append((equation, self._variable(node, equation)))
        for equation, own in zip(self.given, inside, strict=True):
            if isinstance(equation, Equation):
                self._name_clocks(equation, own)
        for equation, variable in unclocked:
            if self.partitions.find(variable.name) not in self.clock:
                raise ModelError(
                    f"'{variable}' in '{equation}' belongs to no clock",
                    path=equation.path,
                    remedy=f"Write sample(u, clock) around what comes from outside into the equations of '{variable}'.",
                )
        self.result.clocked = {name for name in self.partitions.parent if self.partitions.find(name) in self.clock}
        for equation, own in zip(self.given, inside, strict=True):
            self.result.equations.append(self._changed(equation, own))
        return self.result

    # -- partitions -------------------------------------------------------------------------------------------------------

    def _unite(self, equation: Equation | CallEquation) -> str | None:
        """Unite the variables of an equation, those inside ``sample`` and ``hold`` excepted; one of them, if there is any."""
        parts = (*equation.inputs, *equation.outputs) if isinstance(equation, CallEquation) else (equation.lhs, equation.rhs)
        first: str | None = None
        stack = list(parts)
        while stack:
            node = stack.pop()
            if type(node) is Name and node.name in self.flat.variables:
                if first is None:
                    first = node.name
                self.partitions.unite(first, node.name)
            elif type(node) is Apply and node.op == "previous":
                stack.append(node.args[0])
            elif type(node) is Apply and node.op != "hold" and _clock_of(node, self.flat) is None:
                stack += node.args
        return first

    def _variable(self, node: Apply, equation: Equation) -> Name:
        argument = node.args[0]
        if type(argument) is not Name or argument.name not in self.flat.variables:
            raise ModelError(f"'{node}' in '{equation}' names no variable", path=equation.path, expected=f"{node.op}(variable)")
        if len(node.args) > 1 and _clock_of(node, self.flat) is None:
            clocks = ", ".join(self.flat.clocks) or "no clocks"
            raise ModelError(
                f"'{node.args[1]}' in '{equation}' is not a clock",
                path=equation.path,
                found=clocks,
                expected="previous(x, clock)",
            )
        return argument

    def _name_clocks(self, equation: Equation, own: str | None) -> None:
        for node in _nodes(equation):
            clock = _clock_of(node, self.flat)
            if clock is None:
                continue
            if own is None:
                raise ModelError(f"no variable of '{equation}' is sampled", path=equation.path, expected="y = sample(u, clock)")
            root = self.partitions.find(own)
            other = self.clock.setdefault(root, clock)
            if other != clock:
                raise ModelError(
                    f"the clocks '{other}' and '{clock}' meet in one partition",
                    path=equation.path,
                    found=f"'{self.because[root]}' and '{equation}'",
                    expected="equations of one clock, connected with those of another one by sample(u, clock)",
                )
            self.because.setdefault(root, equation)

    def _ticker(self, clock: str) -> int:
        if clock not in self.number:
            self.number[clock] = len(self.result.tickers)
            self.result.tickers.append(Ticker(clock))
        return FLAGS_PER_TICKER * self.number[clock]

    # -- equations --------------------------------------------------------------------------------------------------------

    def _changed(self, equation: Equation | CallEquation, own: str | None) -> Equation | CallEquation:
        if isinstance(equation, CallEquation):
            return equation
        clock = self.clock.get(self.partitions.find(own)) if own is not None else None

        def change(node: Expr) -> Expr | None:
            if clock is not None and (node == TIME or (type(node) is Apply and node.op == "der")):
                raise ModelError(
                    f"'{node}' stands without sample in '{equation}', an equation of clock '{clock}'",
                    path=equation.path,
                    remedy=f"Write sample({node}, {clock}).",
                )
            if type(node) is not Apply:
                return None
            if node.op == "hold":
                return self._hold(self._variable(node, equation))
            if node.op == "previous":
                return self._previous(self._variable(node, equation), equation)
            sampled = _clock_of(node, self.flat)
            return self._sample(node, sampled, equation) if sampled is not None else None

        return Equation(rewrite(equation.lhs, change), rewrite(equation.rhs, change), equation.path, str(equation))

    def _new(self, name: str, value: Expr, initial: str, equation: Equation) -> Name:
        """Return a variable that has ``value``."""
        if name not in self.result.variables:
            self.result.variables[name] = Variable(name, origin=equation.path)
            self.result.assigned.add(name)
            self.result.initial[name] = initial
            self.result.equations.append(Equation(Name(name), value, equation.path, str(equation)))
        return Name(name)

    def _hold(self, variable: Name) -> Expr:
        """Return the variable, or its initial value before the first tick."""
        first = self._ticker(self.clock[self.partitions.find(variable.name)])
        started = apply("or", _flag(first), _flag(first + 1))
        name = clocked_value(Kind.HELD, variable.name)
        equation = self.because[self.partitions.find(variable.name)]
        return self._new(name, apply("if", started, variable, _pre(name)), variable.name, equation)

    def _previous(self, variable: Name, equation: Equation) -> Expr:
        """Return the value at the last tick: the initial value until there were two."""
        first = self._ticker(self.clock[self.partitions.find(variable.name)])
        ticks_again = apply("and", _flag(first), _flag(first + 1))
        name = clocked_value(Kind.PREVIOUS, variable.name)
        return self._new(name, apply("if", ticks_again, _pre(variable.name), _pre(name)), variable.name, equation)

    def _sample(self, node: Apply, clock: str, equation: Equation) -> Expr:
        """Return the value at the last tick: the left limit of what is continuous, the present value of what is clocked."""
        expr, first = self._changed_argument(node.args[0], equation), self._ticker(clock)
        name = join(equation.path, f"sample({node.args[0]}, {clock})")
        inside = names(expr) & self.flat.variables.keys()
        now: Expr
        if inside and inside <= self.result.clocked:
            now = expr
        else:
            whole = f"{name}.u"
            if whole not in self.result.variables:
                self.result.variables[whole] = Variable(whole, origin=equation.path)
                self.result.equations.append(Equation(Name(whole), expr, equation.path, str(equation)))
            now = _pre(whole)
        return self._new(name, apply("if", _flag(first), now, _pre(name)), "", equation)

    def _changed_argument(self, expr: Expr, equation: Equation) -> Expr:
        def change(node: Expr) -> Expr | None:
            if type(node) is Apply and node.op == "hold":
                return self._hold(self._variable(node, equation))
            if type(node) is Apply and (node.op == "previous" or _clock_of(node, self.flat) is not None):
                raise ModelError(f"'{node}' stands inside a sample in '{equation}'", path=equation.path)
            return None

        return rewrite(expr, change)


def _flag(k: int) -> Expr:
    return Apply("flag", (Const(k),))


def _pre(name: str) -> Expr:
    return Apply("pre", (Name(name),))
