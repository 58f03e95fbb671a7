"""`Attach`: Lock ``frame`` rigidly to ``target``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.structure import Structure
from .base import Change, StructuralAction, contact_detection_value, name_value, on_contact_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class Attach(StructuralAction):
    """Lock ``frame`` rigidly to ``target``; the two must mate. The free motion of the tree of ``frame`` is dropped.

    Where they still move relative to each other, that is refused, or (``on_contact="impulse"``) a plastic impact joins them.
    Without ``enable_contact_detection`` the two assemblies do not touch each other while the lock is there.
    """

    frame: str
    target: str
    on_contact: str = "refuse"
    enable_contact_detection: bool = True

    frames: ClassVar[tuple[str, ...]] = ("frame", "target")

    def __post_init__(self) -> None:
        on_contact_value("ActionAttach", self.on_contact)
        contact_detection_value("ActionAttach", self.enable_contact_detection)
        name_value("frame of ActionAttach", self.frame)
        name_value("target of ActionAttach", self.target)

    def carry_out(self, at: Change) -> Structure:
        return edits.attach(
            at.graph, at.structure, self.frame, self.target, at.present.motion_of,
            moving=self.may_move(at, self.frame, self.target), contact=self.enable_contact_detection, scope=at.scope,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"ActionAttach {self.frame} -> {self.target}"


@recording
def ActionAttach(
    actions: Actions, frame: str, target: str, on_contact: str = "refuse", enable_contact_detection: bool = True
) -> Attach:
    """Lock a frame rigidly to another one; the two must mate. A segment of its own.

    The free motion of the tree of ``frame`` is dropped.

    Args:
        frame, target: names of two lockable frames.
        on_contact: where they still move relative to each other: "refuse", or "impulse": a plastic impact joins them.
        enable_contact_detection: False: while this lock is there, the assemblies that it brings together do not touch each
            other: what is gripped does not collide with the fingers.
    """
    return actions.record(Attach(frame, target, on_contact, enable_contact_detection))
