"""Installed machine code of kernels: the same results as numba's, and numba wherever it does not fit."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modiapy.acausal.disk import machine_code
from modiapy.acausal.native import Kernel
from modiapy.symbolic.kernels import block_kernel, colour_kernel, table_kernels
from tools.machine_code.build import CannotBuild, build

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]
MODULES = ["modiapy.symbolic.kernels.colour_kernel", "modiapy.symbolic.kernels.block_kernel"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with the machine code of two modules."""
    made = tmp_path_factory.mktemp("site") / machine_code.PACKAGE
    assert build(made, 1, MODULES) == {}
    return made


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Take machine code from a folder."""

    def take(folder: Path) -> machine_code.Library | None:
        monkeypatch.setenv(machine_code.VARIABLE, str(folder))
        machine_code.installed.cache_clear()
        return machine_code.installed()

    yield take
    machine_code.installed.cache_clear()


def refuse(*arguments: object) -> None:
    raise AssertionError(f"numba was asked for {arguments}")


def function_of(kernel: Kernel) -> Any:
    """The installed machine code of a kernel, which must not ask numba for anything."""
    function = machine_code.call_of(kernel.py_func, refuse)
    assert function is not None
    return function


def entries(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.integers(0, n, 5 * n), random.integers(0, n, 5 * n)


def test_arrays_numbers_and_truths_come_back_as_from_python(folder: Path, use: Any) -> None:
    use(folder)
    for n in (1, 7, 60):
        rows, columns = entries(n, n)
        found, expected = (
            function_of(colour_kernel.in_order)(n, rows, columns),
            colour_kernel.in_order.py_func(n, rows, columns),
        )
        for one, other in zip(found, expected, strict=True):
            assert one.dtype == other.dtype
            assert one.tolist() == other.tolist()
        starts, rows, columns = expected
        assert function_of(colour_kernel.are_rows)(starts, rows) is True
        assert function_of(colour_kernel.are_rows)(starts[::-1].copy(), rows) is False
        memory = [np.zeros((3, n), np.int64) for _ in range(2)]
        colours = [
            function(starts, rows, 1e9, *array)
            for function, array in zip(
                (function_of(colour_kernel.greedy_colours), colour_kernel.greedy_colours.py_func), memory, strict=True
            )
        ]
        assert colours[0] == colours[1]
        assert type(colours[0]) is int
        assert np.array_equal(*memory)
        places = [(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(rows.size + n, np.int64)) for _ in range(2)]
        blocks = function_of(block_kernel.divide)(starts, rows, *places[0])
        assert type(blocks) is tuple
        assert blocks[0] <= n
        assert sorted(places[0][0]) == list(range(n))


def test_other_arguments_go_to_numba(folder: Path, use: Any) -> None:
    use(folder)
    asked: list[Any] = []
    in_order = machine_code.call_of(colour_kernel.in_order.py_func, lambda *arguments: asked.append(arguments))
    assert in_order is not None
    rows, columns = entries(5, 1)
    read_only = rows.copy()
    read_only.setflags(write=False)
    wrong = [
        (5, rows[::2], columns[::2]),
        (5, rows.astype(np.int32), columns),
        (5, rows.reshape(5, 5), columns),
        (5, read_only, columns),
        (5, rows.tolist(), columns),
        (5.5, rows, columns),
        (5, rows),
        (5, None, columns),
    ]
    for arguments in wrong:
        in_order(*arguments)
    assert len(asked) == len(wrong)
    assert in_order(np.int64(5), rows, columns) is not None, "a whole number of numpy is one"
    assert len(asked) == len(wrong)


def test_what_is_not_in_the_library_goes_to_numba(folder: Path, use: Any) -> None:
    use(folder)
    assert machine_code.address_of(table_kernels.table1d.py_func, inner=True) is None
    assert machine_code.address_of(colour_kernel.in_order.py_func, inner=True)


def test_another_processor_goes_to_numba(folder: Path, use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    content = json.loads((folder / machine_code.INDEX).read_text())
    monkeypatch.setattr(machine_code, "cpu_has", lambda cpu: cpu != content["cpu"])
    assert use(folder) is None
    monkeypatch.undo()
    machine_code.installed.cache_clear()
    monkeypatch.setattr(machine_code, "machine", lambda: "plan9-vax")
    assert use(folder) is None


@pytest.mark.parametrize("damage", ["library", "index", "no library", "other version"])
def test_a_damaged_package_goes_to_numba(damage: str, folder: Path, use: Any, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    library, index = copy / json.loads((copy / machine_code.INDEX).read_text())["library"], copy / machine_code.INDEX
    content = library.read_bytes()
    if damage == "library":
        library.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "index":
        index.write_bytes(index.read_bytes()[:-20])
    elif damage == "no library":
        library.unlink()
    else:
        index.write_text(index.read_text().replace(f'"format":{machine_code.FORMAT}', '"format":0'))
    assert use(folder) is not None
    assert use(copy) is None


PROBE = """
import json
from modiapy.acausal.disk import machine_code
from modiapy.symbolic.kernels import block_kernel, colour_kernel
found = [machine_code.call_of(kernel.py_func, print) for kernel in (colour_kernel.in_order, block_kernel.divide)]
print(json.dumps([found[0] is not None, found[1] is not None, machine_code.__file__]))
"""


def probed(root: Path, folder: Path) -> tuple[bool, bool]:
    """Whether a process that imports the packages of ``root`` uses the machine code of both modules."""
    environment = os.environ | {"PYTHONPATH": str(root), machine_code.VARIABLE: str(folder)}
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=root, env=environment, capture_output=True, text=True, check=True)
    colour, block, file = json.loads(done.stdout)
    assert Path(file).is_relative_to(root)
    return colour, block


def test_edited_sources_go_to_numba_and_only_these(folder: Path, tmp_path: Path) -> None:
    for package in ("modiapy", "modia3d"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    assert probed(tmp_path, folder) == (True, True), "another place, the same sources"
    file = tmp_path / "modiapy" / "symbolic" / "kernels" / "block_kernel.py"
    source = file.read_text()
    file.write_text(f"# a comment\n\n{source}\n\ndef more():\n    pass\n")
    assert probed(tmp_path, folder) == (True, True), "what the kernels depend on is the same"
    file.write_text(source + "\n\nprint(end='')\n")
    assert probed(tmp_path, folder) == (True, False)
    file.write_text(source)
    intrinsics = tmp_path / "modiapy" / "acausal" / "intrinsics.py"  # imported by numba's side only
    intrinsics.write_text(intrinsics.read_text() + "\nX = 1\n")
    assert probed(tmp_path, folder) == (False, False)


def test_sources_that_are_edited_while_they_are_compiled_give_no_machine_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = iter(["before the edit", "after it"])
    monkeypatch.setattr("modiapy.acausal.disk.sources.Sources.hash_of_kernels", lambda sources: next(hashes))
    folder = tmp_path / machine_code.PACKAGE
    with pytest.raises(CannotBuild, match="edited while"):
        build(folder, 1, MODULES[:1])
    assert not (folder / machine_code.INDEX).exists()


def test_without_a_compiler_or_numba_the_wheel_is_made_without_machine_code(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    others = "__pycache__", ".*", "build", "tests", "docs", "benchmarks", "scenarios"  # among them a virtual environment
    shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(*others))
    (clone / "numba.py").write_text("raise ImportError('not for this Python')\n")
    command = [sys.executable, "setup.py", "--quiet", "bdist_wheel", "--dist-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True)
    assert "no machine code of the kernels" in done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("py3-none-any.whl")
