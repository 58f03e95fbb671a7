"""What is written as YAML is read as the same model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    Box,
    Fix,
    MatingTolerance,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PrismaticWithFlange,
    RevoluteWithFlange,
    Scene,
    Solid,
    SpringDamperPtP,
    Visual,
    VisualMaterial,
)  # fmt: skip
from modia3d.files import import_urdf, read_scenario, write_scenario
from modia3d.files.scenario import SimulationSettings
from modiapy import Assert, If, Map, Model, ModelError, Par, Table1D, Var, When, instantiate
from modiapy.library import blocks, rotational

from .importers.robots import PACKAGE, plain, robot_folder

pytestmark = pytest.mark.white_box


def machine() -> Model:
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity(), mating=MatingTolerance(symmetry=0))),
        body=Object3D(feature=Solid(Box(1.0, 0.1, 1e-3), "Aluminium")),
        seen=Object3D(
            parent="body", rotation=np.eye(3), feature=Visual(Box(), VisualMaterial(color="#1e2e3e", transparency=0.5))
        ),
        other=Object3D(feature=Solid(Box(), "Steel"), translation=("2*a", 0, 0), fixed_to_parent=False),
        hinge=RevoluteWithFlange("world", "body", (0, 0, 1), phi=Var(init=0.5), limits=(-1, np.inf)),
        slide=PrismaticWithFlange("body", "tip", v=Var(start=1e-7)),
        tip=Object3D(feature=Solid(Box(), "Steel")),
        end=Object3D(),
        fix=Fix(obj1="tip", obj2="end", translation=[1, 2, 3]),
        spring=SpringDamperPtP("world", "tip", stiffness=3.0),
        a=Par(3.0, unit="m", description="1e5"),
        word=Par("yes", type="String"),
        x=Var("a*3 + time", output=True),
        rotor=rotational.Inertia | Map(J=0.25),
        damper=rotational.Damper,
        ground=rotational.Fixed,
        own=Model(
            k=2.0,
            y=Var(init=1.0),
            sine=blocks.Sine | Map(f="k"),
            curve=Table1D([[0, 0], [1, 2], [3, 1]], extrapolation="hold"),
            equations=[
                "der(y) = -k*curve(y)",
                When("y < 0.5", ["reinit(y, 1)"], elsewhen=[["time > 5", ["terminate('late')"]]]),
                Assert("y < 2", "y is large", level="warning"),
                If("k > 1", ["z = 1"], otherwise=["z = time"]),
            ],
            z=Var(),
        ),
        meter=AbsoluteSensor("tip", quantities=("r", "angles")),
        connect=[
            ("rotor.flange_a", "hinge.flange"),
            ("damper.flange_a", "ground.flange"),
            ("damper.flange_b", "rotor.flange_b"),
        ],
    )


def test_everything_that_can_be_written_is_read_again(tmp_path: Path) -> None:
    model, settings = machine(), SimulationSettings(2.0, tolerance=1e-7, interval=0.1)
    file = write_scenario(model, tmp_path / "machine.yaml", settings, description="yes: it's #1")
    scenario = read_scenario(file)
    read, expected = plain(scenario.model), plain(model)
    expected["seen"]["rotation"] = np.eye(3).tolist()
    assert read == expected
    assert list(scenario.model) == list(model)
    assert (scenario.settings, scenario.description) == (settings, "yes: it's #1")
    assert "rotational.Inertia: {J: 0.25}" in file.read_text()
    assert "blocks.Sine: {f: k}" in file.read_text()


def test_a_library_model_with_other_equations_is_written_as_a_whole(tmp_path: Path) -> None:
    other = blocks.FirstOrder.copy()
    other["equations"] = ["der(y) = -y"]
    model = Model3D(world=Object3D(feature=Scene()), lag=blocks.FirstOrder | Map(T=2.0), other=other)
    assert read_scenario(write_scenario(model, tmp_path / "x.yaml")).model == model
    assert "  lag:\n    blocks.FirstOrder: {T: 2.0}\n" in (tmp_path / "x.yaml").read_text()


@pytest.mark.parametrize("flanges", ["none", "needed"])
def test_an_imported_robot_is_read_again(tmp_path: Path, flanges: str) -> None:
    folder = robot_folder()
    file = folder / "robots" / "panda_description" / "urdf" / "panda.urdf"
    model = import_urdf(file, roots={PACKAGE: folder}, flanges=flanges, copy_meshes=tmp_path / "meshes")
    scenario = read_scenario(write_scenario(model, tmp_path / "panda.yaml"))
    read, expected = plain(scenario.model), plain(model)
    for name, entry in expected.items():
        shape = entry.get("feature", {}).get("shape", {}) if isinstance(entry, dict) else {}
        if "file" in shape:
            shape["file"] = Path(shape["file"]).relative_to(tmp_path).as_posix()
            assert read[name]["feature"]["shape"]["file"] == shape["file"]
    assert read == expected
    ours, theirs = (instantiate(m).simulate(0.05)["panda_hand.r_abs"] for m in (model, scenario.model))
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"actions": ModelActions(lambda actions: None)}, ["actions"]),
        ({"part": Model(f=len)}, ["part.f", "cannot be written as YAML"]),
        ({"part": Model(f=np.array([1.0, np.nan]))}, ["part.f[1]", "cannot be written as YAML; found nan"]),
        ({"part": Model3D(world=Object3D(feature=Scene()))}, ["part", "cannot be written as YAML"]),
    ],
)
def test_what_has_no_form_in_yaml_is_named(tmp_path: Path, entries: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ModelError) as caught:
        write_scenario(Model3D(world=Object3D(feature=Scene()), **entries), tmp_path / "x.yaml")
    for word in words:
        assert word in str(caught.value)
    assert not (tmp_path / "x.yaml").exists()


def test_other_engines_are_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="only a Model3D or a Model of equations can be a scenario"):
        write_scenario(Model(a=1.0, _component=dict), tmp_path / "x.yaml")
    with pytest.raises(ModelError, match="cannot be written"):
        write_scenario(machine(), tmp_path / "no" / "x.yaml")


def test_files_of_a_mesh_are_named_from_the_folder_of_the_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its convex parts, too: a folder that is moved as a whole is read, from anywhere; what is elsewhere keeps its path."""
    import trimesh

    from modia3d import Mesh

    for name in ("scene/parts/whole.stl", "scene/parts/left.stl", "other/right.stl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        trimesh.creation.box((1, 2, 3)).export(tmp_path / name)
    parts = [str(tmp_path / "scene/parts/left.stl"), str(tmp_path / "other/right.stl")]
    shape = Mesh(str(tmp_path / "scene/parts/whole.stl"), convex_parts=parts)
    model = Model3D(
        world=Object3D(feature=Scene()),
        body=Object3D(feature=Solid(shape, "Steel", collision=True, contact_material="Steel"), fixed_to_parent=False),
    )
    text = write_scenario(model, tmp_path / "scene" / "scene.yaml").read_text()
    for name in ("file: parts/whole.stl", "parts/left.stl", str(tmp_path / "other/right.stl")):
        assert name in text
    assert str(tmp_path / "scene") not in text
    (tmp_path / "scene").rename(tmp_path / "moved")
    monkeypatch.chdir(tmp_path)
    scenario = read_scenario("moved/scene.yaml", permitted=[tmp_path / "other"])
    ((_, component),) = scenario.instantiate().flat.components.items()
    ((_, read, _),) = component.visuals()
    assert [path.parent for path in read.part_paths] == [tmp_path / "moved" / "parts", tmp_path / "other"]
