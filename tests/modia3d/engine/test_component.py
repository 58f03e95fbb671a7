"""The engine as a component: what it shows to viewers, and its place in the protocol."""

import math
import subprocess
import sys

import pytest

from modia3d import (
    Box,
    MassProperties,
    Model3D,
    Object3D,
    RevoluteWithFlange,
    Scene,
    Solid,
    Sphere,
    Visual,
    VisualMaterial,
)
from modia3d.scene.shapes import BoxShape, SphereShape
from modiapy import Model, ModelError, Var, instantiate
from modiapy.symbolic.flattening.flatten import flatten

pytestmark = pytest.mark.white_box

PROPERTIES = MassProperties(mass=1.0, Ixx=1.0, Iyy=1.0, Izz=1.0)


def engine(**entries):
    return flatten(Model3D(world=Object3D(feature=Scene()), **entries)).components[""]


def test_visuals_are_the_shapes_of_solids_and_visuals():
    component = engine(
        body=Object3D(feature=Solid(shape=Box(1.0, 2.0, 3.0), mass_properties=PROPERTIES)),
        ball=Object3D(parent="body", feature=Visual(shape=Sphere(0.5), visual_material=VisualMaterial(color="Red"))),
        massive=Object3D(parent="body", feature=Solid(mass_properties=PROPERTIES)),
    )
    (body, box, none), (ball, sphere, material) = component.visuals()
    assert (body, ball) == ("body", "ball")
    assert isinstance(box, BoxShape)
    assert isinstance(sphere, SphereShape)
    assert none is None
    assert material is not None


def test_equations_see_one_linear_call_for_each_joint_with_a_flange_and_nothing_of_free_bodies():
    part = engine(
        one=Object3D(feature=Solid(mass_properties=PROPERTIES)),
        free=Object3D(feature=Solid(mass_properties=PROPERTIES)),
        rev=RevoluteWithFlange(obj1="world", obj2="one"),
    ).acausal_part()
    calls = {e.function.name: e for e in part["equations"] if not isinstance(e, str)}
    assert set(calls) == {"set_states", "generalized_forces", "finish"}
    assert calls["generalized_forces"].function.linear_in == {1}
    assert calls["finish"].function.sink
    assert [e for e in part["equations"] if isinstance(e, str)] == ["rev.flange.tau = mechanics.f0"]


def test_mistake_in_a_scene_is_told_with_the_full_path():
    robot = Model3D(
        world=Object3D(feature=Scene()),
        body=Object3D(feature=Solid(mass_properties=PROPERTIES)),
        rev=RevoluteWithFlange(obj1="world", obj2="bodi"),
    )
    with pytest.raises(ModelError, match=r"cell\.robot\.rev: .*'bodi'.*Did you mean 'body'"):
        instantiate(Model(cell=Model(robot=robot)))


def test_no_compilation_after_the_start():
    model = Model3D(
        world=Object3D(feature=Scene()),
        one=Object3D(feature=Solid(mass_properties=PROPERTIES)),
        rev=RevoluteWithFlange(obj1="world", obj2="one", phi=Var(init=0.1)),
    )
    assert instantiate(model).simulate(0.1).statistics["compilations_after_start"] == 0


def test_importing_the_package_is_light():
    heavy = "[m for m in ('numba', 'scipy', 'sksundae') if m in sys.modules]"
    code = f"import sys, modia3d, modia3d.actions; modia3d.Model3D; print({heavy})"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("value", [math.inf, math.nan, [1.0, 2.0]])
@pytest.mark.parametrize("name", ["phi", "w"])
def test_an_initial_value_that_is_no_finite_number_is_named(name, value):
    body = Object3D(feature=Solid(mass_properties=PROPERTIES))
    joint = RevoluteWithFlange("world", "body", **{name: Var(init=value)})
    model = Model(robot=Model3D(world=Object3D(feature=Scene()), body=body, joint=joint))
    with pytest.raises(
        ModelError,
        match=rf"robot\.joint\.{name}: the initial value of a joint is not a finite number; .*expected a finite number",
    ):
        instantiate(model)
