"""Alias elimination with signs.

Equations ``a = b``, ``a = -b``, ``a + b = 0``, ``a = parameter expression`` and what becomes one of these by others (``v =
p - n`` where ``n = 0``) are taken out; one variable of each class stands for all. So are ``v = der(x)``, ``w = der(y)`` where x
and y are the same: ``v = w``, and one of the two is taken out. Outputs of component functions,
top-level inputs and variables that are set at events are never eliminated: they are *anchors*, a class has at most one, and
an equation between two of them is kept.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...acausal.protocol import CallEquation
from ...model.errors import ModelError
from ...model.expression import ZERO, Apply, Const, Equation, Expr, Name, add, mul, names, neg, rewrite
from ...model.model import DefaultInit
from ..flat.flat_model import FlatModel, Variable, expressions
from ..hybrid.events import rate_of_input
from ..sorted.initial_values import inherit_initial_values
from ..sorted.parts import Alias
from ..terms.affine import summands
from ..terms.constants import constant_value, is_constant
from ..terms.disjoint_sets import SignedSets
from ..terms.integer_elimination import dependency
from ..terms.names import base_of, derivative_of, order_of
from .diagnosis import located, remedy_for_contradiction

MAX_TERMS = 8
"""An equation with more terms than this is not examined: it could become an alias only if nearly all of them vanish."""


@dataclass
class Elimination:
    """Result of alias elimination.

    Attributes:
        equations: what is left, in terms of the remaining variables.
        variables: the remaining variables, with inherited initial values.
        aliases: the eliminated ones.
        consumed: equations that were taken out because they made aliases, as they were.
        kept: the ``equations`` as they were, one for each.
        redundant: equations that followed from others.
        coincidental: those of them that do so for the present values of parameters only.
        assumptions: sums of parameters that were taken to be zero, and the equations that were removed for it.
        rates: remaining variable -> the variable that an equation says is its time derivative; der of that stands for der(der).
        differentiated: remaining variables whose derivatives occurred.
    """

    equations: list[Equation | CallEquation]
    variables: dict[str, Variable]
    aliases: dict[str, Alias]
    redundant: list[Equation]
    coincidental: list[Equation] = field(default_factory=list)
    assumptions: list[tuple[Expr, Equation]] = field(default_factory=list)
    rates: dict[str, Alias] = field(default_factory=dict)
    differentiated: list[str] = field(default_factory=list)
    consumed: list[Equation] = field(default_factory=list)
    kept: list[Equation | CallEquation] = field(default_factory=list)

    def substitute(self, expr: Expr) -> Expr:
        """Return ``expr`` in terms of the remaining variables."""
        return _substitute(expr, self.aliases, self.rates)


def eliminate_aliases(
    flat: FlatModel,
    equations: list[Equation | CallEquation],
    anchors: Collection[str] = (),
    differentiated: Collection[str] = (),
) -> Elimination:
    """Take alias equations out of ``equations``.

    Args:
        flat: the model.
        equations: of its variables.
        anchors: variables that must stay.
        differentiated: variables whose derivatives occurred in what earlier equations were.

    Raises:
        ModelError: alias equations or initial values that contradict each other; the derivative of an input is needed.
    """
    classes = _Classes(flat, equations, anchors, differentiated)
    classes.run()
    aliases = classes.aliases()
    rates = classes.rates(aliases)
    kept = [equation for i, equation in enumerate(equations) if i not in classes.consumed]
    left = [_changed(equation, aliases, rates) for equation in kept]
    _refuse_rates_of_inputs(flat, left)
    inherited = inherit_initial_values(flat.variables, aliases)
    variables = {name: v for name, v in inherited.items() if name not in aliases}
    check_constants(aliases, flat)
    redundant = list(classes.redundant.values())
    return Elimination(
        left,
        variables,
        aliases,
        redundant,
        classes.coincidental,
        classes.assumptions,
        rates,
        classes.differentiated(aliases),
        [e for i in sorted(classes.consumed - classes.redundant.keys()) if isinstance(e := equations[i], Equation)],
        kept,
    )


def _refuse_rates_of_inputs(flat: FlatModel, equations: Iterable[Equation | CallEquation]) -> None:
    """Refuse a derivative of what has turned out to be an input. Raises ModelError."""
    rates = {derivative_of(name): v for name, v in flat.variables.items() if v.input and not v.discrete}
    if not rates:
        return
    for equation in equations:
        used = set().union(*map(names, expressions(equation)))
        found = min(used & rates.keys(), default=None)
        if found is not None:
            raise rate_of_input(rates[found])


def compose(first: Mapping[str, Alias], second: Mapping[str, Alias], order: Iterable[str]) -> dict[str, Alias]:
    """Return the aliases after a second elimination, which may have eliminated what stood for others; sorted by ``order``."""
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


def _changed(
    equation: Equation | CallEquation, aliases: Mapping[str, Alias], rates: Mapping[str, Alias]
) -> Equation | CallEquation:
    if isinstance(equation, CallEquation):
        rate = None if equation.rate is None else _substitute(equation.rate, aliases, rates)
        return replace(equation, inputs=tuple(_substitute(e, aliases, rates) for e in equation.inputs), rate=rate)
    lhs, rhs = (_substitute(side, aliases, rates) for side in (equation.lhs, equation.rhs))
    return replace(equation, lhs=lhs, rhs=rhs)


def _substitute(expr: Expr, aliases: Mapping[str, Alias], rates: Mapping[str, Alias]) -> Expr:
    def change(node: Expr) -> Expr | None:
        if type(node) is not Name:
            return None
        base, order = base_of(node.name), order_of(node.name)
        alias = aliases.get(base, Alias(base))
        if alias.value is not None:
            return ZERO if order else alias.value
        name, sign = alias.of, alias.sign
        while order > 1 and name in rates:
            name, sign, order = rates[name].of, sign * rates[name].sign, order - 1
        new = Name(derivative_of(name, order))
        return new if sign > 0 else neg(new)

    return rewrite(expr, change)


def check_constants(aliases: Mapping[str, Alias], flat: FlatModel) -> None:
    """Check that ``init`` of what is constant agrees with its value; a `DefaultInit` gives way to it.

    Raises:
        ModelError: names the variable.
    """
    for name, alias in aliases.items():
        if alias.value is None or (variable := flat.variables.get(name)) is None:
            continue
        if variable.init is None or isinstance(variable.init, DefaultInit) or variable.type != "Real":  # of a Boolean: pre(...)
            continue
        value = constant_value(alias.value, flat.parameters)
        if not math.isclose(value, variable.init, rel_tol=1e-9, abs_tol=1e-12):
            raise ModelError(
                "the initial value contradicts the equations",
                path=name,
                found=f"init={variable.init!r}",
                expected=f"{value!r}, because the equations say {name} = {alias.value}",
            )


def signed_terms(equation: Equation, flat: FlatModel) -> tuple[dict[str, int], Expr] | None:
    """Return ``({name: k}, rest)`` with ``lhs - rhs = sum of k*name + rest``, ``rest`` constant; None if not of this form.

    The names are those of variables and their derivatives.
    """
    terms: dict[str, int] = {}
    rest: Expr = ZERO
    for node, weight in summands([(equation.lhs, 1), (equation.rhs, -1)], _split):
        if type(node) is Name and base_of(node.name) in flat.variables:
            terms[node.name] = terms.get(node.name, 0) + weight
            if len(terms) > MAX_TERMS:
                return None
        elif is_constant(node, flat.parameters):
            rest = add(rest, mul(Const(weight), node))
        else:
            return None
    return terms, rest


def _split(node: Expr) -> list[tuple[Expr, int]] | None:
    if type(node) is Apply and node.op in ("+", "-"):
        return [(node.args[0], 1), (node.args[1], 1 if node.op == "+" else -1)]
    return [(node.args[0], -1)] if type(node) is Apply and node.op == "neg" else None


class _Classes:
    """Classes of variables that are equal up to sign, and of their derivatives (congruence closure).

    ``_shifted`` has classes of roots that are equal up to sign and a constant: their derivatives are equal up to sign.
    """

    def __init__(
        self,
        flat: FlatModel,
        equations: list[Equation | CallEquation],
        anchors: Collection[str],
        differentiated: Collection[str],
    ) -> None:
        self.flat, self.equations = flat, equations
        self.consumed: set[int] = set()
        self.redundant: dict[int, Equation] = {}
        self.coincidental: list[Equation] = []
        self.assumptions: list[tuple[Expr, Equation]] = []
        self._equal, self._shifted = SignedSets(), SignedSets()
        self._members: dict[str, list[str]] = {}
        self._value: dict[str, Expr] = {}
        self._watch: dict[str, list[int]] = {}
        self._derivative: dict[str, tuple[str, int]] = {}  # of a root -> the variable that is equal to it, and its sign
        self._defines: dict[int, str] = {}  # equation -> the derivative that it says so of
        self._differentiated = set(differentiated)
        self._call_inputs: set[str] = set()
        self._anchors = {name for name, v in flat.variables.items() if v.input}.union(anchors)
        self._terms: dict[int, tuple[dict[str, int], Expr]] = {}
        for i, equation in enumerate(equations):
            self._read(i, equation)

    def _read(self, i: int, equation: Equation | CallEquation) -> None:
        if isinstance(equation, CallEquation):
            self._anchors.update(output.name for output in equation.outputs)
            used = set().union(*(names(e) for e in equation.inputs))
            self._call_inputs.update(base_of(name) for name in used)
        else:
            used = names(equation.lhs) | names(equation.rhs)
            terms = signed_terms(equation, self.flat)
            if terms is not None:
                self._terms[i] = terms
        self._differentiated.update(base_of(name) for name in used if order_of(name))

    def find(self, name: str) -> tuple[str, int]:
        """Return the root of the class of ``name`` and its sign relative to the root."""
        return self._equal.find(name)

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
        if i in self._defines:
            self._derivative.pop(self._defines.pop(i), None)
        live, rest, watched = self._live(i)
        if not live:
            self._remove_redundant(i, rest)
            return []
        roots = [root for root in live if not order_of(root)]
        if len(live) == 1 and roots and roots[0] not in self._anchors and not self.flat.shapes.get(roots[0]):
            return self._set_value(i, roots[0], mul(rest, Const(-1.0 / live[roots[0]])))
        again: list[int] = []
        if len(live) == 2 and len({abs(factor) for factor in live.values()}) == 1:
            sign = 1 if sum(live.values()) == 0 else -1
            if len(roots) == 2 and rest == ZERO and not self._anchors.issuperset(roots):
                return self._unite(i, roots[0], roots[1], sign)
            if len(roots) == 2:
                again = self._shift(roots[0], roots[1], sign)
            derivative = next((name for name in live if name not in roots), "")
            if roots and order_of(derivative) == 1 and rest == ZERO:
                again = self._define(i, derivative, roots[0], sign)
        for root in watched.union(live):
            self._watch.setdefault(root, []).append(i)
        return again

    def _live(self, i: int) -> tuple[dict[str, int], Expr, set[str]]:
        """Return the terms and rest of equation ``i`` by the roots known so far; what its derivatives depend on."""
        terms, rest = self._terms[i]
        live: dict[str, int] = {}
        watched: set[str] = set()
        for name, factor in terms.items():
            root, sign = self._resolve(name, watched)
            if root in self._value:
                rest = add(rest, mul(Const(factor * sign), self._value[root]))
            elif root:
                live[root] = live.get(root, 0) + factor * sign
        return {root: factor for root, factor in live.items() if factor}, rest, watched

    def _resolve(self, name: str, watched: set[str]) -> tuple[str, int]:
        """Return the root, or derivative of a root, that a variable or derivative is equal to, and its sign; "" if it
        vanishes.
        """
        base, order = base_of(name), order_of(name)
        root, sign = self.find(base)
        while order:
            moving, turned = self._shifted.find(root)
            watched |= {root, moving, derivative_of(moving)}
            if root in self._value:
                return "", 0
            rate = self._derivative.get(derivative_of(moving))
            if rate is None:
                return derivative_of(moving, order), sign * turned
            root, further = self.find(rate[0])
            sign, order = sign * turned * rate[1] * further, order - 1
        return root, sign

    def _define(self, i: int, derivative: str, variable: str, sign: int) -> list[int]:
        """Note that equation ``i``, which stays, says that a derivative is ``sign*variable``."""
        self._derivative[derivative] = (variable, sign)
        self._defines[i] = derivative
        return [other for other in self._watch.pop(derivative, []) if other != i]

    def _set_value(self, i: int, root: str, value: Expr) -> list[int]:
        self.consumed.add(i)
        self._value[root] = value
        return self._watch.pop(root, [])

    def _unite(self, i: int, a: str, b: str, sign: int) -> list[int]:
        self.consumed.add(i)
        if a in self._anchors or (b not in self._anchors and self._size(a) > self._size(b)):
            a, b = b, a
        self._equal.unite(a, b, sign)
        self._members.setdefault(b, [b]).extend(self._members.pop(a, [a]))
        return self._watch.pop(a, []) + self._shift(a, b, sign)

    def _shift(self, a: str, b: str, sign: int) -> list[int]:
        """Note that ``a - sign*b`` is constant; returns the equations with derivatives that have to be examined again."""
        (a, sign_a), (b, sign_b) = self._shifted.find(a), self._shifted.find(b)
        if a == b:
            return []
        self._shifted.unite(a, b, sign_a * sign * sign_b)
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
                found=zero_is(rest, self.flat.parameters),
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
        """Return the equations that say the same as equation ``i``, or the contrary."""
        rows = {k: self._terms[k][0] for k in self.consumed if k not in self.redundant} | {i: self._terms[i][0]}
        return [self.equations[k] for k in dependency(rows, i) if k != i]

    def aliases(self) -> dict[str, Alias]:
        """Return the eliminated variables, each with the variable or value that stands for it."""
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

    def rates(self, aliases: Mapping[str, Alias]) -> dict[str, Alias]:
        """Return the variables that are derivatives of others, by these; none that has no derivative itself."""
        result = {}
        for name in self.flat.variables:
            moving, turned = self._shifted.find(self.find(name)[0])
            rate, sign = self._derivative.get(derivative_of(moving), ("", 1))
            if name in aliases or not rate:
                continue
            alias = aliases.get(rate, Alias(rate))
            known = self.flat.variables[alias.of]
            if not known.input and not known.discrete and known.type == "Real":
                result[name] = Alias(alias.of, self.find(name)[1] * turned * sign * alias.sign)
        return result

    def differentiated(self, aliases: Mapping[str, Alias]) -> list[str]:
        """Return the remaining variables that the equations differentiated."""
        remaining = {aliases[name].of if name in aliases else name for name in self._differentiated}
        return [name for name in self.flat.variables if name in remaining]

    def _preference(self, name: str) -> tuple[bool, ...]:
        """Return the key by which variables of a class are ordered: the smallest stands for it, anchors, then good states."""
        variable = self.flat.variables[name]
        return (
            name not in self._anchors,
            name not in self._differentiated,
            variable.init is None,
            name not in self._call_inputs,
            variable.start is None,
        )


def vanishes(constant: Expr, parameters: Mapping[str, float]) -> bool:
    """Return whether a sum of numbers and parameters is zero but for rounding errors."""
    size = max((abs(parameters.get(name, 0.0)) for name in names(constant)), default=0.0)
    return abs(constant_value(constant, parameters)) <= 1e-12 * size


def zero_is(constant: Expr, parameters: Mapping[str, float]) -> str:
    """Return the message for equations that together leave nothing but a constant, which is not zero."""
    value = constant_value(constant, parameters)
    return f"0 = {constant}" + (f" = {Const(value)}" if names(constant) else "")


def always_vanishes(constant: Expr, parameters: Mapping[str, float]) -> bool:
    """Return whether an expression that is zero would still be if those parameters that are not 0 had other values."""
    used = {name: parameters[name] for name in sorted(names(constant))}
    if not any(used.values()):
        return True
    return vanishes(constant, {name: value and 1.0 + math.sqrt(2.0 + k) for k, (name, value) in enumerate(used.items())})
