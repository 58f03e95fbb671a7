"""Models in Modelica source, written for a test."""

from collections.abc import Callable
from pathlib import Path

import pytest

from modiapy import SimulationModel, instantiate

Written = Callable[[str], SimulationModel]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Gives the translated model ``M`` of a Modelica text."""
    pytest.importorskip("rumoca")
    from modiapy.modelica import load_file

    def translated(text: str) -> SimulationModel:
        file = tmp_path / "m.mo"
        file.write_text(text, encoding="utf-8")
        return instantiate(load_file(file, "M", libraries=[]))

    return translated
