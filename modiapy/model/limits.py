"""Limits of models, all in one place: sizes beyond which things are taken for mistakes (docs/limits.md).

A few letters in a file can ask for more memory than there is, or for years. What is refused here is refused before it is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import ModelError

MOST_REPETITIONS = 100_000
"""Elements of one `Array`, repetitions of one `For`."""

MOST_COPIES = 100_000
"""Elements of all arrays of submodels, or repetitions of all loops, of a model together; within each other they multiply."""

MOST_NUMBERS = 2_000_000
"""Of a parameter that an expression makes: its translation takes six seconds and half a gigabyte."""

MOST_UNKNOWNS = 200_000
"""Numbers of one variable: a state of a million takes four gigabytes before the simulation begins."""

_copies: ContextVar[list[int] | None] = ContextVar("copies", default=None)


@contextmanager
def copies_counted() -> Iterator[None]:
    """Count copies of one model within the block, see `count_copies`; a block within another one counts with it."""
    if _copies.get() is not None:
        yield
        return
    token = _copies.set([0])
    try:
        yield
    finally:
        _copies.reset(token)


def count_copies(number: int, path: str, what: str = "the number of elements") -> int:
    """Return the number of elements or repetitions, if so many more may be made.

    Args:
        number: to be checked.
        path: where.
        what: it is, for the message.

    Raises:
        ModelError: it is negative or too large, or too many were made already in this block of `copies_counted`.
    """
    if not 0 <= number <= MOST_REPETITIONS:
        raise ModelError(f"{what} is wrong", path=path, found=str(number), expected=f"0 to {MOST_REPETITIONS}")
    made = _copies.get()
    if made is not None:
        made[0] += number
        if made[0] > MOST_COPIES:
            raise ModelError(
                f"{what}: arrays of submodels or loops make too much of this model",
                path=path,
                found=f"more than {MOST_COPIES} elements and repetitions",
                expected="fewer; those within each other multiply",
                remedy="Variables and equations of one kind may also be arrays: Var(shape=n), der(x) = A @ x.",
            )
    return number


def check_numbers(shape: Sequence[int], most: int, what: str, path: str) -> None:
    """Refuse an array of more numbers than make sense. Raises ModelError."""
    if math.prod(map(int, shape)) > most:
        found = f"{' x '.join(f'{int(n)}' for n in shape)} elements"
        raise ModelError(f"{what} is too large", path=path, found=found, expected=f"at most {most}")
