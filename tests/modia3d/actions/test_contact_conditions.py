"""Conditions of programs about contact: what may be asked, and how it is written."""

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from modia3d import (
    Box,
    IfElse,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Plane,
    Repeat,
    Revolute,
    Solid,
    Sphere,
    UniformGravity,
    WaitUntil,
    in_contact,
    not_in_contact,
)
from modia3d.actions.conditions import Condition, Signals
from modia3d.actions.values import Wait
from modia3d.files import read_scenario
from modiapy import Model, ModelError, instantiate
from tests.modia3d.scenes import world

pytestmark = pytest.mark.white_box

SOLID = Solid(Sphere(0.2), "Steel", collision=True)
SCENE = {
    "world": world(),
    "floor": Object3D(parent="world", feature=Solid(Box(1, 1, 0.1), contact_material="Steel", collision=True)),
    "finger": Object3D(feature=SOLID),
    "tip": Object3D(parent="finger", feature=SOLID),
    "ball": Object3D(parent="world", fixed_to_parent=False, translation=(0, 0, 1), feature=SOLID),
    "ghost": Object3D(parent="world", fixed_to_parent=False, feature=Solid(Sphere(0.2), "Steel")),
    "hinge": Revolute("world", "finger"),
}


def loaded(*steps, **more):
    return instantiate(Model3D(**SCENE, **more, actions=ModelActions(list(steps))), "M")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("fingr", "ball"), r"action 2 .*there is no Object3D 'fingr'.*Did you mean 'finger'\?"),
        (("finger", "ghost"), "action 2 .*'ghost' takes part in no contact.*a Solid without collision.*collision=True"),
        (("world", "ball"), "action 2 .*'world' takes part in no contact.*no Solid"),
        (("finger", "tip"), "action 2 .*'finger' and 'tip' never touch each other.*one rigid body"),
        (("finger", "floor"), "action 2 .*'floor' and 'finger' never touch each other.*a joint.*can_collide=True"),
    ],
)
@pytest.mark.parametrize("make", [WaitUntil, lambda condition: IfElse(condition, [WaitUntil("time > 1")])])
def test_what_can_never_be_is_refused_when_the_model_is_loaded(names, message, make):
    with pytest.raises(ModelError) as caught:
        loaded(WaitUntil("time > 1"), make(in_contact(*names)))
    assert re.search(message, str(caught.value), re.DOTALL)
    loaded(WaitUntil(in_contact("tip", "ball")), WaitUntil(not_in_contact("ball", "floor")))


@pytest.mark.parametrize(
    "given",
    [{"in_contact": ["a"]}, {"in_contact": "a"}, {"touching": ["a", "b"]}, {}, "in_contact(a)", "in_contact(a, 1 + b)"],
)
def test_what_is_no_pair_of_names_is_refused_where_it_is_written(given):
    with pytest.raises(ModelError, match=r"needs two solids|is not a condition"):
        WaitUntil(given)


def test_a_misspelt_condition_is_told_with_the_right_one():
    with pytest.raises(ModelError, match="Did you mean 'in_contact'"):
        WaitUntil("in_contct(finger, ball)")


def test_all_ways_to_write_it_mean_the_same(tmp_path):
    file = tmp_path / "grip.yaml"
    file.write_text(
        "modia3d: 1\nmodel: {world: {Object3D: {feature: {Scene: {}}}}}\nsimulation: {stop_time: 1}\nactions:\n"
        "  - wait_until: {in_contact: [finger, ball], timeout: 3}\n"
        "  - wait_until: in_contact(finger, ball)\n"
        "  - wait_until: {not_in_contact: [finger, ball], condition: time > 1 or time < 0}\n"
        "  - if: {condition: {not_in_contact: [finger, ball]}, then: [{ActionWait: 1}]}\n"
        "  - repeat: {while: {in_contact: [finger, ball]}, do: [{ActionWait: 1}]}\n"
    )
    with pytest.raises(ModelError, match="'finger'"):
        instantiate(read_scenario(file).model)
    steps = read_scenario(file).model["actions"]["program"]
    assert steps[0] == WaitUntil(in_contact("finger", "ball"), 3) == WaitUntil({"in_contact": ["finger", "ball"]}, 3.0)
    assert steps[1] == WaitUntil({"in_contact": ("finger", "ball")})
    assert steps[2].condition == Condition(f"{not_in_contact('finger', 'ball')} and (time > 1 or time < 0)")
    assert steps[3].condition == Condition({"not_in_contact": ["finger", "ball"]})
    assert steps[4].while_ == Condition(in_contact("finger", "ball"))
    both = {"not_in_contact": ["tip", "ball"], "condition": "x", "in_contact": ["finger", "ball"]}
    assert Condition(both) == Condition("in_contact(finger, ball) and not_in_contact(tip, ball) and (x)")
    assert isinstance(steps[4], Repeat)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in_contact(finger, ball)", [False, False, True, True]),
        ("not_in_contact(finger, ball)", [True, True, False, False]),
        ("in_contact(finger, ball) and x > 1", [False, False, False, True]),
        ("not in_contact(finger, ball) or x > 1", [True, True, False, True]),
    ],
)
def test_it_is_part_of_other_conditions(text, expected):
    found = []
    for touching in (0.0, 1.0):
        for x in (0.0, 2.0):
            values = {"mechanics.contact[finger,ball].touching": touching, "x": x}
            found.append(Condition(text).holds(Signals(values.__getitem__, "", {})))
    assert found == expected


def test_only_what_may_change_between_events_is_watched():
    assert Condition(in_contact("a", "b")).only_at_events
    assert Condition({"in_contact": ["a", "b"], "condition": "flags.ready"}).only_at_events
    assert not Condition(in_contact("a", "b") + " and time > 1").only_at_events
    assert not Condition("time > 1").only_at_events


def test_names_are_looked_up_where_the_program_stands():
    robot = Model(**{name: made for name, made in SCENE.items() if name not in ("world", "ball", "hinge")})
    robot |= Model(actions=ModelActions([WaitUntil(in_contact("tip", "ball"))]), floor=Object3D(parent="world"))
    joint = Revolute("world", "robot.finger")
    near = Object3D(parent="world", fixed_to_parent=False, translation=(0.1999, 0, 0), feature=SOLID)
    plant = Model3D(world=world(), ball=near, robot=robot, joint=joint)
    for model in (plant, Model(cell=plant)):
        result = instantiate(model).simulate(0.01)
        assert [entry["kind"] for entry in result.program_log] == ["wait_until"]


@pytest.mark.parametrize(
    ("steps", "watched"),
    [
        ([WaitUntil(in_contact("ball", "finger"))], False),
        ([WaitUntil(in_contact("ball", "finger"), timeout=0.5)], False),
        ([WaitUntil("time > 1")], True),
        ([Parallel([WaitUntil(in_contact("ball", "finger"))], [WaitUntil("time > 1")])], True),
        ([Parallel([WaitUntil(in_contact("ball", "finger"))], [Wait(1.0)])], False),
    ],
)
def test_while_only_contact_is_awaited_no_step_is_watched(steps, watched):
    sim = loaded(*steps)
    run = next(iter(sim.flat.components.values())).system.schedule.begin(0.0)
    assert run.advance(0.0, lambda name: 0.0, pytest.fail) is None
    assert run.watching is watched


FALLING = {
    "world": world(UniformGravity(10.0, n=(0, 0, -1))),
    "floor": Object3D(parent="world", feature=Solid(Plane(), contact_material="Steel", collision=True)),
    "ball": Object3D(parent="world", fixed_to_parent=False, translation=(0, 0, 1.1), feature=SOLID),
    "other": Object3D(parent="world", fixed_to_parent=False, translation=(1, 0, 0.6), feature=SOLID),
}


def falling(*steps, stop=3.0, tolerance=1e-8, **options):
    sim = instantiate(Model3D(**FALLING, actions=ModelActions(list(steps))))
    return sim, sim.simulate(stop, tolerance=tolerance, interval=0.1, **options)


def times(result, kind="wait_until"):
    return [entry["time"] for entry in result.program_log if entry["kind"] == kind]


def test_contact_is_waited_for_and_found_when_it_begins_and_ends():
    """A ball falls 1 m: it touches the floor after sqrt(2 h/g), leaves it, and is back after twice the speed over g."""
    ball = ("ball", "floor")
    down, up, again = (WaitUntil(make(*ball)) for make in (in_contact, not_in_contact, in_contact))
    _, result = falling(down, up, again, WaitUntil(in_contact("other", "floor")))
    fell, left, back, there = times(result)
    assert fell == pytest.approx(math.sqrt(0.2), rel=1e-6)
    assert 0.0 < left - fell < 1e-3
    speed = result["ball.v_abs"][np.argmin(np.abs(result.time - left)), 2]
    assert speed == pytest.approx(0.7 * math.sqrt(20.0), rel=0.02)  # the restitution of steel
    assert back - left == pytest.approx(2.0 * speed / 10.0, rel=1e-3)
    assert there >= back
    assert result.program_log[-1]["outcome"] is True


def test_no_kernel_is_loaded_while_a_program_waits_for_contact():
    """What the condition reads is loaded when the model is made, whatever is in the cache."""
    sim = instantiate(Model3D(**FALLING, actions=ModelActions([WaitUntil(in_contact("ball", "floor"))])))
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[3])!r})\n"
        "from tests.modia3d.actions.test_contact_conditions import FALLING, WaitUntil, in_contact\n"
        "from modia3d import Model3D, ModelActions\n"
        "from modiapy import instantiate\n"
        "instantiate(Model3D(**FALLING, actions=ModelActions([WaitUntil(in_contact('ball', 'floor'))])))\n"
        "print('modia3d.engine.kernels.contact_motion' in sys.modules)\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "True"
    assert sim.simulate(1.0).statistics["compilations_after_start"] == 0


def test_it_is_combined_with_what_is_watched_in_each_step():
    _, result = falling(WaitUntil(f"{in_contact('ball', 'floor')} or time > 0.2"), WaitUntil(not_in_contact("ball", "floor")))
    assert times(result) == pytest.approx([0.2, 0.2], abs=1e-6)
    both = f"{in_contact('ball', 'floor')} and {not_in_contact('other', 'floor')}"
    _, result = falling(WaitUntil(both), WaitUntil({"in_contact": ["ball", "floor"]}, timeout=0.0))
    assert times(result)[0] == pytest.approx(math.sqrt(0.2), rel=1e-6)


def test_a_restored_simulation_waits_for_the_same_contact(tmp_path):
    steps = WaitUntil(in_contact("ball", "floor")), WaitUntil(not_in_contact("ball", "floor")), WaitUntil("time > 2")
    sim, result = falling(*steps)
    file = tmp_path / "one.npz"
    sim.simulate(0.3, tolerance=1e-8, interval=0.1, save=file)
    sim.restore(file)
    assert times(sim.simulate(3.0)) == times(result)


def test_it_ends_a_simulation_in_yaml(tmp_path):
    file = tmp_path / "fall.yaml"
    file.write_text(
        "modia3d: 1\nmodel:\n"
        "  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: [0, 0, -1]}}}}}}\n"
        "  floor: {Object3D: {parent: world,\n"
        "    feature: {Solid: {shape: {Plane: z}, contact_material: Steel, collision: true}}}}\n"
        "  ball: {Object3D: {parent: world, fixed_to_parent: false, translation: [0, 0, 1],\n"
        "    feature: {Solid: {shape: {Sphere: 0.2}, solid_material: Steel, collision: true}}}}\n"
        "actions: [{wait_until: {in_contact: [ball, floor], timeout: 2}}, {end: landed}]\n"
        "simulation: {stop_time: 3}\n"
    )
    result = instantiate(read_scenario(file).model).simulate(3.0)
    assert result.verdict == "landed"
    assert result.time[-1] == pytest.approx(math.sqrt(2.0 * 0.9 / 9.81), rel=1e-5)
