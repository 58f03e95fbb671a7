"""Elements between two frames: from a frame to itself is an error, between frames of one body a warning."""

import warnings

import pytest

from modia3d import Bushing, Force, ForceAndTorque, LineForce, Model3D, Object3D, Revolute, SpringDamperPtP, Torque
from modiapy import Map, Model, ModelError, instantiate
from modiapy.library import translational

from ..scenes import body, world

pytestmark = pytest.mark.white_box

DAMPED = translational.Damper | Map(d=1.0)
LINE = {"damper": DAMPED, "connect": [("e.flange_a", "damper.flange_a"), ("e.flange_b", "damper.flange_b")]}

ELEMENTS = {
    "spring": lambda a, b: {"e": SpringDamperPtP(a, b, stiffness=1.0)},
    "bushing": lambda a, b: {"e": Bushing(a, b, (1.0, 1.0, 1.0))},
    "force": lambda a, b: {"e": Force(a, b, force=(1.0, 0.0, 0.0))},
    "torque": lambda a, b: {"e": Torque(a, b, torque=(1.0, 0.0, 0.0))},
    "both": lambda a, b: {"e": ForceAndTorque(a, b, force=(1.0, 0.0, 0.0), torque=(0.0, 0.0, 0.0))},
    "line": lambda a, b: {"e": LineForce(a, b), **LINE},
}


def scene(**entries):
    parts = {"rod": body(), "tip": Object3D(parent="rod", translation=(1.0, 0.0, 0.0)), "joint": Revolute("world", "rod")}
    return Model(cell=Model3D(world=world(), **parts, **entries))


@pytest.mark.parametrize("kind", ELEMENTS)
def test_from_a_frame_to_itself_is_an_error(kind):
    words = "obj2 of LineForce is wrong; found 'tip'" if kind == "line" else r"cell\.e: both ends.*found 'tip' twice"
    with pytest.raises(ModelError, match=words):
        instantiate(scene(**ELEMENTS[kind]("tip", "tip")))


@pytest.mark.parametrize("kind", ELEMENTS)
def test_between_frames_of_one_body_is_a_warning(kind):
    with pytest.warns(UserWarning, match=r"cell\.e\S*: '(rod|tip)' and '(rod|tip)' are fixed to each other"):
        instantiate(scene(**ELEMENTS[kind]("rod", "tip")))


@pytest.mark.parametrize("kind", ELEMENTS)
def test_between_two_bodies_is_neither(kind):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert instantiate(scene(**ELEMENTS[kind]("world", "tip"))).simulate(0.0).status == "finished"
    assert not said
