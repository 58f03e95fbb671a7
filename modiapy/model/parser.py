"""Reading expressions and equations: Python's expression syntax, and ``=`` between two sides."""

from __future__ import annotations

import ast
import functools

from .errors import ModelError, nearest
from .expression import CONSTANTS, FUNCTIONS, SPECIAL, Const, Equation, Expr, Name, apply, neg

_BINARY: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


def parse(text: str, path: str = "") -> Expr:
    """Read an expression.

    Args:
        text: Python syntax: ``a + b*sin(c)``, ``x if t > 1 else y``, ``gear.ratio``, ``p[0]``.
        path: path of the model where it stands, for error messages.

    Raises:
        ModelError: syntax the language does not have, an unknown function, a wrong number of arguments.
    """
    return _convert(_tree(text, path), text, path)


def parse_equation(text: str, path: str = "") -> Equation:
    """Read ``lhs = rhs``. Raises ModelError if it is not one equation."""
    sides = _split_equation(text)
    if len(sides) != 2 or not all(s.strip() for s in sides):
        raise ModelError(f"'{text}' is not an equation", path=path, expected="two expressions with one '=' between them")
    return Equation(parse(sides[0], path), parse(sides[1], path), path, text)


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
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ModelError(f"'{text}' cannot be read as an expression", path=path, found=str(error)) from None


def _convert(node: ast.expr, text: str, path: str) -> Expr:
    def convert(child: ast.expr) -> Expr:
        return _convert(child, text, path)

    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return Const(float(value))
        case ast.Name(id=name):
            return Const(CONSTANTS[name]) if name in ("True", "False") else Name(name)
        case ast.Attribute() | ast.Subscript():
            return Name(_dotted(node, text, path))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return apply(_BINARY[type(op)], convert(left), convert(right))
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
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            count = SPECIAL.get(name, FUNCTIONS.get(name, (None,))[0])
            if count is None:
                raise ModelError(
                    f"unknown function '{name}' in '{text}'", path=path, remedy=nearest(name, [*FUNCTIONS, *SPECIAL])
                )
            if len(args) != count:
                raise ModelError(f"'{name}' in '{text}'", path=path, found=f"{len(args)} arguments", expected=str(count))
            return apply(name, *map(convert, args))
    raise ModelError(
        f"'{ast.unparse(node)}' in '{text}' is not part of the expression language",
        path=path,
        expected="numbers, names, + - * / **, comparisons, and/or/not, 'a if c else b' and calls of known functions",
    )


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
