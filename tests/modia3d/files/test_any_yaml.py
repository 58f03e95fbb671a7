"""Scenarios of strangers: whatever stands in the file, it can be simulated or is refused with file and line."""

import copy
import re
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.files import read_scenario
from modiapy import ModiaError

from ..crane import CRANE

TREE = yaml.safe_load(CRANE)
VALUES = [
    *(
        None,
        True,
        0,
        -1,
        2.5,
        1e300,
        10**400,
        float("inf"),
        float("nan"),
        [],
        {},
        [[]],
        [None],
        [1, 2, 3],
        [[1, 2], [3]],
        ["a", "b"],
    ),
    *(
        "",
        " ",
        "x",
        "x+",
        "1/0",
        "a.b",
        "..",
        "日本",
        "a b",
        "(" * 300,
        "-" * 2000 + "1",
        "base",
        "joint",
        "pre(x)",
        "[1, 2]",
        "__class__",
    ),
    *({"a": 1}, {"Box": 1}, {"Var": 3}, {"Var": {}}, {"Model": {}}, {"Object3D": {}}, {"Scene": {}}, {"When": {}}, {"If": {}}),
    *({"For": {}}, {"Clock": 1}, {"Part": 1}, {"redeclare": {}}, {"Table1D": [[0, 0], [1, 1]]}, {"": 1}, {"end": 1}),
]
KEYS = ["x", "", "a.b", "self", "_x", "if", "Box", "world", "equations", "connect", "actions", "time", "ä"]


def places(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Ways to all nodes of a tree."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [(*at, key) for key, _ in items] + [way for key, inner in items for way in places(inner, (*at, key))]


@given(
    st.sampled_from(places(TREE)),
    st.sampled_from(VALUES),
    st.sampled_from(["value", "key", "less", "more"]),
    st.sampled_from(KEYS),
)
@settings(max_examples=80, derandomize=True)
def test_it_can_be_simulated_or_is_refused_with_its_line(tmp_path_factory, way, value, change, name):
    tree = copy.deepcopy(TREE)
    owner = tree
    for key in way[:-1]:
        owner = owner[key]
    if change == "value":
        owner[way[-1]] = value
    elif change == "less":
        del owner[way[-1]]
    elif isinstance(owner, list):
        owner.append(value)
    else:
        owner[name] = value if change == "more" else owner.pop(way[-1])
    file = tmp_path_factory.mktemp("any") / "any.yaml"
    file.write_text(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True), encoding="utf-8")
    refusal = ""
    try:
        read_scenario(file).instantiate()
    except ModiaError as error:
        refusal = str(error)
    assert not refusal or re.match(rf"{re.escape(str(file))}:[1-9]", refusal), refusal


@pytest.mark.parametrize(
    "text", [CRANE.replace("\n", "\r\n"), CRANE.replace("\n", "\r"), "\ufeff" + CRANE, f"---\n{CRANE}...\n"]
)
def test_line_ends_and_marks_of_other_systems(tmp_path, text):
    file = tmp_path / "crane.yaml"
    file.write_bytes(text.encode())
    assert read_scenario(file).settings.stop_time == 2.0


def test_definitions_do_not_multiply_without_bounds(tmp_path):
    ten = [f"  A{k}: {{Model: {{{', '.join(f'm{i}: {{A{k - 1}: {{}}}}' for i in range(10))}}}}}" for k in range(1, 9)]
    head, end = (
        ["modia3d: 1", "definitions:", "  A0: {Model: {x: 1}}"],
        ["model: {all: {A8: {}}}", "simulation: {stop_time: 1}"],
    )
    (tmp_path / "bomb.yaml").write_text("\n".join([*head, *ten, *end]))
    with pytest.raises(
        ModiaError, match=r"bomb.yaml:\d+:\d+: A\d\S*: the model is too large.*Definitions made of definitions multiply"
    ):
        read_scenario(tmp_path / "bomb.yaml")
