"""The joints by the names of their constructors; light to import.

A joint is a file of `joints` that declares all there is to know of its kind, and a line of `FILES`: from these follow sizes and
numbers of kinds (`modia3d.dynamics.joints.kinds`), the dispatch of the kernels, the joint with flanges (`flanges`), exports and
the names of scenarios.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

FILES = {
    "Revolute": ("revolute", 1),
    "Prismatic": ("prismatic", 1),
    "Fix": ("fixed", 0),
    "Screw": ("screw", 1),
    "Cylindrical": ("cylindrical", 2),
    "Universal": ("universal", 2),
    "Planar": ("planar", 3),
    "Spherical": ("spherical", 3),
    "FreeMotion": ("free_motion", 6),
    "PinSlot": ("pin_slot", 2),
}
"""Name of the constructor -> file in `joints`, number of flanges that it may have; the kinds are numbered in this order."""

JOINTS = {name: file for name, (file, _) in FILES.items()}
"""Name of the constructor -> file in `joints`."""

WITH_FLANGES = {f"{name}WithFlange{'s' if flanges > 1 else ''}": name for name, (_, flanges) in FILES.items() if flanges}
"""Name of the constructor of a joint with flanges -> name of the joint."""


def joint_class(name: str) -> Any:
    """Return the dataclass behind a constructor."""
    module = import_module(f"modia3d.scene.joints.{JOINTS[name]}")
    (cls,) = (made for made in vars(module).values() if isinstance(made, type) and made.__dict__.get("kind") is not None)
    return cls
