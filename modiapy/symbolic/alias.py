"""Alias elimination with signs.

Equations ``a = b``, ``a = -b``, ``a + b = 0``, ``a = parameter expression`` and what becomes one of these by others (``v =
p - n`` where ``n = 0``) are taken out; one variable of each class stands for all. Outputs of component functions,
top-level inputs and variables that are set at events are never eliminated: they are *anchors*, a class has at most one, and
an equation between two of them is kept.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..acausal.protocol import CallEquation
from ..model.errors import ModelError
from ..model.expression import ZERO, Apply, Const, Equation, Expr, Name, add, mul, names, neg, rewrite, sub
from .diagnosis import located, remedy_for_contradiction
from .events import constant_value, is_constant
from .flat_model import FlatModel, Variable
from .integer_elimination import dependency
from .sorted_model import Alias, base_and_order, derivative_name, inherit_initial_values

MAX_TERMS = 8
"""An equation with more terms than this is not examined: it could become an alias only if nearly all of them vanish."""


@dataclass
class Elimination:
    """Result of alias elimination.

    Attributes:
        equations: what is left, in terms of the remaining variables.
        variables: the remaining variables, with inherited initial values.
        aliases: the eliminated ones.
        redundant: equations that followed from others.
        coincidental: those of them that do so for the present values of parameters only.
        assumptions: sums of parameters that were taken to be zero, and the equations that were removed for it.
    """

    equations: list[Equation | CallEquation]
    variables: dict[str, Variable]
    aliases: dict[str, Alias]
    redundant: list[Equation]
    coincidental: list[Equation] = field(default_factory=list)
    assumptions: list[tuple[Expr, Equation]] = field(default_factory=list)

    def substitute(self, expr: Expr) -> Expr:
        """``expr`` in terms of the remaining variables."""
        return _substitute(expr, self.aliases)


def eliminate_aliases(flat: FlatModel, equations: list[Equation | CallEquation], anchors: Collection[str] = ()) -> Elimination:
    """Take alias equations out of ``equations``; ``anchors`` are variables that must stay.

    Raises:
        ModelError: alias equations or initial values that contradict each other.
    """
    classes = _Classes(flat, equations, anchors)
    classes.run()
    aliases = classes.aliases()
    left = [_changed(equations[i], aliases) for i in range(len(equations)) if i not in classes.consumed]
    inherited = inherit_initial_values(flat.variables, aliases)
    variables = {name: v for name, v in inherited.items() if name not in aliases}
    _check_constants(flat, aliases)
    redundant = list(classes.redundant.values())
    return Elimination(left, variables, aliases, redundant, classes.coincidental, classes.assumptions)


def compose(first: Mapping[str, Alias], second: Mapping[str, Alias], order: Iterable[str]) -> dict[str, Alias]:
    """Aliases after a second elimination, which may have eliminated what stood for others; sorted by ``order``."""
    result = dict(second)
    for name, alias in first.items():
        then = second.get(alias.of)
        if then is None:
            result[name] = alias
        elif then.value is None:
            result[name] = Alias(then.of, alias.sign * then.sign)
        else:
            result[name] = Alias("", 1, mul(Const(alias.sign), then.value))
    return {name: result[name] for name in order if name in result}


def _changed(equation: Equation | CallEquation, aliases: Mapping[str, Alias]) -> Equation | CallEquation:
    if isinstance(equation, CallEquation):
        rate = None if equation.rate is None else _substitute(equation.rate, aliases)
        return replace(equation, inputs=tuple(_substitute(e, aliases) for e in equation.inputs), rate=rate)
    return replace(equation, lhs=_substitute(equation.lhs, aliases), rhs=_substitute(equation.rhs, aliases))


def _substitute(expr: Expr, aliases: Mapping[str, Alias]) -> Expr:
    def change(node: Expr) -> Expr | None:
        if type(node) is not Name:
            return None
        base, order = base_and_order(node.name)
        alias = aliases.get(base)
        if alias is None:
            return None
        if alias.value is not None:
            return ZERO if order else alias.value
        name = alias.of
        for _ in range(order):
            name = derivative_name(name)
        return Name(name) if alias.sign > 0 else neg(Name(name))

    return rewrite(expr, change)


def _check_constants(flat: FlatModel, aliases: Mapping[str, Alias]) -> None:
    for name, alias in aliases.items():
        init = flat.variables[name].init
        if alias.value is None or init is None or flat.variables[name].type != "Real":  # of a Boolean it is pre(...)
            continue
        value = constant_value(alias.value, flat.parameters)
        if not math.isclose(value, init, rel_tol=1e-9, abs_tol=1e-12):
            raise ModelError(
                "the initial value contradicts the equations",
                path=name,
                found=f"init={init!r}",
                expected=f"{value!r}, because the equations say {name} = {alias.value}",
            )


def _signed_terms(equation: Equation, flat: FlatModel) -> tuple[dict[str, int], Expr] | None:
    """``({variable: k}, rest)`` with ``lhs - rhs = sum of k*variable + rest``, ``rest`` constant; None if not of this form."""
    terms: dict[str, int] = {}
    rest: Expr = ZERO
    stack = [(equation.rhs, -1), (equation.lhs, 1)]
    while stack:
        node, sign = stack.pop()
        if type(node) is Name and node.name in flat.variables:
            terms[node.name] = terms.get(node.name, 0) + sign
            if len(terms) > MAX_TERMS:
                return None
        elif type(node) is Apply and node.op in ("+", "-"):
            stack.append((node.args[1], sign if node.op == "+" else -sign))
            stack.append((node.args[0], sign))
        elif type(node) is Apply and node.op == "neg":
            stack.append((node.args[0], -sign))
        elif is_constant(node, flat.parameters):
            rest = add(rest, node) if sign > 0 else sub(rest, node)
        else:
            return None
    return terms, rest


class _Classes:
    """Classes of variables that are equal up to sign (union-find with signs)."""

    def __init__(self, flat: FlatModel, equations: list[Equation | CallEquation], anchors: Collection[str]) -> None:
        self.flat, self.equations = flat, equations
        self.consumed: set[int] = set()
        self.redundant: dict[int, Equation] = {}
        self.coincidental: list[Equation] = []
        self.assumptions: list[tuple[Expr, Equation]] = []
        self._parent: dict[str, tuple[str, int]] = {}
        self._members: dict[str, list[str]] = {}
        self._value: dict[str, Expr] = {}
        self._watch: dict[str, list[int]] = {}
        self._differentiated: set[str] = set()
        self._call_inputs: set[str] = set()
        self._anchors = {name for name, v in flat.variables.items() if v.input}.union(anchors)
        self._terms: dict[int, tuple[dict[str, int], Expr]] = {}
        for i, equation in enumerate(equations):
            self._read(i, equation)

    def _read(self, i: int, equation: Equation | CallEquation) -> None:
        if isinstance(equation, CallEquation):
            self._anchors.update(output.name for output in equation.outputs)
            used = set().union(*(names(e) for e in equation.inputs))
            self._call_inputs.update(base_and_order(name)[0] for name in used)
        else:
            used = names(equation.lhs) | names(equation.rhs)
            terms = _signed_terms(equation, self.flat)
            if terms is not None:
                self._terms[i] = terms
        self._differentiated.update(base_and_order(name)[0] for name in used if name.startswith("der("))

    def find(self, name: str) -> tuple[str, int]:
        """Root of the class of ``name`` and its sign relative to the root."""
        path = []
        sign = 1
        while name in self._parent:
            path.append(name)
            name = self._parent[name][0]
        for member in reversed(path):
            sign *= self._parent[member][1]
            self._parent[member] = (name, sign)
        return (name, sign) if path else (name, 1)

    def run(self) -> None:
        queue = deque(self._terms)
        queued = set(queue)
        while queue:
            i = queue.popleft()
            queued.discard(i)
            for other in self._examine(i):
                if other not in queued and other not in self.consumed:
                    queued.add(other)
                    queue.append(other)

    def _examine(self, i: int) -> list[int]:
        """Take equation ``i`` out if it is an alias; returns the equations that have to be examined again."""
        terms, rest = self._terms[i]
        live: dict[str, int] = {}
        for name, factor in terms.items():
            root, sign = self.find(name)
            if root in self._value:
                rest = add(rest, mul(Const(factor * sign), self._value[root]))
            else:
                live[root] = live.get(root, 0) + factor * sign
        live = {root: factor for root, factor in live.items() if factor}
        if not live:
            self._remove_redundant(i, rest)
            return []
        roots = list(live)
        if len(live) == 1 and roots[0] not in self._anchors and not self.flat.shapes.get(roots[0]):
            return self._set_value(i, roots[0], mul(rest, Const(-1.0 / live[roots[0]])))
        two = len(live) == 2 and rest == ZERO and abs(live[roots[0]]) == abs(live[roots[1]])
        if two and not self._anchors.issuperset(roots):
            return self._unite(i, roots[0], roots[1], 1 if live[roots[0]] == -live[roots[1]] else -1)
        for root in live:
            self._watch.setdefault(root, []).append(i)
        return []

    def _set_value(self, i: int, root: str, value: Expr) -> list[int]:
        self.consumed.add(i)
        self._value[root] = value
        return self._watch.pop(root, [])

    def _unite(self, i: int, a: str, b: str, sign: int) -> list[int]:
        self.consumed.add(i)
        if a in self._anchors or (b not in self._anchors and self._size(a) > self._size(b)):
            a, b = b, a
        self._parent[a] = (b, sign)
        self._members.setdefault(b, [b]).extend(self._members.pop(a, [a]))
        return self._watch.pop(a, [])

    def _size(self, root: str) -> int:
        return len(self._members.get(root, ())) + len(self._watch.get(root, ()))

    def _remove_redundant(self, i: int, rest: Expr) -> None:
        equation = self.equations[i]
        assert isinstance(equation, Equation)
        if not vanishes(rest, self.flat.parameters):
            others = self._others(i)
            text = "; ".join(f"'{located(e, self.flat)}'" for e in others[:MAX_TERMS])
            raise ModelError(
                f"the equation '{equation}' contradicts " + (f"the equations {text}" if text else "itself"),
                path=equation.path,
                found=f"0 = {rest} = {constant_value(rest, self.flat.parameters)!r}",
                remedy=remedy_for_contradiction([equation, *others])
                if text
                else "Nothing in it is a variable: to give a parameter a value, write it in its place; or declare it as Var().",
            )
        self.redundant[i] = equation
        if names(rest):
            self.assumptions.append((rest, equation))
        if not always_vanishes(rest, self.flat.parameters):
            text = "; ".join(f"'{located(e, self.flat)}'" for e in self._others(i)[:MAX_TERMS])
            self.redundant[i] = replace(equation, text=f"{equation} [for these parameters it follows from {text}]")
            self.coincidental.append(self.redundant[i])
        self.consumed.add(i)

    def _others(self, i: int) -> list[Equation | CallEquation]:
        """The equations that say the same as equation ``i``, or the contrary."""
        rows = {k: self._terms[k][0] for k in self.consumed if k not in self.redundant} | {i: self._terms[i][0]}
        return [self.equations[k] for k in dependency(rows, i) if k != i]

    def aliases(self) -> dict[str, Alias]:
        """The eliminated variables, each with the variable or value that stands for it."""
        position = {name: k for k, name in enumerate(self.flat.variables)}
        result: dict[str, Alias] = {}
        for name in self.flat.variables:
            root, sign = self.find(name)
            if root in self._value:
                result[name] = Alias("", 1, mul(Const(sign), self._value[root]))
        for root, members in self._members.items():
            if root in self._value:
                continue
            chosen = min(members, key=lambda name: (*self._preference(name), position[name]))
            chosen_sign = self.find(chosen)[1]
            result |= {name: Alias(chosen, self.find(name)[1] * chosen_sign) for name in members if name != chosen}
        return {name: result[name] for name in self.flat.variables if name in result}

    def _preference(self, name: str) -> tuple[bool, ...]:
        """The smallest stands for its class: anchors, then what makes a good state."""
        variable = self.flat.variables[name]
        return (
            name not in self._anchors,
            name not in self._differentiated,
            variable.init is None,
            name not in self._call_inputs,
            variable.start is None,
        )


def vanishes(constant: Expr, parameters: Mapping[str, float]) -> bool:
    """Whether a sum of numbers and parameters is zero but for rounding errors."""
    size = max((abs(parameters.get(name, 0.0)) for name in names(constant)), default=0.0)
    return abs(constant_value(constant, parameters)) <= 1e-12 * size


def always_vanishes(constant: Expr, parameters: Mapping[str, float]) -> bool:
    """Whether an expression that is zero would still be if those parameters that are not 0 had other values."""
    used = {name: parameters[name] for name in sorted(names(constant))}
    if not any(used.values()):
        return True
    return vanishes(constant, {name: value and 1.0 + math.sqrt(2.0 + k) for k, (name, value) in enumerate(used.items())})
