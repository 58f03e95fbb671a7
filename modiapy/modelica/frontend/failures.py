"""Messages of the compiler about a model that it refuses, with the place in the file of the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...model.errors import ModelError
from .places import SourcePlaces, source_number
from .rewrites.texts import blanked
from .rumoca_process import WRAPPER

OWN = "user.mo"
"""What the compiler calls the model's own file."""

_PLACE = re.compile(rf"\[({re.escape(OWN)}|lib/[^\]:]+):(\d+):(\d+)\]")
_QUOTED = re.compile(r"['`]([A-Za-z_][\w.]*)['`]")
_STAGE = re.compile(rf"^(?:\w+ failed: )?{WRAPPER} (?:could not be compiled|failed in \w+): ")
_LEVELS = re.compile(r"\s*Related failures.*", re.DOTALL)


def explained(answer: Mapping[str, Any], model: str, places: SourcePlaces) -> ModelError:
    """Return the error that a user is told.

    Args:
        answer: of the compiler: its ``message``, and what it ``said`` of the syntax of the model's own file.
        model: name of the class.
        places: of the files that it read.
    """
    message = _LEVELS.sub("", _STAGE.sub("", answer["message"]))
    for text in (*answer.get("said", ()), message):
        found = _PLACE.search(text)
        if found:
            source = places.texts.get(source_number(found[1]))
            return _at(message, model, source.file if source else found[1], int(found[2]), int(found[3]))
    own = places.texts.get(source_number(OWN))
    text = blanked(own.read().decode(errors="replace")) if own else ""
    for name in _QUOTED.findall(message):
        here = re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text)
        if own and here and WRAPPER not in text[text.rfind("\n", 0, here.start()) + 1 : here.start()]:
            line = text.count("\n", 0, here.start()) + 1
            return _at(message, model, own.file, line, here.start() - text.rfind("\n", 0, here.start()))
    return ModelError(message, path=model, file=own.file if own and not own.file.startswith("(") else "")


def _at(message: str, model: str, file: str, line: int, column: int) -> ModelError:
    return ModelError(f"{message} (column {column})", path=model, file=file, line=line)
