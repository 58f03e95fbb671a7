"""`Task`: what an agent observes, does and is rewarded for, as a user writes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, Position, nearest
from modiapy.model.model import is_number

SIMULATION = ("tolerance", "start_time", "solver", "mode")
"""Settings of a simulation that a task may give."""

Numbers = float | Sequence[float]


@dataclass(frozen=True)
class Observation:
    """Observation of an agent, with the errors of its sensor.

    Attributes:
        signal: name of a signal (all elements of an array), expression of signals, or a function of the stepper.
        low, high: range of the sensor, in the unit of the signal: a number, or one for each element. Beyond it stays there.
        scale: by which the value is divided.
        noise: standard deviation of the noise (normal, white), in the unit of the signal.
        delay: number of steps of the agent by which the value is old.
        latency: time by which it is older still [s].

    Raises:
        ModelError: a field is wrong.
    """

    signal: str | float | Callable[..., Any]
    low: Numbers = -math.inf
    high: Numbers = math.inf
    scale: float = 1.0
    noise: float = 0.0
    delay: int = 0
    latency: float = 0.0

    def __post_init__(self) -> None:
        _check_range("observation", self.low, self.high)
        _check_errors("observation", self)
        if not (is_number(self.scale) and 0.0 < self.scale < math.inf):
            raise ModelError("scale of an observation is wrong", found=repr(self.scale), expected="a number, more than 0")


@dataclass(frozen=True)
class Action:
    """Action of an agent: it sets inputs of the model, which hold until the next step.

    An action is continuous, between ``low`` and ``high``, or discrete, one of ``values``. That of an input of type Boolean is
    discrete, with the values 0 and 1, if nothing else is said.

    Attributes:
        inputs: name of the input, or of several; by default the name of the action.
        low, high: range in the unit of the inputs: a number, or one for each element of the inputs.
        values: of a discrete action: what the inputs are set to, each a number or one for each element.
        normalized: whether a continuous action lies between -1 and 1, which stand for ``low`` and ``high``, else between these.
        noise: standard deviation of what the actuator adds, in the unit of the inputs; it stays within ``low`` and ``high``.
        delay: number of steps of the agent after which the action takes effect.
        latency: time after which it does, besides [s].

    Raises:
        ModelError: a field is wrong.
    """

    inputs: str | Sequence[str] = ()
    low: Numbers | None = None
    high: Numbers | None = None
    values: Sequence[Any] | None = None
    normalized: bool = True
    noise: float = 0.0
    delay: int = 0
    latency: float = 0.0

    def __post_init__(self) -> None:
        _check_errors("action", self)
        if (self.low is None) != (self.high is None):
            raise ModelError("an action has one bound only", found=f"{self.low!r}, {self.high!r}", expected="low and high")
        if self.low is not None and self.high is not None:
            if self.values is not None:
                raise ModelError("an action is continuous and discrete", found="low, high and values", expected="one of them")
            _check_range("action", self.low, self.high)
            if not np.isfinite([*np.ravel(self.low), *np.ravel(self.high)]).all():
                raise ModelError("a bound of an action is infinite", found=f"{self.low!r}, {self.high!r}", expected="numbers")
        if self.values is not None:
            listed = isinstance(self.values, list | tuple | np.ndarray)
            if not listed or len(self.values) < 2:
                raise ModelError("values of an action are wrong", found=repr(self.values), expected="two values or more")
            if self.noise:
                raise ModelError("a discrete action has no noise", found=f"noise={self.noise!r}", expected="0")


@dataclass(frozen=True)
class Task:
    """Task for an agent: a simulation that it controls, and what it is rewarded for.

    Attributes:
        scenario: a scenario file, a read scenario, a model (`Model3D`, `Model`), or one that is instantiated.
        step: time between two actions [s].
        stop_time: end of an episode [s], where it is truncated; by default that of the scenario.
        observations: by name, or a list: names of signals, expressions, functions ``f(stepper)``, `Observation`, or mappings
            with its fields.
        actions: by name: `Action`, or mappings with its fields.
        quantities: expressions, or functions, by name, which all others may use by this name, as may those after them.
        reward: of a step: an expression, or a function ``f(stepper, action)``; evaluated after the step.
        terminated: whether the task has ended after a step: an expression, or such a function. That the simulation ends
            itself, by its program or ``terminate``, ends the task, too.
        factors: values of parameters and initial values that are drawn for each episode, as of a study.
        derived: values of further parameters by path, as expressions of factors.
        simulation: ``tolerance``, ``start_time``, ``solver`` or ``mode`` in place of the scenario's.
        description: free text.
        places: where measures and actions stand in a file, by their paths, for messages.

    Raises:
        ModelError: a field is wrong.
    """

    scenario: Any
    step: float = 0.02
    stop_time: float | None = None
    observations: Any = ()
    actions: Mapping[str, Any] = field(default_factory=dict)
    quantities: Mapping[str, Any] = field(default_factory=dict)
    reward: Any = 0.0
    terminated: Any = False
    factors: Mapping[str, Any] = field(default_factory=dict)
    derived: Mapping[str, Any] = field(default_factory=dict)
    simulation: Mapping[str, Any] = field(default_factory=dict)
    description: str = ""
    places: Mapping[str, Position] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not (is_number(self.step) and 0.0 < self.step < math.inf):
            raise ModelError("step of the task is wrong", found=repr(self.step), expected="a time [s], more than 0")
        for key in self.simulation:
            if key not in SIMULATION:
                remedy = "It is the stop_time of the task." if key == "stop_time" else nearest(key, SIMULATION)
                expected = f"one of {', '.join(SIMULATION)}"
                raise ModelError(f"unknown key '{key}' in simulation of a task", expected=expected, remedy=remedy)


def observations_of(task: Task) -> dict[str, Observation]:
    """Return the observations of a task by name. Raises ModelError."""
    given = task.observations
    if not isinstance(given, Mapping):
        listed = list(given) if isinstance(given, list | tuple) else [given]
        given = {_observation_name(each, k): each for k, each in enumerate(listed)}
        if len(given) < len(listed):
            raise ModelError("an observation stands in the list twice", path="observations", found=", ".join(map(str, listed)))
    if not given:
        raise ModelError("the agent observes nothing", path="observations", expected="names of signals, or expressions")
    return {name: made(Observation, "signal", f"observations.{name}", each) for name, each in given.items()}


def actions_of(task: Task) -> dict[str, Action]:
    """Return the actions of a task by name. Raises ModelError."""
    if not isinstance(task.actions, Mapping) or not task.actions:
        expected = "a mapping by name, such as {'force': {'low': -1, 'high': 1}}"
        raise ModelError("the agent can do nothing", path="actions", found=repr(task.actions), expected=expected)
    return {
        name: made(Action, "inputs", f"actions.{name}", {} if each is None else each) for name, each in task.actions.items()
    }


def made(kind: type[Any], first: str, path: str, given: Any) -> Any:
    """Return an `Observation` or `Action`, which may be given by a mapping with its fields, or by its ``first`` field alone.

    Raises:
        ModelError: at ``path``.
    """
    if isinstance(given, kind):
        return given
    arguments = dict(given) if isinstance(given, Mapping) else {first: given}
    known = [each.name for each in fields(kind)]
    what = f"an {kind.__name__.lower()}"
    for key in arguments:
        if key not in known:
            expected = f"one of {', '.join(known)}"
            raise ModelError(f"unknown key '{key}' of {what}", path=path, expected=expected, remedy=nearest(str(key), known))
    try:
        return kind(**arguments)
    except TypeError:
        raise ModelError(f"'{first}' of {what} is missing", path=path, found=repr(given)) from None
    except ModelError as error:
        error.path = error.path or path
        raise


def _observation_name(given: Any, number: int) -> str:
    signal = given.get("signal") if isinstance(given, Mapping) else getattr(given, "signal", given)
    return signal if isinstance(signal, str) else getattr(signal, "__name__", f"observation{number}")


def _check_range(what: str, low: Any, high: Any) -> None:
    try:
        fits = bool(np.all(np.asarray(low, dtype=float) < np.asarray(high, dtype=float)))
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise ModelError(f"the range of an {what} is wrong", found=f"{low!r} to {high!r}", expected="numbers, low below high")


def _check_errors(what: str, given: Any) -> None:
    for name in ("noise", "latency"):
        value = getattr(given, name)
        if not (is_number(value) and 0.0 <= value < math.inf):
            raise ModelError(f"{name} of an {what} is wrong", found=repr(value), expected="a number from 0 on")
    if type(given.delay) is not int or given.delay < 0:
        remedy = "A time [s] is the latency." if isinstance(given.delay, float) else ""
        raise ModelError(f"delay of an {what} is wrong", found=repr(given.delay), expected="a number of steps", remedy=remedy)
