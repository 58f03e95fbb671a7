"""Functions that are called at run time: those whose repetitions depend on numbers that are not known before.

Their statements become those of a `FunctionDefinition` of scalars, for arguments of the given shapes. Functions that they call
become part of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.algorithms import Assign, Break, ForStatement, FunctionDefinition, IfStatement, Return, Statement, WhileStatement
from ...model.expression import Const, Expr, Name, apply, names
from ...model.functions import UserFunction
from .statements import said_by
from .terms.asserted import Asserted
from .terms.context import Context, Locals
from .terms.refusals import Refusal
from .terms.subscripts import assigned
from .terms.values import Record, Value, is_constant, scalars

_NOT_REAL = ("Integer", "Boolean", "String")

MOST_TURNS = 10_000_000
"""Repetitions of one call of a function, of all its loops together: more are taken for a loop that does not end."""


class FunctionWriter:
    """Writes the statements of one function; `Functions` gives it the calls that cannot be expanded.

    Attributes:
        flags: variables that are 1, or 0 where an assertion did not hold, with that.
        turns: variable that counts repetitions; None if there is no loop of unknown length.
    """

    def __init__(self, reading: Context) -> None:
        self.reading = reading
        self.local_names: list[str] = []
        self.block: list[Statement] = []
        self.flags: list[tuple[Name, Asserted]] = []
        self.turns: Name | None = None
        self._numbers = itertools.count(1)
        self._definitions: list[Mapping[str, Any]] = []

    def new(self, wanted: str) -> Name:
        """Return a new variable."""
        name = f"{re.sub(r'[^A-Za-z0-9_]', '_', wanted)}_{next(self._numbers)}"
        self.local_names.append(name)
        return Name(name)

    def variable_like(self, value: Value, wanted: str) -> Value:
        """Return the new variables in the places of all scalars."""
        if isinstance(value, Record):
            return Record(value.type, {key: self.variable_like(v, f"{wanted}_{key}") for key, v in value.fields.items()})
        if isinstance(value, np.ndarray):
            result = np.empty(value.shape, dtype=object)
            for index in np.ndindex(*value.shape):
                result[index] = self.variable_like(value[index], f"{wanted}_{'_'.join(str(k + 1) for k in index)}")
            return result
        if not isinstance(value, Expr):
            raise Refusal(
                f"'{wanted}' in a function that is called at run time is no number", found=str(value)[:80], expected="numbers"
            )
        return self.new(wanted)

    def set(self, targets: Value, values: Value) -> None:
        """Assign all scalars at once."""
        left, right = list(scalars(targets)), list(scalars(values))
        if len(left) != len(right):
            raise Refusal(
                "the sides of an assignment have different shapes", found=f"{len(right)} scalars", expected=str(len(left))
            )
        pairs = [(t, v) for t, v in zip(left, right, strict=True) if v is not None and v is not t]
        later: dict[str, Expr] = {}
        used = set().union(*(names(v) for _, v in pairs)) if len(pairs) > 1 else set()
        for target, value in pairs:
            if target.name in used:
                later[target.name] = self.new(target.name)
                self.block.append(Assign(later[target.name].name, value))  # type: ignore[attr-defined]
            else:
                self.block.append(Assign(target.name, value))
        self.block += [Assign(name, value) for name, value in later.items()]

    # -- a body ---------------------------------------------------------------------------------------------------------

    def body(self, definition: Mapping[str, Any], local: Locals) -> list[Value]:
        """Append the statements of a function whose inputs are in ``local``; its results, as variables."""
        functions = self.reading.functions
        for variable in (*definition["outputs"], *definition["locals"]):
            local[variable["name"]] = None
        for variable in (*definition["outputs"], *definition["locals"]):
            name = variable["name"]
            value = functions.initial(variable, local)
            local[name] = self.variable_like(Const(0.0) if value is None else _filled(value), name)
            if value is not None:
                self.set(local[name], value)
        self._definitions.append(definition)
        if len(self._definitions) > 1 and _returns(definition["body"]):
            raise Refusal(f"'{definition['name']}' returns early and is called by a function that is called at run time")
        self.statements(definition["body"], local)
        self._definitions.pop()
        return [local[variable["name"]] for variable in definition["outputs"]]

    def statements(self, given: Sequence[Any], local: Locals) -> list[Statement]:
        """Append the statements of a section."""
        for statement in given:
            ((kind, parts),) = statement.items() if isinstance(statement, Mapping) else ((statement, {}),)
            method = _STATEMENTS.get(kind)
            try:
                if method is None:
                    raise Refusal(f"a statement of the kind '{kind}' is not read in a function that is called at run time")
                method(self, parts, local)
            except Refusal as refusal:
                self.reading.locate(refusal, parts)
                raise
        return self.block

    def _inner(self, given: Sequence[Any], local: Locals) -> list[Statement]:
        outer, self.block = self.block, []
        self.statements(given, local)
        inner, self.block = self.block, outer
        return inner

    def _assignment(self, parts: Any, local: Locals) -> None:
        self._give(parts["comp"]["parts"], self.reading.interpreter.value(parts["value"], local), local)

    def _give(self, pieces: Sequence[Any], value: Value, local: Locals) -> None:
        target = local[pieces[0]["ident"]]
        for k, piece in enumerate(pieces):
            if k:
                target = target.fields[piece["ident"]]
            if not piece["subs"]:
                continue
            interpreter = self.reading.interpreter
            subscripts = [interpreter.subscript(s, target.shape[i], local) for i, s in enumerate(piece["subs"])]
            if all(is_constant(s) for s in subscripts):
                places = np.arange(target.size).reshape(target.shape).astype(object)
                marked = assigned(places, subscripts, None)
                target = target[np.vectorize(lambda p: p is None, otypes=[bool])(marked)]
                value = value if not isinstance(value, np.ndarray) else value.reshape(-1)
                target = target[0] if not isinstance(value, np.ndarray) and target.size == 1 else target
            else:
                self._somewhere(target, subscripts, value)
                return
        self.set(target, value)

    def _somewhere(self, target: Any, subscripts: Sequence[Value], value: Value) -> None:
        """Assign the one element that the subscripts mean."""
        if len(subscripts) != target.ndim or isinstance(value, np.ndarray):
            raise Refusal("a part of an array is assigned whose subscripts are not known")
        for index in np.ndindex(*target.shape):
            condition: Expr = Const(1.0)
            for subscript, k in zip(subscripts, index, strict=True):
                condition = apply("and", condition, self.reading.interpreter.relation("==", subscript, Const(k + 1)))
            self.block.append(IfStatement([(condition, [Assign(target[index].name, value)])]))

    def _call(self, parts: Any, local: Locals) -> None:
        results = self.reading.functions.results({"name": parts["comp"], **parts}, local)
        for output, value in zip(parts.get("outputs") or (), results, strict=False):
            reference = output if "parts" in output else output.get("VarRef", {}).get("name", {}).get("component_ref")
            if reference:
                self._give(reference["parts"], value, local)

    def _if(self, parts: Any, local: Locals) -> None:
        blocks = [(block["cond"], block["stmts"]) for block in parts["cond_blocks"]]
        self._branches(blocks, parts.get("else_block") or (), local)

    def _branches(self, blocks: Sequence[tuple[Any, Any]], otherwise: Sequence[Any], local: Locals) -> None:
        if not blocks:
            self.statements(otherwise, local)
            return
        (condition, given), *rest = blocks
        c = self.reading.interpreter.scalar(condition, local)
        if type(c) is Const:
            if c.value:
                self.statements(given, local)
            else:
                self._branches(rest, otherwise, local)
            return
        then = self._inner(given, local)
        outer, self.block = self.block, []
        self._branches(rest, otherwise, local)
        other, self.block = self.block, outer
        self.block.append(IfStatement([(c, then)], other))

    def _for(self, parts: Any, local: Locals) -> None:
        self._repeat(list(parts["indices"]), parts["equations"] if "equations" in parts else parts["stmts"], local)

    def _repeat(self, indices: Sequence[Any], given: Sequence[Any], local: Locals) -> None:
        if not indices:
            self.statements(given, local)
            return
        first, *rest = indices
        name = first["ident"] if isinstance(first["ident"], str) else first["ident"]["text"]
        span = first["range"].get("Range")
        if span is None:
            raise Refusal("a repetition over other values than a range is not read in a function that is called at run time")
        interpreter = self.reading.interpreter
        begin, end = interpreter.scalar(span["start"], local), interpreter.scalar(span["end"], local)
        step = interpreter.scalar(span["step"], local) if span.get("step") else Const(1)
        if type(step) is not Const:
            raise Refusal("the step of a repetition is not known")
        index = Name(f"{name}_{next(self._numbers)}")
        outer, self.block = self.block, []
        before = local.get(name)
        local[name] = index
        self._repeat(rest, given, local)
        local[name] = before
        inner, self.block = self.block, outer
        if type(begin) is Const and type(end) is Const and abs(end.value - begin.value) < MOST_TURNS:
            self.block.append(ForStatement(index.name, begin, end, inner, int(step.value)))
        else:
            self.block.append(ForStatement(index.name, begin, end, self._counted(inner), int(step.value)))
            self._claim_its_end(span)

    def _while(self, parts: Any, local: Locals) -> None:
        block = parts.get("block", parts)
        condition = self.reading.interpreter.scalar(block["cond"], local)
        self.block.append(WhileStatement(condition, self._counted(self._inner(block["stmts"], local))))
        self._claim_its_end(block["cond"])

    def _counted(self, inner: Sequence[Statement]) -> list[Statement]:
        """Return the statements of a loop that leave it after `MOST_TURNS` repetitions in all."""
        if self.turns is None:
            self.turns = self.new("turns")
        counted = Assign(self.turns.name, apply("+", self.turns, Const(1.0)))
        return [counted, IfStatement([(apply(">", self.turns, Const(float(MOST_TURNS))), [Break()])]), *inner]

    def _claim_its_end(self, tree: Any) -> None:
        """Append a statement that remembers whether the loop before it ended by itself; ``tree`` is its condition or range."""
        assert self.turns is not None
        ((_, parts),) = tree.items() if len(tree) == 1 else (("", tree),)
        place = self.reading.source.places.of(parts.get("span"))
        message = f"a loop of the function '{self._definitions[-1]['name']}' does not end within {MOST_TURNS} repetitions"
        condition = apply("<=", self.turns, Const(float(MOST_TURNS)))
        self.claim(Asserted(condition, f"{message}{f' ({place})' if place else ''}", "error", "the end of the loop"))

    def _break(self, parts: Any, local: Locals) -> None:
        self.block.append(Break())

    def _return(self, parts: Any, local: Locals) -> None:
        self.block.append(Return())

    def _assert(self, parts: Any, local: Locals) -> None:
        interpreter = self.reading.interpreter
        condition = interpreter.scalar(parts["condition"], local)
        message, level = said_by(interpreter, parts, local)
        self.claim(asserted_by(self.reading, self._definitions[-1], condition, message, level, parts))

    def claim(self, asserted: Asserted) -> None:
        """Append a statement that remembers whether an assertion holds."""
        self.flags.append((self.new("holds"), asserted))
        self.block.append(IfStatement([(apply("not", asserted.condition), [Assign(self.flags[-1][0].name, Const(0.0))])]))

    def _empty(self, parts: Any, local: Locals) -> None:
        """Do nothing, for an empty statement."""


_STATEMENTS: Mapping[str, Callable[[FunctionWriter, Any, Locals], None]] = {
    "Assignment": FunctionWriter._assignment,
    "FunctionCall": FunctionWriter._call,
    "If": FunctionWriter._if,
    "For": FunctionWriter._for,
    "While": FunctionWriter._while,
    "Break": FunctionWriter._break,
    "Return": FunctionWriter._return,
    "Assert": FunctionWriter._assert,
    "Empty": FunctionWriter._empty,
}


def compiled_call(reading: Context, definition: Mapping[str, Any], inputs: Locals) -> list[Value]:
    """Return the results of a function as a call of a function that is compiled, for inputs by name."""
    made = _Compiled(reading, definition, inputs)
    calls = iter(made.differentiable().call(definition["name"], made.arguments))
    for asserted in made.asserted():
        reading.asserted.add(asserted)
    return [_replaced(result, calls) for result in made.results]


def asserted_by(
    reading: Context, definition: Mapping[str, Any], condition: Expr, message: str, level: str, parts: Any
) -> Asserted:
    """Return an assertion of a function, with its place; the message names both."""
    place = reading.source.places.of(parts.get("span"))
    told = f"{message} (assertion of the function '{definition['name']}'{f', {place}' if place else ''})"
    (written,) = parts["condition"].values()
    return Asserted(condition, told, level, reading.source.places.quoted(written.get("span")) or str(condition))


class _Compiled:
    """A function of scalars that is compiled, made for the shapes and the constants of some values of its inputs.

    Attributes:
        scalars_of: names of the scalars of an input, by its name; none of what is compiled in.
        arguments: values of all these scalars.
        results: variables of the function in the places of its results.
    """

    def __init__(self, reading: Context, definition: Mapping[str, Any], inputs: Locals) -> None:
        self._reading, self._definition, self._inputs = reading, definition, inputs
        writer, local = FunctionWriter(reading), Locals()
        self.scalars_of: dict[str, list[str]] = {}
        self.arguments: list[Expr] = []
        for variable in definition["inputs"]:
            name, value = variable["name"], inputs[variable["name"]]
            whole = variable["type_name"] in _NOT_REAL or not _is_plain(value)
            if whole and (not _is_plain(value) or is_constant(value)):
                local[name] = value
                self.scalars_of[name] = []
                continue
            local[name] = writer.variable_like(value, name)
            self.scalars_of[name] = [n.name for n in scalars(local[name])]
            self.arguments += list(scalars(value))
        writer.local_names.clear()
        functions = reading.functions
        outer, functions.writer = functions.writer, writer
        try:
            with reading.asserted.apart(writer.claim):
                self.results = writer.body(definition, local)
        finally:
            functions.writer = outer
        self._writer = writer
        self._function = self._computing([n.name for result in self.results for n in scalars(result)])

    def _computing(self, outputs: Sequence[str], more: str = "") -> UserFunction:
        """Return the function that computes some of the variables."""
        own = [n for n in self._writer.local_names if n not in set(outputs)]
        name = re.sub(r"[^A-Za-z0-9_]", "_", self._definition["name"]) + more
        inputs = [scalar for found in self.scalars_of.values() for scalar in found]
        holds = [Assign(flag.name, Const(1.0)) for flag, _ in self._writer.flags]
        turns = [] if self._writer.turns is None else [Assign(self._writer.turns.name, Const(0.0))]
        return FunctionDefinition(name, inputs, outputs, [*holds, *turns, *self._writer.block], own).function()

    def asserted(self) -> list[Asserted]:
        """Return the assertions of the function, as a function of the same inputs."""
        flags = self._writer.flags
        if not flags:
            return []
        calls = self._computing([flag.name for flag, _ in flags], "_asserts").call(
            f"{self._definition['name']}_asserts", self.arguments
        )
        pairs = zip(flags, calls, strict=True)
        return [one._replace(condition=apply("noEvent", apply(">", call, Const(0.5)))) for (_, one), call in pairs]

    def differentiable(self) -> UserFunction:
        """Return the function with its derivative, where an annotation names one (Modelica Language Specification 12.7.1).

        That of a derivative is one if it is a function of all its inputs; one of ``order=2`` is not, see `UserFunction`.
        """
        entry = self._annotated()
        if entry is None:
            return self._function
        name = entry["derivative_function"]["name"]
        derivative = self._reading.functions.definitions.get(name)
        if derivative is None:
            raise Refusal(f"the derivative '{name}' of '{self._definition['name']}' is not among the functions")
        given = self._definition["inputs"]
        kinds = {
            variable["name"]: "NoDerivative" if variable["type_name"] in _NOT_REAL else kind
            for variable, kind in zip(given, entry["inputs"], strict=True)
        }
        followed = [name for name, kind in kinds.items() if kind == "Differentiate"]
        if len(derivative["inputs"]) != len(given) + len(followed):
            raise Refusal(
                f"the derivative '{name}' of '{self._definition['name']}' does not fit",
                found=f"{len(derivative['inputs'])} inputs",
                expected=f"{len(given) + len(followed)}: those of the function, then the derivatives of {', '.join(followed)}",
            )
        values = [self._inputs[key] for key in (*kinds, *followed)]
        made = _Compiled(self._reading, derivative, dict(zip((v["name"] for v in derivative["inputs"]), values, strict=True)))
        return replace(
            self._function,
            derivative=made.differentiable(),
            no_derivative=self._arguments_of(key for key, kind in kinds.items() if kind == "NoDerivative"),
            zero_derivative=self._arguments_of(key for key, kind in kinds.items() if kind == "ZeroDerivative"),
        )

    def _annotated(self) -> Mapping[str, Any] | None:
        """Return the first annotation whose inputs of zeroDerivative do not change here; None if there is none."""
        names = [variable["name"] for variable in self._definition["inputs"]]
        for entry in self._definition.get("derivatives") or ():
            still = [name for name, kind in zip(names, entry["inputs"], strict=True) if kind == "ZeroDerivative"]
            if entry["order"] == 1 and all(self._reading.is_parametric(self._inputs[name]) for name in still):
                return entry  # type: ignore[no-any-return]
        return None

    def _arguments_of(self, inputs: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the Python function's arguments for inputs of the definition."""
        wanted = [scalar for name in inputs for scalar in self.scalars_of[name]]
        return tuple(name for name in self._function.arguments if name.removeprefix("v_") in wanted)


def _replaced(value: Value, calls: Any) -> Value:
    """Call in the places of all scalars."""
    if isinstance(value, Record):
        return Record(value.type, {key: _replaced(v, calls) for key, v in value.fields.items()})
    if isinstance(value, np.ndarray):
        result = np.empty(value.shape, dtype=object)
        for index in np.ndindex(*value.shape):
            result[index] = _replaced(value[index], calls)
        return result
    return next(calls)


def _is_plain(value: Value) -> bool:
    return all(isinstance(e, Expr) for e in scalars(value))


def _filled(value: Value) -> Value:
    """Return a value with numbers in the places of what has none."""
    if isinstance(value, Record):
        return Record(value.type, {key: _filled(Const(0.0) if v is None else v) for key, v in value.fields.items()})
    return value


def _returns(tree: Any) -> bool:
    if isinstance(tree, Mapping):
        return "Return" in tree or any(map(_returns, tree.values()))
    return (isinstance(tree, list) and any(map(_returns, tree))) or tree == "Return"
