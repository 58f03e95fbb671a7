"""Variables of the equations that a component reads together."""

from __future__ import annotations

import numpy as np

from .segment import Read


class Reader:
    """A `segment.Read` that gives several numbers at once, too."""

    def __call__(self, name: str) -> float:
        """See `segment.Read`."""
        raise NotImplementedError

    def all(self, names: tuple[str, ...]) -> np.ndarray:
        """Return the numbers of these names, shape (len(names),); quick where the same names are asked for again and again."""
        raise NotImplementedError


def read_all(read: Read, names: tuple[str, ...]) -> np.ndarray:
    """Return the numbers of these names, shape (len(names),). Errors as of ``read``."""
    return read.all(names) if isinstance(read, Reader) else np.array([read(name) for name in names], dtype=float)
