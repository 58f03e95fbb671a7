"""Arrays of submodels and loops in scenarios: a chain of links is that of links that are written one by one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario, write_scenario
from modiapy import ModiaError
from modiapy.symbolic.flattening.evaluate import evaluate

pytestmark = pytest.mark.white_box

HEAD = """\
modia3d: 1
definitions:
  Link:
    Model:
      length: 0.3
      body: {Object3D: {feature: {Solid: {shape: {Box: [length, 0.05, 0.05]}, solid_material: Aluminium}}}}
      start: {Object3D: {parent: body, translation: ["-length/2", 0, 0]}}
      end: {Object3D: {parent: body, translation: ["length/2", 0, 0]}}
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  wall: {rotational.Fixed: {}}
"""
CHAIN = """\
  n: 3
  links: {Array: [n, {Link: {length: 0.3 + 0.1*i}}]}
  first: {RevoluteWithFlange: {obj1: world, obj2: "links[0].start", axis: y}}
  hinges: {Array: [n - 1, {RevoluteWithFlange: {obj1: "links[i].end", obj2: "links[i+1].start", axis: y}}]}
  dampers: {Array: {count: n - 1, index: k, element: {rotational.Damper: {d: 0.2 + 0.1*k}}}}
  connect:
    - For: {index: i, count: n - 1, equations: [["hinges[i].flange", "dampers[i].flange_a"]]}
  equations:
    - For: {index: k, count: n - 1, equations: ["connect(wall.flange, dampers[k].flange_b)"]}
simulation: {stop_time: 0.5}
"""
WRITTEN = """\
  a: {Link: {length: 0.3}}
  b: {Link: {length: 0.4}}
  c: {Link: {length: 0.5}}
  first: {RevoluteWithFlange: {obj1: world, obj2: a.start, axis: y}}
  ab: {RevoluteWithFlange: {obj1: a.end, obj2: b.start, axis: y}}
  bc: {RevoluteWithFlange: {obj1: b.end, obj2: c.start, axis: y}}
  one: {rotational.Damper: {d: 0.2}}
  two: {rotational.Damper: {d: 0.3}}
  connect:
    - [ab.flange, one.flange_a]
    - [bc.flange, two.flange_a]
    - [wall.flange, one.flange_b, two.flange_b]
simulation: {stop_time: 0.5}
"""


def scenario(folder: Path, text: str, *overrides: str):  # type: ignore[no-untyped-def]
    file = folder / "chain.yaml"
    file.write_text(HEAD + text)
    return read_scenario(file, overrides=overrides)


def test_a_chain_moves_as_one_that_is_written_out(tmp_path: Path) -> None:
    chain = scenario(tmp_path, CHAIN)
    found = chain.instantiate().simulate(0.5, interval=0.1)
    expected = scenario(tmp_path, WRITTEN).instantiate().simulate(0.5, interval=0.1)
    for element, name in (("hinges[0]", "ab"), ("hinges[1]", "bc")):
        np.testing.assert_allclose(found[f"{element}.phi"], expected[f"{name}.phi"], rtol=1e-7)
    np.testing.assert_allclose(found["links[2].end.r_abs"], expected["c.end.r_abs"], rtol=1e-7)
    again = read_scenario(write_scenario(chain.model, tmp_path / "written.yaml"))
    assert again.model == chain.model


def test_the_command_line_changes_number_and_elements(tmp_path: Path) -> None:
    tree = evaluate(scenario(tmp_path, CHAIN, "n=5", "links[1].length=50 cm", "dampers.d=1").model).tree
    lengths = {name: child.values["length"] for name, child in tree.children.items() if name.startswith("links")}
    assert lengths == pytest.approx({"links[0]": 0.3, "links[1]": 0.5, "links[2]": 0.5, "links[3]": 0.6, "links[4]": 0.7})
    assert [tree.children[f"dampers[{k}]"].values["d"] for k in range(4)] == [1.0] * 4


def test_a_definition_with_an_array_is_modified(tmp_path: Path) -> None:
    row = "  Row: {Model: {m: 2, links: {Array: [m, {Link: {length: 1 + i}}]}}}\nmodel:\n"
    rows = '  row: {Row: {m: 3, links: {length: 2 + i}, "links[2]": {length: 9 cm}}}\nsimulation: {stop_time: 0}\n'
    file = tmp_path / "rows.yaml"
    file.write_text((HEAD + rows).replace("model:\n", row, 1))
    found = read_scenario(file).model["row"]["links"].elements(3, "row.links")
    assert [str(found[k]["length"]) for k in (0, 1)] == ["2 + 0", "2 + 1"]
    assert found[2]["length"] == 0.09


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("length: 0.3 + 0.1*i", "lenght: 1", r"chain.yaml:13:\d+: links: unknown key 'lenght' in Link.*'length'"),
        ("length: 0.3 + 0.1*i", "length: 1 + q", r"chain.yaml:13:\d+: links\[0\].length: unknown name 'q'"),
        ('"links[i+1].start"', '"links[i+2].start"', r"chain.yaml:15:\d+: hinges\[1\].*links\[3\].start"),
        ("[n, {Link", "[n + 0.5, {Link", r"chain.yaml:13:\d+: links: the number in .*is not known"),
        (
            "[n, {Link: {length: 0.3 + 0.1*i}}]",
            "[n, 3]",
            r"chain.yaml:13:\d+: links: the element of the Array is neither a submodel",
        ),
        ("dampers[i].flange_a", "dampers[i].flange_x", r"dampers\[0\].flange_x"),
    ],
)
def test_mistakes_have_places(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in CHAIN
    with pytest.raises(ModiaError) as caught:
        scenario(tmp_path, CHAIN.replace(old, new)).instantiate()
    assert re.search(words, str(caught.value)), caught.value
