"""`constructor`: a function that takes the fields of a dataclass; and what may be given for a field, for type checkers.

Where a number is wanted, text is an expression in the scope of the model; a `Par` may stand anywhere, a `Var` for its initial
value; an object is the call of its constructor, or the name of an entry that holds one. The exports of both packages
(``__init__.pyi``, written by ``python -m tools.exports``) have their types from here.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arguments import NO_REMEDIES, check_fields, refuse_unknown
from .errors import ModelError
from .fields import field_hints, name_constructor, place_of
from .model import Par, Var

Number = float | np.floating | np.integer | str | Par | Var
Boolean = Number | np.bool_
String = str | Par
Object = str | Par
Array = np.ndarray | Par | Var
Vector = Sequence[Number] | Array
Matrix = Sequence[Number | Vector] | Array


def constructor(
    cls: type, *, name: str = "", remedies: Mapping[str, str] = NO_REMEDIES, later: tuple[str, ...] = ()
) -> Callable[..., Par]:
    """Return a function that takes the fields of a dataclass, positional or by keyword, and returns a `Par` describing the
    call.

    Args:
        cls: the dataclass.
        name: what users call the function; by default the name of the dataclass.
        remedies: names of fields that users of other languages write -> what is written here.
        later: fields that are looked at when the object is made, and not before, such as names of files.

    Returns:
        The function; its attribute ``dataclass`` is ``cls``.

    Raises:
        ModelError: (the returned function) a field that does not exist, with the nearest name; a field given twice; too many
            positional arguments; a value that cannot be right (expressions have values later). A missing field is found when
            the object is made, as it may be merged in before.
    """
    name = name or cls.__name__
    name_constructor(place_of(cls), name, remedies)
    fields = list(field_hints(cls))
    keyword_only = {item.name for item in dataclasses.fields(cls) if item.kw_only}
    positional = [field for field in fields if field not in keyword_only]

    def construct(*args: Any, **kwargs: Any) -> Par:
        if len(args) > len(positional):
            raise ModelError(f"{name}: too many arguments", found=str(len(args)), expected=f"at most {', '.join(positional)}")
        refuse_unknown(kwargs, fields, "field", name, remedies=remedies)
        given = dict(zip(positional, args, strict=False))
        for key in kwargs:
            if key in given:
                raise ModelError(f"{name}: field '{key}' is given twice", found="by position and by keyword")
        made = Par(_constructor=cls, **given, **kwargs)
        check_fields(cls, name, {key: made[key] for key in (*given, *kwargs)}, later)
        return made

    construct.__name__ = construct.__qualname__ = name
    construct.__doc__ = cls.__doc__
    construct.__module__ = cls.__module__
    construct.dataclass = cls  # type: ignore[attr-defined]
    construct.__signature__ = inspect.signature(cls).replace(return_annotation=Par)  # type: ignore[attr-defined]
    return construct
