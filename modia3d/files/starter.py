"""Scenarios to begin with, commented: what ``modia3d new`` writes."""

from __future__ import annotations

import os
from pathlib import Path

from modiapy.model.errors import ModelError, nearest

_FOLDER = Path(__file__).parent / "starters"


def starters() -> dict[str, str]:
    """Return the names of the starters, and what each is about."""
    found = {}
    for file in sorted(_FOLDER.glob("*.yaml")):
        with file.open(encoding="utf-8") as stream:
            found[file.stem] = stream.readline().removeprefix("#").strip()
    return found


def starter(name: str, file: str | os.PathLike[str]) -> str:
    """Return the text of a starter, whose comments speak of ``file``.

    Raises:
        ModelError: there is none of this name.
    """
    known = starters()
    if name not in known:
        raise ModelError(f"there is no starter '{name}'", expected=f"one of {', '.join(known)}", remedy=nearest(name, known))
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8").replace("{file}", os.fspath(file))
