"""Conditions of a program may name every element of every signal that results have, and nothing else."""

import itertools
import re

import numpy as np
import pytest

from modia3d import (
    Box,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    RodConstraint,
    Solid,
    Sphere,
    Spherical,
    SpringDamperPtP,
    WaitUntil,
)
from modiapy import Model, ModelError, instantiate
from tests.modia3d.scenes import body, world

pytestmark = pytest.mark.white_box

BALL = Solid(Sphere(0.1), "Steel", collision=True)
PLACE = {"parent": "world", "fixed_to_parent": False}
PARTS = {
    "world": world(NoGravity()),
    "ball": Object3D(**PLACE, feature=BALL, translation=(1.0, 0.0, 0.0)),
    "box": Object3D(**PLACE, feature=Solid(Box(0.1, 0.1, 0.1), "Steel", collision=True), translation=(2.0, 0.0, 0.0)),
    "arm": body(),
    "tip": Object3D(parent="arm", translation=(0.0, 1.0, 0.0)),
    "driven": RevoluteWithFlange("world", "arm"),
    "hand": body(),
    "wrist": Revolute("tip", "hand"),
    "head": body(),
    "neck": Spherical("tip", "head"),
    "hook": Object3D(parent="world", translation=(1.0, 0.5, 0.0)),
    "leash": RodConstraint("hook", "ball"),
}
SPRINGS = {
    "knot": Object3D(**PLACE, translation=(1.5, 0.0, 0.0)),
    "one": SpringDamperPtP("ball", "knot", stiffness=20.0, nominal_length=0.1),
    "other": SpringDamperPtP("knot", "box", stiffness=20.0, nominal_length=0.1),
}
SCENES = {
    "with a rod": PARTS,
    "with a massless point": {k: v for k, v in PARTS.items() if k not in ("hook", "leash")} | SPRINGS,
}


def asks(parts, names):
    """The same with a program that waits for these, one after the other."""
    return Model3D(**parts, actions=ModelActions([WaitUntil(f"{name} > 1", timeout=1.0) for name in names]))


def elements(name, shape):
    """The name itself where it is a number."""
    return [f"{name}[{','.join(map(str, index))}]" for index in np.ndindex(shape)] if shape else [name]


@pytest.mark.parametrize("scene", SCENES)
def test_every_element_of_every_signal_may_be_named(scene):
    parts = SCENES[scene]
    result = instantiate(Model3D(**parts)).simulate(0.01)
    shapes = {name: np.shape(result[name])[1:] for name in result if "[" not in name}
    assert {"ball.contact_force": (3,), "mechanics.contacts": (), "tip.R_abs": (3, 3)}.items() <= shapes.items()
    assert ("knot.v_abs" in shapes) != ("leash.cut_force_unique" in shapes)
    named = itertools.chain(*(elements(*item) for item in shapes.items()), (name for name in result if "phi[" in name))
    instantiate(asks(parts, named))
    instantiate(Model(part=asks(parts, [f"part.{name}" for name in ("ball.r_abs[2]", "driven.phi", "mechanics.contacts")])))


NOTHING = [
    "ball.r_abs[3]", "ball.R_abs[0,3]", "ball.R_abs[3,0]", "ball.R_abs[1]", "ball.r_abs[0,1]", "ball.r", "mechanics.power[0]",
    "mechanics.momentum[3]", "mechanics.contacts[0]", "mechanics.force", "tip.contacts", "tip.contact_force[0]",
    "ball.cut_force[0]", "wrist.r_abs[0]", "wrist.phi[0]", "wrist.s", "neck.phi[3]", "knot.w_abs[0]", "knot.a_abs[0]",
    "one.v_abs[0]", "nobody.r_abs[0]",
]  # fmt: skip


@pytest.mark.parametrize("name", NOTHING)
def test_what_no_result_has_is_refused(name):
    parts = SCENES["with a massless point" if "knot" in name else "with a rod"]
    with pytest.raises(ModelError, match=f"no signal '{re.escape(name)}'"):
        instantiate(asks(parts, [name]))


def test_one_solid_makes_no_contacts():
    with pytest.raises(ModelError, match=r"no signal 'mechanics\.contacts'"):
        instantiate(asks({name: part for name, part in PARTS.items() if name != "box"}, ["mechanics.contacts"]))
