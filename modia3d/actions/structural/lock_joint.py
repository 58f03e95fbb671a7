"""`LockJoint`: Make a joint rigid where it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.graph import SceneGraph
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value, on_contact_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class LockJoint(StructuralAction):
    """Make a joint rigid where it is; its coordinates are kept: as constants, with a flange as states with derivatives zero.

    A joint that moves is refused, or (``on_contact="impulse"``) a plastic impact takes its speed away.
    """

    joint: str
    on_contact: str = "refuse"

    joints: ClassVar[tuple[str, ...]] = ("joint",)

    def __post_init__(self) -> None:
        on_contact_value("ActionLock", self.on_contact)
        name_value("joint of ActionLock", self.joint, "joint")

    def carry_out(self, at: Change) -> Structure:
        joint = at.graph.joints[at.graph.joint_index(self.joint, at.scope)].name
        state = at.present.state_of(joint)
        return edits.lock_joint(at.graph, at.structure, self.joint, state, moving=self.impulsive, scope=at.scope)

    def locked_joints(self, graph: SceneGraph, scope: str) -> Iterable[str]:
        return (graph.joints[graph.joint_index(self.joint, scope)].name,)

    def __str__(self) -> str:
        return f"ActionLock {self.joint}"


@recording
def ActionLock(actions: Actions, joint: str, on_contact: str = "refuse") -> LockJoint:
    """Make a joint rigid where it is; its coordinates are kept. A segment of its own.

    Args:
        joint: its name.
        on_contact: where it moves: "refuse", or "impulse": a plastic impact takes its speed away.
    """
    return actions.record(LockJoint(joint, on_contact))
