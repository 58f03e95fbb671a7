"""`MovedLock`: base of actions that release and attach in one change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ...topology.structure import Structure
from .base import Change, StructuralAction, contact_detection_value, name_value, on_contact_value


@dataclass(frozen=True)
class MovedLock(StructuralAction):
    """Removal of one lock and creation of another one between ``frame`` and ``target``.

    Attributes:
        frame, target: names of the frames that are locked.
        release: name of a frame at the lock that is removed; None: found by the edit.
        on_contact: as in `Attach`; an impact comes after the release.
        enable_contact_detection: as in `Attach`.
    """

    frame: str
    target: str
    release: str | None = None
    on_contact: str = "refuse"
    enable_contact_detection: bool = True

    frames: ClassVar[tuple[str, ...]] = ("frame", "target", "release")
    called: ClassVar[str] = "MovedLock"
    """Name of the function that records it."""
    edit: ClassVar[Callable[..., Structure]]
    """What it carries out, of `modia3d.topology.edits`."""

    def __post_init__(self) -> None:
        on_contact_value(self.called, self.on_contact)
        contact_detection_value(self.called, self.enable_contact_detection)
        name_value(f"frame of {self.called}", self.frame)
        name_value(f"target of {self.called}", self.target)
        if self.release is not None:
            name_value(f"release of {self.called}", self.release)

    def carry_out(self, at: Change) -> Structure:
        return type(self).edit(
            at.graph, at.structure, self.frame, self.target, at.present.motion_of, release=self.release,
            moving=self.may_move(at, self.frame, self.target), contact=self.enable_contact_detection, scope=at.scope,
        )  # fmt: skip

    def __str__(self) -> str:
        return f"{self.called} {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")
