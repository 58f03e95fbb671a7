"""Pairs of materials in contact: the palette of the program, and those of the user."""

import pytest

from modia3d import ContactPair, contact_pair, read_contact_pairs, read_palette
from modia3d.scene.contact_pairs import BUILT_IN
from modia3d.scene.solid_materials import SOLID_MATERIALS
from modiapy import ModelError

pytestmark = pytest.mark.white_box

MINE = """\
[contact.Foam.Steel]
restitution = 0.1
sliding_friction = 0.6
source = "measured"

[contact.Steel.Steel]
restitution = 0.9
sliding_friction = 0.1
static_friction = 0.2
"""


def test_the_order_of_the_names_does_not_matter():
    assert contact_pair("Steel", "DryWood") == contact_pair("DryWood", "Steel")
    assert contact_pair("Steel", "Steel").restitution == 0.7


def test_every_pair_is_of_known_materials_with_elastic_constants_and_has_a_source():
    pairs = read_contact_pairs(BUILT_IN / "contact_pairs.toml")
    assert len(pairs) >= 15
    for names, pair in pairs.items():
        assert pair.source, names
        assert pair.static_friction >= pair.sliding_friction, names
        assert pair.rolling_resistance < 0.1, names
        for name in names:
            assert 1e6 < SOLID_MATERIALS[name].youngs_modulus < 1e12, name
            assert 0.0 < SOLID_MATERIALS[name].poisson_ratio <= 0.5, name


def test_pairs_of_the_user_come_first(tmp_path):
    (tmp_path / "mine.toml").write_text(MINE + "[solid.Foam]\ndensity = 30.0\n")
    mine = read_contact_pairs(tmp_path / "mine.toml")
    assert contact_pair("Steel", "Foam", mine) == ContactPair(0.1, 0.6, 0.6, source="measured")
    assert contact_pair("Steel", "Steel", mine).restitution == 0.9
    assert contact_pair("Glass", "Glass", mine) == contact_pair("Glass", "Glass")
    assert set(read_palette(tmp_path / "mine.toml")) == {"Foam"}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("Stell", "Steel"), ["'Stell' and 'Steel'", "Did you mean 'Steel and Steel'?"]),
        (("Copper", "Glass"), ["unknown pair of materials", "Copper and Steel"]),
        (("Copper", 3), ["contact_pair", "a text"]),
    ],
)
def test_an_unknown_pair_is_named(names, words):
    with pytest.raises(ModelError) as caught:
        contact_pair(*names)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[contact.A]\nB = 3", ["'contact.A.B', which is no table"]),
        ("[contact]\nA = 3", ["'contact.A', which is no table"]),
        ("[contact.A.B]\nrestitution = 2.0\nsliding_friction = 0.1", ["mine.toml", "contact.A.B", "restitution", "0 to 1"]),
        ("[contact.A.B]\nrestitution = 0.5", ["contact.A.B", "sliding_friction"]),
        ("[contact.A.B]\nrestitution = 0.5\nsliding_friction = -1", ["contact.A.B", "at least 0"]),
        (MINE + "[contact.Steel.Foam]\nrestitution = 0.1\nsliding_friction = 0.6", ["second pair of Steel and Foam"]),
    ],
)
def test_a_wrong_palette_is_named(tmp_path, text, words):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(ModelError) as caught:
        read_contact_pairs(tmp_path / "mine.toml")
    for word in words:
        assert word in str(caught.value)
