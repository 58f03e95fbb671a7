"""Files in and out: scenarios in YAML, robots in URDF and MJCF. What is exported here is imported where it is first used."""

from __future__ import annotations

import importlib
from typing import Any

_EXPORTS = {
    "import_mjcf": "modia3d.files.importers.mjcf",
    "import_urdf": "modia3d.files.importers.urdf",
    "read_scenario": "modia3d.files.reader",
    "write_scenario": "modia3d.files.writer",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'modia3d.files' has no attribute '{name}'")
    return getattr(importlib.import_module(_EXPORTS[name]), name)
