"""Execution of one run of a study: merge the values, simulate, evaluate the quantities, without processes, files or Dask."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from modiapy.acausal.picklable import packed
from modiapy.model.errors import ModelError, ModiaError, SimulationError, StructureError
from modiapy.model.expression import CONSTANTS
from modiapy.model.parser import parse
from modiapy.simulation.inputs.time_series import TimeSeries
from modiapy.simulation.model import SimulationModel, instantiate
from modiapy.simulation.results.expectations import Expectation
from modiapy.simulation.results.known_signals import Signals
from modiapy.simulation.results.quantities import Quantity, Value
from modiapy.symbolic.terms.arrays import evaluate_arrays

from ..files.overrides import SETTINGS, changes
from ..files.scenario import SimulationSettings
from .study import Study

MOST_TRANSLATED = 16
"""So many translated models are kept."""

SHOWN = 4000
"""So many characters of a message or log are kept."""


class Task(NamedTuple):
    """A run to be carried out: its number, that of its model, the values of the factors."""

    run: int
    model: int
    values: dict[str, Any]


@dataclass
class Row:
    """Data that are kept of a run.

    Attributes: run: its number. model: name of its model. factors: their values. status: "finished" or "failed". cause: why it
    failed: "model" (the values do not fit the model), "simulation", "quantity", "crash", "time", "memory", "lost" (the worker).
    message, log: the message of the error, and the end of the log of the process. unmet: which expectations do not hold; "" if
    all do. quantities: values by name. wall_s, cpu_s: time that it took [s]. attempts: how often it was tried.
    """

    run: int
    model: str
    factors: dict[str, Any]
    status: str = "failed"
    cause: str = ""
    message: str = ""
    log: str = ""
    unmet: str = ""
    quantities: dict[str, Value] = field(default_factory=dict)
    wall_s: float = 0.0
    cpu_s: float = 0.0
    attempts: int = 1

    @property
    def is_well(self) -> bool:
        """True if it finished as expected."""
        return self.status == "finished" and not self.unmet


class _JobModel(NamedTuple):
    """Model in the form that is sent to workers."""

    name: str
    model: bytes
    settings: SimulationSettings
    expect: tuple[Expectation, ...]
    structural: frozenset[str]
    """Paths whose values change the structure of the equations."""
    series: Mapping[str, TimeSeries]
    """Values of inputs over time."""


@dataclass(frozen=True)
class Job:
    """Part of a study that a worker has to know.

    Attributes:
        models: see `_JobModel`.
        paths: of each factor. derived: expressions by path. quantities: expressions by name. constants: see `Study`.
        results, folder: for which runs all signals are written, and where.
        objects: compiled code of the models, see ``object_cache.provide``.
    """

    models: tuple[_JobModel, ...]
    paths: dict[str, tuple[str, ...]]
    derived: dict[str, Any]
    quantities: dict[str, str]
    constants: tuple[str, ...]
    results: str = "none"
    folder: str = ""
    objects: dict[str, bytes] = field(default_factory=dict)

    def settings(self, task: Task) -> dict[str, Any]:
        """Return the values in a run by path: those of the factors, and those derived from them."""
        found = {path: task.values[name] for name, paths in self.paths.items() for path in paths}
        known = {name: task.values[name] for name in self.constants} | CONSTANTS
        return found | {path: _derived(text, known) for path, text in self.derived.items()}

    def structure(self, task: Task) -> tuple[Any, ...]:
        """Return the key of a translated model: number of the model, and values that change its structure."""
        structural = self.models[task.model].structural
        if not structural:
            return (task.model,)
        return (task.model, *((path, repr(value)) for path, value in self.settings(task).items() if path in structural))


def _derived(text: Any, known: Mapping[str, Any]) -> Any:
    if isinstance(text, list | tuple):
        return [_derived(item, known) for item in text]
    return float(evaluate_arrays(parse(text), known)) if isinstance(text, str) else text


def job_of(study: Study, folder: Path | None = None) -> Job:
    """Return the job for the workers.

    Every model is translated once here, so that mistakes are found and its machine code exists.

    Raises:
        ModelError: a model cannot be translated or pickled; a value of a factor does not fit.
    """
    from modiapy.symbolic.codegen.object_cache import collected

    models = []
    with collected() as objects:
        for k, each in enumerate(study.models):
            translated = instantiate(each.model, name=each.name) if each.scenario is None else each.scenario.instantiate()
            structural = _structural(study, k, translated)
            expect = study.expectations(k)
            if not structural:  # else signals may be those of other values
                _check_signals(study, expect, translated)
            given = each.name, packed(each.model, "the model"), each.settings, expect, structural
            models.append(_JobModel(*given, translated.series))
    where = "" if folder is None else str(folder.absolute())
    derived, quantities = dict(study.derived), dict(study.quantities)
    return Job(tuple(models), study.paths, derived, quantities, study.constants, study.results, where, dict(objects))


def _check_signals(study: Study, expect: Sequence[Expectation], translated: SimulationModel) -> None:
    """Refuse quantities of signals that exist in no run of a model. Raises ModelError."""
    signals = Signals(translated.flat)
    for name, quantity in study.quantity_of.items():
        with _at(name):
            quantity.check(signals)
    for each in expect:
        if each.quantity not in study.quantity_of:
            with _at(each.quantity):
                Quantity(each.quantity, study.constants).check(signals)


@contextmanager
def _at(name: str) -> Iterator[None]:
    """Add this entry of the study to errors of the block as their place."""
    try:
        yield
    except ModelError as error:
        error.path = error.path or name
        raise


def _structural(study: Study, number: int, translated: SimulationModel) -> frozenset[str]:
    """Return the paths of factors with few values of which one changes the structure of the equations."""
    found = set()
    for name, factor in study.factors.items():
        for path in study.paths[name]:
            if path not in SETTINGS and any(not _admits(translated, path, value) for value in factor.values):
                found.add(path)
    return frozenset(found)


def _admits(translated: SimulationModel, path: str, value: Any) -> bool:
    from modiapy.simulation.merging import keeps_structure

    return keeps_structure(translated, changes({path: value}))


class Execution:
    """Executor of the runs of a job; it keeps translated models.

    Attributes: translations: how many models were translated.
    """

    def __init__(self, job: Job) -> None:
        from modiapy.symbolic.codegen.object_cache import provide

        self.job = job
        self.translations = 0
        self._models: dict[int, Any] = {}
        self._translated: dict[tuple[Any, ...], SimulationModel] = {}
        self._quantities = {name: Quantity(text, job.constants) for name, text in job.quantities.items()}
        self._expected = [
            [(e, self._quantities.get(e.quantity) or Quantity(e.quantity, job.constants)) for e in each.expect]
            for each in job.models
        ]
        if job.objects:
            provide(job.objects)

    def prepare(self, task: Task) -> SimulationModel:
        """Return the translated model of a run.

        Raises:
            ModelError: it cannot be translated.
        """
        key = self.job.structure(task)
        if key not in self._translated:
            while len(self._translated) >= MOST_TRANSLATED:
                del self._translated[next(iter(self._translated))]
            structural = self.job.models[task.model].structural
            self._translated[key] = self._instantiate(task, structural)
        return self._translated[key]

    def has(self, task: Task) -> bool:
        """Return whether the model of a run is translated."""
        return self.job.structure(task) in self._translated

    def translate(self, task: Task) -> Row | None:
        """Translate the model of a run; return the row of the run if that fails."""
        row = Row(task.run, self.job.models[task.model].name, task.values)
        with _told(row):
            self.prepare(task)
        return row if row.cause else None

    def _instantiate(self, task: Task, merged: frozenset[str] | None) -> SimulationModel:
        """Translate a model with the values at some paths (None: without values)."""
        if task.model not in self._models:
            self._models[task.model] = pickle.loads(self.job.models[task.model].model)
        model = self._models[task.model]
        values = {
            path: value
            for path, value in self.job.settings(task).items()
            if path not in SETTINGS and (merged is None or path in merged)
        }
        self.translations += 1
        each = self.job.models[task.model]
        translated = instantiate(model | changes(values) if values else model, name=each.name)
        translated.series = dict(each.series)
        return translated

    def execute(self, task: Task) -> Row:
        """Carry out a run; its errors are stored in the row."""
        row = Row(task.run, self.job.models[task.model].name, task.values)
        wall, cpu = time.perf_counter(), time.process_time()
        result: Any = None
        with _told(row):
            result = self._simulate(task)
        if result is not None:
            with _told(row, "quantity"):
                self._evaluate(result, task, row)
        row.wall_s, row.cpu_s = time.perf_counter() - wall, time.process_time() - cpu
        return row

    def _evaluate(self, result: Any, task: Task, row: Row) -> None:
        row.quantities = {name: quantity.value(result, task.values) for name, quantity in self._quantities.items()}
        found = [expected.unmet(quantity.value(result, task.values)) for expected, quantity in self._expected[task.model]]
        row.unmet = "; ".join(filter(None, found))
        row.status = "finished"
        if self.job.results == "all" or (self.job.results == "failed" and row.unmet):
            _write(result, self.job.folder, task.run)

    def result(self, task: Task) -> tuple[SimulationModel, Any]:
        """Return the model and the `Result` of a run, with all signals. Errors as of ``simulate``."""
        model = self.prepare(task)
        return model, self._simulate(task)

    def _simulate(self, task: Task) -> Any:
        each = self.job.models[task.model]
        values = self.job.settings(task)
        settings = vars(each.settings) | {p.partition(".")[2]: values[p] for p in SETTINGS if p in values}
        merge = changes({p: v for p, v in values.items() if p not in SETTINGS and p not in each.structural})
        model = self.prepare(task)
        try:
            return model.simulate(**settings, merge=merge or None)
        except StructureError:
            return self._instantiate(task, None).simulate(**settings)
        except SimulationError as error:
            if self.job.results != "none" and error.result is not None:
                _write(error.result, self.job.folder, task.run)
            raise


def _write(result: Any, folder: str, run: int) -> None:
    if not folder:
        return
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    result.save(path / f"run-{run:07d}.h5")


@contextmanager
def _told(row: Row, cause: str = "") -> Iterator[None]:
    """Store errors of the block in the row; ``cause`` is the cause for errors of the model."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        row.cause, row.message = cause_of(error), str(error)[:SHOWN] or type(error).__name__
        row.cause = cause or row.cause if row.cause == "model" else row.cause
        if not isinstance(error, ModiaError):
            row.message = f"{type(error).__name__}: {row.message}"
            row.log = traceback.format_exc()[-SHOWN:]


def cause_of(error: BaseException) -> str:
    """Return the cause of a failure as one word; see `Row`."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, MemoryError):
            return "memory"
        behind = behind.__cause__ or behind.__context__
    if "MemoryError" in str(error):  # of a function of the model
        return "memory"
    if isinstance(error, SimulationError):
        return "simulation"
    return "model" if isinstance(error, ModelError) else "error"
