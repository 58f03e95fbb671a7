"""Materials: the palettes that come with the program, and those of the user."""

import pytest

from modia3d import Box, MassPropertiesFromShape, Solid, SolidMaterial, Visual, VisualMaterial, read_palette
from modia3d.files import read_scenario
from modia3d.scene.solid_materials import SOLID_MATERIALS
from modia3d.scene.visual import VISUAL_MATERIALS
from modiapy import ModiaError
from modiapy.symbolic.flattening.evaluate import evaluate
from tests.modia3d.scenes import made

pytestmark = pytest.mark.white_box

PALETTE = """\
[solid.Foam]
density = 30.0
source = "data sheet"

[visual.Glow]
color = "Gold"
transparency = 0.25
"""


def test_every_solid_material_has_a_plausible_density_and_a_source():
    assert len(SOLID_MATERIALS) >= 15
    for name, material in SOLID_MATERIALS.items():
        assert 10.0 < material.density < 23000.0, name
        assert material.source, name


@pytest.mark.parametrize(
    ("name", "density"),
    [("Steel", 8000), ("Aluminium", 2700), ("DryWood", 700), ("BilliardBall", 1768), ("BilliardTable", 700)],
)
def test_materials_with_the_figures_of_modia3d(name, density):
    assert made(Solid(Box(1, 1, 1), f"Modia3D.{name}")).inertia().mass == density


def test_a_material_of_modia3d_in_a_scenario(tmp_path):
    (tmp_path / "scene.yaml").write_text(
        "modia3d: 1\nmodel:\n  world: {Object3D: {feature: {Scene: {}}}}\n  body:\n    Object3D:\n"
        "      feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]}, solid_material: Modia3D.Steel}}\nsimulation: {stop_time: 0.1}\n"
    )
    model = read_scenario(tmp_path / "scene.yaml").model
    assert evaluate(model).objects["body"].feature.inertia().mass == pytest.approx(8.0)


@pytest.mark.parametrize("name", VISUAL_MATERIALS)
def test_a_visual_material_has_a_name(name):
    assert made(Visual(Box(), name)).visual_material == name


def test_a_material_may_be_given_instead_of_named():
    own = SolidMaterial(density=123.0, source="weighed")
    assert made(Solid(shape=Box(1, 1, 1), solid_material=own)).inertia().mass == 123.0
    assert made(Solid(Box(1, 1, 2), own, MassPropertiesFromShape())).inertia().mass == 246.0


def test_a_palette_of_the_user(tmp_path):
    (tmp_path / "mine.toml").write_text(PALETTE)
    mine = read_palette(tmp_path / "mine.toml")
    solid = made(Solid(shape=Box(1, 1, 1), solid_material=mine["Foam"], visual_material=mine["Glow"]))
    assert solid.inertia().mass == 30.0
    assert solid.visual_material == made(VisualMaterial("Gold", 0.25))


def test_a_palette_in_a_scenario(tmp_path):
    (tmp_path / "mine.toml").write_text(PALETTE)
    (tmp_path / "scene.yaml").write_text(
        "modia3d: 1\npalettes: [mine.toml]\nmodel:\n  world: {Object3D: {feature: {Scene: {}}}}\n  body:\n    Object3D:\n"
        "      fixed_to_parent: false\n      feature: {Solid: {shape: {Box: [1, 1, 1]}, solid_material: {Foam: {}},"
        " visual_material: {Glow: {transparency: 0.75}}}}\nsimulation: {stop_time: 0.1}\n"
    )
    sim = read_scenario(tmp_path / "scene.yaml").instantiate()
    result = sim.simulate(0.1)
    speed2 = (result["body.v_abs"][-1] ** 2).sum()
    assert result["mechanics.kinetic_energy"][-1] == pytest.approx(0.5 * 30.0 * speed2)
    ((_, component),) = sim.flat.components.items()
    ((_, _, material),) = component.visuals()
    assert (material.color, material.transparency) == ("Gold", 0.75)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (lambda: SolidMaterial(density=-1.0), ["density of SolidMaterial", "greater than 0"]),
        (lambda: Solid(shape=Box(), solid_material=SolidMaterial(density=0)), ["density of SolidMaterial", "greater than 0"]),
        (lambda: Solid(shape=Box(), solid_material=7.0), ["solid_material of Solid", "7.0"]),
        (
            lambda: Visual(Box(), "RedTransparant"),
            ["unknown visual material 'RedTransparant'", "Did you mean 'RedTransparent'?"],
        ),
        (lambda: Visual(Box(), 3.0), ["visual_material of Visual", "VisualMaterial"]),
        (lambda: Solid(shape=Box(), visual_material="Stell"), ["unknown visual material 'Stell'"]),
    ],
)
def test_a_wrong_material_is_named(entry, words):
    with pytest.raises(ModiaError) as caught:
        made(entry())
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, ["cannot be read"]),
        ("[solid.Foam", ["is not TOML"]),
        ("[solids.Foam]\ndensity = 1.0", ["'solids'", "Did you mean 'solid'?"]),
        ("[solid]\nFoam = 30.0", ["'solid.Foam'", "no table"]),
        ("solid = 3", ["'solid'", "no table"]),
        ("[solid.Foam]\ndensity = -1.0", ["mine.toml", "solid.Foam", "density", "greater than 0"]),
        ("[solid.Foam]\nweight = 1.0", ["solid.Foam", "weight"]),
        ("[visual.Glow]\ncolor = 'Golden'", ["visual.Glow", "unknown color 'Golden'"]),
        ("[solid.A]\ndensity = 1.0\n[visual.A]\ncolor = 'Red'", ["'A'", "two names"]),
    ],
)
def test_a_wrong_palette_is_named(tmp_path, text, words):
    if text is not None:
        (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ModiaError) as caught:
        read_palette(tmp_path / "mine.toml")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("palettes", "words"),
    [
        ("mine.toml", ["scene.yaml:2", "'palettes' is wrong", "a list of files"]),
        ("[none.toml]", ["scene.yaml:2", "no file"]),
        ("[../mine.toml]", ["scene.yaml:2", "outside of the permitted folders"]),
        ("[mine.toml, mine.toml]", ["scene.yaml:2", "defines 'Foam', which exists"]),
    ],
)
def test_a_wrong_list_of_palettes_is_named(tmp_path, palettes, words):
    folder = tmp_path / "scene"
    folder.mkdir()
    for place in (folder, tmp_path):
        (place / "mine.toml").write_text(PALETTE)
    (folder / "scene.yaml").write_text(f"modia3d: 1\npalettes: {palettes}\nmodel: {{}}\nsimulation: {{stop_time: 1}}\n")
    with pytest.raises(ModiaError) as caught:
        read_scenario(folder / "scene.yaml")
    for word in words:
        assert word in str(caught.value)
