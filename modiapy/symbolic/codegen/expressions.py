"""Expressions as LLVM IR in static single assignment form.

`Emitter` collects the lines of one function. Common subexpressions are found by value numbering: an instruction is
known by its operator and operands as long as the basic block it stands in dominates the current one (`scope`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from ...model.entry import Entry, How
from ...model.errors import ModelError
from ...model.expression import Apply, Const, Expr, Name, Operator, is_array_operator, postorder
from ...model.language import LANGUAGE, entry_of
from ...model.parser import parse
from ..terms.constants import READS

MATH_PREFIX = "modia_"
"""Prefix of the external symbols of mathematical functions: LLVM must not recognise, and replace, a function by its name."""


def double(value: float) -> str:
    """Return a constant, exact to the last bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Emitter:
    """Lines of IR of one function, and what is known at the current place.

    A value is the text of an operand: a constant, ``%t...`` (double) or ``%b...`` (i1, from relations and logic).

    Args:
        load: gives the value of a name that is not bound (state, parameter, input, time), emitting what is needed, or
            raises ModelError.
        read: the same for the operators of `READS`, and for operators that make scalars of arrays.
    """

    def __init__(self, load: Callable[[str], str], read: Callable[[Apply], str]) -> None:
        self.lines: list[str] = []
        self.label = "entry"
        self.has_arrays = False
        self.declarations: dict[str, str] = {}
        self.operators: dict[str, Operator] = {}
        self._load, self._read = load, read
        self._known: dict[int | str | tuple[str, ...], str] = {}
        self._trail: list[int | str | tuple[str, ...]] = []
        self._count = 0

    # -- instructions and blocks ------------------------------------------------------------------------------------------

    def new(self, kind: str = "t") -> str:
        """Return a fresh value name."""
        self._count += 1
        return f"%{kind}{self._count}"

    def line(self, text: str) -> None:
        """Append an instruction without a value."""
        self.lines.append(text)

    def instruction(self, text: str, kind: str = "t") -> str:
        """Append an instruction and return its value."""
        value = self.new(kind)
        self.lines.append(f"{value} = {text}")
        return value

    def new_label(self, name: str) -> str:
        """Return a fresh label that begins with ``name``."""
        self._count += 1
        return f"{name}.{self._count}"

    def begin_block(self, label: str) -> None:
        """Begin a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def address(self, base: str, index: int, kind: str = "double") -> str:
        """Return the address of element ``index`` at pointer ``base``."""
        return self.instruction(f"getelementptr {kind}, ptr {base}, i64 {index}", "p")

    def load(self, base: str, index: int, kind: str = "double") -> str:
        """Return the value of element ``index`` at pointer ``base``."""
        return self.instruction(f"load {kind}, ptr {self.address(base, index, kind)}")

    def store(self, value: str, base: str, index: int, kind: str = "double") -> None:
        """Store element ``index`` at pointer ``base``."""
        self.line(f"store {kind} {value}, ptr {self.address(base, index, kind)}")

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget at the end of the block what became known inside: the code that follows is not dominated by it."""
        mark = len(self._trail)
        yield
        for key in self._trail[mark:]:
            del self._known[key]
        del self._trail[mark:]

    def _remember(self, key: int | str | tuple[str, ...], value: str) -> str:
        if key not in self._known:
            self._trail.append(key)
        self._known[key] = value
        return value

    # -- expressions ------------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: str) -> None:
        """Set the value of a name."""
        self._remember(name, value)

    def number(self, expr: Expr) -> str:
        """Return the value of an expression as a double; a relation or logic gives 1.0 or 0.0."""
        return self._number(self._value(expr))

    def condition(self, expr: Expr) -> str:
        """Return the value of an expression as i1: it holds where the number is not 0."""
        return self._condition(self._value(expr))

    def once(self, key: str | tuple[str, ...], make: Callable[[], str]) -> str:
        """Return the value stored under ``key`` at the current place; if there is none, ``make`` emits it."""
        value = self._known.get(key)
        return self._remember(key, make()) if value is None else value

    def knows(self, key: str | tuple[str, ...]) -> bool:
        """Return whether `once` would emit nothing."""
        return key in self._known

    def named(self, name: str) -> str:
        """Return the value of a name as a double."""
        return self._number(self._name(name))

    def relation_to_zero(self, relation: str, value: str) -> str:
        """Return 1.0 where ``value relation 0`` holds, else 0.0; "positive" is ">"."""
        return self.operation(">" if relation == "positive" else relation, value, double(0.0))

    def operation(self, op: str, *values: str) -> str:
        """Return an operator of the language on operands that are known by their values, as a double."""
        return self._number(self._by_entry(LANGUAGE[op], list(values)))

    def formula(self, rule: Expr, values: Mapping[str, str]) -> str:
        """Return an expression whose names have these values, as a double."""
        return self._number(self._expanded(rule, values))

    def hoist(self, expr: Expr, varying: Callable[[str], bool]) -> None:
        """Emit here the largest parts of ``expr`` that do not depend on a varying name, so that a loop may use them."""
        depends: dict[int, bool] = {}
        order = postorder(expr)
        for node in order:
            if type(node) is Name:
                depends[id(node)] = varying(node.name)
            elif type(node) is Apply:
                depends[id(node)] = any(depends[id(a)] for a in node.args)
            else:
                depends[id(node)] = False
        if not depends[id(expr)]:
            self._value(expr)
        for node in order:
            if type(node) is Apply and depends[id(node)]:
                for a in node.args:
                    if not depends[id(a)]:
                        self._value(a)

    def _value(self, expr: Expr) -> str:
        if type(expr) is Apply and id(expr) not in self._known:
            stack: list[Apply] = [expr]
            while stack:
                node = stack[-1]
                if id(node) in self._known:
                    stack.pop()
                    continue
                whole = node.op in READS or (self.has_arrays and is_array_operator(node.op))
                arguments = () if whole else node.args
                missing = [a for a in reversed(arguments) if type(a) is Apply and id(a) not in self._known]
                if missing:
                    stack.extend(missing)
                    continue
                self._remember(id(node), self._apply(node))
                stack.pop()
        return self._operand(expr)

    def _operand(self, expr: Expr) -> str:
        if type(expr) is Const:
            return double(expr.value)
        if type(expr) is Name:
            return self._name(expr.name)
        return self._known[id(expr)]

    def _name(self, name: str) -> str:
        value = self._known.get(name)
        return self._remember(name, self._load(name)) if value is None else value

    def _numbered(self, key: tuple[str, ...], text: str, kind: str = "t") -> str:
        value = self._known.get(key)
        return self._remember(key, self.instruction(text, kind)) if value is None else value

    def _number(self, value: str) -> str:
        return self._numbered(("number", value), f"uitofp i1 {value} to double") if value.startswith("%b") else value

    def _condition(self, value: str) -> str:
        if value.startswith("%b"):
            return value
        return self._numbered(("condition", value), f"fcmp une double {value}, {double(0.0)}", "b")

    def _apply(self, node: Apply) -> str:
        op = node.op
        if op in READS or (self.has_arrays and is_array_operator(op)):
            return self._read(node)
        values = [self._operand(a) for a in node.args]
        if type(op) is Operator:
            return self._call_operator(op, [self._number(v) for v in values])
        if op == "**" and type(node.args[1]) is Const and node.args[1].value in (2.0, -1.0):
            return self._integer_power(self._number(values[0]), node.args[1].value)
        entry = entry_of(op)
        if entry.code.how is How.NONE or entry.code.how.makes_arrays:
            raise ModelError(f"'{node}' has no meaning here", expected="an expression without der, pre and reinit")
        return self._by_entry(entry, values)

    def _by_entry(self, entry: Entry, values: list[str]) -> str:
        """Return an operator of the language, by the machine code that its entry names."""
        how, what, _ = entry.code
        if how is How.EXPRESSION:
            return self._expanded(parse(what), dict(zip(entry.names, values, strict=True)))
        if how is How.LOGIC:
            return self._logic(what, [self._condition(v) for v in values])
        if how is How.SELECT:
            return self._select(self._condition(values[0]), self._number(values[1]), self._number(values[2]))
        numbers = [self._number(v) for v in values]
        if how is How.INSTRUCTION:
            return self._numbered((what, *numbers), f"{what} double {', '.join(numbers)}")
        return self._compare(what, *numbers) if how is How.COMPARE else self._call_math(what, numbers)

    def _expanded(self, rule: Expr, values: Mapping[str, str]) -> str:
        """Return an operator that is written in terms of others."""
        if type(rule) is Const:
            return double(rule.value)
        if type(rule) is Name:
            return values[rule.name]
        assert type(rule) is Apply
        return self._by_entry(LANGUAGE[rule.op], [self._expanded(a, values) for a in rule.args])

    def _integer_power(self, base: str, exponent: float) -> str:
        if exponent == 2.0:
            return self._numbered(("fmul", base, base), f"fmul double {base}, {base}")
        return self._numbered(("fdiv", double(1.0), base), f"fdiv double {double(1.0)}, {base}")

    def _compare(self, how: str, a: str, b: str) -> str:
        return self._numbered((how, a, b), f"fcmp {how} double {a}, {b}", "b")

    def _select(self, condition: str, a: str, b: str) -> str:
        return self._numbered(("if", condition, a, b), f"select i1 {condition}, double {a}, double {b}")

    def _logic(self, op: str, v: list[str]) -> str:
        if op == "not":
            return self._numbered((op, *v), f"xor i1 {v[0]}, true", "b")
        return self._numbered((op, *v), f"{op} i1 {v[0]}, {v[1]}", "b")

    def _call_operator(self, op: Operator, v: list[str]) -> str:
        """Return a function of the model; one call gives all results."""
        symbol, n = op.symbol, op.function.outputs
        self.operators[symbol] = op
        self.declarations.setdefault(symbol, _operator_call(symbol, len(v), n))
        call = f'call [{n} x double] @"call.{symbol}"({", ".join(f"double {a}" for a in v)})'
        results = self._numbered((symbol, *v), call, "r")
        return self._numbered((results, str(op.result)), f"extractvalue [{n} x double] {results}, {op.result}")

    def _call_math(self, function: str, v: list[str]) -> str:
        """Return an intrinsic of LLVM, or a function of the C library."""
        symbol = function if function.startswith("llvm.") else MATH_PREFIX + function
        types = ", ".join("double" for _ in v)
        self.declarations.setdefault(symbol, f"declare double @{symbol}({types}) memory(none) nounwind willreturn")
        return self._numbered((symbol, *v), f"call double @{symbol}({', '.join(f'double {a}' for a in v)})")


def _operator_call(symbol: str, n_in: int, n_out: int) -> str:
    """Return the IR of a function that returns all results of the external function ``symbol``, NaN where that reports a
    failure.
    """
    result = f"[{n_out} x double]"
    failed = ", ".join(["double 0x7FF8000000000000"] * n_out)
    types = "".join(", double" for _ in range(n_in))
    given = ", ".join(f"double %a{k}" for k in range(n_in))
    passed = "".join(f", double %a{k}" for k in range(n_in))
    return f"""declare i32 @"{symbol}"(ptr, ptr{types}) nounwind willreturn
define internal {result} @"call.{symbol}"({given}) memory(none) nounwind willreturn {{
  %results = alloca {result}
  %unused = alloca ptr
  %status = call i32 @"{symbol}"(ptr %results, ptr %unused{passed})
  %good = icmp eq i32 %status, 0
  %values = load {result}, ptr %results
  %checked = select i1 %good, {result} %values, {result} [{failed}]
  ret {result} %checked
}}"""
