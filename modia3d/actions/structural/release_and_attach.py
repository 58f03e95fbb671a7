"""`ReleaseAndAttach`: from one lock to another, in one change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value, on_contact_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class ReleaseAndAttach(StructuralAction):
    """Remove the lock that holds ``frame`` (on the path to the root, or at ``release``) and lock ``frame`` to ``target``.

    ``on_contact`` as in `Attach`; an impact comes after the release.
    """

    frame: str
    target: str
    release: str | None = None
    on_contact: str = "refuse"

    frames: ClassVar[tuple[str, ...]] = ("frame", "target", "release")

    def __post_init__(self) -> None:
        on_contact_value("ActionReleaseAndAttach", self.on_contact)
        name_value("frame of ActionReleaseAndAttach", self.frame)
        name_value("target of ActionReleaseAndAttach", self.target)
        if self.release is not None:
            name_value("release of ActionReleaseAndAttach", self.release)

    def carry_out(self, at: Change) -> Structure:
        return edits.release_and_attach(
            at.graph, at.structure, self.frame, self.target, at.present.motion_of, release=self.release,
            moving=self.may_move(at, self.frame, self.target), alone=at.alone, scope=at.scope,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"ActionReleaseAndAttach {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")


@recording
def ActionReleaseAndAttach(
    actions: Actions, frame: str, target: str, release: str | None = None, on_contact: str = "refuse"
) -> ReleaseAndAttach:
    """Remove the lock that holds an assembly, and lock it elsewhere. A segment of its own.

    Args:
        frame, target: as `ActionAttach`.
        release: name of a frame at the lock that is removed; None: the one on the path from ``frame`` to the root.
        on_contact: as `ActionAttach`; an impact comes after the release.
    """
    return actions.record(ReleaseAndAttach(frame, target, release, on_contact))
