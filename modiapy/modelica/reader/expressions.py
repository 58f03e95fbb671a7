"""The interpreter of typed expression trees: what an expression is worth, in terms of the variables and parameters.

A tree is a dictionary of one entry, its kind and its parts (`Interpreter._KINDS` has all kinds). Everything is elementwise for
arrays; subtrees that several expressions use are values that several expressions share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...model.expression import TIME, Apply, Const, Expr, apply
from ...model.limits import MOST_NUMBERS
from .builtins import BUILTINS, SIZES, UNEVALUATED, side_by_side
from .terms.complex_numbers import are_equal, minus, negated, over, plus, raised, times
from .terms.context import Context, Locals, ModelLocals, Tree
from .terms.refusals import Refusal
from .terms.subscripts import indexed, joined_path
from .terms.values import (
    Record,
    Value,
    array_of,
    boolean,
    choice,
    each,
    is_constant,
    matrix_power,
    merged,
    product,
    quotient,
    relation,
)

_RELATIONS = {"Eq": "==", "Neq": "!=", "Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">="}


def _joined(a: Value, b: Value) -> Value:
    return a + b


_BINARY: dict[str, Callable[[Value, Value], Value]] = {
    "Add": lambda a, b: each(plus, a, b),
    "Sub": lambda a, b: each(minus, a, b),
    "Mul": product,
    "Div": quotient,
    "Exp": matrix_power,
    "AddElem": lambda a, b: each(plus, a, b),
    "SubElem": lambda a, b: each(minus, a, b),
    "MulElem": lambda a, b: each(times, a, b),
    "DivElem": lambda a, b: each(over, a, b),
    "ExpElem": lambda a, b: each(raised, a, b),
    "And": lambda a, b: each(lambda x, y: apply("and", x, y), a, b),
    "Or": lambda a, b: each(lambda x, y: apply("or", x, y), a, b),
}
_UNARY: dict[str, Callable[[Value], Value]] = {
    "Minus": lambda a: each(negated, a),
    "DotMinus": lambda a: each(negated, a),
    "Plus": lambda a: a,
    "DotPlus": lambda a: a,
    "Not": lambda a: each(lambda x: apply("not", x), a),
}


class Interpreter:
    """Evaluates trees; ``reading`` knows the variables, functions and places of the model.

    Attributes:
        in_function: how many functions deep; relations in functions make no events.
    """

    def __init__(self, reading: Context) -> None:
        self.reading = reading
        self.in_function = 0

    def value(self, tree: Tree, local: Locals | None = None) -> Value:
        """Return the value of a tree.

        Raises:
            Refusal: it has a part that is not understood; names the place in the source.
        """
        ((kind, parts),) = tree.items()
        method = _KINDS.get(kind)
        try:
            if method is None:
                raise Refusal(f"an expression of the kind '{kind}' is not read")
            return method(self, parts, local)
        except Refusal as refusal:
            self.reading.locate(refusal, parts)
            raise

    def scalar(self, tree: Tree, local: Locals | None = None) -> Expr:
        """Return a tree that must be worth a scalar."""
        value = self.value(tree, local)
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.flat[0]
        if not isinstance(value, Expr):
            refusal = Refusal("this is no scalar", found=str(value)[:100])
            self.reading.locate(refusal, next(iter(tree.values())))
            raise refusal
        return value

    def known(self, value: Value) -> Value:
        """Return a value that must be a number at translation: parameters in it must keep the values that they have now."""
        if is_constant(value):
            return value
        return each(lambda e: Const(self.reading.parameters.premise(e)), value)

    # -- kinds of trees -------------------------------------------------------------------------------------------------

    def _literal(self, parts: Any, local: Locals | None) -> Value:
        ((kind, value),) = parts["value"].items()
        if kind == "String":
            return str(value)
        if kind not in ("Real", "Integer", "Boolean"):
            raise Refusal(f"a literal of the type '{kind}' is not read")
        return Const(value)

    def _reference(self, parts: Any, local: Locals | None) -> Value:
        name = parts["name"]
        found = self.variable(name, local)
        return self.part(found, parts["subscripts"], local) if parts["subscripts"] else found

    def variable(self, name: Any, local: Locals | None) -> Value:
        """Return the value of a reference without the subscripts at its end."""
        text = name["name"]
        if local is not None:
            if text in local:
                return self._read(local[text], text)
            pieces = (name.get("component_ref") or {}).get("parts") or ()
            if pieces and pieces[0]["ident"] in local:
                return self._in(local[pieces[0]["ident"]], pieces, local)
            if isinstance(local, ModelLocals) and len(pieces) > 1 and (joined := joined_path(pieces, local)):
                return self._in(local[joined[0]["ident"]], joined, local)
        if text == "time":
            return TIME
        return self.reading.names.value(text, name.get("component_ref"), self, local)

    def _read(self, value: Value, text: str) -> Value:
        if value is None:
            raise Refusal(f"'{text}' is used before it has a value")
        return value

    def _in(self, value: Value, pieces: Sequence[Any], local: Locals) -> Value:
        """Return a part of a local variable: ``R.T[1,:]``."""
        for k, piece in enumerate(pieces):
            value = self._read(field_of(value, piece["ident"]) if k else value, piece["ident"])
            if piece["subs"]:
                value = self.part(value, piece["subs"], local)
        return value

    def part(self, value: Value, subscripts: Sequence[Any], local: Locals | None) -> Value:
        """Return ``value[subscripts]``, which count from 1."""
        if isinstance(value, Expr) and not isinstance(value, np.ndarray) and all(_is_one(s) for s in subscripts):
            return value  # rumoca writes a scalar among arrays of components so
        if not isinstance(value, np.ndarray):
            raise Refusal("what is no array has subscripts", found=str(value)[:80])
        return indexed(value, [self.subscript(s, value.shape[k], local) for k, s in enumerate(subscripts)], self)

    def subscript(self, subscript: Any, length: int, local: Locals | None) -> Value:
        ((kind, what),) = subscript.items()
        if kind == "Index":
            return Const(what["value"])
        if kind == "Colon":
            return array_of([Const(k + 1) for k in range(length)])
        if kind in ("Expr", "Range"):
            inner = {**(local or {}), "end": Const(length)}
            value = self.value(what.get("expr", {"Range": what}), inner)
            return value
        raise Refusal(f"a subscript of the kind '{kind}' is not read")

    def _binary(self, parts: Any, local: Locals | None) -> Value:
        op, a, b = parts["op"], self.value(parts["lhs"], local), self.value(parts["rhs"], local)
        if isinstance(op, dict):
            op = next(iter(op))
        if isinstance(a, str) or isinstance(b, str):
            return self._text_operation(op, a, b)
        if op in ("Eq", "Neq") and (isinstance(a, Record) or isinstance(b, Record)):
            same = are_equal(a, b)
            return same if op == "Eq" else apply("not", same)
        if op in _RELATIONS:
            return each(lambda x, y: self.relation(_RELATIONS[op], x, y), a, b)
        function = _BINARY.get(op)
        if function is None:
            raise Refusal(f"the operator '{op}' is not read")
        return function(a, b)

    def _text_operation(self, op: str, a: Value, b: Value) -> Value:
        if op == "Add":
            return f"{a if isinstance(a, str) else '...'}{b if isinstance(b, str) else '...'}"
        if op in ("Eq", "Neq") and isinstance(a, str) and isinstance(b, str):
            return boolean((a == b) == (op == "Eq"))
        raise Refusal(f"the operator '{op}' of texts is not read")

    def relation(self, op: str, a: Expr, b: Expr) -> Expr:
        """Return a relation; in a function it makes no event."""
        result = relation(op, a, b)
        return Apply("noEvent", (result,)) if self.in_function and type(result) is Apply else result

    def _unary(self, parts: Any, local: Locals | None) -> Value:
        value = self.value(parts["rhs"], local)
        op = parts["op"] if isinstance(parts["op"], str) else next(iter(parts["op"]))
        if op not in _UNARY:
            raise Refusal(f"the operator '{op}' is not read")
        return _UNARY[op](value)

    def _builtin(self, parts: Any, local: Locals | None) -> Value:
        name, args = parts["function"], parts["args"]
        special = UNEVALUATED.get(name)
        if special is not None:
            return special(self, args, local)
        function = BUILTINS.get(name)
        if function is None:
            raise Refusal(f"the function '{name}' is not read")
        values = [self.value(a, local) for a in args]
        sizes = SIZES.get(name, slice(0))
        values[sizes] = [self.known(v) if self.reading.is_parametric(v) else v for v in values[sizes]]
        return function(*values)

    def _call(self, parts: Any, local: Locals | None) -> Value:
        return self.reading.functions.call(parts, local)

    def _if(self, parts: Any, local: Locals | None) -> Value:
        conditions = []
        reached: Expr = Const(1.0)
        under = self.reading.asserted.under
        for condition, branch in parts["branches"]:
            c = self.scalar(condition, local)
            with under(apply("and", reached, c)):
                if type(c) is not Const:
                    conditions.append((c, self.value(branch, local)))
                    reached = apply("and", reached, apply("not", c))
                elif c.value:
                    otherwise = self.value(branch, local)
                    break
        else:
            with under(reached):
                otherwise = self.value(parts["else_branch"], local)
        for c, value in reversed(conditions):
            otherwise = merged(partial(choice, c), value, otherwise)
        return otherwise

    def _array(self, parts: Any, local: Locals | None) -> Value:
        items = [self.value(e, local) for e in parts["elements"]]
        kind = parts["kind"]
        if kind == "Array":
            return array_of(items)
        if kind not in ("Horizontal", "Vertical"):
            raise Refusal(f"an array of the kind '{kind}' is not read")
        return side_by_side(items, 1 if kind == "Horizontal" else 0)

    def _tuple(self, parts: Any, local: Locals | None) -> Value:
        return tuple(self.value(e, local) for e in parts["elements"])

    def _range(self, parts: Any, local: Locals | None) -> Value:
        first, last = (self.known(self.value(parts[key], local)) for key in ("start", "end"))
        step = self.known(self.value(parts["step"], local)) if parts.get("step") else Const(1)
        count = int(np.floor((last.value - first.value) / step.value + 1e-10)) + 1
        if count > MOST_NUMBERS:
            raise Refusal("a range is too long", found=f"{count} numbers", expected=f"at most {MOST_NUMBERS}")
        result = np.empty(max(count, 0), dtype=object)
        for k in range(max(count, 0)):
            result[k] = Const(first.value + k * step.value)
        return result

    def _comprehension(self, parts: Any, local: Locals | None) -> Value:
        """Return ``{e for i in a, j in b}`` is ``{{e for i in a} for j in b}``."""
        return array_of(self._repeated(parts, list(reversed(parts["indices"])), dict(local or {})))

    def _repeated(self, parts: Any, indices: list[Any], local: Locals) -> list[Value]:
        first, *rest = indices
        results = []
        for k in self.known(self.value(first["range"], local)):
            inner = {**local, first["name"] if "name" in first else first["ident"]: k}
            results.append(array_of(self._repeated(parts, rest, inner)) if rest else self.value(parts["expr"], inner))
        return results

    def _index(self, parts: Any, local: Locals | None) -> Value:
        """Return the subscripts of a member of an array of components count within each of them."""
        base = self.value(parts["base"], local)
        members = self._components(parts["base"], local)
        if members and any(self._says_end(s) for s in parts["subscripts"]):
            raise Refusal("'end' in a subscript of a member of several components at once is not read")
        return self.part(base, [{"Colon": {}}] * members + list(parts["subscripts"]), local)

    def _components(self, tree: Tree, local: Locals | None) -> int:
        """Return how many dimensions a tree has because it is a member of an array of components or records."""
        ((kind, parts),) = tree.items()
        if kind == "FieldAccess":
            return int(np.ndim(self.value(parts["base"], local)))
        if kind != "Array" or not parts["elements"]:
            return 0
        first = parts["elements"][0]
        ((inner, what),) = first.items()
        if what.get("span") != parts.get("span"):
            return 0
        if inner == "Array":
            deeper = self._components(first, local)
            return deeper + 1 if deeper else 0
        variable = self.reading.trees["variables"].get(what["name"]["name"]) if inner == "VarRef" else None
        return int(variable is not None and bool(variable["dims"]) and not what["subscripts"])

    def _says_end(self, tree: Any) -> bool:
        if isinstance(tree, list):
            return any(map(self._says_end, tree))
        if not isinstance(tree, dict):
            return False
        return self.reading.source.places.quoted(tree.get("span")) == "end" or any(map(self._says_end, tree.values()))

    def _field(self, parts: Any, local: Locals | None) -> Value:
        return field_of(self.value(parts["base"], local), parts["field"])

    def _text_of(self, parts: Any, local: Locals | None) -> Value:
        value = self.value(parts["value"], local)
        return f"{value.value:g}" if type(value) is Const else str(value)


def field_of(value: Value, name: str) -> Value:
    """Return a field of a record, or of all records of an array."""
    if isinstance(value, Record):
        if name not in value.fields:
            raise Refusal(f"the record '{value.type}' has no field '{name}'", found=", ".join(value.fields))
        return value.fields[name]
    if isinstance(value, np.ndarray):
        parts = [field_of(item, name) for item in value.flat]
        flat = array_of(parts)
        return flat.reshape((*value.shape, *flat.shape[1:]))
    raise Refusal(f"the field '{name}' is asked of what is no record", found=str(value)[:80])


def _is_one(subscript: Any) -> bool:
    return subscript.get("Index", {}).get("value") == 1


_KINDS: dict[str, Callable[[Interpreter, Any, Locals | None], Value]] = {
    "Literal": Interpreter._literal,
    "VarRef": Interpreter._reference,
    "Binary": Interpreter._binary,
    "Unary": Interpreter._unary,
    "BuiltinCall": Interpreter._builtin,
    "FunctionCall": Interpreter._call,
    "If": Interpreter._if,
    "Array": Interpreter._array,
    "Tuple": Interpreter._tuple,
    "Range": Interpreter._range,
    "ArrayComprehension": Interpreter._comprehension,
    "Index": Interpreter._index,
    "FieldAccess": Interpreter._field,
    "StringConversion": Interpreter._text_of,
}
