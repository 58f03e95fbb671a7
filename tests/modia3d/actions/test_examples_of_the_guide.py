"""The examples of docs/programs.md run as they stand there, in scenes with the names they use."""

import ast
import inspect
import math
import re
from pathlib import Path
from typing import Any

import pytest

import modia3d
from modia3d import (
    Box,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    RevoluteWithFlange,
    Scene,
    Solid,
    UniformGravity,
)
from modia3d.files import read_scenario
from modiapy import Model, instantiate
from modiapy.library import rotational

TEXT = (Path(__file__).parents[3] / "docs" / "programs.md").read_text()
BOX = Solid(shape=Box(0.4, 0.1, 0.1), solid_material="Steel")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def program_of(code: str) -> Any:
    names: dict[str, Any] = {name: getattr(modia3d, name) for name in modia3d.__all__}
    exec(code, names)
    return names["program"]


def falling(program: Any) -> Model3D:
    """A ball that falls past a hand."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(n="-y"))),
        hand=Model(grip=Object3D(parent="world", translation=(0, -5, 0), lockable=True)),
        ball=Model(
            body=Object3D(parent="world", fixed_to_parent=False, feature=BOX),
            grip=Object3D(parent="body", rotation=(math.pi, 0, 0), lockable=True),
        ),
        actions=ModelActions(program),
    )


def test_the_program_that_decides() -> None:
    program = program_of(blocks("python")[0])
    result = instantiate(falling(program)).simulate(5.0)
    assert (result.verdict, result.success) == ("lost", False)
    assert [entry["kind"] for entry in result.program_log].count("action") == 3


def arm(program: Any) -> Model3D:
    """Two links in a plane that follow their references."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        upper=Object3D(parent="", feature=BOX),
        lower=Object3D(feature=BOX),
        middle=Object3D(parent="upper", translation=(0.8, 0, 0)),
        tool=Object3D(parent="lower", translation=(0.8, 0, 0)),
        shoulder=RevoluteWithFlange("world", "upper", "z"),
        elbow=RevoluteWithFlange("middle", "lower", "z"),
        first=rotational.Position,
        second=rotational.Position,
        actions=ModelActions(program),
        connect=[
            ("actions.shoulder.position", "first.phi_ref"),
            ("first.flange", "shoulder.flange"),
            ("actions.elbow.position", "second.phi_ref"),
            ("second.flange", "elbow.flange"),
        ],
    )


def test_the_program_with_paths() -> None:
    program = program_of(blocks("python")[1])
    result = instantiate(arm(program)).simulate(20.0)
    assert result["tool.r_abs"][-1] == pytest.approx([0.2, 1.1, 0.0], abs=1e-4)


def test_the_program_with_a_pose() -> None:
    program = program_of(next(text for text in blocks("python") if "Pose(" in text))
    result = instantiate(arm(program)).simulate(20.0)
    tool = result["tool.r_abs"]
    assert abs(tool - [0.2, 1.1, 0.0]).max(axis=1).min() < 1e-3
    assert (result["shoulder.phi"][-1], result["elbow.phi"][-1]) == pytest.approx((0.4, 1.3))


SCENE = """
modia3d: 1
simulation: {stop_time: 20}
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-y"}}}}}}
  hand: {Model: {grip: {Object3D: {parent: world, translation: [0, -5, 0], lockable: true}}}}
  ball:
    Model:
      body: {Object3D: {parent: world, fixed_to_parent: false, feature: {Solid: [{Sphere: 0.1}, Steel]}}}
      grip: {Object3D: {parent: body, rotation: [3.141592653589793, 0, 0], lockable: true}}
"""


def test_the_same_program_in_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "fall.yaml"
    file.write_text(SCENE + blocks("yaml")[0])
    result = read_scenario(file).instantiate().simulate(5.0)
    assert (result.verdict, result.success) == ("lost", False)


@pytest.mark.parametrize("block", blocks("yaml"))
def test_every_program_of_the_guide_can_be_read(block: str, tmp_path: Path) -> None:
    file = tmp_path / "program.yaml"
    file.write_text(SCENE + block)
    assert read_scenario(file).action_lines


SIGNATURE = re.compile(r"`(\w+)\(((?:\w+, )*\w+=[^`]*)\)`")
WITH_DEFAULTS = {
    "addReferencePath",
    "ptpJointSpace",
    "moveLinear",
    "Pose",
    "inverse_kinematics",
    "WaitUntil",
    "Retry",
    "End",
    "StopPath",
}


def test_what_is_left_out_is_what_the_guide_says() -> None:
    """Signatures in the text: all arguments in their order, and their defaults."""
    shown = set()
    for name, text in SIGNATURE.findall(TEXT):
        if name in WITH_DEFAULTS:
            call = ast.parse(f"{name}({text})", mode="eval").body
            assert isinstance(call, ast.Call)
            told = [ast.unparse(given) for given in call.args] + [
                (given.arg, ast.literal_eval(given.value)) for given in call.keywords
            ]
            parameters = inspect.signature(getattr(modia3d, name)).parameters.values()
            assert told == [p.name if p.default is p.empty else (p.name, p.default) for p in parameters], text
            shown.add(name)
    assert shown == WITH_DEFAULTS
