"""Structure of a scene, which may change from segment to segment: locks, and assemblies that were deleted."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from modiapy.acausal.once import once

from ..scene.joints import JointState


@dataclass(frozen=True, order=True)
class Lock:
    """A rigid connection of two lockable frames A and B; A is the one whose name comes first.

    Attributes:
        frame_a, frame_b: full names.
        R_AB: measured rotation, row-major (9).
        p_AB_A: measured position of B's origin from A's, in A [m].
        contact: whether the assemblies on both sides may touch each other while the lock is there.
    """

    frame_a: str
    frame_b: str
    R_AB: tuple[float, ...]
    p_AB_A: tuple[float, ...]
    contact: bool = True

    def __str__(self) -> str:
        return f"{self.frame_a} - {self.frame_b}"

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash((self.frame_a, self.frame_b, self.R_AB, self.p_AB_A, self.contact))

    @once
    def pose(self) -> np.ndarray:
        """Return ``R_AB`` and ``p_AB_A``, shape (12,)."""
        return np.array(self.R_AB + self.p_AB_A)


@dataclass(frozen=True, order=True)
class JointWeld:
    """A joint without a flange that an action locked: its two bodies are one.

    Attributes:
        name: of the joint.
        q: its coordinates, constant meanwhile.
    """

    name: str
    q: tuple[float, ...]


@dataclass(frozen=True, order=True)
class JointLock:
    """A joint that is locked: it keeps its states and does not move, at a limit, or by an action where it has a flange.

    Attributes:
        name: of the joint.
        side: -1 at the lower limit, 1 at the upper limit, 0 locked by an action.
    """

    name: str
    side: int


_KEYS: Mapping[str, Callable[[Any], Any] | None] = {
    "locks": attrgetter("frame_a", "frame_b"),
    "welded": attrgetter("name"),
    "sequences": None,
    "locked": attrgetter("name"),
}
"""What the entries of a structure are sorted by: names, which occur once."""


@dataclass(frozen=True)
class Structure:
    """Locks, deletions, welded and locked joints; equal structures give the same forest, bit by bit.

    Attributes:
        locks: sorted by the names of their frames.
        deleted: names of the deleted assemblies (of their root frames).
        welded: the joints without a flange that actions locked, sorted by name.
        locked: the joints at their limits, and those with a flange that actions locked, sorted by name.
        sequences: (name of a joint or of the root frame of a free assembly, Cardan sequence), sorted, of those whose
            orientation is "auto"; "xyz" where the name is missing.
    """

    locks: tuple[Lock, ...] = ()
    deleted: frozenset[str] = frozenset()
    welded: tuple[JointWeld, ...] = ()
    sequences: tuple[tuple[str, str], ...] = ()
    locked: tuple[JointLock, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash((self.locks, self.deleted, self.welded, self.sequences, self.locked))

    def __post_init__(self) -> None:
        for name, key in _KEYS.items():
            entries = getattr(self, name)
            if len(entries) > 1 or type(entries) is not tuple:
                object.__setattr__(self, name, tuple(sorted(entries, key=key)))

    def with_lock(self, lock: Lock) -> Structure:
        """Return the same with one lock more."""
        locks = list(self.locks)
        insort(locks, lock, key=_KEYS["locks"])
        return self._with(locks, {**self.lock_of, lock.frame_a: lock, lock.frame_b: lock})

    def without_lock(self, lock: Lock) -> Structure:
        """Return the same without one of its locks."""
        lock_of = self.lock_of.copy()
        del lock_of[lock.frame_a], lock_of[lock.frame_b]
        return self._with([other for other in self.locks if other is not lock], lock_of)

    def _with(self, locks: list[Lock], lock_of: dict[str, Lock]) -> Structure:
        """Return the same with other locks, which are sorted, as all else is already."""
        made = object.__new__(Structure)
        made.__dict__.update(
            locks=tuple(locks), deleted=self.deleted, welded=self.welded, sequences=self.sequences, locked=self.locked,
            lock_of=lock_of,
        )  # fmt: skip
        return made

    def with_sequences(self, sequences: Mapping[str, str]) -> Structure:
        """Return the same with other Cardan sequences for some names."""
        return replace(self, sequences=tuple((dict(self.sequences) | dict(sequences)).items()))

    def welded_state(self, joint: str) -> JointState | None:
        """Return the coordinates and speeds of a welded joint; None if it is not welded."""
        q = self._welded_at.get(joint)
        return None if q is None else (q, (0.0,) * len(q))

    def side_of(self, joint: str) -> int | None:
        """Return where a locked joint is, see `JointLock`; None if it is not locked."""
        return self._sides.get(joint)

    @once
    def _welded_at(self) -> dict[str, tuple[float, ...]]:
        return {joint.name: joint.q for joint in self.welded}

    @once
    def _sides(self) -> dict[str, int]:
        return {joint.name: joint.side for joint in self.locked}

    @once
    def lock_of(self) -> dict[str, Lock]:
        """Return the lock that holds a frame, by its full name; not to be written."""
        return {frame: lock for lock in self.locks for frame in (lock.frame_a, lock.frame_b)}

    def with_limits(self, sides: Mapping[str, int]) -> Structure:
        """Return the same with these joints at their limits (-1, 1) and no others; what actions locked stays."""
        locked = (joint for joint in self.locked if joint.side == 0)
        return replace(self, locked=(*locked, *(JointLock(name, side) for name, side in sides.items())))

    def without_new(self, before: Structure, driven: Mapping[str, Sequence[str]]) -> Structure:
        """Return the same without what holds more together than ``before``: what is given up between both, and nothing else.

        Args:
            before: another structure.
            driven: joints with a flange of each assembly, by its name: where the assembly is not there, they are locked.
        """
        locks, welded, locked = set(before.locks), set(before.welded), {joint.name for joint in self.locked}
        deleted = self.deleted | before.deleted
        parked = [joint for assembly in sorted(deleted) for joint in driven.get(assembly, ())]
        return replace(
            self,
            locks=tuple(lock for lock in self.locks if lock in locks),
            deleted=deleted,
            welded=tuple(joint for joint in self.welded if joint in welded),
            locked=(
                *(JointLock(name, 0) for name in parked),
                *(joint for joint in before.locked if joint.name in locked and joint.name not in parked),
            ),
        )

    def lock_at(self, frame: str) -> Lock | None:
        """Return the lock that holds a frame, by its full name; None if there is none."""
        return self.lock_of.get(frame)

    def __str__(self) -> str:
        deleted, locked = (
            (f"deleted {name}" for name in sorted(self.deleted)),
            [f"locked {joint.name}" for joint in self.welded]
            + [f"{('lower limit of', 'locked', 'upper limit of')[joint.side + 1]} {joint.name}" for joint in self.locked],
        )
        return "\n".join([*map(str, self.locks), *deleted, *locked]) or "no locks"
