"""Frames, scene and joints as a user writes them."""

import math
import subprocess
import sys

import numpy as np
import pytest

import modia3d
from modia3d import (
    Cylinder,
    MatingTolerance,
    NoGravity,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    UniformGravity,
)
from modiapy import Map, Model, ModelError, Var
from modiapy.symbolic.flattening.evaluate import evaluate
from tests.modia3d.scenes import made

pytestmark = pytest.mark.white_box


def test_fields_are_expressions_of_parameters():
    frame = made(Object3D(translation=["L/2", 0, 0], rotation=[0, 0, "pi/2"]), L=3.0)
    assert frame.translation == (1.5, 0.0, 0.0)
    assert frame.rotation[2] == math.pi / 2


def test_arrays_and_matrices_are_accepted():
    frame = made(Object3D(translation=np.array([1.0, 2.0, 3.0]), rotation=np.eye(3)))
    assert frame.translation == (1.0, 2.0, 3.0)
    assert frame.rotation == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_gravity_is_a_vector_along_its_direction():
    assert made(Scene()).gravity.acceleration == (0.0, -9.81, 0.0)
    assert made(Scene(gravity=NoGravity())).gravity == NoGravity.dataclass()
    assert made(Scene(gravity=UniformGravity(g=2.0, n=(0, 0, -5)))).gravity.acceleration == (0.0, 0.0, -2.0)
    assert made(Scene(gravity=UniformGravity(n="-z"))).gravity.acceleration == (0.0, 0.0, -9.81)


def test_axes_are_letters_or_vectors():
    assert made(Revolute("a", "b")).axis == (0.0, 0.0, 1.0)
    assert made(Revolute("a", "b", axis="-x")).axis == (-1.0, 0.0, 0.0)
    assert made(Prismatic("a", "b", axis=(3, 0, 4))).axis == (0.6, 0.0, 0.8)


@pytest.mark.parametrize(("joint", "coordinate", "speed"), [(RevoluteWithFlange, "phi", "w"), (PrismaticWithFlange, "s", "v")])
def test_a_joint_with_flange_is_a_model_with_variables_and_a_connector(joint, coordinate, speed):
    model = evaluate(Model(rev=joint("a", "b", axis="y") | Map({coordinate: Var(init=0.3)})))
    made_joint = model.objects["rev"]
    assert (made_joint.obj1, made_joint.obj2, made_joint.axis) == ("a", "b", (0.0, 1.0, 0.0))
    assert made_joint.with_flange
    written = model.tree.children["rev"].model
    assert written[coordinate]["init"] == 0.3
    assert written["flange"][coordinate]["potential"]
    assert f"{speed} = der({coordinate})" in written["equations"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (lambda: Object3D(translation=(1, 2)), ["translation", "three numbers"]),
        (lambda: Object3D(translation="x"), ["x"]),
        (lambda: Object3D(rotation=[[1, 0, 0], [0, 1, 0], [0, 0, 2]]), ["rotation", "orthogonal"]),
        (lambda: Object3D(rotation=[[1, 0, 0], [0, 1, 0], [0, 0, -1]]), ["reflection"]),
        (lambda: Object3D(parent="a", velocity=(1, 0, 0)), ["fixed_to_parent=False"]),
        (lambda: Object3D(lockable=2), ["lockable", "True or False"]),
        (lambda: Object3D(parent="a", feature=Scene()), ["is the world", "no parent"]),
        (lambda: Object3D(feature=Scene(), translation=(1, 0, 0)), ["is the world"]),
        (lambda: Scene(gravity=9.81), ["gravity of Scene", "UniformGravity"]),
        (lambda: Scene(mating=MatingTolerance(position=-1)), ["position of MatingTolerance", "at least 0"]),
        (lambda: Scene(mating=MatingTolerance(symmetry=1.5)), ["symmetry", "whole number"]),
        (lambda: UniformGravity(n=(0, 0, 0)), ["zero vector", "direction"]),
        (lambda: Revolute("a", "b", axis=(0, 0, 0)), ["axis of Revolute", "zero vector"]),
        (lambda: Revolute("a", "b", axis="w"), ["axis of Revolute", "'w'"]),
        (lambda: Revolute("a", ""), ["obj2 of Revolute", "empty"]),
        (lambda: Prismatic("a", "b", s=math.nan), ["s of Prismatic", "finite"]),
    ],
)
def test_a_mistake_is_named_with_what_was_found_and_expected(entry, words):
    with pytest.raises(ModelError) as caught:
        made(entry())
    for word in words:
        assert word in str(caught.value)


def test_an_unknown_field_is_refused_at_once_with_the_nearest_name():
    with pytest.raises(ModelError, match="Did you mean 'lockable'"):
        Object3D(lockabel=True)


def test_importing_the_package_and_its_scene_is_light():
    code = (
        "import modia3d, sys; modia3d.Object3D; "
        "print([m for m in ('numba', 'llvmlite', 'sksundae', 'meshcat', 'pydantic', 'scipy.integrate') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_an_unknown_export_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Bax"):
        _ = modia3d.Bax


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        (lambda: Object3D(lockable=np.array([1.0, 2.0])), "lockable of Object3D.*True or False"),
        (lambda: Object3D(orientation=np.array([1.0, 2.0])), "orientation of Object3D.*quaternion"),
        (lambda: Cylinder(0.1, 1.0, axis=np.array([0.0, 0.0, 1.0])), "axis of Cylinder.*'x', 'y' or 'z'"),
        (lambda: Revolute("a", "b", limits=(0, 1), at_limit=np.array([1.0, 2.0])), "at_limit of .*'stop'"),
    ],
)
def test_values_of_another_kind_are_refused_by_name(entry, match):
    with pytest.raises(ModelError, match=match):
        made(entry())
