"""The operators and functions of the language: one entry has all that the parser and the passes know of each.

A new elementary function is one more `Entry` of kind `FUNCTION` in `LANGUAGE`; its text reads as the mathematics: operands have
names (``operands``), and rules are expressions of them. An operator on whole arrays is one more entry of kind `ARRAY`, a
reduction among them, whose machine code is made in one of the ways of `How`; what has none is refused by `register`. Where a
rule needs more than the entry says (the meaning of ``der``, ``pre``, ``reinit``, ... in equations; the arithmetic that linear
systems are about), the pass that is about it has it.
Machine code is named here and written where LLVM is imported (`symbolic/codegen`).

Sources: Modelica Language Specification 3.6, sections 3.7.1 to 3.7.4 (events, derived functions) and 10.3 (arrays);
derivatives: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 4 and 7.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .entry import Code, Entry, How, Kind, Shape, ShapeError, Unit
from .errors import ModelError

# -- rules of arrays ----------------------------------------------------------------------------------------------------


def _of_product(found: Sequence[Shape | None]) -> Shape:
    a, b = found
    if not a or not b:
        raise ShapeError("two arrays (a product with a scalar is written '*')")
    if a[-1] != b[0]:
        raise ShapeError(f"as many rows in '{{1}}' as '{{0}}' has columns ({a[-1]})")
    return a[:-1] + b[1:]


def _of_transposed(found: Sequence[Shape | None]) -> Shape:
    if found[0] is None or len(found[0]) != 2:
        raise ShapeError("a matrix")
    return found[0][::-1]


def _of_reduction(found: Sequence[Shape | None]) -> Shape:
    if not found[0]:
        raise ShapeError("an array")
    return ()


def _of_vectors(*result: int) -> Callable[[Sequence[Shape | None]], Shape]:
    """Return the rule of an operator on vectors in space, whose result has a fixed shape."""

    def rule(found: Sequence[Shape | None]) -> Shape:
        if any(s != (3,) for s in found):
            raise ShapeError("two vectors of shape (3,)" if len(found) == 2 else "a vector of shape (3,)")
        return result

    return rule


def _of_concatenation(found: Sequence[Shape | None]) -> Shape:
    if any(len(s or ()) > 1 for s in found):
        raise ShapeError("vectors and scalars")
    return (sum(math.prod(s or ()) for s in found),)


def _of_literal(found: Sequence[Shape | None]) -> Shape:
    inner = max((s or () for s in found), key=len)
    if len(inner) > 1 or any(s not in (inner, None) for s in found):
        raise ShapeError("numbers, or rows of equal length")
    return (len(found), *inner)


def _concatenated(*parts: Any) -> Any:
    return np.concatenate([np.atleast_1d(p) for p in parts])


def _stacked(*rows: Any) -> Any:
    longest = max(map(np.shape, rows), key=len)
    return np.stack([np.broadcast_to(r, longest) for r in rows])


# -- entries ------------------------------------------------------------------------------------------------------------


def _function(name: str, value: Callable[..., float | bool], derivative: str, **more: Any) -> Entry:
    """Return an elementary function, of pure numbers if nothing else is said."""
    given: dict[str, Any] = {"code": Code(How.CALL, name), "unit": Unit.NUMBER} | more
    return Entry(name, Kind.FUNCTION, value=value, derivative=derivative, elementwise=True, **given)


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


_FUNCTIONS = (
    _function("sin", math.sin, "cos(x)*dx"),
    _function("cos", math.cos, "-sin(x)*dx"),
    _function("tan", math.tan, "(1 + tan(x)**2)*dx"),
    _function("asin", math.asin, "1/sqrt(1 - x**2)*dx", of_arrays=np.arcsin),
    _function("acos", math.acos, "-(1/sqrt(1 - x**2))*dx", of_arrays=np.arccos),
    _function("atan", math.atan, "1/(1 + x**2)*dx", of_arrays=np.arctan),
    _function(
        "atan2",
        math.atan2,
        "(dy*x - y*dx)/(x**2 + y**2)",
        operands="y x",
        of_arrays=np.arctan2,
        unit=Unit.RATIO,
    ),
    _function("sinh", math.sinh, "cosh(x)*dx", inverse="asinh(x)"),
    _function("cosh", math.cosh, "sinh(x)*dx"),
    _function("tanh", math.tanh, "(1 - tanh(x)**2)*dx"),
    _function("asinh", math.asinh, "1/sqrt(x**2 + 1)*dx", of_arrays=np.arcsinh, inverse="sinh(x)"),
    _function("acosh", math.acosh, "1/sqrt(x**2 - 1)*dx", of_arrays=np.arccosh),
    _function("exp", math.exp, "exp(x)*dx", inverse="log(x)"),
    _function("log", math.log, "1/x*dx", inverse="exp(x)"),
    _function("log10", math.log10, "1/log(10)/x*dx", inverse="10**x"),
    _function("erf", math.erf, "2/sqrt(pi)*exp(-x**2)*dx"),
    _function("erfc", math.erfc, "-(2/sqrt(pi)*exp(-x**2))*dx"),
    _function("sqrt", math.sqrt, "0.5/sqrt(x)*dx", code=Code(How.CALL, "llvm.sqrt.f64"), unit=Unit.ROOT),
    _function("abs", abs, "sign(x)*dx", code=Code(How.CALL, "llvm.fabs.f64"), unit=Unit.SAME, keeps_integers=True),
    _function("sign", _sign, "0", of_arrays=np.sign, code=Code(How.EXPRESSION, "(x > 0) - (x < 0)"), unit=Unit.NONE),
    _function("floor", math.floor, "0", code=Code(How.CALL, "llvm.floor.f64"), unit=Unit.WHOLE, events=True),
    _function(
        "min",
        min,
        "dx if x < y else dy",
        operands="x y",
        most=math.inf,
        of_arrays=np.minimum,
        code=Code(How.EXPRESSION, "y if y < x else x"),
        unit=Unit.ALIKE,
        keeps_integers=True,
    ),
    _function(
        "max",
        max,
        "dx if x > y else dy",
        operands="x y",
        most=math.inf,
        of_arrays=np.maximum,
        code=Code(How.EXPRESSION, "y if y > x else x"),
        unit=Unit.ALIKE,
        keeps_integers=True,
    ),
)


def _arithmetic(
    name: str, value: Callable[..., float], of_arrays: Any, derivative: str, instruction: str, level: int, **more: Any
) -> Entry:
    given: dict[str, Any] = {"operands": "x y", "code": Code(How.INSTRUCTION, instruction), "joint": name} | more
    return Entry(
        name,
        Kind.ARITHMETIC,
        value=value,
        of_arrays=of_arrays,
        derivative=derivative,
        level=level,
        elementwise=True,
        **given,
    )


_ARITHMETIC = (
    _arithmetic("+", lambda x, y: x + y, np.add, "dx + dy", "fadd", 5, joint=" + ", unit=Unit.ALIKE, keeps_integers=True),
    _arithmetic("-", lambda x, y: x - y, np.subtract, "dx - dy", "fsub", 5, joint=" - ", unit=Unit.ALIKE, keeps_integers=True),
    _arithmetic("*", lambda x, y: x * y, np.multiply, "dx*y + x*dy", "fmul", 6, unit=Unit.PRODUCT, keeps_integers=True),
    _arithmetic("/", lambda x, y: x / y, np.divide, "(dx - result*dy)/y", "fdiv", 6, unit=Unit.QUOTIENT),
    _arithmetic(
        "**",
        math.pow,
        np.power,
        "y*x**(y - 1)*dx + result*log(x)*dy",
        "",
        8,
        code=Code(How.CALL, "pow"),
        unit=Unit.POWER,
    ),
    _arithmetic(
        "neg", lambda x: -x, np.negative, "-dx", "fneg", 7, operands="x", unit=Unit.SAME, inverse="-x", keeps_integers=True
    ),
)


def _relation(name: str, value: Callable[..., bool], of_arrays: Any, condition: str) -> Entry:
    return Entry(
        name,
        Kind.RELATION,
        operands="x y",
        value=value,
        of_arrays=of_arrays,
        derivative="0",
        code=Code(How.COMPARE, condition),
        unit=Unit.COMPARED,
        elementwise=True,
        events=True,
        level=4,
        joint=f" {name} ",
    )


_RELATIONS = (
    _relation("<", lambda x, y: x < y, np.less, "olt"),
    _relation("<=", lambda x, y: x <= y, np.less_equal, "ole"),
    _relation(">", lambda x, y: x > y, np.greater, "ogt"),
    _relation(">=", lambda x, y: x >= y, np.greater_equal, "oge"),
    _relation("==", lambda x, y: x == y, np.equal, "oeq"),
    _relation("!=", lambda x, y: x != y, np.not_equal, "une"),
)


def _logic(name: str, operands: str, value: Callable[..., bool], of_arrays: Any, level: int) -> Entry:
    code = Code(How.LOGIC, name)
    return Entry(
        name,
        Kind.LOGIC,
        operands=operands,
        value=value,
        of_arrays=of_arrays,
        derivative="0",
        code=code,
        unit=Unit.NONE,
        elementwise=True,
        level=level,
        joint=f" {name} ",
    )


_LOGIC = (
    _logic("and", "x y", lambda x, y: bool(x) and bool(y), np.logical_and, 2),
    _logic("or", "x y", lambda x, y: bool(x) or bool(y), np.logical_or, 1),
    _logic("not", "x", lambda x: not x, np.logical_not, 3),
    Entry(
        "if",
        Kind.CHOICE,
        operands="c x y",
        derivative="dx if c else dy",
        code=Code(How.SELECT),
        unit=Unit.CHOSEN,
        elementwise=True,
        keeps_integers=True,
        level=0,
    ),
)

_DERIVED = (
    Entry("ceil", Kind.DERIVED, expansion="-floor(-x)"),
    Entry("integer", Kind.DERIVED, expansion="floor(x)"),
    Entry("div", Kind.DERIVED, operands="x y", expansion="sign(x/y)*floor(abs(x/y))"),
    Entry("mod", Kind.DERIVED, operands="x y", expansion="x - floor(x/y)*y"),
    Entry("rem", Kind.DERIVED, operands="x y", expansion="x - sign(x/y)*floor(abs(x/y))*y"),
    Entry("semiLinear", Kind.DERIVED, operands="x s_p s_n", expansion="s_p*x if x >= 0 else s_n*x"),
)
"""``div(x, y)`` is x/y without its fraction: the sign makes no event, as the value is 0 on both sides of it."""

_ONLY_WHEN, _ONLY_CLOCKED = "stands in a when clause", "refers to a variable of a clocked partition"
_READ = Code(How.READ)

_EQUATION = (
    Entry("der", Kind.EQUATION, unit=Unit.RATE, elementwise=True, remedy="A second derivative is der(der(x))."),
    Entry("pre", Kind.EQUATION, unit=Unit.SAME, elementwise=True, discrete=True, past=True),
    Entry("edge", Kind.EQUATION, elementwise=True, discrete=True, past=True),
    Entry("change", Kind.EQUATION, elementwise=True, discrete=True, past=True),
    Entry("initial", Kind.EQUATION, operands="", derivative="0", code=_READ, unit=Unit.NONE, reads=True, discrete=True),
    Entry("terminal", Kind.EQUATION, operands="", derivative="0", code=_READ, reads=True, discrete=True, past=True),
    Entry(
        "positive",
        Kind.EQUATION,
        derivative="0",
        code=Code(How.EXPRESSION, "x > 0"),
        unit=Unit.NONE,
        elementwise=True,
        discrete=True,
    ),
    Entry("after", Kind.EQUATION, derivative="0", code=_READ, unit=Unit.NONE, reads=True, discrete=True),
    Entry(
        "noEvent",
        Kind.EQUATION,
        value=lambda x: x,
        of_arrays=np.asarray,
        linear=True,
        code=Code(How.EXPRESSION, "x"),
        unit=Unit.SAME,
        elementwise=True,
    ),
    Entry("smooth", Kind.EQUATION, operands="order x"),
    Entry(
        "homotopy",
        Kind.EQUATION,
        operands="actual simplified",
        value=lambda actual, simplified: actual,
        of_arrays=lambda actual, simplified: np.asarray(actual),
        unit=Unit.ALIKE,
        elementwise=True,
    ),
    Entry(
        "delay",
        Kind.EQUATION,
        most=3,
        unit=Unit.SAME,
        past=True,
        stands_in="delay(x, time) stands in equations, not in initial ones",
    ),
    Entry("sample", Kind.EQUATION, operands="start interval", discrete=True, past=True),
    Entry("hold", Kind.EQUATION, unit=Unit.SAME, stands_in=f"hold(y) {_ONLY_CLOCKED}"),
    Entry("previous", Kind.EQUATION, most=2, unit=Unit.SAME, stands_in=f"previous(x) {_ONLY_CLOCKED}"),
    Entry("reinit", Kind.EQUATION, operands="x value", stands_in=f"reinit {_ONLY_WHEN}"),
    Entry("terminate", Kind.EQUATION, stands_in=f"terminate('message') {_ONLY_WHEN}"),
)

_MEMORY = tuple(
    Entry(name, Kind.MEMORY, operands="k", derivative="0", code=_READ, reads=True, discrete=True)
    for name in ("mode", "memory", "flag")
)


def _array(name: str, of_arrays: Any, shape: Any, how: How, what: str = "", **more: Any) -> Entry:
    return Entry(name, Kind.ARRAY, of_arrays=of_arrays, shape=shape, code=Code(how, what), **more)


def _reduction(name: str, of_arrays: Any, joined: str, start: float, **more: Any) -> Entry:
    """Return an operator that makes one number of all elements, joined by an operator of numbers."""
    code = Code(How.FOLD, joined, start)
    return Entry(name, Kind.ARRAY, of_arrays=of_arrays, shape=_of_reduction, code=code, **more)


def _skew(x: Any) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


_ARRAYS = (
    _array(
        "@",
        np.matmul,
        _of_product,
        How.PRODUCT,
        operands="x y",
        derivative="dx @ y + x @ dy",
        unit=Unit.PRODUCT,
        level=6,
        joint="@",
    ),
    _array(
        "cross",
        np.cross,
        _of_vectors(3),
        How.ELEMENTS,
        "[x[1]*y[2] - x[2]*y[1], x[2]*y[0] - x[0]*y[2], x[0]*y[1] - x[1]*y[0]]",
        operands="x y",
        derivative="cross(dx, y) + cross(x, dy)",
        unit=Unit.PRODUCT,
    ),
    _array(
        "skew",
        _skew,
        _of_vectors(3, 3),
        How.ELEMENTS,
        "[[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]]",
        linear=True,
        unit=Unit.SAME,
    ),
    _array("transpose", np.transpose, _of_transposed, How.GATHER, linear=True, unit=Unit.SAME, moves=True),
    _reduction("sum", np.sum, "+", 0.0, linear=True, unit=Unit.SAME),
    _array("concat", _concatenated, _of_concatenation, How.PARTS, most=math.inf, linear=True, moves=True, keeps_integers=True),
    _array(
        "array",
        _stacked,
        _of_literal,
        How.ROWS,
        operands="",
        most=math.inf,
        linear=True,
        unit=Unit.ALIKE,
        moves=True,
        keeps_integers=True,
    ),
    Entry("dot", Kind.ARRAY, operands="x y", expansion="x @ y"),
    Entry("norm", Kind.ARRAY, expansion="sqrt(sum(x**2))"),
)

SUBSCRIPT = _array("[]", None, None, How.GATHER, linear=True, unit=Unit.SAME, moves=True)
"""Indices and slices such as ``[0]`` or ``[1:,2]``."""
FILL = _array("fill", None, None, How.SPREAD, linear=True, unit=Unit.SAME)
"""``fill NAME``, made by the compiler: a scalar as an array of the shape known as NAME (see `FlatModel.shapes`)."""
PART = _array("part", None, None, How.SPREAD, linear=True)
"""``part NAME``, made by the compiler: an array of that shape as an argument of ``concat`` or of a user's function."""


def register(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the entries by name.

    Raises:
        ModelError: two have the same name; one has no machine code, or refers to an operator or operand that is not there.
    """
    table: dict[str, Entry] = {}
    for entry in entries:
        what, (how, text, _) = f"the operator '{entry.name}'", entry.code
        if entry.name in table:
            raise ModelError(f"{what} is declared twice", expected="one entry for each name")
        if not (entry.expansion or entry.kind is Kind.EQUATION or how in _ways(entry.kind)):
            expected = " or ".join(f"How.{way.name}" for way in _ways(entry.kind))
            raise ModelError(f"{what} has no machine code", found=f"Code(How.{how.name})", expected=expected)
        if how is How.FOLD and text not in table:
            raise ModelError(f"{what} joins elements by '{text}', which is no operator", expected=f"one of {', '.join(table)}")
        if how is How.ELEMENTS and not (used := _names_in(text)) <= {*entry.names}:
            expected = f"elements of {' and '.join(entry.names)}"
            raise ModelError(f"{what} has elements of unknown operands", found=f"{sorted(used)} in '{text}'", expected=expected)
        table[entry.name] = entry
    return table


def _ways(kind: Kind) -> list[How]:
    """Return the ways in which operators of a kind can have machine code."""
    return [how for how in How if how is not How.NONE and how.makes_arrays is (kind is Kind.ARRAY)]


def _names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}


LANGUAGE: dict[str, Entry] = register(
    (*_FUNCTIONS, *_ARITHMETIC, *_RELATIONS, *_LOGIC, *_DERIVED, *_EQUATION, *_MEMORY, *_ARRAYS)
)
"""All operators by name, but for families (`SUBSCRIPT`, `FILL`, `PART`)."""

UNKNOWN = Entry("", Kind.EQUATION)
"""What is not part of the language: calls that are not resolved yet, functions of a model."""


def entry_of(op: str) -> Entry:
    """Return the entry of an operator; `UNKNOWN` if it is none of the language (a function of a model)."""
    entry = LANGUAGE.get(op)
    if entry is None:
        entry = SUBSCRIPT if op[:1] == "[" else FILL if op[:5] == "fill " else PART if op[:5] == "part " else UNKNOWN
    return entry


def names_of(*kinds: Kind) -> tuple[str, ...]:
    """Return the names of all operators of these kinds, in the order of `LANGUAGE`."""
    return tuple(entry.name for entry in LANGUAGE.values() if entry.kind in kinds)


def names_with(attribute: str) -> frozenset[str]:
    """Return the names of those operators of which an attribute is true."""
    return frozenset(entry.name for entry in LANGUAGE.values() if getattr(entry, attribute))


ARRAY_FUNCTIONS = tuple(entry.name for entry in _ARRAYS if entry.names and not entry.joint)
"""Names of those operators on whole arrays that are written as functions."""

CALLED = (*names_of(Kind.FUNCTION, Kind.DERIVED, Kind.EQUATION), *ARRAY_FUNCTIONS)
"""Names of all that is written as a function."""
