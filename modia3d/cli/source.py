"""Source of a command: a scenario, or a class of a Modelica file, which looks like one to it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Never

import modiapy
from modiapy.model.errors import ModiaError

from ..files.overrides import SETTINGS, assignments, check_path
from ..files.reader import read_scenario
from ..files.scenario import Scenario, SimulationSettings

_STOP_TIME = 1.0
"""Of a class whose experiment annotation does not say it, as the language has it."""


class ModelicaFile:
    """A class of a Modelica file: what commands need of a scenario.

    Args:
        file: path of the ``.mo`` file.
        name: of the class; None means that it is called as the file.
        libraries: folders of libraries; none means those of MODELICAPATH.
        overrides: other values, ``PATH=VALUE``.

    Attributes:
        model: the flat model. report: what is to be told of what was read: nothing.

    Raises:
        ModelError: as of `modiapy.modelica.loading.load_file`.
    """

    def __init__(self, file: str, name: str | None, libraries: Sequence[str], overrides: Sequence[str] = ()) -> None:
        from modiapy.modelica import load_file
        from modiapy.symbolic.flat.merge import merged_flat

        self.file, self.report = Path(file), ()
        self.model = load_file(file, name or self.file.stem, libraries=libraries or None)
        given = {}
        for path, node, place in assignments(overrides):
            try:
                check_path(self.model, path)
                given[path] = node.plain()
                self.model = merged_flat(self.model, {path: given[path]} if path not in SETTINGS else {})
            except ModiaError as error:
                error.file = place
                raise
        settings = {path.partition(".")[2]: value for path, value in given.items() if path in SETTINGS}
        self.settings = SimulationSettings(**{"stop_time": _STOP_TIME, **self.model.defaults, **settings})

    def instantiate(self) -> Any:
        """Return the model, translated: a `modiapy.SimulationModel`."""
        return modiapy.instantiate(self.model)

    def connection_trees(self) -> Never:
        """Raise ModiaError: the compiler of Modelica decides where connections are broken, and does not tell."""
        raise ModiaError("--trees is for scenarios", found=repr(os.fspath(self.file)), expected="a file .yaml")

    def inputs(self, simulation: Any) -> dict[str, str]:
        """Return the content of each file that was read, by its real path."""
        return {os.path.realpath(self.file): "the Modelica source"}

    @contextmanager
    def located(self) -> Iterator[None]:
        """Add the name of the file to errors raised inside, if they name no other."""
        try:
            yield
        except ModiaError as error:
            error.file = error.file or os.fspath(self.file)
            raise


def read_source(
    file: str,
    permitted: Sequence[str] = (),
    overrides: Sequence[str] = (),
    *,
    model: str | None = None,
    libraries: Sequence[str] = (),
) -> Scenario | ModelicaFile:
    """Read a file that a user names, and return its content by its kind.

    Args:
        file: a scenario, or Modelica source (``.mo``).
        permitted: folders whose files a scenario may name besides those in its own.
        overrides: other values, as of `read_scenario`.
        model, libraries: of Modelica source only, see `ModelicaFile`.

    Raises:
        ModiaError: what `read_scenario` and `ModelicaFile` raise; options of Modelica for a scenario.
    """
    if file.endswith(".mo"):
        return ModelicaFile(file, model, libraries, overrides)
    if model is not None or libraries:
        raise ModiaError("--model and --library are for Modelica files", found=repr(file), expected="a file .mo")
    return read_scenario(file, permitted, overrides)
