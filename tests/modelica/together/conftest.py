"""Classes of Modelica source, written for a test."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from modiapy.modelica.reader.component import LoadedModel

from .servo import SOURCE

Loaded = Callable[..., LoadedModel]


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    """Gives a class, by default ``M``, of a Modelica text."""
    pytest.importorskip("rumoca")
    from modiapy.modelica import load_file

    def load(text: str, name: str = "M", libraries: Iterable[str] | None = ()) -> LoadedModel:
        file = tmp_path / "source.mo"
        file.write_text(text, encoding="utf-8")
        return load_file(file, name, libraries=libraries)

    return load


@pytest.fixture
def drive(loaded: Loaded) -> LoadedModel:
    """The servo drive in Modelica source."""
    return loaded(SOURCE, "Servo.Drive")
