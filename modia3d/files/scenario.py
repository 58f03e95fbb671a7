"""`Scenario`: what a scenario file says, ready to be instantiated and simulated.

``yaml_tree.py`` reads YAML from strangers as a tree whose nodes know their lines; ``reader.py`` makes a ``Scenario``
(docs/scenarios.md) of it by the names in ``registry.py``, its program by ``steps.py``. Equations and
connections keep their lines as ``Model.places``, entries as ``Scenario.origins``. ``confine.py`` sets the permitted folders
on every mesh, so that a scenario cannot permit anything to itself. ``writer.py`` makes the YAML file of a ``Model3D``
(``write_scenario``; what is read again equals it). ``importers/`` (docs/import.md): ``formats.py`` is the register of formats,
``options.py`` has the options of all of them, ``urdf.py`` and ``mjcf.py`` read a file into a ``Robot`` (``robot.py``: links,
joints), ``build.py`` makes the ``ImportedModel`` of it, which carries the ``report``; ``xml_tree.py`` reads XML without
entities, ``paths.py`` finds meshes in permitted folders only, ``names.py`` maps names.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import modiapy
from modiapy.model.errors import ModelError, ModiaError
from modiapy.model.model import Model
from modiapy.simulation.results.expectations import Expectation

from ..scene.shapes import MeshShape
from ..scene.shapes.mesh_files import named_files
from .embedded import embedded
from .inputs import GivenInput
from .overrides import SETTINGS, changes, check_path, with_whole_vectors

if TYPE_CHECKING:
    from modiapy.symbolic.flattening.overdetermined import ConnectionForest

_LIBRARY = Path(modiapy.__file__).parent
"""Where a model of a library stands is no help to who used it."""


@dataclass(frozen=True)
class SimulationSettings:
    """Arguments of ``simulate``.

    Attributes:
        stop_time: end of the simulation [s].
        start_time: its beginning [s].
        tolerance: relative tolerance of the integrator.
        interval: distance of output points [s].

    Raises:
        ModelError: with the path ``simulation.NAME``: a value that is no number, or makes no sense.
    """

    stop_time: float
    start_time: float = 0.0
    tolerance: float = 1e-6
    interval: float | None = None

    def __post_init__(self) -> None:
        given = {name: value for name, value in vars(self).items() if value is not None}
        for name, value in given.items():
            if not isinstance(value, int | float) or isinstance(value, bool):
                raise ModelError("the value is wrong", path=f"simulation.{name}", found=repr(value), expected="a number")
        for name, fits, expected in (
            ("start_time", math.isfinite(self.start_time), "a finite time"),
            ("stop_time", self.start_time <= self.stop_time < math.inf, f"a finite time, at least {self.start_time:g} s"),
            ("tolerance", 0.0 < self.tolerance < 1.0, "a number between 0 and 1"),
            ("interval", 0.0 < given.get("interval", 1.0) < math.inf, "a finite time, more than 0"),
        ):
            if not fits:
                raise ModelError("the value is wrong", path=f"simulation.{name}", found=f"{given[name]:g}", expected=expected)


def _text(file: Path) -> str:
    """Return the text of a file that was read; "" where it is gone."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


@dataclass
class Scenario:
    """A scenario file, read.

    Attributes:
        file: where it was read.
        description: free text.
        model: a `Model3D`, or a `Model` of equations where the file has no objects.
        settings: for ``simulate``.
        origins: line of every entry of the model, by its path, and of the model itself, by "".
        action_lines: line of every action, in their order.
        files: other files that were read, and what they are.
        expect: what quantities of the simulation are expected to be.
        report: what became of the robots that it includes.
        overrides: values by path that stand in the place of those of the file.
        given: values of inputs over time.
    """

    file: Path
    description: str
    model: Model
    settings: SimulationSettings
    origins: Mapping[str, int] = field(default_factory=dict)
    action_lines: tuple[int, ...] = ()
    files: Mapping[Path, str] = field(default_factory=dict)
    expect: tuple[Expectation, ...] = ()
    report: tuple[str, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[GivenInput, ...] = ()

    def connection_trees(self) -> ConnectionForest:
        """Return the trees of overdetermined connectors, see `modiapy.connection_trees`."""
        with self.located():
            return modiapy.connection_trees(self.model)

    def with_values(self, values: Mapping[str, Any]) -> Scenario:
        """Return the scenario with other values.

        Args:
            values: by path, ``{"arm.gear.ratio": 100.0, "simulation.stop_time": 5.0}``; texts are expressions in the scope of
                the model.

        Raises:
            ModelError: there is no such parameter, or the value does not fit.
        """
        overrides = {**self.overrides, **values}
        values = with_whole_vectors(self.model, values)
        for path in values:
            check_path(self.model, path)
        settings = {path.partition(".")[2]: value for path, value in values.items() if path in SETTINGS}
        model = self.model | changes({path: value for path, value in values.items() if path not in SETTINGS})
        return replace(self, model=model, settings=replace(self.settings, **settings), overrides=overrides)

    def instantiate(self) -> Any:
        """Return the model, translated: a `modiapy.SimulationModel`. Errors carry the file and the line."""
        try:
            simulation = modiapy.instantiate(self.model, name=self.file.stem)
            simulation.origin = self.origin() | {"files": lambda: self._contents(simulation)}
            for one in self.given:
                simulation.series = simulation.series | one.series(simulation.flat)
            return simulation
        except ModiaError as error:
            self.locate(error, self.origins.get(""))
            raise

    def origin(self) -> dict[str, Any]:
        """Return the origin for result files: ``file``, ``scenario`` (its text), ``included`` (other texts), ``overrides``.

        `instantiate` adds ``files``: what else was read, see `embedded.embedded`.
        """
        texts = {os.fspath(file): _text(file) for file in self.files if file.suffix in (".yaml", ".yml")}
        overrides = {path: v if isinstance(v, int | float | str) else str(v) for path, v in self.overrides.items()}
        return {"file": os.fspath(self.file), "scenario": _text(self.file), "included": texts, "overrides": overrides}

    def _contents(self, simulation: Any) -> dict[str, str]:
        """Return the contents of other files for result files: meshes, robots, palettes."""
        return embedded(file for file in self.inputs(simulation) if not file.endswith((".yaml", ".yml")))

    def inputs(self, simulation: Any) -> dict[str, str]:
        """Return the content of each file that was read, by its real path; ``simulation`` is what `instantiate` gave."""
        files = {os.path.realpath(file): what for file, what in self.files.items()}
        for thing in simulation.flat.objects.values():
            shape = getattr(getattr(thing, "feature", None), "shape", None)
            if isinstance(shape, MeshShape):
                meshes = shape.path, *shape.part_paths
                named = [file for path in meshes for file in named_files(path)]
                files |= {os.path.realpath(path): "a mesh of the scenario" for path in meshes}
                files |= {os.path.realpath(path): "what a mesh of the scenario names" for path in named}
        return {os.path.realpath(self.file): "the scenario"} | files

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add file and line to the errors raised inside."""
        try:
            yield
        except ModiaError as error:
            self.locate(error)
            raise

    def locate(self, error: ModiaError, otherwise: int | None = None) -> None:
        """Add file and line to an error about the model, from the action's number or the path it carries.

        ``otherwise`` is the line of what is about no entry.
        """
        if error.file and not Path(error.file).is_relative_to(_LIBRARY):
            return
        error.file, error.line = os.fspath(self.file), None
        if error.entry is not None and 0 < error.entry <= len(self.action_lines):
            error.line = self.action_lines[error.entry - 1]
            return
        path = error.path
        while path and path not in self.origins:
            path = path[: path.rfind("[")] if path.endswith("]") and "[" in path else path.rpartition(".")[0]
        error.line = self.origins[path] if path else otherwise
        error.file = getattr(error.line, "file", "") or error.file
