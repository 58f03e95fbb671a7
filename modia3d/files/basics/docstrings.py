"""Docstrings as texts for users: of the schema, the command line and the guides."""

from __future__ import annotations

import inspect
import re
from typing import Any

_SECTION = re.compile(r"^(Args|Attributes|Arguments):\n((?:[ \t]+.*\n|\n)+)", re.MULTILINE)
_FIELD = re.compile(r"^    ((?:\*{0,2}\w+)(?:, \w+)*): (.*(?:\n     +.*)*)", re.MULTILINE)


def summary(made: Any) -> str:
    """Return the first paragraph of a docstring, in one line."""
    return _line((inspect.getdoc(made) or "").split("\n\n")[0])


def field_texts(made: Any) -> dict[str, str]:
    """Return the description of each field in a docstring or argument."""
    found: dict[str, str] = {}
    for section in _SECTION.finditer((inspect.getdoc(made) or "") + "\n"):
        for names, text in _FIELD.findall(section[2]):
            found |= dict.fromkeys(names.split(", "), _line(text))
    return found


def _line(text: str) -> str:
    return " ".join(text.replace("``", "").replace("`", "").split())
