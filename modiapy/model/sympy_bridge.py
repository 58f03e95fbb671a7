"""The bridge between the expressions of the language and those of sympy, which is no part of the translation.

*From sympy.* A symbol is what has its name (``Symbol("gear.phi")``, ``Symbol("x[0]")``, ``Symbol("der(x)")``); ``x(t)`` with
``Symbol("t")`` is the variable ``x`` and its ``Derivative`` by ``t`` is ``der(x)``, as in ``sympy.physics.mechanics``.

*To sympy.* A variable or parameter is a real symbol with its path as name, so are ``time``, ``der(x)`` and elements ``x[0]``
of an array; an array expression is a numpy array of expressions, so that whatever works element by element does here. A truth
value in place of a number is 1 or 0, a number in place of a truth value is compared with 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from .entry import How, Kind
from .errors import ModelError, nearest
from .expression import Apply, Const, Expr, Name, Operator, Text, add, apply, div, index_of, mul, neg, postorder
from .language import CALLED, FILL, LANGUAGE, PART, SUBSCRIPT, entry_of
from .parser import parse

SYMPY_NAMES: Mapping[str, str] = {"abs": "Abs", "ceil": "ceiling", "min": "Min", "max": "Max", "mod": "Mod"}
"""Functions of the language that have another name in sympy."""

FUNCTIONS = {
    SYMPY_NAMES.get(name, name): name
    for name, entry in LANGUAGE.items()
    if (entry.kind is Kind.FUNCTION or name in SYMPY_NAMES) and hasattr(sympy, SYMPY_NAMES.get(name, name))
}
"""Name of a function in sympy -> in the language."""

_RECIPROCAL = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}

_RELATIONS: dict[type, str] = {
    sympy.StrictLessThan: "<",
    sympy.LessThan: "<=",
    sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">=",
    sympy.Equality: "==",
    sympy.Unequality: "!=",
}

_TIME = sympy.Symbol("t")


def text_or_number(value: Any) -> str | float | int:
    """Return a number if the value is one, ``lhs = rhs`` for an `Eq`, else the text of an expression. Raises ModelError."""
    if isinstance(value, sympy.Equality):
        return f"{expression_of(value.lhs)!s} = {expression_of(value.rhs)!s}"
    if value is sympy.true or value is sympy.false:
        raise ModelError(
            f"sympy made {value} of an equation or relation",
            expected="something that depends on variables",
            remedy="Two sides that are equal anyway say nothing; Eq(a, b, evaluate=False) keeps them.",
        )
    if isinstance(value, sympy.Expr) and value.is_number and value.is_finite and value.is_real:
        return int(value) if value.is_Integer else float(value)
    return str(expression_of(value))


def expression_of(value: Any) -> Expr:
    """Return an expression of sympy as one of the language. Raises ModelError for what this does not have, by its name."""
    if isinstance(value, sympy.MatrixExpr):
        value = value.as_explicit()
    if isinstance(value, sympy.MatrixBase | sympy.NDimArray):
        return _of_array(value)
    timed = any(f.args == (_TIME,) for f in value.atoms(sympy.core.function.AppliedUndef))
    return _Reader(timed).read(value)


def _of_array(value: Any) -> Expr:
    rows = value.tolist()
    if isinstance(value, sympy.MatrixBase) and value.shape[1] == 1:
        rows = [row[0] for row in rows]  # a vector of the language has one index
    return _of_rows(rows)


def _of_rows(rows: Any) -> Expr:
    return Apply("array", tuple(map(_of_rows, rows))) if isinstance(rows, list) else expression_of(rows)


class _Reader:
    """Reads one expression.

    Args:
        timed: whether variables are functions of ``t`` in it, which is the time then.
    """

    def __init__(self, timed: bool) -> None:
        self.timed = timed

    def read(self, node: Any) -> Expr:
        name = type(node).__name__
        for kind, method in _METHODS:
            if isinstance(node, kind):
                return method(self, node)
        if type(node) in _RELATIONS:
            return apply(_RELATIONS[type(node)], *self.all(node.args))
        if name in FUNCTIONS:
            op, args = FUNCTIONS[name], self.all(node.args)
            several = len(args) > len(LANGUAGE[op].names) > 1
            return functools.reduce(lambda a, b: Apply(op, (a, b)), args) if several else Apply(op, tuple(args))
        if name in _RECIPROCAL:
            return div(Const(1.0), Apply(_RECIPROCAL[name], tuple(self.all(node.args))))
        raise ModelError(
            f"sympy's '{name}' is not part of the expression language",
            found=str(node)[:200],
            expected=f"arithmetic, relations, Piecewise, Derivative by time and {', '.join(sorted(FUNCTIONS))}",
            remedy=nearest(name, FUNCTIONS) or "node.doit() or node.rewrite(...) may give what it has.",
        )

    def all(self, nodes: Sequence[Any]) -> list[Expr]:
        return [self.read(node) for node in nodes]

    def symbol(self, node: Any) -> Expr:
        if self.timed and node.name == "t":
            return Name("time")
        try:
            found = parse(node.name)
        except ModelError:
            found = None
        element = isinstance(found, Apply) and entry_of(found.op) is SUBSCRIPT
        if not (type(found) is Name or element or (isinstance(found, Apply) and found.op in ("der", "pre"))):
            raise ModelError(f"the symbol '{node.name}' is no name", expected="a path such as 'gear.phi', 'x[0]' or 'der(x)'")
        assert found is not None
        return found

    def number(self, node: Any) -> Expr:
        if node.is_Rational and not node.is_Integer:
            return div(Const(float(node.p)), Const(float(node.q))) if max(abs(node.p), node.q) < 2**53 else Const(float(node))
        if node.is_real or node in (sympy.oo, -sympy.oo):
            return Name("inf") if node is sympy.oo else neg(Name("inf")) if node is -sympy.oo else Const(float(node))
        raise ModelError(f"'{node}' is no number of the language", expected="real numbers")

    def sum(self, node: Any) -> Expr:
        terms = node.as_ordered_terms()
        return functools.reduce(add, self.all(terms))

    def product(self, node: Any) -> Expr:
        above: list[Expr] = []
        below: list[Expr] = []
        for factor in node.as_ordered_factors():
            if isinstance(factor, sympy.Pow) and factor.exp.is_number and factor.exp.could_extract_minus_sign():
                below.append(self.power(sympy.Pow(factor.base, -factor.exp, evaluate=False)))
            elif factor.is_Rational and not factor.is_Integer:
                above += [Const(float(factor.p))]
                below += [Const(float(factor.q))]
            else:
                above.append(self.read(factor))
        product = functools.reduce(mul, above) if above else Const(1.0)
        return div(product, functools.reduce(mul, below)) if below else product

    def power(self, node: Any) -> Expr:
        base, exponent = node.as_base_exp() if not isinstance(node, sympy.Pow) else (node.base, node.exp)
        if exponent.is_number and exponent.could_extract_minus_sign():
            return div(Const(1.0), self.power(sympy.Pow(base, -exponent, evaluate=False)))
        if exponent == 1:
            return self.read(base)
        if exponent == sympy.Rational(1, 2):
            return Apply("sqrt", (self.read(base),))
        return Apply("**", (self.read(base), self.read(exponent)))

    def piecewise(self, node: Any) -> Expr:
        *pieces, (last, otherwise) = node.args
        if otherwise is not sympy.true:
            raise ModelError(
                "the Piecewise does not say what holds otherwise",
                found=str(node)[:200],
                expected="Piecewise((a, condition), ..., (b, True))",
            )
        result = self.read(last)
        for value, condition in reversed(pieces):
            result = Apply("if", (self.read(condition), self.read(value), result))
        return result

    def logic(self, node: Any) -> Expr:
        op = {"And": "and", "Or": "or"}[type(node).__name__]
        return functools.reduce(lambda a, b: Apply(op, (a, b)), self.all(sorted(node.args, key=sympy.default_sort_key)))

    def derivative(self, node: Any) -> Expr:
        result = self.read(node.expr)
        for variable, count in node.variable_count:
            if variable != _TIME or not self.timed:
                raise ModelError(
                    f"'{node}' is no derivative by time",
                    expected="Derivative(x(t), t) with Symbol('t'), Symbol('der(x)') or Function('der')(x)",
                    remedy="Other derivatives are carried out by doit().",
                )
            for _ in range(int(count)):
                result = Apply("der", (result,))
        return result

    def undefined(self, node: Any) -> Expr:
        name = node.func.__name__
        if node.args == (_TIME,):
            return self.symbol(sympy.Symbol(name))
        args = tuple(self.all(node.args))
        return Apply(name, args) if name in CALLED else Apply("call", (self.symbol(sympy.Symbol(name)), *args))

    def element(self, node: Any) -> Expr:
        if isinstance(node, sympy.Indexed):
            base, indices = node.base.label, node.indices
        else:
            base, indices = node.parent, node.indices[: 1 if node.parent.shape[1] == 1 else 2]
        if not all(i.is_Integer for i in indices):
            raise ModelError(f"'{node}' has an index that is no number", expected="such as x[0]")
        return self.symbol(sympy.Symbol(f"{base}[{','.join(map(str, indices))}]"))


def _refused_imaginary(reader: _Reader, node: Any) -> Expr:
    raise ModelError(f"'{node}' is no number of the language", expected="real numbers")


Method = Callable[[_Reader, Any], Expr]
_METHODS: tuple[tuple[Any, Method], ...] = (
    (sympy.Symbol, _Reader.symbol),
    ((sympy.core.numbers.ImaginaryUnit, sympy.core.numbers.NaN, sympy.core.numbers.ComplexInfinity), _refused_imaginary),
    ((sympy.Number, sympy.NumberSymbol), _Reader.number),
    (sympy.Add, _Reader.sum),
    (sympy.Mul, _Reader.product),
    (sympy.exp, lambda reader, node: Apply("exp", (reader.read(node.exp),))),
    (sympy.Pow, _Reader.power),
    (sympy.Piecewise, _Reader.piecewise),
    (sympy.logic.boolalg.BooleanAtom, lambda reader, node: Const(1.0 if node is sympy.true else 0.0)),
    ((sympy.And, sympy.Or), _Reader.logic),
    (sympy.Not, lambda reader, node: Apply("not", tuple(reader.all(node.args)))),
    (sympy.ITE, lambda reader, node: Apply("if", tuple(reader.all(node.args)))),
    (sympy.Xor, lambda reader, node: reader.read(node.to_nnf(simplify=False))),
    (sympy.Derivative, _Reader.derivative),
    (sympy.core.function.AppliedUndef, _Reader.undefined),
    ((sympy.Indexed, sympy.matrices.expressions.matexpr.MatrixElement), _Reader.element),
)


# -- to sympy -----------------------------------------------------------------------------------------------------------

Shape = tuple[int, ...]
ShapeOf = Callable[[str], Shape]
"""Shape of a variable or parameter by its name; () for a scalar."""

_CONSTANTS = {"pi": sympy.pi, "e": sympy.E, "inf": sympy.oo}


def scalar_shape(name: str) -> Shape:
    """Return the shape of a scalar, where nothing is known of arrays."""
    return ()


def symbol(name: str) -> Any:
    """Return the symbol of sympy for a scalar."""
    return sympy.Symbol(name, real=True)


def symbols_of(name: str, shape: Shape) -> Any:
    """Return a symbol, or an array of those of the elements."""
    if not shape:
        return symbol(name)
    result = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        result[place] = symbol(f"{name}[{','.join(map(str, place))}]")
    return result


def sympy_of(expr: Expr, shape_of: ShapeOf = scalar_shape) -> Any:
    """Return an expression of sympy, or for an array a numpy array of them.

    Raises:
        ModelError: it has no form in sympy; names what has none.
    """
    done: dict[int, Any] = {}
    for node in postorder(expr):
        if type(node) is Const:
            done[id(node)] = _number(node.value)
        elif type(node) is Name:
            known = _CONSTANTS.get(node.name)
            done[id(node)] = symbols_of(node.name, shape_of(node.name)) if known is None else known
        elif type(node) is Text:
            done[id(node)] = symbol(repr(node.value))
        else:
            assert isinstance(node, Apply)
            try:
                done[id(node)] = _applied(node, [done[id(a)] for a in node.args], shape_of)
            except (TypeError, ValueError, ZeroDivisionError, NotImplementedError, RecursionError) as error:
                raise ModelError(f"'{node}' has no form in sympy", found=str(error).splitlines()[0]) from None
    return done[id(expr)]


def _number(value: float) -> Any:
    if value == math.pi:
        return sympy.pi
    return sympy.Integer(int(value)) if abs(value) < 1e15 and value == int(value) else sympy.Float(value)


def _applied(node: Apply, args: list[Any], shape_of: ShapeOf) -> Any:
    op, entry = node.op, entry_of(node.op)
    if type(op) is Operator:
        return _called(op, args[op.function.hidden :])
    if entry is SUBSCRIPT:
        return args[0][index_of(op)] if isinstance(args[0], np.ndarray) else symbol(f"{args[0]}{op}")
    if entry is FILL or entry is PART:
        return np.broadcast_to(np.asarray(args[0], dtype=object), shape_of(op[5:]))
    if op == "der" and type(node.args[0]) is Name:
        return symbols_of(f"der({node.args[0].name})", shape_of(node.args[0].name))
    if op in ("call", "element"):
        return sympy.Function(str(node.args[0]), real=True)(*args[1:]) if op == "call" else symbol(str(node))
    if op == "results":
        return sympy.Tuple(*args)
    if entry.code.how is How.FOLD:
        joined = _operation(entry.code.what, LANGUAGE[entry.code.what].kind)
        return functools.reduce(joined, _elements(args[0]).flat, _number(entry.code.start))
    if entry.kind is Kind.ARRAY and entry.of_arrays is not None:
        return entry.of_arrays(*map(_elements, args))
    return _elementwise(_operation(op, entry.kind), args)


def _elements(value: Any) -> Any:
    """Return an array, also of a scalar."""
    return value if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)


def _elementwise(function: Callable[..., Any], args: list[Any]) -> Any:
    if not any(isinstance(a, np.ndarray) for a in args):
        return function(*args)
    return np.frompyfunc(function, len(args), 1)(*args)


def _operation(op: str, kind: Kind) -> Callable[..., Any]:
    """Return the function of numbers that an operator stands for."""
    if kind is Kind.LOGIC:
        logic = {"and": sympy.And, "or": sympy.Or, "not": sympy.Not}[op]
        return lambda *args: logic(*map(truth, args))
    if kind is Kind.CHOICE:
        return lambda c, x, y: sympy.Piecewise((as_number(x), truth(c)), (as_number(y), True))
    function = _OPERATORS.get(op) or (_function(op) if kind is Kind.FUNCTION else sympy.Function(op, real=True))
    return lambda *args: function(*map(as_number, args))


def _function(op: str) -> Callable[..., Any]:
    if op == "log10":
        return lambda x: sympy.log(x) / sympy.log(10)
    function: Callable[..., Any] = getattr(sympy, SYMPY_NAMES.get(op, op))
    return function


_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": lambda x, y: x / y,
    "**": lambda x, y: x**y,
    "neg": lambda x: -x,
    "<": sympy.Lt,
    "<=": sympy.Le,
    ">": sympy.Gt,
    ">=": sympy.Ge,
    "==": sympy.Eq,
    "!=": sympy.Ne,
}


def truth(value: Any) -> Any:
    """Return the truth of a value: a number is true if it is not 0."""
    return value if isinstance(value, sympy.logic.boolalg.Boolean) and not value.is_Symbol else sympy.Ne(value, 0)


def as_number(value: Any) -> Any:
    """Return a value as a number: what is true is 1."""
    if isinstance(value, sympy.logic.boolalg.Boolean) and not value.is_Symbol:
        return sympy.Piecewise((1, value), (0, True))
    return value


def _called(op: Operator, args: Iterable[Any]) -> Any:
    """Return a function that a model brings along."""
    if op.of_arrays:
        raise ModelError(f"the function '{op}' of arrays has no form in sympy", expected="functions of numbers")
    name = str.__str__(op) if op.function.outputs == 1 else f"{str.__str__(op)}[{op.result}]"
    return sympy.Function(name, real=True)(*map(as_number, args))


def equations_of(lhs: Any, rhs: Any) -> list[Any]:
    """Return ``lhs = rhs`` of two expressions or arrays as an `Eq` for each element."""
    pairs = np.broadcast(_elements(lhs), _elements(rhs))
    return [sympy.Eq(as_number(a), as_number(b), evaluate=False) for a, b in pairs]
