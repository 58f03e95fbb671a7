"""Modelica source on the command line: ``modia3d run model.mo --model NAME`` and ``modia3d modelica libraries``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import modiapy
from modiapy.model.errors import ModelError, ModiaError

from ..files.scenario import SimulationSettings

_STOP_TIME = 1.0
"""Of a class whose experiment annotation does not say it, as the language has it."""


class ModelicaFile:
    """A class of a Modelica file: what ``modia3d run`` needs of a scenario.

    Args:
        file: path of the ``.mo`` file.
        name: of the class; None means that it is called as the file.
        libraries: folders of libraries; none means those of MODELICAPATH.

    Raises:
        ModelError: as of `modiapy.modelica.load.load_file`.
    """

    def __init__(self, file: str, name: str | None, libraries: Sequence[str]) -> None:
        from modiapy.modelica.load import load_file

        self.file = Path(file)
        self._flat = load_file(file, name or self.file.stem, libraries=libraries or None)
        self.settings = SimulationSettings(**{"stop_time": _STOP_TIME, **self._flat.defaults})

    def instantiate(self) -> Any:
        """The model, translated: a `modiapy.SimulationModel`."""
        return modiapy.instantiate(self._flat)

    def inputs(self, simulation: Any) -> dict[str, str]:
        """What each file is that was read, by its real path."""
        return {os.path.realpath(self.file): "the Modelica source"}

    @contextmanager
    def located(self) -> Iterator[None]:
        """Errors raised inside name the file, where they name no other."""
        try:
            yield
        except ModiaError as error:
            error.file = error.file or os.fspath(self.file)
            raise


def modelica(options: argparse.Namespace) -> int:
    """``modia3d modelica libraries``: where libraries are looked for, and which are there."""
    from modiapy.modelica.frontend.libraries import VARIABLE, find_libraries, searched_folders
    from modiapy.modelica.frontend.rumoca_process import VERSION, installed_version

    given = options.library or None
    try:
        print(f"compiler: rumoca {installed_version()}")
    except ModelError as error:
        print(f"compiler: {error} (expected rumoca {VERSION})")
    folders = searched_folders(given)
    print(f"looked in: {', '.join(map(str, folders)) or f'nothing: {VARIABLE} names no folder that is there'}")
    for library in find_libraries(given).values():
        print(f"{library.name} {library.version or '(no version)'}  {library.path}")
    return 0
