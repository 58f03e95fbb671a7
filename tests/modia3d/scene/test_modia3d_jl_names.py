"""What users of Modia3D.jl write by habit is refused with what to write here; colours and materials by name."""

import pytest

import modia3d
from modia3d import (
    ActionAttach,
    ActionRelease,
    Beam,
    Box,
    Bushing,
    FreeMotion,
    GearWheel,
    Grid,
    Mesh,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    SolidMaterial,
    SpringDamperPtP,
    Text,
    Visual,
    VisualMaterial,
    WorldForce,
    WorldTorque,
)
from modia3d.files import read_scenario
from modia3d.scene.colors import COLORS, rgb_of
from modia3d.scene.modia3d_jl_names import ARGUMENTS, NAMES
from modiapy import Map, Model, ModelError, ModiaError, Var, instantiate
from modiapy.library.rotational import Damper

pytestmark = pytest.mark.white_box


@pytest.mark.parametrize(
    ("written", "arguments", "remedy"),
    [
        (Box, {"lengthX": 1.0}, "Did you mean 'length_x'?"),
        (Solid, {"solidMaterial": "Steel"}, "Did you mean 'solid_material'?"),
        (Object3D, {"assemblyRoot": True}, "Did you mean 'assembly_root'?"),
        (Object3D, {"angularVelocityResolvedInParent": True}, "always resolved in the parent"),
        (Scene, {"gravityField": 0}, r"Write gravity=UniformGravity\(g, n\)"),
        (Scene, {"enableContactDetection": False}, "Did you mean 'enable_contact_detection'?"),
        (Solid, {"contactSphereRadius": 0.1}, "Did you mean 'contact_sphere_radius'?"),
        (Solid, {"collisionSmoothingRadius": 0.001}, "Write smoothing_radius="),
        (Scene, {"animationFile": "a.json"}, "modia3d run --html"),
        (VisualMaterial, {"shininess": 0.2}, "roughness"),
        (Mesh, {"filename": "a.obj"}, "Write file="),
        (Grid, {"lineWidth": 1.0}, "leave it out"),
        (GearWheel, {"angle": 0.2}, "teeth are straight"),
        (Text, {"alignment": 1}, "move the Object3D"),
        (FreeMotion, {"r": (0, 0, 0)}, "Write translation="),
        (FreeMotion, {"w": (0, 0, 0)}, "turn it by R_12"),
        (Revolute, {"canCollide": False}, "Did you mean 'can_collide'?"),
        (RevoluteWithFlange, {"canCollide": False}, "Did you mean 'can_collide'?"),
        (PrismaticWithFlange, {"lockabel": True}, "Did you mean 'lockable'?"),
        (Bushing, {"rotSpringForceLaw": 1.0}, "Write rotational_stiffness="),
        (SpringDamperPtP, {"damperForceLaw": 1.0}, "Write damping="),
        (WorldForce, {"objectApply": "box"}, "Write obj="),
        (WorldTorque, {"torqueFunction": 0}, r"Write torque=\(Mx, My, Mz\)"),
        (ModelActions, {"world": "world"}, "leave it out"),
        (ActionAttach, {"waitingPeriod": 0.1}, r"ActionWait\(actions, seconds\) after it"),
        (ActionRelease, {"frme": "a"}, "Did you mean 'frame'?"),
        (Var, {"hideResult": True}, "leave it out"),
    ],
)
def test_arguments_of_modia3d(written, arguments, remedy):
    with pytest.raises(ModelError, match=f"{next(iter(arguments))}'.*{remedy}"):
        written(**arguments)


def test_a_merged_field_has_the_same_remedy_and_the_name_that_the_user_knows():
    with pytest.raises(ModelError, match=r"box\.feture: Object3D has no field 'feture'.*Did you mean 'feature'"):
        Model(box=Object3D()) | Map(box=Map(feture=None, translation=(1, 0, 0)))
    with pytest.raises(ModelError, match=r"Scene has no field 'nominalLength'.*leave it out"):
        Scene() | Map(nominalLength=1.0)


def test_every_remedy_is_for_an_argument_that_is_not_there():
    for owner, arguments in ARGUMENTS.items():
        for name in arguments:
            with pytest.raises(ModelError, match=f"has no (field|argument) '{name}'"):
                getattr(modia3d, owner)(**{name: 1})


@pytest.mark.parametrize("name", NAMES)
def test_names_of_modia3d(name):
    with pytest.raises(ImportError, match=rf"modia3d has no '{name}'\. \w"):
        exec(f"from modia3d import {name}")
    assert name not in modia3d.__all__


@pytest.mark.parametrize(
    "joint",
    [
        lambda: Revolute("world", "box", axis=3),
        lambda: Prismatic("world", "box", 3),
        lambda: RevoluteWithFlange("world", "box", 3),
    ],
)
def test_axes_by_number(joint):
    with pytest.raises(ModelError, match=r"axis of \w+ is wrong; found 3; expected 'x', 'y' or 'z'\. .*write 'z'"):
        instantiate(Model3D(world=Object3D(feature=Scene()), box=Object3D(feature=Solid(Box(), "Steel")), joint=joint()))
    with pytest.raises(ModelError, match=r"axis of Beam is wrong; found 1.*write 'x'"):
        instantiate(Model3D(world=Object3D(feature=Scene()), bar=Object3D(feature=Solid(Beam(1.0, 0.1, 0.1, 1), "Steel"))))


def test_a_program_is_not_called_in_equations():
    box = Object3D(parent="world", fixed_to_parent=False, feature=Solid(Box(), "Steel"))
    with pytest.raises(ModelError, match=r"'acts' in .*A program is not called; .*'<program>\.<name>\.position'"):
        instantiate(
            Model3D(
                world=Object3D(feature=Scene()),
                box=box,
                acts=ModelActions([]),
                current=Var(),
                equations=["current = executeActions(acts)"],
            )
        )


def test_a_function_of_a_vector_is_refused():
    force = WorldForce("box", lambda t: (t, 0.0, 0.0))
    box = Object3D(parent="world", fixed_to_parent=False, feature=Solid(Box(), "Steel"))
    with pytest.raises(ModelError, match=r"force: force of WorldForce.*A function gives one component: \(f_x, f_y, f_z\)"):
        instantiate(Model3D(world=Object3D(feature=Scene()), box=box, force=force))


def test_colours_are_those_of_css():
    assert rgb_of("DodgerBlue") == pytest.approx((30 / 255, 144 / 255, 1.0))
    assert rgb_of("sienna") == rgb_of("Sienna") == rgb_of("#a0522d") == COLORS["Sienna"]
    assert rgb_of("gray") == rgb_of("Grey")
    assert len(COLORS) == 148
    with pytest.raises(ModelError, match=r"unknown color 'DodgerBlue3'.*Did you mean 'DodgerBlue'\?"):
        rgb_of("DodgerBlue3")


def test_materials_may_be_parameters_of_the_model():
    """The model's own name comes before that of the palette, and can be changed by a merge."""
    part = Model(
        Steel=SolidMaterial(density=1000.0),
        look=VisualMaterial(color="Blue"),
        body=Object3D(fixed_to_parent=False, feature=Solid(Box(1.0, 1.0, 1.0), "Steel", visual_material="look")),
        mark=Object3D(parent="body", feature=Visual(Box(1.0, 1.0, 1.0), "look")),
    )
    model = Model3D(world=Object3D(feature=Scene()), one=part, two=part | Map(Steel=SolidMaterial(density=3000.0)))
    result = instantiate(model).simulate(0.5)
    # momentum after t of free fall: total mass times g t
    assert result["mechanics.momentum"][-1] == pytest.approx([0.0, -4000.0 * 9.81 * 0.5, 0.0], rel=1e-6)


@pytest.mark.parametrize("joint", [Revolute, RevoluteWithFlange])
@pytest.mark.parametrize("given", [0.3, Var(init=0.3), Var(start=0.3), "3*tenth", Var(init="3*tenth")])
def test_initial_values_are_numbers_or_attributes_in_all_joints(joint, given):
    """With a flange, and without one."""
    box = Object3D(feature=Solid(Box(), "Steel"))
    model = Model3D(world=Object3D(feature=Scene()), box=box, rev=joint("world", "box", phi=given), tenth=0.1)
    assert instantiate(model).simulate(0.01)["rev.phi"][0] == pytest.approx(0.3)
    changed = instantiate(model | Map(rev=Map(phi=Var(init=0.5)))).simulate(0.01)
    assert changed["rev.phi"][0] == pytest.approx(0.5)


def test_a_variable_cannot_stand_for_a_value():
    box = Object3D(
        fixed_to_parent=False, translation=Var(init=(1, 2, 3)), velocity=Var(unit="m/s"), feature=Solid(Box(), "Steel")
    )
    with pytest.raises(ModelError, match=r"box\.velocity: a Var cannot stand here; .*expected a value, or Var\(init=value\)"):
        instantiate(Model3D(world=Object3D(feature=Scene()), box=box))


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"stopTime": 1.0}, "Did you mean 'stop_time'"),
        ({"requiredFinalStates": [0.0]}, r"Compare result\['name'\]"),
        ({"dtmax": 0.1}, "interval="),
    ],
)
def test_arguments_of_simulate(arguments, remedy):
    box = Object3D(fixed_to_parent=False, feature=Solid(Box(), "Steel"))
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), box=box))
    with pytest.raises(ModelError, match=f"simulate has no argument '{next(iter(arguments))}'.*{remedy}"):
        sim.simulate(**arguments)
    with pytest.raises(ModelError, match=r"instantiate has no argument 'unitless'; .*check_units=True"):
        instantiate(Model(), unitless=True)


def test_a_joint_without_flange_has_no_connector():
    parts = {"world": Object3D(feature=Scene()), "box": Object3D(feature=Solid(Box(), "Steel")), "damper": Damper}
    for joint, other in ((Revolute, "RevoluteWithFlange"), (Prismatic, "PrismaticWithFlange")):
        with pytest.raises(ModelError, match=rf"'rev\.flange' in connect.* leads nowhere.*{other} has the connector flange"):
            instantiate(Model3D(**parts, rev=joint("world", "box"), connect=[("rev.flange", "damper.flange_a")]))


def test_names_of_modia3d_in_a_scenario(tmp_path):
    file = tmp_path / "scene.yaml"
    gravity = "{UniformGravityField: {g: 1}}"
    world = f"  world: {{Object3D: {{feature: {{Scene: {{gravity: {gravity}}}}}}}}}\n"
    file.write_text(f"modia3d: 1\nmodel:\n{world}simulation: {{stop_time: 1}}\n")
    with pytest.raises(
        ModiaError,
        match=r"scene\.yaml:3:49: world\.feature\.gravity: 'UniformGravityField' is not known.*Use UniformGravity\(g, n\)",
    ):
        read_scenario(file)
