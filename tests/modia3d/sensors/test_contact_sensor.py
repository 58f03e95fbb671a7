"""What touches a solid, as variables of the equations: beside weights and signals of results, in controllers and programs."""

from dataclasses import replace

import numpy as np
import pytest

from modia3d import (
    Box,
    ContactPair,
    ContactSensor,
    Model3D,
    Object3D,
    Plane,
    PrismaticWithFlange,
    Scene,
    Solid,
    SolidMaterial,
    Sphere,
    UniformGravity,
    WorldForce,
)
from modia3d.files import read_scenario
from modiapy import ModelError, Var, instantiate

STONE = SolidMaterial(2000.0, name="stone", youngs_modulus=1e9, poisson_ratio=0.3)
PAIRS = {"stone, stone": ContactPair(restitution=0.2, sliding_friction=0.6)}
WEIGHT = 2000.0 * 0.1**3 * 9.81


def scene(**more):
    return Object3D(feature=Scene(**{"gravity": UniformGravity(9.81, "-z"), "contact_pairs": PAIRS} | more))


def floor():
    return Object3D(parent="world", feature=Solid(Plane("z"), contact_material=STONE, collision=True))


def cube(z, x=0.0):
    return Object3D(
        parent="world", fixed_to_parent=False, translation=(x, 0.0, z), feature=Solid(Box(0.1, 0.1, 0.1), STONE, collision=True)
    )


@pytest.fixture(scope="module")
def stacked():
    model = Model3D(
        world=scene(elastic_contact_reduction_factor=1e-2),
        floor=floor(),
        lower=cube(0.0501),
        upper=cube(0.1502),
        of_floor=ContactSensor("floor"),
        of_lower=ContactSensor("lower"),
        between=ContactSensor("upper", "lower", quantities=["force", "contacts"]),
        never=ContactSensor("upper", "floor"),
        turned=ContactSensor("upper", resolved_in="tilted", quantities="force"),
        tilted=Object3D(parent="world", rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
    )
    return instantiate(model, "Stacked").simulate(1.0, tolerance=1e-8)


def test_weights_at_rest(stacked):
    last = {name: stacked[name][-1] for name in stacked if name.startswith(("of_", "between", "never", "turned"))}
    assert last["of_floor.force.z"] == pytest.approx(-2.0 * WEIGHT, rel=1e-4)
    assert last["of_floor.normal_force"] == pytest.approx(2.0 * WEIGHT, rel=1e-4)
    assert last["of_lower.force.z"] == pytest.approx(WEIGHT, rel=1e-4)
    assert last["of_lower.normal_force"] == pytest.approx(3.0 * WEIGHT, rel=1e-4)
    assert last["between.force.z"] == pytest.approx(WEIGHT, rel=1e-4)
    assert last["turned.force.y"] == pytest.approx(WEIGHT, rel=1e-4)
    assert (last["of_floor.contacts"], last["of_lower.contacts"], last["between.contacts"]) == (1.0, 2.0, 1.0)
    assert not stacked["never.contacts"].any()
    assert not stacked["never.normal_force"].any()


def test_it_knows_what_results_know(stacked):
    for sensor, solid in (("of_lower", "lower"), ("between", "upper")):
        measured = np.column_stack([stacked[f"{sensor}.force.{c}"] for c in "xyz"])
        assert measured == pytest.approx(stacked[f"{solid}.contact_force"], abs=1e-9 * WEIGHT)
    between = np.diff(stacked.time, prepend=-1.0, append=2.0)
    between = (between[1:] > 0.0) & (between[:-1] > 0.0)  # at an event the number is known before and after it
    assert stacked["of_lower.contacts"][between].tolist() == stacked["lower.contacts"][between].tolist()
    assert stacked["of_lower.contacts"].min() == 0.0  # the fall


def test_a_press_that_is_controlled_by_its_contact():
    # a punch is driven down until the contact carries 50 N: the controller integrates what is missing
    model = Model3D(
        world=scene(elastic_contact_reduction_factor=1e-3),
        block=Object3D(parent="world", feature=Solid(Box(0.2, 0.2, 0.2), contact_material=STONE, collision=True)),
        punch=Object3D(feature=Solid(Sphere(0.1), STONE, collision=True)),
        guide=PrismaticWithFlange("world", "punch", axis="z", s=Var(init=0.16)),
        touch=ContactSensor("punch", "block"),
        push=Var(init=0.0),
        drive=WorldForce("punch", (0.0, 0.0, "-push - 60*guide.v")),
        equations=["der(push) = 20*(50 - touch.force.z)"],
    )
    result = instantiate(model, "Press").simulate(3.0, tolerance=1e-7)
    assert result["touch.force.z"][-1] == pytest.approx(50.0, rel=1e-3)
    assert result["touch.force.z"][0] == 0.0


YAML = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {g: 9.81, n: -z}}, elastic_contact_reduction_factor: 0.001,
          contact_pairs: {"Steel, Steel": {restitution: 0.5, sliding_friction: 0.3}}}}}}
  floor: {Object3D: {parent: world, feature: {Solid: {shape: {Plane: z}, contact_material: Steel, collision: true}}}}
  ball: {Object3D: {parent: world, fixed_to_parent: false, translation: [0, 0, 0.3],
         feature: {Solid: {shape: {Sphere: 0.1}, solid_material: Steel, collision: true}}}}
  felt: {ContactSensor: {solid: ball, other: floor, quantities: [normal_force, contacts]}}
actions:
  - wait_until: felt.normal_force > 1000
simulation: {stop_time: 0.3}
"""


def test_a_program_waits_for_a_force(tmp_path):
    file = tmp_path / "ball.yaml"
    file.write_text(YAML)
    result = instantiate(read_scenario(file).model).simulate(0.3, tolerance=1e-7, interval=1e-4)
    first = result.time[np.argmax(result["felt.normal_force"] > 1000.0)]
    print(result.program_log)
    assert result.program_log[-1]["time"] == pytest.approx(first, abs=2e-4)


def test_names_that_do_not_collide():
    model = Model3D(world=scene(), floor=floor(), cube=cube(0.1), lamp=Object3D(parent="world"), sensor=ContactSensor("lamp"))
    with pytest.raises(ModelError, match=r"sensor: 'lamp' has no Solid that collides") as caught:
        instantiate(model, "Lamp")
    assert "collision=True" in str(caught.value)


@pytest.mark.parametrize("by", ["scene", "pair"])
def test_forces_of_rigid_contacts_are_refused_but_not_their_number(by):
    pairs = {"stone, stone": replace(PAIRS["stone, stone"], response="rigid")}
    fields = {"contact_response": "rigid"} if by == "scene" else {"contact_pairs": pairs}
    parts = {"world": scene(**fields), "floor": floor(), "cube": cube(0.06)}
    with pytest.raises(ModelError, match=r"sensor: the force of a contact is not known"):
        instantiate(Model3D(**parts, sensor=ContactSensor("cube")), "Rigid")
    result = instantiate(Model3D(**parts, sensor=ContactSensor("cube", quantities="contacts")), "Rigid").simulate(0.5)
    assert result["sensor.contacts"][-1] == 1.0
    assert result["sensor.contacts"][0] == 0.0


def test_without_detection_nothing_touches():
    model = Model3D(world=scene(enable_contact_detection=False), floor=floor(), cube=cube(0.06), sensor=ContactSensor("cube"))
    result = instantiate(model, "Off").simulate(0.2)
    assert not result["sensor.normal_force"].any()
    assert not result["sensor.contacts"].any()
