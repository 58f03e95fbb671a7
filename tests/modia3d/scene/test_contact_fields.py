"""What users write about contact: fields of scenes, solids and pairs, in Python and YAML."""

from pathlib import Path

import pytest

from modia3d import Box, ContactPair, Model3D, Object3D, Scene, Solid, SolidMaterial, Sphere, read_contact_pairs, read_palette
from modia3d.files import read_scenario, write_scenario
from modia3d.scene.scene_feature import SceneFeature
from modia3d.scene.shapes import BoxShape
from modia3d.scene.solid import SolidFeature
from modiapy import Map, ModelError, ModiaError, instantiate

pytestmark = pytest.mark.white_box

FOAM = ContactPair(0.1, 0.6, response="rigid", slow_velocity=0.02)
PALETTE = "[contact.Foam.Steel]\nrestitution = 0.1\nsliding_friction = 0.6\nresponse = 'rigid'\nslow_velocity = 0.02\n"


def test_contact_has_the_values_of_modia3d_unless_the_user_says_otherwise():
    scene, pair = SceneFeature(), ContactPair(0.5, 0.3)
    assert (scene.enable_contact_detection, scene.contact_response, scene.contact_damping) == (True, "elastic", "exact")
    assert (scene.elastic_contact_reduction_factor, scene.maximum_contact_damping) == (1.0, 2000.0)
    assert (pair.slow_velocity, pair.slow_angular_velocity, pair.response) == (0.01, 0.01, "")


@pytest.mark.parametrize("key", ["Steel, Foam", "Foam,Steel", ("Foam", "Steel"), frozenset(("Steel", "Foam"))])
def test_pairs_are_named_in_any_order_and_way(key):
    names = frozenset(("Foam", "Steel"))
    fields = {"restitution": 0.1, "sliding_friction": 0.6, "response": "rigid", "slow_velocity": 0.02}
    assert SceneFeature(contact_pairs={key: FOAM}).pairs == {names: FOAM} == SceneFeature(contact_pairs={key: fields}).pairs


def test_a_palette_gives_what_a_mapping_gives(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(PALETTE + "[solid.Foam]\ndensity = 30.0\n")
    assert SceneFeature(contact_pairs=str(file)).pairs == SceneFeature(contact_pairs=read_contact_pairs(file)).pairs
    assert SceneFeature(contact_pairs=str(file)).pairs == {frozenset(("Foam", "Steel")): FOAM}
    assert read_palette(file)["Foam"] == SolidMaterial(density=30.0, name="Foam")


def test_a_solid_touches_with_its_contact_material_or_else_with_its_own():
    assert SolidFeature(BoxShape(), "Steel", collision=True).surface_material.name == "Steel"
    assert SolidFeature(BoxShape(), "Steel", collision=True, contact_material="DryWood").surface_material.name == "DryWood"
    ghost = SolidFeature(BoxShape(), collision=True, contact_material="DryWood")
    assert (ghost.inertia(), ghost.surface_material.name) == (None, "DryWood")


SCENES = [
    ({"contact_response": "hard"}, ["contact_response of Scene", "'elastic' or 'rigid'"]),
    ({"contact_damping": "flore"}, ["contact_damping of Scene", "Did you mean 'flores'"]),
    ({"elastic_contact_reduction_factor": 0.0}, ["elastic_contact_reduction_factor of Scene", "greater than 0"]),
    ({"maximum_contact_damping": -1.0}, ["maximum_contact_damping of Scene", "greater than 0"]),
    ({"enable_contact_detection": "no"}, ["enable_contact_detection of Scene", "True or False"]),
    ({"no_contact": ["hand", "ball"]}, ["no_contact of Scene", "'hand'", "pairs of names"]),
    ({"no_contact": [("hand", "ball", "arm")]}, ["no_contact of Scene", "pairs of names"]),
    ({"no_contact": "hand"}, ["no_contact of Scene", "pairs of names"]),
    ({"contact_pairs": 3}, ["contact_pairs of Scene", "a palette"]),
    ({"contact_pairs": "none.toml"}, ["contact_pairs of Scene", "none.toml", "an existing file"]),
    ({"contact_pairs": {"Steel": FOAM}}, ["contact_pairs of Scene", "the key 'Steel'", "two materials"]),
    ({"contact_pairs": {"Steel, Foam": FOAM, ("Foam", "Steel"): FOAM}}, ["a second pair Foam, Steel"]),
    ({"contact_pairs": {"Steel, Foam": {"restitution": 0.1}}}, ["'Foam, Steel'", "sliding_friction"]),
    ({"contact_pairs": {"A, B": {"restitution": 2, "sliding_friction": 0}}}, ["contact_pairs['A, B']", "from 0 to 1"]),
]


@pytest.mark.parametrize(("fields", "words"), SCENES)
def test_a_wrong_scene_is_refused_where_it_is_made(fields, words):
    with pytest.raises(ModelError) as caught:
        SceneFeature(**fields)
    for word in words:
        assert word in str(caught.value)


def test_a_wrong_field_is_named_by_the_call_and_in_a_model_by_its_path():
    with pytest.raises(ModelError, match=r"^contact_response of Scene"):
        Scene(contact_response="hard")
    with pytest.raises(ModelError, match=r"world\.feature: contact_response of Scene"):
        instantiate(Model3D(world=Object3D(feature=Scene()) | Map(feature=Map(contact_response="hard"))))


SOLIDS = [
    ({"collision": True}, ["collision of Solid", "without a material", "contact_material="]),
    ({"contact_material": "Stel"}, ["unknown solid material 'Stel'", "Did you mean 'Steel'"]),
    ({"contact_sphere_radius": 0.0}, ["contact_sphere_radius of Solid", "greater than 0"]),
    ({"smoothing_radius": -1e-3}, ["smoothing_radius of Solid", "at least 0"]),
    ({"contact_group": 3}, ["contact_group of Solid", "a name"]),
]


@pytest.mark.parametrize(("fields", "words"), SOLIDS)
def test_a_wrong_solid_is_refused_where_it_is_made(fields, words):
    with pytest.raises(ModelError) as caught:
        SolidFeature(BoxShape(), **fields)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "word"),
    [({"response": "soft"}, "'elastic' or 'rigid'"), ({"slow_velocity": 0.0}, "greater than 0"),
     ({"slow_angular_velocity": -1.0}, "greater than 0")],
)  # fmt: skip
def test_a_wrong_pair_is_refused_where_it_is_made(fields, word):
    with pytest.raises(ModelError, match=f"{next(iter(fields))} of ContactPair.*{word}"):
        ContactPair(0.5, 0.3, **fields)


SCENARIO = """\
modia3d: 1
model:
  world:
    Object3D:
      feature:
        Scene:
          contact_response: rigid
          no_contact: [[hand, ball]]
          contact_pairs: {pairs}
  hand:
    Object3D:
      feature: {{Solid: {{shape: {{Sphere: 0.1}}, collision: true, solid_material: Steel}}}}
      parent: world
      translation: [1, 0, 0]
  ball:
    Object3D:
      parent: world
      feature: {{Solid: {{shape: {{Sphere: 0.1}}, collision: true, contact_material: Steel, contact_group: ball}}}}
simulation: {{stop_time: 0.1}}
"""


def scenario(folder: Path, pairs: str, **arguments):
    file = folder / "scene.yaml"
    file.write_text(SCENARIO.format(pairs=pairs))
    return instantiate(read_scenario(file, **arguments).model)


def test_a_scenario_has_pairs_of_its_own(tmp_path):
    (tmp_path / "mine.toml").write_text(PALETTE)
    written = "{'Steel, Foam': {restitution: 0.1, sliding_friction: 0.6, response: rigid, slow_velocity: 0.02}}"
    for pairs in ("mine.toml", written):
        feature = scenario(tmp_path, pairs).flat.objects["world"].feature
        assert feature.pairs == {frozenset(("Foam", "Steel")): FOAM}
        assert (feature.contact_response, feature.no_contact) == ("rigid", (("hand", "ball"),))


def test_a_scenario_reads_palettes_of_permitted_folders_only(tmp_path):
    (tmp_path / "mine.toml").write_text(PALETTE)
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(ModelError, match="outside of the permitted folders"):
        scenario(inner, "../mine.toml")
    scenario(inner, "../mine.toml", permitted=[tmp_path])
    with pytest.raises(ModiaError, match="unknown key 'folders' in Scene"):
        scenario(inner, "../mine.toml\n          folders: ['/']")


def test_pairs_are_written_and_read_again(tmp_path):
    ball = Object3D(parent="world", feature=Solid(Sphere(0.1), collision=True, contact_material="Steel"))
    given = {("Steel", "Foam"): FOAM, frozenset(("Foam",)): ContactPair(0.2, 0.3)}
    model = Model3D(world=Object3D(feature=Scene(contact_pairs=given)), ball=ball)
    again = read_scenario(write_scenario(model, tmp_path / "scene.yaml")).model
    assert (
        SceneFeature(contact_pairs=again["world"]["feature"]["contact_pairs"]).pairs == SceneFeature(contact_pairs=given).pairs
    )
    assert Solid(Box(), "Steel", collision=True) == Solid(Box(), solid_material="Steel", collision=True)
