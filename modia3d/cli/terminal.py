"""Lines of a command for whoever started it, who may be gone."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable

from modiapy.model.errors import NumericalError


def tell(text: str) -> None:
    """Write a line on stderr; nothing where nobody listens any more."""
    with contextlib.suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def last_states(error: NumericalError) -> str:
    """Return data that may explain a numerical failure: the last states, fastest first, the last event, the segment."""
    lines = (
        ["last states, the fastest first:", *(f"  {state}" for state in error.fastest_states)] if error.fastest_states else []
    )
    lines += [f"last event: {error.last_event}"] if error.last_event else []
    if error.result is not None and error.result.segments:
        segment = error.result.segments[-1]
        lines.append(f"segment {segment.index} since {segment.start:.9g} s: {segment.cause}")
    return "\n".join(lines)


def attempt(write: Callable[[], None]) -> list[OSError]:
    """Write to stdout; the error where nobody listens any more: that does not keep files from being written."""
    try:
        write()
        sys.stdout.flush()
    except OSError as error:
        return [error]
    return []
