"""Compiler of methods in a small part of Python to LLVM IR, so that the loop over the steps is written once.

A class with annotated fields becomes a piece of memory: ``float`` and ``int`` fields are numbers of 8 bytes, others addresses.
A method may have arguments that are floats, ints and arrays of floats, results that are floats and ints (bool: 0 or 1), and

- assign to local names (one type each), to fields and to elements of array fields (of whole numbers: `Wholes`, read only);
- ``if``, ``while``, ``return``; conditions of ``and``, ``or``, ``not`` and comparisons, whose value is 1 or 0, the address 0
  being false;
- ``+``, ``-``, ``*``, ``/`` of numbers of one type, constants of its module, ``max`` and what `_INTRINSICS` names;
- call its own methods, and functions at the addresses in its fields, whose arguments and results are C's (``foreign``).

Operations are carried out one by one in the order written, so that both ways of running give the same bits, but where Python
raises ZeroDivisionError for floats.
"""

from __future__ import annotations

import ast
import ctypes
import inspect
import struct
import textwrap
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

I, D, P = "i64", "double", "ptr"
Wholes = typing.NewType("Wholes", np.ndarray)
"""Whole numbers one behind the other: an array field whose elements are read as ints."""
FOR_EVER = float("inf")

Address = int
"""Of something in memory; 0 for nothing."""

Floats = np.ndarray
"""Floating-point numbers one behind the other."""

Value = tuple[str, str]
"""Type and what stands for a value in the IR."""

_INTRINSICS = {"abs": "llvm.fabs.f64", "maximum": "llvm.maximum.f64", "minimum": "llvm.minimum.f64", "sqrt": "llvm.sqrt.f64"}
_DECLARATIONS = """declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
_COMPARISONS = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}
_TYPES: dict[Any, str] = {float: D, int: I, bool: I, type(None): "void"}


def copy(target: Floats, first: int, source: Floats, start: int, n: int) -> None:
    """Copy n numbers from ``source[start]`` on to ``target[first]`` and on."""
    target[first : first + n] = source[start : start + n]


def maximum(a: float, b: float) -> float:
    """Return the larger number; not a number if one of both is not."""
    return a if a > b or a != a else b


def minimum(a: float, b: float) -> float:
    """Return the smaller number; not a number if one of both is not."""
    return a if a < b or a != a else b


def address(field: Any) -> Address:
    """Return the address of a field in the memory of the loop. Only machine code knows it."""
    raise NotImplementedError


def fields(owner: type) -> dict[str, str]:
    """Return the types of the fields of a class, in the order of its memory, each of 8 bytes."""
    return {name: _TYPES.get(kind, P) for name, kind in typing.get_type_hints(owner).items()}


C_TYPES: dict[str, Any] = {D: ctypes.c_double, I: ctypes.c_int64, P: ctypes.c_void_p}


def structure_of(owner: type, addresses: Sequence[str] = ()) -> type[ctypes.Structure]:
    """Return the memory of a class for ctypes; ``addresses`` are fields that are annotated as numbers and hold addresses."""
    members = fields(owner) | dict.fromkeys(addresses, P)
    return type("Memory", (ctypes.Structure,), {"_fields_": tuple((name, C_TYPES[kind]) for name, kind in members.items())})


def ir_of(owner: type, foreign: Mapping[str, Sequence[str]], addresses: Sequence[str] = ()) -> str:
    """Return the IR of all methods of a class, those of its bases included.

    Args:
        owner: the class.
        foreign: of the fields that are functions, the types of the result and of the arguments, as C has them.
        addresses: fields that are annotated as numbers and hold addresses.
    """
    memory = fields(owner) | dict.fromkeys(addresses, P)
    wholes = frozenset(name for name, kind in typing.get_type_hints(owner).items() if kind is Wholes)
    members = (member for base in reversed(owner.__mro__) for member in vars(base).items())
    methods = {name: method for name, method in members if inspect.isfunction(method)}
    return "\n".join([*(_Writer(method, methods, memory, foreign, wholes).text for method in methods.values()), _DECLARATIONS])


def _signature(method: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    hints = typing.get_type_hints(method)
    result = _TYPES[hints.pop("return")]
    return result, {name: _TYPES.get(kind, P) for name, kind in hints.items()}


class _Writer:
    """The IR of one method, as ``text``."""

    def __init__(
        self,
        method: Callable[..., Any],
        methods: Mapping[str, Callable[..., Any]],
        memory: Mapping[str, str],
        foreign: Mapping[str, Sequence[str]],
        wholes: Collection[str],
    ) -> None:
        self._methods, self._memory, self._foreign, self._wholes = methods, memory, foreign, wholes
        self._places = {name: 8 * k for k, name in enumerate(memory)}
        self._globals = method.__globals__
        self._lines: list[str] = []
        self._locals: dict[str, str] = {}
        self._count = 0
        self._result, arguments = _signature(method)
        for name, kind in arguments.items():
            self._set_local(name, (kind, f"%{name}"))
        tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self._write(tree.body)
        self._line("ret void" if self._result == "void" else "unreachable")
        given = ", ".join(["ptr %self", *(f"{kind} %{name}" for name, kind in arguments.items())])
        head = [f"define {self._result} @{method.__name__}({given}) nounwind {{", "entry:"]
        places = [f"  %at.{name} = alloca {kind}" for name, kind in self._locals.items()]
        self.text = "\n".join([*head, *places, *self._lines, "}"])

    def _line(self, text: str) -> None:
        self._lines.append(f"  {text}")

    def _new(self, text: str) -> str:
        self._count += 1
        self._line(f"%v{self._count} = {text}")
        return f"%v{self._count}"

    def _label(self) -> str:
        self._count += 1
        return f"block{self._count}"

    def _begin(self, label: str) -> None:
        self._lines.append(f"{label}:")

    def _go(self, label: str) -> None:
        self._line(f"br label %{label}")

    def _refuse(self, node: ast.AST) -> typing.NoReturn:
        raise NotImplementedError(f"not in the part of Python that is compiled: {ast.unparse(node)}")

    def _write(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(ast.Constant()):
                pass
            case ast.Expr(ast.Call() as call):
                self._call(call)
            case ast.Return(value):
                self._line("ret void" if value is None else "ret {} {}".format(*self._typed(value, self._result)))
                self._begin(self._label())
            case ast.Assign([target], value):
                self._assign(target, value)
            case ast.AugAssign(target, operator, value):
                self._assign(target, ast.BinOp(target, operator, value))
            case ast.If(test, body, orelse):
                yes, no, behind = self._label(), self._label(), self._label()
                self._condition(test, yes, no)
                for label, statements in ((yes, body), (no, orelse)):
                    self._begin(label)
                    self._write(statements)
                    self._go(behind)
                self._begin(behind)
            case ast.While(test, body, []):
                again, yes, behind = self._label(), self._label(), self._label()
                self._go(again)
                self._begin(again)
                self._condition(test, yes, behind)
                self._begin(yes)
                self._write(body)
                self._go(again)
                self._begin(behind)
            case _:
                self._refuse(node)

    def _set_local(self, name: str, value: Value) -> None:
        kind = self._locals.setdefault(name, value[0])
        assert kind == value[0], f"{name} has two types"
        self._line(f"store {value[0]} {value[1]}, ptr %at.{name}")

    def _assign(self, target: ast.expr, expression: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._set_local(target.id, self._value(expression))
            return
        kind = D if isinstance(target, ast.Subscript) else self._memory[_field(target) or self._refuse(target)]
        value = self._typed(expression, kind)
        self._line(f"store {kind} {value[1]}, ptr {self._address(target)}")

    def _condition(self, node: ast.expr, yes: str, no: str) -> None:
        """Go to a label."""
        match node:
            case ast.BoolOp(operator, parts):
                for part in parts[:-1]:
                    following = self._label()
                    self._condition(part, *((following, no) if isinstance(operator, ast.And) else (yes, following)))
                    self._begin(following)
                self._condition(parts[-1], yes, no)
            case ast.UnaryOp(ast.Not(), part):
                self._condition(part, no, yes)
            case _:
                kind, value = self._value(node)
                true = self._new(f"icmp ne {kind} {value}, {'null' if kind == P else '0'}")
                self._line(f"br i1 {true}, label %{yes}, label %{no}")

    def _typed(self, node: ast.expr, kind: str) -> Value:
        """Return a value of a known type: of floating-point numbers, an integer may be written."""
        value = self._value(node)
        if kind == D and value[0] == I and value[1].lstrip("-").isdigit():
            return D, _float(float(value[1]))
        if value[0] != kind:
            self._refuse(node)
        return value

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value):
                return _constant(value) or self._refuse(node)
            case ast.UnaryOp(ast.USub(), ast.Constant(int(value) | float(value))):
                return _constant(-value) or self._refuse(node)
            case ast.Name(name) if name in self._locals:
                kind = self._locals[name]
                return kind, self._new(f"load {kind}, ptr %at.{name}")
            case ast.Name(name):
                return _constant(self._globals.get(name)) or self._refuse(node)
            case ast.Attribute(ast.Name("self"), field):
                kind = self._memory[field]
                return kind, self._new(f"load {kind}, ptr {self._address(node)}")
            case ast.Attribute(ast.Name(name), member):
                return _constant(getattr(self._globals.get(name), member, None)) or self._refuse(node)
            case ast.Subscript(array, _):
                kind = I if _field(array) in self._wholes else D
                return kind, self._new(f"load {kind}, ptr {self._address(node)}")
            case ast.BinOp(left, operator, right):
                kind, first = self._value(left)
                _, second = self._typed(right, kind)
                name = _ARITHMETIC[type(operator)]
                if kind == P or (kind == I and name == "div"):
                    self._refuse(node)
                return kind, self._new(f"{'f' * (kind == D)}{name} {kind} {first}, {second}")
            case ast.Compare(left, [operator], [right]):
                kind, first = self._value(left)
                _, second = self._typed(right, kind)
                whole, real = _COMPARISONS[type(operator)]
                test = f"fcmp {real}" if kind == D else f"icmp {whole}"
                return I, self._new(f"zext i1 {self._new(f'{test} {kind} {first}, {second}')} to i64")
            case ast.BoolOp() | ast.UnaryOp(ast.Not()):
                return self._truth(node)
            case ast.Call():
                return self._call(node)
            case _:
                self._refuse(node)

    def _truth(self, node: ast.expr) -> Value:
        """Return whether a condition holds, as 1 or 0."""
        yes, no, behind = self._label(), self._label(), self._label()
        name = f"truth.{behind}"
        self._condition(node, yes, no)
        for label, value in ((yes, "1"), (no, "0")):
            self._begin(label)
            self._set_local(name, (I, value))
            self._go(behind)
        self._begin(behind)
        return I, self._new(f"load {I}, ptr %at.{name}")

    def _address(self, node: ast.expr) -> str:
        """Return the address of a field, or of an element of an array field."""
        if isinstance(node, ast.Subscript):
            _, first = self._value(node.value)
            return self._new(f"getelementptr double, ptr {first}, i64 {self._typed(node.slice, I)[1]}")
        return self._new(f"getelementptr i8, ptr %self, i64 {self._places[_field(node) or self._refuse(node)]}")

    def _call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute(ast.Name("self"), name) if name in self._methods:
                result, kinds = _signature(self._methods[name])
                values = [self._typed(part, kind) for part, kind in zip(node.args, kinds.values(), strict=True)]
                return self._called(f"@{name}", result, [(P, "%self"), *values])
            case ast.Attribute(ast.Name("self"), name) if name in self._foreign:
                return self._call_foreign(name, node)
            case ast.Name("address"):
                return P, self._address(node.args[0])
            case ast.Name("copy"):
                to, first, source, start, n = node.args
                pointers = [self._address(ast.Subscript(array, at)) for array, at in ((to, first), (source, start))]
                size = self._new(f"mul i64 {self._typed(n, I)[1]}, 8")
                return self._called(
                    "@llvm.memcpy.p0.p0.i64", "void", [*((P, pointer) for pointer in pointers), (I, size), ("i1", "false")]
                )
            case ast.Name("max"):
                (_, left), (_, right) = (self._typed(part, D) for part in node.args)
                return D, self._new(f"select i1 {self._new(f'fcmp ogt double {right}, {left}')}, double {right}, double {left}")
            case ast.Name(name) if name in _INTRINSICS:
                return self._called(f"@{_INTRINSICS[name]}", D, [self._typed(part, D) for part in node.args])
            case _:
                self._refuse(node)

    def _called(self, function: str, result: str, values: Sequence[Value]) -> Value:
        text = f"call {result} {function}({', '.join(f'{kind} {value}' for kind, value in values)})"
        if result == "void":
            self._line(text)
            return result, ""
        return result, self._new(text)

    def _call_foreign(self, name: str, node: ast.Call) -> Value:
        result, *kinds = self._foreign[name]
        function = self._new(f"load ptr, ptr {self._address(node.func)}")
        values = []
        for part, kind in zip(node.args, kinds, strict=True):
            value = self._typed(part, I if kind == "i32" else kind)
            values.append((kind, self._new(f"trunc i64 {value[1]} to i32") if kind == "i32" else value[1]))
        _, made = self._called(function, result, values)
        return I, self._new(f"sext {result} {made} to i64")


def _field(node: ast.expr) -> str:
    """Name of a field of the class; "" for anything else."""
    match node:
        case ast.Attribute(ast.Name("self"), name):
            return name
    return ""


def _float(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _constant(value: Any) -> Value | None:
    if isinstance(value, int):
        return I, str(int(value))
    return (D, _float(value)) if isinstance(value, float) else None
