"""Kernels on disk: what a stale, damaged, foreign or missing cache does. Each try is a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from llvmlite.binding import FeatureMap

from modiapy import ModelError
from modiapy.acausal.disk.cache_folder import cache_dir
from modiapy.acausal.disk.definitions import Definitions
from modiapy.acausal.disk.kernel_cache import KernelKeys
from modiapy.acausal.disk.sources import Sources

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]

PACKAGE = {
    "__init__.py": "",
    "constants.py": "FACTOR = 3.0\n",
    "parts.py": "from modiapy.acausal.native import part\n\nfrom . import constants\n\nFACTOR = constants.FACTOR\n\n\n"
    "@part\ndef scaled(x):\n    return FACTOR * x\n",
    "kernels.py": "import sys\n\nfrom numba import njit\n\nfrom modiapy.acausal.native import WITHOUT_OBJECTS\n\n"
    "from .parts import scaled\n\n\n@njit(cache=True, **WITHOUT_OBJECTS)\ndef drive(x):\n    return 1.0 + scaled(x)\n",
}
SCRIPT = """
import json
from importlib import import_module
{before}
from modiapy.acausal.disk.kernel_cache import numba_compilations
drives = [import_module(f"{{package}}.kernels").drive for package in {packages}]
print(json.dumps([[drive(argument) for drive in drives for argument in {arguments}], numba_compilations()]))
"""
EDITS = [
    ("kernels.py", "1.0 +", "2.0 +", 8.0),
    ("parts.py", "FACTOR * x", "FACTOR * x * x", 13.0),
    ("constants.py", "3.0", "5.0", 11.0),
]
DAMAGES = [
    lambda good: good[:-40],
    lambda good: good[:-900] + bytes([good[-900] ^ 1]) + good[-899:],
    lambda good: b"",
    lambda good: b"x" * 500,
]
COMPILED = 2
"""Functions that are compiled for one type of argument: `scaled` and `drive`."""


class Project:
    """Packages of a user, equal copies with kernels in several files, and a cache folder."""

    def __init__(self, folder: Path, *packages: str) -> None:
        self.folder, self.cache, self.packages = folder, folder / "cache", packages
        for package in packages:
            for name, text in PACKAGE.items():
                self.write(f"{package}/{name}", text)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, before: str = "", arguments: str = "[2.0]", **environment: str) -> tuple[list[float], int]:
        """Values of the kernels in a new process, and how many functions were compiled for them."""
        script = SCRIPT.format(before=before, arguments=arguments, packages=self.packages)
        paths = {"PYTHONPATH": os.pathsep.join((str(self.folder), str(ROOT))), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"MODIA_CACHE_DIR": str(self.cache)} | paths | environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        values, compiled = json.loads(done.stdout)
        return values, compiled

    @property
    def kernels(self) -> list[Path]:
        return sorted(self.cache.rglob("*.kernel"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, "machine")


def test_a_second_process_compiles_nothing(project: Project) -> None:
    assert project.run() == ([7.0], COMPILED)
    assert project.run() == ([7.0], 0)
    assert len(project.kernels) == 1


def test_an_edit_of_any_file_behind_a_kernel_is_seen(tmp_path: Path) -> None:
    project = Project(tmp_path, "first", "second", "third")
    assert project.run() == ([7.0, 7.0, 7.0], 3 * COMPILED)
    files = [f"{package}/{file}" for package, (file, *_) in zip(project.packages, EDITS, strict=True)]
    for path, (file, old, new, _) in zip(files, EDITS, strict=True):
        times = os.stat(project.folder / path)
        project.write(path, PACKAGE[file].replace(old, new))
        os.utime(project.folder / path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert project.run() == ([value for *_, value in EDITS], 3 * COMPILED)
    for path, (file, *_) in zip(files, EDITS, strict=True):
        project.write(path, PACKAGE[file])
    assert project.run() == ([7.0, 7.0, 7.0], 0)


def test_an_edit_of_a_file_that_is_found_when_it_runs_is_seen(tmp_path: Path) -> None:
    """Joints are imported by names from a table; the file that does it says so."""
    folder = tmp_path / "mechanics"
    (folder / "joints").mkdir(parents=True)
    (folder / "kinds.py").write_text("# made of all files of mechanics/joints\nSIZES = 1\n")
    (folder / "kernels.py").write_text("from .kinds import SIZES\nX = SIZES\n")

    def hashes() -> tuple[str, str]:
        path, sources = str(folder / "kernels.py"), Sources([folder])
        return sources.hash_of([path]), Definitions(sources).hash_of(path, "X")

    (folder / "joints" / "screw.py").write_text("SIZE = 1\n")
    before = hashes()
    (folder / "joints" / "screw.py").write_text("SIZE = 2\n")
    edited = hashes()
    (folder / "joints" / "helix.py").write_text("SIZE = 1\n")
    assert len({*before, *edited, *hashes()}) == 6


KERNELS = {
    "__init__.py": "",
    "kernels.py": """
from __future__ import annotations

from typing import TYPE_CHECKING

from . import tables
from .parts import half, unused

if TYPE_CHECKING:
    from .types_only import Kind

FACTOR = tables.SIZE
LIMIT, TURNS = 3.0, 2


def kernel(x: Kind) -> float:
    \"\"\"Return what it is asked for.\"\"\"
    if x > LIMIT:
        return other(x)
    return FACTOR * half(x)


def other(x: float) -> float:
    from .late import shift

    return shift(x)


def apart(x: float) -> float:
    return unused(x)
""",
    "parts.py": "SCALE = 0.5\n\n\ndef half(x):\n    return SCALE * x\n\n\ndef unused(x):\n    return -x\n",
    "tables.py": "SIZE = 0\nfor k in range(3):\n    SIZE += k\n",
    "late.py": "def shift(x):\n    return x + 1.0\n",
    "types_only.py": "Kind = float\n",
}
"""A kernel, and files with what it depends on and with what it does not."""


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("kernels.py", "\n\nFACTOR", "\n# a comment\n\n\nFACTOR", False),
        ("kernels.py", "    if x > LIMIT:", "    # why\n\n    if x > LIMIT:", False),
        ("kernels.py", "Return what it is asked for.", "Return something else,\n    in two lines.", False),
        ("kernels.py", "return unused(x)", "return 2.0 * unused(x)", False),
        ("kernels.py", "def apart", "def first(x):\n    return x\n\n\ndef apart", False),
        ("parts.py", "return -x", "return x", False),
        ("types_only.py", "float", "int", False),
        ("kernels.py", "x > LIMIT", "x >= LIMIT", True),
        ("kernels.py", "3.0, 2", "3.0, 1", True),
        ("kernels.py", "return shift(x)", "return -shift(x)", True),
        ("parts.py", "SCALE = 0.5", "SCALE = 0.25", True),
        ("parts.py", "SCALE * x", "SCALE + x", True),
        ("tables.py", "range(3)", "range(4)", True),
        ("tables.py", "SIZE += k", "SIZE -= k", True),
        ("late.py", "1.0", "2.0", True),
        ("late.py", "def shift(x)", "def shift(x, y=1)", True),
    ],
)
def test_a_kernel_depends_on_what_it_calls_and_on_nothing_else(
    tmp_path: Path, file: str, old: str, new: str, changes: bool
) -> None:
    package = tmp_path / "pack"
    package.mkdir()
    for name, text in KERNELS.items():
        (package / name).write_text(text)

    def digest() -> str:
        return Definitions(Sources([package])).hash_of(str(package / "kernels.py"), "kernel")

    before = digest()
    assert old in KERNELS[file]
    (package / file).write_text(KERNELS[file].replace(old, new))
    assert (digest() != before) == changes


def test_a_comment_compiles_nothing(project: Project) -> None:
    """Nor does a kernel that is added above another one: numba's own files are named by the number of the line."""
    assert project.run() == ([7.0], COMPILED)
    path = f"{project.packages[0]}/kernels.py"
    assert (project.folder / path).exists()
    project.write(path, "# what these are for\n\n\n" + PACKAGE["kernels.py"] + "\n# the end\n")
    assert project.run() == ([7.0], 0)


def function_in(path: Path) -> Any:
    """A function that stands in a file."""
    names: dict[str, Any] = {"__name__": "there"}
    exec(compile("def f():\n    pass\n", str(path), "exec"), names)
    return names["f"]


def test_kernels_of_these_packages_are_part_of_what_a_users_kernel_depends_on(project: Project, tmp_path: Path) -> None:
    packages = [tmp_path / "inner"]
    project.write("inner/__init__.py", "")
    project.write("inner/kernels.py", "from numba import njit\n")
    own, user = function_in(tmp_path / "inner" / "kernels.py"), function_in(project.folder / "machine" / "kernels.py")

    def keys() -> tuple[str, str]:
        found = KernelKeys(tmp_path / "kept", Sources(packages))
        return found.key_of(own), found.key_of(user)

    before = keys()
    project.write("inner/kernels.py", "from numba import njit\n\nprint(1)\n")
    assert len({*before, *keys()}) == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("numba.__version__", "0.0.1"),
        ("llvmlite.__version__", "0.0.1"),
        ("llvmlite.binding.llvm_version_info", (1, 2, 3)),
        ("numpy.__version__", "0.0.1"),
        ("platform.python_version", lambda: "3.99.0"),
        ("platform.machine", lambda: "other"),
        ("llvmlite.binding.get_host_cpu_name", lambda: "other"),
        ("llvmlite.binding.get_host_cpu_features", lambda: FeatureMap({"avx2": False})),
        ("numba.config.OPT", "0"),
        ("numba.config.CPU_NAME", "generic"),
    ],
)
def test_another_version_or_machine_has_its_own_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: Any
) -> None:
    """So has a folder of compiled code that is taken to another computer."""
    function = function_in(ROOT / "modiapy" / "symbolic" / "kernels" / "newton.py")
    here = KernelKeys(tmp_path).key_of(function)
    monkeypatch.setattr(name, value)
    assert KernelKeys(tmp_path).key_of(function) != here


def test_a_damaged_file_is_compiled_anew(tmp_path: Path) -> None:
    project = Project(tmp_path, "first", "second", "third", "fourth")
    project.run()
    for path, damaged in zip(project.kernels, DAMAGES, strict=True):
        path.write_bytes(damaged(path.read_bytes()))
    assert project.run() == ([7.0] * 4, 4 * COMPILED)
    assert project.run() == ([7.0] * 4, 0)
    path.unlink()
    path.mkdir()
    assert project.run() == ([7.0] * 4, COMPILED)


def test_a_file_under_the_name_of_another_signature_is_not_taken(project: Project) -> None:
    assert project.run(arguments="[2.0, 2]") == ([7.0, 7.0], 2 * COMPILED)
    first, second = project.kernels
    content = first.read_bytes(), second.read_bytes()
    first.write_bytes(content[1])
    second.write_bytes(content[0])
    assert project.run(arguments="[2.0, 2]") == ([7.0, 7.0], 2 * COMPILED)


def test_a_cache_that_cannot_be_written_is_read_and_otherwise_done_without(project: Project) -> None:
    """A file in the place of a folder stops the superuser, too. The sources' folder gets no cache in its place."""
    project.cache.write_text("not a folder")
    assert project.run() == ([7.0], COMPILED)
    assert not list(project.folder.rglob("*.nb*"))
    project.cache.unlink()
    project.run()
    refuse = "import tempfile\ndef refuse(*a, **k): raise PermissionError\ntempfile.mkstemp = tempfile.TemporaryFile = refuse"
    for folder in (project.cache, *project.cache.rglob("*")):
        folder.chmod(0o555 if folder.is_dir() else 0o444)
    try:
        assert project.run(refuse) == ([7.0], 0)
        assert project.run(refuse, arguments="[2]") == ([7.0], COMPILED)
    finally:
        for folder in (project.cache, *project.cache.rglob("*")):
            folder.chmod(0o755)


def test_processes_fill_the_same_empty_cache(project: Project) -> None:
    """They add signatures of the same function; none may get the machine code of the other."""
    orders = ["[2.0, 2]", "[2, 2.0]", "[2.0]"]
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda arguments: project.run(arguments=arguments)[0], orders))
    assert results == [[7.0, 7.0], [7.0, 7.0], [7.0]]
    assert len(project.kernels) == 2
    assert project.run(arguments="[2, 2.0]") == ([7.0, 7.0], 0)
    assert not list(project.cache.rglob("*.tmp"))


# -- whose code is loaded ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_code_that_others_may_have_written_is_not_loaded(project: Project) -> None:
    """Folders and files are for the user alone, whatever the umask. Whom else they may belong to: `test_object_cache`."""
    assert project.run("import os; os.umask(0)") == ([7.0], COMPILED)
    modes = {path.stat().st_mode & 0o777 for path in (project.cache, *project.cache.rglob("*")) if path.is_dir()}
    assert modes == {0o700}
    assert {path.stat().st_mode & 0o777 for path in project.kernels} == {0o600}
    project.kernels[0].chmod(0o666)
    assert project.run() == ([7.0], COMPILED)


def test_a_relative_path_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", "cache")
    with pytest.raises(ModelError, match="MODIA_CACHE_DIR is a relative path; found 'cache'"):
        cache_dir()
    monkeypatch.setenv("MODIA_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_dir().is_absolute()


NO_PICKLE = """
import pickle
def refuse(*a, **k): raise SystemExit("a pickle is read")
pickle.loads = pickle.load = pickle.Unpickler = refuse
"""


def test_nothing_is_unpickled(project: Project, tmp_path: Path) -> None:
    """Not what was kept, and not a pickle in its place."""
    assert project.run() == ([7.0], COMPILED)
    assert project.run(NO_PICKLE) == ([7.0], 0)
    trace = tmp_path / "executed"
    evil = b"cos\nmkdir\n(V" + str(trace).encode() + b"\ntR."
    (kernel,) = project.kernels
    kernel.write_bytes(b"modia-object-1\n" + hashlib.sha256(evil).digest() + evil)
    assert project.run() == ([7.0], COMPILED)
    assert not trace.exists()


KINDS = """
from numba import njit
import numpy as np


@njit(cache=True)
def several(x, n=3):
    return np.zeros(n, dtype=np.int32), (x, True), x.sum()


@njit(cache=True)
def drive(x):
    a, (b, c), s = several(np.full(2, x))
    return a.size + s + (1.0 if c else 0.0)
"""


def test_types_and_constants_of_many_kinds_are_kept(project: Project) -> None:
    """Arrays, tuples, defaults, data types; dictionaries and exceptions with texts work too, kept or not."""
    project.write("machine/kernels.py", "import modiapy.acausal.native\n" + KINDS)
    assert project.run()[0] == [8.0]
    assert project.run() == ([8.0], 0)
    more = "\n    if x < 0:\n        raise ValueError('negative')\n    d = {1: x}\n    return d[1] + "
    project.write(
        "machine/kernels.py", "import modiapy.acausal.native\n" + KINDS.replace("\n    return a.size", f"{more}a.size")
    )
    assert project.run()[0] == project.run()[0] == [10.0]
