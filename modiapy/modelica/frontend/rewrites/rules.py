"""All rewrites, and their application to files and to flat trees.

What they write as ``external`` has an annotation: of an external function without one, the compiler reads its own file of
what it has parsed wrongly, and ends.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from . import (
    complex_scalars,
    computed_sizes,
    control_flow,
    declared_sizes,
    defined_values,
    derivatives,
    external_arguments,
    if_equations,
    lossy_gear,
    model_algorithms,
    outer_members,
    own_base,
    purity,
    random_numbers,
    table_parameters,
    two_inputs,
    veiled_equations,
    veiled_statements,
    when_tuples,
)

_Rewrite = Callable[[str], str]
_FIRST: tuple[_Rewrite, ...] = (
    own_base.rewrite,
    purity.rewrite,
    external_arguments.rewrite,
    lossy_gear.rewrite,
    random_numbers.rewrite,
    when_tuples.rewrite,
    declared_sizes.rewrite,
    table_parameters.rewrite,
    two_inputs.rewrite,
)
_THEN: tuple[_Rewrite, ...] = (complex_scalars.rewrite, derivatives.rewrite)
_USUAL: tuple[_Rewrite, ...] = (*_FIRST, control_flow.rewrite, *_THEN)
_SIZED: tuple[_Rewrite, ...] = (
    *_FIRST,
    computed_sizes.rewrite,
    partial(control_flow.rewrite, kept=computed_sizes.is_size),
    *_THEN,
)
_RESORTS: tuple[tuple[_Rewrite, ...], ...] = (
    (),
    (if_equations.rewrite, model_algorithms.rewrite, defined_values.rewrite),
    (if_equations.rewrite, model_algorithms.rewrite, defined_values.rewrite, veiled_equations.rewrite),
)
VARIANTS: tuple[tuple[_Rewrite, ...], ...] = tuple((*first, *resort) for first in (_USUAL, _SIZED) for resort in _RESORTS)
"""In how many ways a model is given to the compiler, one after the other, see `next_variant`."""
_NEXT_STAGE = re.compile("todae failed")
"""Of a model that was flattened, but is refused by what the compiler does next."""
_UNKNOWN_SIZE = re.compile("unevaluable array dimensions")
_RESTORED: tuple[Callable[[dict[str, Any]], None], ...] = (
    outer_members.restore,
    veiled_statements.restore,
    defined_values.restore,
    table_parameters.restore,
    control_flow.restore,
    computed_sizes.restore,
    complex_scalars.restore,
    derivatives.restore,
)


@cache
def fingerprint() -> bytes:
    """Return the changes with the rewrites: what the compiler was given, and what is made of its answers, depends on them."""
    return b"".join(hashlib.sha256(file.read_bytes()).digest() for file in sorted(Path(__file__).parent.glob("*.py")))


def rewritten(content: bytes, variant: int = 0) -> bytes:
    """Return the content of a file as the compiler is to read it.

    Args:
        content: as it was written.
        variant: of `VARIANTS`.
    """
    text = content.decode("utf-8", errors="surrogateescape")
    for rewrite in VARIANTS[variant]:
        text = rewrite(text)
    return text.encode("utf-8", errors="surrogateescape")


def next_variant(variant: int, message: str) -> int | None:
    """Return the variant that the compiler may take where it said this of another one; None if there is none."""
    if _NEXT_STAGE.search(message) and (variant + 1) % len(_RESORTS):
        return variant + 1
    return len(_RESORTS) if _UNKNOWN_SIZE.search(message) and variant < len(_RESORTS) else None


def restored(trees: dict[str, Any]) -> None:
    """Make of flat trees what those of the original would be."""
    for restore in _RESTORED:
        restore(trees)
