"""What may change from segment to segment: the locks, and the assemblies that were deleted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

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

    @cached_property
    def _hash(self) -> int:
        return hash((self.frame_a, self.frame_b, self.R_AB, self.p_AB_A, self.contact))

    @cached_property
    def pose(self) -> np.ndarray:
        """``R_AB`` and ``p_AB_A``, shape (12,)."""
        return np.array(self.R_AB + self.p_AB_A)


@dataclass(frozen=True, order=True)
class LockedJoint:
    """A joint that is rigid for the time being.

    Attributes:
        name: of the joint.
        q: its coordinates, constant while it is locked.
    """

    name: str
    q: tuple[float, ...]


@dataclass(frozen=True, order=True)
class HeldJoint:
    """A joint that keeps its states and does not move: at a limit, or a joint with a flange that is locked.

    Attributes:
        name: of the joint.
        side: -1 at the lower limit, 1 at the upper limit, 0 locked by an action.
    """

    name: str
    side: int


_KEYS: Mapping[str, Callable[[Any], Any] | None] = {
    "locks": attrgetter("frame_a", "frame_b"),
    "locked": attrgetter("name"),
    "sequences": None,
    "held": attrgetter("name"),
}
"""What the entries of a structure are sorted by: names, which occur once."""


@dataclass(frozen=True)
class Structure:
    """Locks, deletions, locked and held joints; equal structures give the same forest, bit by bit.

    Attributes:
        locks: sorted by the names of their frames.
        deleted: names of the deleted assemblies (of their root frames).
        locked: the locked joints without flange, sorted by name.
        held: the joints at their limits and the locked ones with a flange, sorted by name.
        sequences: (name of a joint or of the root frame of a free assembly, Cardan sequence), sorted, of those whose
            orientation is "auto"; "xyz" where the name is missing.
    """

    locks: tuple[Lock, ...] = ()
    deleted: frozenset[str] = frozenset()
    locked: tuple[LockedJoint, ...] = ()
    sequences: tuple[tuple[str, str], ...] = ()
    held: tuple[HeldJoint, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.locks, self.deleted, self.locked, self.sequences, self.held))

    def __post_init__(self) -> None:
        for name, values in ("locks", self.locks), ("locked", self.locked), ("sequences", self.sequences), ("held", self.held):
            if len(values) > 1:
                object.__setattr__(self, name, tuple(sorted(values, key=_KEYS[name])))

    def with_locks(self, locks: tuple[Lock, ...]) -> Structure:
        """The same with other locks."""
        return Structure(locks, self.deleted, self.locked, self.sequences, self.held)

    def with_sequences(self, sequences: Mapping[str, str]) -> Structure:
        """The same with other Cardan sequences for some names."""
        return replace(self, sequences=tuple((dict(self.sequences) | dict(sequences)).items()))

    def locked_state(self, joint: str) -> JointState | None:
        """Coordinates and speeds of a locked joint; None if it is not locked."""
        q = self._locked_at.get(joint)
        return None if q is None else (q, (0.0,) * len(q))

    def side_of(self, joint: str) -> int | None:
        """Where a held joint is held, see `HeldJoint`; None if it is not held."""
        return self._sides.get(joint)

    @cached_property
    def _locked_at(self) -> dict[str, tuple[float, ...]]:
        return {joint.name: joint.q for joint in self.locked}

    @cached_property
    def _sides(self) -> dict[str, int]:
        return {joint.name: joint.side for joint in self.held}

    @cached_property
    def _lock_of(self) -> dict[str, Lock]:
        return {frame: lock for lock in self.locks for frame in (lock.frame_a, lock.frame_b)}

    def holding(self, held: Mapping[str, int]) -> Structure:
        """The same with joints held at limits (-1, 1) replaced by ``held``; locked ones stay."""
        locked = (joint for joint in self.held if joint.side == 0)
        return replace(self, held=(*locked, *(HeldJoint(name, side) for name, side in held.items())))

    def without_new(self, before: Structure, driven: Mapping[str, Sequence[str]]) -> Structure:
        """The same without what holds more together than ``before``: what is given up between both, and nothing else.

        Args:
            before: another structure.
            driven: joints with a flange of each assembly, by its name: where the assembly is not there, they are held.
        """
        locks, locked, held = set(before.locks), set(before.locked), {joint.name for joint in self.held}
        deleted = self.deleted | before.deleted
        parked = [joint for assembly in sorted(deleted) for joint in driven.get(assembly, ())]
        return replace(
            self,
            locks=tuple(lock for lock in self.locks if lock in locks),
            deleted=deleted,
            locked=tuple(joint for joint in self.locked if joint in locked),
            held=(
                *(HeldJoint(name, 0) for name in parked),
                *(joint for joint in before.held if joint.name in held and joint.name not in parked),
            ),
        )

    def lock_at(self, frame: str) -> Lock | None:
        """The lock that holds a frame, by its full name; None if there is none."""
        return self._lock_of.get(frame)

    def __str__(self) -> str:
        deleted, locked = (
            (f"deleted {name}" for name in sorted(self.deleted)),
            [f"locked {joint.name}" for joint in self.locked]
            + [f"{('lower limit of', 'locked', 'upper limit of')[joint.side + 1]} {joint.name}" for joint in self.held],
        )
        return "\n".join([*map(str, self.locks), *deleted, *locked]) or "no locks"
