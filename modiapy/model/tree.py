"""The expression tree of the equations: small, immutable and hashed; what stands in it, and its text.

An expression is a `Const`, a `Name` (a variable, a parameter or ``time``, by its path) or an `Apply` (operator or function of
arguments). Operators of the language are text, and `language.entry_of` says what is known of them; a function that a model
brings along (a user's function, a table) is an `Operator`. Before names are resolved there are besides ``element`` (of an
array, by computed indices), ``call`` (of a function of the model) and ``results``.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

from .entry import Entry
from .language import FILL, LANGUAGE, PART, SUBSCRIPT, entry_of

LARGEST_TEXT = 5000
"""An expression of more operations is not written out."""

DEEPEST_TEXT = 100
"""Nor is one that is nested more deeply than this."""

Index = tuple[int | slice, ...]
"""A numpy index of constants."""

_SUM = LANGUAGE["+"].level or 0
_INNERMOST = 9
"""Precedence above that of all operators."""


class Expr:
    """Base of `Const`, `Name` and `Apply`. Immutable, hashable; ``==`` compares structure. A copy is the expression itself."""

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def text(self, outer: int = 0) -> str:
        """Return the expression as a user would write it, within an operator of the precedence ``outer``."""
        raise NotImplementedError

    def __str__(self) -> str:
        size = tree_size(self)
        return self.text() if size <= LARGEST_TEXT and not _is_deep(self) else f"<{size:.3g} operations>"

    __repr__ = __str__


class Const(Expr):
    """Number of an expression, a leaf."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = float(value)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Const and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def text(self, outer: int = 0) -> str:
        value = self.value
        text = repr(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)
        return f"({text})" if value < 0 and outer > _SUM else text


class Name(Expr):
    """A reference by path, e.g. ``gear.flange_a.tau``, ``time``; after index reduction also ``der(rev.w)``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Name and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def text(self, outer: int = 0) -> str:
        return self.name


class Text(Expr):
    """A string such as ``"PI"``, to be compared with a parameter; it never gets beyond flattening."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Text and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def text(self, outer: int = 0) -> str:
        return repr(self.value)


class Apply(Expr):
    """Operator or function ``op`` applied to ``args``."""

    __slots__ = ("_hash", "_size", "args", "op")

    def __init__(self, op: str, args: tuple[Expr, ...]) -> None:
        self.op = op
        self.args = args
        self._hash = hash((op, args))
        self._size = 0.0

    def __reduce__(self) -> tuple[Any, ...]:
        return Apply, (self.op, self.args)  # texts have other hashes in other processes

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

    def text(self, outer: int = 0) -> str:
        op, args, entry = self.op, self.args, entry_of(self.op)
        if entry.level is None:
            return self._call(entry, outer)
        level = entry.level
        if op == "if":
            text = f"{args[1].text(1)} if {args[0].text(1)} else {args[2].text()}"
        elif len(args) == 1:
            text = f"{'-' if op == 'neg' else f'{op} '}{args[0].text(level)}"
        elif level == _SUM:
            first, spine = spine_of(self)
            text = first.text(level) + "".join(f" {node.op} {node.args[1].text(level + 1)}" for node in spine)
        elif op == "**":
            text = f"{args[0].text(level + 1)}**{args[1].text(level)}"
        else:
            text = f"{args[0].text(level)}{entry.joint}{args[1].text(level + 1)}"
        return f"({text})" if level < outer else text

    def _call(self, entry: Entry, outer: int) -> str:
        """Return the text of an operation that is no operator between operands."""
        op, args = self.op, self.args
        if entry is FILL or entry is PART:
            return args[0].text(outer)
        if entry is SUBSCRIPT:
            return f"{args[0].text(_INNERMOST)}{op}"
        if op == "array":
            return f"[{_listed(args)}]"
        if op == "element":
            return f"{args[0].text(_INNERMOST)}[{_listed(args[1:])}]"
        if op == "call":
            return f"{args[0]}({_listed(args[1:])})"
        if type(op) is not Operator:
            return f"{op}({_listed(args)})"
        result = f"[{op.result}]" if op.function.outputs > 1 else ""
        return f"{op}({_listed(args[op.function.hidden :])}){result}"


@dataclass(frozen=True, slots=True)
class Equation:
    """Equation of two expressions.

    Attributes:
        lhs, rhs: both sides.
        path: of the model it belongs to.
        text: as the user wrote it.
    """

    lhs: Expr
    rhs: Expr
    path: str = ""
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"{self.lhs} = {self.rhs}"


def _listed(args: Sequence[Expr]) -> str:
    return ", ".join(a.text() for a in args)


ZERO, ONE = Const(0.0), Const(1.0)
TIME = Name("time")


# -- functions of a model -----------------------------------------------------------------------------------------------


class EquationFunction(Protocol):
    """A function that is not part of the language, but of a model: a user's function, a table."""

    @property
    def symbol(self) -> str:
        """Name of the external symbol if one piece of machine code serves all such functions; "" if each has its own."""

    @property
    def inputs(self) -> int:
        """Number of inputs that a user writes."""

    @property
    def outputs(self) -> int:
        """Number of results of the machine code."""

    @property
    def differentiable(self) -> bool:
        """True if `partial` knows an answer."""

    @property
    def shapes(self) -> Sequence[Any]:
        """Shapes of the results of a function of arrays (see `UserFunction`); () where arguments and results are numbers."""

    @property
    def hidden(self) -> int:
        """Number of arguments of an `Apply` that precede those a user writes."""

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return all results of a call that a user writes; ``name`` is the path of the function in the model."""

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """Return all results; raises ValueError, ZeroDivisionError or OverflowError where there are none."""

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return the partial derivative of the result ``operator.result`` with respect to input k.

        Raises:
            ModelError: it is not known.
        """

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Return the input k such that the (only) result is ``value``, all other inputs as in ``args``; None if that is not
        known.
        """


class Operator(str):
    """Operator of an `Apply` that calls a function of a model; the text is its path in the model.

    Attributes:
        function: what is called.
        result: which of its results is meant.
    """

    __slots__ = ("function", "result")

    function: EquationFunction
    result: int

    def __new__(cls, name: str, function: EquationFunction, result: int = 0) -> Operator:
        self = super().__new__(cls, name)
        self.function, self.result = function, result
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str.__str__(self), self.function, self.result

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        same = type(other) is Operator and self.result == other.result and self.function == other.function
        return same and str.__eq__(self, other) is True  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    @property
    def of_arrays(self) -> bool:
        """True if its arguments and results may be arrays."""
        return bool(self.function.shapes)

    @property
    def symbol(self) -> str:
        """Name of the external symbol of its machine code."""
        return self.function.symbol or f"function.{str.__str__(self)}"


# -- walking ------------------------------------------------------------------------------------------------------------


def walk(*exprs: Expr) -> Iterator[Expr]:
    """Generate all distinct nodes of expressions (a shared operation once), the whole first."""
    stack, seen = list(exprs), set[int]()
    while stack:
        node = stack.pop()
        if type(node) is Apply:
            if id(node) in seen:
                continue
            seen.add(id(node))
            stack.extend(node.args)
        yield node


def postorder(expr: Expr, last_first: bool = False, done: Container[int] = ()) -> list[Expr]:
    """Return all distinct nodes of an expression (a shared node once), children before their parents, in their order or
    backwards.

    What is ``done``, by identity, is left out, with all that is inside.
    """
    order: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(expr, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in seen and id(node) not in done:
            seen.add(id(node))
            stack.append((node, True))
            if type(node) is Apply:
                stack.extend((a, False) for a in (node.args if last_first else reversed(node.args)))
    return order


def tree_size(expr: Expr) -> float:
    """Return the operations of the expression written out, those that share an operand counted as often as they occur."""
    if type(expr) is not Apply:
        return 0.0
    stack = [expr]
    while stack:
        node = stack[-1]
        size = 1.0
        for a in node.args:
            if type(a) is Apply:
                if not a._size:
                    stack.append(a)
                    break
                size += a._size
        else:
            node._size = size
            stack.pop()
    return expr._size


def _is_deep(expr: Expr) -> bool:
    """Return whether an expression is nested too deeply to be written out; a long sum is no nesting."""
    stack = [(expr, 0)]
    while stack:
        node, level = stack.pop()
        if type(node) is Apply:
            if level > DEEPEST_TEXT:
                return True
            flat = node.op in ("+", "-")
            stack += [(a, level if flat and k == 0 else level + 1) for k, a in enumerate(node.args)]
    return False


def names(*exprs: Expr) -> set[str]:
    """Return the names of everything that expressions refer to, ``time`` included."""
    return {node.name for node in walk(*exprs) if type(node) is Name}


def shown_names(expr: Expr) -> set[str]:
    """Return `names` without the hidden arguments of functions of a model (handles of tables)."""
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


def spine_of(expr: Apply) -> tuple[Expr, list[Apply]]:
    """Return the first term of a sum, and the nested sums and differences around it, innermost first; no recursion for long
    sums.
    """
    node: Expr = expr
    spine = []
    while type(node) is Apply and node.op in ("+", "-"):
        spine.append(node)
        node = node.args[0]
    return node, spine[::-1]


# -- indices ------------------------------------------------------------------------------------------------------------


def index_of(op: str) -> Index:
    """Return the numpy index of the operator ``[...]``."""
    return tuple(_item(text.strip()) for text in op[1:-1].split(","))


def _item(text: str) -> int | slice:
    return slice(*(int(p) if p.strip() else None for p in text.split(":"))) if ":" in text else int(text)
