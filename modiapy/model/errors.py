"""Errors and warnings that tell a user which object is wrong, what was found, what was expected, and how to mend it."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self


class Position(int):
    """A line of a file (counts from 1) that also knows its column and its file.

    Attributes:
        column: counts from 1; 0 if it is not known.
        file: "" if it is the one that is spoken of anyway.
    """

    column: int
    file: str

    def __new__(cls, line: int, column: int = 0, file: str = "") -> Position:
        made = super().__new__(cls, line)
        made.column, made.file = column, file
        return made


class Reason(str):
    """Reason why something failed, in words, that also knows of which object.

    Attributes:
        path: its full path; "" if it is not known.
    """

    path: str

    def __new__(cls, text: str, path: str = "") -> Self:
        made = super().__new__(cls, text)
        made.path = path
        return made


class ModiaError(Exception):
    """A mistake in what the user wrote, or a simulation that cannot go on.

    Every error carries the parts of its message as attributes, so that a program can act on them.

    Attributes:
        path: full path of the object concerned, e.g. ``"robot.gear1.ratio"`` ("" if there is none).
        found: what was found.
        expected: what was expected.
        remedy: how to mend it.
        file, line: where it was written, if that is known (line counts from 1; a ``Position`` where the column is known, too).
        entry: number of the entry of a list that is concerned, e.g. of an action in its program (counts from 1).
    """

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        found: str = "",
        expected: str = "",
        remedy: str = "",
        file: str = "",
        line: int | None = None,
        entry: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path, self.found, self.expected, self.remedy = path, found, expected, remedy
        self.file, self.line, self.entry = file, line, entry

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how a copy, or an unpickled error, is made: by its attributes, as constructors want other arguments."""
        return _remade, (type(self), self.args, vars(self))

    @property
    def details(self) -> dict[str, Any]:
        """All parts but the message, as keyword arguments of another error."""
        names = ("path", "found", "expected", "remedy", "file", "line", "entry")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        column = getattr(self.line, "column", 0)
        line = f":{self.line}" * bool(self.line) + f":{column}" * bool(column)
        place = f"{self.file}{line}: " if self.file else ""
        where = f"{self.path}: " if self.path else ""
        parts = [f"{place}{where}{self.message}"]
        parts += [f"found {self.found}"] if self.found else []
        parts += [f"expected {self.expected}"] if self.expected else []
        text = "; ".join(parts)
        return f"{text}. {self.remedy}" if self.remedy else text


def _remade(kind: type[ModiaError], args: tuple[Any, ...], attributes: dict[str, Any]) -> ModiaError:
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


class ModelError(ModiaError):
    """The model as written cannot be translated (syntax, unknown name, singular, unbalanced, bad parameter)."""


class UnknownName(ModelError, KeyError):
    """Error raised where a mapping has nothing of a name; its ``get`` and ``in`` tell it from errors of other kinds."""


class FieldError(ModelError):
    """Value that a field of a constructor can never have, whatever the other fields are.

    Attributes:
        field: its name.
    """

    def __init__(self, owner: str, field: str, **details: Any) -> None:
        super().__init__(f"{field} of {owner} is wrong", **details)
        self.field = field


class StructureError(ModelError):
    """Other values would change the structure of the equations: the model is to be translated with them."""


class SimulationError(ModiaError):
    """The simulation had to stop. ``time`` says when [s]; ``result`` holds what was computed until then."""

    def __init__(self, message: str, *, time: float, result: Any = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.time = time
        self.result = result


class NumericalError(SimulationError):
    """The equations could not be solved or integrated any further, though nothing in the model is known to be wrong.

    Attributes:
        fastest_states: the last states, those first that change fastest; ``print`` shows value, earlier value and derivative.
        last_event: the last event before, as a text; "" if there was none.
    """

    def __init__(self, message: str, *, time: float, result: Any = None, **details: Any) -> None:
        super().__init__(message, time=time, result=result, **details)
        self.fastest_states: Sequence[Any] = ()
        self.last_event = ""


@contextmanager
def nesting_limited() -> Iterator[None]:
    """Raise a `ModelError` in place of an overflow of Python's stack while models are translated within the block."""
    try:
        yield
    except RecursionError:
        raise ModelError(
            "the model is nested too deeply",
            expected="less than about 300 levels of submodels, operators or lists",
            remedy="Give parts of a long expression a variable of their own; a model cannot contain itself.",
        ) from None


def warn_user(text: str) -> None:
    """Warn with the line that called this software, however deep within it the warning arises."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


_INSIDE = ("modiapy", "modia3d", "contextlib")
"""Packages whose lines a user did not write."""


def nearest(name: object, candidates: Iterable[object]) -> str:
    """Return a sentence that proposes the candidate spelled most like ``name``, but not it itself ("" if none is close).

    Candidates are those in the same library or submodel, as far as there is one; where there is none, those in one that is
    spelled nearly the same: what has this name elsewhere means something else.
    """
    place, known = "", [candidate for candidate in map(str, candidates) if candidate != str(name)]
    parts = str(name).split(".")
    if len(parts) > 1:
        places = [f"{'.'.join(parts[:n])}." for n in range(len(parts) - 1, 0, -1)]
        place = next((place for place in places if any(candidate.startswith(place) for candidate in known)), "")
        tops = dict.fromkeys(candidate.partition(".")[0] for candidate in known if "." in candidate)
        alike = [f"{top}." for top in difflib.get_close_matches(parts[0], tops, n=3, cutoff=0.8)]
        known = [candidate for candidate in known if candidate.startswith((place,) if place else tuple(alike))]
    same = [candidate for candidate in known if _letters(candidate) == _letters(str(name))]
    close = same or difflib.get_close_matches(str(name), known, n=1, cutoff=0.5 if len(str(name)) > 3 else 0.6)
    return f"Did you mean '{close[0]}'?" if close else ""


def _letters(name: str) -> str:
    """Return the letters that ``lengthX`` and ``length_x`` have in common."""
    return name.replace("_", "").lower()
