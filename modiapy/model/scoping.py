"""Scopes of names in expressions: texts that were written further out than they stand.

A text of a `Model` stands in its own scope. A `Map` is written outside of what it changes: merged, its texts become
`EnclosingText`, which counts the models between.

Source of the rule: Modelica specification 3.6, section 7.2 (names of a modifier are those of the scope where it is written).
"""

from __future__ import annotations

from typing import Any, TypeVar

from .errors import ModelError

T = TypeVar("T")

_NO_EXPRESSIONS = frozenset(
    ("equations", "initial_equations", "connect", "description", "unit", "type", "choices", "state_select")
)
"""Entries and attributes whose texts are none, or belong to the model whatever was merged."""


class EnclosingText(str):
    """An expression whose names are those of the model that is ``levels`` models further out than the one where it stands."""

    __slots__ = ("levels",)
    levels: int

    def __new__(cls, text: str, levels: int) -> EnclosingText:
        made = super().__new__(cls, text)
        made.levels = levels
        return made

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return str(self), self.levels

    @property
    def written(self) -> str:
        """Text as it is written in Python."""
        return f"enclosing({str(self)!r}{f', {self.levels}' if self.levels > 1 else ''})"


def enclosing(text: str, levels: int = 1) -> str:
    """Return an expression whose names are looked up in the enclosing model first, as those in a `Map` are.

    Args:
        text: the expression.
        levels: how many models further out.

    Raises:
        ModelError: ``text`` is no text, ``levels`` no positive integer.
    """
    if not isinstance(text, str) or type(levels) is not int or levels < 1:
        raise ModelError(
            "enclosing was not given an expression", found=f"enclosing({text!r}, {levels!r})", expected='enclosing("2*c")'
        )
    return EnclosingText(text, levels)


def levels_of(value: Any) -> int:
    """Return how many models further out than it stands the names of a value are looked up; of a list, the most of its
    texts.
    """
    if isinstance(value, list | tuple):
        return max(map(levels_of, value), default=0)
    return value.levels if isinstance(value, EnclosingText) else 0


def moved_in(value: T, levels: int, depth: int = 0) -> T:
    """Return a value that was written ``levels`` models further out than it will stand.

    Args:
        value: a text, or anything that contains texts. What a `Model` among it says of itself stays.
        levels: number of models; -1 takes back what 1 did.
        depth: models of ``value`` itself around this part of it.
    """
    if not levels:
        return value
    if isinstance(value, str):
        own = levels_of(value)
        total = own + levels if own >= depth else own
        return EnclosingText(str(value), total) if total > 0 else str(value)  # type: ignore[return-value]
    if type(value) in (list, tuple):
        return type(value)(moved_in(item, levels, depth) for item in value)  # type: ignore[call-arg, attr-defined]
    if isinstance(value, dict):
        inner = depth + bool(getattr(value, "is_scope", False))
        moved = value.copy()
        for key, entry in value.items():
            if has_expressions(key):
                dict.__setitem__(moved, key, moved_in(entry, levels, inner))
        return moved  # type: ignore[return-value]
    return value


def has_expressions(key: object) -> bool:
    """Return whether an entry or attribute of this name may have expressions that whoever merges it brings along."""
    return not (isinstance(key, str) and (key.startswith("_") or key in _NO_EXPRESSIONS))
