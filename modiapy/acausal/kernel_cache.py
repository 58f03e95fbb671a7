"""Where compiled code is kept on disk, and how a stale numba kernel is made impossible.

numba invalidates a cached function when the file of *that* function changes. It does not look at the functions it calls in
other files, nor at constants imported from them, both of which are compiled into it. Therefore the kernels of each file of
these packages have a folder named by a hash of that file and of all files that it imports, directly or through others: an
edit compiles anew what depends on it, and nothing else. The kernels of others, which may call ours, share one folder
named by a hash of the sources of all our kernels and of everything they import.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

_NUMBA = re.compile(r"^\s*(?:from|import)\s+numba\b|^\s*from\s+\S*\bnative\s+import\b", re.MULTILINE)
_IMPORT = re.compile(r"^from\s+(\.*)([\w.]*)\s+import\s+(\([^)]*\)|[^\n#]*)", re.MULTILINE)

_numba_compilations = 0
_listening = False


def cache_dir() -> Path:
    """Folder for compiled code: the environment variable MODIA_CACHE_DIR, else the user's cache folder of the platform."""
    given = os.environ.get("MODIA_CACHE_DIR")
    if given:
        return Path(given).expanduser().absolute()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "modia3d"


def packages() -> tuple[Path, ...]:
    """Folders of the packages whose kernels share the cache: this package and, where it is installed, ``modia3d``."""
    own = Path(__file__).resolve().parents[1]
    other = own.parent / "modia3d"
    return (own, other) if other.is_dir() else (own,)


def source_hash(folders: Sequence[Path] | None = None) -> str:
    """Hash of all kernel sources below ``folders`` and of the files of these packages that they import at their top level.

    Args:
        folders: folders of packages; default `packages`.
    """
    roots = tuple(Path(folder) for folder in (packages() if folders is None else folders))
    text = {path: path.read_text("utf-8") for root in roots for path in sorted(root.rglob("*.py"))}
    return _hash_of([path for path, source in text.items() if _NUMBA.search(source)], roots)


def file_hash(file: Path, folders: Sequence[Path] | None = None) -> str:
    """Hash of one file and of the files of these packages that it imports at their top level, directly or through others.

    Args:
        file: below one of the folders.
        folders: folders of packages; default `packages`.
    """
    return _hash_of([file], tuple(Path(folder) for folder in (packages() if folders is None else folders)))


def _hash_of(pending: list[Path], roots: Sequence[Path]) -> str:
    text: dict[Path, str] = {}
    while pending:
        path = pending.pop()
        if path not in text:
            text[path] = path.read_text("utf-8")
            inside = (imported for imported in _imports(path, text[path], roots) if any(r in imported.parents for r in roots))
            pending.extend(imported for imported in inside if imported.is_file())
    digest = hashlib.sha256()
    for path in sorted(text):
        root = next(r for r in roots if r in path.parents)
        digest.update(f"{root.name}/{path.relative_to(root).as_posix()}\n".encode())
        digest.update(hashlib.sha256(text[path].encode()).digest())
    return digest.hexdigest()


def _imports(path: Path, source: str, roots: Iterable[Path]) -> list[Path]:
    found = []
    for dots, module, imported in _IMPORT.findall(source):
        parts = [part for part in module.split(".") if part]
        if dots:
            folder: Path | None = path.parents[len(dots) - 1]
        else:
            folder = next((root for root in roots if parts and root.name == parts[0]), None)
            parts = parts[1:]
        if folder is None:
            continue
        target = folder.joinpath(*parts)
        modules = [name.split()[0] for name in imported.strip("() \n").replace("\n", " ").split(",") if name.strip()]
        found += [target.with_suffix(".py") if parts else target / "__init__.py", target / "__init__.py"]
        found += [target / f"{name}.py" for name in modules]
    return found


@functools.cache
def configure() -> Path:
    """Direct numba's cache to the folder for the present sources, versions and CPU; count compilations from now on.

    Must run before a kernel is decorated with ``cache=True``; every module with kernels imports `native`, which calls it.

    Returns:
        The folder.
    """
    import llvmlite.binding as llvm
    import numba
    import numpy

    parts = (
        numba.__version__,
        numpy.__version__,
        platform.python_version(),
        platform.machine(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )

    base = cache_dir() / "kernels"

    def folder_of(sources: str) -> Path:
        return base / hashlib.sha256("\n".join((sources, *parts)).encode()).hexdigest()[:20]

    folder = folder_of(source_hash())
    _locate_files(functools.cache(lambda file: folder_of(file_hash(file))))
    setattr(numba.config, "CACHE_DIR", str(folder))  # noqa: B010  # made by numba when it reads the environment
    numba_compilations()
    return folder


def _locate_files(folder_of: Callable[[Path], Path]) -> None:
    """Let numba keep what it compiles from a file of these packages in the folder of this file."""
    from numba.core import caching

    cache = getattr(caching, "CacheImpl", None) or getattr(caching, "_CacheImpl", None)  # the name differs with the version
    known, roots = getattr(cache, "_locator_classes", None), packages()
    if not known:
        return  # the folder of all kernels serves as well
    base: Any = known[0]  # that of a folder that the user gives

    class FileLocator(base):  # type: ignore[misc]
        def __init__(self, py_func: Any, py_file: str) -> None:
            super().__init__(py_func, py_file)
            self._cache_path = str(folder_of(Path(py_file).resolve()))

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            own = any(root in Path(py_file).resolve().parents for root in roots)
            return super().from_function(py_func, py_file) if own else None

    known.insert(0, FileLocator)


def numba_compilations() -> int:
    """Functions that numba has compiled in this process since the first call of `configure` or of this function.

    Loading from a cache does not count. 0 while numba has not been imported; it is not imported for this.
    """
    if "numba" in sys.modules and not _listening:
        _listen()
    return _numba_compilations


def _listen() -> None:
    global _listening
    from numba.core import event

    class Counter(event.Listener):
        """Counts lowerings to machine code: one for each function, dispatcher or C callback, that is compiled."""

        def on_start(self, event: Any) -> None:
            global _numba_compilations
            if event.data["name"].startswith(("native_lowering", "native_parfor_lowering")):
                _numba_compilations += 1

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:run_pass", Counter())
    _listening = True
