"""``modia3d view``, and what ``run`` writes of an animation."""

import base64
import json
import os
import pickle
import re
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from modia3d.cli.main import main
from modia3d.files import read_scenario
from modia3d.files.embedded import restored
from modia3d.viewer.chromium import find_chromium
from modiapy import Model, ModiaError, Var, instantiate, read_result

from ..crane import write_crane
from ..viewer.pages import head_of, motion, shown

pytestmark = pytest.mark.white_box


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
    monkeypatch.setattr("modia3d.viewer.live.FIRST_S", 0.0)
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
    options += ["--at", "1.0"] if "--png" in names else []
    assert main([command, str(write_crane(tmp_path)), *options]) == 0
    said = capsys.readouterr().out
    for file in names.values():
        assert f"animation: {file}" in said
    assert head_of(names["--html"].read_text())["marks"]
    assert len(trimesh.load_scene(names["--gltf"]).geometry)


def test_mistakes_are_told_before_anything_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, drive, page = str(write_crane(tmp_path)), tmp_path / "drive.csv", tmp_path / "a.html"
    drive.write_text("time,u\n0,1\n")
    simulate = "modiapy.simulation.simulate.Simulation.run"
    monkeypatch.setattr(simulate, lambda _: pytest.fail("it was computed"))
    for options, message in (
        (["--gltf", "a.obj"], r"a\.obj: --gltf is wrong; found '\.obj'; expected \.glb"),
        (["--video", "a.avi"], r"--video is wrong; found '\.avi'; expected \.mp4 or \.webm or \.gif"),
        (["--html", str(tmp_path / "missing" / "a.html")], "the animation cannot be written"),
        (["--html", file], "--html would overwrite the scenario"),
        (["--html", str(drive), "--inputs", str(drive)], "--html would overwrite the inputs of the run"),
        (["--html", str(page), "--at", "1"], r"--at has no effect; expected --png FILE"),
        (["--html", str(page), "--speed", "2"], r"--speed has no effect; expected --video FILE"),
        (["--html", str(page), "--listen", "0.0.0.0"], r"--listen has no effect; expected a window"),
        (["--gltf", str(tmp_path / "a.glb"), "--signals", "*.phi"], r"--signals has no effect; expected a page"),
        (["--video", str(tmp_path / "a.gif"), "--speed", "0"], r"--speed is wrong; found 0; expected a positive number"),
    ):
        assert main(["view", file, *options]) == 2
        assert re.search(message, capsys.readouterr().err)
    assert main(["run", file, "--path", "hook"]) == 2
    assert "--path has no effect; expected an animation" in capsys.readouterr().err
    monkeypatch.undo()
    for options, message in (
        (["--signals", "nothing.*"], r"no signal of the result fits 'nothing\.\*'"),
        (["--path", "nothing"], "paths of the animation is wrong; found 'nothing'; expected an Object3D"),
    ):
        assert main(["view", file, "--html", str(tmp_path / "a.html"), *options]) == 2
        assert re.search(message, capsys.readouterr().err)


def test_an_animation_that_cannot_be_written_does_not_cost_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("modia3d.viewer.animation.Animation.write_html", full)
    names = [str(tmp_path / "a.html"), str(tmp_path / "a.glb")]
    assert main(["view", str(write_crane(tmp_path)), "--html", names[0], "--gltf", names[1]]) == 2
    said = capsys.readouterr()
    assert said.err == f"modia3d: {names[0]}: the animation cannot be written; found No space left on device\n"
    assert said.out == f"animation: {names[1]}\n"
    assert len(trimesh.load_scene(names[1]).geometry)


def test_a_result_is_looked_at_as_the_simulation_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, result = write_crane(tmp_path), tmp_path / "crane.h5"
    pages = [tmp_path / "run.html", tmp_path / "view.html"]
    assert main(["run", str(scenario), "--output", str(result), "--html", str(pages[0])]) == 0
    assert main(["view", str(result), "--html", str(pages[1])]) == 0
    assert pages[0].read_text() == pages[1].read_text()
    assert main(["view", str(result), "--html", str(result)]) == 2
    assert "--html would overwrite the result" in capsys.readouterr().err


STONE = """\
modia3d: 1
include: [parts/world.yaml]
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  stone: {Stone: {}}
simulation: {stop_time: 0.2}
"""
PARTS = """\
modia3d: 1
definitions:
  Stone:
    Object3D:
      parent: world
      fixed_to_parent: false
      feature: {Solid: {shape: {Mesh: brick.stl}, solid_material: Steel}}
"""


@pytest.mark.parametrize("again", ["there", "elsewhere"])
def test_a_result_file_has_all_files_that_its_scenario_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], again: str
) -> None:
    """Scenario, included file and mesh are deleted: the page shows the same."""
    home = tmp_path / "home"
    (home / "parts").mkdir(parents=True)
    (home / "stone.yaml").write_text(STONE)
    (home / "parts" / "world.yaml").write_text(PARTS)
    trimesh.creation.box((0.2, 0.3, 0.4)).export(home / "parts" / "brick.stl")
    result, pages = home / "stone.h5", [tmp_path / "run.html", tmp_path / "view.html"]
    assert main(["run", str(home / "stone.yaml"), "--output", str(result), "--html", str(pages[0])]) == 0
    alone = result.rename(tmp_path / "alone.h5")
    if again == "elsewhere":
        shutil.rmtree(home)
    assert main(["view", str(alone), "--html", str(pages[1])]) == 0
    before, after = (head_of(page.read_text()) for page in pages)
    assert shown(before) == shown(after) == {"stone"}
    assert np.array_equal(before["time"], after["time"])
    for one, other in zip(motion(before, "stone"), motion(after, "stone"), strict=True):
        assert np.allclose(one, other, rtol=0.0, atol=1e-4)
    assert motion(after, "stone")[1][-1, 2] == pytest.approx(-0.5 * 9.81 * 0.2**2, abs=1e-3)
    assert not list(Path(tempfile.gettempdir()).glob("modia3d-*/stone.yaml"))


def test_a_pickled_scenario_knows_where_it_came_from(tmp_path: Path) -> None:
    """With the files as they were then."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "stone.yaml").write_text(STONE)
    (tmp_path / "parts" / "world.yaml").write_text(PARTS)
    trimesh.creation.box((0.2, 0.3, 0.4)).export(tmp_path / "parts" / "brick.stl")
    sim = read_scenario(tmp_path / "stone.yaml").instantiate()
    expected = sim.simulate(0.1).origin
    assert [Path(name).name for name in expected["files"]] == ["brick.stl"]
    again = pickle.loads(pickle.dumps(sim))
    (tmp_path / "parts" / "brick.stl").unlink()
    assert again.simulate(0.1, output=tmp_path / "again.h5").origin == expected
    assert read_result(tmp_path / "again.h5").origin == expected


def test_a_result_file_has_what_its_meshes_name(tmp_path: Path) -> None:
    """OBJ with its MTL and texture, glTF with its numbers, COLLADA with its texture: elsewhere they look the same."""
    from PIL import Image

    home = tmp_path / "home"
    (home / "paint").mkdir(parents=True)
    for name in ("paint/red.png", "paint/a b.png"):
        Image.new("RGB", (2, 2), (255, 0, 0)).save(home / name)
    (home / "square.mtl").write_text("newmtl painted\nKd 1 1 1\nmap_Kd -s 1 1 1 paint/red.png\n")
    points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
    (home / "square.obj").write_text(f"mtllib square.mtl\n{points}usemtl painted\nf 1/1 2/2 3/3\n")
    gltf = trimesh.Scene(trimesh.creation.box((0.2, 0.3, 0.4))).export(file_type="gltf")
    for name, content in gltf.items():
        (home / name.replace("model.", "box.")).write_bytes(content)
    (home / "note.txt").write_text("nobody names this")
    (tmp_path / "above.png").write_bytes(b"outside of the folder")
    (home / "wild.mtl").write_text("newmtl out\nmap_Kd ../above.png\nmap_Kd paint/a%20b.png\n")
    (home / "wild.obj").write_text(f"mtllib wild.mtl\nmtllib none.mtl\n{points}f 1 2 3\n")
    visuals = "\n".join(
        f"  {name}: {{Object3D: {{parent: world, feature: {{Visual: {{shape: {{Mesh: {name}.{suffix}}}}}}}}}}}"
        for name, suffix in (("square", "obj"), ("box", "gltf"), ("wild", "obj"))
    )
    world = "  world: {Object3D: {feature: {Scene: {}}}}"
    (home / "looks.yaml").write_text(f"modia3d: 1\nmodel:\n{world}\n{visuals}\nsimulation: {{stop_time: 0.1}}\n")
    result, pages = tmp_path / "looks.h5", [tmp_path / "run.html", tmp_path / "view.html"]
    assert main(["run", str(home / "looks.yaml"), "--output", str(result), "--html", str(pages[0])]) == 0
    named = {Path(name).relative_to(home.resolve()).as_posix() for name in read_result(result).origin["files"]}
    buffers = {name.replace("model.", "box.") for name in gltf}
    assert named == {"square.obj", "square.mtl", "paint/red.png", "wild.obj", "wild.mtl", "paint/a b.png", *buffers}
    shutil.rmtree(home)
    assert main(["view", str(result), "--html", str(pages[1])]) == 0
    before, after = (head_of(page.read_text()) for page in pages)
    assert plain(before) == plain(after)


def plain(head: Any) -> str:
    """What a page shows, as text."""
    return json.dumps(head, sort_keys=True, default=lambda array: array.tolist())


def test_a_result_file_without_a_scenario_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "r.h5"
    instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])).simulate(1.0, output=result)
    assert main(["view", str(result), "--html", str(tmp_path / "a.html")]) == 2
    assert "has no scenario" in capsys.readouterr().err


@pytest.mark.parametrize(
    "packed", ["no base64!", base64.b64encode(b"no zlib").decode(), base64.b64encode(zlib.compress(b"x")[:-3]).decode(), 3]
)
def test_files_in_a_result_are_those_of_strangers(packed: Any) -> None:
    origin = {"file": "/a/b/s.yaml", "scenario": "modia3d: 1", "included": {}, "files": {"/a/m.stl": packed}}
    with pytest.raises(ModiaError, match="no scenario that can be read"), restored(origin):
        pass


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    content = base64.b64encode(zlib.compress(b"x")).decode()
    names = ["/a/../../etc/m.stl", str(tmp_path / "x" / ".." / "m.stl"), "relative/../../m.stl"]
    origin = {"file": "/a/b/s.yaml", "scenario": "modia3d: 1", "files": dict.fromkeys(names, content)}
    with restored(origin) as (scenario, folder):
        written = [file.resolve() for file in folder.rglob("*") if file.is_file()]
        assert scenario.read_text() == "modia3d: 1"
        assert len(written) == 4
        assert all(file.is_relative_to(folder.resolve()) for file in written)
    assert not (tmp_path / "m.stl").exists()
    assert not folder.exists()
