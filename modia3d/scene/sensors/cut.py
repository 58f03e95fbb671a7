"""Force and torque in a joint or a rigid connection as variables of the equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..basics import checks
from .base import Quantity, Sensor, chosen
from .kinds import CUT_FORCE, CUT_TORQUE

QUANTITIES = ("force", "torque")


@dataclass(frozen=True)
class CutSensor(Sensor):
    """Sensor of the force and torque that one side of a cut exerts on the other.

    A cut goes through a joint (also a fixed or locked one) or a constraint element: ``obj1`` exerts force and torque on
    ``obj2``. Or it goes through the rigid connection of an `Object3D` with its parent: the parent exerts them on the `Object3D`
    and all that hangs on it; for a lock frame without mass of its own that is what the lock transmits. The torque is about the
    origin of ``obj2``, or of the `Object3D`. Variables: ``force.x, .y, .z`` [N], ``torque.x, .y, .z`` [N.m]. Where it was
    deleted, all are NaN. What redundant rows of closed loops share is not unique: it is that of the rows found independent.

    Attributes:
        at: name of the joint or constraint element, or of an `Object3D` that is fixed to its parent.
        resolved_in: name of the frame that the components refer to, "" the world; by default ``obj2`` of the joint, or
            the `Object3D`.
        quantities: "force", "torque".
    """

    at: str
    resolved_in: str | None = None
    quantities: str | Sequence[str] = QUANTITIES

    def __post_init__(self) -> None:
        checks.frame_name("CutForceAndTorque", "at", self.at)
        if self.resolved_in is not None:
            checks.text("CutForceAndTorque", "resolved_in", self.resolved_in)
        object.__setattr__(self, "quantities", chosen("CutForceAndTorque", self.quantities, QUANTITIES))

    def measured(self) -> tuple[Quantity, ...]:
        known = (("force", CUT_FORCE), ("torque", CUT_TORQUE))
        frames = ("", "", OWN_FRAME if self.resolved_in is None else self.resolved_in)
        return tuple(Quantity(name, kind, frames, subject=self.at) for name, kind in known if name in self.quantities)


OWN_FRAME = "."
"""In the place of a frame's name: the frame of what is cut."""
