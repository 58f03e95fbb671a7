"""Nested dictionaries that a user writes and merges with ``|``: `Model`, `Map`, `Var` and `Par`.

In a `Model` a number, bool or array is a parameter and a string an expression of parameters; ``Var(...)`` is a variable,
``Par(...)`` a parameter with attributes, a `Model` a submodel. Keys with a meaning of their own: ``equations``,
``initial_equations``, ``connect``, ``description`` (documentation, ignored) and everything that begins with an underscore.

Merging ``a | b`` goes through the entries of b (operands never change, the result has the type of a):

- ``equations``, ``initial_equations`` and ``connect`` are appended, but for texts that are there already;
- ``None`` removes an entry (in a `Map` it waits until that is merged into a `Model`);
- a `Map` changes what is there, entry by entry; it cannot add a parameter, so that a misspelled name is found;
- a `Var` changes the given attributes of a variable, a plain `Par` those of a parameter;
- a number or a string replaces the value of a parameter; for a variable it is a binding equation;
- a `Model` is merged into the submodel that is there and may add to it; what `redeclare` marks replaces it as a whole;
- a `Par` with a constructor, or a `Model` with another constructor or component, or made otherwise, replaces what was there.

Source of the rules: Modia.jl's documentation of ``|`` and ``redeclare`` (ModelCollections.jl).
"""

from __future__ import annotations

import keyword
import numbers
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Never, Self, TypeVar, Unpack, overload

import numpy as np

from .arguments import as_written, check_arguments, refuse_unknown
from .attributes import OTHER_ATTRIBUTES, PAR_ATTRIBUTES, PAR_HINTS, VAR_ATTRIBUTES, VAR_HINTS, ParAttributes, VarAttributes
from .errors import ModelError, nearest
from .fields import constructor_name, constructor_of, field_hints
from .places import Places, record
from .scoping import EnclosingText, has_expressions, moved_in

APPENDED = ("equations", "connect", "initial_equations")
REDECLARED = "_redeclared"
EQUALITY = "equality_constraint"
"""Key of an overdetermined record of a connector: residuals of two records, texts in ``a.NAME`` and ``b.NAME``, 0 if equal."""

EXPANDABLE = "_expandable"
"""Key of a connector whose variables come into being by connections."""

HALF_ARROW = "half_arrow"
"""Key of a connector that is connected with one of the other direction: "in" or "out"."""

RESERVED = frozenset((*APPENDED, "description", EQUALITY, HALF_ARROW))


class Entries(dict[str, Any]):
    """Base of `Model`, `Map`, `Var` and `Par`: a dictionary with recursive merging and a readable form."""

    def __or__(self, other: object) -> Self:  # type: ignore[override]
        if not isinstance(other, dict):
            raise ModelError(
                f"nothing but a Map, Model, Var or Par can be merged into a {type(self).__name__}",
                found=repr(other),
                expected="for example ... | Map(R=100.0)",
            )
        return merge(self, other)

    def __ior__(self, other: object) -> Self:  # type: ignore[override, misc]
        return self | other  # type: ignore[operator, no-any-return]

    def changed(self, new: Mapping[str, Any], path: str, levels: int, position: int | None = None) -> Any:
        """Return a value that stands for many with changes of all, or of the one at a position; None if it stands for one."""
        return None

    def copy(self) -> Self:
        """Return a shallow copy of the same type."""
        return _like(self, self)

    def __repr__(self) -> str:
        return f"{_head(self)}({', '.join(_arguments(self))})"

    def __str__(self) -> str:
        return _pretty(self, 0)


E = TypeVar("E", bound=Entries)
NO_ENTRIES: Mapping[str, Any] = MappingProxyType({})


class _Placed(Entries):
    """Base of what remembers where it was written.

    Attributes:
        places: of its equations and connections and of itself.
    """

    places: Places = {}  # noqa: RUF012

    def __init__(self, given: Mapping[str, Any] = NO_ENTRIES, /, *further: Never, **entries: Any) -> None:
        kind = type(self).__name__
        if further or not isinstance(given, Mapping):
            args = (given, *further)
            raise ModelError(
                f"a {kind} takes entries by name",
                found=f"{kind}({', '.join(map(repr, args))})",
                expected=f"{kind}(name=value, ...), for example {kind}(R=100.0)",
            )
        super().__init__({key: as_written(value) for key, value in {**given, **entries}.items()})
        for key in self:
            _check_key(key, "")
        self.places = record(self)

    if not TYPE_CHECKING:  # to a type checker any name would be there

        def __getattr__(self, name: str) -> Any:
            """Return ``model.gear`` is ``model["gear"]``, at the prompt say; what a dictionary has itself is no entry."""
            if name in self and not name.startswith("_"):
                return self[name]
            remedy = "" if name.startswith("_") else nearest(name, [key for key in self if not key.startswith("_")])
            raise AttributeError(f"this {type(self).__name__} has no entry '{name}'. {remedy}".rstrip(), name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if not any(name in vars(kind).get("__annotations__", ()) for kind in type(self).__mro__):
            expected = f"... | Map({name}=...)"
            raise ModelError(
                f"an entry of a {type(self).__name__} cannot be assigned", found=f".{name} = ...", expected=expected
            )
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        """Return the names of attributes and entries, which the prompt completes."""
        return [*super().__dir__(), *(key for key in self if not key.startswith("_"))]


class Model(_Placed):
    """Variables, parameters, submodels, ``equations`` (texts ``"lhs = rhs"``), ``initial_equations``, ``connect`` (tuples)."""

    is_scope = True

    def _repr_latex_(self) -> str:
        """Return LaTeX for notebooks: parameters and equations, those of submodels with their paths."""
        from .latex import latex_of_model

        return latex_of_model(self)


class Map(_Placed):
    """A modification, to be merged into a model: new values, attributes and submodels under the same names."""


def _with_value(kind: Entries, first: Any, further: tuple[Any, ...], attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a `Var` or `Par` with its positional argument, if there is one, as the first."""
    if further:
        name, value = type(kind).__name__, (first, *further)
        raise ModelError(
            f"a {name} was given several values",
            found=f"{name}({', '.join(map(repr, value))})",
            expected=f"{name}(value, unit=..., ...), a list for an array: {name}({list(value)!r})",
        )
    given = dict(attributes) if first is None else {"value": first, **attributes}
    return {key: as_written(value) for key, value in given.items()}


class Var(Entries):
    """Variable of a model: an unknown, an input or an output.

    Args:
        value: first positional argument; number, expression, or list of these, of a binding equation ``name = value``.
        init: initial value that holds exactly (number or expression of parameters).
        start: guess value, used for a state without ``init``; value of an input that nothing is connected to.
        nominal: magnitude, for tolerances (1 by default).
        state_select: "never", "avoid", "default", "prefer" or "always" to be a state.
        input, output: causality.
        potential, flow: role in a connector.
        observed: only results and animations need it: it is computed where results are stored, and its relations make no
            events, as long as no equation of another variable needs it.
        shape: of an array variable, e.g. ``3``, ``(2, 3)``, ``"n"``; not needed where ``init`` or ``start`` is an array or the
            equations determine it.
        impulse: it is zero except at events, such as the impulse of a collision: its equations are solved there only.
        elements: the elements of the array are unknowns of their own: an equation may determine one of them alone.
        unit, description: documentation.
        type: "Real" (default), "Integer" or "Boolean"; the last two are piecewise constant, ``init`` is their value before the
            initial event.

    Raises:
        ModelError: an attribute that a variable does not have.
    """

    def __init__(self, value: Any = None, /, *further: Never, **attributes: Unpack[VarAttributes]) -> None:
        super().__init__(_with_value(self, value, further, attributes))
        refuse_unknown(attributes, VAR_ATTRIBUTES, "attribute", "a variable", remedies=OTHER_ATTRIBUTES)
        check_arguments("Var", self, VAR_HINTS)


class Par(Entries):
    """A parameter with attributes, or the call of a constructor, see `constructor`.

    Args:
        value: first positional argument; number, array or expression of parameters.
        min, max: limits; the model is refused outside of them.
        choices: words, of which the value is one (an enumeration): ``Par("PI", choices=("P", "PI", "PID"))``.
        type: "String": the value is text, not an expression.
        structural: equations contain its value, which cannot be merged after translation: zeros make them simpler, a Boolean
            chooses the branch of an `If` for good.
        unit, description: documentation.

    Raises:
        ModelError: an attribute that a parameter does not have.
    """

    @overload
    def __init__(self, value: Any = None, /, *further: Never, **attributes: Unpack[ParAttributes]) -> None: ...
    @overload
    def __init__(self, /, *, _constructor: type, **fields: Any) -> None: ...
    def __init__(self, value: Any = None, /, *further: Any, **attributes: Any) -> None:
        super().__init__(_with_value(self, value, further, attributes))
        if "_constructor" not in attributes:
            refuse_unknown(attributes, PAR_ATTRIBUTES, "attribute", "a parameter", remedies=OTHER_ATTRIBUTES)
            check_arguments("Par", self, PAR_HINTS)


class DefaultInit(float):
    """An ``init`` that a component gives where its user says nothing: equations that determine the variable win over it."""


class FoundInit(DefaultInit):
    """A `DefaultInit` that a component computed, for instance to close a loop: other defaults give way to it."""


# -- merging ------------------------------------------------------------------------------------------------------------


def merge(a: E, b: Mapping[str, Any], path: str = "") -> E:
    """Return ``a | b``; see the rules above. ``path`` is where that happens, for messages."""
    return _merged(a, b, path, int(isinstance(a, Model) and not isinstance(b, Model)))


def _merged(a: E, b: Mapping[str, Any], path: str, levels: int) -> E:
    """Return ``a | b`` where b was written ``levels`` models further out than the entries of a stand, see `scoping`."""
    if not isinstance(a, Map) and isinstance(b, Var | Par) and type(a) is not type(b):
        raise ModelError(f"a {type(b).__name__} cannot be merged into a {type(a).__name__}", path=path, remedy="Use Map(...).")
    result = a.copy()
    if isinstance(result, _Placed) and isinstance(b, _Placed):
        result.places = {**result.places, **b.places}
    for key, given in b.items():
        _check_key(key, path)
        new = given if isinstance(b, Entries) else as_written(given)
        here = f"{path}.{key}" if path else key
        old = result.get(key)
        name, position = indexed(key)
        many = result.get(name) if position is not None and isinstance(new, dict) else None
        if isinstance(many, Entries) and (changed := many.changed(new, here, levels, position)) is not None:
            result[name] = changed
            continue
        if isinstance(new, Model) and REDECLARED in new:
            result[key] = moved_in(_redeclared(result, old, new, here), levels)
            continue
        if old is None and key not in result:
            _check_addition(result, key, new, adds=type(b) is Model, path=here)
        if new is None and not isinstance(a, Map):
            result.pop(key, None)
        elif key in APPENDED and old is not None and new is not None:
            result[key] = _joined(key, old, new, path)
        else:
            further = levels if has_expressions(key) else 0
            result[key] = moved_in(new, further) if old is None or new is None else merge_entry(old, new, here, further)
    return result


def indexed(key: str) -> tuple[str, int | None]:
    """Name and position of ``R[1]``, an element of an `Array`; None for any other name."""
    name, bracket, position = key.partition("[")
    inner = position.removesuffix("]")
    return (name, int(inner)) if bracket and inner != position and inner.isdecimal() else (key, None)


def check_list(key: str, given: Any, path: str) -> None:
    """Refuse ``equations``, ``initial_equations`` or ``connect`` that are no list. ``path`` is that of their model."""
    if given is not None and not isinstance(given, list | tuple):
        expected = '[("a.flange_b", "b.flange_a")]' if key == "connect" else '["lhs = rhs", ...]'
        raise ModelError(f"'{key}' is not a list", path=path, found=repr(given), expected=expected)


def _check_key(key: object, path: str) -> None:
    if not isinstance(key, str):
        raise ModelError("the name of an entry is not a text", path=path, found=repr(key), expected="a name such as 'gear'")


def _joined(key: str, old: Any, new: Any, path: str) -> list[Any]:
    """Return both lists, what the second one repeats left out: the same equation twice says nothing."""
    for given in (old, new):
        check_list(key, given, path)
    joined = list(old)
    texts = {entry for entry in joined if isinstance(entry, str)}
    return joined + [entry for entry in new if not (isinstance(entry, str) and entry in texts)]


def redeclare(model: Model) -> Model:
    """Mark a model as a replacement: ``Drive | Map(motor=redeclare(DCMotor | Map(R=0.5)))``.

    The submodel that is there is replaced as a whole, nothing of it is kept. Unlike a plain `Model`, a replacement is refused
    where there is no submodel of that name.

    Args:
        model: the replacement.

    Raises:
        ModelError: ``model`` is not a `Model`.
    """
    if not isinstance(model, Model):
        raise ModelError(
            "redeclare was not given a Model",
            found=repr(model),
            expected="redeclare(OtherModel | Map(...))",
            remedy="A Map alone changes values of the submodel that is there: leave redeclare out."
            if isinstance(model, Map)
            else "",
        )
    marked = model.copy()
    marked[REDECLARED] = True
    return marked


def _redeclared(target: Entries, old: Any, new: Model, path: str) -> Model:
    """Return the replacement without its mark (which stays while it waits in a `Map`)."""
    if isinstance(target, Map):
        return new
    if not isinstance(old, Model):
        submodels = [key for key, entry in target.items() if isinstance(entry, Model)]
        raise ModelError(
            "there is no submodel to redeclare",
            path=path,
            found="nothing of that name" if old is None else repr(old),
            expected=f"one of {', '.join(submodels)}" if submodels else "a model with submodels",
            remedy=nearest(path.rpartition(".")[2], submodels),
        )
    return _like(new, {key: entry for key, entry in new.items() if key != REDECLARED})


def merge_entry(old: Any, new: Any, path: str, levels: int) -> Any:
    """Return an entry with changes, or what stands in its place; ``levels`` as of `_merged`."""
    changed = old.changed(new, path, levels) if isinstance(old, Entries) and type(new) in (dict, Map, Model) else None
    if changed is not None:
        return changed
    modifies = isinstance(new, dict) and not isinstance(new, Model | Var | Par)
    if isinstance(old, Model) and isinstance(new, Model) and all(old.get(k) == new.get(k) for k in _KIND):
        return _merged(old, moved_in(new, levels), path, 0)
    if modifies and isinstance(old, Entries):
        return _merged(old, new, path, levels + isinstance(old, Model))
    if modifies and not isinstance(old, dict):
        return _merged(Par(value=old), new, path, levels)
    if _is_plain(new) and (isinstance(old, Map) or (_is_plain(old) and type(old) is type(new))):
        return _merged(old, new, path, levels)
    if not isinstance(new, dict):
        if _is_plain(old):
            return _merged(old, {"value": new}, path, levels)
        if isinstance(old, Model):
            raise ModelError(
                "a submodel cannot be replaced by a value",
                path=path,
                found=repr(new),
                expected="a Map with entries of the submodel, or a Model",
            )
    return moved_in(new, levels)


MADE_BY = "_made_by"
"""Key of a model that a function made, with what tells it from others: how it was made."""

FLAT = "_flat"
"""Key of a model that stands for a flat one: its equations are there already, its entries say what may be seen of it."""

_KIND = ("_constructor", "_component", MADE_BY, FLAT)
"""What a model must have in common with another one to be merged into it."""


def _is_plain(value: Any) -> bool:
    return isinstance(value, Var) or (isinstance(value, Par) and "_constructor" not in value)


def _check_addition(target: Entries, key: str, new: Any, adds: bool, path: str) -> None:
    """Refuse an entry that ``target`` does not have and cannot get."""
    if isinstance(target, Map) or key in RESERVED or key.startswith("_"):
        return
    fields: Iterable[str] = ()
    if "_constructor" in target:
        fields = field_hints(target["_constructor"])
    if isinstance(target, Model):
        adding = adds or (isinstance(new, Model | Var | Par) or callable(new))
        if not adding and key not in fields:
            known = [k for k in target if k not in RESERVED and not k.startswith("_")]
            raise ModelError(
                f"there is no '{key}' to modify",
                path=path,
                expected=f"one of {', '.join(sorted({*known, *fields}))}" if known else "a model with entries",
                remedy=f"{nearest(key, [*known, *fields])} To add an entry, merge a Model instead of a Map.".strip(),
            )
    elif isinstance(target, Var):
        refuse_unknown([key], VAR_ATTRIBUTES, "attribute", "a variable", path, OTHER_ATTRIBUTES)
    elif "_constructor" in target:
        name, remedies = constructor_of(target["_constructor"])
        refuse_unknown([key], list(fields), "field", name, path, remedies)
    else:
        refuse_unknown([key], PAR_ATTRIBUTES, "attribute", "a parameter", path, OTHER_ATTRIBUTES)


def _like(kind: E, entries: Mapping[str, Any]) -> E:
    new = type(kind).__new__(type(kind))
    dict.update(new, entries)
    if isinstance(kind, _Placed) and isinstance(new, _Placed):
        new.places = kind.places
    return new


Bus = Model(_expandable=True)
"""An expandable connector: what is connected with ``bus.speed`` gives it a signal ``speed`` (Modelica, specification 9.1.3)."""
Bus.places = {}  # it is no place of a user's model


# -- text ---------------------------------------------------------------------------------------------------------------


def _head(entries: Entries) -> str:
    if isinstance(entries, Par) and "_constructor" in entries:
        return constructor_name(entries["_constructor"])
    return type(entries).__name__


def _shown(entries: Entries) -> Iterator[tuple[str, Any]]:
    hidden = ("_constructor",) if isinstance(entries, Par) else (REDECLARED,)
    return ((key, value) for key, value in entries.items() if key not in hidden)


def _arguments(entries: Entries) -> list[str]:
    """Return the text of each argument between the parentheses, one per line; the value of a Var or Par comes first."""
    shown = dict(_shown(entries))
    first = [_pretty(shown.pop("value"), INLINE)] if _is_plain(entries) and shown.get("value") is not None else []
    return first + [f"{key}={_pretty(value, INLINE)}" for key, value in shown.items()]


INLINE = -1
"""Level of indentation of a list that stays on its line."""


def _pretty(value: Any, level: int) -> str:
    inner, outer = "  " * (level + 1), "  " * level
    if isinstance(value, Model | Map) and value:
        lines = [_line(key, _pretty(entry, level + 1), inner) for key, entry in _shown(value)]
        text = f"{_head(value)}(\n{''.join(lines)}{outer})"
        return f"redeclare({text})" if REDECLARED in value else text
    if isinstance(value, Var | Par):
        return f"{_head(value)}({', '.join(_arguments(value))})"
    if isinstance(value, EnclosingText):
        return value.written
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if type(value) in (list, tuple) and any(isinstance(v, Entries | EnclosingText | np.generic | np.ndarray) for v in value):
        inside = ", ".join(_pretty(v, INLINE) for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside},)" if len(value) == 1 else f"({inside})"
    if level != INLINE and isinstance(value, list) and len(value) > 1 and not all(is_number(v) for v in value):
        return "[\n" + "".join(f"{inner}{_pretty(item, level + 1)},\n" for item in value) + f"{outer}]"
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    return repr(value)


def _line(key: str, text: str, indent: str) -> str:
    """Return one entry of a model; a name that is not a name of Python needs another form."""
    named = key.isidentifier() and not keyword.iskeyword(key)
    return f"{indent}{key} = {text},\n" if named else f"{indent}**{{{key!r}: {text}}},\n"


def is_number(value: Any) -> bool:
    """Return whether a value is a scalar number of the language (bool included)."""
    return isinstance(value, numbers.Real | np.bool_)
