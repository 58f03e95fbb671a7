"""What type checkers see of the packages: the generated exports, and calls that mypy must admit or refuse."""

import ast
import importlib
import importlib.util
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tools import exports

ROOT = Path(__file__).parent.parent
PACKAGES = ("modiapy", "modia3d")


@pytest.mark.parametrize("package", exports.PACKAGES)
def test_exports_have_the_names_of_the_package(package: str) -> None:
    """Each public name stands in ``__init__.pyi``, and nothing else does."""
    module = importlib.import_module(package)
    stub = ast.parse(exports.stub_file(package).read_text())
    defined = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    imported = {a.name for node in stub.body if isinstance(node, ast.ImportFrom) for a in node.names if a.asname == a.name}
    assert defined | imported == set(module.__all__)
    assert not defined & imported


def test_what_lies_beside_the_code_is_installed() -> None:
    """Marks for type checkers, exports, palettes: all that is no Python file is package data."""
    patterns = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    for package in PACKAGES:
        assert (ROOT / package / "py.typed").exists()
        beside = {path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
        assert beside - {path for pattern in patterns[package] for path in (ROOT / package).glob(pattern)} == set()


def test_calls_that_type_checkers_admit_are_legal() -> None:
    names = runpy.run_path(str(ROOT / "tests" / "typed" / "legal.py"))
    assert names["result"].status == "finished"


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed; .ci/run has it in its lint step")
def test_mypy_admits_what_is_legal_and_finds_mistakes(tmp_path: Path) -> None:
    """An ignore that is not needed is an error itself, so each mistake must be found, and as what it is."""
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path), "tests/typed"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
