"""Compiled code on disk: found again, rebuilt when damaged, never stale; and the counter of compilations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from modiapy.acausal.disk.cache_folder import cache_dir
from modiapy.acausal.disk.sources import Sources
from modiapy.symbolic.codegen import object_cache
from modiapy.symbolic.codegen.compilation_counter import compilations
from modiapy.symbolic.codegen.model import compile_model, generate
from modiapy.symbolic.sorted.sorted_model import SortedModel

from .sorted_models import Run, assign, sorted_model

pytestmark = pytest.mark.white_box


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def model(factor: float = 2.0) -> SortedModel:
    return sorted_model([assign(f"y = {factor}*p")], parameters={"p": 3.0})


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.o"))


def test_the_second_compilation_reads_the_first_from_disk(folder: Path) -> None:
    before = compilations()
    assert not compile_model(model()).translation["from_cache"]
    assert compilations() == before + 1
    run = Run(model())
    assert run.compiled.translation["from_cache"]
    assert compilations() == before + 1
    assert run.outputs() == {"y": 6.0}
    assert len(files(folder)) == 1


def test_another_model_is_another_file_and_other_parameters_are_not(folder: Path) -> None:
    compile_model(model())
    assert Run(model(5.0)).outputs() == {"y": 15.0}
    assert len(files(folder)) == 2
    changed = model()
    changed.flat.parameters["p"] = 7.0
    run = Run(changed)
    assert run.compiled.translation["from_cache"]
    assert run.outputs() == {"y": 14.0}


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty", "foreign"])
def test_a_damaged_file_is_rebuilt(folder: Path, damage: str) -> None:
    compile_model(model())
    (path,) = files(folder)
    good = path.read_bytes()
    bad = {
        "truncated": good[:-40],
        "flipped": good[:-9] + bytes([good[-9] ^ 1]) + good[-8:],
        "empty": b"",
        "foreign": b"x" * 500,
    }
    path.write_bytes(bad[damage])
    run = Run(model())
    assert not run.compiled.translation["from_cache"]
    assert run.outputs() == {"y": 6.0}
    assert path.read_bytes() == good


def test_a_folder_that_cannot_be_written_is_not_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("MODIA_CACHE_DIR", str(blocked))
    for _ in range(2):
        run = Run(model())
        assert not run.compiled.translation["from_cache"]
        assert run.outputs() == {"y": 6.0}


LOOSE = {
    "a folder that others may write": lambda folder, file: folder.chmod(0o777),
    "a folder that the group may write": lambda folder, file: folder.chmod(0o770),
    "a folder in it": lambda folder, file: file.parent.chmod(0o777),
    "a file": lambda folder, file: file.chmod(0o666),
    "a link to another folder": lambda folder, file: _link(file.parent),
    "a folder of another user": lambda folder, file: _give(folder),
    "a file of another user": lambda folder, file: _give(file),
}


def _link(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


def _give(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only the administrator can give a file to another user")
    os.chown(path, 12345, 12345)


@pytest.mark.skipif(sys.platform == "win32", reason="needs owners and modes")
@pytest.mark.parametrize("case", LOOSE)
@pytest.mark.filterwarnings("ignore:.*compiled code")
def test_code_that_others_may_have_written_is_not_loaded(folder: Path, case: str) -> None:
    compile_model(model())
    (path,) = files(folder)
    LOOSE[case](folder, path)
    run = Run(model())
    assert not run.compiled.translation["from_cache"]
    assert run.outputs() == {"y": 6.0}


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_a_folder_that_is_not_used_is_told_of_once(folder: Path) -> None:
    compile_model(model())
    folder.chmod(0o777)
    with pytest.warns(UserWarning, match=rf"{folder}: compiled code is neither read.*drwxrwxrwx.*chmod go-w"):
        compile_model(model())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compile_model(model())
    folder.chmod(0o700)
    assert Run(model()).compiled.translation["from_cache"]


def test_many_threads_write_the_same_file(folder: Path) -> None:
    results: list[float] = []
    threads = [threading.Thread(target=lambda: results.append(Run(model()).outputs()["y"])) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [6.0] * 6
    assert len(files(folder)) == 1
    assert not list(folder.rglob("*.tmp"))


def test_large_models_give_the_same_values_whatever_the_level_of_optimisation(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [assign("v0 = sin(p)")]
    lines += [
        assign(f"v{k} = cos(v{k - 1})*p - v{k // 2}/3 + noEvent(v{k - 1} if v{k // 3} > 0.1 else p)") for k in range(1, 60)
    ]
    large = sorted_model(lines, parameters={"p": 0.7})
    results = []
    for levels in ((1, 1), (1, 0)):
        monkeypatch.setattr(object_cache, "_levels", lambda ir, levels=levels: levels)
        monkeypatch.setattr(object_cache, "read_checked", lambda path: None)
        results.append(Run(large).outputs())
    assert results[0] == results[1]


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert cache_dir() == tmp_path / "elsewhere"
    monkeypatch.delenv("MODIA_CACHE_DIR")
    assert cache_dir().is_absolute()
    assert cache_dir().name == "modia3d"
    assert object_cache.object_path(generate(model()).ir) != object_cache.object_path(generate(model(3.0)).ir)


def test_the_hash_of_kernels_covers_what_they_import_and_nothing_else(tmp_path: Path) -> None:
    package = tmp_path / "pack"
    sources = {
        "__init__.py": "",
        "kernel.py": "from numba import njit\nfrom .layout import (\n    SIZE,\n)\nfrom pack.inner import deep\n",
        "layout.py": "from . import constants\n\nSIZE = constants.SIZE\n",
        "constants.py": "SIZE = 3\n",
        "inner/__init__.py": "",
        "inner/deep.py": "DEEP = 1\n",
        "report.py": "# formats tables\n",
    }
    for name, text in sources.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)

    def hashes() -> tuple[str, str]:
        """Of all kernels, and of one of them; files are read anew."""
        sources = Sources([package])
        return sources.hash_of_kernels(), sources.hash_of([str(package / "kernel.py")])

    original, own = hashes()
    for name in ("kernel.py", "layout.py", "constants.py", "inner/deep.py"):
        (package / name).write_text(sources[name] + "X = 1\n")
        assert hashes()[0] != original, name
        assert hashes()[1] != own, name
        (package / name).write_text(sources[name])
    (package / "report.py").write_text("# prettier\n")
    assert hashes()[0] == original
    (package / "other.py").write_text("from numba import njit\n")
    assert hashes()[0] != original
    assert hashes()[1] == own


_PROCESS = """
import json, sys
from modiapy.symbolic.codegen.compilation_counter import compilations
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
before = compilations()
from modiapy.symbolic.kernels.linear_iteration import linear_iteration
from tests.modiapy.symbolic.test_codegen_linear import dense_model
from tests.modiapy.symbolic.sorted_models import Run
import numpy as np
values = Run(dense_model(np.diag([2.0, 4.0]), np.ones(2), False)).outputs()
print(json.dumps([compilations() - before, linear_iteration.by_numba.cache_hits, values["w[1]"]]))
"""


def test_a_fresh_process_compiles_nothing_that_another_has_compiled(folder: Path) -> None:
    """Kernels that call each other, and a model, are compiled by the first process and loaded by the second."""

    def run() -> list[float]:
        root = Path(__file__).parents[3]
        environment = os.environ | {"PYTHONPATH": str(root), "MODIA_KERNELS": "numba"}
        done = subprocess.run(
            [sys.executable, "-c", _PROCESS], cwd=root, env=environment, capture_output=True, text=True, check=True
        )
        return list(json.loads(done.stdout))

    first, second = run(), run()
    assert first[0] not in (0, 1)
    assert first[1] == 0
    assert second == [0, 1, 0.25]
    assert list(folder.rglob("linear_iteration*.kernel"))


def test_compilations_by_numba_are_counted() -> None:
    from numba import cfunc, njit, types

    compilations()

    @njit
    def double(x):  # type: ignore[no-untyped-def]
        return 2 * x

    before = compilations()
    assert double(2) == 4
    assert compilations() == before + 1
    assert double(3) == 6
    assert compilations() == before + 1
    assert double(1.5) == 3.0
    assert compilations() == before + 2

    @cfunc(types.float64(types.float64))
    def half(x):  # type: ignore[no-untyped-def]
        return x / 2

    assert half.ctypes(3.0) == 1.5
    assert compilations() == before + 3
