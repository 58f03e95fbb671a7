"""Conditions that a program evaluates while it runs: texts in the expression language, or functions of the signals.

They are interpreted (`modiapy.model.expression.evaluate`), never compiled. A name is looked up like all names of a model: in
the model of the program, then in the enclosing models; ``flags.NAME`` is a value that a program has set (`Set`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, UnknownName, nearest
from modiapy.model.expression import FUNCTIONS, INTERPRETED, Apply, Expr, Name, evaluate, names, rewrite
from modiapy.model.model import is_number
from modiapy.model.parser import parse
from modiapy.simulation.results.signals import relative_name

from .touching import CONTACT_CONDITIONS, SIGNAL, question, solids_of, with_contacts

FLAGS = "flags."
"""Names of flags begin with this."""

_FUNCTIONS = (*FUNCTIONS, *CONTACT_CONDITIONS)


class Signals(Mapping[str, Any]):
    """Present values of all signals, by path: numbers, and arrays such as ``s["box.r_abs"]``.

    Args:
        read: value by full path, KeyError where there is no such signal.
        scope: full path of the model where the program stands.
        flags: of the program.
        known: full paths of all signals, for messages.
        contact: name of the signal that says whether two solids touch each other, from the names of their frames.
    """

    def __init__(
        self,
        read: Callable[[str], Any],
        scope: str,
        flags: Mapping[str, float],
        known: Callable[[], Sequence[str]] = lambda: (),
        contact: Callable[[str, str], str] = SIGNAL.format,
    ) -> None:
        self._read, self._scope, self._flags, self._known, self._contact = read, scope, flags, known, contact

    def __getitem__(self, name: str) -> Any:
        if name.startswith(FLAGS):
            return self._flags.get(name.removeprefix(FLAGS), 0.0)
        solids = solids_of(name)
        name = name if solids is None else self._contact(*solids)
        for full in candidates(name, self._scope):
            try:
                return self._read(full)
            except KeyError:
                continue
        known = self._known()
        whole = [re.sub(r"\[[\d,\s]+\]$", "", full) for full in candidates(name, self._scope)]
        elsewhere = not {*whole, *candidates(name, self._scope)}.isdisjoint(known)
        raise UnknownName(
            f"there is no signal '{name}' now",
            expected="a variable of the equations, or a signal of what exists at this time",
            remedy="It exists while the structure is another one, e.g. before something is deleted or attached."
            if elsewhere
            else nearest_signal(name, known, self._scope),
        )

    def __iter__(self) -> Any:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())


class _Numbers(Mapping[str, float]):
    """Signals for an expression: each is one number."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals

    def __getitem__(self, name: str) -> float:
        value = self._signals[name]
        if np.ndim(value):
            shape = "x".join(map(str, np.shape(value)))
            raise ModelError(
                f"'{name}' is an array", found=f"{shape} values", expected="one number", remedy=f"Write {name}[0], for example."
            )
        return float(value)

    def __iter__(self) -> Any:
        return iter(self._signals)

    def __len__(self) -> int:
        return len(self._signals)


class Formula:
    """Expression of signals.

    Attributes: text: as written. names: of the signals in it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._expr = rewrite(parse(text), _named)
        self.names = tuple(sorted(names(self._expr)))
        self._check(self._expr)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _check(self, expr: Expr) -> None:
        """Refuse operations that only equations can have (``pre``, users' functions, ...)."""
        if type(expr) is Apply:
            if expr.op not in INTERPRETED:
                name = str(expr.args[0]) if expr.op == "call" else expr.op
                raise ModelError(
                    f"'{name}' cannot stand in a condition of a program",
                    found=f"'{self.text}'",
                    expected=f"numbers, signals, arithmetic, comparisons, and/or/not, {', '.join(_FUNCTIONS)}",
                    remedy=nearest(name, _FUNCTIONS) or "Write an equation for it, and use its variable here.",
                )
            for argument in expr.args:
                self._check(argument)

    def value(self, signals: Signals) -> float:
        """Return the value of the expression; NaN if it has none (a division by zero).

        Raises:
            ModelError: a signal does not exist, or is an array.
        """
        try:
            return evaluate(self._expr, _Numbers(signals))
        except (ArithmeticError, ValueError):
            return math.nan


Test = Callable[[Signals], Any]


class Condition:
    """Condition of a program: a `Formula` that holds if it is neither zero nor NaN, or a function ``f(signals)``.

    Attributes:
        given: what the user wrote; a mapping as a text.
        names: of the signals in a formula.
        only_at_events: whether only an event can change it: it asks for contact, or flags, and nothing else.
    """

    def __init__(self, given: str | float | Test | Mapping[str, Any]) -> None:
        given = with_contacts(given) if isinstance(given, Mapping) else given
        self.given: object = given
        self._test: Formula | Test
        if isinstance(given, str) or is_number(given):
            self._test = Formula(str(given))
        elif callable(given):
            self._test = given
        else:
            raise ModelError(
                "this is not a condition", found=repr(given), expected="a text such as 'rev.phi > 1', or a function of signals"
            )
        self.names = self._test.names if isinstance(self._test, Formula) else ()
        asks = [solids_of(name) is not None for name in self.names if not name.startswith(FLAGS)]
        self.only_at_events = bool(asks) and all(asks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.given == other.given

    def __hash__(self) -> int:
        return hash(self.given)

    def __str__(self) -> str:
        return str(self.given) if isinstance(self._test, Formula) else getattr(self._test, "__name__", "function")

    __repr__ = __str__

    def holds(self, signals: Signals) -> bool:
        """Return whether the condition holds now.

        Raises:
            ModelError: a signal does not exist; the function fails.
        """
        if isinstance(self._test, Formula):
            value = self._test.value(signals)
            return bool(value) and not math.isnan(value)
        try:
            return bool(self._test(signals))
        except ModelError:
            raise
        except Exception as error:
            raise ModelError(f"the condition '{self}' failed", found=f"{type(error).__name__}: {error}") from error


def candidates(name: str, scope: str) -> list[str]:
    """Return the full paths that a name may refer to, the innermost model first."""
    return [relative_name(level, name) for level in _levels(scope)]


def nearest_signal(name: str, known: Sequence[str], scope: str) -> str:
    """Return the nearest name, see `nearest`, among signals with these full paths, as it may be written in ``scope``."""
    spellings = list(known)
    for level in filter(None, _levels(scope)):
        within = (rf"^(der\()?{re.escape(level)}\.", r"\1")
        spellings += [short for full in known if (short := re.sub(*within, full)) != full]
    return nearest(name, spellings)


def _levels(scope: str) -> list[str]:
    """Return the models in which a name is looked up, the innermost first."""
    levels = [scope]
    while levels[-1]:
        levels.append(levels[-1].rpartition(".")[0])
    return levels


def _named(expr: Expr) -> Expr | None:
    """Replace ``der(x)`` and questions about contact in an expression by names."""
    if type(expr) is Apply and expr.op == "der" and type(expr.args[0]) is Name:
        return Name(f"der({expr.args[0].name})")
    return question(expr)
