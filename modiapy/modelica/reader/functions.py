"""Calls of Modelica functions: their algorithms are executed with the arguments, so that expressions come out.

Constructors of records make records; external functions are those of `externals`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...model.errors import nearest
from ...model.expression import Const, Expr
from .compiled_functions import FunctionWriter, asserted_by, compiled_call
from .externals import BY_NAME_IN_C, EXTERNALS
from .statements import Execution, Unexpandable
from .terms.context import Context, Locals
from .terms.refusals import Refusal
from .terms.values import Record, Value, array_of, filled

_DEEPEST = 60


class Functions:
    """The functions of a model by name."""

    def __init__(self, reading: Context) -> None:
        self.reading = reading
        self.definitions: Mapping[str, Any] = reading.trees["functions"]
        self._depth = 0
        self.writer: FunctionWriter | None = None

    def call(self, parts: Any, local: Locals | None) -> Value:
        """Return the first result of a call, or the record that a constructor makes."""
        results = self.results(parts, local)
        if not results:
            raise Refusal(f"the function '{parts['name']['name']}' has no result")
        return results[0]

    def results(self, parts: Any, local: Locals | None) -> list[Value]:
        """Return all results of a call.

        Raises:
            Refusal: the function is not known, or has a part that is not read.
        """
        name = _name_of(parts["name"])
        args = [self._argument(a, local) for a in parts["args"]]
        return self.applied(name, args, bool(parts.get("is_constructor")))

    def _argument(self, tree: Any, local: Locals | None) -> tuple[str, Value]:
        """Name ("" if it has none) and value of an argument."""
        if "FunctionCall" in tree and _name_of(tree["FunctionCall"]["name"]).startswith("__rumoca_named_arg"):
            inner = tree["FunctionCall"]
            return _name_of(inner["name"]).rpartition(".")[2].removeprefix(
                "__rumoca_named_arg__"
            ), self.reading.interpreter.value(inner["args"][0], local)
        return "", self.reading.interpreter.value(tree, local)

    def applied(self, name: str, args: Sequence[tuple[str, Value]], constructor: bool = False) -> list[Value]:
        """Return all results of a function for values of its arguments."""
        short = name.rpartition(".")[2]
        external = EXTERNALS.get(name)
        if external is not None:
            return external(self.reading, _in_order(args))
        definition = self.definitions.get(name)
        if definition is None:
            raise Refusal(f"there is no function '{name}'", remedy=nearest(name, self.definitions))
        if constructor or definition["is_constructor"]:
            return [Record(name, self._inputs(definition, args))]
        if definition.get("external"):
            return self._external(definition, args)
        over = self._more_dimensions(definition, args)
        if over:
            return self._element_by_element(name, args, over)
        if self._depth > _DEEPEST:
            raise Refusal(f"the function '{short}' calls itself too often")
        self._depth += 1
        self.reading.interpreter.in_function += 1
        try:
            with self.reading.asserted.reading():
                return self._executed(definition, args)
        except Unexpandable:
            inputs = self._inputs(definition, args)
            if self.writer is not None:
                return self.writer.body(definition, inputs)
            return compiled_call(self.reading, definition, inputs)
        finally:
            self._depth -= 1
            self.reading.interpreter.in_function -= 1

    def _external(self, definition: Any, args: Sequence[tuple[str, Value]]) -> list[Value]:
        """Return the results of an external function that is known by its name in C."""
        known = BY_NAME_IN_C.get(definition["external"].get("function_name"))
        if known is None:
            raise Refusal(f"the external function '{definition['name']}' is not read", path=definition["name"])
        inputs = self._inputs(definition, args)
        return known(self.reading, [inputs[variable["name"]] for variable in definition["inputs"]])

    def _more_dimensions(self, definition: Any, args: Sequence[tuple[str, Value]]) -> dict[int, tuple[int, ...]]:
        """Return the dimensions that arguments have more than the inputs that they are for, by position."""
        inputs = definition["inputs"]
        declared = {variable["name"]: _dimensions(variable) for variable in inputs}
        found = {}
        for k, (key, value) in enumerate(args):
            name = key or (inputs[k]["name"] if k < len(inputs) else "")
            more = (value.ndim if isinstance(value, np.ndarray) else 0) - declared.get(name, 0)
            if more > 0:
                found[k] = value.shape[:more]
        return found

    def _element_by_element(
        self, name: str, args: Sequence[tuple[str, Value]], over: Mapping[int, tuple[int, ...]]
    ) -> list[Value]:
        """Return a function of scalars called with arrays: the arrays of its results for their elements."""
        shape = next(iter(over.values()))
        if any(other != shape for other in over.values()):
            raise Refusal(f"'{name}' is called with arrays of different shapes", found=", ".join(map(str, over.values())))
        calls = [
            self.applied(name, [(key, value[index] if k in over else value) for k, (key, value) in enumerate(args)])
            for index in np.ndindex(*shape)
        ]
        results = [array_of([call[k] for call in calls]) for k in range(len(calls[0]))] if calls else []
        return [result.reshape((*shape, *result.shape[1:])) for result in results]

    def _executed(self, definition: Any, args: Sequence[tuple[str, Value]]) -> list[Value]:
        local = self._inputs(definition, args)
        for variable in (*definition["outputs"], *definition["locals"]):
            local[variable["name"]] = None
        for variable in (*definition["outputs"], *definition["locals"]):
            local[variable["name"]] = self.initial(variable, local)
        asserted = self.reading.asserted

        def claimed(condition: Expr, message: str, level: str, parts: Any) -> None:
            asserted.add(asserted_by(self.reading, definition, condition, message, level, parts))

        Execution(self.reading.interpreter, local, claimed=claimed).run(definition["body"])
        return [self._result(definition, variable, local) for variable in definition["outputs"]]

    def _result(self, definition: Any, variable: Any, local: Locals) -> Value:
        value = local[variable["name"]]
        if value is None:
            raise Refusal(f"the result '{variable['name']}' of '{definition['name']}' gets no value")
        return value

    def _inputs(self, definition: Any, args: Sequence[tuple[str, Value]]) -> Locals:
        """Return the values of the inputs by name, those that are not given by their defaults."""
        inputs = definition["inputs"]
        local: dict[str, Any] = {}
        names = [variable["name"] for variable in inputs]
        positional = [value for key, value in args if not key]
        if len(positional) > len(names):
            raise Refusal(
                f"'{definition['name']}' is called with more than its {len(names)} arguments", found=str(len(positional))
            )
        local.update(zip(names, positional, strict=False))
        local.update({key: value for key, value in args if key})
        for variable in inputs:
            name = variable["name"]
            if name not in local:
                if variable.get("default") is None:
                    raise Refusal(f"the argument '{name}' of '{definition['name']}' has no value")
                local[name] = self.reading.interpreter.value(variable["default"], local)
            dims = (variable.get("effective_type") or {}).get("dimensions") or ()
            if dims and isinstance(local[name], Expr):
                local[name] = filled(local[name], dims)
        return local

    def initial(self, variable: Any, local: Locals) -> Value:
        """Return the value of a result or local variable before the first statement."""
        if variable.get("default") is not None:
            return self.reading.interpreter.value(variable["default"], local)
        shape = self._shape(variable, local)
        if variable.get("type_class") == "Record":
            record = self._record(variable)
            return filled(record, shape) if shape else record
        if shape:
            return filled(Const(0), shape)
        return None

    def _record(self, variable: Any) -> Value:
        """Return a record whose fields have no values yet."""
        definition = self.definitions.get(variable["type_name"])
        kinds = {kind["name"]: kind for kind in self.reading.trees["record_types"].values()}
        kind = kinds.get(variable["type_name"]) or next(
            (k for n, k in kinds.items() if n.rpartition(".")[2] == variable["type_name"].rpartition(".")[2]), None
        )
        if kind is not None:
            entries = [(entry["name"], tuple(entry["dims"])) for entry in kind["fields"]]
        elif definition is not None:
            entries = [
                (entry["name"], tuple((entry.get("effective_type") or {}).get("dimensions") or ()))
                for entry in definition["inputs"]
            ]
        else:
            return None
        return Record(variable["type_name"], {name: filled(Const(0), dims) if dims else None for name, dims in entries})

    def _shape(self, variable: Any, local: Locals) -> tuple[int, ...] | None:
        """Return the shape that a variable is declared with; None where it follows from what is assigned."""
        shape = []
        for n in variable.get("shape_expr") or ():
            ((kind, what),) = n.items()
            if kind == "Colon":
                return None
            value = Const(what["value"]) if kind == "Index" else self.reading.interpreter.value(what["expr"], local)
            shape.append(self.reading.known_int(value))
        if not shape:
            shape = list((variable.get("effective_type") or {}).get("dimensions") or ())
        return tuple(shape)


def _in_order(args: Sequence[tuple[str, Value]]) -> list[Value]:
    """Return the arguments of an external function; those of a complex number may have names."""
    if any(key == "im" for key, _ in args):
        args = sorted(args, key=lambda arg: arg[0] == "im")
    return [value for _, value in args]


def _name_of(name: Any) -> str:
    if isinstance(name, str):
        return name
    if "name" in name:
        return str(name["name"])
    return ".".join(part["ident"] for part in name["parts"])


def _dimensions(variable: Any) -> int:
    """Number of dimensions with which an input is declared."""
    return len(variable.get("shape_expr") or ()) or len((variable.get("effective_type") or {}).get("dimensions") or ())
