"""What a user writes for the forces of a `Model3D`."""

from __future__ import annotations

from modiapy.model.model import constructor

from . import bushing, spring_damper, world_force, world_torque

WorldForce = constructor(world_force.ConstantForce, name="WorldForce")
WorldTorque = constructor(world_torque.ConstantTorque, name="WorldTorque")
SpringDamperPtP = constructor(spring_damper.SpringDamperForce, name="SpringDamperPtP")
Bushing = constructor(bushing.BushingForce, name="Bushing")
