"""`Prepared`: a task whose model is translated and whose expressions are read; environments in threads share it."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, ModiaError, nearest
from modiapy.model.expression import CONSTANTS
from modiapy.model.parser import parse
from modiapy.simulation.model import SimulationModel, instantiate
from modiapy.simulation.results.known_signals import Signals as KnownSignals
from modiapy.simulation.stepper import Stepper
from modiapy.symbolic.terms.arrays import evaluate_arrays

from ..batch.design import Sampling
from ..batch.study import Study, settings_with
from ..engine.multibody import Multibody
from ..engine.program import Schedule
from ..files.overrides import SETTINGS, changes
from ..files.reader import read_scenario
from ..files.scenario import Scenario, SimulationSettings
from .measures import Measure, Point, named_measures
from .spaces import ActionSpace, Sensor, actuator, observation_space, sensor
from .task import Task, actions_of, observations_of
from .task_file import is_task_file, read_task


class Prepared:
    """Task with the translated model, its sensors and actuators. It does not change any more.

    Args:
        task: see `Task`.

    Attributes:
        task: as it was given. sim: the translated model.
        settings: arguments of the simulation. stop_time: end of an episode [s].
        sensors, actuators: in their order. actions: the space of all actuators. observation_space: of all sensors.
        quantities: measures by name. reward, terminated: measured after each step. flags: names of those that are measured.
        has_program: whether the model has an action program.

    Raises:
        ModelError: something of the task does not fit the model.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        model, given = _model(task)
        self._study = _factors(task, model)
        self.sim: SimulationModel = model if isinstance(model, SimulationModel) else _translated(model)
        settings = settings_with(given, {} if task.stop_time is None else {"stop_time": task.stop_time})
        self.settings = {"start_time": settings.start_time, "tolerance": settings.tolerance} | dict(task.simulation)
        self.stop_time = settings.stop_time
        if not self.stop_time > self.start_time:
            raise ModelError("an episode has no time", path="stop_time", found=f"{self.stop_time:g} s")
        self.actuators = [actuator(name, each, self.sim.flat) for name, each in actions_of(task).items()]
        self.actions = ActionSpace(self.actuators)
        self.reward = Measure(task.reward, "reward")
        self.terminated = Measure(task.terminated, "terminated")
        observations = {
            name: (each, Measure(each.signal, f"observations.{name}")) for name, each in observations_of(task).items()
        }
        self.quantities = named_measures(task.quantities)
        measures = [self.reward, self.terminated, *self.quantities.values(), *(measure for _, measure in observations.values())]
        known = KnownSignals(self.sim.flat).flags
        self.flags = sorted({flag for measure in measures for flag in measure.flags})
        for measure in measures:
            measure.check_flags(None if known is None else sorted(known))
        components = self.sim.flat.components.values()
        self.has_program = any(
            isinstance(each, Multibody) and type(each.system.schedule) is not Schedule for each in components
        )
        self.sensors: list[Sensor] = []
        with self.stepper({}) as stepper:
            point = self.point(stepper, {each.name: each.at_first for each in self.actuators})
            point.look()
            for name, (each, measure) in observations.items():
                first = self.sensors[-1].place.stop if self.sensors else 0
                self.sensors.append(sensor(name, each, measure, first, measure.values(point)))
            self.reward.value(point)
            self.terminated.value(point)
        self.observation_space = observation_space(self.sensors)

    @property
    def start_time(self) -> float:
        """Beginning of an episode [s]."""
        return float(self.settings["start_time"])

    def stepper(self, values: Mapping[str, Any], *, record: bool = False) -> Stepper:
        """Begin a simulation with values of parameters by path. Errors as of ``SimulationModel.stepper``."""
        merge = changes(values) if values else None
        return self.sim.stepper(self.stop_time, merge=merge, record=record, **self.settings)

    def point(self, stepper: Stepper, action: Mapping[str, np.ndarray]) -> Point:
        """Return the point at which a stepper stands."""
        return Point(stepper, KnownSignals(self.sim.flat).names, self.flags, self.quantities, action)

    def portable(self) -> Task:
        """Return the task in the form in which other processes make the same of it."""
        return replace(self.task, scenario=self.sim, stop_time=self.stop_time, simulation=self.settings)

    def drawn(self, random: np.random.Generator) -> dict[str, Any]:
        """Return values of parameters for one episode, by path: factors, and what is derived from them."""
        values: dict[str, Any] = {}
        for name, factor in self._study.factors.items():
            p = random.random(1)
            values[name] = factor.quantile(p)[0] if factor.is_sampled else factor.values[int(p[0] * len(factor.values))]
        found = {path: values[name] for name, paths in self._study.paths.items() for path in paths}
        known = {name: values[name] for name in self._study.constants} | CONSTANTS
        return found | {path: _derived(given, known) for path, given in self._study.derived.items()}


def prepared(given: Any, changed: Mapping[str, Any]) -> Prepared:
    """Return a task, ready to be carried out.

    Args:
        given: what `Environment` takes.
        changed: fields of the task with other values.

    Raises:
        ModelError: a field is unknown or wrong.
    """
    if isinstance(given, Prepared):
        return given
    known = [each.name for each in fields(Task) if each.name not in ("scenario", "places")]
    for key in changed:
        if key not in known:
            raise ModelError(
                f"an environment has no '{key}'", expected=f"one of {', '.join(known)}", remedy=nearest(key, known)
            )
    if isinstance(given, str | os.PathLike) and is_task_file(given):
        given = read_task(given)
    task = replace(given, **changed) if isinstance(given, Task) else Task(given, **changed)
    try:
        return Prepared(task)
    except ModiaError as error:
        place = task.places.get(error.path) if error.path.partition(".")[0] not in changed and not error.file else None
        if place is not None:
            error.file, error.line = place.file, place
        raise


def _model(task: Task) -> tuple[Any, SimulationSettings | None]:
    """Return the model of a task, and the settings of its scenario."""
    given = task.scenario
    if isinstance(given, str | os.PathLike):
        given = read_scenario(Path(given))
    settings = given.settings if isinstance(given, Scenario) else None
    if settings is None and task.stop_time is None:
        raise ModelError("the stop time is missing", path="stop_time", expected="the end of an episode [s]")
    return copy.copy(given) if isinstance(given, SimulationModel) else given, settings


def _translated(model: Any) -> SimulationModel:
    return model.instantiate() if isinstance(model, Scenario) else instantiate(model)


def _factors(task: Task, model: Any) -> Study:
    """Return the factors of a task, checked against the model, as a study of it."""
    written = model.written if isinstance(model, SimulationModel) else model
    factors, derived = dict(task.factors), dict(task.derived)
    study = Study(written, factors, sampling=Sampling(), derived=derived, simulation={"stop_time": 1.0})
    for path in study.targets:
        if path in SETTINGS:
            remedy = "stop_time and simulation of the task have it."
            raise ModelError("an argument of the simulation is no factor of a task", path=path, remedy=remedy)
    return study


def _derived(given: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(given, list | tuple):
        return [_derived(each, known) for each in given]
    return float(evaluate_arrays(parse(given), known)) if isinstance(given, str) else given
