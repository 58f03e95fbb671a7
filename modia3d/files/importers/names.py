"""Names of a file become names of a model."""

from __future__ import annotations

import keyword
import re
from itertools import chain, count

from modiapy.model.entry import Kind
from modiapy.model.language import names_of
from modiapy.model.model import RESERVED

from .report import Report

TAKEN = ("world", "mechanics", "actions", "time", *RESERVED, *names_of(Kind.EQUATION, Kind.FUNCTION))
"""Names with a meaning of their own in a model."""


class Names:
    """Gives every object of a file a name of its own, always the same for the same file.

    What is no letter, digit or underscore becomes an underscore; a name that begins with a digit or an underscore gets an ``n``
    before it; a name that is taken gets the kind of the object behind it, then a number.
    """

    def __init__(self, report: Report) -> None:
        self._used = set(TAKEN)
        self._report = report

    def new(self, name: str, kind: str) -> str:
        """Return the name for an object called ``name`` in the file; a change is reported."""
        clean = re.sub(r"[^A-Za-z0-9_]", "_", name)
        if not clean[:1].isalpha():
            clean = f"n{clean}"
        found = self.added(clean, f"{clean}_{kind}")
        if found != name:
            self._report.note(f"renamed: {kind} '{name}' is called '{found}'")
        return found

    def added(self, *names: str) -> str:
        """Return the first of the names that is free; else the last one with a number behind it."""
        numbered = (f"{names[-1]}_{number}" for number in count(2))
        found = next(name for name in chain(names, numbered) if name not in self._used and not keyword.iskeyword(name))
        self._used.add(found)
        return found
