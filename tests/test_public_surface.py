"""The public surface: one path for each name; guides use nothing else, and tests that do are marked as white-box."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import api

ROOT = Path(__file__).parent.parent
TESTS = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in (ROOT / "tests").rglob("*.py")
}
"""Modules of the tests by their full names."""


def test_no_name_is_exported_twice() -> None:
    assert api.exported_twice() == []


def test_guides_and_tutorials_use_public_names_only() -> None:
    assert api.documented_private() == []


@pytest.mark.parametrize("name", api.MODULES)
def test_a_public_module_has_what_it_promises(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__
    assert [each for each in module.__all__ if each.startswith("_") or not hasattr(module, each)] == []


def helpers_of(name: str) -> Iterator[str]:
    """Generate the modules of the tests that a module of them imports."""
    package = name if TESTS[name].name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(TESTS[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from {base, *(f"{base}.{alias.name}" for alias in node.names)} & TESTS.keys()


def reached_from(name: str) -> set[str]:
    """Return a module of the tests and all helpers that it uses, directly or through others."""
    found, waiting = {name}, [name]
    while waiting:
        new = set(helpers_of(waiting.pop())) - found
        found |= new
        waiting += new
    return found


def is_marked(name: str) -> bool:
    """Return whether a module of the tests has the mark ``white_box``."""
    assigned = (node for node in ast.parse(TESTS[name].read_text(encoding="utf-8")).body if isinstance(node, ast.Assign))
    return any(ast.unparse(node.targets[0]) == "pytestmark" and "white_box" in ast.unparse(node.value) for node in assigned)


def test_tests_use_public_names_or_are_marked_as_white_box() -> None:
    """The others need no change where only what is behind the public surface changes."""
    private = {name for name, path in TESTS.items() if api.private_imports(path.read_text(encoding="utf-8"))}
    modules = {name: path for name, path in TESTS.items() if path.name.startswith("test_")}
    assert {name for name in modules if is_marked(name)} == {name for name in modules if reached_from(name) & private}


def test_what_is_private_is_found() -> None:
    assert api.private_imports("from modia3d.topology.build import build_graph") == ["modia3d.topology.build.build_graph"]
    assert api.private_imports("import modia3d.engine") == ["modia3d.engine"]
    public = "from modia3d import Box\nfrom modiapy.library.rotational import Inertia\nfrom modiapy.flat import FlatModel"
    assert api.private_imports(public) == []
    assert not api.is_public("modia3d.Bax")
