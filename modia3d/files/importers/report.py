"""Report of an import to its user: what was renamed, what was left out and what that means."""

from __future__ import annotations

from typing import Any

from modiapy.model.model import Model

SHOWN = 4
"""Places that are named for each kind of thing left out; of the others only the number is said."""


class Report:
    """Notes of an import, and what was left out by kind."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.left_out: dict[str, list[str]] = {}

    def note(self, text: str) -> None:
        """Note something that is there in another form."""
        self.notes.append(text)

    def note_once(self, text: str) -> None:
        """Note something of many objects, once."""
        if text not in self.notes:
            self.note(text)

    def leave_out(self, what: str, where: str) -> None:
        """Note something of the file, at ``where``, that the model does not have."""
        places = self.left_out.setdefault(what, [])
        if where not in places:
            places.append(where)

    def lines(self) -> tuple[str, ...]:
        """Return the report, one line for each note and each kind of thing left out."""
        lines = list(self.notes)
        for what, places in self.left_out.items():
            named = ", ".join(places[:SHOWN]) + (f" and {len(places) - SHOWN} more" if len(places) > SHOWN else "")
            lines.append(f"left out: {what} ({named})")
        return tuple(lines)


class ImportedModel(Model):
    """A `Model` from a file of another program.

    Attributes:
        report: lines for its user: renamings, and everything of the file that is not in the model.
        links, joints: what they are called in the model, by their names in the file.
    """

    report: tuple[str, ...] = ()
    links: dict[str, str] = {}  # noqa: RUF012
    joints: dict[str, str] = {}  # noqa: RUF012


def imported(model: Model, report: Report, links: dict[str, str], joints: dict[str, str]) -> ImportedModel:
    """Return the model with its report."""
    entries: dict[str, Any] = dict(model)
    result = ImportedModel(**entries)
    result.report, result.links, result.joints = report.lines(), links, joints
    return result
