"""All rewrites, and their application to files and to flat trees."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from . import (
    complex_scalars,
    control_flow,
    declared_sizes,
    defined_values,
    derivatives,
    if_equations,
    lossy_gear,
    model_algorithms,
    own_base,
    random_numbers,
    table_parameters,
    veiled_equations,
    veiled_statements,
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
RESORTS: tuple[tuple[Callable[[str], str], ...], ...] = (
    (if_equations.rewrite, model_algorithms.rewrite, defined_values.rewrite),
    (veiled_equations.rewrite,),
)
"""What only models are given that the compiler refuses otherwise, one after the other."""
_RESTORED: tuple[Callable[[dict[str, Any]], None], ...] = (
    veiled_statements.restore,
    defined_values.restore,
    table_parameters.restore,
    control_flow.restore,
    complex_scalars.restore,
    derivatives.restore,
)


@cache
def fingerprint() -> bytes:
    """Changes with the rewrites: what the compiler was given, and what is made of its answers, depends on them."""
    return b"".join(hashlib.sha256(file.read_bytes()).digest() for file in sorted(Path(__file__).parent.glob("*.py")))


def rewritten(content: bytes, veiled: int = 0) -> bytes:
    """The content of a file as the compiler is to read it.

    Args:
        content: as it was written.
        veiled: how many of the last resorts are taken, of `RESORTS`.
    """
    text = content.decode("utf-8", errors="surrogateescape")
    for rewrite in (*_REWRITES, *chain.from_iterable(RESORTS[:veiled])):
        text = rewrite(text)
    return text.encode("utf-8", errors="surrogateescape")


def restored(trees: dict[str, Any]) -> None:
    """Make of flat trees what those of the original would be."""
    for restore in _RESTORED:
        restore(trees)
