"""Meaning of a reference: a variable, an element or part of one, a record, a literal of an enumeration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model.errors import nearest
from ...model.expression import Const
from .terms.context import Context, Evaluation, Locals
from .terms.refusals import Refusal
from .terms.subscripts import constant_subscripts
from .terms.values import Record, Value


class Names:
    """References of the model, each looked up once."""

    def __init__(self, reading: Context, trees: Mapping[str, Any]) -> None:
        self.reading = reading
        self.variables: Mapping[str, Any] = trees["variables"]
        self.literals: Mapping[str, int] = trees["enum_literal_ordinals"]
        self.records = trees["record_instances"]
        self.record_types = trees["record_types"]
        self._known: dict[str, Value] = {}
        self._below: dict[str, list[str]] | None = None

    def value(self, name: str, reference: Any, interpreter: Evaluation, local: Locals | None) -> Value:
        """Return the value of a name; where its subscripts change, they are in ``reference``.

        Raises:
            Refusal: there is no such variable.
        """
        if name in self._known:
            return self._known[name]
        parts = _pieces(name, (reference or {}).get("parts") or ())
        fixed = all("Index" in s or "Colon" in s for part in parts for s in part["subs"])
        found = self.whole(name)
        if found is None:
            found = self._of_parts(parts, interpreter, local)
        if found is None:
            known = [*self.variables, *self.literals] if len(self.variables) < 2000 else []
            raise Refusal(f"there is no variable '{name}'", remedy=nearest(name, known))
        if fixed:
            self._known[name] = found
        return found

    def whole(self, name: str) -> Value:
        """Return the variable, record or literal with this name; None if there is none."""
        if name in self.variables:
            return self.reading.variable(name)
        if name in self.literals:
            return Const(self.literals[name])
        if name in self.records:
            return self.record(name)
        return None

    def record(self, name: str) -> Value:
        """Return a record, or an array of records, of the variables that are its fields."""
        instance = self.records[name]
        if instance.get("dims"):
            result = np.empty(tuple(instance["dims"]), dtype=object)
            for index in np.ndindex(*result.shape):
                result[index] = self.record(f"{name}[{','.join(str(k + 1) for k in index)}]")
            return result
        kind = self.record_types.get(str(instance["type_def_id"]))
        if kind is None:
            return self.group(name)
        fields = {}
        for entry in kind["fields"]:
            field = self.whole(f"{name}.{entry['name']}")
            if field is None:
                raise Refusal(f"the record '{name}' has no field '{entry['name']}'")
            fields[entry["name"]] = field
        return Record(kind["name"], fields)

    def group(self, name: str) -> Value:
        """Return all variables whose names begin with that of a component, as a record; None if there are none."""
        if self._below is None:
            self._below = {}
            for path in self.variables:
                owner, _, _ = path.rpartition(".")
                while owner:
                    self._below.setdefault(owner, []).append(path)
                    owner, _, _ = owner.rpartition(".")
        found = self._below.get(name)
        if not found:
            return None
        fields: dict[str, Any] = {}
        for path in found:
            first = path[len(name) + 1 :].partition(".")[0]
            if first not in fields:
                fields[first] = self.whole(f"{name}.{first}")
                if fields[first] is None:
                    fields[first] = self.group(f"{name}.{first}")
        return Record(name, fields)

    def _of_parts(self, parts: Sequence[Any], interpreter: Evaluation, local: Locals | None) -> Value:
        """Return a reference with subscripts: those of a component that is an array come before those of the variable."""
        path = ""
        pending: list[Any] = []
        for k, part in enumerate(parts):
            path = f"{path}.{part['ident']}" if path else part["ident"]
            subscripts = [*pending, *part["subs"]]
            last = k == len(parts) - 1
            written = self._written(part["subs"], interpreter, local)
            if written is not None and not last and self._is_prefix(path + written):
                path += written
                continue
            if last and written is not None and (found := self.whole(path + written)) is not None:
                return found
            pending = subscripts
        found = self.whole(path)
        if found is None:
            elements = self._elements(parts, interpreter, local)
            return elements if elements is not None else self.group(path)
        if not pending:
            return found
        return interpreter.part(found, pending, local)

    def _written(self, subs: Sequence[Any], interpreter: Evaluation, local: Locals | None) -> str | None:
        """Return the subscripts as they stand in names: ``[1,2]``; None if they are no numbers."""
        if not subs:
            return ""
        numbers = []
        for subscript in subs:
            if "Index" in subscript:
                numbers.append(str(subscript["Index"]["value"]))
                continue
            if "Expr" not in subscript:
                return None
            value = interpreter.value(subscript["Expr"]["expr"], local)
            if not isinstance(value, np.ndarray) and interpreter.reading.is_parametric(value):
                value = interpreter.known(value)
            if type(value) is not Const:
                return None
            numbers.append(str(int(value.value)))
        return f"[{','.join(numbers)}]"

    def _is_prefix(self, path: str) -> bool:
        if self._below is None:
            self.group(path)
        assert self._below is not None
        return path in self._below or path in self.records

    def _elements(self, parts: Sequence[Any], interpreter: Evaluation, local: Locals | None) -> Value:
        """Return the array of a field over all elements of an array of components: ``plug.pin.v`` is ``plug.pin[:].v``."""
        return self._field_over("", list(parts), interpreter, local)

    def _field_over(self, path: str, parts: list[Any], interpreter: Evaluation, local: Locals | None) -> Value:
        from .terms.values import array_of

        for k, part in enumerate(parts):
            path = f"{path}.{part['ident']}" if path else part["ident"]
            written = self._written(part["subs"], interpreter, local)
            rest = parts[k + 1 :]
            if written:
                path += written
                continue
            if not part["subs"] and self.whole(path) is None and not self._is_prefix(path) and self._is_prefix(f"{path}[1]"):
                items, n = [], 1
                while self._is_prefix(f"{path}[{n}]") or self.whole(f"{path}[{n}]") is not None:
                    item = self._field_over(f"{path}[{n}]", rest, interpreter, local) if rest else self.group(f"{path}[{n}]")
                    if item is None:
                        return None
                    items.append(item)
                    n += 1
                return array_of(items)
        found = self.whole(path)
        return found if found is not None else self.group(path)


def _pieces(name: str, parts: Sequence[Any]) -> Sequence[Any]:
    """Return the pieces of a path; ``parts`` may lack the component that it is written in, which the name has."""
    plain = ".".join(part["ident"] for part in parts)
    written = ".".join(part["ident"] + constant_subscripts(part["subs"]) for part in parts)
    if parts and name in (plain, written):
        return parts
    for tail in (written, plain):
        if parts and name.endswith(f".{tail}"):
            return [*_pieces(name[: -len(tail) - 1], ()), *parts]
    return [{"ident": piece, "subs": ()} for piece in name.split(".")]
