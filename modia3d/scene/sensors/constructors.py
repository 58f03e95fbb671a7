"""Constructors for sensors of a `Model3D`."""

from __future__ import annotations

from modiapy.model.arguments import arguments_checked
from modiapy.model.constructors import constructor
from modiapy.model.model import Par

from . import contact, cut, distance, energy, gravity, motion

AbsoluteSensor = constructor(motion.AbsoluteSensor, name="AbsoluteSensor")
RelativeSensor = constructor(motion.RelativeSensor, name="RelativeSensor")
Distance = constructor(distance.DistanceSensor, name="Distance")
CutForceAndTorque = constructor(cut.CutSensor, name="CutForceAndTorque")
GravitySensor = constructor(gravity.GravitySensor, name="GravitySensor")
ContactSensor = constructor(contact.ContactSensor, name="ContactSensor")
EnergySensor = constructor(energy.EnergySensor, name="EnergySensor")
PowerSensor = constructor(energy.PowerSensor, name="PowerSensor")


@arguments_checked(typed=True)
def CutForce(at: str, resolved_in: str | None = None) -> Par:
    """The force of `CutForceAndTorque` alone.

    Args:
        at, resolved_in: as `CutForceAndTorque`.
    """
    return CutForceAndTorque(at, quantities=("force",), **({} if resolved_in is None else {"resolved_in": resolved_in}))


@arguments_checked(typed=True)
def CutTorque(at: str, resolved_in: str | None = None) -> Par:
    """The torque of `CutForceAndTorque` alone.

    Args:
        at, resolved_in: as `CutForceAndTorque`.
    """
    return CutForceAndTorque(at, quantities=("torque",), **({} if resolved_in is None else {"resolved_in": resolved_in}))
