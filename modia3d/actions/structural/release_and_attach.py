"""`ReleaseAndAttach`: from one lock to another, in one change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from .moved_lock import MovedLock
from .recorder import Actions, recording


@dataclass(frozen=True)
class ReleaseAndAttach(MovedLock):
    """Remove the lock that holds ``frame`` (on the path to the root, or at ``release``) and lock ``frame`` to ``target``.

    ``on_contact`` as in `Attach`; an impact comes after the release.
    """

    called: ClassVar[str] = "ActionReleaseAndAttach"
    edit = staticmethod(edits.release_and_attach)


@recording
def ActionReleaseAndAttach(
    actions: Actions,
    frame: str,
    target: str,
    release: str | None = None,
    on_contact: str = "refuse",
    enable_contact_detection: bool = True,
) -> ReleaseAndAttach:
    """Remove the lock that holds an assembly, and lock it elsewhere. A segment of its own.

    Args:
        frame, target: as `ActionAttach`.
        release: name of a frame at the lock that is removed; None: the one on the path from ``frame`` to the root.
        on_contact: as `ActionAttach`; an impact comes after the release.
        enable_contact_detection: as `ActionAttach`.
    """
    return actions.record(ReleaseAndAttach(frame, target, release, on_contact, enable_contact_detection))
