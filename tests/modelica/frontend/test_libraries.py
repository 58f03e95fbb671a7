"""Libraries are found where a user says, or along MODELICAPATH; of them, the files that a model can need are read."""

from pathlib import Path, PurePosixPath

import pytest

from modiapy import ModelError
from modiapy.modelica.frontend.libraries import find_libraries, library_of
from modiapy.modelica.frontend.needed_files import needed_files

pytestmark = pytest.mark.white_box


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(
        tmp_path / "Plant" / "package.mo",
        'within ;\npackage Plant annotation (version="2.5", uses(Modelica(version="4.1.0")));\nend Plant;',
    )
    write(tmp_path / "Plant" / "Pump.mo", "within Plant;\nmodel Pump Curves.Quadratic curve; end Pump;")
    write(tmp_path / "Plant" / "Unused.mo", "within Plant;\nmodel Unused Pump p; end Unused;")
    write(tmp_path / "Plant" / "Curves" / "package.mo", "within Plant;\npackage Curves end Curves;")
    write(
        tmp_path / "Plant" / "Curves" / "Quadratic.mo",
        'within Plant.Curves;\nmodel Quadratic "not Linear" end Quadratic; // nor Cubic',
    )
    write(tmp_path / "Plant" / "Curves" / "Linear.mo", "within Plant.Curves;\nmodel Linear end Linear;")
    write(tmp_path / "Plant" / "Curves" / "Cubic.mo", "within Plant.Curves;\nmodel Cubic end Cubic;")
    write(tmp_path / "Single.mo", "package Single end Single;")
    write(tmp_path / "notes.txt", "no library")
    return tmp_path


def test_a_folder_of_libraries_is_searched(folder: Path) -> None:
    found = find_libraries([folder])
    assert {name: library.version for name, library in found.items()} == {"Plant": "2.5", "Single": ""}


def test_a_library_itself_may_be_given(folder: Path) -> None:
    assert list(find_libraries([folder / "Plant"])) == ["Plant"]
    assert list(find_libraries([folder / "Single.mo"])) == ["Single"]


def test_modelicapath_is_searched_if_nothing_is_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELICAPATH", str(folder))
    assert set(find_libraries()) == {"Plant", "Single"}
    monkeypatch.delenv("MODELICAPATH")
    assert find_libraries() == {}


def test_the_newest_of_several_versions_is_taken(tmp_path: Path) -> None:
    for version in ("3.2.3", "4.1.0", "4.0.0"):
        write(tmp_path / f"Plant {version}" / "package.mo", f'package Plant annotation (version="{version}"); end Plant;')
    assert find_libraries([tmp_path])["Plant"].version == "4.1.0"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="nowhere"):
        find_libraries([tmp_path / "nowhere"])


def test_a_file_belongs_to_the_package_around_it(folder: Path) -> None:
    library = library_of(folder / "Plant" / "Curves" / "Linear.mo")
    assert library is not None
    assert library.path == folder / "Plant"
    assert library_of(folder / "Single.mo") is None


def test_files_that_no_text_mentions_are_left_out(folder: Path) -> None:
    names = [str(file.name) for file in needed_files("model M Plant.Pump pump; end M;", find_libraries([folder]))]
    assert names == ["Plant/Curves/Quadratic.mo", "Plant/Curves/package.mo", "Plant/Pump.mo", "Plant/package.mo"]


def test_names_in_strings_and_comments_do_not_count(folder: Path) -> None:
    files = needed_files('model M "Plant" /* Plant */ // Plant\n Real x; end M;', find_libraries([folder]))
    assert files == []


def test_a_class_named_relative_to_its_package_is_found(folder: Path) -> None:
    write(folder / "Plant" / "Pump.mo", "within Plant;\nmodel Pump import C = Plant.Curves; C.Cubic curve; end Pump;")
    names = {file.name for file in needed_files("model M extends Plant.Pump; end M;", find_libraries([folder]))}
    assert PurePosixPath("Plant/Curves/Cubic.mo") in names
    assert PurePosixPath("Plant/Curves/Linear.mo") not in names
