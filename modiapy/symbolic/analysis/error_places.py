"""The place in the user's files that an error is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...model.errors import ModiaError
from ...model.model import Model
from ...model.places import FilePlace, exact
from ..structure.diagnosis import ends

_PACKAGE = str(Path(__file__).parents[2])


@contextmanager
def errors_located(model: object) -> Iterator[None]:
    """Add file and line to the errors raised inside that are about ``model``."""
    try:
        yield
    except ModiaError as error:
        locate_error(error, model)
        raise


def locate_error(error: ModiaError, model: object) -> None:
    """Add the file and line where the object of an error was written, if it has none and they are known.

    Places in the user's files are preferred to those in the library.
    """
    if error.file or not isinstance(model, Model) or not model.places:
        return
    chain: list[tuple[Model, str]] = []
    here: object = model
    for part in [*error.path.split("."), ""]:
        if not isinstance(here, Model):
            break
        chain.append((here, part))
        here = here.get(part)
    candidates = [place for entry, part in reversed(chain) for place in _candidates(entry, part, error.message)]
    if candidates:
        error.file, error.line = next((p for p in candidates if not p[0].startswith(_PACKAGE)), candidates[0])


def _candidates(model: Model, part: str, message: str) -> list[FilePlace]:
    """Return the places of a model that an error may be about: an equation that the message quotes, an entry, the model."""
    quoted = [text for text in model.places if text and text in message]
    found = [exact(model.places[text], [text, *ends(text)]) for text in sorted(quoted, key=len, reverse=True)[:1]]
    if "" in model.places:
        found.append(exact(model.places[""], [f"{part}=", f"{part} =", f'"{part}":'] if part else []))
    return found
