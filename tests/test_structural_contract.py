"""The contract in docs/structural_change.md names tests that exist, for every structural action."""

import ast
import re
from pathlib import Path

import pytest

from modia3d.actions.values import ACTIONS

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "structural_change.md").read_text()
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)


def test_every_test_that_the_contract_names_exists():
    assert len(NAMED) > 30
    functions = {}
    for file, name in NAMED:
        if file not in functions:
            tree = ast.parse((ROOT / file).read_text())
            functions[file] = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in functions[file], f"{file}::{name}"


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    lines: list[object] = []
    exec(code, {"print": lines.append})
    assert lines == [[0, 0, 6]]


def test_every_statement_of_the_contract_has_a_test_and_every_structural_action_a_section():
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##)", TEXT, flags=re.DOTALL | re.MULTILINE))
    assert [action for action, text in sections.items() if "::test_" not in text] == []
    statements = re.findall(r"^- \*\*(.+?)\*\*(.*?)(?=^- |^\n)", TEXT, flags=re.DOTALL | re.MULTILINE)
    assert len(statements) > 15
    assert [subject for subject, text in statements if "::test_" not in text] == ["Bodies that appear"]
    assert set(sections) == {name for name in ACTIONS if name.startswith("Action") and name != "ActionWait"}
