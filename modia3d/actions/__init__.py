"""Action programs: what they are written of, their paths and conditions, and how they are carried out."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from modiapy.model.lazy_exports import lazy_exports


def _moved(name: str) -> Any:
    """Return the value of a name that stood here and has another place now."""
    homes = sys.modules["modia3d"].HOMES
    moved = {"ptp_duration": "modiapy.library.paths"} | {
        name: "modia3d" for name, home in homes.items() if home.startswith("modia3d.actions.")
    }
    if name not in moved:
        raise AttributeError(f"module 'modia3d.actions' has no attribute '{name}'")
    from modiapy.model.deprecation import current_name

    current_name(f"modia3d.actions.{name}", f"{moved[name]}.{name}", "0.1.0", "0.2.0", stacklevel=4)
    return getattr(import_module(moved[name]), name)


__all__, __getattr__, __dir__ = lazy_exports(__name__, {}, _moved)
