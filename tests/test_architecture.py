"""The rules of docs/architecture.md that a program can check: imports run one way, and the packages are light to import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ALLOWED = {
    "modiapy.model": (),
    "modiapy.acausal": ("modiapy.model",),
    "modiapy.library": ("modiapy.acausal", "modiapy.model"),
    "modiapy.symbolic": ("modiapy.acausal", "modiapy.model"),
    "modiapy.simulation": ("modiapy.symbolic", "modiapy.acausal", "modiapy.model"),
    "modia3d.scene": ("modiapy",),
    "modia3d.topology": ("modia3d.dynamics", "modia3d.scene", "modiapy"),
    "modia3d.dynamics": ("modiapy",),
    "modia3d.forces": ("modia3d.topology", "modia3d.dynamics", "modia3d.scene", "modiapy"),
    "modia3d.engine": ("modia3d.forces", "modia3d.topology", "modia3d.dynamics", "modia3d.scene", "modiapy"),
    "modia3d.actions": ("modia3d.engine", "modia3d.topology", "modiapy"),
    "modia3d.files": ("modia3d.actions", "modia3d.forces", "modia3d.engine", "modia3d.scene", "modiapy"),
    "modia3d.viewer": ("modia3d.files", "modia3d.engine", "modia3d.scene", "modiapy"),
    "modia3d.cli": ("modia3d.viewer", "modia3d.files", "modia3d.engine", "modiapy"),
}
HEAVY = ("numba", "llvmlite", "sksundae", "matplotlib", "meshcat", "scipy", "sympy", "yaml")


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


def _imported_at_once(module: str, modules: dict[str, Path]) -> set[str]:
    """The modules of the project that a module imports while it is itself imported; ``from . import x`` needs the package."""
    file = modules[module]
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    statements, found = list(ast.parse(file.read_text()).body), set()
    while statements:
        node = statements.pop()
        if isinstance(node, ast.If | ast.Try) and not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
            statements += [*node.body, *node.orelse]
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: package.count(".") + 2 - node.level] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return found & set(modules) - {module}


def test_no_module_imports_itself_through_others() -> None:
    files = [file for root in ("modiapy", "modia3d") for file in (ROOT / root).rglob("*.py")]
    modules = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}
    remaining = {module: _imported_at_once(module, modules) for module in modules}
    while free := {module for module, needed in remaining.items() if not needed & remaining.keys()}:
        for module in free:
            del remaining[module]
    assert not remaining, "these modules import each other, or what does"
