"""Expressions: constructors that simplify, replacement, evaluation; all of `tree` can be imported from here.

The constructors `add`, `mul`, ... fold constants and drop neutral elements, so that derivatives stay short.
The text of an expression is what a user would write; `modiapy.model.parser` reads it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .entry import Kind
from .language import LANGUAGE, PART, SUBSCRIPT, entry_of, names_of
from .tree import (
    ONE,
    TIME,
    ZERO,
    Apply,
    Const,
    Equation,
    EquationFunction,
    Expr,
    Name,
    Operator,
    Text,
    index_of,
    names,
    postorder,
    shown_names,
    tree_size,
    walk,
)

__all__ = [
    "ONE",
    "TIME",
    "ZERO",
    "Apply",
    "Const",
    "Equation",
    "EquationFunction",
    "Expr",
    "Name",
    "Operator",
    "Text",
    "index_of",
    "names",
    "postorder",
    "shown_names",
    "tree_size",
    "walk",
]
"""Names of `tree` that are imported from here."""

RELATIONS = frozenset(names_of(Kind.RELATION))
FUNCTIONS = names_of(Kind.FUNCTION)
INTERPRETED = frozenset(name for name, entry in LANGUAGE.items() if entry.value is not None or entry.kind is Kind.CHOICE)
"""Operators and functions that `evaluate` knows."""

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "True": 1.0, "False": 0.0}


# -- constructors that simplify -----------------------------------------------------------------------------------------


def add(a: Expr, b: Expr) -> Expr:
    """Return a + b"""
    if type(a) is Const:
        if a.value == 0.0:
            return b
        if type(b) is Const:
            return Const(a.value + b.value)
    elif type(b) is Const and b.value == 0.0:
        return a
    if type(b) is Apply and b.op == "neg":
        return sub(a, b.args[0])
    return Apply("+", (a, b))


def sub(a: Expr, b: Expr) -> Expr:
    """Return a - b"""
    if type(b) is Const:
        if b.value == 0.0:
            return a
        if type(a) is Const:
            return Const(a.value - b.value)
    elif type(a) is Const and a.value == 0.0:
        return neg(b)
    if type(b) is Apply and b.op == "neg":
        return add(a, b.args[0])
    return ZERO if a == b else Apply("-", (a, b))


def neg(a: Expr) -> Expr:
    """Return the negated expression -a."""
    if type(a) is Const:
        return Const(-a.value)
    if type(a) is Apply:
        if a.op == "neg":
            return a.args[0]
        if a.op == "-":
            return sub(a.args[1], a.args[0])
    return Apply("neg", (a,))


def mul(a: Expr, b: Expr) -> Expr:
    """Return a * b"""
    for x, y in ((a, b), (b, a)):
        if type(x) is Const:
            if x.value == 0.0:
                return Const(math.nan) if type(y) is Const and not math.isfinite(y.value) else ZERO
            if x.value == 1.0:
                return y
            if x.value == -1.0:
                return neg(y)
            if type(y) is Const:
                return Const(x.value * y.value)
    if type(a) is Apply and a.op == "neg":
        return neg(mul(a.args[0], b))
    if type(b) is Apply and b.op == "neg":
        return neg(mul(a, b.args[0]))
    return Apply("*", (a, b))


def div(a: Expr, b: Expr) -> Expr:
    """Return a / b"""
    if type(b) is Const:
        if b.value == 1.0:
            return a
        if b.value == -1.0:
            return neg(a)
        if type(a) is Const and b.value != 0.0:
            return Const(a.value / b.value)
    if type(a) is Const and a.value == 0.0 and b != ZERO:
        return ZERO
    if type(a) is Apply and a.op == "neg":
        return neg(div(a.args[0], b))
    if type(b) is Apply and b.op == "neg":
        return neg(div(a, b.args[0]))
    return Apply("/", (a, b))


def power(a: Expr, b: Expr) -> Expr:
    """Return a ** b"""
    if type(b) is Const:
        if b.value == 0.0:
            return ONE
        if b.value == 1.0:
            return a
        if type(a) is Const:
            try:
                return Const(math.pow(a.value, b.value))
            except (ValueError, OverflowError):
                pass  # no number: the evaluation says so, with the equation
    return Apply("**", (a, b))


SIMPLIFYING: dict[str, Callable[..., Expr]] = {"+": add, "-": sub, "*": mul, "/": div, "**": power, "neg": neg}


_FOLDED = frozenset((*FUNCTIONS, "noEvent"))
"""What has a value where all operands are numbers, whatever the equation that it stands in."""


def apply(op: str, *args: Expr) -> Expr:
    """Return ``op`` applied to ``args``, simplified where that is exact."""
    simplify = SIMPLIFYING.get(op)
    if simplify is not None:
        return simplify(*args)
    if op == "if" and type(args[0]) is Const:
        return args[1] if args[0].value else args[2]
    if op in ("and", "or", "not") and any(type(a) is Const for a in args):
        return _apply_logic(op, args)
    if op == "if" and args[1] == args[2] == ZERO:
        return ZERO
    if is_array_operator(op):
        return _apply_to_array(op, args)
    if op in _FOLDED and all(type(a) is Const for a in args):
        try:
            return Const(_value(op, [a.value for a in args if type(a) is Const]))
        except (ValueError, OverflowError):
            pass
    return Apply(op, args)


def is_array_operator(op: str) -> bool:
    """Return whether an operator works on whole arrays (not element by element): one of kind `ARRAY`, a user's function of
    arrays.
    """
    return op.of_arrays if type(op) is Operator else entry_of(op).kind is Kind.ARRAY


def _apply_to_array(op: str, args: tuple[Expr, ...]) -> Expr:
    """Return an operator on arrays applied; the number 0 stands for an array of zeros of any shape."""
    entry = entry_of(op)
    if type(op) is Operator or entry is PART or entry.collects:
        return Apply(op, args)
    if ZERO in args:
        return ZERO
    return args[0] if entry is SUBSCRIPT and type(args[0]) is Const else Apply(op, args)


def _apply_logic(op: str, args: tuple[Expr, ...]) -> Expr:
    """Return the logic with a constant among its operands."""
    constants = [bool(a.value) for a in args if type(a) is Const]
    others = [a for a in args if type(a) is not Const]
    if op == "not":
        return Const(not constants[0])
    if (op == "or") in constants or not others:
        return Const((op == "or") in constants if op == "or" else False not in constants)
    other = others[0]
    boolean = type(other) is Apply and (other.op in RELATIONS or other.op in ("and", "or", "not", "positive"))
    return other if boolean else Apply(op, args)


def der(a: Expr) -> Expr:
    """Return the application ``der(a)``; `differentiate_time` is what expands it."""
    return Apply("der", (a,))


# -- replacing and evaluating -------------------------------------------------------------------------------------------


Rewritten = dict[int, tuple[Expr, Expr]]
"""By identity: an operation (kept alive, so that nothing else gets its identity) and what stands for it."""


def rewrite(expr: Expr, change: Callable[[Expr], Expr | None], done: Rewritten | None = None) -> Expr:
    """Rebuild ``expr`` top down: what ``change`` returns stands for a node; where that is None, its children are visited.

    An operation that several others share is visited once, and its result shared; ``done`` has what was visited before.
    """
    done = {} if done is None else done
    above: list[tuple[Apply, list[Expr]]] = []
    node = expr
    while True:
        new = done[id(node)][1] if id(node) in done else change(node)
        if new is None and type(node) is Apply and node.args:
            above.append((node, []))
            node = node.args[0]
            continue
        if new is None:
            new = node
        if type(node) is Apply:
            done[id(node)] = (node, new)
        while above:
            parent, args = above[-1]
            args.append(new)
            if len(args) < len(parent.args):
                node = parent.args[len(args)]
                break
            above.pop()
            same = all(a is old for a, old in zip(args, parent.args, strict=True))
            new = parent if same else apply(parent.op, *args)
            done[id(parent)] = (parent, new)
        else:
            return new


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """Replace names by expressions."""
    return rewrite(expr, lambda node: values.get(node.name) if type(node) is Name else None)


def evaluate(expr: Expr, values: Mapping[str, float]) -> float:
    """Return the value of an expression; relations and logic give 1.0 or 0.0. Only what counts is evaluated: one branch of
    ``if``, and the second operand of ``and`` and ``or`` where the first one decides nothing.

    Raises:
        KeyError: a name is not in ``values``, an operator has no value.
        ValueError, ZeroDivisionError, OverflowError: as Python's arithmetic raises them.
    """
    return evaluated(expr, values, _needed, _evaluate)


def evaluated(
    expr: Expr,
    values: Mapping[str, Any],
    needed: Callable[[Apply, Mapping[int, Any]], Sequence[Expr]],
    value: Callable[[Apply, Mapping[int, Any]], Any],
) -> Any:
    """Return the value of an expression whose operations are evaluated by others; what they share is evaluated once.

    Args:
        expr: what is evaluated.
        values: those of the names.
        needed: the operands that count, as far as the values known by then say that: by identity of the operand.
        value: of an operation, from the values of its operands, by identity, too.
    """
    done: dict[int, Any] = {}
    stack = [expr]
    while stack:
        node = stack[-1]
        if id(node) not in done:
            if type(node) is Const:
                done[id(node)] = node.value
            elif type(node) is Name:
                done[id(node)] = values[node.name]
            else:
                assert type(node) is Apply
                if (missing := next((a for a in needed(node, done) if id(a) not in done), None)) is not None:
                    stack.append(missing)
                    continue
                done[id(node)] = value(node, done)
        stack.pop()
    return done[id(expr)]


def _needed(node: Apply, done: Mapping[int, float]) -> tuple[Expr, ...]:
    """Return the operands that count, as far as those known say that: of a choice and of logic the first one may decide."""
    args = node.args
    if node.op not in ("if", "and", "or"):
        return args
    first = done.get(id(args[0]))
    if first is None:
        return args[:1]
    if node.op == "if":
        return args[1:2] if first else args[2:]
    return args if bool(first) == (node.op == "and") else args[:1] * 2


def _evaluate(node: Apply, done: Mapping[int, float]) -> float:
    """Return the value of an operation from the values of its operands."""
    op, args = node.op, [done[id(a)] for a in _needed(node, done)]
    if op == "if":
        return args[0]
    return float(op.function.evaluate(args)[op.result]) if type(op) is Operator else _value(op, args)


def _value(op: str, args: Sequence[float]) -> float:
    value = entry_of(op).value
    if value is None:
        raise KeyError(op)
    return float(value(*args))


def sum_of(terms: Iterable[Expr]) -> Expr:
    """Sum of all terms (0 if there are none)."""
    total: Expr = ZERO
    for term in terms:
        total = add(total, term)
    return total
