"""What is wrong with a pair of materials is told by its names, the field, the nearest one, and the line in a scenario."""

import pytest

from modia3d import ContactPair, Model3D, Object3D, Plane, Scene, Solid, Sphere, read_contact_pairs
from modia3d.cli.main import main
from modia3d.scene.contact_pairs import pairs_of
from modiapy import ModelError, instantiate

pytestmark = pytest.mark.white_box

SCENARIO = """\
modia3d: 1
model:
  world:
    Object3D:
      feature:
        Scene:
          contact_pairs:
            Steel, Steel: {}
simulation: {{stop_time: 0.1}}
"""

WRONG = [
    ({"restitutoin": 0.1, "sliding_friction": 0.2}, ["unknown field 'restitutoin'", "Did you mean 'restitution'?"]),
    ({"restitution": 0.1}, ["not complete", "no sliding_friction"]),
    ({"source": "guessed"}, ["not complete", "no restitution and no sliding_friction"]),
    (0.3, ["not a pair of materials", "0.3", "a ContactPair"]),
]


@pytest.mark.parametrize(("values", "words"), WRONG)
def test_a_wrong_pair_is_told_by_its_field(values, words):
    with pytest.raises(ModelError) as caught:
        pairs_of({"Steel, Foam": values})
    for word in ["contact_pairs['Foam, Steel']", *words]:
        assert word in str(caught.value)


def test_in_a_scenario_it_is_told_with_the_line(tmp_path, capsys):
    file = tmp_path / "scene.yaml"
    file.write_text(SCENARIO.format("{restitutoin: 0.1, sliding_friction: 0.2}"))
    assert main(["check", str(file)]) == 2
    told = capsys.readouterr().err
    assert "scene.yaml:7:11: world.feature.contact_pairs['Steel, Steel']: unknown field 'restitutoin'" in told
    assert "Did you mean 'restitution'?" in told


def test_in_a_palette_it_is_told_with_the_table(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[contact.Foam.Steel]\nrestitution = 0.1\nslidng_friction = 0.2\n")
    with pytest.raises(ModelError, match=r"mine\.toml.*contact\.Foam\.Steel.*Did you mean 'sliding_friction'"):
        read_contact_pairs(file)


@pytest.mark.parametrize(("key", "warned"), [("Steel, Stel", True), ("Steel, Foam", False), ("Steel, Steel", False)])
def test_a_material_that_no_solid_has_but_nearly_is_warned_of(key, warned, recwarn):
    """What is merely not there may be a part of other scenes."""
    world = Object3D(feature=Scene(contact_pairs={key: ContactPair(0.3, 0.4)}))
    floor = Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Steel", collision=True))
    ball = Object3D(parent="world", fixed_to_parent=False, feature=Solid(Sphere(0.1), "Steel", collision=True))
    instantiate(Model3D(world=world, floor=floor, ball=ball))
    told = [str(w.message) for w in recwarn if "contact_pairs" in str(w.message)]
    assert bool(told) == warned
    if warned:
        assert "world: contact_pairs of Scene names the material 'Stel'" in told[0]
        assert "Did you mean 'Steel'?" in told[0]
