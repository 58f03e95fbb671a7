"""Spaces of gymnasium: what an agent observes as one box, what it does as a box, a choice, or both by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, ModiaError
from modiapy.simulation.inputs.given import input_named
from modiapy.symbolic.flat.flat_model import FlatModel

from .measures import Measure
from .task import Action, Observation

try:
    import gymnasium as gymnasium
    from gymnasium import Space, spaces
except ImportError:
    raise ModiaError(
        "environments need the package gymnasium", found="it is not installed", remedy="pip install modia3d[gym]"
    ) from None


@dataclass(frozen=True)
class Sensor:
    """Observation of a task, with its place in what the agent observes.

    Attributes:
        name: of the observation. given: as the user described it. measure: what it measures.
        place: of its elements among those of all observations.
        low, high: range in the unit of the signal, shape (n,).
    """

    name: str
    given: Observation
    measure: Measure
    place: slice
    low: np.ndarray
    high: np.ndarray

    def seen(self, values: np.ndarray, noise: np.ndarray | None) -> np.ndarray:
        """Return the observation of an agent for measured values, shape (n,): with noise, within the range, scaled.

        Raises:
            ModelError: there is another number of values than at the beginning.
        """
        if values.shape != self.low.shape:
            found, expected = f"{values.size} values", f"{self.low.size}, as at the beginning"
            raise ModelError("an observation has changed its size", path=self.measure.role, found=found, expected=expected)
        values = values if noise is None else values + self.given.noise * noise
        return np.clip(np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf), self.low, self.high) / self.given.scale


def sensor(name: str, given: Observation, measure: Measure, first: int, values: np.ndarray) -> Sensor:
    """Return a sensor, from the values that it measures at the beginning. Raises ModelError where bounds do not fit them."""
    try:
        low, high = (np.broadcast_to(np.asarray(bound, dtype=float), values.shape).copy() for bound in (given.low, given.high))
    except ValueError:
        found, expected = f"bounds {given.low!r}, {given.high!r}", f"a number, or {values.size} of them"
        raise ModelError(
            "the range of an observation has another size", path=measure.role, found=found, expected=expected
        ) from None
    return Sensor(name, given, measure, slice(first, first + values.size), low, high)


def observation_space(sensors: Sequence[Sensor]) -> spaces.Box:
    """Return the space of all observations: one box, float64."""
    bounds = [np.concatenate([getattr(each, name) / each.given.scale for each in sensors]) for name in ("low", "high")]
    return spaces.Box(bounds[0], bounds[1], dtype=np.float64)


@dataclass(frozen=True)
class Actuator:
    """Action of a task, with the inputs of the model that it sets.

    Attributes:
        name: of the action. given: as the user described it.
        inputs: names. shapes: theirs.
        low, high: range in the unit of the inputs, shape (n,); empty if it is discrete.
        values: of a discrete action, shape (number of values, n); else none.
    """

    name: str
    given: Action
    inputs: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    low: np.ndarray
    high: np.ndarray
    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def is_discrete(self) -> bool:
        """True if the agent chooses one of several values."""
        return len(self.values) > 0

    @property
    def space(self) -> Space[Any]:
        """Space of this action alone."""
        if self.is_discrete:
            return spaces.Discrete(len(self.values))
        if self.given.normalized:
            return spaces.Box(-1.0, 1.0, self.low.shape, dtype=np.float64)
        return spaces.Box(self.low, self.high, dtype=np.float64)

    @property
    def at_first(self) -> np.ndarray:
        """Values that stand for an action before there is one, shape (n,)."""
        return self.values[0] if self.is_discrete else 0.5 * (self.low + self.high)

    def chosen(self, action: Any) -> np.ndarray:
        """Return the values of all elements of the inputs for what the agent has chosen in `space`, shape (n,)."""
        if self.is_discrete:
            return self.values[int(action)]
        given = np.asarray(action, dtype=float).reshape(self.low.shape)
        if self.given.normalized:
            given = self.low + 0.5 * (np.clip(given, -1.0, 1.0) + 1.0) * (self.high - self.low)
        return np.clip(given, self.low, self.high)

    def split(self, values: np.ndarray) -> list[tuple[str, Any]]:
        """Return each input with its value, from the values of all elements."""
        found, first = [], 0
        for name, shape in zip(self.inputs, self.shapes, strict=True):
            size = int(np.prod(shape))
            part = values[first : first + size]
            found.append((name, part.reshape(shape) if shape else float(part[0])))
            first += size
        return found


def actuator(name: str, given: Action, flat: FlatModel) -> Actuator:
    """Return the actuator of an action. Raises ModelError where the model has no such inputs, or the values do not fit them."""
    path = f"actions.{name}"
    inputs = (given.inputs,) if isinstance(given.inputs, str) else tuple(given.inputs) or (name,)
    try:
        variables = [input_named(each, flat) for each in inputs]
    except ModelError as error:
        error.message = f"{error.path}: {error.message}" if error.path != name else error.message
        error.path = path
        raise
    shapes = tuple(flat.shapes.get(each.name, ()) for each in variables)
    size = sum(int(np.prod(shape)) for shape in shapes)
    types = {each.type for each in variables}
    values = given.values
    if values is None and given.low is None and types == {"Boolean"}:
        values = [0.0, 1.0]
    if values is not None:
        return Actuator(name, given, inputs, shapes, np.zeros(0), np.zeros(0), _table(path, values, size))
    if given.low is None:
        expected = "low and high of a continuous action, values of a discrete one"
        raise ModelError("an action has neither a range nor values", path=path, found=repr(given), expected=expected)
    if types != {"Real"}:
        found, kind = f"low and high of an input of type {(types - {'Real'}).pop()}", "values: [0, 1], for example"
        raise ModelError("an action on an input that jumps is discrete", path=path, found=found, expected=kind)
    try:
        low, high = (np.broadcast_to(np.asarray(bound, dtype=float), (size,)).copy() for bound in (given.low, given.high))
    except ValueError:
        found, expected = f"bounds {given.low!r}, {given.high!r}", f"a number, or {size} of them"
        raise ModelError(
            "the range of an action has another size than its inputs", path=path, found=found, expected=expected
        ) from None
    return Actuator(name, given, inputs, shapes, low, high)


def _table(path: str, values: Sequence[Any], size: int) -> np.ndarray:
    """Return the values of a discrete action as rows."""
    expected = f"numbers, or lists of {size} numbers"
    try:
        rows = [np.broadcast_to(np.asarray(each, dtype=float).reshape(-1), (size,)) for each in values]
    except (TypeError, ValueError):
        raise ModelError(
            "values of an action do not fit its inputs", path=path, found=repr(values), expected=expected
        ) from None
    table = np.array(rows)
    if not np.isfinite(table).all():
        raise ModelError("values of an action are no numbers", path=path, found=repr(values), expected=expected)
    return table


class ActionSpace:
    """Space of all actions of a task: one box if all are continuous, `Discrete` or `MultiDiscrete` if all are discrete, else a
    `Dict` by name.

    Attributes: space: that space.
    """

    def __init__(self, actuators: Sequence[Actuator]) -> None:
        self._actuators = actuators
        discrete = [each for each in actuators if each.is_discrete]
        if not discrete:
            boxes = [each.space for each in actuators]
            low, high = (np.concatenate([getattr(box, name) for box in boxes]) for name in ("low", "high"))
            self.space: Space[Any] = spaces.Box(low, high, dtype=np.float64)
        elif len(discrete) < len(actuators):
            self.space = spaces.Dict({each.name: each.space for each in actuators})
        elif len(discrete) == 1:
            self.space = discrete[0].space
        else:
            self.space = spaces.MultiDiscrete([len(each.values) for each in discrete])

    def by_name(self, action: Any) -> dict[str, Any]:
        """Return the part of an action that belongs to each actuator.

        Raises:
            ModelError: it is no element of the space, but for numbers beyond the bounds, which are taken as the bounds.
        """
        action = action.item() if isinstance(action, np.ndarray) and action.shape == () else action
        if isinstance(self.space, spaces.Dict):
            if not isinstance(action, Mapping) or set(action) != set(self.space):
                raise self._wrong(action)
            parts = {each.name: action[each.name] for each in self._actuators}
        elif isinstance(self.space, spaces.Box):
            given = self._array(action, self.space.shape)
            parts, first = {}, 0
            for each in self._actuators:
                parts[each.name] = given[first : first + each.low.size]
                first += each.low.size
        elif isinstance(self.space, spaces.MultiDiscrete):
            given = self._array(action, self.space.shape)
            parts = {each.name: given[k] for k, each in enumerate(self._actuators)}
        else:
            parts = {self._actuators[0].name: action}
        return {each.name: self._checked(each, parts[each.name], action) for each in self._actuators}

    def _array(self, action: Any, shape: tuple[int, ...] | None) -> np.ndarray:
        try:
            given = np.asarray(action, dtype=float)
        except (TypeError, ValueError):
            raise self._wrong(action) from None
        if given.shape != shape:
            raise self._wrong(action)
        return given

    def _checked(self, actuator: Actuator, part: Any, action: Any) -> Any:
        if actuator.is_discrete:
            given = self._array(part, np.shape(part))
            if given.size != 1 or given != np.round(given) or not 0 <= int(given.item()) < len(actuator.values):
                raise self._wrong(action)
            return int(given.item())
        given = self._array(part, actuator.low.shape)
        if np.isnan(given).any():
            raise self._wrong(action)
        return given

    def _wrong(self, action: Any) -> ModelError:
        return ModelError("this is no action of the environment", found=repr(action), expected=f"an element of {self.space}")
