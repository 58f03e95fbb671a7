"""Alias elimination with signs.

Equations ``a = b``, ``a = -b``, ``a + b = 0``, ``a = parameter expression`` and what becomes one of these by others (``v =
p - n`` where ``n = 0``) are taken out; one variable of each class stands for all. Outputs of component functions and
top-level inputs are never eliminated: they are *anchors*, a class has at most one, and an equation between two of them is
kept.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..acausal.protocol import CallEquation
from ..model.errors import ModelError
from ..model.expression import ZERO, Apply, Const, Equation, Expr, Name, add, evaluate, mul, names, neg, rewrite, sub
from .events import is_constant
from .flat_model import FlatModel, Variable
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
    """

    equations: list[Equation | CallEquation]
    variables: dict[str, Variable]
    aliases: dict[str, Alias]
    redundant: list[Equation]

    def substitute(self, expr: Expr) -> Expr:
        """``expr`` in terms of the remaining variables."""
        return _substitute(expr, self.aliases)


def eliminate_aliases(flat: FlatModel, equations: list[Equation | CallEquation]) -> Elimination:
    """Take alias equations out of ``equations``.

    Raises:
        ModelError: alias equations or initial values that contradict each other.
    """
    classes = _Classes(flat, equations)
    classes.run()
    aliases = classes.aliases()
    left = [_changed(equations[i], aliases) for i in range(len(equations)) if i not in classes.consumed]
    inherited = inherit_initial_values(flat.variables, aliases)
    variables = {name: v for name, v in inherited.items() if name not in aliases}
    _check_constants(flat, aliases)
    return Elimination(left, variables, aliases, classes.redundant)


def _changed(equation: Equation | CallEquation, aliases: Mapping[str, Alias]) -> Equation | CallEquation:
    if isinstance(equation, CallEquation):
        return replace(equation, inputs=tuple(_substitute(e, aliases) for e in equation.inputs))
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
        if alias.value is None or init is None:
            continue
        value = evaluate(alias.value, flat.parameters)
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

    def __init__(self, flat: FlatModel, equations: list[Equation | CallEquation]) -> None:
        self.flat, self.equations = flat, equations
        self.consumed: set[int] = set()
        self.redundant: list[Equation] = []
        self._parent: dict[str, tuple[str, int]] = {}
        self._members: dict[str, list[str]] = {}
        self._proof: dict[str, list[int]] = {}
        self._value: dict[str, Expr] = {}
        self._watch: dict[str, list[int]] = {}
        self._differentiated: set[str] = set()
        self._call_inputs: set[str] = set()
        self._anchors = {name for name, v in flat.variables.items() if v.input}
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
        used = []
        for name, factor in terms.items():
            root, sign = self.find(name)
            used.append(root)
            if root in self._value:
                rest = add(rest, mul(Const(factor * sign), self._value[root]))
            else:
                live[root] = live.get(root, 0) + factor * sign
        live = {root: factor for root, factor in live.items() if factor}
        if not live:
            self._remove_redundant(i, rest, used)
            return []
        roots = list(live)
        if len(live) == 1 and roots[0] not in self._anchors:
            return self._set_value(i, roots[0], mul(rest, Const(-1.0 / live[roots[0]])), used)
        two = len(live) == 2 and rest == ZERO and abs(live[roots[0]]) == abs(live[roots[1]])
        if two and not self._anchors.issuperset(roots):
            return self._unite(i, roots[0], roots[1], 1 if live[roots[0]] == -live[roots[1]] else -1)
        for root in live:
            self._watch.setdefault(root, []).append(i)
        return []

    def _set_value(self, i: int, root: str, value: Expr, used: list[str]) -> list[int]:
        self.consumed.add(i)
        self._value[root] = value
        because = [e for other in used if other != root for e in self._proof.get(other, ())]
        self._proof[root] = [*self._proof.get(root, ()), i, *because][:MAX_TERMS]
        return self._watch.pop(root, [])

    def _unite(self, i: int, a: str, b: str, sign: int) -> list[int]:
        self.consumed.add(i)
        if a in self._anchors or (b not in self._anchors and self._size(a) > self._size(b)):
            a, b = b, a
        self._parent[a] = (b, sign)
        self._members.setdefault(b, [b]).extend(self._members.pop(a, [a]))
        self._proof[b] = [*self._proof.get(b, ()), i, *self._proof.pop(a, ())][:MAX_TERMS]
        return self._watch.pop(a, [])

    def _size(self, root: str) -> int:
        return len(self._members.get(root, ())) + len(self._watch.get(root, ()))

    def _remove_redundant(self, i: int, rest: Expr, used: list[str]) -> None:
        equation = self.equations[i]
        assert isinstance(equation, Equation)
        if abs(evaluate(rest, self.flat.parameters)) > 1e-12 * _magnitude(rest, self.flat.parameters):
            others = {e: None for root in used for e in self._proof.get(root, ())}
            text = "; ".join(f"'{self.equations[e]}'" for e in list(others)[:MAX_TERMS])
            raise ModelError(
                f"the equation '{equation}' contradicts " + (f"the equations {text}" if text else "itself"),
                path=equation.path,
                found=f"0 = {rest} = {evaluate(rest, self.flat.parameters)!r}",
            )
        self.consumed.add(i)
        self.redundant.append(equation)

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


def _magnitude(expr: Expr, parameters: Mapping[str, float]) -> float:
    """Size of the largest number in a sum, to judge what is zero against."""
    return max((abs(parameters.get(name, 0.0)) for name in names(expr)), default=0.0)
