"""Partitions of the equations by clocks, and how clocks follow from each other.

Equations with common variables are a partition, what stands in ``sample``, ``hold`` and conversions excepted. Source: Modelica
Language Specification 3.6, sections 16.7.1 to 16.7.4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from ....model.expression import RELATIONS, ZERO, Apply, Const, Equation, Expr, Name, Text, rewrite, walk
from ....symbolic.flat.flat_model import FlatModel, Variable
from ....symbolic.terms.disjoint_sets import DisjointSets
from ..terms.refusals import Refusal
from .operators import BORDERS, CLOCK, CONVERSIONS, FIRST, HOLD, INTERVAL, NO_CLOCK, PREVIOUS, SAMPLE, has_clocks, is_clock

_LOGIC = RELATIONS | {"and", "or", "not", "edge", "change", "initial", FIRST}


@dataclass
class Clocked:
    """A clocked ``when``: its clock and its equations."""

    clock: Expr
    equations: list[Equation]


@dataclass(frozen=True)
class Conversion:
    """The clock of one partition follows from that of another: ``numbers`` are the factor, or shift and resolution."""

    result: str
    source: str
    op: str
    numbers: tuple[int, ...]


@dataclass
class Partitions:
    """The partitions of a model, each named by one of its members.

    Attributes:
        flat: the model; it gets variables for operands that are expressions.
        clocks: names of variables that are clocks.
        equations: of variables, with operands of clock operators that are names.
        definitions: what clocks are equal to, by partition.
        conversions: between partitions.
        clocked: partitions that have a clock.
    """

    flat: FlatModel
    clocks: set[str]
    equations: list[Equation] = field(default_factory=list)
    definitions: dict[str, list[Apply]] = field(default_factory=dict)
    conversions: list[Conversion] = field(default_factory=list)
    clocked: set[str] = field(default_factory=set)
    _sets: DisjointSets[str] = field(default_factory=DisjointSets)
    _outside: Collection[str] = ()

    def of(self, name: str) -> str:
        """Return the partition of a variable or clock."""
        return self._sets.find(name)

    def of_equation(self, equation: Equation) -> str | None:
        """Return the partition of an equation; None if it has no variables of its own."""
        own = next(self._members(equation), None)
        return None if own is None else self.of(own)

    def find(self, equations: Sequence[Equation], blocks: Sequence[Clocked]) -> None:
        """Find all partitions of the equations."""
        self._outside = {
            node.args[0].name
            for e in equations
            if e.rhs is ZERO
            for node in (e.lhs,)
            if type(node) is Apply and node.op == "der" and type(node.args[0]) is Name
        }  # parameters that are computed at the beginning
        given = [self._plain(e) for e in equations]
        inside = [(self._clock_name(b.clock, ""), [self._plain(e) for e in b.equations]) for b in blocks]
        everything = [*given, *(e for _, own in inside for e in own)]
        made = 0
        while made < len(self.equations):  # those of operands that are expressions, which were added meanwhile
            self.equations[made] = self._plain(self.equations[made])
            made += 1
        everything += self.equations
        self.equations = []
        relations: list[tuple[str, Apply]] = []
        for equation in everything:
            if type(equation.lhs) is Name and equation.lhs.name in self.clocks:
                self._read_clock(equation.lhs.name, equation.rhs, relations)
            elif type(equation.rhs) is Name and equation.rhs.name in self.clocks:
                self._read_clock(equation.rhs.name, equation.lhs, relations)
            else:
                self.equations.append(equation)
                self._unite(equation)
        for clock, own in inside:
            for equation in own:
                for name in self._members(equation):
                    self._sets.unite(clock, name)
        self._relate(relations)

    # -- operands become names ------------------------------------------------------------------------------------------

    def _plain(self, equation: Equation) -> Equation:
        def change(node: Expr) -> Expr | None:
            if type(node) is not Apply:
                return None
            if node.op == CLOCK and node.args and type(node.args[0]) is not Name:
                operand, *rest = (rewrite(a, change) for a in node.args)
                if is_clock(operand, self.clocks):
                    return Apply(CLOCK, (Name(self._clock_name(operand, equation.path)), *rest))
                if self.kind(operand) == "Boolean":
                    return Apply(CLOCK, (self._named(operand, equation), *rest))
            if node.op in BORDERS or node.op == PREVIOUS:
                operand, *rest = (rewrite(a, change) for a in node.args)
                if is_clock(operand, self.clocks):
                    operand = Name(self._clock_name(operand, equation.path))
                elif type(operand) is not Name or operand.name not in self.flat.variables:
                    operand = self._named(operand, equation)
                if node.op == SAMPLE and rest:
                    rest = [Name(self._clock_name(rest[0], equation.path))]
                return Apply(node.op, (operand, *rest))
            return None

        lhs, rhs = rewrite(equation.lhs, change), rewrite(equation.rhs, change)
        if lhs is equation.lhs and rhs is equation.rhs:
            return equation
        return Equation(lhs, rhs, equation.path, str(equation))

    def _named(self, expr: Expr, equation: Equation) -> Name:
        name = f"{equation.path}.clocked({expr})".lstrip(".")
        if name not in self.flat.variables:
            self.flat.variables[name] = Variable(name, type=self.kind(expr), origin=equation.path)
            self.equations.append(Equation(Name(name), expr, equation.path))
        return Name(name)

    def _clock_name(self, clock: Expr, path: str) -> str:
        """Return the name of a clock, a new one of an expression."""
        if type(clock) is Name:
            return clock.name
        name = f"{path}.clock({len(self.clocks) + 1})".lstrip(".")
        self.clocks.add(name)
        if clock != Apply(CLOCK, ()):
            self.equations.append(Equation(Name(name), clock, path))
        return name

    def kind(self, expr: Expr) -> str:
        """Return the type of an expression."""
        if type(expr) is Name and expr.name in self.flat.variables:
            return self.flat.variables[expr.name].type
        if type(expr) is Apply and expr.op in _LOGIC:
            return "Boolean"
        if type(expr) is Apply and expr.op == "if":
            return self.kind(expr.args[1])
        if type(expr) is Apply and expr.args and expr.op in (*BORDERS, PREVIOUS, "pre", "noEvent"):
            return self.kind(expr.args[0])
        return "Real"

    # -- partitions -----------------------------------------------------------------------------------------------------

    def _members(self, equation: Equation) -> Iterator[str]:
        """Generate the names that make an equation part of a partition."""
        stack: list[Expr] = [equation.lhs, equation.rhs]
        while stack:
            node = stack.pop()
            if type(node) is Name:
                if node.name in self.clocks or (node.name in self.flat.variables and node.name not in self._outside):
                    yield node.name
            elif type(node) is Apply:
                stack += node.args[1:] if node.op in BORDERS else node.args

    def _unite(self, equation: Equation) -> None:
        first: str | None = None
        for name in self._members(equation):
            first = first or name
            self._sets.unite(first, name)

    def _read_clock(self, name: str, value: Expr, relations: list[tuple[str, Apply]]) -> None:
        if type(value) is Name and value.name in self.clocks:
            self._sets.unite(name, value.name)
            return
        assert type(value) is Apply
        if value.op in CONVERSIONS:
            relations.append((name, value))
            return
        if value.op != CLOCK:
            raise Refusal(f"'{value}' is no clock", path=name)
        if value.args and type(value.args[-1]) is Text:
            raise Refusal("a clock with a method of integration is not read", path=name, found=f"'{value}'")
        relations.append((name, value))

    def _relate(self, relations: Sequence[tuple[str, Apply]]) -> None:
        clocked = set(self.clocks)
        for clock, value in relations:
            if value.op in CONVERSIONS:
                self._convert(clock, value)
            elif value.args:
                self.definitions.setdefault(self.of(clock), []).append(value)
        for equation in self.equations:
            own = next(self._members(equation), None)
            for node in walk(equation.lhs, equation.rhs):
                if type(node) is not Apply or not has_clocks(node):
                    continue
                if node.op not in (HOLD,) and own is not None:
                    clocked.add(own)
                if node.op in (HOLD, PREVIOUS, NO_CLOCK, *CONVERSIONS, INTERVAL) and node.args and type(node.args[0]) is Name:
                    clocked.add(node.args[0].name)
                if node.op in CONVERSIONS and own is not None:
                    self._convert(own, node)
        self.clocked = {self.of(name) for name in clocked}

    def _convert(self, result: str, node: Apply) -> None:
        source = node.args[0]
        assert type(source) is Name
        numbers = tuple(int(n.value) for n in node.args[1:] if type(n) is Const)
        self.conversions.append(Conversion(self.of(result), self.of(source.name), node.op, numbers))
