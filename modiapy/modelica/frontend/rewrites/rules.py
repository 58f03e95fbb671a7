"""All rewrites, and their application to files and to flat trees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from . import (
    complex_scalars,
    control_flow,
    declared_sizes,
    derivatives,
    lossy_gear,
    own_base,
    random_numbers,
    table_parameters,
    when_tuples,
)

_REWRITES: tuple[Callable[[str], str], ...] = (
    own_base.rewrite,
    lossy_gear.rewrite,
    random_numbers.rewrite,
    when_tuples.rewrite,
    declared_sizes.rewrite,
    table_parameters.rewrite,
    control_flow.rewrite,
    complex_scalars.rewrite,
    derivatives.rewrite,
)
_RESTORED: tuple[Callable[[dict[str, Any]], None], ...] = (
    table_parameters.restore,
    control_flow.restore,
    complex_scalars.restore,
    derivatives.restore,
)


@cache
def fingerprint() -> bytes:
    """Changes with the rewrites: what the compiler was given, and what is made of its answers, depends on them."""
    return b"".join(hashlib.sha256(file.read_bytes()).digest() for file in sorted(Path(__file__).parent.glob("*.py")))


def rewritten(content: bytes) -> bytes:
    """The content of a file as the compiler is to read it."""
    text = content.decode("utf-8", errors="surrogateescape")
    for rewrite in _REWRITES:
        text = rewrite(text)
    return text.encode("utf-8", errors="surrogateescape")


def restored(trees: dict[str, Any]) -> None:
    """Make of flat trees what those of the original would be."""
    for restore in _RESTORED:
        restore(trees)
