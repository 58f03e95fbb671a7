"""Numba's kernels on disk, and how a stale one is made impossible.

numba invalidates a cached function when the file of *that* function changes. It does not look at the functions it calls in
other files, nor at constants imported from them, both of which are compiled into it. Therefore each kernel has a folder named
by a hash of its definition and of all that it depends on (`definitions`), of the versions and of the CPU: an edit compiles anew
what depends on what was edited, and nothing else; a comment nothing. The folder of a kernel outside of these packages depends
on all kernels of these packages besides. Finding what kernels depend on takes a second; it is kept by the hash of the files.

numba lists the signatures of a function in an index. Two processes that add one at the same time may get the same number for
their machine code there, and a damaged file is a traceback, or a crash; and what it keeps are pickles. Therefore each
signature has a file of its own (`kernel_file`), with a checksum (`checked_file`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .cache_folder import cache_dir
from .checked_file import read_checked, write_checked
from .compile_notice import show
from .definitions import Definitions, files_of
from .kernel_file import Unsuitable, packed, unpacked
from .sources import Sources, packages


class _Compiled(threading.local):
    """Number of functions that numba has compiled for a thread."""

    number = 0


_compiled = _Compiled()
_listening, _beginning = False, threading.Lock()


class KernelKeys:
    """Names of the folders of kernels: hashes of what they are made of, of versions, options of numba and the CPU.

    Args:
        folder: where the hashes of definitions are kept.
        sources: what has been read before; default: nothing.
    """

    def __init__(self, folder: Path, sources: Sources | None = None) -> None:
        self._folder = folder
        self._sources = sources or Sources(packages())
        self._definitions = Definitions(self._sources)
        self._machine = _machine()

    def key_of(self, function: Callable[..., Any]) -> str:
        """Return the name of the folder for a function as it was written, of these packages or not."""
        files = files_of(function)
        parts = [self._definition(files, function), *self._machine]
        if not all(map(self._sources.contains, files)):
            parts.append(self._sources.hash_of_kernels())
        return _key(*parts)

    def _definition(self, files: Sequence[str], function: Callable[..., Any]) -> str:
        kept = self._folder / _key(self._sources.hash_of(files), function.__module__, function.__qualname__, *self._machine)
        content = read_checked(kept)
        if content is None:
            content = self._definitions.hash_of_function(function).encode()
            write_checked(kept, content)
        return content.decode()


def _key(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


@functools.cache
def configure() -> None:
    """Direct numba's cache to a folder for each kernel, named by `KernelKeys`; count compilations from now on.

    Must run before a kernel is decorated with ``cache=True``; every module with kernels imports `native`, which calls it. The
    environment and the sources are read once in a process.
    """
    folder = cache_dir() / "kernels"
    keys = KernelKeys(folder / "definitions")
    if not _direct(lambda function: folder / keys.key_of(function)):
        from numba.core import ccallback, dispatcher  # without the classes that are known here: nothing is kept

        for kind in (dispatcher.Dispatcher, ccallback.CFunc):
            setattr(kind, "enable_caching", lambda self: None)  # noqa: B010  # mypy allows no method to be assigned
    numba_compilations()


def _machine() -> tuple[str, ...]:
    """Return everything but the sources that decides about machine code."""
    import llvmlite
    import llvmlite.binding as llvm
    import numba
    import numpy

    options = ("OPT", "BOUNDSCHECK", "ENABLE_AVX", "LOOP_VECTORIZE", "SLP_VECTORIZE", "CPU_NAME", "CPU_FEATURES")
    return (
        numba.__version__,
        llvmlite.__version__,
        str(llvm.llvm_version_info),
        numpy.__version__,
        platform.python_implementation(),
        platform.python_version(),
        sys.platform,
        platform.machine(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        *(f"{name}={getattr(numba.config, name, None)}" for name in options),
    )


def _direct(folder_of: Callable[[Callable[..., Any]], Path]) -> bool:
    """Make numba keep its machine code of a function in ``folder_of(function)``; return False if numba is not as expected."""
    from numba.core import caching

    cache = getattr(caching, "CacheImpl", None) or getattr(caching, "_CacheImpl", None)  # the name differs with the version
    known, files = getattr(cache, "_locator_classes", None), getattr(caching, "IndexDataCacheFile", None)
    if not known or files is None:
        return False
    base: Any = known[0]  # that of a folder that the user gives

    class FileLocator(base):  # type: ignore[misc]
        """The folder of a function; it need not exist, and may be one that cannot be written."""

        def __init__(self, py_func: Any, py_file: str) -> None:
            self._py_file, self._lineno = py_file, py_func.__code__.co_firstlineno
            self._cache_path = str(folder_of(py_func))

        def get_disambiguator(self) -> str:
            """Return nothing: numba's number of the line would change with what is written above the function."""
            return ""

        def ensure_cache_path(self) -> None:
            pass

        @classmethod
        def from_function(cls, py_func: Any, py_file: str) -> Any:
            return cls(py_func, py_file) if os.path.isfile(py_file) else None

    class SignatureFiles(files):  # type: ignore[misc,valid-type]
        """One checked file for each signature of a function."""

        def load(self, key: Any) -> Any:
            content = read_checked(self._file(key))
            return None if content is None else unpacked(key, content)

        def save(self, key: Any, data: Any) -> None:
            with contextlib.suppress(Unsuitable):
                write_checked(self._file(key), packed(key, data))

        def flush(self) -> None:
            for file in Path(self._cache_path).glob(f"{self._name}.*.kernel"):
                file.unlink(missing_ok=True)

        @property
        def _name(self) -> str:
            return str(self._index_name).removesuffix(".nbi")

        def _file(self, key: Any) -> Path:
            return Path(self._cache_path, f"{self._name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.kernel")

    known.insert(0, FileLocator)
    setattr(caching, files.__name__, SignatureFiles)
    return True


def numba_compilations() -> int:
    """Return the functions that numba has compiled for this thread since the first call of `configure` or of this function.

    Loading from a cache does not count. 0 while numba has not been imported; it is not imported for this.
    """
    if "numba" in sys.modules and not _listening:
        _listen()
    return _compiled.number


def _listen() -> None:
    global _listening
    from numba.core import event

    with _beginning:
        if _listening:
            return
        _listening = True

    class Counter(event.Listener):
        """Counts lowerings to machine code: one for each function, dispatcher or C callback, that is compiled."""

        def on_start(self, event: Any) -> None:
            if event.data["name"].startswith(("native_lowering", "native_parfor_lowering")):
                _compiled.number += 1
            elif event.data["name"].startswith("translate_bytecode"):
                show(event.data["qualname"])

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:run_pass", Counter())
