"""Scenarios in YAML: the grammar is that of the Python constructors, and mistakes are named with file, line and remedy."""

from pathlib import Path

import numpy as np
import pytest

import modia3d
from modia3d import ActionAttach, EventAfterPeriod, ModelActions, addReferencePath, ptpJointSpace
from modia3d.files import read_scenario
from modia3d.scene.basics.rotations import cardan_matrix
from modiapy import Map, ModelError, ModiaError, Var, instantiate
from modiapy.library.drives import ElasticDrive

from ..crane import line_of, write_crane

pytestmark = pytest.mark.white_box


def crane_in_python() -> modia3d.Model3D:
    """The scenario of `crane.py`, written in Python."""
    part = modia3d.Solid(shape=modia3d.Box(0.2, 0.1, 0.1), mass_properties=modia3d.MassPropertiesFromShapeAndMass(mass=2.0))

    def program(actions: object) -> None:
        ActionAttach(actions, "foot", "dock")
        addReferencePath(actions, names=["joint"], position=[0.1], v_max=[2.0], a_max=[8.0])
        ptpJointSpace(actions, [0.6])
        EventAfterPeriod(actions, 1.0)

    frame = modia3d.Object3D
    return modia3d.Model3D(
        phi0=0.1,
        world=frame(feature=modia3d.Scene(gravity=modia3d.NoGravity())),
        dock=frame(parent="world", lockable=True),
        post=frame(parent="world", translation=[0, 1, 0], lockable=True),
        base=frame(fixed_to_parent=False, assembly_root=True, translation=[0, 0, 0.2], feature=part),
        foot=frame(parent="base", translation=[0, 0, -0.2], rotation=[np.pi, 0, 0], lockable=True),
        arm=frame(),
        beam=frame(parent="arm", translation=[0.3, 0, 0], feature=part),
        hand=frame(parent="arm", translation=[0.4, 0, 0], rotation=[0, np.pi / 2, 0], lockable=True),
        joint=modia3d.RevoluteWithFlange(obj1="base", obj2="arm", axis="z", phi=Var(init="phi0")),
        drive=ElasticDrive | Map(ratio=50, phi0="phi0"),
        box=frame(fixed_to_parent=False, translation=[1.0, 0, 0.2], feature=part),
        handle=frame(parent="box", translation=[-0.1, 0, 0], rotation=[0, -np.pi / 2, 0], lockable=True),
        connect=[
            ("drive.flange", "joint.flange"),
            ("actions.joint.position", "drive.phi_ref"),
            ("actions.joint.velocity", "drive.w_ref"),
        ],
        actions=ModelActions(program),
    )


def test_yaml_says_the_same_as_python(tmp_path: Path) -> None:
    scenario = read_scenario(write_crane(tmp_path))
    assert scenario.description == "a crane with one joint"
    assert (scenario.settings.stop_time, scenario.settings.interval, scenario.settings.tolerance) == (2.0, 0.05, 1e-6)
    from_yaml = scenario.instantiate().simulate(2.0, interval=0.05)
    from_python = instantiate(crane_in_python()).simulate(2.0, interval=0.05)
    assert np.array_equal(from_yaml.time, from_python.time)
    for name in ("joint.phi", "drive.motor.w", "hand.r_abs"):
        assert np.array_equal(from_yaml[name], from_python[name])


def test_all_joints_and_their_brakes_can_be_written(tmp_path: Path) -> None:
    joints = """\
  link1: {Object3D: {feature: {Part: {}}}}
  link2: {Object3D: {feature: {Part: {}}}}
  link3: {Object3D: {feature: {Part: {}}}}
  link4: {Object3D: {feature: {Part: {}}}}
  link5: {Object3D: {feature: {Part: {}}}}
  link6: {Object3D: {feature: {Part: {}}}}
  link7: {Object3D: {feature: {Part: {}}}}
  ball: {Spherical: {obj1: world, obj2: link1, rotation: [phi0, 0, pi/4], orientation: auto}}
  cardan: {Universal: {obj1: link1, obj2: link2, axis_a: z, axis_b: [1, 1, 0], phi_b: 2*phi0}}
  tube: {Cylindrical: {obj1: link2, obj2: link3, axis: x, s: 0.1}}
  thread: {Screw: {obj1: link3, obj2: link4, pitch: 0.01, w: 1.0}}
  table: {Planar: {obj1: link4, obj2: link5, axis: y, axis_x: x, v_x: 0.1}}
  glue: {Fix: {obj1: link5, obj2: link6, translation: [0, 0, 0.1]}}
  flight: {FreeMotion: {obj1: link6, obj2: link7, translation: [1, 0, 0], velocity: [0, phi0, 0], orientation: zyx}}
  connect:
"""
    brakes = "actions:\n  - ActionLock: ball\n  - ActionWait: 0.5\n  - ActionUnlock: ball\n"
    file = write_crane(tmp_path, ("  connect:\n", joints), ("actions:\n", brakes))
    result = read_scenario(file).instantiate().simulate(2.0)
    assert result.segments[1].cause == "ActionLock ball"
    assert result["cardan.phi_b"][0] == 0.2
    assert result["flight.v[1]"][0] == 0.1
    assert result["link1.R_abs"][0] == pytest.approx(cardan_matrix(0.1, 0.0, np.pi / 4), abs=1e-14)
    assert "ball.phi[2]" in result.segment(1).states


@pytest.mark.parametrize(
    ("old", "new", "piece", "words"),
    [
        ("lockable: true}}\n  post", "lockabel: true}}\n  post", "lockabel", "'lockabel'.*'lockable'"),
        ("{ratio: 50,", "{ratoi: 50,", "ratoi", "'ratoi'.*'ratio'"),
        ("{Box: [", "{Bpx: [", "Bpx", "'Bpx'.*'Box'"),
        ("{Box: [0.2, 0.1, 0.1]}", "{Box: [1, 2, 3, 4]}", "[1, 2, 3, 4]", "too many arguments"),
        ("stop_time: 2.0", "stop_time: soon", "soon", "stop_time.*'soon'.*a number"),
        ("interval: 0.05", "intervall: 0.05", "intervall", "'intervall'.*'interval'"),
        ("ActionAttach: [", "ActionAtach: [", "ActionAtach", "'ActionAtach'.*'ActionAttach'"),
        ("EventAfterPeriod: 1.0", "EventAfterPeriod: -1", "EventAfterPeriod", "not negative"),
        ("modia3d: 1\n", "modia3d: 7\n", "modia3d: 7", "version"),
        ("modia3d: 1\n", "modia3d: true\n", "modia3d: true", "version"),
        ("stop_time: 2.0", "stop_time: -2", "stop_time", "stop_time.*-2.*at least 0 s"),
        ("stop_time: 2.0", "start_time: 1, stop_time: .inf", "stop_time", "stop_time.*inf.*finite.*at least 1 s"),
        ("interval: 0.05", "interval: 0.05, tolerance: 2", "tolerance: 2", "tolerance.*between 0 and 1"),
        ("interval: 0.05", "interval: 0.05, tolerance: true", "tolerance: true", "tolerance.*True.*a number"),
        ("interval: 0.05", "interval: true", "interval: true", "interval.*True.*a number"),
        ("stop_time: 2.0", "stop_time: true", "stop_time: true", "stop_time.*True.*a number"),
        ("- [drive.flange, joint.flange]", "- [drive.flange]", "[drive.flange]", "'connect'"),
        ("  phi0: 0.1\n", "  self: {Var: 3, init: 0}\n", "self", "not a value"),
        ("  phi0: 0.1\n", "  phi0: 0.1\n  phi0: 0.2\n", "phi0: 0.2", "twice"),
        ("  phi0: 0.1\n", "  _component: 3\n", "_component", "belong to the program"),
        ("- [drive.flange, joint.flange]", "- drive.flange", "- drive.flange", "'connect'"),
    ],
)
def test_mistakes_are_named_with_line(tmp_path: Path, old: str, new: str, piece: str, words: str) -> None:
    file = write_crane(tmp_path, (old, new))
    with pytest.raises(ModiaError, match=words) as caught:
        read_scenario(file)
    assert caught.value.file == str(file)
    assert caught.value.line == line_of(file, piece)


@pytest.mark.parametrize(
    ("old", "new", "piece", "path"),
    [
        ("obj2: arm", "obj2: amr", "joint:", "joint"),
        ("parent: arm, translation: [0.3", "parent: amr, translation: [0.3", "amr", "beam"),
        ("[0, 0, 0.2], feature", "[0, 0], feature", "[0, 0],", "base"),
        ("{ratio: 50, phi0: phi0}", "{ratio: 50, phi0: phy0}", "phy0", "drive.phi0"),
        ("{ratio: 50, phi0: phi0}", "{ratio: '', phi0: phi0}", "ratio", "drive.ratio"),
        ("translation: [0.3, 0, 0]", "translation: [0.3, y, 0]", "y, 0]", "beam.translation[1]"),
        ("- [drive.flange, joint.flange]", "- [drive.flange, joint.flnge]", "flnge", ""),
        ("  connect:\n", "  a: {Var: {init: 1}}\n  equations: [a = 1,\n    der(a) = q]\n  connect:\n", "der(a)", ""),
        ("  phi0: 0.1\n", "  phi0: 0.1\n  a: {Var: 2*q}\n", "2*q", ""),
        ("{feature: {Scene: {gravity: {NoGravity: {}}}}}", "{}", "model:", ""),
        ("  phi0: 0.1\n", "  phi0: [0.1]\n", "joint:", "joint.phi"),
    ],
)
def test_mistakes_found_in_translation_have_lines_too(tmp_path: Path, old: str, new: str, piece: str, path: str) -> None:
    file = write_crane(tmp_path, (old, new))
    with pytest.raises(ModelError) as caught:
        read_scenario(file).instantiate()
    assert caught.value.path.startswith(path)
    assert (caught.value.file, caught.value.line) == (str(file), line_of(file, piece))


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("joint2: {Revolute: {axis: w}}", "limb.joint2: axis of Revolute is wrong; found 'w'"),
        ("b: {Object3D: {feature: {Solid: {mass_properties: {MassProperties: {mass: 1.0e+300}}}}}}",
         "limb.b.feature.mass_properties: mass of MassProperties is wrong; found 1e+300"),
        ("b: {Object3D: {feature: {Solid: {shape: {Box: [1, -2, 3]}}}}}",
         "limb.b.feature.shape: length_y of Box is wrong; found -2"),
        ("b: {Tool: {feature: {shape: {Sphere: -1}}}}", "limb.b.feature.shape: diameter of Sphere is wrong; found -1"),
        ("b: {Object3D: {translation: [1 kg, 0, 0]}}", "limb.b.translation: the unit of translation of Object3D"),
        ("b: {Object3D: {parnt: world}}", "limb.b: unknown key 'parnt' in Object3D"),
        ("b: {Object3D: {feature: {Scene: {contact_response: hard}}}}", "limb.b.feature: contact_response of Scene"),
        ("e: {Bushing: {obj1: a, obj2: b, work_conjugate: true}}", "limb.e: work_conjugate of Bushing"),
        ("e: {LineForce: {obj1: tip, obj2: tip}}", "limb.e: obj2 of LineForce is wrong; found 'tip'"),
        ("c: {Clock: [0.1, 1.5]}", "limb.c: Clock: the factor is wrong; found 1.5"),
    ],
)  # fmt: skip
def test_what_a_constructor_refuses_is_named_by_its_full_path(tmp_path: Path, written: str, words: str) -> None:
    definition = "  Tool: {Object3D: {feature: {Solid: {shape: {Sphere: 1}}}}}\nmodel:\n"
    file = write_crane(
        tmp_path, ("model:\n", definition), ("  phi0: 0.1\n", f"  phi0: 0.1\n  limb: {{Model: {{{written}}}}}\n")
    )
    with pytest.raises(ModiaError) as caught:
        read_scenario(file)
    line = line_of(file, "limb: {Model")
    assert str(caught.value).startswith(f"{file}:{line}:")
    assert str(caught.value).partition(f"{file}:{line}:")[2].partition(": ")[2].startswith(words)


def test_what_a_definition_refuses_is_named_by_the_definition(tmp_path: Path) -> None:
    file = write_crane(tmp_path, ("model:\n", "  Tool: {Object3D: {feature: {Solid: {shape: {Sphere: -1}}}}}\nmodel:\n"))
    with pytest.raises(ModelError) as caught:
        read_scenario(file)
    assert caught.value.path == "Tool.feature.shape"


def test_two_definitions_with_modifications(tmp_path: Path) -> None:
    file = write_crane(
        tmp_path,
        ("model:\n", "  Heavy: {Part: {mass_properties: {mass: 7.0}}}\nmodel:\n"),
        ("translation: [1.0, 0, 0.2], feature: {Part: {}}", "feature: {Heavy: {}}"),
    )
    sim = read_scenario(file).instantiate()
    assert sim.flat.objects["box"].feature.mass_properties.mass == 7.0
    assert sim.flat.objects["beam"].feature.mass_properties.mass == 2.0


def test_fields_that_a_joint_of_a_definition_does_not_set_can_be_set_by_its_user(tmp_path: Path) -> None:
    file = write_crane(
        tmp_path,
        ("RevoluteWithFlange: {obj1: base, obj2: arm, axis: z, phi: {Var: {init: phi0}}}", "Hinge: {limits: [-1.0, 2.0]}"),
        ("model:\n", "  Hinge: {RevoluteWithFlange: {obj1: base, obj2: arm, axis: z, phi: {Var: {init: phi0}}}}\nmodel:\n"),
    )
    assert read_scenario(file).instantiate().flat.objects["joint"].limits == (-1.0, 2.0)
