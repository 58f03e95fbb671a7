"""Values of parameters: lazily, in lexical scope.

A name is looked up in the model where it is written, then in the enclosing models: `instance.scopes`.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from ...model.entry import Kind
from ...model.errors import ModelError, nearest
from ...model.expression import CONSTANTS, Apply, Const, Expr, Name, Text, is_array_operator, names, rewrite, walk
from ...model.expression import evaluate as evaluate_expression
from ...model.fields import admits_str, constructor_name, element_hint, field_hints, object_types, required_fields
from ...model.language import entry_of
from ...model.limits import MOST_NUMBERS, check_numbers
from ...model.model import DefaultInit, Entries, Model, Par, Var, is_number
from ...model.parser import parse
from ...model.scoping import levels_of, moved_in
from ..flat.flat_model import STATE_SELECT
from ..terms.arrays import evaluate_arrays
from ..terms.names import join
from .control import integer
from .instance import (
    Instance,
    Target,
    compare_texts,
    element,
    find_function,
    is_entry,
    is_parameter,
    literal_index,
    literals_of,
    locate,
    scalars,
    suggest,
    with_defaults,
)
from .meanings import other_meaning, warn_of, warn_of_name
from .named_units import named_unit


def is_call(entry: Any) -> bool:
    """Return whether an entry is the call of a constructor, without a model that stays."""
    return isinstance(entry, Par) and "_constructor" in entry


class Evaluator:
    """Evaluates entries on demand; an entry that is asked for while it is being evaluated closes a cycle."""

    def __init__(self) -> None:
        self.active: list[str] = []
        self.meanings: list[tuple[str, str, Target, Target]] = []

    def evaluate(self, tree: Instance) -> None:
        """Evaluate whatever is not evaluated yet in an instance and below."""
        for instance in tree.walk():
            for key, entry in instance.model.items():
                if not is_entry(key):
                    continue
                if isinstance(entry, Var):
                    instance.variables[key] = self.variable(instance, key, entry)
                elif is_parameter(entry):
                    self.value(instance, key)
            if "_constructor" in instance.model:
                self.made(instance)
        for instance in tree.walk():  # in the order of declaration, which evaluation on demand may have changed
            instance.values = {key: instance.values[key] for key in instance.model if key in instance.values}
        for meanings in self.meanings:
            warn_of(*meanings)
        self.meanings.clear()

    def value(self, instance: Instance, key: str) -> Any:
        """Return the value of the parameter ``key`` of an instance."""
        if key in instance.values:
            return instance.values[key]
        entry = instance.model[key]
        cls = instance.model.get("_constructor")
        hint = field_hints(cls).get(key, float) if cls is not None else float
        if isinstance(entry, Par) and (entry.get("choices") is not None or entry.get("type") is not None):
            hint = str
        with _Active(self, join(instance.path, key)) as path:
            value = self.convert(entry, instance, key, hint, path)
            if hint is float:
                value = _as_array(value)
        if isinstance(entry, Par) and not is_call(entry):
            _check_text(join(instance.path, key), entry, value)
            _check_range(self, instance, key, entry, value)
        instance.values[key] = value
        return value

    def variable(self, instance: Instance, key: str, entry: Var) -> Var:
        """Return the variable with numbers for ``init``, ``start`` and ``nominal``."""
        result = entry.copy()
        for attribute in ("init", "start", "nominal"):
            given = entry.get(attribute)
            if given is None:
                continue
            path = f"{join(instance.path, key)}.{attribute}"
            value = _as_array(self.initial(given, entry, instance, key, path))
            if attribute != "nominal" and _is_array(value):
                result[attribute] = np.array(value, dtype=float)
                continue
            if not is_number(value):
                raise ModelError(f"'{attribute}' of the variable is not a number", path=path, found=repr(value))
            result[attribute] = given if isinstance(given, DefaultInit) else float(value)
        if isinstance(entry.get("state_select"), str) and entry["state_select"] not in STATE_SELECT:
            path = f"{join(instance.path, key)}.state_select"
            result["state_select"] = self.word(parsed(entry["state_select"], path), entry["state_select"], instance, key, path)
        if entry.get("shape") is not None:
            result["shape"] = self.shape(entry["shape"], instance, key, 0 if entry.get("elements") else 1)
        if "{" in (entry.get("unit") or ""):
            result["unit"] = named_unit(str(entry["unit"]), instance, self.value)
        return result

    def initial(self, given: Any, entry: Var, instance: Instance, key: str, path: str) -> Any:
        """Return the value of ``init``, ``start`` or ``nominal``: an expression, or a literal of the variable's enumeration."""
        literals = literals_of(entry)
        if literals and isinstance(given, str):
            return literal_index(given, literals, given, path).value
        return self.convert(given, instance, key, float, path)

    def shape(self, given: Any, instance: Instance, key: str, least: int) -> tuple[int, ...]:
        """Return the declared shape of a variable: one or two integers, each ``least`` or more; () for a scalar."""
        path = f"{join(instance.path, key)}.shape"
        sizes = given if isinstance(given, list | tuple) else (given,)
        found = [self.convert(n, instance, key, float, path) for n in sizes]
        if len(found) > 2 or not all(_is_size(n, least) for n in found):
            expected = "one or two positive integers" if least else "one or two integers, 0 or more"
            raise ModelError("the shape is wrong", path=path, found=f"{given!r} = {found}", expected=expected)
        return tuple(map(int, found))

    def made(self, instance: Instance) -> Any:
        """Return the object that the constructor of a model makes of its parameters."""
        if instance.made is None:
            with _Active(self, instance.path or "the model"):
                cls = instance.model["_constructor"]
                fields = field_hints(cls)
                given = [k for k, entry in instance.model.items() if k in fields and is_parameter(entry)]
                instance.made = _call(cls, {k: self.value(instance, k) for k in given}, instance.path)
        return instance.made

    def convert(self, entry: Any, instance: Instance, key: str, hint: Any, path: str) -> Any:
        """Return the value of an entry: strings are evaluated unless ``hint`` admits them (`text`), constructors called,
        depth first.

        Args:
            entry: what the user wrote.
            instance, key: the entry of an instance in which it stands.
            hint: annotation of the field that gets the value.
            path: full path of this very value, for messages.
        """
        if isinstance(entry, str):
            return self.text(entry, instance, key, hint) if admits_str(hint) else self.expression(entry, instance, key, path)
        if is_call(entry):
            cls = entry["_constructor"]
            hints = field_hints(cls)
            fields = {k: v for k, v in entry.items() if k != "_constructor"}
            given = {k: self.convert(v, instance, key, hints.get(k, float), join(path, k)) for k, v in fields.items()}
            return _call(cls, given, path)
        if isinstance(entry, Par):
            if entry.get("value") is None:
                raise ModelError("the parameter has no value", path=path, remedy="Give it one with Par(value=...) or Map(...).")
            return self.convert(entry["value"], instance, key, hint, path)
        if isinstance(entry, Var):
            return self.convert(_initial_value(entry, path), instance, key, hint, path)
        if isinstance(entry, Entries):
            remedy = "Give each submodel a name of its own: Model(**{f'r{i}': Resistor for i in range(3)})."
            raise ModelError(
                f"a {type(entry).__name__} cannot stand here",
                path=path,
                expected="a value",
                remedy=remedy if isinstance(entry, Model) else "",
            )
        if type(entry) in (list, tuple):
            items = element_hint(hint)
            return type(entry)(self.convert(v, instance, key, items, f"{path}[{i}]") for i, v in enumerate(entry))
        if type(entry) is dict:
            items = element_hint(hint)
            return {k: self.convert(v, instance, key, items, join(path, str(k))) for k, v in entry.items()}
        if isinstance(entry, int) and abs(entry) > sys.float_info.max:
            raise ModelError("the number is too large", path=path, expected=f"at most {sys.float_info.max!r}")
        return entry

    def text(self, text: str, instance: Instance, key: str, hint: Any) -> Any:
        """Return a string in a field that admits strings: itself, unless it names an object that the field admits too."""
        levels = levels_of(text)
        types = object_types(hint) if text.isidentifier() else ()
        target = locate(instance, text, key, levels) if types or levels else None
        if target is None:
            return text
        holds = _makes(target, types)
        if not holds and _makes(target) and (other := other_meaning(instance, text, key, levels, target)) and _makes(other):
            warn_of_name(join(instance.path, key), text, target, other)
        return self.value(target.instance, target.key) if holds else text

    def expression(self, text: str, instance: Instance, key: str, path: str) -> Any:
        """Return the value of an expression of parameters; a name alone may also mean an array or an object."""
        expr = with_defaults(parsed(text, path), instance, key, levels_of(text))
        if isinstance(expr, Text):
            return expr.value
        if isinstance(expr, Name):
            return self.lookup(expr.name, text, instance, key, path)
        return self.computed(expr, text, instance, key, path)

    def word(self, expr: Expr, text: str, instance: Instance, key: str, path: str) -> Any:
        """Return the word that an expression chooses, such as ``'always' if enforced else 'prefer'``."""
        while type(expr) is Apply and expr.op == "if":
            expr = expr.args[1 if self.computed(expr.args[0], text, instance, key, path) else 2]
        if type(expr) is Text:
            return expr.value
        known = type(expr) is Name and locate(instance, expr.name, key) is not None
        return self.lookup(expr.name, text, instance, key, path) if known and type(expr) is Name else str(expr)

    def computed(self, expr: Expr, text: str, instance: Instance, key: str, path: str) -> Any:
        """Return the value of an expression of parameters that is more than a name."""
        values: dict[str, Any] = {}
        expr = self.called(expr, text, instance, key, path, values)
        for name in sorted(names(expr) - values.keys()):
            value = self.lookup(name, text, instance, key, path)
            if not is_number(value) and not _is_array(value):
                kind = "an array" if isinstance(value, np.ndarray | list | tuple) else f"a {type(value).__name__}"
                raise ModelError(f"'{name}' in '{text}' is not a number", path=path, found=kind)
            values[name] = value if _is_array(value) else float(value)
        return _compute(expr, values, text, path)

    def called(self, expr: Expr, text: str, instance: Instance, key: str, path: str, values: dict[str, Any]) -> Expr:
        """Return ``expr`` with the functions of the model that it calls, texts compared; handles of tables are added to
        ``values``.
        """

        def text_of(side: Expr) -> str | None:
            if type(side) is Text:
                return side.value
            value = self.lookup(side.name, text, instance, key, path) if type(side) is Name else None
            return value if isinstance(value, str) else None

        def change(node: Expr) -> Expr | None:
            if type(node) is Text:
                raise ModelError(f"'{node.value}' in '{text}' is text", path=path, expected="a number, or a comparison")
            if type(node) is Apply and node.op in ("==", "!="):
                return compare_texts(node, text_of, text, path)
            if type(node) is Apply and node.op == "element":
                array, *indices = (rewrite(a, change) for a in node.args)
                known = [self.index(i, text, instance, key, path) for i in indices]
                position = f"[{','.join(map(str, known))}]"
                return Name(f"{array}{position}") if type(array) is Name else Apply(position, (array,))
            if type(node) is not Apply or node.op != "call":
                return None
            assert type(node.args[0]) is Name
            own = locate(instance, node.args[0].name, levels=levels_of(text)) is not None
            if node.args[0].name == "size" and not own:
                return self.size(node, text, instance, key, path)
            if node.args[0].name == "zeros" and not own:
                return self.zeros(node, text, instance, key, path, values)
            args = [rewrite(a, change) for a in node.args[1:]]
            function, name = find_function(
                instance, node.args[0].name, len(args), text, path, lambda p: self.value(p.instance, p.key), levels_of(text)
            )
            if (handle := getattr(function, "handle", None)) is not None:
                values[name] = handle
            results = function.call(name, args)
            if len(results) != 1:
                raise ModelError(f"'{node.args[0]}' in '{text}' has {len(results)} results", path=path, expected="one result")
            return results[0]

        return rewrite(expr, change)

    def index(self, expr: Expr, text: str, instance: Instance, key: str, path: str) -> int:
        """Return the value of an index such as ``n - 1``."""
        values = {name: self.lookup(name, text, instance, key, path) for name in names(expr)}
        return integer(expr, {name: value for name, value in values.items() if is_number(value)}, text, path)

    def size(self, node: Apply, text: str, instance: Instance, key: str, path: str) -> Expr:
        """Return ``size(A, k)``: number of elements of an array parameter along dimension k, counted from 0."""
        array, k = (node.args[1], node.args[2]) if len(node.args) == 3 else (None, None)
        shape = np.shape(self.lookup(array.name, text, instance, key, path)) if isinstance(array, Name) else ()
        if not isinstance(k, Const) or k.value not in range(len(shape)):
            found = f"'{array}' of shape {shape}" if array is not None else f"{len(node.args) - 1} arguments"
            expected = "size(array parameter, dimension), dimensions counted from 0"
            raise ModelError(f"'{node}' in '{text}' has no value", path=path, found=found, expected=expected)
        return Const(float(shape[int(k.value)]))

    def zeros(self, node: Apply, text: str, instance: Instance, key: str, path: str, values: dict[str, Any]) -> Expr:
        """Return ``zeros(n)`` and ``zeros(n, m)``, a name whose value is added to ``values``."""
        shape = [self.expression(moved_in(str(n), levels_of(text)), instance, key, path) for n in node.args[1:]]
        if len(shape) not in (1, 2) or not all(_is_size(n, 0) for n in shape):
            raise ModelError(
                f"'zeros' in '{text}' has a wrong shape", path=path, found=f"{shape}", expected="one or two integers, 0 or more"
            )
        check_numbers(shape, MOST_NUMBERS, f"'zeros' in '{text}'", path)
        values[str(node)] = np.zeros([int(n) for n in shape])
        return Name(str(node))

    def lookup(self, name: str, text: str, instance: Instance, key: str, path: str) -> Any:
        """Return the value of a name in the expression ``text`` of the entry ``key`` of an instance."""
        levels = levels_of(text)
        target = locate(instance, name, key, levels)
        if target is None:
            if name in CONSTANTS:
                return CONSTANTS[name]
            what = "'time' cannot be used" if name == "time" else f"unknown name '{name}'"
            raise ModelError(
                f"{what} in '{text}'",
                path=path,
                expected="a parameter of this model or of an enclosing one",
                remedy=suggest(instance, name),
            )
        entry = target.instance.model[target.key]
        if isinstance(entry, Var):
            raise ModelError(
                f"'{name}' in '{text}' is a variable", path=path, expected="a parameter: its value is needed before simulation"
            )
        owner = target.instance
        value = self.made(owner.children[target.key]) if isinstance(entry, Model) else self.value(owner, target.key)
        other = other_meaning(instance, name, key, levels, target)
        if other is not None and not isinstance(other.instance.model[other.key], Var):
            self.meanings.append((path, text, target, other))
        return element(value, target.index, path)


def _makes(target: Target, types: tuple[type, ...] = (object,)) -> bool:
    """Return whether an object of these types is made where a name leads."""
    entry = target.instance.model[target.key]
    return is_call(entry) and issubclass(entry["_constructor"], types)


_DEEPEST = 150
"""Longest chain of parameters that are evaluated on demand; Python's stack would not allow many times more."""


class _Active:
    """Marks a path as being evaluated."""

    def __init__(self, evaluator: Evaluator, path: str) -> None:
        self.active, self.path = evaluator.active, path

    def __enter__(self) -> str:
        if self.path in self.active:
            cycle = [*self.active[self.active.index(self.path) :], self.path]
            raise ModelError(
                "parameters depend on each other", path=self.path, found=" -> ".join(cycle), remedy="Give one of them a value."
            )
        if len(self.active) == _DEEPEST:
            raise ModelError(
                f"the parameter depends on more than {_DEEPEST} others, one through the other, that are declared after it",
                path=self.active[0],
                remedy="Declare parameters before they are used.",
            )
        self.active.append(self.path)
        return self.path

    def __exit__(self, *_: object) -> None:
        self.active.pop()


@functools.lru_cache(maxsize=65536)
def _parsed(text: str) -> Expr:
    return parse(text)


def parsed(text: str, path: str) -> Expr:
    """`parse` with a cache. ``path`` is for messages."""
    try:
        return _parsed(text)
    except ModelError as error:
        error.path = path
        raise


def _is_size(value: Any, least: int) -> bool:
    """Return whether a value is an integer, ``least`` or more."""
    return is_number(value) and float(value).is_integer() and value >= least


def _is_array(value: Any) -> bool:
    """Return whether a value is a vector or matrix of numbers."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim in (1, 2) and value.size > 0


def _initial_value(entry: Var, path: str) -> Any:
    """Return the initial value that ``Var(init=...)`` or ``Var(start=...)`` means for a state that is no variable."""
    value = entry.get("init", entry.get("start"))
    if value is not None and entry.keys() <= {"init", "start", "unit", "description"}:
        return value
    raise ModelError("a Var cannot stand here", path=path, found=repr(entry), expected="a value, or Var(init=value)")


def _compute(expr: Expr, values: dict[str, Any], text: str, path: str) -> Any:
    try:
        if any(map(_is_array, values.values())) or any(type(e) is Apply and is_array_operator(e.op) for e in walk(expr)):
            return _at_most_matrix(evaluate_arrays(expr, values), values, text, path)
        return evaluate_expression(expr, values)
    except KeyError:
        special = next(e.op for e in walk(expr) if isinstance(e, Apply) and entry_of(e.op).kind is Kind.EQUATION)
        raise ModelError(f"'{special}(...)' cannot stand in a parameter", path=path, found=f"'{text}'") from None
    except (ValueError, IndexError, ZeroDivisionError, OverflowError, TypeError) as error:
        with_values = ", ".join(f"{name} = {value!r}" for name, value in values.items())
        raise ModelError(
            f"'{text}' has no value", path=path, found=f"{error}{f' with {with_values}' if values else ''}"
        ) from None


def _at_most_matrix(result: Any, values: dict[str, Any], text: str, path: str) -> Any:
    """Return ``result``, unless an array stands among the elements of a matrix."""
    if np.ndim(result) <= 2:
        return result
    raise ModelError(
        f"'{text}' has {np.ndim(result)} dimensions",
        path=path,
        found=", ".join(f"{name} of shape {np.shape(value)}" for name, value in values.items() if _is_array(value)),
        expected="numbers as elements",
        remedy="A name is looked up in the model where the entry is written before the enclosing ones.",
    )


def _as_array(value: Any) -> Any:
    """Return the lists of numbers as an array; anything else as it is."""
    if not isinstance(value, list | tuple) or not value:
        return value
    flat = list(value)
    while flat and isinstance(flat[0], list | tuple):
        flat = [v for row in flat if isinstance(row, list | tuple) for v in row]
    if not all(is_number(v) for v in flat):
        return value
    try:
        return np.array(value, dtype=float)
    except ValueError:
        return value


def _check_text(path: str, entry: Par, value: Any) -> None:
    """Refuse a value that is not among the choices of the parameter, or no text where that is declared."""
    choices, kind = entry.get("choices"), entry.get("type")
    if kind not in (None, "String"):
        raise ModelError(f"unknown type '{kind}' of a parameter", path=path, expected='type="String", or no type')
    if choices is not None and not isinstance(choices, list | tuple):
        raise ModelError("the choices of the parameter are not a list", path=path, found=repr(choices), expected='("P", "PI")')
    if choices is not None and value not in choices:
        raise ModelError(
            "the parameter cannot have this value",
            path=path,
            found=repr(value),
            expected=f"one of {', '.join(map(repr, choices))}",
            remedy=nearest(str(value), choices),
        )
    if kind == "String" and not isinstance(value, str):
        raise ModelError(
            "the value of the parameter is not a text", path=path, found=repr(value), expected='a value such as "air"'
        )


def _check_range(evaluator: Evaluator, instance: Instance, key: str, entry: Par, value: Any) -> None:
    for attribute, sign in (("min", 1.0), ("max", -1.0)):
        limit = entry.get(attribute)
        if limit is None:
            continue
        path = join(instance.path, key)
        bound = evaluator.convert(limit, instance, key, float, f"{path}.{attribute}")
        if not is_number(bound):
            raise ModelError("a limit of the parameter is not a number", path=f"{path}.{attribute}", found=repr(bound))
        if any(sign * number < sign * bound for _, number in scalars(value)):
            raise ModelError("the parameter is out of range", path=path, found=repr(value), expected=f"{attribute} {bound!r}")


def _call(cls: type, given: dict[str, Any], path: str) -> Any:
    """Make an object; what its class refuses becomes an error that names the object."""
    missing = [name for name in required_fields(cls) if name not in given]
    if missing:
        found = f"fields {', '.join(given) or 'none'}"
        raise ModelError(f"{constructor_name(cls)} needs a value for '{missing[0]}'", path=path, found=found)
    try:
        return cls(**given)
    except ModelError as error:
        error.path = join(path, error.path)
        raise
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ModelError(f"{constructor_name(cls)}: {error}", path=path) from error
