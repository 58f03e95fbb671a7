"""`FlipChain`: Lock the free end ``frame`` of a chain to ``target`` and release its other end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value, on_contact_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class FlipChain(StructuralAction):
    """Lock the free end ``frame`` of a chain to ``target`` and release its other end: parents and children swap.

    Joint states are kept to the last bit. ``on_contact`` as in `Attach`; an impact comes after the release.
    """

    frame: str
    target: str
    release: str | None = None
    on_contact: str = "refuse"

    frames: ClassVar[tuple[str, ...]] = ("frame", "target", "release")

    def __post_init__(self) -> None:
        on_contact_value("ActionFlipChain", self.on_contact)
        name_value("frame of ActionFlipChain", self.frame)
        name_value("target of ActionFlipChain", self.target)
        if self.release is not None:
            name_value("release of ActionFlipChain", self.release)

    def carry_out(self, at: Change) -> Structure:
        return edits.flip_chain(
            at.graph, at.structure, self.frame, self.target, at.present.motion_of, release=self.release,
            moving=self.may_move(at, self.frame, self.target), alone=at.alone, scope=at.scope,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"ActionFlipChain {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")


@recording
def ActionFlipChain(
    actions: Actions, frame: str, target: str, release: str | None = None, on_contact: str = "refuse"
) -> FlipChain:
    """Lock the free end of a chain and release its other end: parents and children swap. A segment of its own.

    States of the joints are kept to the last bit.

    Args:
        frame: name of the frame at the free end.
        target: name of the frame to which it is locked.
        release: name of a frame at the lock that is removed; None: the one that holds the chain.
        on_contact: as `ActionAttach`; an impact comes after the release.
    """
    return actions.record(FlipChain(frame, target, release, on_contact))
