"""Names that mean one thing where an expression was written and another where it stands: the user is warned.

Such an expression comes from a `Map`, see `model.scoping`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model.errors import ModelError, warn_user
from ...model.model import Var
from .instance import Instance, Target, element, locate


def other_meaning(start: Instance, name: str, skip: str, levels: int, target: Target) -> Target | None:
    """Return the other meaning that a name would have if its text had been written where it stands; None if it is the same.

    ``start``, ``name``, ``skip`` and ``levels`` are as in `locate`.
    """
    other = locate(start, name, skip) if levels else None
    return None if other is None or (other.instance is target.instance and other.key == target.key) else other


def warn_of(path: str, text: str, target: Target, other: Target) -> None:
    """Warn of two meanings whose values differ.

    Args:
        path, text: of the expression.
        target, other: what is taken, what is not; parameters are evaluated.
    """
    taken, given_up = _value(target), _value(other)
    if not _same(taken, given_up):
        warn_user(
            f"{path}: the names in '{text}' are those of the model where it is written: {_shown(target, taken)} is meant, "
            f"not {_shown(other, given_up)} of the model that is changed. For the latter write it in a Model(...) in the "
            "target of the Map(...), or rename one of them",
        )


def warn_of_name(path: str, name: str, target: Target, taken: Target) -> None:
    """Warn of the name of an object in a field, which is looked up from where it stands, whoever wrote it.

    Args:
        path, name: of the field's owner; what is written.
        target: what it means where it was written.
        taken: what it means where it stands.
    """
    warn_user(
        f"{path}: a name of an object is looked up from where it stands: '{name}' is '{taken.path}', not '{target.path}' of "
        "the model where it is written. Rename one of them to mean the latter",
    )


def _value(target: Target) -> Any:
    """Return the value of a parameter, or of the object that a model makes; the entry itself of a variable."""
    entry = target.instance.model[target.key]
    if isinstance(entry, Var):
        return entry
    if target.key in target.instance.children:
        return target.instance.children[target.key].made
    try:
        return element(target.instance.values[target.key], target.index, target.path)
    except ModelError:
        return None


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Var) or isinstance(b, Var):
        return False
    if a is b:
        return True
    try:
        return np.shape(a) == np.shape(b) and bool(np.all(np.asarray(a == b)))
    except ValueError:
        return False


def _shown(target: Target, value: Any) -> str:
    return f"'{target.path}'" + (
        "" if isinstance(value, Var) else f" = {np.asarray(value).tolist()!r}" if np.ndim(value) else f" = {value!r}"
    )
