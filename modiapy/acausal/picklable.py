"""Check of values that are to be pickled: an error names the one that cannot be."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

from ..model.errors import ModelError


def packed(value: Any, what: str, path: str = "") -> bytes:
    """Return a value as the bytes of a pickle.

    Args:
        value: to be pickled.
        what: it is, for messages.
        path: of it.

    Raises:
        ModelError: names the entry that cannot be pickled, by its path.
    """
    try:
        return pickle.dumps(value)
    except Exception as error:  # what classes raise that cannot be pickled is up to them
        entry, path = _culprit(value, path)
        raise ModelError(
            f"{what} cannot be pickled",
            path=path,
            found=repr(entry) if entry is not value else f"{type(error).__name__}: {error}",
            expected="functions and classes that stand at the top level of a module",
            remedy="Give a lambda, or a function within another one, a name there; bind values by functools.partial.",
        ) from None


def _culprit(value: Any, path: str) -> tuple[Any, str]:
    """Return the innermost entry that cannot be pickled, and its path."""
    inside = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, entry in inside:
        try:
            pickle.dumps(entry)
        except Exception:
            return _culprit(entry, f"{path}.{key}" if path else str(key))
    return value, path
