"""Machine code of kernels that was installed with the package, so that numba need not be imported.

The package ``modia3d_kernels``, made by ``tools/machine_code``, has a shared library and an index that says of each kernel
which source files it was made of. It is used where these files are the same now, installed ones or those of a clone, or where
what the kernel depends on in them is (`definitions`): a comment does not matter, nor another function. Everything else goes to
numba: an edited function and all that calls it, a processor with less than the library was made for, a library that is damaged,
arguments of other types.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import index, itemgetter
from pathlib import Path
from typing import Any

from .sources import Sources, packages

VARIABLE = "MODIA_KERNELS"
"""Environment variable: ``numba`` leaves the installed machine code alone; another value is the folder to take it from."""

PACKAGE = "modia3d_kernels"
INDEX, FORMAT = "kernels.json", 2

REFUSED = -32768
"""Status where arguments are not of the types that a kernel takes."""

TYPES = ("array", "float64", "int64", "bool")
"""Of the words of `SYMBOL_OF_TYPES`: addresses of the type of arrays, and of element types."""
SYMBOL_OF_TYPES = "modia3d_types"


@dataclass(frozen=True)
class Code:
    """Entry of the index for one kernel.

    Attributes:
        symbol: of the C function.
        inner: symbol of the function in numba's own calling convention; "" if it is not in the library.
        arguments: of each argument "float64", "int64" or "bool", with the number of dimensions behind it if it is an array.
        results: the same of the results; a kernel with several returns a tuple.
        nogil: whether other threads may run meanwhile.
    """

    symbol: str
    inner: str = ""
    arguments: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    several: bool = False
    nogil: bool = False


def key_of(function: Callable[..., Any]) -> str:
    """Return the key of a Python function in the index."""
    return f"{function.__module__}:{function.__qualname__}"


def call_of(function: Callable[..., Any], otherwise: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the installed machine code of a kernel as a function of Python; None if there is none.

    Args:
        function: as it was written.
        otherwise: called with arguments of other types, and to tell an error.
    """
    library = installed()
    code = None if library is None else library.code_of(function)
    return None if library is None or code is None else library.callable(code, otherwise)


def address_of(function: Callable[..., Any], inner: bool = False) -> int | None:
    """Return the address of the installed machine code of a kernel; None if there is none.

    Args:
        function: as it was written.
        inner: of the function in numba's own calling convention.
    """
    library = installed()
    code = None if library is None else library.code_of(function)
    symbol = "" if code is None else code.inner if inner else code.symbol
    return library.address(symbol) if library is not None and symbol else None


class Library:
    """The shared library with its index."""

    def __init__(self, folder: Path, content: Mapping[str, Any]) -> None:
        self._content = content
        self._roots = {root.name: root.parent for root in packages()}
        self._same: dict[int, bool] = {}
        self._without_lock = ctypes.CDLL(os.fspath(folder / content["library"]))
        self._code = ctypes.PyDLL(os.fspath(folder / content["library"]))
        import numpy as np

        words = (ctypes.c_int64 * len(TYPES)).in_dll(self._code, SYMBOL_OF_TYPES)
        words[:] = [id(np.ndarray), *(id(np.dtype(name)) for name in TYPES[1:])]

    def code_of(self, function: Callable[..., Any]) -> Code | None:
        """Return the stored data of a function, if its code was made from the present sources of it and its dependences."""
        entry = self._content["kernels"].get(key_of(function))
        if entry is None:
            return None
        described: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
        group, definition = described.pop("group"), described.pop("definition")
        unedited = all(map(self._is_same, self._content["groups"][group]))
        if not unedited and self._definitions.hash_of_function(function) != definition:
            return None
        return Code(**described)

    @functools.cached_property
    def _definitions(self) -> Any:
        from .definitions import Definitions  # here: where nothing was edited, nothing is parsed

        return Definitions(Sources(packages()))

    def _is_same(self, number: int) -> bool:
        if number not in self._same:
            name, digest = self._content["files"][number]
            root = self._roots.get(name.partition("/")[0])
            try:
                self._same[number] = root is not None and digest == hashlib.sha256((root / name).read_bytes()).hexdigest()
            except OSError:
                self._same[number] = False
        return self._same[number]

    def address(self, symbol: str) -> int:
        """Return the address of a symbol."""
        return ctypes.cast(getattr(self._code, symbol), ctypes.c_void_p).value or 0

    def callable(self, code: Code, otherwise: Callable[..., Any]) -> Callable[..., Any]:
        """Return a kernel as a function of Python."""
        function = getattr(self._without_lock if code.nogil else self._code, code.symbol)
        function.restype = ctypes.c_int32
        function.argtypes = [*(_CONVERTED.get(kind, ctypes.py_object) for kind in code.arguments), ctypes.c_void_p]
        n, read = len(code.arguments), self._reader(code)
        results = ctypes.c_int64 * sum(map(_words, code.results)) if code.results else None

        def call(*arguments: Any) -> Any:
            if len(arguments) == n:
                words = None if results is None else results()
                try:
                    status = function(*arguments, words)
                except ctypes.ArgumentError:
                    status = again(arguments, words)
                if status == 0:
                    return None if words is None else read(words)
            return otherwise(*arguments)

        def again(arguments: Sequence[Any], words: Any) -> int:
            try:
                pairs = zip(arguments, code.arguments, strict=True)
                return int(function(*(index(value) if kind == "int64" else value for value, kind in pairs), words))
            except (ctypes.ArgumentError, TypeError):
                return REFUSED

        return call

    def _reader(self, code: Code) -> Callable[[Any], Any]:
        """Return a function that makes Python's results of the words that a kernel wrote; unused where it writes none."""
        if {*code.results} <= {"int64"}:
            return tuple if code.several else itemgetter(0)
        starts = [sum(map(_words, code.results[:k])) for k in range(len(code.results))]
        parts = [(_READ.get(kind) or self._array_reader(kind), at) for kind, at in zip(code.results, starts, strict=True)]
        if code.several:
            return lambda words: tuple([read(words, at) for read, at in parts])
        ((read, _),) = parts
        return lambda words: read(words, 0)

    def _array_reader(self, kind: str) -> Callable[[Any, int], Any]:
        """Return a function that copies an array which a kernel made, and gives its memory back."""
        import numpy as np

        element, _, dimensions = kind.partition(" ")
        n, number, release = int(dimensions), np.dtype(element), self._release

        def read(words: Any, at: int) -> Any:
            owner, data, *shape = words[at : at + 2 + n]
            made = np.empty(shape, number)
            ctypes.memmove(made.ctypes.data, data, made.nbytes)
            release(owner)
            return made

        return read

    @functools.cached_property
    def _release(self) -> Callable[[int], None]:
        release: Callable[[int], None] = self._code.modia3d_release
        release.argtypes, release.restype = [ctypes.c_void_p], None  # type: ignore[attr-defined]
        return release


def _words(kind: str) -> int:
    """Return the words of a result: of an array its owner, its data and its shape."""
    dimensions = kind.partition(" ")[2]
    return 2 + int(dimensions) if dimensions else 1


_CONVERTED: dict[str, Any] = {"float64": ctypes.c_double, "int64": ctypes.c_int64, "bool": ctypes.c_int64}
"""Arguments that are no objects; whole numbers of numpy have to be made Python's before."""


def _float_at(words: Any, at: int) -> float:
    return float(ctypes.c_double.from_buffer(words, 8 * at).value)


_READ: dict[str, Callable[[Any, int], Any]] = {
    "float64": _float_at,
    "int64": lambda words, at: words[at],
    "bool": lambda words, at: bool(words[at]),
}


@functools.cache
def installed() -> Library | None:
    """Return the installed machine code; None where there is none that this processor and this Python can use."""
    folder = _folder()
    if folder is None:
        return None
    try:
        content = json.loads((folder / INDEX).read_bytes())
        fits = content["format"] == FORMAT and content["python"] == python_layout() and content["machine"] == machine()
        if not fits or not cpu_has(content["cpu"]):
            return None
        if hashlib.sha256((folder / content["library"]).read_bytes()).hexdigest() != content["digest"]:
            return None
        return Library(folder, content)
    except (OSError, ValueError, KeyError, AttributeError, ImportError):
        return None  # damaged, or of another version: numba does what it would have done


def _folder() -> Path | None:
    given = os.environ.get(VARIABLE)
    if given == "numba":
        return None
    if given:
        return Path(given)
    try:
        module = import_module(PACKAGE)
    except ImportError:
        return None
    return None if module.__file__ is None else Path(module.__file__).parent


def python_layout() -> int:
    """Return the number of bytes before an object's own fields: machine code that reads Python's objects depends on it."""
    return object.__basicsize__


def machine() -> str:
    """Return the platform that a shared library is for."""
    return f"{sys.platform}-{platform.machine().lower()}"


def cpu_has(cpu: str) -> bool:
    """Return whether this processor has what LLVM calls ``cpu``."""
    if cpu != "x86-64-v3":
        return True  # the least that all processors of the platform have
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    return bool(features.get("X86_V3"))  # older versions of numpy do not say: numba
