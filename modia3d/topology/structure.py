"""What may change from segment to segment: the locks, and the assemblies that were deleted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Lock:
    """A rigid connection of two lockable frames A and B; A is the one whose name comes first.

    Attributes:
        frame_a, frame_b: full names.
        R_AB: measured rotation, row-major (9).
        p_AB_A: measured position of B's origin from A's, in A [m].
    """

    frame_a: str
    frame_b: str
    R_AB: tuple[float, ...]
    p_AB_A: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.frame_a} - {self.frame_b}"


@dataclass(frozen=True)
class Structure:
    """Locks and deletions; equal structures give the same forest, bit by bit.

    Attributes:
        locks: sorted by the names of their frames.
        deleted: names of the deleted assemblies (of their root frames).
    """

    locks: tuple[Lock, ...] = ()
    deleted: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "locks", tuple(sorted(self.locks)))

    def lock_at(self, frame: str) -> Lock | None:
        """The lock that holds a frame, by its full name; None if there is none."""
        return next((lock for lock in self.locks if frame in (lock.frame_a, lock.frame_b)), None)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.locks), *(f"deleted {name}" for name in sorted(self.deleted))]) or "no locks"
