"""Files of plain data: nested mappings and lists of numbers and texts, in which numpy arrays may stand.

A file is a zip of ``header.json`` and one uncompressed ``.npy`` per array; ``numpy.load`` reads the arrays, too. Nothing in
it is executed, so that a file of a stranger can do no harm.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..model.errors import ModelError

HEADER = "header.json"
_ARRAY = "$array"
_KINDS = "fiub"
"""Kinds of numbers that an array may have."""


def write_archive(file: str | PathLike[str], data: Any) -> None:
    """Write data to a file; whoever reads it while it is written sees the old file or the new one, never a part.

    Raises:
        ModelError: the file cannot be written, or there is something else in the data.
    """
    arrays: list[np.ndarray] = []
    header = json.dumps(_packed(data, arrays))
    target = Path(file)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(HEADER, header)
            for number, array in enumerate(arrays):
                member = io.BytesIO()
                np.lib.format.write_array(member, array, allow_pickle=False)
                archive.writestr(f"{number}.npy", member.getvalue())
        os.replace(temporary, target)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise ModelError("the file cannot be written", path=os.fspath(file), found=str(error)) from None


def read_archive(file: str | PathLike[str]) -> Any:
    """The data that `write_archive` wrote.

    Raises:
        ModelError: the file cannot be read, is damaged, or is something else.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise ValueError("compressed members")
            header = json.loads(archive.read(HEADER))
            arrays = [_array(archive, number) for number in range(len(archive.namelist()) - 1)]
        return _unpacked(header, arrays)
    except FileNotFoundError:
        raise ModelError("there is no such file", path=os.fspath(file)) from None
    except OSError as error:
        raise ModelError("the file cannot be read", path=os.fspath(file), found=str(error)) from None
    except (zipfile.BadZipFile, ValueError, KeyError, IndexError, EOFError, RecursionError, NotImplementedError) as error:
        raise ModelError(
            "the file is damaged, or no file of this kind",
            path=os.fspath(file),
            found=f"{type(error).__name__}: {error}",
            remedy="Save again.",
        ) from None


def _array(archive: zipfile.ZipFile, number: int) -> np.ndarray:
    array = np.lib.format.read_array(io.BytesIO(archive.read(f"{number}.npy")), allow_pickle=False)
    if array.dtype.kind not in _KINDS:
        raise ValueError(f"an array of {array.dtype}")
    return np.ascontiguousarray(array)


def packed_text(data: Any) -> str:
    """The same data as one line of JSON, arrays as lists of their rows."""
    arrays: list[np.ndarray] = []
    packed = _packed(data, arrays)
    return json.dumps([packed, *([array.dtype.str, array.tolist(), array.shape] for array in arrays)])


def unpacked_text(text: str) -> Any:
    """What `packed_text` wrote. Raises ValueError, KeyError or IndexError where it is something else."""
    packed, *given = json.loads(text)
    arrays = [np.array(values, dtype=np.dtype(kind)).reshape(shape) for kind, values, shape in given]
    if any(array.dtype.kind not in _KINDS for array in arrays):
        raise ValueError("an array that is not one of numbers")
    return _unpacked(packed, arrays)


def _packed(data: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(data, np.ndarray):
        if data.dtype.kind not in _KINDS:
            raise ModelError("an array cannot be written", found=str(data.dtype), expected="numbers")
        arrays.append(data)
        return {_ARRAY: len(arrays) - 1}
    if isinstance(data, np.generic):
        return data.item()
    if isinstance(data, dict):
        return {str(key): _packed(value, arrays) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_packed(value, arrays) for value in data]
    if data is None or isinstance(data, bool | int | float | str):
        return data
    raise ModelError("this cannot be written to a file", found=type(data).__name__, expected="numbers, texts, lists, mappings")


def _unpacked(data: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(data, dict):
        if set(data) == {_ARRAY}:
            return arrays[data[_ARRAY]]
        return {key: _unpacked(value, arrays) for key, value in data.items()}
    return [_unpacked(value, arrays) for value in data] if isinstance(data, list) else data
