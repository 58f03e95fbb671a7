"""`Study`: models, factors, quantities of interest and limits of a batch of simulations."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModelError, nearest
from modiapy.model.parser import parse
from modiapy.simulation.results.expectations import Expectation
from modiapy.simulation.results.quantities import Quantity

from ..files.overrides import check_path
from ..files.reader import read_scenario
from ..files.scenario import Scenario, SimulationSettings
from .design import Design, Sampling
from .factors import Factor

KEEP = ("none", "failed", "all")


@dataclass(frozen=True)
class Limits:
    """Limits on the resources of one run, and the number of attempts.

    Attributes:
        wall_time: [s]; a run that takes longer is ended.
        memory: [MB] that a run may take beyond the translated model; None: as much as there is. Kept on Linux.
        retries: how often a run is tried again that crashed, took too long or too much memory, or whose worker was lost.

    Raises:
        ModelError: a number that is none.
    """

    wall_time: float = 3600.0
    memory: float | None = None
    retries: int = 0

    def __post_init__(self) -> None:
        for name in ("wall_time", "memory"):
            value = getattr(self, name)
            if not (value is None and name == "memory") and not (
                isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf
            ):
                raise ModelError(f"{name} of the limits is wrong", found=repr(value), expected="a number, more than 0")
        if type(self.retries) is not int or self.retries < 0:
            raise ModelError("retries of the limits are wrong", found=repr(self.retries), expected="a whole number from 0 on")


@dataclass(frozen=True)
class StudyModel:
    """One model of a study.

    Attributes:
        name: of the scenario's file, or of the model.
        model: as it is instantiated.
        settings: arguments of ``simulate``.
        expect: what holds for its run in a study without factors, besides what that expects.
        scenario: of which it is the model.
    """

    name: str
    model: Any
    settings: SimulationSettings
    expect: tuple[Expectation, ...] = ()
    scenario: Scenario | None = None


@dataclass
class Study:
    """Many simulations of one or several models.

    Args:
        models: scenario files, read scenarios, models (``Model``, ``Model3D``); one or a list, or models by name.
        factors: by name; see `Factor`. As in YAML a mapping such as ``{"normal": [1, 0.1], "path": "gear.ratio"}`` will do.
        quantities: expressions by name, see docs/batch.md.
        sampling: `Sampling` or a mapping with its fields.
        limits: `Limits` or a mapping with its fields.
        expect: what quantities are expected to be in each run: by name or expression, numbers, texts, or mappings with the
            fields of `Expectation`.
        derived: values of further parameters by path, as expressions of factors.
        simulation: arguments of ``simulate`` in place of the scenarios': ``stop_time``, ``start_time``, ``tolerance``,
            ``interval``.
        name, description: free text.
        results: for which runs all signals are kept as ``.h5`` file: "none", "failed" or "all".
        animations: runs of which the report has an animation.

    Raises:
        ModelError: something of it is wrong.
    """

    models: Any
    factors: Mapping[str, Any] = field(default_factory=dict)
    quantities: Mapping[str, str] = field(default_factory=dict)
    sampling: Any = field(default_factory=Sampling)
    limits: Any = field(default_factory=Limits)
    expect: Any = ()
    derived: Mapping[str, Any] = field(default_factory=dict)
    simulation: Mapping[str, float] = field(default_factory=dict)
    name: str = "study"
    description: str = ""
    results: str = "none"
    animations: Sequence[int] = ()

    def __post_init__(self) -> None:
        self.factors = {name: factor_of(name, given) for name, given in self.factors.items()}
        self.sampling = self.sampling if isinstance(self.sampling, Sampling) else Sampling(**self.sampling)
        self.limits = self.limits if isinstance(self.limits, Limits) else Limits(**self.limits)
        self.quantities = dict(self.quantities)
        for name in self.quantities:
            if name in self.factors:
                raise ModelError("a quantity and a factor have the same name", path=name, remedy="Rename one of them.")
        self.quantity_of = {name: _quantity(name, text, self.constants) for name, text in self.quantities.items()}
        if not isinstance(self.expect, list | tuple):
            self.expect = [_expectation(text, given) for text, given in self.expect.items()]
        self.expect = tuple(self.expect)
        for path, text in self.derived.items():
            check_derived(path, text, self.constants)
        if self.results not in KEEP:
            raise ModelError("results of the study are wrong", found=repr(self.results), expected=f"one of {', '.join(KEEP)}")
        self.models = _models(self.models, self.simulation)
        if not self.models:
            raise ModelError("a study needs at least one model")
        for each in self.models:
            for path in self.targets:
                check_path(each.model, path)
        for run in self.animations:
            if not 0 <= run < self.design.runs:
                raise ModelError("a run to be animated does not exist", found=str(run), expected=f"0 to {self.design.runs - 1}")

    @property
    def constants(self) -> tuple[str, ...]:
        """Names that stand for one value in quantities: factors that are names."""
        return tuple(name for name in self.factors if name.isidentifier())

    @cached_property
    def paths(self) -> dict[str, tuple[str, ...]]:
        """Return the paths of the parameters that each factor sets."""
        return {name: factor.paths or (name,) for name, factor in self.factors.items()}

    @property
    def targets(self) -> list[str]:
        """All paths that runs set."""
        return [path for paths in self.paths.values() for path in paths] + list(self.derived)

    @cached_property
    def design(self) -> Design:
        """The values of all runs."""
        return Design(len(self.models), self.factors, self.sampling)

    def expectations(self, model: int) -> tuple[Expectation, ...]:
        """Return the expectations for the runs of a model.

        They are those of the study, and those of its scenario if no factor changes it.
        """
        return self.expect if self.factors else (*self.models[model].expect, *self.expect)


def factor_of(name: str, given: Any) -> Factor:
    """Make a factor from a mapping as in YAML.

    Raises:
        ModelError: it is none.
    """
    from .factors import KINDS

    if isinstance(given, Factor):
        return given
    if not isinstance(given, Mapping):
        raise ModelError("a factor must be a mapping", path=name, found=repr(given), expected="such as {uniform: [0, 1]}")
    rest = dict(given)
    path = rest.pop("path", ())
    kinds = [key for key in rest if key in KINDS]
    if len(kinds) != 1:
        keys = [key for key in rest if key not in KINDS]
        remedy = nearest(keys[0], (*KINDS, "path")) if keys else ""
        found = f"the keys {', '.join(map(str, given))}"
        raise ModelError(
            "this mapping is not a factor", path=name, found=found, expected=f"one of {', '.join(KINDS)}", remedy=remedy
        )
    kind = kinds[0]
    value = rest.pop(kind)
    if rest and kind != "distribution":
        key = str(next(iter(rest)))
        raise ModelError(
            f"unknown key '{key}' of a factor", path=name, expected=f"path, {kind}", remedy=nearest(key, ("path", kind))
        )
    try:
        return Factor(kind, value, (path,) if isinstance(path, str) else tuple(path), rest)
    except ModelError as error:
        error.path = error.path or name
        raise


def _quantity(name: str, text: Any, constants: tuple[str, ...]) -> Quantity:
    if not isinstance(text, str):
        raise ModelError("a quantity must be an expression", path=name, found=repr(text), expected="such as final(x)")
    try:
        return Quantity(text, constants)
    except ModelError as error:
        error.path = error.path or name
        raise


def check_derived(path: str, text: Any, constants: Sequence[str]) -> None:
    """Refuse values that are no numbers or expressions of factors, or lists of such. Raises ModelError."""
    from modiapy.model.expression import names

    if isinstance(text, list | tuple):
        for item in text:
            check_derived(path, item, constants)
        return
    if not isinstance(text, str):
        if not isinstance(text, int | float):
            raise ModelError("a derived value is wrong", path=path, found=repr(text), expected="an expression of factors")
        return
    for name in sorted(names(parse(text, path)) - {"pi", "e", "inf"}):
        if name not in constants:
            raise ModelError(f"'{text}' names '{name}', which is no factor", path=path, remedy=nearest(name, constants))


def _expectation(text: str, given: Any) -> Expectation:
    if isinstance(given, Expectation):
        return given
    return Expectation(text, **given) if isinstance(given, Mapping) else Expectation(text, given)


def _models(given: Any, simulation: Mapping[str, float]) -> list[StudyModel]:
    if isinstance(given, Mapping) and not _is_model(given):
        return [_model(each, name, simulation) for name, each in given.items()]
    return [_model(each, None, simulation) for each in (given if isinstance(given, list | tuple) else [given])]


def _is_model(given: Any) -> bool:
    from modiapy.model.model import Model

    return isinstance(given, Model)


def _model(given: Any, name: str | None, simulation: Mapping[str, float]) -> StudyModel:
    if isinstance(given, StudyModel):
        return replace(given, settings=settings_with(given.settings, simulation))
    if isinstance(given, str | os.PathLike):
        given = read_scenario(Path(given))
    if isinstance(given, Scenario):
        return StudyModel(name or given.file.stem, given.model, settings_with(given.settings, simulation), given.expect, given)
    return StudyModel(name or "Model", given, settings_with(None, simulation))


def settings_with(settings: SimulationSettings | None, simulation: Mapping[str, float]) -> SimulationSettings:
    """Return the arguments of ``simulate``. Raises ModelError where one is unknown."""
    known = tuple(SimulationSettings.__dataclass_fields__)
    for key in simulation:
        if key not in known:
            raise ModelError(
                f"unknown key '{key}' in simulation", expected=f"one of {', '.join(known)}", remedy=nearest(key, known)
            )
    if settings is None and "stop_time" not in simulation:
        raise ModelError("the stop time is missing", expected="simulation={'stop_time': ...}")
    return SimulationSettings(**simulation) if settings is None else replace(settings, **simulation)
