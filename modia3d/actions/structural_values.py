"""The actions that change the structure, as frozen values.

What becomes of every state at an action is the contract of the edit of the same name in `modia3d.topology.edits`, with all
details in ``docs/structural_change.md``; the docstrings below say it in one sentence each.
"""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest

from ..topology.placement import Placement


def _name_value(name: str, value: object, what: str = "frame") -> None:
    if not isinstance(value, str) or not value:
        raise ModelError(f"{name} must be the name of a {what}", found=repr(value), expected="a text such as 'platform.X2Y2'")


ON_CONTACT = ("refuse", "impulse")


def _on_contact_value(action: str, value: object) -> None:
    if value not in ON_CONTACT:
        expected = " or ".join(map(repr, ON_CONTACT))
        raise ModelError(
            f"on_contact of {action}", found=repr(value), expected=expected, remedy=nearest(str(value), ON_CONTACT)
        )


def impulsive(action: object) -> bool:
    """Whether an action brings what still moves to rest by a plastic impact."""
    return getattr(action, "on_contact", "refuse") == "impulse"


@dataclass(frozen=True)
class Attach:
    """Lock ``frame`` rigidly to ``target``; the two must mate. The free motion of the tree of ``frame`` is dropped.

    Where they still move relative to each other, that is refused, or (``on_contact="impulse"``) a plastic impact joins them.
    """

    frame: str
    target: str
    on_contact: str = "refuse"

    def __post_init__(self) -> None:
        _on_contact_value("ActionAttach", self.on_contact)
        _name_value("frame of ActionAttach", self.frame)
        _name_value("target of ActionAttach", self.target)

    def __str__(self) -> str:
        return f"ActionAttach {self.frame} -> {self.target}"


@dataclass(frozen=True)
class Release:
    """Remove the lock at ``frame`` (to ``target``, if given). The part that loses the world begins to move freely."""

    frame: str
    target: str | None = None

    def __post_init__(self) -> None:
        _name_value("frame of ActionRelease", self.frame)
        if self.target is not None:
            _name_value("target of ActionRelease", self.target)

    def __str__(self) -> str:
        return f"ActionRelease {self.frame}" + (f" from {self.target}" if self.target else "")


@dataclass(frozen=True)
class ReleaseAndAttach:
    """Remove the lock that holds ``frame`` (on the path to the root, or at ``release``) and lock ``frame`` to ``target``.

    ``on_contact`` as in `Attach`; an impact comes after the release.
    """

    frame: str
    target: str
    release: str | None = None
    on_contact: str = "refuse"

    def __post_init__(self) -> None:
        _on_contact_value("ActionReleaseAndAttach", self.on_contact)
        _name_value("frame of ActionReleaseAndAttach", self.frame)
        _name_value("target of ActionReleaseAndAttach", self.target)
        if self.release is not None:
            _name_value("release of ActionReleaseAndAttach", self.release)

    def __str__(self) -> str:
        return f"ActionReleaseAndAttach {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")


@dataclass(frozen=True)
class FlipChain:
    """Lock the free end ``frame`` of a chain to ``target`` and release its other end: parents and children swap.

    Joint states are kept to the last bit. ``on_contact`` as in `Attach`; an impact comes after the release.
    """

    frame: str
    target: str
    release: str | None = None
    on_contact: str = "refuse"

    def __post_init__(self) -> None:
        _on_contact_value("ActionFlipChain", self.on_contact)
        _name_value("frame of ActionFlipChain", self.frame)
        _name_value("target of ActionFlipChain", self.target)
        if self.release is not None:
            _name_value("release of ActionFlipChain", self.release)

    def __str__(self) -> str:
        return f"ActionFlipChain {self.frame} -> {self.target}" + (f", releasing {self.release}" if self.release else "")


@dataclass(frozen=True)
class Delete:
    """Remove the assembly that contains ``frame`` with all its states; with ``park`` also one whose joints have flanges.

    Parked joints are held where they are: their equations go on.
    """

    frame: str
    park: bool = False

    def __post_init__(self) -> None:
        _name_value("frame of ActionDelete", self.frame)
        if not isinstance(self.park, bool):
            raise ModelError("park of ActionDelete", found=repr(self.park), expected="True or False")

    def __str__(self) -> str:
        return f"ActionDelete {self.frame}" + (", parked" if self.park else "")


@dataclass(frozen=True)
class Add:
    """Let an assembly appear that is parked or was deleted, with ``frame`` placed as given.

    Where the placement says ``attach_to``, it is mated with that frame and locked to it.
    """

    frame: str
    placement: Placement

    def __post_init__(self) -> None:
        _name_value("frame of ActionAdd", self.frame)

    def __str__(self) -> str:
        at = self.placement.attach_to
        return f"ActionAdd {self.frame}" + (f" at {at}" if at else "")


@dataclass(frozen=True)
class LockJoint:
    """Make a joint rigid where it is; its coordinates are kept: as constants, with a flange as states with derivatives zero.

    A joint that moves is refused, or (``on_contact="impulse"``) a plastic impact takes its speed away.
    """

    joint: str
    on_contact: str = "refuse"

    def __post_init__(self) -> None:
        _on_contact_value("ActionLock", self.on_contact)
        _name_value("joint of ActionLock", self.joint, "joint")

    def __str__(self) -> str:
        return f"ActionLock {self.joint}"


@dataclass(frozen=True)
class UnlockJoint:
    """Let a locked joint move again; it goes on from its coordinates, at rest."""

    joint: str

    def __post_init__(self) -> None:
        _name_value("joint of ActionUnlock", self.joint, "joint")

    def __str__(self) -> str:
        return f"ActionUnlock {self.joint}"


StructuralAction = Attach | Release | ReleaseAndAttach | FlipChain | Delete | Add | LockJoint | UnlockJoint


def names_in(action: StructuralAction) -> dict[str, str]:
    """Names of frames and joints in an action, by field; ``joint`` is a joint, all others are frames."""
    fields = ("frame", "target", "release", "relative_to", "attach_to", "joint")
    parts = (action, action.placement) if isinstance(action, Add) else (action,)
    return {field: name for part in parts for field in fields if (name := getattr(part, field, None))}
