"""Files of plain data: nested mappings and lists of numbers and texts, which may contain numpy arrays.

A file is a zip of ``header.json``, one uncompressed ``.npy`` per array (``numpy.load`` reads them, too) and ``checksum.txt``.
Reading executes nothing in it and takes no more memory than the length of the file. Files from unknown sources are therefore
safe to read.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import zipfile
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from ...acausal.disk.whole_file import check_writable, written_whole
from ...model.errors import ModelError

HEADER, CHECKSUM = "header.json", "checksum.txt"
_ARRAY = "$array"
_KINDS = "fiub"
"""Kinds of numbers that an array may have."""


def write_archive(file: str | PathLike[str], data: Any) -> None:
    """Write data to a file. A reader sees the old file or the new one, never a part.

    Raises:
        ModelError: the file cannot be written, or there is something else in the data.
    """
    arrays: list[np.ndarray] = []
    members = {HEADER: json.dumps(_packed(data, arrays)).encode()}
    for number, array in enumerate(arrays):
        member = io.BytesIO()
        np.lib.format.write_array(member, array, allow_pickle=False)
        members[f"{number}.npy"] = member.getvalue()
    try:
        with written_whole(file) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
            for name, content in (members | {CHECKSUM: _checksum(members).encode()}).items():
                archive.writestr(name, content)
    except OSError as error:
        raise ModelError("the file cannot be written", path=os.fspath(file), found=str(error)) from None


def check_target(file: str | PathLike[str]) -> None:
    """Refuse a path to which nothing can be written, before results could be lost. Raises ModelError."""
    try:
        check_writable(file)
    except (OSError, ValueError) as error:
        raise ModelError("the file cannot be written", path=os.fspath(file), found=str(error)) from None


def _checksum(members: Mapping[str, bytes]) -> str:
    """Return the checksum of names and contents, in the order of the names."""
    digests = (f"{name} {hashlib.sha256(members[name]).hexdigest()}\n" for name in sorted(members))
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def read_archive(file: str | PathLike[str]) -> Any:
    """Return the data that `write_archive` wrote.

    Raises:
        ModelError: the file cannot be read, is damaged, or is something else.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise ValueError("compressed members")
            members = {name: archive.read(name) for name in archive.namelist()}
        if _checksum({name: content for name, content in members.items() if name != CHECKSUM}).encode() != members[CHECKSUM]:
            raise ValueError("another checksum")
        arrays = [_array(members[f"{number}.npy"]) for number in range(len(members) - 2)]
        return _unpacked(json.loads(members[HEADER]), arrays)
    except FileNotFoundError:
        raise ModelError("there is no such file", path=os.fspath(file)) from None
    except OSError as error:
        raise ModelError("the file cannot be read", path=os.fspath(file), found=str(error)) from None
    except Exception as error:  # the libraries do not promise what they raise where a file is damaged
        raise ModelError(
            "the file is damaged, or no file of this kind",
            path=os.fspath(file),
            found=f"{type(error).__name__}: {error}",
            remedy="Save again.",
        ) from None


def _array(content: bytes) -> np.ndarray:
    """Return the array of a file's content, checked against the size that its header claims. Raises ValueError."""
    member = io.BytesIO(content)
    if np.lib.format.read_magic(member) != (1, 0):
        raise ValueError("another version of arrays")
    shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    if dtype.kind not in _KINDS:
        raise ValueError(f"an array of {dtype}")
    if math.prod(shape) * dtype.itemsize != len(content) - member.tell():
        raise ValueError(f"an array of the shape {shape} in {len(content)} bytes")
    member.seek(0)
    return np.asarray(np.lib.format.read_array(member, allow_pickle=False), order="C")


def packed_text(data: Any) -> str:
    """Return the same data as one line of JSON, arrays as lists of their rows."""
    arrays: list[np.ndarray] = []
    try:  # lists and mappings by the encoder itself, which is written in C
        packed = json.dumps(data, check_circular=False, default=lambda value: _packed(value, arrays))
    except TypeError:  # keys that are no texts
        arrays = []
        packed = json.dumps(_packed(data, arrays))
    given = (json.dumps([array.dtype.str, array.tolist(), array.shape]) for array in arrays)
    return f"[{', '.join([packed, *given])}]"


def unpacked_text(text: str) -> Any:
    """Return the value that `packed_text` wrote. Raises ValueError, KeyError, TypeError or OverflowError for another text."""
    packed, *given = json.loads(text)
    return _unpacked(packed, [_array_of(*part) for part in given])


def _array_of(kind: str, values: list[Any], shape: list[int]) -> np.ndarray:
    dtype = np.dtype(str(kind))
    if dtype.kind not in _KINDS or dtype.shape:
        raise ValueError("an array that is not one of numbers")
    array = np.array(values, dtype=dtype)
    if array.size != math.prod(map(int, shape)):
        raise ValueError(f"an array of {array.size} numbers for the shape {shape}")
    return array.reshape(shape)


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
    raise ModelError(
        "this value cannot be written to a file", found=type(data).__name__, expected="numbers, texts, lists, mappings"
    )


def _unpacked(data: Any, arrays: list[np.ndarray]) -> Any:
    if isinstance(data, dict):
        if set(data) == {_ARRAY}:
            number = data[_ARRAY]
            if type(number) is not int or not 0 <= number < len(arrays):
                raise ValueError(f"no array has the number {number!r}")
            return arrays[number]
        return {key: _unpacked(value, arrays) for key, value in data.items()}
    return [_unpacked(value, arrays) for value in data] if isinstance(data, list) else data
