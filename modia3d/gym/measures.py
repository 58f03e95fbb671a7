"""Measures of an episode: expressions of signals, of flags and of the agent's action, or functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, ModiaError, UnknownName, nearest
from modiapy.model.model import is_number
from modiapy.simulation.results.flags import flag_over_time
from modiapy.simulation.stepper import Stepper

from ..actions.conditions import FLAGS, Formula, Signals

ACTION = "action."
"""Names of what the agent has chosen begin with this."""

Action = Mapping[str, np.ndarray]
"""What the agent has chosen, by name of the action."""


class Point:
    """Present point of an episode, as measures see it.

    Args:
        stepper: the simulation. known: names of all signals, for messages. flags: names of those that are asked for.
        quantities: measures that have a name, which others may use. action: what the agent has chosen last.

    Attributes:
        action: as above. refused: what programs were refused in this step, in words.
    """

    def __init__(
        self,
        stepper: Stepper,
        known: Callable[[], Sequence[str]],
        flags: Sequence[str],
        quantities: Mapping[str, Measure],
        action: Action,
    ) -> None:
        self.stepper, self.action, self._quantities = stepper, action, quantities
        self.refused: list[str] = []
        self._values: dict[str, Any] = {}
        self._asked, self._seen, self._flags = flags, 0, dict.fromkeys(flags, 0.0)
        self.signals = Signals(self._read, "", self._flags, known)

    def move(self) -> None:
        """Take note that the simulation, or the action, is another one than before."""
        self._values.clear()

    def look(self) -> None:
        """Take note of what programs have done since the last look."""
        log = self.stepper.result.program_log
        new = [entry for entry in log[self._seen :] if isinstance(entry["outcome"], str)]
        self.refused += [entry["outcome"] for entry in new if entry["kind"] != "end"]
        if len(log) > self._seen:
            now = np.array([self.stepper.time])
            self._flags |= {name: float(flag_over_time(log, name, now)[-1]) for name in self._asked}
        self._seen = len(log)

    def _read(self, name: str) -> Any:
        if name not in self._values:
            self._values[name] = self._found(name)
        return self._values[name]

    def _found(self, name: str) -> Any:
        if name == "time":
            return self.stepper.time
        if name in self._quantities:
            try:
                return self._quantities[name].value(self)
            except UnknownName as error:  # who asks here takes a KeyError for his own name
                raise ModelError(error.message, **error.details) from None
        if name.startswith(ACTION):
            whole, bracket, index = name.removeprefix(ACTION).partition("[")
            chosen = self.action[whole]  # a KeyError: there is none
            return _element(chosen, index) if bracket else float(chosen[0]) if chosen.size == 1 else chosen
        return self.stepper[name]


class Measure:
    """Quantity that has a value at each point of an episode.

    Args:
        given: an expression, a number, or a function ``f(stepper)`` or ``f(stepper, action)``.
        role: what it is, as a path for messages: "reward".

    Attributes:
        names: of signals in it. flags: names of the flags among them.

    Raises:
        ModelError: it is none of these, or the expression cannot be read.
    """

    def __init__(self, given: Any, role: str) -> None:
        self.given, self.role = given, role
        self._function: Callable[..., Any] | None = None
        self._formula: Formula | None = None
        if callable(given):
            self._function, self._takes = given, _arguments(given)
        elif isinstance(given, str | bool | np.bool_) or is_number(given):
            with self._located():
                self._formula = Formula(given if isinstance(given, str) else str(float(given)))
        else:
            raise ModelError(
                "this cannot be measured",
                path=role,
                found=repr(given),
                expected="an expression of signals, or a function of the stepper and the action",
            )
        named = () if self._formula is None else self._formula.names
        self.names = frozenset(named)
        self.flags = tuple(name.removeprefix(FLAGS) for name in named if name.startswith(FLAGS))
        self._whole = named[0] if self._formula is not None and named == (self._formula.text.strip(),) else None

    def values(self, point: Point) -> np.ndarray:
        """Return all numbers of the quantity at a point, shape (n,): those of an array as they lie in memory.

        Raises:
            ModelError: a signal does not exist; a function fails, or returns no numbers.
        """
        if self._function is None and self._whole is None:
            return np.array([self.value(point)])
        with self._located():
            found = self._called(point) if self._whole is None else point.signals[self._whole]
            try:
                return np.array(found, dtype=float).reshape(-1)
            except (TypeError, ValueError):
                raise ModelError("this is no array of numbers", found=repr(found)) from None

    def value(self, point: Point) -> float:
        """Return the number at a point; NaN where the expression has none (a division by zero). Errors as of `values`."""
        with self._located():
            if self._formula is not None:
                return float(self._formula.value(point.signals))
            found = self._called(point)
            if np.ndim(found) or not (is_number(found) or isinstance(found, bool | np.bool_ | np.ndarray)):
                raise ModelError("the function returns no number", found=repr(found), expected="one number")
            return float(found)

    def finite(self, point: Point) -> float:
        """Return the number at a point. Errors as of `values`; it is not finite, too."""
        value = self.value(point)
        if not math.isfinite(value):
            with self._located():
                raise ModelError("the value is not finite", found=repr(value), expected="a finite number")
        return value

    def holds(self, point: Point) -> bool:
        """Return whether the quantity is neither zero nor NaN. Errors as of `values`."""
        value = self.value(point)
        return bool(value) and not math.isnan(value)

    def check_flags(self, known: Sequence[str] | None) -> None:
        """Refuse flags that no program sets; None: they are not known."""
        for flag in self.flags if known is not None else ():
            assert known is not None
            if flag not in known:
                raise ModelError(f"no program sets the flag '{flag}'", path=self.role, remedy=nearest(flag, known))

    def _called(self, point: Point) -> Any:
        assert self._function is not None
        given = (point.stepper, point.action)[: self._takes]
        try:
            return self._function(*given)
        except ModiaError:
            raise
        except Exception as error:
            name = getattr(self._function, "__name__", "function")
            raise ModelError(f"the function '{name}' failed", found=f"{type(error).__name__}: {error}") from error

    def _located(self) -> _Located:
        return _Located(self.role)


class _Located:
    """Context that gives errors of the model the path of what is measured."""

    def __init__(self, role: str) -> None:
        self._role = role

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModelError):
            error.path = error.path or self._role


def _element(values: np.ndarray, index: str) -> float:
    """Return the element of an array at a place that is written ``1]`` or ``0,1]``. Raises KeyError: there is none."""
    try:
        return float(values[tuple(int(k) for k in index.rstrip("]").split(","))])
    except (ValueError, IndexError, TypeError):
        raise KeyError(index) from None


def _arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a function takes: 1, the stepper, or 2, the action, too."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return 2 if many or len(places) >= 2 else 1


def named_measures(given: Mapping[str, Any]) -> dict[str, Measure]:
    """Return measures by name; each may use those before it.

    Raises:
        ModelError: one is wrong, has no name of a variable, or uses one that comes later.
    """
    made = {}
    for k, (name, each) in enumerate(given.items()):
        path = f"quantities.{name}"
        if not isinstance(name, str) or not name.isidentifier() or name == "time":
            raise ModelError("this is no name of a quantity", path=path, expected="a name such as 'distance'")
        made[name] = Measure(each, path)
        for later in list(given)[k:]:
            if later in made[name].names:
                found, remedy = f"'{later}'", "Write quantities in an order in which each uses those before it."
                raise ModelError("a quantity uses one that is not known yet", path=path, found=found, remedy=remedy)
    return made
