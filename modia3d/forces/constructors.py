"""What a user writes for the forces of a `Model3D`."""

from __future__ import annotations

from modiapy.model.model import constructor

from ..scene.habits import ARGUMENTS
from . import bushing, law, spring_damper, world_force, world_torque
from .drive_train import BevelGear, Mounting, RevoluteWithSupport, Rotor
from .line_force import LineForce, LineForceWithMass, LineForceWithTwoMasses
from .signal_constructors import Force, ForceAndTorque, Torque, also_from_equations

__all__ = [
    "BevelGear",
    "Bushing",
    "Force",
    "ForceAndTorque",
    "Formula",
    "LineForce",
    "LineForceWithMass",
    "LineForceWithTwoMasses",
    "Mounting",
    "RevoluteWithSupport",
    "Rotor",
    "SpringDamperPtP",
    "Torque",
    "WorldForce",
    "WorldTorque",
]

WorldForce = also_from_equations(
    constructor(world_force.ExternalForce, name="WorldForce", remedies=ARGUMENTS["WorldForce"]), "force"
)
WorldTorque = also_from_equations(
    constructor(world_torque.ExternalTorque, name="WorldTorque", remedies=ARGUMENTS["WorldTorque"]), "torque"
)
SpringDamperPtP = constructor(spring_damper.SpringDamperForce, name="SpringDamperPtP", remedies=ARGUMENTS["SpringDamperPtP"])
Bushing = constructor(bushing.BushingForce, name="Bushing", remedies=ARGUMENTS["Bushing"])
Formula = constructor(law.FormulaLaw, name="Formula")
