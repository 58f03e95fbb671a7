"""`Episode`: one simulation that an agent controls, from its reset to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from modiapy.model.errors import SimulationError
from modiapy.simulation.stepper import Stepper

from .lag import SAME, Lag
from .prepared import Prepared


class Episode:
    """One simulation of a task.

    Args:
        prepared: the task.
        stepper: the simulation, at its beginning.
        random: of the noise.

    Attributes:
        stepper: the simulation.
        error: why the simulation had to stop; None: it did not.

    Raises:
        ModelError: there is nothing to be observed at the beginning.
    """

    def __init__(self, prepared: Prepared, stepper: Stepper, random: np.random.Generator) -> None:
        self._prepared, self._random, self._step = prepared, random, prepared.task.step
        self.stepper = stepper
        self.error: SimulationError | None = None
        self._count = 0
        self._sensors = [Lag(each.given.delay, each.given.latency, self._step) for each in prepared.sensors]
        self._actuators = [Lag(each.given.delay, each.given.latency, self._step) for each in prepared.actuators]
        self._point = prepared.point(self.stepper, {})
        self._look()
        self._seen = np.zeros(prepared.observation_space.shape)
        for k, each in enumerate(prepared.sensors):
            self._seen[each.place] = self._sample(k)

    @property
    def observation(self) -> np.ndarray:
        """Return the observation of the agent, an array of its own."""
        return self._seen.copy()

    @property
    def time(self) -> float:
        """Present time [s]."""
        return self.stepper.time

    @property
    def refused(self) -> list[str]:
        """Return the reasons why actions of the program were refused in the last step."""
        return self._point.refused

    def advance(self, action: Mapping[str, Any]) -> float:
        """Carry out one step; return its reward. A simulation that has to stop sets `error`; the reward is 0 then.

        Args:
            action: what the agent has chosen, by name of the actuator, in its space.
        """
        prepared = self._prepared
        chosen = {each.name: each.chosen(action[each.name]) for each in prepared.actuators}
        self._point.action, self._point.refused = chosen, []
        self._point.move()
        due = self._due(chosen)
        begin = prepared.start_time + self._count * self._step
        self._count += 1
        measured: dict[int, np.ndarray] = {}
        try:
            for offset in sorted(due):
                sensors, inputs = due[offset]
                if offset > 0.0 and self.stepper.running:
                    whole = abs(offset - self._step) <= SAME * self._step
                    end = prepared.start_time + self._count * self._step if whole else begin + offset
                    self.stepper.step(until=max(end, self.stepper.time))
                    self._look()
                for k in sensors:
                    measured[k] = self._sample(k)
                for name, value in inputs if self.stepper.running else ():
                    self.stepper.inputs[name] = value
        except SimulationError as error:
            self.error = error
            return 0.0
        for k, each in enumerate(prepared.sensors):
            arrived = self._sensors[k].pass_on(measured[k])
            if arrived is not None:
                self._seen[each.place] = arrived
        return prepared.reward.finite(self._point)

    @property
    def ends(self) -> bool:
        """True if the task has ended: by its own condition, or because the simulation ended itself."""
        if not self.stepper.running and self.error is None:
            result = self.stepper.result
            if result.verdict or result.success is not None or result.terminated:
                return True
        return self.error is None and self._prepared.terminated.holds(self._point)

    def _due(self, chosen: Mapping[str, np.ndarray]) -> dict[float, tuple[list[int], list[tuple[str, Any]]]]:
        """Return the sensors that sample in a step, and the inputs that are set, by the time since its beginning."""
        due: dict[float, tuple[list[int], list[tuple[str, Any]]]] = {self._step: ([], [])}
        for k, lag in enumerate(self._sensors):
            due.setdefault(self._step - lag.offset, ([], []))[0].append(k)
        for each, line in zip(self._prepared.actuators, self._actuators, strict=True):
            values = chosen[each.name]
            if each.given.noise:
                noise = self._random.standard_normal(values.shape)
                values = np.clip(values + each.given.noise * noise, each.low, each.high)
            arrived = line.pass_on(values)
            if arrived is not None:
                due.setdefault(line.offset, ([], []))[1].extend(each.split(arrived))
        return due

    def _look(self) -> None:
        self._point.move()
        if self._prepared.has_program:
            self._point.look()

    def _sample(self, k: int) -> np.ndarray:
        """Return the present observation of a sensor."""
        sensor = self._prepared.sensors[k]
        values = sensor.measure.values(self._point)
        noise = self._random.standard_normal(values.shape) if sensor.given.noise else None
        return sensor.seen(values, noise)
