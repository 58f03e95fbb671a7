"""The rules of docs/architecture.md that a program can check: imports run one way, and the packages are light to import."""

import ast
import functools
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tools import exports

ROOT = Path(__file__).parent.parent

ALLOWED = {
    "modiapy.model": (),
    "modiapy.acausal": ("modiapy.model",),
    "modiapy.library": ("modiapy.acausal", "modiapy.model"),
    "modiapy.symbolic": ("modiapy.acausal", "modiapy.model"),
    "modiapy.simulation": ("modiapy.symbolic", "modiapy.acausal", "modiapy.model"),
    "modiapy.modelica": ("modiapy.symbolic", "modiapy.acausal", "modiapy.model"),
    "modia3d.scene": ("modia3d.dynamics.basics", "modiapy"),
    "modia3d.topology": ("modia3d.dynamics", "modia3d.scene", "modiapy"),
    "modia3d.dynamics": ("modia3d.scene.joint_names", "modia3d.scene.joints", "modiapy"),
    "modia3d.collision": ("modia3d.dynamics.basics", "modia3d.scene", "modiapy"),
    "modia3d.forces": ("modia3d.collision", "modia3d.topology", "modia3d.dynamics", "modia3d.scene", "modiapy"),
    "modia3d.assemblies": ("modia3d.forces", "modia3d.scene", "modiapy"),
    "modia3d.constraints": ("modia3d.collision", "modia3d.topology", "modia3d.dynamics", "modia3d.scene", "modiapy"),
    "modia3d.engine": (
        "modia3d.collision",
        "modia3d.constraints",
        "modia3d.forces",
        "modia3d.topology",
        "modia3d.dynamics",
        "modia3d.scene",
        "modiapy",
    ),
    "modia3d.actions": ("modia3d.engine", "modia3d.topology", "modiapy"),
    "modia3d.files": ("modia3d.actions", "modia3d.assemblies", "modia3d.forces", "modia3d.engine", "modia3d.scene", "modiapy"),
    "modia3d.viewer": ("modia3d.files", "modia3d.engine", "modia3d.topology", "modia3d.scene", "modiapy"),
    "modia3d.batch": ("modia3d.viewer", "modia3d.files", "modia3d.scene", "modiapy"),
    "modia3d.gym": (
        "modia3d.batch",
        "modia3d.viewer",
        "modia3d.files",
        "modia3d.actions",
        "modia3d.engine",
        "modia3d.scene",
        "modiapy",
    ),
    "modia3d.cli": ("modia3d.batch", "modia3d.viewer", "modia3d.files", "modia3d.engine", "modia3d.scene", "modiapy"),
}
HEAVY = ("gymnasium", "numba", "llvmlite", "sksundae", "matplotlib", "meshcat", "scipy", "sympy", "yaml", "rumoca")
COMPILERS = ["numba", "llvmlite"]


@functools.cache
def imported(file: Path) -> set[str]:
    """Full names of the project's modules that a file imports, anywhere in it."""
    package = ".".join(file.relative_to(ROOT).with_suffix("").parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *([base] if base else [])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] in ("modiapy", "modia3d")}


@pytest.mark.parametrize("folder", ALLOWED)
def test_imports_run_one_way(folder: str) -> None:
    allowed = (folder, *ALLOWED[folder])
    for file in (ROOT / folder.replace(".", "/")).rglob("*.py"):
        for name in imported(file):
            public = name.count(".") == 1 and name.split(".")[1][:1].isupper()  # exported by the package itself
            assert public or any(name == a or name.startswith(f"{a}.") for a in allowed), f"{file} imports {name}"


def test_every_folder_has_a_rule() -> None:
    folders = {
        f"{p.parent.parent.name}.{p.parent.name}" for root in ("modiapy", "modia3d") for p in (ROOT / root).glob("*/*.py")
    }
    assert folders == set(ALLOWED)


@pytest.mark.parametrize("package", ["modiapy", "modia3d"])
def test_import_is_light(package: str) -> None:
    code = f"import sys, {package}; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_scenarios_are_read_without_a_compiler() -> None:
    scenarios = sorted(
        str(file)
        for file in (ROOT / "scenarios").rglob("*.yaml")
        if file.parent.name != "studies" and not file.stem.endswith("_task")
    )
    code = "import sys; from modia3d.files.reader import read_scenario; [read_scenario(path) for path in sys.argv[1:]]; "
    code += f"print(len(sys.argv) - 1, [m for m in {COMPILERS!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *scenarios], capture_output=True, text=True, check=True)
    assert scenarios
    assert done.stdout.strip() == f"{len(scenarios)} []"


LARGE, LARGEST = 25, 35
"""Files of a folder from which on it may hold two concepts, and those that a reader can no longer survey."""


def _modules() -> dict[str, Path]:
    files = [file for root in ("modiapy", "modia3d") for file in (ROOT / root).rglob("*.py")]
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def _needed(module: str, modules: dict[str, Path]) -> set[str]:
    """The modules that one imports anywhere, for types and within functions too; ``from . import x`` needs the package or x."""
    found = imported(modules[module])
    exact = {name if name in modules else name.rpartition(".")[0] for name in found}
    return exact & set(modules) - {module}


def _circles(needed: dict[str, set[str]]) -> list[str]:
    """Those that need themselves through others."""
    found = []
    for name, others in needed.items():
        seen, remaining = set(), [*others]
        while remaining:
            if (other := remaining.pop()) not in seen:
                seen.add(other)
                remaining += needed[other]
        found += [name] if name in seen else []
    return sorted(found)


def test_no_file_needs_itself_through_others() -> None:
    modules = _modules()
    assert _circles({module: _needed(module, modules) for module in modules}) == []


def test_no_folder_needs_itself_through_others() -> None:
    modules, needed = _modules(), {}

    def folder(module: str) -> str:
        return modules[module].parent.relative_to(ROOT).as_posix()

    for module in modules:
        needed.setdefault(folder(module), set()).update(map(folder, _needed(module, modules)))
    assert _circles({name: others - {name} for name, others in needed.items()}) == []


def test_folders_can_be_surveyed() -> None:
    sizes = {folder: len(list(folder.glob("*.py"))) for root in ("modiapy", "modia3d") for folder in (ROOT / root).rglob("*")}
    large = {folder.relative_to(ROOT).as_posix(): n for folder, n in sizes.items() if n > LARGE}
    if large:
        warnings.warn(f"folders of more than {LARGE} files, which may hold two concepts: {large}", stacklevel=1)
    assert {name: n for name, n in large.items() if n > LARGEST} == {}


@pytest.mark.parametrize("package", exports.PACKAGES)
def test_exports_for_type_checkers_are_those_of_the_constructors(package: str) -> None:
    written = exports.stub_file(package).read_text(encoding="utf-8")
    assert written == exports.stub(package), "run 'python -m tools.exports'"


LONGEST = 500
"""Lines of a file that a reader can still keep in mind."""


def test_files_can_be_read_in_one_go() -> None:
    lengths = {file.relative_to(ROOT).as_posix(): len(file.read_text().splitlines()) for file in _modules().values()}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


MOST_ARGUMENTS = 14
"""Arguments that a reader can still tell apart by their place; more of them are a record, see ``acausal/memory_layout.py``."""


def test_calls_have_few_arguments() -> None:
    found = {}
    for file in _modules().values():
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                arguments = node.args
                name = f"{file.relative_to(ROOT).as_posix()}:{node.lineno}"
                found[name] = len([*arguments.posonlyargs, *arguments.args])
    assert {name: n for name, n in found.items() if n > MOST_ARGUMENTS} == {}
