"""Which solids touch each other: joints, locks and what is rigidly connected keep them apart."""

import functools

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionRelease,
    ActionWait,
    Box,
    Cylindrical,
    Fix,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PinSlot,
    Planar,
    Plane,
    Prismatic,
    Revolute,
    Scene,
    Solid,
    SolidMaterial,
    Sphere,
    UniformGravity,
)
from modiapy import ModelError, instantiate
from tests.modia3d import scenes
from tests.modia3d.scenes import world

pytestmark = pytest.mark.white_box

BALL = Solid(Sphere(0.1), "Steel", collision=True)
DOWN = UniformGravity(n=(0, 0, -1))


run = functools.partial(scenes.run, tolerance=1e-7, points=100)


@pytest.mark.parametrize("can_collide", [None, False, True])
def test_a_pendulum_passes_through_what_it_hangs_on_unless_it_may_collide(can_collide):
    wall = Object3D(parent="world", translation=(-0.1, 0, -0.5), feature=Solid(Box(0.1, 1, 1), "Steel", collision=True))
    bob = Object3D(parent="arm", translation=(0, 0, -0.5), feature=BALL)
    hinge = Revolute("world", "arm", "y", phi=-0.5, **({} if can_collide is None else {"can_collide": can_collide}))
    result = run(world=world(DOWN), wall=wall, arm=Object3D(), bob=bob, hinge=hinge)
    assert ("wall" in {name for entry in result.contacts for name in entry["pair"]}) == bool(can_collide)
    assert (result["bob.r_abs"][:, 0].min() > -0.0501) == bool(can_collide)


@pytest.mark.parametrize(
    "slides",
    [
        Prismatic("high", "ball", "z"),
        Cylindrical("high", "ball", "z"),
        Planar("high", "ball", "y"),
        PinSlot("high", "ball", "y", axis_x="z"),
    ],
    ids=["prismatic", "cylindrical", "planar", "pin slot"],
)
def test_what_slides_down_on_the_ground_falls_onto_it_whether_it_may_turn_too(slides):
    floor = Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Steel", collision=True))
    high = Object3D(parent="world", translation=(0.0, 0.0, 0.3))
    result = run(0.3, world=world(DOWN), floor=floor, high=high, ball=Object3D(feature=BALL), joint=slides)
    assert [set(entry["pair"]) for entry in result.contacts] == [{"ball", "floor"}]
    assert result["ball.r_abs"][:, 2].min() > 0.0499  # its radius


def test_pendulums_on_one_frame_touch_each_other():
    parts = {}
    for k in range(2):
        parts |= {f"hook{k}": Object3D(parent="world", translation=(0.1 * k, 0, 0)), f"arm{k}": Object3D()}
        parts |= {f"bob{k}": Object3D(parent=f"arm{k}", translation=(0, 0, -0.5), feature=BALL)}
        parts |= {f"hinge{k}": Revolute(f"hook{k}", f"arm{k}", "y", phi=0.0 if k else 0.5)}
    result = run(world=world(DOWN), **parts)
    assert result.contacts[0]["pair"] == ["bob0", "bob1"]
    assert np.abs(result["hinge1.phi"]).max() > 0.3


def test_what_is_rigidly_connected_does_not_touch():
    """Two balls that overlap are one body by a fixed joint; only the third one pushes them."""
    parts = {
        "one": Object3D(parent="world", fixed_to_parent=False, feature=BALL),
        "two": Object3D(feature=BALL),
        "fix": Fix("one", "two", translation=(0.05, 0, 0)),
        "three": Object3D(parent="world", fixed_to_parent=False, translation=(-0.3, 0, 0), velocity=(1, 0, 0), feature=BALL),
    }
    result = run(world=world(NoGravity()), **parts)
    assert {tuple(entry["pair"]) for entry in result.contacts} == {("one", "three")}


def gripper(**options):
    """A palm with two fingers that holds a ball by a lock; the fingers overlap with it."""
    finger = Solid(Box(0.02, 0.02, 0.1), "Steel", collision=True)

    def program(actions):
        ActionAttach(actions, "top", "grip", **options)
        ActionWait(actions, 0.2)
        ActionRelease(actions, "top")

    return run(
        0.3,
        world=world(NoGravity()),
        palm=Object3D(feature=BALL),
        mount=Prismatic("world", "palm", "z"),
        grip=Object3D(parent="palm", translation=(0, 0, -0.2), rotation=(np.pi, 0, 0), lockable=True),
        left=Object3D(feature=finger),
        right=Object3D(feature=finger),
        left_slide=Prismatic("grip", "left", "x", s=-0.0599),
        right_slide=Prismatic("grip", "right", "x", s=0.0599),
        ball=Object3D(parent="world", fixed_to_parent=False, translation=(0, 0, -0.2), feature=BALL),
        top=Object3D(parent="ball", lockable=True),
        actions=ModelActions(program),
    )


def test_a_lock_without_contact_lets_the_fingers_of_its_gripper_through():
    held = {enabled: gripper(enable_contact_detection=enabled) for enabled in (True, False)}
    pushed = {enabled: abs(result["left_slide.v"][np.searchsorted(result.time, 0.19)]) for enabled, result in held.items()}
    assert pushed[True] > 1e-4
    assert pushed[False] == 0.0
    later = [entry for entry in held[False].contacts if entry["end"] != 0.0]  # as soon as the lock is gone
    assert {tuple(entry["pair"]) for entry in later} == {("left", "ball"), ("right", "ball")}
    assert [entry["begin"] for entry in later] == pytest.approx([0.2, 0.2])


@pytest.mark.parametrize("apart", [(), ("one", "two"), ("two", "one")])
def test_materials_need_no_law_where_the_scene_keeps_their_solids_apart(apart):
    """In whichever order it names them."""
    stones = (SolidMaterial(2000.0, name=name, youngs_modulus=1e9, poisson_ratio=0.3) for name in ("slate", "chalk"))
    parts = {
        name: Object3D(
            parent="world", fixed_to_parent=False, translation=(x, 0, 0), feature=Solid(Sphere(0.1), stone, collision=True)
        )
        for name, stone, x in zip(("one", "two"), stones, (0.0, 0.3), strict=True)
    }
    model = Model3D(world=Object3D(feature=Scene(gravity=NoGravity(), no_contact=[apart] if apart else [])), **parts)
    if apart:
        assert instantiate(model).simulate(0.01).contacts == []
    else:
        with pytest.raises(ModelError, match=r"slate.*chalk"):
            instantiate(model)
