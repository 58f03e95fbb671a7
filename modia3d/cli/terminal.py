"""What the command says to whoever started it, who may be gone."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable


def tell(text: str) -> None:
    """A line on stderr; nothing where nobody listens any more."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def attempt(write: Callable[[], None]) -> list[OSError]:
    """Write to stdout; the error where nobody listens any more: that does not keep files from being written."""
    try:
        write()
        sys.stdout.flush()
    except OSError as error:
        return [error]
    return []
