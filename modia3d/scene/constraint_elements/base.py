"""Base of all constraint elements: two frames, and the motions that are forbidden between them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from modiapy.model.errors import ModelError

from ..basics import checks
from ..basics.directions import Direction
from .row_sets import ROW_SETS


def _no_turn() -> np.ndarray:
    return np.eye(3)


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows of one set in one pair of axes.

    Attributes:
        kind: name of the set in `ROW_SETS`.
        axes_1, axes_2: ``R_1J``, ``R_2J`` (3, 3): the axes in both frames.
        parameter: length or radius, where the set needs one [m].
    """

    kind: str
    axes_1: np.ndarray = field(default_factory=_no_turn)
    axes_2: np.ndarray = field(default_factory=_no_turn)
    parameter: float = 0.0

    @property
    def directions(self) -> tuple[Direction, ...]:
        """Return the directions that it forbids."""
        return ROW_SETS[self.kind].directions

    @property
    def parallel(self) -> tuple[int, ...]:
        """Return the axes that it keeps parallel, as `Joint.parallel`."""
        return ROW_SETS[self.kind].parallel


@dataclass(frozen=True)
class ConstraintElement(ABC):
    """A constraint between the frames ``obj1`` and ``obj2``, which joints, locks or free motion have given their motion.

    It acts as long as both frames are there. It connects nothing: what only constraint elements hold is free as far as
    coordinates, attaching, releasing and deleting are concerned.

    Attributes:
        obj1, obj2: names of the two frames.
        can_collide: the two bodies may touch each other.
    """

    obj1: str
    obj2: str
    can_collide: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for name in ("obj1", "obj2"):
            checks.frame_name(owner, name, getattr(self, name))
        object.__setattr__(self, "can_collide", checks.truth(owner, "can_collide", self.can_collide))
        self.check(owner)

    @abstractmethod
    def check(self, owner: str) -> None:
        """Check the fields and bring them into their stored form."""

    @abstractmethod
    def groups(self) -> tuple[RowGroup, ...]:
        """Return its groups of rows."""

    def set_locked(self, owner: str) -> str:
        """Check ``x_locked, y_locked, z_locked``, store them as bools and return the axes that are."""
        axes = ""
        for axis in "xyz":
            name = f"{axis}_locked"
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
            axes += axis if getattr(self, name) else ""
        return axes

    def refuse_empty(self, owner: str, axes: str) -> None:
        """Refuse an element that forbids nothing. Raises ModelError."""
        if not axes:
            raise ModelError(
                f"{owner} forbids no motion",
                found="no locked direction",
                expected="x_locked, y_locked or z_locked",
                remedy="Leave it out.",
            )
