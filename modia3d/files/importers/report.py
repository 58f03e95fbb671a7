"""Report of an import to its user: what was renamed, what was left out and what that means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from modiapy.model.model import Model

SHOWN = 4
"""Places that are named for each kind of thing left out; of the others only the number is said."""


class Report:
    """Notes of an import, and what was left out by kind."""

    def __init__(self) -> None:
        self.notes: dict[str, None] = {}
        self.left_out: dict[str, dict[str, None]] = {}

    def note(self, text: str) -> None:
        """Note something that is there in another form; what holds of many objects is noted once."""
        self.notes[text] = None

    def leave_out(self, what: str, where: str) -> None:
        """Note something of the file, at ``where``, that the model does not have."""
        self.left_out.setdefault(what, {})[where] = None

    def lines(self) -> tuple[str, ...]:
        """Return the report, one line for each note and each kind of thing left out."""
        lines = list(self.notes)
        for what, places in self.left_out.items():
            named = ", ".join(list(places)[:SHOWN]) + (f" and {len(places) - SHOWN} more" if len(places) > SHOWN else "")
            lines.append(f"left out: {what} ({named})")
        return tuple(lines)


class ImportedModel(Model):
    """A `Model` from a file of another program.

    Attributes:
        report: lines for its user: renamings, and everything of the file that is not in the model.
        links, joints: what they are called in the model, by their names in the file.
    """

    report: tuple[str, ...] = ()
    links: Mapping[str, str] = MappingProxyType({})
    joints: Mapping[str, str] = MappingProxyType({})
