"""Units that name text parameters: ``{effort_unit}`` of a model, or of one around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .instance import Instance, locate

_NAMED = re.compile(r"\{([^{}]*)\}")


def named_unit(text: str, instance: Instance, value: Callable[[Instance, str], Any]) -> str:
    """Return a unit with text parameters in the place of ``{NAME}``; "" if one of them is not there.

    Args:
        text: the unit as written. ``{b.NAME}`` is looked up from the submodel b outward.
        instance: whose variable has the unit.
        value: evaluates a parameter of an instance.
    """

    def found(match: re.Match[str]) -> str:
        *path, name = match[1].split(".")
        start = instance
        for part in path:
            start = start.children.get(part, start)
        target = locate(start, name)
        word = value(target.instance, target.key) if target is not None else None
        known.append(isinstance(word, str))
        return str(word)

    known: list[bool] = []
    text = _NAMED.sub(found, text)
    return text if all(known) else ""
