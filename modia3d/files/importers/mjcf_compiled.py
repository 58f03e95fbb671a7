"""A model that MuJoCo compiled, and what its elements are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .robot import Place

OBJECTS = {
    "body": "BODY", "jnt": "JOINT", "geom": "GEOM", "site": "SITE", "pair": "PAIR", "eq": "EQUALITY", "tendon": "TENDON",
    "actuator": "ACTUATOR",
}  # fmt: skip
"""Kinds of objects of MuJoCo by the beginning of the names of their fields."""

ELEMENTS = {"jnt": "joint", "eq": "equality"}
"""How kinds of objects are called where that is not the beginning of the names of their fields."""


@dataclass(frozen=True)
class Compiled:
    """A compiled model: the package ``mujoco``, its ``MjSpec``, its ``MjModel`` and the name of its file."""

    mujoco: Any
    spec: Any
    model: Any
    file: str

    def name(self, kind: str, index: int) -> str:
        """Return the name of an object, by the beginning of the names of its fields; one without a name is numbered."""
        number = int(getattr(self.mujoco.mjtObj, f"mjOBJ_{OBJECTS[kind]}"))
        return self.mujoco.mj_id2name(self.model, number, index) or f"{ELEMENTS.get(kind, kind)}{index}"

    def place(self, kind: str, index: int) -> Place:
        """Return the place of an object in the file."""
        return Place(self.file, f"/mujoco/{ELEMENTS.get(kind, kind)}[{self.name(kind, index)}]")

    def disabled(self, what: str) -> bool:
        """Return whether a flag of ``<option>`` switches something off; all that are constraints are off with
        ``constraint``.
        """
        flags, bits = int(self.model.opt.disableflags), self.mujoco.mjtDisableBit
        names = [what, "CONSTRAINT"] if what in ("EQUALITY", "LIMIT", "CONTACT", "FRICTIONLOSS") else [what]
        return any(flags & int(getattr(bits, f"mjDSBL_{name}")) for name in names)

    @property
    def has_gravity(self) -> bool:
        """True if gravity acts."""
        return bool(self.model.opt.gravity.any()) and not self.disabled("GRAVITY")
