"""`load` and `load_file`: a model of a Modelica library, or of a file, as a model that is simulated like any other."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.errors import ModelError

if TYPE_CHECKING:
    from .reader.component import LoadedModel

Libraries = Iterable[str | PathLike[str]] | None


def load(name: str, *, libraries: Libraries = None) -> LoadedModel:
    """Return a model of a library.

    ``instantiate(load("Modelica.Mechanics.Rotational.Examples.First", libraries=["MSL"])).simulate()`` simulates it as long as
    its experiment annotation says. Variables and parameters have the names that they have in Modelica, with indices that count
    from 1: ``result["body.r_0[1]"]``, ``merge=Map(inertia1=Map(J=2.0))``. Parameters stay changeable with the expressions
    between them; constants, structural parameters (Integer, Boolean, Evaluate) and final numbers do not.

    In a `Model` or a `Model3D` it is a component, as in ``Model(drive=load("My.Drive") | Map(J=2.0), connect=[("drive.flange",
    ...)])``.

    Args:
        name: of the class, ``"Package.Model"``.
        libraries: folders that contain libraries or are ones; by default those of the environment variable MODELICAPATH.

    Raises:
        ModelError: there is no such class, it uses what is not read (file, line and column are named), or the extra
            ``modia3d[modelica]`` is not installed.
    """
    return _loaded(name, None, libraries)


def load_file(path: str | PathLike[str], name: str, *, libraries: Libraries = None) -> LoadedModel:
    """Return a model of a file (``.mo``) of its own. Otherwise as `load`.

    Args:
        path: of the file.
        name: of the class in it.
        libraries: that it needs, as of `load`.
    """
    file = Path(path)
    if not file.is_file():
        raise ModelError("there is no such file", found=repr(str(file)), expected="a file of Modelica source", file=str(file))
    return _loaded(name, file, libraries)


def _loaded(name: str, source: Path | None, libraries: Libraries) -> LoadedModel:
    from .frontend.libraries import find_libraries
    from .frontend.rumoca_front_end import RumocaFrontEnd
    from .reader.read import read

    flattened = RumocaFrontEnd().flatten(name, source, find_libraries(libraries))
    return read(flattened)
