"""Functions with algorithms, as data: what another front end (a reader of Modelica, say) hands over for Python functions.

A `FunctionDefinition` has inputs, results, local variables and statements. `python_function` makes a Python function of it by
way of Python's own syntax tree, never of text, so that nothing but these statements can come out.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FunctionType

from .entry import How, Kind
from .errors import ModelError, nearest
from .expression import Apply, Const, Expr, Name, substitute
from .functions import UserFunction
from .language import entry_of
from .parser import parse


@dataclass(frozen=True)
class Assign:
    """Assignment of a ``value`` to a result or local variable, the ``target``."""

    target: str
    value: Expr


@dataclass(frozen=True)
class IfStatement:
    """Statements under conditions.

    Attributes:
        branches: conditions, each with its statements.
        otherwise: statements that are executed where no condition holds.
    """

    branches: Sequence[tuple[Expr, Sequence[Statement]]]
    otherwise: Sequence[Statement] = ()


@dataclass(frozen=True)
class ForStatement:
    """Statements (``body``) repeated for ``index`` = ``first``, ``first + step``, ... while it is not beyond ``last``.

    The ``step`` is a whole number, not 0.
    """

    index: str
    first: Expr
    last: Expr
    body: Sequence[Statement]
    step: int = 1


@dataclass(frozen=True)
class WhileStatement:
    """Statements (``body``) repeated while a ``condition`` holds."""

    condition: Expr
    body: Sequence[Statement]


@dataclass(frozen=True)
class Break:
    """Ends the innermost repetition."""


@dataclass(frozen=True)
class Return:
    """Ends the function; its results are what they are."""


Statement = Assign | IfStatement | ForStatement | WhileStatement | Break | Return


@dataclass(frozen=True)
class FunctionDefinition:
    """A function with an algorithm.

    Attributes:
        name: of the function.
        inputs, outputs: names; all are numbers.
        body: statements.
        local: names of local variables. Results and local variables are 0 before they are assigned.
        derivative, inverse: see `modiapy.Function`.
    """

    name: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    body: Sequence[Statement]
    local: Sequence[str] = ()
    derivative: FunctionDefinition | None = None
    inverse: dict[str, FunctionDefinition] = field(default_factory=dict)

    def function(self) -> UserFunction:
        """Return the function, ready to be called in equations: its method ``call`` gives expressions.

        Raises:
            ModelError: a name that is not declared, an assignment to an input, an expression that has no meaning here.
        """
        for name in self.inverse:
            if name not in self.inputs:
                raise ModelError(
                    f"the function has no input '{name}' to invert", path=self.name, remedy=nearest(name, self.inputs)
                )
        return UserFunction(
            python_function(self),
            len(self.inputs),
            len(self.outputs),
            self.derivative.function() if self.derivative is not None else None,
            {_safe(name): definition.function() for name, definition in self.inverse.items()},
        )


def python_function(definition: FunctionDefinition) -> FunctionType:
    """Return the Python function that a definition means. Raises ModelError as `FunctionDefinition.function`."""
    writer = _Writer(definition)
    names = [*definition.inputs, *definition.outputs, *definition.local]
    for name in (*names, definition.name):
        if not name.isidentifier() or name in ("math", "True", "False", "None"):
            raise ModelError(f"'{name}' is not a name", path=definition.name)
    if len(set(names)) < len(names) or not definition.outputs:
        raise ModelError("inputs, results and local variables of a function need different names", path=definition.name)
    arguments = ast.arguments([], [ast.arg(_safe(n)) for n in definition.inputs], None, [], [], None, [])
    start: list[ast.stmt] = [writer.assign(n, ast.Constant(0.0)) for n in (*definition.outputs, *definition.local)]
    body = [*start, *writer.block(definition.body), writer.returned()]
    tree = ast.Module([ast.FunctionDef(definition.name, arguments, body, [], None)], [])
    code = compile(ast.fix_missing_locations(tree), f"<function {definition.name}>", "exec")
    inner = next(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    return FunctionType(inner, {"math": math, "__builtins__": {"abs": abs, "range": range, "int": int}}, definition.name)


def _safe(name: str) -> str:
    """Name of a variable in the Python function; no keyword, and none of its own names."""
    return f"v_{name}"


class _Writer:
    def __init__(self, definition: FunctionDefinition) -> None:
        self.definition = definition
        self.assignable = {*definition.outputs, *definition.local}
        self.known = {*definition.inputs, *self.assignable}

    def assign(self, name: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Name(_safe(name), ast.Store())], value)

    def returned(self) -> ast.stmt:
        results: list[ast.expr] = [ast.Name(_safe(n), ast.Load()) for n in self.definition.outputs]
        return ast.Return(results[0] if len(results) == 1 else ast.Tuple(results, ast.Load()))

    def block(self, statements: Sequence[Statement], inside: bool = False) -> list[ast.stmt]:
        return [self.statement(s, inside) for s in statements] or [ast.Pass()]

    def statement(self, statement: Statement, inside: bool) -> ast.stmt:
        if isinstance(statement, Assign):
            if statement.target not in self.assignable:
                raise ModelError(
                    f"'{statement.target}' cannot be assigned",
                    path=self.definition.name,
                    expected=f"one of {', '.join(sorted(self.assignable))}",
                    remedy=nearest(statement.target, self.assignable),
                )
            return self.assign(statement.target, self.number(statement.value))
        if isinstance(statement, IfStatement):
            result = self.block(statement.otherwise, inside) if statement.otherwise else []
            for condition, body in reversed(statement.branches):
                result = [ast.If(self.expression(condition), self.block(body, inside), result)]
            return result[0] if result else ast.Pass()
        if isinstance(statement, ForStatement):
            return self.repetition(statement)
        if isinstance(statement, WhileStatement):
            return ast.While(self.expression(statement.condition), self.block(statement.body, True), [])
        if isinstance(statement, Break) and not inside:
            raise ModelError("'break' stands in no repetition", path=self.definition.name)
        if not isinstance(statement, Break | Return):
            expected = "Assign, IfStatement, ForStatement, WhileStatement, Break or Return"
            raise ModelError("this is not a statement", path=self.definition.name, found=repr(statement), expected=expected)
        return ast.Break() if isinstance(statement, Break) else self.returned()

    def repetition(self, statement: ForStatement) -> ast.stmt:
        if statement.step == 0 or statement.index in self.known:
            reason = "is a variable already" if statement.index in self.known else "never ends: its step is 0"
            raise ModelError(f"the index '{statement.index}' of a repetition {reason}", path=self.definition.name)
        if not isinstance(statement.step, int):
            what = f"the step of the repetition with the index '{statement.index}'"
            raise ModelError(what, path=self.definition.name, found=repr(statement.step), expected="an integer")
        self.known.add(statement.index)
        end = ast.BinOp(self.integer(statement.last), ast.Add(), ast.Constant(1 if statement.step > 0 else -1))
        bounds: list[ast.expr] = [self.integer(statement.first), end, ast.Constant(statement.step)]
        body = self.block(statement.body, True)
        self.known.remove(statement.index)
        return ast.For(ast.Name(_safe(statement.index), ast.Store()), _called("range", *bounds), body, [])

    def integer(self, expr: Expr) -> ast.expr:
        return _called("int", self.number(expr))

    def number(self, expr: Expr) -> ast.expr:
        """Return an expression as a floating point number, also where it is a comparison."""
        return ast.BinOp(ast.Constant(1.0), ast.Mult(), self.expression(expr))

    def expression(self, expr: Expr) -> ast.expr:
        if type(expr) is Const:
            return ast.Constant(expr.value)
        if type(expr) is Name:
            if expr.name not in self.known:
                raise ModelError(
                    f"unknown name '{expr.name}'", path=self.definition.name, remedy=nearest(expr.name, self.known)
                )
            return ast.Name(_safe(expr.name), ast.Load())
        if type(expr) is not Apply:
            raise ModelError(f"'{expr}' has no meaning in a function", path=self.definition.name)
        entry = entry_of(expr.op)
        if entry.code.how is How.EXPRESSION:
            return self.expression(substitute(parse(entry.code.what), dict(zip(entry.names, expr.args, strict=True))))
        if entry.kind is Kind.FUNCTION and entry.value is not None:
            return self._function(entry.value, expr)
        args = [self.expression(a) for a in expr.args]
        if expr.op in _BINARY:
            left, right = (self._operand(a) for a in expr.args)
            return ast.BinOp(left, _BINARY[expr.op](), right)
        if entry.kind is Kind.RELATION:
            return ast.Compare(args[0], [_COMPARE[expr.op]()], [args[1]])
        if expr.op in ("and", "or"):
            return ast.BoolOp(ast.And() if expr.op == "and" else ast.Or(), args)
        if expr.op in ("neg", "not"):
            return ast.UnaryOp(ast.USub() if expr.op == "neg" else ast.Not(), args[0])
        if expr.op == "if":
            return ast.IfExp(args[0], args[1], args[2])
        raise ModelError(f"'{expr}' has no meaning in a function", path=self.definition.name)

    def _operand(self, expr: Expr) -> ast.expr:
        """Return an operand of arithmetic, where a relation is 1.0 or 0.0."""
        is_relation = type(expr) is Apply and entry_of(expr.op).kind is Kind.RELATION
        return self.number(expr) if is_relation else self.expression(expr)

    def _function(self, value: Callable[..., float | bool], expr: Apply) -> ast.expr:
        """Return a call of a function of the module `math`, or of a built-in one."""
        name = ast.Name(value.__name__, ast.Load())
        function = name if value.__module__ == "builtins" else ast.Attribute(ast.Name("math", ast.Load()), name.id, ast.Load())
        return ast.Call(function, [self.expression(a) for a in expr.args], [])


def _called(function: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(function, ast.Load()), list(args), [])


_BINARY: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "**": ast.Pow}
_COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}
