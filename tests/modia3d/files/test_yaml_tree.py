"""YAML as a tree with lines, stricter than YAML."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.files.yaml_mistakes import hidden_spaces, surprising
from modia3d.files.yaml_tree import ScenarioError, read_tree

pytestmark = pytest.mark.white_box


def looks_like_a_number(text: str) -> bool:
    """A writer of YAML 1.1 leaves 0E0 without quotes, which is a number in JSON and here."""
    try:
        float(text)
    except ValueError:
        return False
    return True


# Line breaks other than "\n" are folded by YAML itself; what looks like a space, or may mean something else, is refused.
letters = st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"])
text = st.text(letters, max_size=8).filter(
    lambda text: not (surprising(text) or hidden_spaces(text) or looks_like_a_number(text))
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


@given(plain)
@settings(max_examples=60)
def test_reads_what_a_yaml_writer_wrote(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    file = tmp_path_factory.mktemp("tree") / "value.yaml"
    file.write_text(yaml.safe_dump(value, allow_unicode=True), encoding="utf-8")
    assert read_tree(file).plain() == value


def read(folder: Path, text: str) -> Any:
    file = folder / "t.yaml"
    file.write_text(text)
    return read_tree(file)


def test_lines_of_values_and_keys(tmp_path: Path) -> None:
    tree = read(tmp_path, "a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n")
    assert tree.key_lines == {"a": 1, "b": 2}
    assert [item.line for item in tree.value["b"].value] == [3, 4]
    assert tree.value["b"].value[1].key_lines == {"c": 4, "d": 5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6),
        ("-2", -2),
        (".5", 0.5),
        ('"yes"', "yes"),
        ("one", "one"),
        ("y", "y"),
        ("'1'", "1"),
        ("'1:30'", "1:30"),
        (".inf", math.inf),
        ("1" + 300 * "0", 10**300),
        ("١٢", "١٢"),
    ],
)
def test_scalars_without_surprises(tmp_path: Path, text: str, value: Any) -> None:
    read_value = read(tmp_path, text).plain()
    assert read_value == value
    assert type(read_value) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\na: 2\n", 2, "'a' stands here twice"),
        ("a: &x 1\n", 1, "anchors"),
        ("a: !!python/object/apply:os.system ['true']\n", 1, "not allowed"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("? [1, 2]\n: 3\n", 1, "plain text"),
        ("a: " + "[" * 100 + "]" * 100, 1, "nested too deeply"),
        ("a: 1\nb: 1e400\n", 2, "too large; found 1e400"),
        ("a: 1\nb: -1" + 5000 * "0", 2, "too large; found 5002 digits"),
        ("a: 1\nb: \0\n", 2, r"does not allow; found the character U\+0000"),
    ],
)
def test_refusals_name_the_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(ScenarioError, match=words) as caught:
        read(tmp_path, text)
    assert caught.value.line == line


def test_missing_and_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no such file"):
        read_tree(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(ScenarioError, match="cannot be read"):
        read_tree(tmp_path / "binary.yaml")
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    with pytest.raises(ScenarioError, match="empty"):
        read_tree(tmp_path / "empty.yaml")
