"""Reading expressions and equations: Python's expression syntax, and ``=`` between two sides."""

from __future__ import annotations

import ast
import functools
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .entry import Entry, Kind
from .errors import ModelError, nearest
from .expression import CONSTANTS, SIMPLIFYING, ZERO, Apply, Const, Equation, Expr, Name, Text, apply, neg, substitute, walk
from .foreign_syntax import remedy_for
from .language import CALLED, LANGUAGE

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.MatMult: "@",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


_INFINITE = Name("inf")

SHOWN = 300
"""So many characters of a text that cannot be read are shown."""


def parse(text: str, path: str = "") -> Expr:
    """Read an expression.

    A call ``f(a, b)`` of a function that the language does not have becomes ``Apply("call", (Name("f"), a, b))``: the
    function is looked up in the model where the expression stands.

    Args:
        text: Python syntax: ``a + b*sin(c)``, ``x if t > 1 else y``, ``gear.ratio``, ``p[0]``.
        path: path of the model where it stands, for error messages.

    Raises:
        ModelError: syntax the language does not have, an unknown function, a wrong number of arguments.
    """
    return _whole(_tree(text, path), text, path)


def parse_equation(text: str, path: str = "") -> Equation:
    """Read ``lhs = rhs``.

    Args:
        text: the equation.
        path: of the model where it stands, for messages.

    Raises:
        ModelError: it is not one equation.
    """
    sides = _split_equation(text)
    if len(sides) != 2 or not all(s.strip() for s in sides):
        raise ModelError(
            f"'{text}' is not an equation",
            path=path,
            expected="two expressions with one '=' between them",
            remedy=remedy_for(text),
        )
    return Equation(_left_side(sides[0], path), parse(sides[1], path), path, text)


def _left_side(text: str, path: str) -> Expr:
    """Return an expression, or ``(a, b)``, the results of a function, as ``Apply("results", ...)``; ``_`` is a result nobody
    wants.
    """
    node = _tree(text, path)
    if isinstance(node, ast.Tuple):
        return Apply("results", tuple(_whole(item, text, path) for item in node.elts))
    return _whole(node, text, path)


STATEMENTS = {"connect": None, "Connections.root": 1, "Connections.potential_root": 1, "Connections.branch": 2}
"""What stands among equations and is none: name -> number of paths (None: any)."""


def parse_statement(text: str, path: str = "") -> tuple[str, tuple[str, ...], Expr] | None:
    """Name, paths and priority of ``connect(a.p, b.p)``, ``Connections.potential_root(a.R, 2)``, ...; None for an equation.

    Raises:
        ModelError: an argument is not a path, an unknown statement, a wrong number of arguments.
    """
    if not text.lstrip().startswith(("connect", "Connections.")) or len(_split_equation(text)) != 1:
        return None
    tree = _tree(text, path)
    if not isinstance(tree, ast.Call) or tree.keywords:
        return None
    name, args = _dotted(tree.func, text, path), tree.args
    priority: Expr = Const(0.0)
    if name not in STATEMENTS:
        raise ModelError(f"unknown statement '{name}'", path=path, found=f"'{text}'", remedy=nearest(name, STATEMENTS))
    if name == "Connections.potential_root" and len(args) == 2:
        args, priority = args[:1], _convert(args[1], text, path)
    count = STATEMENTS[name]
    if count is not None and len(args) != count:
        raise ModelError(
            f"'{text}' has the wrong number of arguments", path=path, found=f"{len(args)} arguments", expected=str(count)
        )
    return name, tuple(_dotted(arg, text, path) for arg in args), priority


def _split_equation(text: str) -> list[str]:
    sides, start = [], 0
    for i, c in enumerate(text):
        if c == "=" and text[i + 1 : i + 2] != "=" and (i == 0 or text[i - 1] not in "=<>!"):
            sides.append(text[start:i])
            start = i + 1
    return [*sides, text[start:]]


def _tree(text: str, path: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # the last one of too many brackets or signs
        found = error.msg if isinstance(error, SyntaxError) else str(error) or "too many brackets or signs"
        shown = text.strip() if len(text) <= SHOWN else f"{text.strip()[:SHOWN]}..."
        what = f"'{shown}' cannot be read as an expression"
        raise ModelError(what, path=path, found=found, remedy=remedy_for(text[:SHOWN])) from None


def _whole(node: ast.expr, text: str, path: str) -> Expr:
    """Return `_convert` for all of a text."""
    try:
        return _convert(node, text, path)
    except RecursionError:
        raise ModelError(f"'{text.strip()[:SHOWN]}...' is nested too deeply", path=path, remedy="Divide it.") from None


def _convert(node: ast.expr, text: str, path: str) -> Expr:
    def convert(child: ast.expr) -> Expr:
        return _convert(child, text, path)

    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return Const(float(value) if value <= sys.float_info.max else math.inf)
        case ast.Constant(value=str() as value):
            return Text(value)
        case ast.Name(id=name):
            return Const(CONSTANTS[name]) if name in ("True", "False") else Name(name)
        case ast.Subscript(value=value, slice=index) if _is_computed(index):
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            return Apply("element", (convert(value), *map(convert, items)))
        case ast.Subscript(value=value, slice=index) if not _is_element(node):
            return apply(_subscript(index, text, path), convert(value))
        case ast.List(elts=[_, *_] as items):
            return apply("array", *map(convert, items))
        case ast.Attribute() | ast.Subscript():
            return Name(_dotted(node, text, path))
        case ast.BinOp(op=op) if type(op) in _BINARY:
            return _convert_operators(node, text, path)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return neg(convert(operand))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return convert(operand)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return apply("not", convert(operand))
        case ast.BoolOp(op=op, values=values):
            return functools.reduce(lambda a, b: apply("and" if isinstance(op, ast.And) else "or", a, b), map(convert, values))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return apply(_COMPARE[type(op)], convert(left), convert(right))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return apply("if", convert(test), convert(body), convert(orelse))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in CALLED:
            return _called(LANGUAGE[name], list(map(convert, args)), text, path)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return Apply("call", (Name(name), *map(convert, args)))
        case ast.Call(func=ast.Attribute() as function, args=args, keywords=[]):
            return Apply("call", (Name(_dotted(function, text, path)), *map(convert, args)))
    raise ModelError(
        f"'{ast.unparse(node)}' in '{text}' is not part of the expression language",
        path=path,
        expected="numbers, names, + - * / **, comparisons, and/or/not, 'a if c else b' and calls of known functions",
        remedy=remedy_for(text),
    )


@functools.cache
def rule(text: str, operands: tuple[str, ...]) -> Callable[..., Expr]:
    """Return a rule of the language, such as ``"cos(x)*dx"`` with the operands ``("x", "dx")``, as a function on
    expressions.
    """
    return built(parse(text), operands)


@functools.cache
def _divisors(text: str) -> frozenset[str]:
    """Return the operands by which a rule divides. They are looked up before it is simplified: a product with 0 forgets a
    quotient.
    """
    quotients = (node for node in walk(parse(text)) if type(node) is Apply and node.op == "/")
    return frozenset(node.args[1].name for node in quotients if type(node.args[1]) is Name)


def _called(entry: Entry, args: list[Expr], text: str, path: str) -> Expr:
    """Return a call of a function of the language. Raises ModelError."""
    name = entry.name
    if not entry.accepts(len(args)):
        raise ModelError(
            f"'{name}' in '{text}' has the wrong number of arguments",
            path=path,
            found=f"{len(args)} arguments",
            expected=entry.expected,
            remedy=entry.remedy,
        )
    if entry.expansion:
        if any(args[entry.names.index(divisor)] == ZERO for divisor in _divisors(entry.expansion)):
            raise ModelError(f"'{Apply(name, tuple(args))}' in '{text}' has no value", path=path, found="a division by zero")
        return rule(entry.expansion, entry.names)(*args)
    if len(args) > len(entry.names) > 1:
        return functools.reduce(lambda a, b: _applied(name, [a, b], text, path), args)
    return _applied(name, args, text, path)


def _convert_operators(node: ast.expr, text: str, path: str) -> Expr:
    """Return a chain of operators, without recursion on its left side: sums may be long."""
    chain = []
    while isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        chain.append(node)
        node = node.left
    result = _convert(node, text, path)
    for operator in reversed(chain):
        result = _applied(_BINARY[type(operator.op)], [result, _convert(operator.right, text, path)], text, path)
    return result


def _of_numbers(entry: Entry) -> bool:
    """Return whether numbers alone give a value, where there is one, whatever equation they stand in."""
    return entry.value is not None and entry.kind is not Kind.EQUATION


def _applied(op: str, args: list[Expr], text: str, path: str) -> Expr:
    """Return the operator or function applied; refused where it has no value whatever the variables are. Raises ModelError."""
    result = apply(op, *args)
    numbers = [a.value for a in args if type(a) is Const]
    infinite = [a for a in args if a == _INFINITE or (type(a) is Const and math.isinf(a.value))]
    if op == "/" and args[1] == ZERO:
        found = "a division by zero"
    elif type(result) is Const and not math.isfinite(result.value) and all(map(math.isfinite, numbers)):
        found = "a number that is too large"
    elif infinite and ((op == "*" and ZERO in args) or (op in ("-", "/") and len(infinite) == 2)):
        found = "infinite numbers of which there is no such value"
    elif type(result) is Apply and result.op == op and len(numbers) == len(args) > 0 and _of_numbers(LANGUAGE[op]):
        found = "numbers for which it is not defined, or a value that is too large"
    else:
        return result
    raise ModelError(f"'{Apply(op, tuple(args))}' in '{text}' has no value", path=path, found=found)


def _is_element(node: ast.Subscript) -> bool:
    """Return whether it is a name with constant indices such as ``a.b[0,1]``."""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    value = node.value
    named = isinstance(value, ast.Name | ast.Attribute) or (isinstance(value, ast.Subscript) and _is_element(value))
    return named and all(isinstance(i, ast.Constant) and type(i.value) is int for i in items)


def _is_computed(index: ast.expr) -> bool:
    """Return whether indices are expressions such as ``i + 1``, to be known when the model is flattened."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(n, ast.Name) for i in items for n in ast.walk(i)) and not any(isinstance(i, ast.Slice) for i in items)


def _subscript(index: ast.expr, text: str, path: str) -> str:
    """Return the indices and slices of constants, as the operator ``[...]``."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    parts = [p for i in items for p in ((i.lower, i.upper, i.step) if isinstance(i, ast.Slice) else (i,)) if p is not None]
    for part in parts:
        number = part.operand if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) else part
        if not (isinstance(number, ast.Constant) and type(number.value) is int):
            raise ModelError(
                f"'{ast.unparse(part)}' in '{text}' cannot be an index", path=path, expected="an integer or a slice of integers"
            )
    return f"[{','.join(ast.unparse(i) for i in items)}]"


def _dotted(node: ast.expr, text: str, path: str) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{_dotted(value, text, path)}.{attr}"
        case ast.Subscript(value=value, slice=index):
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            if all(isinstance(i, ast.Constant) and type(i.value) is int for i in items):
                return f"{_dotted(value, text, path)}[{','.join(ast.unparse(i) for i in items)}]"
    raise ModelError(f"'{ast.unparse(node)}' in '{text}' is not a name", path=path, expected="a path such as 'a.b' or 'p[0]'")


def built(rule: Expr, operands: Sequence[str]) -> Callable[..., Expr]:
    """Return a function that puts expressions in place of the ``operands`` of a rule, by the constructors that simplify."""
    rule = substitute(rule, {name: Const(value) for name, value in CONSTANTS.items()})
    known: dict[str, Any] = {f"_{function.__name__}": function for function in SIMPLIFYING.values()}
    known["_apply"] = apply

    def code(node: Expr) -> str:
        if type(node) is Const:
            known[label := f"_{len(known)}"] = node
            return label
        if type(node) is Name:
            return node.name
        assert type(node) is Apply
        args = ", ".join(map(code, node.args))
        simplify = SIMPLIFYING.get(node.op)
        return f"_apply({node.op!r}, {args})" if simplify is None else f"_{simplify.__name__}({args})"

    function: Callable[..., Expr] = eval(f"lambda {', '.join(operands)}: {code(rule)}", known)
    return function
