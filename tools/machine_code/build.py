"""Make the package ``modia3d_kernels`` in a folder: a shared library with the machine code of all kernels, and its index.

    python -m tools.machine_code.build FOLDER

Needs numba and a C compiler, which links; the processor is x86-64-v3, or the least of the platform elsewhere. ``setup.py`` runs
it for the wheel. Exit status 1, and one line that says why, where it cannot be made.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from modiapy.acausal.disk.machine_code import FORMAT, INDEX, VARIABLE, machine, python_layout
from modiapy.acausal.disk.sources import Sources, packages

ROOT = Path(__file__).parents[2]
LIBRARY = "kernels.so"
_MARKS = ("@njit", "@cfunc", "@component_function", "@fast_call", "@kernel", "Declaration(")
"""Of files whose modules have kernels, or declare force elements."""


class CannotBuild(Exception):
    """Error that says why there is no machine code."""


def modules() -> list[str]:
    """Return the modules with kernels, the largest files first."""
    files = [file for folder in packages() for file in folder.rglob("*.py") if _has_kernels(file)]
    files.sort(key=lambda file: -file.stat().st_size)
    return [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]


def _has_kernels(file: Path) -> bool:
    text = file.read_text("utf-8")
    return file.name != "native.py" and any(mark in text for mark in _MARKS)


def cpu() -> str:
    """Return the processor to build for, as LLVM calls it."""
    return "x86-64-v3" if platform.machine().lower() in ("x86_64", "amd64") else "generic"


def build(folder: Path, jobs: int, names: Sequence[str]) -> dict[str, str]:
    """Make the package.

    Args:
        folder: becomes the package.
        jobs: number of processes.
        names: of the modules.

    Returns:
        The kernels that are left out, and why.

    Raises:
        CannotBuild: there is no compiler, one of the steps fails, or sources are edited meanwhile.
    """
    before = Sources(packages()).hash_of_kernels()
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise CannotBuild("no C compiler was found, which links the library")
    with tempfile.TemporaryDirectory() as place:
        objects = Path(place)
        answers = _answers(names, objects, jobs)
        made = [one for answer in answers for one in answer["made"]]
        if not made:
            raise CannotBuild("no kernel could be compiled")
        folder.mkdir(parents=True, exist_ok=True)
        _link(compiler, objects, folder / LIBRARY)
    if Sources(packages()).hash_of_kernels() != before:
        (folder / INDEX).unlink(missing_ok=True)
        raise CannotBuild("source files were edited while they were compiled")
    (folder / INDEX).write_text(json.dumps(_index(made, folder / LIBRARY), separators=(",", ":")))
    (folder / "__init__.py").write_text(
        '"""Machine code of the kernels of modiapy and modia3d, see `modiapy.acausal.disk.machine_code`."""\n'
    )
    return {name: reason for answer in answers for name, reason in answer["left_out"].items()}


def _answers(names: Sequence[str], objects: Path, jobs: int) -> list[dict[str, Any]]:
    """Run `emit` for each module in several processes, and return its results."""
    queue: SimpleQueue[str] = SimpleQueue()
    for name in names:
        queue.put(name)
    with ThreadPoolExecutor(jobs) as pool:
        return [answer for answers in pool.map(lambda _: list(_work(queue, objects)), range(jobs)) for answer in answers]


def _work(queue: SimpleQueue[str], objects: Path) -> Iterator[dict[str, Any]]:
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))  # pip's packages for the build are there
    environment = os.environ | {"NUMBA_CPU_NAME": cpu(), "NUMBA_CPU_FEATURES": "", VARIABLE: "numba", "PYTHONPATH": paths}
    command = [sys.executable, "-m", "tools.machine_code.emit", str(objects)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while True:
            try:
                name = queue.get_nowait()
            except Empty:
                break
            print(name, file=process.stdin, flush=True)
            line = process.stdout.readline()
            if not line:
                raise CannotBuild(f"the kernels of {name} could not be compiled")
            yield json.loads(line)
        process.stdin.close()


def _link(compiler: str, objects: Path, library: Path) -> None:
    kind = ["-dynamiclib", "-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-shared", "-s"]
    files = sorted(map(str, objects.glob("*.o")))
    done = subprocess.run([compiler, *kind, "-o", str(library), *files, "-lm"], capture_output=True, text=True)
    if done.returncode != 0:
        raise CannotBuild(f"the linker failed: {done.stderr.strip()[-300:]}")


def _index(made: Sequence[dict[str, Any]], library: Path) -> dict[str, Any]:
    """Return the index that `modiapy.acausal.disk.machine_code` reads."""
    sources = Sources(packages())
    groups: dict[tuple[str, ...], int] = {}
    files: dict[tuple[str, str], int] = {}
    members: list[list[int]] = []
    kernels = {}
    for one in sorted(made, key=lambda one: str(one["key"])):
        first = tuple(one["files"])
        if first not in groups:
            groups[first] = len(groups)
            members.append(sorted(files.setdefault(item, len(files)) for item in sources.digests(first).items()))
        kernels[one["key"]] = one["entry"] | {"group": groups[first]}
    return {
        "format": FORMAT,
        "python": python_layout(),
        "machine": machine(),
        "cpu": cpu(),
        "library": library.name,
        "digest": hashlib.sha256(library.read_bytes()).hexdigest(),
        "files": list(files),
        "groups": members,
        "kernels": kernels,
    }


def main() -> int:
    """See the module."""
    try:
        left_out = build(Path(sys.argv[1]), os.cpu_count() or 1, modules())
    except (CannotBuild, OSError, ImportError) as reason:
        print(f"no machine code of the kernels: {reason}", file=sys.stderr)
        return 1
    for name, reason in left_out.items():
        print(f"not in the library: {name}: {reason}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
