"""A model is flattened in a process of its own; the answer is kept, and every span leads to what a user wrote."""

import json
from pathlib import Path

import pytest

from modiapy import ModelError
from modiapy.modelica.frontend import rumoca_front_end
from modiapy.modelica.frontend.flat_source import FlatSource
from modiapy.modelica.frontend.libraries import find_libraries
from modiapy.modelica.frontend.rumoca_front_end import RumocaFrontEnd
from modiapy.modelica.frontend.rumoca_process import Limits

pytestmark = pytest.mark.white_box

pytest.importorskip("rumoca")

TEXT = """model Ü "Überlauf"
  parameter Real k = 2;
  Real x(start = 1, fixed = true);
equation
  der(x) =
    -k*x;
  annotation (experiment(StopTime=3));
end Ü;
""".replace("Ü ", "Decay ").replace("end Ü", "end Decay")


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "cache"))


def written(folder: Path, text: str) -> Path:
    file = folder / "decay.mo"
    file.write_text(text, encoding="utf-8")
    return file


def flatten(folder: Path, text: str = TEXT, model: str = "Decay") -> FlatSource:
    return RumocaFrontEnd().flatten(model, written(folder, text), {})


def test_variables_equations_and_settings_are_those_of_the_class(tmp_path: Path) -> None:
    flat = flatten(tmp_path)
    assert set(flat.trees["variables"]) == {"k", "x"}
    assert len(flat.trees["equations"]) == 1
    assert flat.experiment.stop_time == 3.0


def test_a_span_is_a_place_in_the_users_file(tmp_path: Path) -> None:
    flat = flatten(tmp_path)
    span = flat.trees["equations"][0]["span"]
    assert str(flat.places.of(span)) == f"{tmp_path / 'decay.mo'}:5:3"
    assert flat.places.quoted(span) == "der(x) = -k*x"
    assert flat.places.of(None) is None
    assert flat.places.of({"source": 0, "start": 0, "end": 0}) is None


def test_a_span_in_a_library_is_a_place_in_its_file(tmp_path: Path) -> None:
    library = tmp_path / "libraries" / "Lib"
    library.mkdir(parents=True)
    (library / "package.mo").write_text("package Lib\nend Lib;\n")
    (library / "Decay.mo").write_text(f"within Lib;\n{TEXT}")
    flat = RumocaFrontEnd().flatten("Lib.Decay", None, find_libraries([tmp_path / "libraries"]))
    assert str(flat.places.of(flat.trees["equations"][0]["span"])) == f"{library / 'Decay.mo'}:6:3"
    assert flat.experiment.stop_time == 3.0
    assert flat.resource("modelica://Lib/Data/table.txt") == library / "Data" / "table.txt"
    assert flat.resource("modelica://Other/x.txt") is None
    by_file = RumocaFrontEnd().flatten("Lib.Decay", library / "Decay.mo", {})  # it brings the library around it
    assert by_file.trees == flat.trees


def test_the_same_source_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = flatten(tmp_path)
    monkeypatch.setattr(rumoca_front_end, "run_compiler", None)
    assert flatten(tmp_path).trees == first.trees
    with pytest.raises(TypeError):  # another text is compiled
        flatten(tmp_path, TEXT.replace("= 2", "= 3"))


def test_a_model_that_the_compiler_counts_unbalanced_is_passed_on(tmp_path: Path) -> None:
    flat = flatten(tmp_path, "model Open Real x; Real y; equation der(x) = y; end Open;", "Open")
    assert set(flat.trees["variables"]) == {"x", "y"}


def test_a_mistake_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="unknown_name"):
        flatten(tmp_path, TEXT.replace("-k*x", "-unknown_name*x"))
    with pytest.raises(ModelError, match="Absent"):
        flatten(tmp_path, model="Absent")
    with pytest.raises(ModelError, match="no name of a Modelica class"):
        flatten(tmp_path, model="Decay; end X; model Y")


def test_damaged_files_of_the_compiler_do_no_harm(tmp_path: Path) -> None:
    library = tmp_path / "Lib"
    library.mkdir()
    (library / "package.mo").write_text("package Lib\nend Lib;\n")
    (library / "Decay.mo").write_text(f"within Lib;\n{TEXT}")
    parsed = tmp_path / "cache" / "modelica" / "rumoca"
    flatten_it = lambda: RumocaFrontEnd().flatten("Lib.Decay", None, find_libraries([tmp_path / "Lib"]))  # noqa: E731
    first = flatten_it()
    files = list(parsed.rglob("*.bin"))
    assert files
    for file in files:
        data = file.read_bytes()
        file.write_bytes(data[: len(data) // 2] + b"\xff" * (len(data) - len(data) // 2))
    for file in (tmp_path / "cache" / "modelica").glob("*.flat"):
        file.unlink()
    assert flatten_it().trees == first.trees


def test_a_process_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="took too long"):
        RumocaFrontEnd(Limits(seconds=0.01)).flatten("Decay", written(tmp_path, TEXT), {})


def test_another_schema_is_refused_by_name(tmp_path: Path) -> None:
    flat = flatten(tmp_path)
    trees = json.loads(json.dumps(flat.trees))
    trees["wheen_chains"] = trees.pop("when_chains")
    with pytest.raises(ModelError, match="missing: when_chains; unknown: wheen_chains"):
        FlatSource("Decay", trees, flat.places)
