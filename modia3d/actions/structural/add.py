"""`Add`: insert an assembly that is parked or was deleted, with ``frame`` placed as given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...topology import edits
from ...topology.placement import Placement
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value
from .recorder import Actions, Rows, Vector, recording


@dataclass(frozen=True)
class Add(StructuralAction):
    """Insert an assembly that is parked or was deleted, with ``frame`` placed as given.

    Where the placement says ``attach_to``, it is mated with that frame and locked to it.
    """

    frame: str
    placement: Placement

    frames: ClassVar[tuple[str, ...]] = ("frame",)

    def __post_init__(self) -> None:
        name_value("frame of ActionAdd", self.frame)

    def carry_out(self, at: Change) -> Structure:
        structure, at.present = edits.add(at.graph, at.structure, self.frame, at.present, self.placement, scope=at.scope)
        return structure

    def names(self) -> dict[str, str]:
        placed = {field: name for field in ("relative_to", "attach_to") if (name := getattr(self.placement, field))}
        return super().names() | placed

    def __str__(self) -> str:
        at = self.placement.attach_to
        return f"ActionAdd {self.frame}" + (f" at {at}" if at else "")


@recording
def ActionAdd(
    actions: Actions,
    frame: str,
    relative_to: str = "",
    translation: Vector = (0.0, 0.0, 0.0),
    rotation: Vector | Rows = (0.0, 0.0, 0.0),
    velocity: Vector = (0.0, 0.0, 0.0),
    angular_velocity: Vector = (0.0, 0.0, 0.0),
    attach_to: str = "",
    turn: float = 0.0,
) -> Add:
    """Insert an assembly that is parked or was deleted. A segment of its own.

    Args:
        frame: name of a frame of it, which is placed.
        relative_to: name of the frame P that its pose and motion refer to; "" for the world.
        translation: ``p_PF_P`` [m].
        rotation: Cardan angles about x, the new y and the new z [rad], or the matrix ``R_PF``.
        velocity: of its origin relative to P, resolved in P [m/s].
        angular_velocity: relative to P, resolved in P [rad/s].
        attach_to: name of a lockable frame: it appears mated with that and locked to it. Excludes all others but ``turn``.
        turn: angle about the z axis of that frame [rad].
    """
    placement = Placement(relative_to, translation, rotation, velocity, angular_velocity, attach_to, turn)  # type: ignore[arg-type]
    return actions.record(Add(frame, placement))
