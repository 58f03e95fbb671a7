"""Forces that the engine applies inside, one element per file; their machine code is in `kernels`, a file each."""

from .base import ForceElement
from .bushing import BushingForce
from .spring_damper import SpringDamperForce
from .world_force import ExternalForce
from .world_torque import ExternalTorque

__all__ = ["BushingForce", "ExternalForce", "ExternalTorque", "ForceElement", "SpringDamperForce"]
