"""Statements of algorithms, executed with expressions in place of numbers.

What a variable is worth after them is an expression of what it was worth before. Repetitions whose range is known are unrolled,
branches whose condition is not known are both executed and joined by ``if``. What that cannot do is said by `Unexpandable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...model.expression import Const, Equation, Expr, apply
from .terms.context import Evaluation, Locals
from .terms.refusals import Refusal
from .terms.subscripts import assigned, constant_subscripts, joined_path
from .terms.values import Record, Value, choice, is_constant, merged, scalars

MOST_STEPS = 20_000
"""Statements that are executed in one algorithm."""


class Unexpandable(Refusal):
    """The statements depend on numbers that are not known: a function that is called at run time has to be made of them."""


class _Ended(Exception):
    """A repetition or the whole function ends here: ``break`` or ``return``."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class Execution:
    """Executes statements; ``local`` has the values of the variables and is changed.

    Attributes:
        declare: gives the value of a variable that is assigned and not local (model algorithms), or None.
        asserted: called with condition, message and level of each assertion of a model.
        claimed: called with condition, message, level and parts of each assertion of a function.
        others: equations that a ``when`` has besides what its statements assign.
    """

    def __init__(
        self,
        interpreter: Evaluation,
        local: Locals,
        asserted: Callable[[Expr, str, str], None] | None = None,
        when: Callable[[Any, Execution], None] | None = None,
        claimed: Callable[[Expr, str, str, Any], None] | None = None,
    ) -> None:
        self.interpreter, self.local, self.asserted, self.when, self.claimed = interpreter, local, asserted, when, claimed
        self.conditions: list[Expr] = []
        self.ended: dict[str, Expr] = {"return": Const(0.0), "break": Const(0.0)}
        self.reinits: list[tuple[Expr, Expr]] = []
        self.terminations: list[str] = []
        self.others: list[Equation] = []
        self.steps = 0

    def run(self, statements: Sequence[Any]) -> None:
        """Execute a whole body; ``return`` ends it."""
        try:
            self.block(statements)
        except _Ended as end:
            if end.what == "break":
                raise Refusal("'break' stands in no repetition") from None

    def block(self, statements: Sequence[Any]) -> None:
        """Execute statements in their order."""
        for statement in statements:
            if isinstance(statement, str):
                kind, parts = statement, {}
            else:
                ((kind, parts),) = statement.items()
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Unexpandable("the algorithm has too many steps")
            method = _KINDS.get(kind)
            try:
                if method is None:
                    raise Refusal(f"a statement of the kind '{kind}' is not read")
                with self.interpreter.reading.asserted.under(apply("not", self.over)):
                    method(self, parts)
            except Refusal as refusal:
                self.interpreter.reading.locate(refusal, parts)
                raise

    # -- assignments ----------------------------------------------------------------------------------------------------

    def _assignment(self, parts: Any) -> None:
        self.assign(parts["comp"], self.interpreter.value(parts["value"], self.local))

    def assign(self, reference: Any, value: Value) -> None:
        """Assign a value to a variable, or to a part of it."""
        pieces = reference["parts"]
        if pieces[0]["ident"] not in self.local and len(pieces) > 1:
            pieces = joined_path(pieces, self.local)
            if not pieces:
                raise Refusal(f"'{'.'.join(p['ident'] for p in reference['parts'])}' cannot be assigned")
        first = pieces[0]["ident"]
        old = self.local.get(first)
        new = self._replaced(old, pieces, 0, value, first)
        over = self.over
        self.local[first] = new if type(over) is Const else _either(over, old, new)

    @property
    def over(self) -> Expr:
        """True if the repetition or the function has ended already, by ``break`` or ``return`` under a condition."""
        return apply("or", self.ended["return"], self.ended["break"])

    def _replaced(self, old: Value, pieces: Sequence[Any], k: int, value: Value, name: str) -> Value:
        """Return ``old`` with the part that the pieces from the k-th on mean replaced."""
        subscripts = [
            self.interpreter.subscript(s, old.shape[i] if isinstance(old, np.ndarray) else 1, self.local)
            for i, s in enumerate(pieces[k]["subs"])
        ]
        if k + 1 < len(pieces):
            value = self._in_field(old, subscripts, pieces, k, value, name)
        if not subscripts:
            return _shaped_like(old, value, name)
        if not isinstance(old, np.ndarray):
            raise Unexpandable(f"an element of '{name}' is assigned before its size is known")
        subscripts = [self.interpreter.known(s) if self._is_parametric(s) else s for s in subscripts]
        if all(is_constant(s) for s in subscripts):
            return assigned(old, subscripts, value)
        return self._somewhere(old, subscripts, value)

    def _is_parametric(self, value: Value) -> bool:
        return self.interpreter.reading.is_parametric(value)

    def _in_field(
        self, old: Value, subscripts: Sequence[Value], pieces: Sequence[Any], k: int, value: Value, name: str
    ) -> Value:
        record = old
        if subscripts:
            from .terms.subscripts import indexed

            assert isinstance(old, np.ndarray)
            record = indexed(old, subscripts, self.interpreter)
        field = pieces[k + 1]["ident"]
        if not isinstance(record, Record):
            raise Refusal(f"'{name}.{field}' is assigned, but '{name}' is no record")
        return Record(
            record.type, {**record.fields, field: self._replaced(record.fields.get(field), pieces, k + 1, value, field)}
        )

    def _somewhere(self, old: np.ndarray, subscripts: Sequence[Value], value: Value) -> np.ndarray:
        """Return the array after an assignment to an element whose subscripts are not known: each one, where it is the one."""
        if len(subscripts) != old.ndim or any(isinstance(s, np.ndarray) for s in subscripts):
            raise Unexpandable("a part of an array is assigned whose subscripts are not known")
        result = old.copy()
        for index in np.ndindex(*old.shape):
            condition: Expr = Const(1.0)
            for subscript, k in zip(subscripts, index, strict=True):
                condition = apply("and", condition, self.interpreter.relation("==", subscript, Const(k + 1)))
            result[index] = choice(condition, value, old[index])  # type: ignore[arg-type]
        return result

    def _call(self, parts: Any) -> None:
        """Execute ``(a, b) := f(u)``, or a function without results."""
        functions = self.interpreter.reading.functions
        results = functions.results({"name": parts["comp"], **parts}, self.local)
        for target, value in zip(parts.get("outputs") or (), results, strict=False):
            reference = target_of(target)
            if reference is not None:
                self.assign(reference, value)

    # -- control --------------------------------------------------------------------------------------------------------

    def _if(self, parts: Any) -> None:
        blocks = [(block["cond"], block["stmts"]) for block in parts["cond_blocks"]]
        self._branches(blocks, parts.get("else_block") or ())

    def _branches(self, blocks: Sequence[tuple[Any, Any]], otherwise: Sequence[Any]) -> None:
        if not blocks:
            self.block(otherwise)
            return
        (condition, statements), *rest = blocks
        c = self.interpreter.scalar(condition, self.local)
        if type(c) is not Const and self._is_parametric(c) and not self.interpreter.in_function:
            c = Const(self.interpreter.reading.parameters.premise(c))
        if type(c) is Const:
            if c.value:
                self.block(statements)
            else:
                self._branches(rest, otherwise)
            return
        before, ended = dict(self.local), dict(self.ended)
        self._branch(c, lambda: self.block(statements))
        first, first_ended = dict(self.local), dict(self.ended)
        self._restore(before)
        self.ended = ended
        self._branch(apply("not", c), lambda: self._branches(rest, otherwise))
        for name in {**first, **self.local}:
            self.local[name] = _either(c, first.get(name), self.local.get(name))
        self.ended = {what: choice(c, first_ended[what], self.ended[what]) for what in self.ended}

    def _branch(self, condition: Expr, execute: Callable[[], None]) -> None:
        """Execute a branch; where it ends the repetition or the function, what follows counts no more."""
        self.conditions.append(condition)
        try:
            with self.interpreter.reading.asserted.under(condition):
                execute()
        except _Ended as end:
            self.ended[end.what] = Const(1.0)
        finally:
            self.conditions.pop()

    def _restore(self, values: Mapping[str, Any]) -> None:
        self.local.clear()
        self.local.update(values)

    def _for(self, parts: Any) -> None:
        self._repeat(list(parts["indices"]), parts["equations"] if "equations" in parts else parts["stmts"], True)

    def _repeat(self, indices: Sequence[Any], body: Sequence[Any], outermost: bool = False) -> None:
        if not indices:
            self.block(body)
            return
        first, *rest = indices
        name = first["ident"] if isinstance(first["ident"], str) else first["ident"]["text"]
        outer, begun = self.local.get(name), self.ended["break"]
        shadows = name in self.local
        try:
            for k in self._range(first["range"]):
                self.local[name] = k
                self._repeat(rest, body)
        except _Ended as end:
            if end.what == "return":
                raise
        if outermost:
            self.ended["break"] = begun
        if shadows:
            self.local[name] = outer
        else:
            self.local.pop(name, None)

    def _range(self, tree: Any) -> Iterator[Value]:
        try:
            values = self.interpreter.value(tree, self.local)
            return iter(self.interpreter.known(values))
        except Refusal as refusal:
            if isinstance(refusal, Unexpandable):
                raise
            raise Unexpandable(f"a repetition whose range is not known: {refusal.message}") from refusal

    def _while(self, parts: Any) -> None:
        block = parts.get("block", parts)
        try:
            while True:
                c = self.interpreter.scalar(block["cond"], self.local)
                if type(c) is not Const:
                    raise Unexpandable("a repetition as long as a condition holds that changes")
                if not c.value:
                    return
                if type(self.over) is not Const:
                    raise Unexpandable("a repetition that ends under a condition that changes")
                self.block(block["stmts"])
        except _Ended as end:
            if end.what == "return":
                raise

    def _return(self, parts: Any) -> None:
        raise _Ended("return")

    def _break(self, parts: Any) -> None:
        raise _Ended("break")

    def _assert(self, parts: Any) -> None:
        if self.asserted is None and self.claimed is None:
            return
        condition = self.interpreter.scalar(parts["condition"], self.local)
        message, level = said_by(self.interpreter, parts, self.local)
        if self.claimed is not None:
            return self.claimed(condition, message, level, parts)
        for outer in reversed(self.conditions):
            condition = apply("or", apply("not", outer), condition)
        assert self.asserted is not None
        self.asserted(apply("or", self.over, condition), message, level)

    def _reinit(self, parts: Any) -> None:
        if self.conditions:
            raise Refusal("'reinit' under a condition within 'when' is not read")
        tree = parts["variable"] if "variable" in parts else parts["state"]
        name = ".".join(p["ident"] + constant_subscripts(p["subs"]) for p in tree["parts"])
        states = self.interpreter.reading.names.value(name, tree, self.interpreter, None)
        values = self.interpreter.value(parts["value"], self.local)
        self.reinits += zip(scalars(states), scalars(values), strict=True)

    def _when(self, parts: Any) -> None:
        if self.when is None:
            raise Refusal("'when' stands in a function")
        self.when(parts, self)


def said_by(interpreter: Evaluation, parts: Any, local: Locals) -> tuple[str, str]:
    """Return the message and level of an assertion."""
    level = interpreter.value(parts["level"], local) if parts.get("level") else Const(2)
    return str(interpreter.value(parts["message"], local)), "warning" if level == Const(1) else "error"


def _either(condition: Expr, a: Value, b: Value) -> Value:
    """Return the value of a variable after two branches; nothing, if one of them leaves it without a value."""
    if a is b:
        return a
    if a is None or b is None:
        return a if b is None else b
    return merged(lambda x, y: _element_choice(condition, x, y), a, b)


def _element_choice(condition: Expr, x: Value, y: Value) -> Value:
    if x is None or y is None:
        return x if y is None else y
    if isinstance(x, Record) or isinstance(y, Record):
        return merged(lambda p, q: _element_choice(condition, p, q), x, y)
    return choice(condition, x, y)


def _shaped_like(old: Value, value: Value, name: str) -> Value:
    if isinstance(old, np.ndarray) and isinstance(value, Expr):
        raise Refusal(f"the array '{name}' is assigned a scalar")
    if isinstance(value, np.ndarray) and isinstance(old, Expr) and value.size == 1:
        return value.flat[0]
    return value


def target_of(tree: Any) -> Any:
    """Return the reference that a result of a function is assigned to; None where it is left out."""
    if tree is None or tree == {} or "Empty" in tree:
        return None
    if "parts" in tree:
        return tree
    if "VarRef" in tree:
        reference = tree["VarRef"]["name"]["component_ref"]
        subscripts = tree["VarRef"]["subscripts"]
        if subscripts:
            *pieces, last = reference["parts"]
            return {"parts": [*pieces, {**last, "subs": [*last["subs"], *subscripts]}]}
        return reference
    raise Refusal(f"a result cannot be assigned to a {next(iter(tree))}")


_KINDS: dict[str, Callable[[Execution, Any], None]] = {
    "Assignment": Execution._assignment,
    "FunctionCall": Execution._call,
    "If": Execution._if,
    "For": Execution._for,
    "While": Execution._while,
    "Return": Execution._return,
    "Break": Execution._break,
    "Assert": Execution._assert,
    "When": Execution._when,
    "Reinit": Execution._reinit,
    "Empty": lambda execution, parts: None,
}
