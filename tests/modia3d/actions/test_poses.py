"""Inverse kinematics: exact poses, the least change modulo full turns, limits, refusals; poses in programs and scenarios."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d import (
    InitialPose,
    Model3D,
    ModelActions,
    Object3D,
    Pose,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Spherical,
    addReferencePath,
    inverse_kinematics,
    ptpJointSpace,
    rot,
)  # fmt: skip
from modia3d.actions.ik import find_positions
from modia3d.files import read_scenario
from modia3d.scene.basics.rotations import rotation_matrix
from modiapy import Map, Model, ModelError, ModiaError, SimulationError, Var, instantiate
from tests.modia3d.actions.test_paths_linear import SIX, SIX_JOINTS, SIX_START, at, body, chain, pose
from tests.modia3d.engine import ur5

pytestmark = pytest.mark.white_box

ARM = chain([("a", Revolute, "z", (1.0, 0.0, 0.0)), ("b", Revolute, "z", (0.7, 0.0, 0.0))])
REDUNDANT = chain([(name, Revolute, "z", (0.5, 0.0, 0.0)) for name in "abcd"])


def planar(x: float, y: float) -> list[tuple[float, float]]:
    """Both configurations of an arm of 1 m and 0.7 m, by the law of cosines."""
    c = (x * x + y * y - 1.0 - 0.49) / 1.4
    return [
        (math.atan2(y, x) - math.atan2(0.7 * math.sin(b), 1.0 + 0.7 * math.cos(b)), b) for b in (math.acos(c), -math.acos(c))
    ]


def wrapped(angle: float) -> float:
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@pytest.mark.parametrize(
    ("start", "target"), [*itertools.product([(0.2, 0.5), (-2.0, 1.0), (3.0, -0.4)], [(1.2, 0.3), (-0.8, -1.0)])]
)
def test_the_nearer_of_both_configurations_is_found(start: tuple[float, float], target: tuple[float, float]) -> None:
    found = inverse_kinematics(ARM, Pose("tool", (*target, 0.0), "free"), ["a", "b"], dict(zip("ab", start, strict=True)))
    changes = [[wrapped(q - s) for q, s in zip(one, start, strict=True)] for one in planar(*target)]
    best = min(changes, key=np.linalg.norm)
    assert [found["a"] - start[0], found["b"] - start[1]] == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_six_joints_reach_position_and_orientation(seed: int) -> None:
    random = np.random.default_rng(seed)
    q = np.array(SIX_START) + random.uniform(-0.6, 0.6, 6)
    R, p = pose(SIX, SIX_JOINTS, q)
    wanted = Pose("tool", p.tolist(), R.tolist())
    found = find_positions(wanted, SIX_JOINTS, SIX_START, at(SIX, SIX_JOINTS, SIX_START))
    R_found, p_found = pose(SIX, SIX_JOINTS, found)
    np.testing.assert_allclose(p_found, p, atol=1e-9)
    np.testing.assert_allclose(R_found, R, atol=1e-9)
    assert np.linalg.norm(np.subtract(found, SIX_START)) <= np.linalg.norm(q - SIX_START) + 1e-7
    assert -2.8 <= found[2] <= 2.8


def test_full_turns_are_left_out_within_the_limits() -> None:
    """A joint that stands at five turns stays there; limits may enforce a turn."""
    far = {"a": 10 * math.pi + 0.1, "b": 0.5}
    found = inverse_kinematics(ARM, Pose("tool", (1.2, 0.3, 0.0), "free"), ["a", "b"], far)
    assert abs(found["a"] - far["a"]) < math.pi
    turned = ARM | Model3D(a=Revolute(obj1="a_base", obj2="a_body", axis="z", limits=(2 * math.pi - 1.0, 2 * math.pi + 3.0)))
    start = {"a": 2 * math.pi + 2.9, "b": 0.5}
    found = inverse_kinematics(turned, Pose("tool", (1.2, 0.3, 0.0), "free"), ["a", "b"], start)
    assert 2 * math.pi - 1.0 <= found["a"] <= 2 * math.pi + 3.0
    assert [wrapped(found["a"]), wrapped(found["b"])] == pytest.approx(planar(1.2, 0.3)[0], abs=1e-8) or [
        wrapped(found["a"]), wrapped(found["b"])
    ] == pytest.approx(planar(1.2, 0.3)[1], abs=1e-8)  # fmt: skip


@pytest.mark.parametrize(
    ("limits", "start"), [((-0.5, 7.0), 0.0), ((-7.0, 0.5), 0.0), ((-0.5, 13.0), 12.5), ((-13.0, 0.5), -12.5)]
)
def test_the_long_way_is_taken_where_limits_leave_no_other(limits: tuple[float, float], start: float) -> None:
    """Both configurations are on the far side of the nearer limit, or a turn away from it."""
    side = math.copysign(1.0, limits[0] + limits[1])
    limited = ARM | Model3D(a=Revolute(obj1="a_base", obj2="a_body", axis="z", limits=limits))
    for angle in (-1.5, -2.0):
        x, y = 1.5 * math.cos(angle), 1.5 * side * math.sin(angle)
        found = inverse_kinematics(limited, Pose("tool", (x, y, 0.0), "free"), ["a", "b"], {"a": start, "b": 0.3})
        assert limits[0] <= found["a"] <= limits[1]
        solutions = [[wrapped(a), b] for a, b in planar(x, y)]
        assert [wrapped(found["a"]), wrapped(found["b"])] in [pytest.approx(one, abs=1e-8) for one in solutions]


@pytest.mark.parametrize("seed", [0, 3])
def test_a_robot_whose_joints_may_turn_often_takes_the_nearest_of_all_solutions(seed: int) -> None:
    """Guesses are spread over ten turns of each joint; of the eight solutions in closed form none is nearer."""
    rng = np.random.default_rng(seed)
    q_0, T = rng.uniform(-4.0, 4.0, 6), ur5.flange(rng.uniform(-math.pi, math.pi, 6))
    nearest = min(float(np.linalg.norm(np.vectorize(wrapped)(q - q_0))) for q in ur5.solutions(T))
    model = ur5.robot(q_0, **{f"joint{k}": Map(limits=(-30.0, 30.0)) for k in range(6)})
    joints = [f"joint{k}" for k in range(6)]
    found = np.array(list(inverse_kinematics(model, Pose("end5", T[:3, 3].tolist(), T[:3, :3].tolist()), joints).values()))
    np.testing.assert_allclose(ur5.flange(found), T, atol=1e-8)
    assert np.linalg.norm(found - q_0) == pytest.approx(nearest, abs=1e-6)


def test_limits_exclude_a_configuration() -> None:
    limited = ARM | Model3D(b=Revolute(obj1="b_base", obj2="b_body", axis="z", limits=(-3.0, 0.0)))
    start = {"a": 0.0, "b": -0.1}
    for x, y in ((1.2, 0.3), (0.5, -1.0)):
        found = inverse_kinematics(limited, Pose("tool", (x, y, 0.0), "free"), ["a", "b"], start)
        assert [wrapped(found["a"]), found["b"]] == pytest.approx(planar(x, y)[1], abs=1e-8)


def test_redundant_joints_change_least() -> None:
    """Of four joints in the plane: the gradient of the change has no part along the solutions (Lagrange)."""
    start = dict(zip("abcd", (0.3, 0.4, -0.2, 0.5), strict=True))
    found = inverse_kinematics(REDUNDANT, Pose("tool", (0.4, 1.3, 0.0), "free"), list("abcd"), start)
    q = np.array(list(found.values()))
    bars = 0.5 * np.exp(1j * np.cumsum(q))
    assert bars.sum() == pytest.approx(0.4 + 1.3j, abs=1e-8)
    J = np.array([1j * bars[k:].sum() for k in range(4)])
    null = np.linalg.svd(np.array([J.real, J.imag]))[2][2:]
    np.testing.assert_allclose(null @ (q - np.array(list(start.values()))), 0.0, atol=1e-5)


def least_change(start: np.ndarray, target: complex) -> float:
    """Of an arm of three bars of 0.5 m, by all directions of the last one and the law of cosines for the others."""
    wrist = target - 0.5 * np.exp(1j * (phi := np.linspace(-math.pi, math.pi, 4001)))
    inside = np.abs(wrist) <= 1.0
    found = []
    for side in (1.0, -1.0):
        b = side * 2.0 * np.arccos(np.abs(wrist[inside]))
        a = np.angle(wrist[inside]) - 0.5 * b
        change = np.array([a, b, phi[inside] - a - b]) - start[:, None]
        found.append(np.linalg.norm((change + math.pi) % (2.0 * math.pi) - math.pi, axis=0).min())
    return float(min(found))


def test_of_all_ways_to_reach_a_place_and_all_turns_the_least_change_is_taken() -> None:
    """The limits leave room for ten turns, in which the joints begin anywhere."""
    rng, joints = np.random.default_rng(0), ["a", "b", "c"]
    arm = chain([(name, Revolute, "z", (0.5, 0.0, 0.0)) for name in joints])
    arm |= Model3D(**{name: Map(limits=(-30.0, 30.0)) for name in joints})
    for _ in range(25):
        start = rng.uniform(-12.0, 12.0, 3)
        target = rng.uniform(0.1, 1.35) * np.exp(1j * rng.uniform(-math.pi, math.pi))
        wanted = Pose("tool", (target.real, target.imag, 0.0), "free")
        q = np.array(find_positions(wanted, joints, start.tolist(), at(arm, joints, start)))
        assert (0.5 * np.exp(1j * np.cumsum(q))).sum() == pytest.approx(target, abs=1e-9)
        assert np.linalg.norm(q - start) <= least_change(start, target) + 1e-4


def test_joints_that_slide_have_no_turns() -> None:
    """A gantry goes many times 2 pi m while its wrist turns by less than half a turn."""
    gantry = chain(
        [("x", Prismatic, "x", (0.0, 0.0, 0.0)), ("y", Prismatic, "y", (0.0, 0.0, 0.0)), ("c", Revolute, "z", (0.2, 0.0, 0.0))]
    )
    wanted = Pose("tool", (40.0, -25.0, 0.0), (0.0, 0.0, 1.0))
    found = inverse_kinematics(gantry, wanted, ["x", "y", "c"], {"x": 3.0, "y": 2.0, "c": -1.5})
    assert found == pytest.approx({"x": 40.0 - 0.2 * math.cos(1.0), "y": -25.0 - 0.2 * math.sin(1.0), "c": 1.0}, abs=1e-8)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_redundant_joints_change_least_within_their_limits(side: float) -> None:
    """Two joints end at a limit; by the others the change cannot be made less (Lagrange). The mirror image is the same."""
    angles = (0.3, 0.4, -0.2, 0.5)
    bounds = {name: tuple(sorted((side * (q - 0.5), side * (q + 0.15)))) for name, q in zip("ab", angles, strict=False)}
    limited = REDUNDANT | Model3D(**{name: Map(limits=both) for name, both in bounds.items()})
    start = dict(zip("abcd", (side * q for q in angles), strict=True))
    found = inverse_kinematics(limited, Pose("tool", (0.2, side * 1.3, 0.0), "free"), list("abcd"), start)
    q = side * np.array(list(found.values()))
    bars = 0.5 * np.exp(1j * np.cumsum(q))
    assert bars.sum() == pytest.approx(0.2 + 1.3j, abs=1e-8)
    change, J = q - angles, np.array([1j * bars[k:].sum() for k in range(4)])
    rows = np.array([J.real, J.imag])
    np.testing.assert_allclose(change[:2], 0.15, atol=1e-9)
    null = np.linalg.svd(rows[:, 2:])[2][2:]
    np.testing.assert_allclose(null @ change[2:], 0.0, atol=1e-5)


def test_joints_with_flanges_begin_where_their_variables_do() -> None:
    def arm(a: Any, b: Any) -> Model3D:
        return Model3D(
            world=Object3D(feature=Scene()), upper=body(), lower=body(), a=a, b=b,
            knee=Object3D(parent="upper", translation=(1, 0, 0)), tool=Object3D(parent="lower", translation=(0.5, 0, 0)),
        )  # fmt: skip

    wanted = Pose("tool", (1.1, 0.3, 0), "free")
    for phi in (0.6, -0.6):  # the nearer of both configurations is the one on the same side
        driven = arm(RevoluteWithFlange("world", "upper"), RevoluteWithFlange("knee", "lower", phi=phi))
        passive = arm(Revolute("world", "upper"), Revolute("knee", "lower", phi=phi))
        found = inverse_kinematics(driven, wanted, ["a", "b"])
        assert found == pytest.approx(inverse_kinematics(passive, wanted, ["a", "b"]), abs=1e-12)
        assert found["b"] * phi > 0


def test_what_is_left_out_stays_where_an_initial_pose_puts_it() -> None:
    """Not where its own variable begins, whence the wanted pose cannot be reached."""
    flange = RevoluteWithFlange("a_base", "a_body", "z", phi=Var(init=0.2))
    put = InitialPose("b_base", (math.cos(0.5), None, None))
    there = (math.cos(0.5) + 0.7 * math.cos(0.9), math.sin(0.5) + 0.7 * math.sin(0.9), 0.0)
    found = inverse_kinematics(ARM | Model3D(a=flange, put=put), Pose("tool", there, rot(z=0.9)), ["b"])
    assert found["b"] == pytest.approx(0.9 - 0.5, abs=1e-8)


def test_what_is_left_out_stays_and_frames_relate() -> None:
    start = {"a": 0.2, "b": 0.5}
    p = np.array([math.cos(0.2) + 0.7 * math.cos(0.7), math.sin(0.2) + 0.7 * math.sin(0.7), 0.0])
    ahead = inverse_kinematics(ARM, Pose("tool", (-0.1, 0.05, 0.0), "free", "tool"), ["a", "b"], start)
    R = rotation_matrix(rot(z=0.7))
    expected = p + R @ [-0.1, 0.05, 0.0]
    assert min(np.linalg.norm(np.subtract(list(ahead.values()), q)) for q in planar(*expected[:2])) < 1e-8
    aside = inverse_kinematics(ARM, Pose("tool", (-0.2, -1.0, -3.0), "free", "aside"), ["a", "b"], start)
    assert min(np.linalg.norm(np.subtract(list(aside.values()), q)) for q in planar(0.8, 1.0)) < 1e-8
    turned = find_positions(Pose("tool", None, rot(x=0.3)), SIX_JOINTS, SIX_START, at(SIX, SIX_JOINTS, SIX_START))
    R_turned, p_turned = pose(SIX, SIX_JOINTS, turned)
    np.testing.assert_allclose(p_turned, pose(SIX, SIX_JOINTS, SIX_START)[1], atol=1e-9)
    np.testing.assert_allclose(R_turned, rotation_matrix(rot(x=0.3)), atol=1e-9)


@pytest.mark.parametrize(
    ("wanted", "joints", "words"),
    [
        (
            Pose("tool", (3.0, 0.0, 0.0), "free"),
            ["a", "b"],
            r"tool at \(3, 0, 0\) m.*at best 1.3 m beside it.*a, b.*\(3, 0, 0\)",
        ),
        (Pose("tool", (1.2, 0.3, 0.1), "free"), ["a", "b"], "at best 0.1 m beside it"),
        (Pose("tool", (1.2, 0.3, 0.0), rot(x=0.5)), ["a", "b"], "cannot be reached.*m and .* deg beside it.*free"),
        (Pose("tol", (1.2, 0.3, 0.0)), ["a", "b"], "'tol'"),
        (Pose("tool", (1.2, 0.3, 0.0), relative_to="tabel"), ["a", "b"], "tabel"),
        (Pose("tool", (1.2, 0.3, 0.0)), ["a", "c"], "'c'"),
    ],
)
def test_what_cannot_be_is_refused(wanted: Pose, joints: list[str], words: str) -> None:
    with pytest.raises(ModelError) as caught:
        inverse_kinematics(ARM, wanted, joints, {"a": 0.1, "b": 0.3})
    assert re.search(words, str(caught.value)), caught.value


def test_out_of_reach_the_nearest_place_of_all_is_told() -> None:
    """The distance is that of a search over all positions within the limits, between which there are several minima."""
    limits = {"a": (-1.0, 2.0), "b": (-2.6, 1.5)}
    arm = ARM | Model3D(**{name: Map(limits=ends) for name, ends in limits.items()})
    a, b = np.meshgrid(*(np.linspace(*ends, 1501) for ends in limits.values()))
    places = np.exp(1j * a) + 0.7 * np.exp(1j * (a + b))
    rng = np.random.default_rng(2)
    for _ in range(12):
        target = rng.uniform(0.5, 2.5) * np.exp(1j * rng.uniform(2.8, 5.0))
        start = dict(zip("ab", (rng.uniform(*ends) for ends in limits.values()), strict=True))
        least = np.abs(places - target).min()
        if least > 0.01:
            with pytest.raises(ModelError) as caught:
                inverse_kinematics(arm, Pose("tool", (target.real, target.imag, 0.0), "free"), ["a", "b"], start)
            told = float(caught.value.found.split()[2])
            assert told == pytest.approx(least, rel=6e-3, abs=2e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_limit_at_which_a_joint_stops_is_told(side: float) -> None:
    """The elbow is to be stretched, and cannot."""
    limited = ARM | Model3D(b=Map(limits=tuple(sorted((0.5 * side, 2.0 * side)))))
    with pytest.raises(ModelError) as caught:
        inverse_kinematics(limited, Pose("tool", (3.0, 0.0, 0.0), "free"), ["a", "b"], {"b": side})
    reach = math.sqrt(1.0 + 0.49 + 1.4 * math.cos(0.5))
    assert caught.value.found == f"at best {3.0 - reach:.3g} m beside it, with b at its limit {0.5 * side:g}"


def test_limits_stand_in_the_refusal() -> None:
    limited = ARM | Model3D(b=Revolute(obj1="b_base", obj2="b_body", axis="z", limits=(-0.1, 0.1)))
    with pytest.raises(ModelError, match=r"beside it, with b at its limit (-0.1|0.1)"):
        inverse_kinematics(limited, Pose("tool", (0.5, 0.5, 0.0), "free"), ["a", "b"])
    with pytest.raises(ModelError, match="no joint 'q'"):
        inverse_kinematics(ARM, Pose("tool", (1.0, 0.5, 0.0), "free"), ["a", "b"], {"q": 1.0})
    with pytest.raises(ModelError, match=r"^Pose: there is no Object3D 'tol'.*Did you mean 'tool'\?"):
        inverse_kinematics(ARM, Pose("tol", (1.0, 0.5, 0.0), "free"), ["a", "b"])
    with pytest.raises(ModelError, match="one Model3D; found 0"):
        inverse_kinematics(Model(x=1.0), Pose("tool", (1.0, 0.5, 0.0)), ["a"])


def test_how_much_of_the_orientation_is_missed_is_told_in_degrees() -> None:
    """The wrist of a gantry turns about z only: its place is reached, of the orientation the tilt of half a radian is left."""
    slides = [(name, Prismatic, name, (0.0, 0.0, 0.0)) for name in "xy"]
    gantry = chain([*slides, ("c", Revolute, "z", (0.0, 0.0, 0.0))])
    tilted = rotation_matrix(rot(z=0.7)) @ rotation_matrix(rot(x=0.5))
    for wanted in (tilted, rotation_matrix(rot(x=0.5))):
        with pytest.raises(ModelError) as caught:
            inverse_kinematics(gantry, Pose("tool", (0.3, -0.2, 0.0), wanted), ["x", "y", "c"])
        told = re.fullmatch(r"at best (\S+) m and 28\.6 deg beside it", caught.value.found)
        assert told is not None, caught.value.found
        assert float(told[1]) < 1e-6
        assert caught.value.remedy.startswith('Choose another pose, let its orientation be "free", or')


def test_a_pose_is_told_in_words() -> None:
    assert str(Pose("tool", (1, -0.25, 1e-9))) == "tool at (1, -0.25, 1e-09) m"
    assert str(Pose("tool", (1, 2, 3), relative_to="aside")) == "tool at (1, 2, 3) m in aside"
    assert str(Pose("tool", None, rot(x=0.3))) == "tool where it is"


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e9])
def test_an_arm_of_any_size_takes_the_same_angles(size: float) -> None:
    arm = chain([("a", Revolute, "z", (size, 0.0, 0.0)), ("b", Revolute, "z", (0.7 * size, 0.0, 0.0))])
    found = inverse_kinematics(arm, Pose("tool", (1.2 * size, 0.3 * size, 0.0), "free"), ["a", "b"], {"a": 0.2, "b": 0.5})
    assert list(found.values()) == pytest.approx(planar(1.2, 0.3)[0], abs=1e-6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("", (0, 0, 0)), "frame of Pose"),
        (("tool",), "has no target"),
        (("tool", None, "free"), "has no target"),
        (("tool", (0, 0)), "translation of Pose"),
        (("tool", None, (0, 0)), "rotation of Pose"),
        (("tool", (0, 0, 0), None, 3), "relative_to of Pose"),
    ],
)
def test_a_pose_checks_its_fields(given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Pose(*given)


SCENARIO = """\
modia3d: 1
definitions:
  Part: {Solid: {mass_properties: {MassProperties: {mass: 1, Ixx: 0.1, Iyy: 0.1, Izz: 0.1}}}}
  Servo:
    Model:
      flange: {Model: {phi: {Var: {potential: true}}, tau: {Var: {flow: true}}}}
      u: {Var: {input: true}}
      equations: [flange.phi = u]
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  upper: {Object3D: {feature: {Part: {}}}}
  lower: {Object3D: {feature: {Part: {}}}}
  knee: {Object3D: {parent: upper, translation: [1, 0, 0]}}
  tool: {Object3D: {parent: lower, translation: [0.7, 0, 0]}}
  a: {RevoluteWithFlange: {obj1: world, obj2: upper, axis: z}}
  b: {RevoluteWithFlange: {obj1: knee, obj2: lower, axis: z}}
  carriage: {Object3D: {feature: {Part: {}}}}
  drive: {Prismatic: {obj1: world, obj2: carriage, axis: x, v: 0.1, s: 1.0}}
  one: {Servo: {}}
  two: {Servo: {}}
  connect:
    - [one.flange, a.flange]
    - [two.flange, b.flange]
    - [actions.a.position, one.u]
    - [actions.b.position, two.u]
actions:
  - addReferencePath: {names: [a, b], position: [0.2, 0.5], v_max: [2, 2], a_max: [8, 8]}
  - ptpJointSpace: [{Pose: {frame: tool, translation: [120 cm, 0.3, 0], rotation: free}}]
  - ActionWait: 0.1
  - ptpJointSpace:
      - [0.1, 0.9]
      - Pose: {frame: tool, translation: [0, 0.6, 0], rotation: free, relative_to: carriage}
simulation: {stop_time: 4, interval: 0.01}
"""


def read(folder: Path, old: str = "", new: str = "") -> Any:
    assert old in SCENARIO
    file = folder / "arm.yaml"
    file.write_text(SCENARIO.replace(old, new, 1))
    return read_scenario(file)


def test_a_scenario_moves_to_poses_when_it_gets_there(tmp_path: Path) -> None:
    """The second pose is relative to a carriage: where it is when the step begins."""
    simulation = read(tmp_path).instantiate()
    result = simulation.simulate(4.0, interval=0.01)
    tool = result["tool.r_abs"]
    there, begins, _ = (entry["time"] for entry in result.program_log if entry["kind"] != "route")
    waits = int(np.searchsorted(result.time, there + 0.05))
    np.testing.assert_allclose(tool[waits], [1.2, 0.3, 0.0], atol=1e-8)
    np.testing.assert_allclose(tool[-1], [1.0 + 0.1 * begins, 0.6, 0.0], atol=1e-8)
    again = simulation.simulate(4.0, interval=0.01)
    np.testing.assert_array_equal(again["a.phi"], result["a.phi"])


def test_a_snapshot_keeps_the_positions_that_were_found(tmp_path: Path) -> None:
    simulation = read(tmp_path).instantiate()
    whole = simulation.simulate(4.0)
    simulation.simulate(2.0)
    simulation.save(tmp_path / "half.snapshot")
    other = read(tmp_path).instantiate()
    other.restore(tmp_path / "half.snapshot")
    assert other.simulate(4.0)["tool.r_abs"][-1] == pytest.approx(whole["tool.r_abs"][-1], abs=1e-9)


def test_a_program_in_python_has_poses_too(tmp_path: Path) -> None:
    def program(actions):  # type: ignore[no-untyped-def]
        addReferencePath(actions, ["a", "b"], [0.2, 0.5], v_max=[2, 2], a_max=[8, 8])
        ptpJointSpace(actions, Pose("tool", (1.2, 0.3, 0.0), "free"))

    model = read(tmp_path).model | Model3D(actions=ModelActions(program))
    assert instantiate(model).simulate(3.0)["tool.r_abs"][-1] == pytest.approx([1.2, 0.3, 0.0], abs=1e-8)


def test_a_pose_out_of_reach_ends_the_simulation_with_its_place(tmp_path: Path) -> None:
    scenario = read(tmp_path, "[120 cm, 0.3, 0]", "[120 cm, 3, 0]")
    words = r"arm.yaml:28:.*cannot be reached: tool at \(1.2, 3, 0\) m.*at best 1.53 m"
    with pytest.raises(SimulationError, match=words), scenario.located():
        scenario.instantiate().simulate(4.0)
    for old, new, words in (
        ("frame: tool, translation: [120", "frame: tol, translation: [120", r"arm.yaml:28:.*'tol'"),
        ("frame: tool, translation: [120", "fram: tool, translation: [120", r"arm.yaml:28:.*'fram' in Pose.*'frame'"),
        ("translation: [120 cm", "translation: [120 deg", r"arm.yaml:28:.*measures something else; found '120 deg'"),
    ):
        with pytest.raises(ModiaError, match=words):
            read(tmp_path, old, new).instantiate()


def test_a_pose_is_reached_from_the_row_before_it(tmp_path: Path) -> None:
    """The elbow stays on the side of the last row, not on that of the beginning."""
    rows = "- [1.0, -1.2]\n      - Pose: {frame: tool, translation: [1.2, 0.3, 0], rotation: free}"
    scenario = read(tmp_path, SCENARIO[SCENARIO.index("- [0.1, 0.9]") : SCENARIO.index("simulation:")], f"{rows}\n")
    result = scenario.instantiate().simulate(6.0)
    assert [result["a.phi"][-1], result["b.phi"][-1]] == pytest.approx(planar(1.2, 0.3)[1], abs=1e-8)


def test_one_engine_and_joints_with_one_coordinate_are_needed() -> None:
    wanted = Pose("tool", (1.2, 0.3, 0.0), "free")
    for count, model in ((2, Model(one=ARM, two=ARM)), (0, Model(x=Var("time")))):
        with pytest.raises(ModelError, match=f"needs one Model3D; found {count} in the model"):
            inverse_kinematics(model, wanted, ["a", "b"])
    start = {"a": 0.4, "b": 0.3}
    expected = inverse_kinematics(ARM, wanted, ["a", "b"], start)
    assert inverse_kinematics(Model(one=ARM), wanted, ["a", "b"], start) == expected
    translated = instantiate(Model(one=ARM))
    others = [inverse_kinematics(translated, wanted, ["a", "b"], {"b": b}) for b in (-0.4, 0.4)]
    assert others[0]["b"] < 0.0 < others[1]["b"]  # a start is that of one call
    assert inverse_kinematics(translated, wanted, ["a", "b"], start) == expected
    hung = ARM | Model3D(ball=Spherical("tool", "bob"), bob=body())
    with pytest.raises(ModelError, match="ball") as refused:
        inverse_kinematics(hung, wanted, ["ball"])
    with pytest.raises(ModelError, match="ball") as refused_start:
        inverse_kinematics(hung, wanted, ["a", "b"], {"ball": 0.1})
    assert refused_start.value.message == refused.value.message
    with pytest.raises(ModelError, match="no joint 'c' to start from"):
        inverse_kinematics(ARM, wanted, ["a", "b"], {"c": 0.1})
