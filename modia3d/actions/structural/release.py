"""`Release`: Remove the lock at ``frame`` (to ``target``, if given)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class Release(StructuralAction):
    """Remove the lock at ``frame`` (to ``target``, if given). The part that loses the world begins to move freely."""

    frame: str
    target: str | None = None

    frames: ClassVar[tuple[str, ...]] = ("frame", "target")

    def __post_init__(self) -> None:
        name_value("frame of ActionRelease", self.frame)
        if self.target is not None:
            name_value("target of ActionRelease", self.target)

    def carry_out(self, at: Change) -> Structure:
        return edits.release(at.graph, at.structure, self.frame, self.target, scope=at.scope)

    def __str__(self) -> str:
        return f"ActionRelease {self.frame}" + (f" from {self.target}" if self.target else "")


@recording
def ActionRelease(actions: Actions, frame: str, target: str | None = None) -> Release:
    """Remove the lock at a frame. The part that loses the world begins to move freely. A segment of its own.

    Args:
        frame: name of one of the two locked frames.
        target: name of the other one; None: whichever it is.
    """
    return actions.record(Release(frame, target))
