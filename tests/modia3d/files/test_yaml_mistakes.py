"""What people write by habit in YAML is told with line, column and what to write instead."""

import re

import pytest

from modia3d.files import read_scenario
from modia3d.files.yaml_tree import ScenarioError, read_tree

from ..crane import CRANE

pytestmark = pytest.mark.white_box

HABITS = {
    "tab": ("a:\n\tb: 1\n", "2:1", "replace each tab by two"),
    "tab below a value": ("a: 1\n\tb: 1\n", "2:1", "replace each tab by two"),
    "yes": ("a: {b: yes}", "1:8", 'Write true, or "yes"'),
    "OFF": ("a:\n  - OFF\n", "2:5", 'Write false, or "OFF"'),
    "octal": ("a: 010\n", "1:4", "Write 10,"),
    "zero before a decimal": ("a: 00.5\n", "1:4", "Write 0.5,"),
    "octal of YAML 1.2": ("a: 0o17\n", "1:4", "Write 15."),
    "base 60": ("a: -1:30\n", "1:4", "Write -90,"),
    "comma": ("a: 1,5\n", "1:4", "Write 1.5;"),
    "not a number": ("a: .NaN\n", "1:4", "Write a number"),
    "infinity": ("a: +.Inf\n", "1:4", "Write .inf."),
    "too deep": ("a: 1\n  b: 2\n", "2:3", "Indent it by 0, to stand beside 'a: 1'"),
    "too shallow": ("m:\n    a: 1\n  b: 2\n", "3:3", "Indent it by 4, to stand beside 'a: 1'"),
    "dash too shallow": ("m:\n  - a\n - b\n", "3:2", "Indent it by 2, to stand beside '- a'"),
    "dash too deep": ("m:\n  - a\n   - b\n", "3:4", "Write its '-' under that of the other entries"),
    "list and mapping": ("a:\n  - b\n  c: 1\n", "3:3", "all with '- ', or all without"),
    "no colon": ("a: 1\nb\nc: 2\n", "2:1", "Write 'name: value'"),
    "equation outside of a list": ("a: 1\nx = y\nc: 2\n", "2:1", "under 'equations:', behind '- '"),
    "no space": ("b: 2\na:1\nc: 3\n", "2:1", "'a: 1'"),
    "no space in the first line": ("a:1\nb: 2\n", "1:1", "'a: 1'"),
    "no space in all lines": ("b:\n  c:1\n  d:2\n", "2:3", "'c: 1'"),
    "no space in braces": ("a: {b:1, c: 2}\n", "1:5", "'b: 1'"),
    "two colons": ("a: b: c\n", "1:5", "stands in quotes"),
    "open brace": ("a: {b: 1\nc: 2\n", "1:4", "Close it by '}'"),
    "open bracket": ("a: [1, 2\n", "1:4", "Close it by ']'"),
    "too many braces": ("a: {b: 1}}\n", "1:10", "one too many"),
    "no comma": ("a: {b: 1 c: 2}\n", "1:11", "Write a comma"),
    "open quotes": ("a: 'x\nb: 2\n", "1:4", "Write ' at the end"),
    "equation with braces": ("e:\n  - {x} = 3\n  - y\n", "2:9", "begins with { stands in quotes"),
    "equation with brackets": ("e:\n  - [a, b] = f(x)\n", "2:12", "begins with [ stands in quotes"),
    "quotes and more": ("e:\n  - 'a' = b\n", "2:9", "begins with ' stands in quotes"),
    "reserved": ("a: @x\n", "1:4", "in quotes"),
    "greater": ("a: > 3\nb: 1\n", "1:4", "in quotes"),
    "star": ("a: *x\n", "1:4", "under 'definitions'"),
    "anchor": ("a: &x {b: 1}\n", "1:4", "under 'definitions'"),
    "merge": ("a: {<<: 1}\n", "1:5", "under 'definitions'"),
    "exclamation": ("a: !x\n", "1:4", "begins with ! stands in quotes"),
    "backslash": ('a: "C:\\data"\n', "1:7", "each backslash twice"),
    "list behind its key": ("a: - b\n", "1:4", "on the next line"),
    "space of a page": ("a:\n\u00a0\u00a0b: 1\n", "2:1", "plain spaces"),
    "twice": ("a: 1\nb: 2\na: 3\n", "3:1", "'a' in line 1 and here"),
}


@pytest.mark.parametrize("habit", HABITS)
def test_says_where_and_what_to_write(tmp_path, habit):
    text, place, remedy = HABITS[habit]
    file = tmp_path / "habit.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        read_tree(file)
    assert str(caught.value).startswith(f"{file}:{place}: ")
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    ("data", "place", "found"),
    [("a: 1\nb: é\n".encode("latin-1"), "2:4", "0xE9"), ("a: 1\n".encode("utf-16"), "1:1", "UTF-16")],
)
def test_other_encodings(tmp_path, data, place, found):
    (tmp_path / "a.yaml").write_bytes(data)
    with pytest.raises(ScenarioError, match=rf"a\.yaml:{place}: .*found .*{found}.*Save the file as UTF-8"):
        read_tree(tmp_path / "a.yaml")


READ = [
    "a: x -\n   b * c\n   + d\n", "a: {y: 1, n: 2, on: 3}\n", "a: [y, -x, 0, 0.5, -0.0, .5, 1e-6]\n", "a: http://x/y\n",
    "a:\t1\n", "- x = a[0:2]\n", "a: 'yes'\n", "a: |\n  b:1\n  - c\n", "a: note that\n  this goes on\n", "a: # empty\nb: 1\n",
]  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_takes_what_can_only_mean_one_thing(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    assert read_tree(tmp_path / "a.yaml").value


EQUATIONS = ("  connect:\n", "  x: {Var: {init: 0}}\n  equations:\n    - der(x) = 1\n  connect:\n")
SCENARIOS = {
    "not indented": (
        ("simulation: {stop_time", "simulation:\nstop_time: 1\nexpect: {stop_time"),
        "stop_time",
        "belongs to 'simulation'",
    ),
    "dash without space": (("- der(x) = 1", "-der(x) = 1"), "-der", "'- x'"),
    "colon in an equation": (("- der(x) = 1", "- der(x) = if a then b else: c"), "der(x)", "stands in quotes"),
    "block without space": (("{stop_time: 2.0, interval: 0.05}", "\n  stop_time:2.0"), "stop_time:2.0", "'stop_time: 2.0'"),
    "yes": (("lockable: true", "lockable: yes"), "yes", "Write true"),
}


@pytest.mark.parametrize("habit", SCENARIOS)
def test_what_yaml_takes_and_a_scenario_does_not(tmp_path, habit):
    (old, new), piece, remedy = SCENARIOS[habit]
    text = CRANE.replace(*EQUATIONS)
    assert old in text
    text = text.replace(old, new, 1)
    file = tmp_path / "crane.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        read_scenario(file)
    assert remedy in str(caught.value)
    line, column = map(int, re.match(rf"{re.escape(str(file))}:(\d+):(\d+): ", str(caught.value)).groups())
    assert text.splitlines()[line - 1][column - 1 :].startswith(piece)
