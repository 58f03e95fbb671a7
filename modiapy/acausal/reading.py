"""Variables of the equations that a component reads together."""

from __future__ import annotations

import numpy as np

from .segment import SignalReader


class Reader:
    """A `segment.SignalReader` that gives several numbers at once, too."""

    def __call__(self, name: str) -> float:
        """See `segment.SignalReader`."""
        raise NotImplementedError

    def all(self, names: tuple[str, ...]) -> np.ndarray:
        """Return the numbers of these names, shape (len(names),); quick where the same names are asked for again and again."""
        raise NotImplementedError


def read_all(read: SignalReader, names: tuple[str, ...]) -> np.ndarray:
    """Return the numbers of these names, shape (len(names),). Errors as of ``read``."""
    return read.all(names) if isinstance(read, Reader) else np.array([read(name) for name in names], dtype=float)
