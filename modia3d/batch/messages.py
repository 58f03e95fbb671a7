"""Messages between a worker and the process that carries out its runs: pickles preceded by their length."""

from __future__ import annotations

import os
import pickle
from typing import Any

_HEAD = 8


def send(descriptor: int, message: Any) -> None:
    """Write a message. Raises OSError if the reader has ended."""
    data = pickle.dumps(message)
    view = memoryview(len(data).to_bytes(_HEAD, "little") + data)
    while view:
        view = view[os.write(descriptor, view) :]


def receive(descriptor: int) -> Any:
    """Return the next message; None at the end."""
    head = _exactly(descriptor, _HEAD)
    if head is None:
        return None
    data = _exactly(descriptor, int.from_bytes(head, "little"))
    return None if data is None else pickle.loads(data)


def _exactly(descriptor: int, size: int) -> bytes | None:
    parts = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
