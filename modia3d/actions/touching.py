"""Conditions about contact: ``in_contact(finger, ball)`` and ``not_in_contact(finger, ball)``, alone or among others.

Contact begins and ends at events of the engine. So a condition that depends only on contact is evaluated at events, not in each
step.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modiapy.model.errors import ModelError
from modiapy.model.expression import Apply, Expr, Name, apply

IN, NOT_IN = CONTACT_CONDITIONS = ("in_contact", "not_in_contact")
"""Names of the conditions."""

SIGNAL = "mechanics.contact[{},{}].touching"
"""Signal of the engine for two frames in the order of declaration: 1 while their solids touch each other, else 0."""


def in_contact(one: str, two: str) -> str:
    """Return the condition that two solids touch each other.

    Args:
        one, two: names of their `Object3D`s.

    Returns:
        A text, so that it can be part of another condition: ``f"{in_contact('finger', 'ball')} and time > 1"``.

    Raises:
        ModelError: something else than two names.
    """
    return _text(IN, (one, two))


def not_in_contact(one: str, two: str) -> str:
    """Return the condition that two solids do not touch each other, a text.

    Args:
        one, two: names of their `Object3D`s.

    Raises:
        ModelError: something else than two names.
    """
    return _text(NOT_IN, (one, two))


def _text(condition: str, names: Any) -> str:
    if not isinstance(names, list | tuple) or len(names) != 2 or not all(isinstance(name, str) and name for name in names):
        raise _refusal(condition, names)
    return f"{condition}({names[0]}, {names[1]})"


def _refusal(condition: str, names: Any) -> ModelError:
    return ModelError(f"{condition} needs two solids", found=repr(names), expected="the names of two Object3D")


def with_contacts(given: Mapping[str, Any]) -> Any:
    """Join the conditions of a mapping such as ``{"in_contact": ["finger", "ball"], "condition": "time > 1"}``.

    Raises:
        ModelError: there is no condition, or something else, in it.
    """
    known = ("condition", *CONTACT_CONDITIONS)
    if not given or not all(key in known for key in given):
        raise ModelError("this is not a condition", found=repr(dict(given)), expected=f"some of {', '.join(known)}")
    texts = [_text(key, given[key]) for key in CONTACT_CONDITIONS if key in given]
    if "condition" in given and not texts:
        return given["condition"]
    return " and ".join([*texts, *([f"({given['condition']})"] if "condition" in given else [])])


def question(expr: Expr) -> Expr | None:
    """Replace a call of a condition about contact by an expression with a name, see `solids_of`; return None for other calls.

    Raises:
        ModelError: the call has no two names.
    """
    if type(expr) is not Apply or expr.op != "call" or str(expr.args[0]) not in CONTACT_CONDITIONS:
        return None
    condition, *names = expr.args
    texts = [str(name) for name in names]
    if len(names) != 2 or not all(type(name) is Name for name in names):
        raise _refusal(str(condition), texts)
    asked = Name(_text(IN, texts))
    return asked if str(condition) == IN else apply("not", asked)


def solids_of(name: str) -> tuple[str, str] | None:
    """Return the names of the frames in an expression of `question`; None for any other name of a signal."""
    if not name.startswith(f"{IN}("):
        return None
    one, two = name[len(IN) + 1 : -1].split(", ")
    return one, two
