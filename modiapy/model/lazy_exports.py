"""Names of a package that are imported where they are first used: importing the package stays light."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_exports(
    package: str, homes: Mapping[str, str], other: Callable[[str], Any] | None = None
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    What type checkers see is the package's ``__init__.pyi``, which ``python -m tools.exports`` writes.

    Args:
        package: its full name, ``__name__``.
        homes: the module in which each name is defined.
        other: called with a name that the package does not have: it returns the value, or raises an error that says more.
    """

    def load(name: str) -> Any:
        if name in homes:
            value = getattr(importlib.import_module(homes[name]), name)
        elif other is not None:
            value = other(name)
        else:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        setattr(sys.modules[package], name, value)
        return value

    return sorted(homes), load, lambda: sorted(homes)
