"""Programs that decide, written in a scenario: they do what those from Python do, and mistakes are told by line."""

import json
import re
from pathlib import Path

import pytest

from modia3d import Together
from modia3d.actions.structural.attach import Attach
from modia3d.cli.main import main
from modia3d.files import read_scenario
from modiapy import ModiaError

pytestmark = pytest.mark.white_box

SCENARIO = """
modia3d: 1
simulation: {stop_time: 4.0, tolerance: 1.0e-9}
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {g: 10, n: [0, -1, 0]}}}}}}
  hook: {Object3D: {parent: world, lockable: true}}
  ball: {Object3D: {parent: world, fixed_to_parent: false, assembly_root: true,
                    feature: {Solid: {shape: {Sphere: 0.1}, solid_material: Steel}}}}
  grip: {Object3D: {parent: ball, rotation: [3.141592653589793, 0, 0], lockable: true}}
actions:
  - together:
      - ActionAttach: [grip, hook]
  - parallel:
      - - wait_until: {condition: time > 0.5, timeout: 2}
        - set: {open: true, count: 0}
      - - wait_until: flags.open
        - ActionRelease: grip
  - wait_until: {condition: "ball.r_abs[1] <= -5"}
  - repeat:
      while: flags.count < 2
      do:
        - set: {count: flags.count + 1}
        - ActionWait: 0.1
  - repeat: {times: 2, do: [{set: {count: flags.count + 1}}]}
  - try:
      do:
        - retry: {times: 2, pause: 0.05, do: [{ActionAttach: [grip, hook]}]}
        - end: caught
      on_refused:
        - if:
            condition: flags.count == 4 and mechanics.kinetic_energy > 1
            else: [{end: {verdict: wrong, success: false}}]
            then:
              - end: {verdict: lost, success: SUCCESS}
"""


def write(folder: Path, old: str = "", new: str = "", success: str = "false") -> Path:
    file = folder / "decide.yaml"
    file.write_text(SCENARIO.replace("SUCCESS", success).replace(old, new, 1))
    return file


def test_the_program_is_carried_out_and_its_verdict_is_the_exit_status(tmp_path, capsys):
    assert main(["run", str(write(tmp_path)), "--json", "--log"]) == 1
    figures = json.loads(capsys.readouterr().out)
    assert (figures["verdict"], figures["success"]) == ("lost", False)
    assert figures["compilations_after_start"] == 0
    assert [s["start"] for s in figures["segments"]] == pytest.approx([0.0, 0.0, 0.5], abs=1e-12)
    assert figures["stop_time"] == pytest.approx(0.5 + 1.0 + 0.2 + 0.05, rel=1e-9)  # it falls 5 m in 1 s
    refused = [e for e in figures["program_log"] if e["kind"] == "action" and e["outcome"] is not True]
    assert len(refused) == 2
    assert all("is refused" in entry["outcome"] for entry in refused)


def test_the_table_shows_verdict_and_log(tmp_path, capsys):
    assert main(["run", str(write(tmp_path, success="true")), "--log"]) == 0
    out = capsys.readouterr().out
    assert "verdict: lost (success)" in out
    assert re.search(r"0\.5 +1 +yes +wait_until time > 0\.5, at most 2 s", out)
    assert re.search(r"refused +ActionAttach grip -> hook: .*is refused", out)


def test_the_log_tells_numbers_from_answers(tmp_path, capsys):
    file = write(tmp_path, "actions:\n", "actions:\n  - spawn: [{ActionWait: 0.1}]\n", success="true")
    assert main(["run", str(file), "--log"]) == 0
    assert re.search(r" 0 +0 +1 +spawn a program\n", capsys.readouterr().out)


def test_what_is_given_together_is_one_action(tmp_path):
    scenario = read_scenario(write(tmp_path))
    first = scenario.model["actions"]["program"][0]
    assert first == Together((Attach("grip", "hook"),))
    text = (tmp_path / "decide.yaml").read_text().splitlines()
    assert "retry" in text[scenario.action_lines[13] - 1]
    assert "verdict: lost" in text[scenario.action_lines[17] - 1]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        (
            "mechanics.kinetic_energy",
            "mechanics.kinetik_energy",
            "- if:",
            r"no signal 'mechanics.kinetik_energy'.*kinetic_energy",
        ),
        ("flags.open", "flags.opne", "wait_until: flags.opne", r"no flag 'flags.opne'.*flags.open"),
        ("[grip, hook]}]", "[grip, hok]}]", "retry", "'hok'.*'hook'"),
        ("ball.r_abs[1] <=", "ball.r_abs[1] <=<", "ball.r_abs", "cannot be read"),
        ("time > 0.5", "eval('1') > 0.5", "eval", "cannot stand in a condition"),
        ("then:", "than:", "than:", "unknown key 'than'.*'then'"),
        ("wait_until: flags.open", "wait_untl: flags.open", "wait_untl", "'wait_untl'.*'wait_until'"),
        ("times: 2, do: [{set: {count: flags.count + 1}}]", "do: [{set: {count: 1}}]", "{do: [{set", "how often"),
        ("times: 2, pause: 0.05", "times: 0.5, pause: 0.05", "times: 0.5", "times of retry"),
        ("- ActionAttach: [grip, hook]\n  - par", "- ActionWait: 1\n  - par", "- ActionWait: 1", "structural actions only"),
        ("end: caught", "parallel: []", "parallel: []", "'parallel' has no programs"),
        ("end: caught", "if: {condition: time > 1}", "if: {condition: time > 1}", "'if' has no steps"),
        ("end: caught", "end:", "end:", "found missing 1 required positional argument: 'verdict'"),
        ("{open: true, count: 0}", "[open]", "set: [open]", "a mapping"),
    ],
)
def test_mistakes_are_told_by_line(tmp_path, old, new, line, message):
    file = write(tmp_path, old, new)
    with pytest.raises(ModiaError, match=message) as caught:
        read_scenario(file).instantiate()
    text = file.read_text().splitlines()
    assert caught.value.line is not None
    near = text[caught.value.line - 1 : caught.value.line + 1]
    assert any(line in row for row in [*near, text[caught.value.line - 2]])


LOOP = """\
  - For:
      index: k
      count: 2
      first: 1
      do:
        - ActionWait: 0.1*k
        - set: {"part{k}": k + 1}
        - repeat: {times: k + 1, do: [{ActionWait: 0.5}]}
        - For: {index: j, count: 2, do: [{wait_until: {condition: "time >= k + 0.5*j", timeout: 9}}]}
"""
WRITTEN = """\
  - ActionWait: 0.1
  - set: {part1: 2}
  - repeat: {times: 2, do: [{ActionWait: 0.5}]}
  - wait_until: {condition: "time >= 1 + 0.5*0", timeout: 9}
  - wait_until: {condition: "time >= 1 + 0.5*1", timeout: 9}
  - ActionWait: 0.2
  - set: {part2: 3}
  - repeat: {times: 3, do: [{ActionWait: 0.5}]}
  - wait_until: {condition: "time >= 2 + 0.5*0", timeout: 9}
  - wait_until: {condition: "time >= 2 + 0.5*1", timeout: 9}
"""


def with_actions(folder, actions):
    file = folder / "loop.yaml"
    file.write_text(SCENARIO.partition("actions:")[0] + "actions:\n" + actions)
    return file


def test_a_loop_writes_its_steps_several_times(tmp_path):
    looped, written = (read_scenario(with_actions(tmp_path, text)) for text in (LOOP, WRITTEN))
    assert repr(looped.model["actions"]) == repr(written.model["actions"])
    text = with_actions(tmp_path, LOOP).read_text().splitlines()
    assert [text[line - 1].strip()[:12] for line in looped.action_lines[:2]] == ["- ActionWait", '- set: {"par']


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("      count: 2\n", "", "'count' is missing in For"),
        ("count: 2\n", "count: two\n", "'count' of For is wrong.*'two'.*integer"),
        ("count: 2\n", "count: 1000000\n", "'count' of For is wrong"),
        ("index: k", "index: 2", "index of For is no name"),
        ("index: k", "indx: k", "unknown key 'indx' in For.*'index'"),
        ("ActionWait: 0.1*k", "ActionWait: 0.1*q", "ActionWait"),
        ("ActionWait: 0.1*k", "ActionWiat: k", "'ActionWiat'"),
        ("do:\n        - ActionWait: 0.1*k\n", "do: nothing\n      don:\n", "unknown key 'don'"),
    ],
)
def test_mistakes_of_a_loop(tmp_path, old, new, words):
    assert old in LOOP
    with pytest.raises(ModiaError, match=words) as caught:
        read_scenario(with_actions(tmp_path, LOOP.replace(old, new, 1)))
    assert caught.value.line is not None
