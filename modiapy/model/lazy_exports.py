"""Names of a package that are imported where they are first used: importing the package stays light."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_exports(
    package: str, homes: Mapping[str, str], explain: Callable[[str], object] | None = None
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return what a package assigns to ``__all__``, ``__getattr__`` and ``__dir__``.

    What type checkers see is the package's ``__init__.pyi``, which ``python -m tools.exports`` writes.

    Args:
        package: its full name, ``__name__``.
        homes: the module in which each name is defined.
        explain: called with a name that the package does not have; it may raise an error with a better text.
    """

    def load(name: str) -> Any:
        if name not in homes:
            if explain is not None:
                explain(name)
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(homes), load, lambda: sorted(homes)
