"""Scenarios of equations alone: without objects there is no world, and everything else is as with one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.main import main
from modia3d.files import read_scenario, write_scenario
from modiapy import Map, Model, connection_trees
from modiapy.library.electric import Capacitor, ConstantVoltage, Ground, Resistor

pytestmark = pytest.mark.white_box

RING = """modia3d: 1
definitions:
  Direction:
    Model:
      c: {Var: {potential: true}}
      s: {Var: {potential: true}}
      equality_constraint: ["a.c*b.s - a.s*b.c"]
  Frame:
    Model: {R: {Direction: {}}, t: {Var: {flow: true}}}
  World:
    Model:
      frame: {Frame: {}}
      equations: ["Connections.root(frame.R)", "frame.R.c = 1", "frame.R.s = 0"]
  Joint:
    Model:
      a: {Frame: {}}
      b: {Frame: {}}
      phi: {Var: {}}
      equations:
        - Connections.branch(a.R, b.R)
        - a.t + b.t = 0
        - If:
            condition: Connections.rooted(a.R)
            equations: ["b.R.c = cos(phi)*a.R.c - sin(phi)*a.R.s", "b.R.s = sin(phi)*a.R.c + cos(phi)*a.R.s"]
            otherwise: ["a.R.c = cos(phi)*b.R.c + sin(phi)*b.R.s", "a.R.s = cos(phi)*b.R.s - sin(phi)*b.R.c"]
model:
  world: {World: {}}
  j1: {Joint: {phi: {Var: {value: time}}}}
  j2: {Joint: {}}
  equations: [j1.a.t = 0]
  connect:
    - [world.frame, j1.a]
    - [j1.b, j2.b]
    - [j2.a, world.frame]
simulation: {stop_time: 1.0}
"""
"""Two joints in a loop: the second turns back what the first one turned."""


def written(tmp_path: Path, text: str = RING) -> Path:
    file = tmp_path / "ring.yaml"
    file.write_text(text)
    return file


def test_loop_of_own_connectors_in_yaml(tmp_path: Path) -> None:
    result = read_scenario(written(tmp_path)).instantiate().simulate(1.0)
    np.testing.assert_allclose(result["j2.phi"], result.time, atol=1e-6)


def test_trees_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path)
    assert main(["check", str(file), "--trees"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "world.frame.R: root"
    assert "  j1.b.R from j1.a.R: j1: Connections.branch(a.R, b.R)" in lines
    assert "broken: connect(j2.a, world.frame): it closes a loop in the tree of world.frame.R" in lines
    forest = connection_trees(read_scenario(file).model)
    assert str(forest).splitlines() == lines[:-1]


def test_why_a_connection_between_two_roots_is_broken(tmp_path: Path) -> None:
    text = RING.replace("  j1: {Joint", "  other: {World: {}}\n  j1: {Joint").replace(
        "[j2.a, world.frame]", "[j2.a, other.frame]"
    )
    forest = connection_trees(read_scenario(written(tmp_path, text)).model)
    assert [forest.why_cut(edge) for edge in forest.cut] == ["it joins the roots world.frame.R and other.frame.R"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("equations: [j1.a.t = 0]", 'equations: [j1.a.t = 0, "Connections.branch(j1.a.R, j1.b.R)"]', ["form a loop", "j1.a.R"]),
        ('"Connections.root(frame.R)", ', "", ["have no root", "Connections.potential_root(R)"]),
        (
            "  equations: [j1.a.t = 0]",
            '  w2: {World: {}}\n  equations: ["Connections.branch(w2.frame.R, world.frame.R)"]',
            ["branches alone join two roots", "Connections.root(w2.frame.R) and Connections.root(world.frame.R)"],
        ),
    ],
)
def test_impossible_trees_are_refused_by_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, words: list[str]
) -> None:
    assert old in RING
    assert main(["check", str(written(tmp_path, RING.replace(old, new))), "--trees"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"modia3d: {tmp_path / 'ring.yaml'}:")
    assert all(word in message for word in words), message


def test_circuit_is_written_and_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    circuit = Model(
        source=ConstantVoltage | Map(V=10.0),
        r=Resistor | Map(R=0.5),
        c=Capacitor | Map(C=2.0),
        ground=Ground,
        connect=[("source.p", "r.p"), ("r.n", "c.p"), ("c.n", "source.n", "ground.p")],
    )
    file = write_scenario(circuit, tmp_path / "circuit.yaml")
    result = read_scenario(file).instantiate().simulate(1.0)
    assert result["c.v"][-1] == pytest.approx(10 * (1 - np.exp(-1.0)), rel=1e-5)
    assert main(["run", str(file), "--json"]) == 0
    assert '"segments"' in capsys.readouterr().out
    assert main(["view", str(file), "--html", str(tmp_path / "page.html")]) == 2
    assert "nothing in the model is visible" in capsys.readouterr().err


def test_program_without_a_world_is_refused_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = "model: {x: {Var: {init: 1.0}}, equations: [der(x) = -x]}"
    text = f"modia3d: 1\n{model}\nactions: [{{ActionWait: 1.0}}]\nsimulation: {{stop_time: 1}}\n"
    assert main(["run", str(written(tmp_path, text))]) == 2
    assert "a Model3D needs exactly one world" in capsys.readouterr().err
