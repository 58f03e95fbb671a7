"""`FlipChain`: Lock the free end ``frame`` of a chain to ``target`` and release its other end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from .moved_lock import MovedLock
from .recorder import Actions, recording


@dataclass(frozen=True)
class FlipChain(MovedLock):
    """Lock the free end ``frame`` of a chain to ``target`` and release its other end: parents and children swap.

    Joint states are kept to the last bit. ``on_contact`` as in `Attach`; an impact comes after the release.
    """

    called: ClassVar[str] = "ActionFlipChain"
    edit = staticmethod(edits.flip_chain)


@recording
def ActionFlipChain(
    actions: Actions,
    frame: str,
    target: str,
    release: str | None = None,
    on_contact: str = "refuse",
    enable_contact_detection: bool = True,
) -> FlipChain:
    """Lock the free end of a chain and release its other end: parents and children swap. A segment of its own.

    States of the joints are kept to the last bit.

    Args:
        frame: name of the frame at the free end.
        target: name of the frame to which it is locked.
        release: name of a frame at the lock that is removed; None: the one that holds the chain.
        on_contact: as `ActionAttach`; an impact comes after the release.
        enable_contact_detection: as `ActionAttach`.
    """
    return actions.record(FlipChain(frame, target, release, on_contact, enable_contact_detection))
