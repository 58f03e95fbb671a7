"""The joints by the names of their constructors; light to import.

A joint is a file of `joints` that declares all there is to know of its kind, and a line here: from these follow sizes and
numbers of kinds (`modia3d.dynamics.joints.kinds`), the dispatch of the kernels, the joint with flanges (`flanges`), exports and
the names of scenarios.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

JOINTS = {
    "Revolute": "revolute",
    "Prismatic": "prismatic",
    "Fix": "fixed",
    "Screw": "screw",
    "Cylindrical": "cylindrical",
    "Universal": "universal",
    "Planar": "planar",
    "Spherical": "spherical",
    "FreeMotion": "free_motion",
    "PinSlot": "pin_slot",
}
"""Name of the constructor -> file in `joints`; the kinds are numbered in this order."""

ONE_COORDINATE = ("Revolute", "Prismatic", "Screw")
WITH_FLANGES = {f"{name}WithFlange{'' if name in ONE_COORDINATE else 's'}": name for name in JOINTS if name != "Fix"}
"""Name of the constructor of a joint with flanges -> name of the joint."""


def joint_class(name: str) -> Any:
    """The dataclass behind a constructor."""
    module = import_module(f"modia3d.scene.joints.{JOINTS[name]}")
    (cls,) = (made for made in vars(module).values() if isinstance(made, type) and made.__dict__.get("kind") is not None)
    return cls
