"""Files in and out: scenarios in YAML, robots in URDF and MJCF. What is exported here is imported where it is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .importers.mjcf import import_mjcf
    from .importers.urdf import import_urdf
    from .reader import read_scenario
    from .writer import write_scenario

_EXPORTS = {
    "import_mjcf": "modia3d.files.importers.mjcf",
    "import_urdf": "modia3d.files.importers.urdf",
    "read_scenario": "modia3d.files.reader",
    "write_scenario": "modia3d.files.writer",
}

__all__ = ["import_mjcf", "import_urdf", "read_scenario", "write_scenario"]

if not TYPE_CHECKING:  # to a type checker any name would be there

    def __getattr__(name: str) -> Any:
        if name not in _EXPORTS:
            raise AttributeError(f"module 'modia3d.files' has no attribute '{name}'")
        return getattr(importlib.import_module(_EXPORTS[name]), name)
