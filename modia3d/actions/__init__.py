"""Action programs: what they are written of, their paths and conditions, and how they are carried out."""

from __future__ import annotations

import sys
from typing import Any

from modiapy.model.deprecation import current_name
from modiapy.model.lazy_exports import lazy_exports


def _moved(name: str) -> Any:
    """Return the value of a name that `modia3d` exports now."""
    package = sys.modules["modia3d"]
    if package.HOMES.get(name, "").startswith("modia3d.actions."):
        current_name(f"modia3d.actions.{name}", f"modia3d.{name}", "0.1.0", "0.2.0", stacklevel=4)
        return getattr(package, name)
    raise AttributeError(f"module 'modia3d.actions' has no attribute '{name}'")


__all__, __getattr__, __dir__ = lazy_exports(__name__, {}, _moved)
