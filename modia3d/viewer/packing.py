"""Arrays and poses as one block of bytes, which the page unpacks (``page/data.js``)."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from typing import Any

import numpy as np

from .content import Body

ANGLE = 32767.0
"""Steps of a quaternion's elements from 0 to 1."""

KINDS = {"d": "<f8", "f": "<f4", "i": "<i4", "I": "<u4", "H": "<u2", "h": "<i2"}
"""Kinds of numbers as the page knows them."""


class Block:
    """Arrays in sequence; an array that exists already is not stored again."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._known: dict[tuple[str, bytes], list[Any]] = {}

    def add(self, kind: str, values: Any) -> list[Any]:
        """Add an array; return its place: kind, first byte, number of elements."""
        raw = np.ascontiguousarray(values, dtype=KINDS[kind]).tobytes()
        key = kind, raw
        if key not in self._known:
            self._bytes += b"\0" * (-len(self._bytes) % 8)
            self._known[key] = [kind, len(self._bytes), len(raw) // np.dtype(KINDS[kind]).itemsize]
            self._bytes += raw
        return self._known[key]

    def packed(self) -> str:
        """Return the whole block, see `packed`."""
        return packed(bytes(self._bytes))


def packed(data: bytes) -> str:
    """Compress bytes by gzip and return them as base64. Equal data give equal results."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def length_step(bodies: Sequence[Body], size: float) -> float:
    """Return the unit of lengths in the page [m]: a millionth of the scene, 0.01 mm where numbers have room for it."""
    farthest = max((float(np.nanmax(np.abs(body.position))) for body in bodies if body.exists.any()), default=0.0)
    return max(min(1e-5, 1e-6 * size), 1e-8 * size, farthest / 2.0**28)


def add_poses(block: Block, body: Body, step: float) -> dict[str, Any]:
    """Add the poses of a body: numbers of its key frames, and second differences of its coordinates in whole steps.

    The page interpolates between key frames. A key frame is left out if the body is at rest before and after it.
    """
    columns = [body.position / step, body.quaternion * ANGLE] + ([] if body.scale is None else [body.scale / step])
    exact = np.hstack(columns)
    exact[~body.exists] = 0.0
    whole = np.round(exact).astype(np.int64)
    keys = changing(np.column_stack([whole, body.exists]))
    chosen, exists = whole[keys], body.exists[keys]
    for row in np.flatnonzero(~exists):  # what is not seen costs nothing
        chosen[row] = chosen[row - 1] if row else 0
    differences = np.diff(chosen, n=2, axis=0, prepend=np.zeros((2, chosen.shape[1]), dtype=np.int64))
    known = {"keys": block.add("I", keys), "values": block.add("i", differences.T), "columns": chosen.shape[1]}
    return known if exists.all() else known | {"gone": np.flatnonzero(~exists).tolist()}


def changing(values: np.ndarray) -> np.ndarray:
    """Return the numbers of the rows from which linear interpolation reproduces all rows at rest.

    A row is left out where it equals both of its neighbours. Shape (nt, k) in, shape (m,) out.
    """
    if len(values) < 2 or np.all(values == values[0]):
        return np.array([0])
    same = np.all(np.diff(values, axis=0) == 0, axis=1)
    inner = ~(same[:-1] & same[1:])
    return np.flatnonzero(np.concatenate(([True], inner, [True])))
