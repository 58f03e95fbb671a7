"""The expression tree of the equations: small, immutable and hashed.

An expression is a `Const`, a `Name` (a variable, a parameter or ``time``, by its path) or an `Apply` (operator or function of
arguments). The constructors `add`, `mul`, ... fold constants and drop neutral elements, so that derivatives stay short;
`text_of` writes what a user would write; `modiapy.model.parser` reads it.

Operators of `Apply`: ``+ - * / ** neg``, ``< <= > >= == !=``, ``and or not``, ``if`` (condition, then, else), ``der`` (time
derivative), ``pre``, ``initial``, ``positive``, ``after``, ``reinit`` and the functions of `FUNCTIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from .operators import EquationFunction as EquationFunction
from .operators import Operator as Operator

FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "sin": (1, math.sin),
    "cos": (1, math.cos),
    "tan": (1, math.tan),
    "asin": (1, math.asin),
    "acos": (1, math.acos),
    "atan": (1, math.atan),
    "atan2": (2, math.atan2),
    "sinh": (1, math.sinh),
    "cosh": (1, math.cosh),
    "tanh": (1, math.tanh),
    "exp": (1, math.exp),
    "log": (1, math.log),
    "log10": (1, math.log10),
    "sqrt": (1, math.sqrt),
    "abs": (1, abs),
    "sign": (1, lambda x: float((x > 0) - (x < 0))),
    "floor": (1, math.floor),
    "min": (2, min),
    "max": (2, max),
}
"""Functions of the language: name -> (number of arguments, Python implementation)."""

SPECIAL = {"der": 1, "pre": 1, "initial": 0, "positive": 1, "after": 1, "noEvent": 1}
SPECIAL |= {
    "edge": 1,
    "change": 1,
    "terminal": 0,
    "sample": 2,
    "smooth": 2,
    "reinit": 2,
    "hold": 1,
    "previous": 1,
    "terminate": 1,
}
"""Functions with a meaning of their own in equations: name -> number of arguments."""

ARRAY_FUNCTIONS = {"transpose": 1, "sum": 1, "cross": 2, "dot": 2, "concat": None}
"""Functions of arrays: name -> number of arguments (None: any); ``dot(a, b)`` is read as ``a @ b``."""

RELATIONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "True": 1.0, "False": 0.0}


class Expr:
    """Base of `Const`, `Name` and `Apply`. Immutable, hashable; ``==`` compares structure."""

    __slots__ = ()

    def __str__(self) -> str:
        size = tree_size(self)
        return text_of(self) if size <= LARGEST_TEXT else f"<{float(size):.3g} operations>"

    __repr__ = __str__


class Const(Expr):
    """A number."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = float(value)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Const and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)


class Name(Expr):
    """A reference by path, e.g. ``gear.flange_a.tau``, ``time``; after index reduction also ``der(rev.w)``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Name and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)


class Text(Expr):
    """A string such as ``"PI"``, to be compared with a parameter; it never gets beyond flattening."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Text and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)


class Apply(Expr):
    """Operator or function ``op`` applied to ``args``."""

    __slots__ = ("_hash", "args", "op")

    def __init__(self, op: str, args: tuple[Expr, ...]) -> None:
        self.op = op
        self.args = args
        self._hash = hash((op, args))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Apply or self._hash != other._hash:
            return False
        pairs: list[tuple[Expr, Expr]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pairs:
            a, b = pairs.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            if type(a) is not Apply or type(b) is not Apply:
                if a != b:
                    return False
            elif a._hash != b._hash or a.op != b.op or len(a.args) != len(b.args):
                return False
            else:
                seen.add((id(a), id(b)))
                pairs.extend(zip(a.args, b.args, strict=True))
        return True

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Equation:
    """``lhs = rhs``, with the path of the model it belongs to and the text the user wrote."""

    lhs: Expr
    rhs: Expr
    path: str = ""
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"{self.lhs} = {self.rhs}"


ZERO, ONE = Const(0.0), Const(1.0)
TIME = Name("time")


# -- constructors that simplify -----------------------------------------------------------------------------------------


def add(a: Expr, b: Expr) -> Expr:
    """a + b"""
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
    """a - b"""
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
    """-a"""
    if type(a) is Const:
        return Const(-a.value)
    if type(a) is Apply:
        if a.op == "neg":
            return a.args[0]
        if a.op == "-":
            return Apply("-", (a.args[1], a.args[0]))
    return Apply("neg", (a,))


def mul(a: Expr, b: Expr) -> Expr:
    """a * b"""
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
    """a / b"""
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
    """a ** b"""
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


_SIMPLIFYING: dict[str, Callable[..., Expr]] = {"+": add, "-": sub, "*": mul, "/": div, "**": power, "neg": neg}


def apply(op: str, *args: Expr) -> Expr:
    """``op`` applied to ``args``, simplified where that is exact."""
    simplify = _SIMPLIFYING.get(op)
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
    if op in FUNCTIONS and all(type(a) is Const for a in args):
        try:
            return Const(FUNCTIONS[op][1](*(a.value for a in args if type(a) is Const)))
        except (ValueError, OverflowError):
            pass
    return Apply(op, args)


def is_array_operator(op: str) -> bool:
    """Whether an operator works on whole arrays (not element by element).

    These are ``@``, ``transpose``, ``sum``, ``cross``, ``concat``, ``array`` (a literal ``[a, b]``), subscripts such as ``[0]``
    or ``[1:,2]``, and, made by the compiler, ``fill NAME`` (a scalar as an array of the shape known as NAME, see
    `FlatModel.shapes`) and ``part NAME`` (an array of that shape as an argument of ``concat`` or of a user's function); and
    users' functions of arrays.
    """
    if type(op) is Operator:
        return op.of_arrays
    return op in ("@", "array", "transpose", "sum", "cross", "concat") or op.startswith(("[", "fill ", "part "))


def _apply_to_array(op: str, args: tuple[Expr, ...]) -> Expr:
    """The number 0 stands for an array of zeros of any shape."""
    if type(op) is Operator:
        return Apply(op, args)
    if ZERO in args and op not in ("array", "concat") and not op.startswith("part "):
        return ZERO
    return args[0] if op.startswith("[") and type(args[0]) is Const else Apply(op, args)


def _apply_logic(op: str, args: tuple[Expr, ...]) -> Expr:
    """Logic with a constant among its operands."""
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
    """The application ``der(a)``; `differentiate_time` is what expands it."""
    return Apply("der", (a,))


# -- walking ------------------------------------------------------------------------------------------------------------


def walk(expr: Expr) -> Iterator[Expr]:
    """All distinct nodes of an expression (a shared operation once), the whole first."""
    stack, seen = [expr], set[int]()
    while stack:
        node = stack.pop()
        if type(node) is Apply:
            if id(node) in seen:
                continue
            seen.add(id(node))
            stack.extend(node.args)
        yield node


def postorder(expr: Expr, last_first: bool = False) -> list[Expr]:
    """All distinct nodes of an expression (a shared node once), children before their parents, in their order or backwards."""
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(expr, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if type(node) is Apply:
                stack.extend((a, False) for a in (node.args if last_first else reversed(node.args)))
    return order


def tree_size(expr: Expr) -> int:
    """Operations of the expression written out, those that share an operand counted as often as they occur."""
    if type(expr) is not Apply:
        return 0
    size: dict[int, int] = {}
    for node in postorder(expr):
        size[id(node)] = 1 + sum(size[id(a)] for a in node.args) if type(node) is Apply else 0
    return size[id(expr)]


def names(expr: Expr) -> set[str]:
    """Names of everything that the expression refers to, ``time`` included."""
    return {node.name for node in walk(expr) if type(node) is Name}


def shown_names(expr: Expr) -> set[str]:
    """`names` without the hidden arguments of functions of a model (handles of tables)."""
    shown, seen = set[str](), set[int]()
    stack = [expr]
    while stack:
        node = stack.pop()
        if type(node) is Name:
            shown.add(node.name)
        elif type(node) is Apply and id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.args[node.op.function.hidden :] if type(node.op) is Operator else node.args)
    return shown


Rewritten = dict[int, tuple[Expr, Expr]]
"""By identity: an operation (kept alive, so that nothing else gets its identity) and what stands for it."""


def rewrite(expr: Expr, change: Callable[[Expr], Expr | None], done: Rewritten | None = None) -> Expr:
    """Rebuild ``expr`` top down: what ``change`` returns stands for a node; where that is None, its children are visited.

    An operation that several others share is visited once, and its result shared; ``done`` has what was visited before.
    """
    done = {} if done is None else done
    node, spine = expr, list[Apply]()
    while True:
        new = done[id(node)][1] if id(node) in done else change(node)
        if new is not None:
            break
        if type(node) is not Apply or not node.args:
            new = node
            break
        spine.append(node)
        node = node.args[0]
    if type(node) is Apply:
        done[id(node)] = (node, new)
    for parent in reversed(spine):
        args = (new, *[rewrite(a, change, done) for a in parent.args[1:]])
        same = all(a is old for a, old in zip(args, parent.args, strict=True))
        new = parent if same else apply(parent.op, *args)
        done[id(parent)] = (parent, new)
    return new


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """Replace names by expressions."""
    return rewrite(expr, lambda node: values.get(node.name) if type(node) is Name else None)


# -- calculus -----------------------------------------------------------------------------------------------------------


def spine_of(expr: Apply, done: Container[int] = ()) -> tuple[Expr, list[Apply]]:
    """First term of a sum, and the nested sums and differences around it, innermost first; no recursion for long sums.

    The first term may be a sum that is ``done``, by identity.
    """
    node: Expr = expr
    spine = []
    while type(node) is Apply and node.op in ("+", "-") and id(node) not in done:
        spine.append(node)
        node = node.args[0]
    return node, spine[::-1]


def evaluate(expr: Expr, values: Mapping[str, float], done: dict[int, float] | None = None) -> float:
    """Value of an expression; relations and logic give 1.0 or 0.0. ``done``: operations that were evaluated, by identity.

    Raises:
        KeyError: a name is not in ``values``.
        ValueError, ZeroDivisionError, OverflowError: as Python's arithmetic raises them.
    """
    if type(expr) is Const:
        return expr.value
    if type(expr) is Name:
        return values[expr.name]
    assert type(expr) is Apply
    done = {} if done is None else done
    if id(expr) not in done:
        done[id(expr)] = _evaluate(expr, values, done)
    return done[id(expr)]


def _evaluate(expr: Apply, values: Mapping[str, float], done: dict[int, float]) -> float:
    op = expr.op
    if op == "if":
        return evaluate(expr.args[1 if evaluate(expr.args[0], values, done) else 2], values, done)
    if op in ("+", "-"):
        first, spine = spine_of(expr, done)
        total = evaluate(first, values, done)
        for node in spine:
            total = done[id(node)] = float(_EVALUATE[node.op](total, evaluate(node.args[1], values, done)))
        return total
    args = [evaluate(a, values, done) for a in expr.args]
    if type(op) is Operator:
        return float(op.function.evaluate(args)[op.result])
    return float(_EVALUATE[op](*args)) if op in _EVALUATE else float(FUNCTIONS[op][1](*args))


_EVALUATE: dict[str, Callable[..., float | bool]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": math.pow,
    "neg": lambda a: -a,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
    "not": lambda a: not a,
    "noEvent": lambda a: a,
}

INTERPRETED = frozenset((*_EVALUATE, "if", *FUNCTIONS))
"""Operators and functions that `evaluate` knows."""


# -- text ---------------------------------------------------------------------------------------------------------------

LARGEST_TEXT = 5000
"""An expression of more operations is not written out."""

_PRECEDENCE = {"if": 0, "or": 1, "and": 2, "not": 3, "+": 5, "-": 5, "*": 6, "/": 6, "@": 6, "neg": 7, "**": 8} | dict.fromkeys(
    RELATIONS, 4
)


def text_of(expr: Expr, outer: int = 0) -> str:
    """The expression as a user would write it."""
    if type(expr) is Const:
        value = expr.value
        text = repr(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)
        return f"({text})" if value < 0 and outer > 5 else text
    if type(expr) is Name:
        return expr.name
    if type(expr) is Text:
        return repr(expr.value)
    assert type(expr) is Apply
    op, args = expr.op, expr.args
    level = _PRECEDENCE.get(op)
    if op.startswith(("fill ", "part ")):
        return text_of(args[0], outer)
    if op.startswith("["):
        return f"{text_of(args[0], 9)}{op}"
    if op == "array":
        return f"[{', '.join(text_of(a) for a in args)}]"
    if op == "element":
        return f"{text_of(args[0], 9)}[{', '.join(text_of(a) for a in args[1:])}]"
    if op == "call":
        return f"{args[0]}({', '.join(text_of(a) for a in args[1:])})"
    if level is None:
        result = f"[{op.result}]" if type(op) is Operator and op.function.outputs > 1 else ""
        args = args[op.function.hidden :] if type(op) is Operator else args
        return f"{op}({', '.join(text_of(a) for a in args)}){result}"
    if op == "if":
        text = f"{text_of(args[1], 1)} if {text_of(args[0], 1)} else {text_of(args[2], 0)}"
    elif op in ("neg", "not"):
        text = f"{'-' if op == 'neg' else 'not '}{text_of(args[0], level)}"
    elif op in ("+", "-"):
        first, spine = spine_of(expr)
        text = text_of(first, level) + "".join(f" {node.op} {text_of(node.args[1], level + 1)}" for node in spine)
    elif op == "**":
        text = f"{text_of(args[0], level + 1)}**{text_of(args[1], level)}"
    else:
        joined = f" {op} " if level < 6 else op
        text = f"{text_of(args[0], level)}{joined}{text_of(args[1], level + 1)}"
    return f"({text})" if level < outer else text


def sum_of(terms: Iterable[Expr]) -> Expr:
    """Sum of all terms (0 if there are none)."""
    total: Expr = ZERO
    for term in terms:
        total = add(total, term)
    return total
