"""`UnlockJoint`: unlock a joint, so that it can move again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class UnlockJoint(StructuralAction):
    """Unlock a joint, so that it can move again, from its coordinates at rest."""

    joint: str

    joints: ClassVar[tuple[str, ...]] = ("joint",)

    def __post_init__(self) -> None:
        name_value("joint of ActionUnlock", self.joint, "joint")

    def carry_out(self, at: Change) -> Structure:
        return edits.unlock_joint(at.graph, at.structure, self.joint, scope=at.scope)

    def __str__(self) -> str:
        return f"ActionUnlock {self.joint}"


@recording
def ActionUnlock(actions: Actions, joint: str) -> UnlockJoint:
    """Unlock a joint, so that it can move again, from its coordinates at rest. A segment of its own.

    Args:
        joint: its name.
    """
    return actions.record(UnlockJoint(joint))
