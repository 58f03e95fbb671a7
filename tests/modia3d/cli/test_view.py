"""``modia3d view``, and what ``run`` writes of an animation."""

import os
import re
from pathlib import Path

import pytest
import trimesh

from modia3d.cli.main import main
from modia3d.viewer.chromium import find_chromium

from ..crane import write_crane
from ..viewer.pages import head_of


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """Addresses that the browser was to open, and the pages that the window got."""
    from modia3d.viewer.html import page
    from modia3d.viewer.live import Window

    found: list[tuple[str, list[str]]] = []
    monkeypatch.setattr("webbrowser.open", lambda url, **_: found.append((url, [])))
    show = Window.show

    def look(window: Window, animation: object) -> None:
        show(window, animation)  # type: ignore[arg-type]
        found[-1][1].append(page(animation))  # type: ignore[arg-type]

    monkeypatch.setattr(Window, "show", look)
    return found


@pytest.mark.parametrize("command", ["view", "run --view"])
def test_a_window_follows_and_then_has_the_animation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], opened: list[tuple[str, list[str]]], command: str
) -> None:
    name, *more = command.split()
    assert main([name, str(write_crane(tmp_path)), *more, "--signals", "*.phi"]) == 0
    ((url, pages),) = opened
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
    assert f"viewer: {url}" in capsys.readouterr().out
    heads = [head_of(page) for page in pages]
    assert [head["live"] for head in heads] == [True, False]
    assert heads[1]["time"][-1] == 2.0
    assert heads[1]["plotted"]
    assert all(signal.endswith(".phi") for signal in heads[1]["plotted"])


@pytest.mark.parametrize("command", ["view", "run"])
def test_files_of_an_animation(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    names = {"--html": tmp_path / "a.html", "--gltf": tmp_path / "a.glb"}
    if find_chromium() is not None:
        names["--png"] = tmp_path / "a.png"
    options = [os.fspath(part) for pair in names.items() for part in pair]
    assert main([command, str(write_crane(tmp_path)), *options, "--at", "1.0"]) == 0
    said = capsys.readouterr().out
    for file in names.values():
        assert f"animation: {file}" in said
    assert head_of(names["--html"].read_text())["marks"]
    assert len(trimesh.load_scene(names["--gltf"]).geometry)


def test_mistakes_are_told_before_anything_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(write_crane(tmp_path))
    simulate = "modiapy.simulation.simulate.Simulation.run"
    monkeypatch.setattr(simulate, lambda _: pytest.fail("it was computed"))
    for options, message in (
        (["--gltf", "a.obj"], r"a\.obj: --gltf is wrong; found '\.obj'; expected \.glb"),
        (["--video", "a.avi"], r"--video is wrong; found '\.avi'; expected \.mp4 or \.webm or \.gif"),
        (["--html", str(tmp_path / "missing" / "a.html")], "the animation cannot be written"),
        (["--html", file], "--html would overwrite the scenario"),
    ):
        assert main(["view", file, *options]) == 2
        assert re.search(message, capsys.readouterr().err)
    monkeypatch.undo()
    for options, message in (
        (["--signals", "nothing.*"], r"there is no signal 'nothing\.\*'"),
        (["--path", "nothing"], "paths of the animation; found 'nothing'; expected an Object3D"),
    ):
        assert main(["view", file, "--html", str(tmp_path / "a.html"), *options]) == 2
        assert re.search(message, capsys.readouterr().err)


def test_a_result_is_looked_at_as_the_simulation_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, result = write_crane(tmp_path), tmp_path / "crane.h5"
    pages = [tmp_path / "run.html", tmp_path / "view.html"]
    assert main(["run", str(scenario), "--output", str(result), "--html", str(pages[0])]) == 0
    assert main(["view", str(result), "--html", str(pages[1])]) == 0
    assert pages[0].read_text() == pages[1].read_text()
    assert main(["view", str(result), "--html", str(result)]) == 2
    assert "--html would overwrite the result" in capsys.readouterr().err
    scenario.unlink()
    assert main(["view", str(result), "--html", str(pages[1])]) == 2
    assert "the scenario of the result is not there" in capsys.readouterr().err
