"""One-dimensional translational mechanics.

Conventions of Modelica.Mechanics.Translational: a cut force ``f`` is positive when it acts on the component, along its axis; SI
units.
"""

from .components import (
    Damper,
    ElastoGap,
    Fixed,
    Mass,
    RelativeStates,
    Rod,
    Spring,
    SpringDamper,
)
from .friction import (
    Brake,
    MassWithStopAndFriction,
    SupportFriction,
)
from .interfaces import (
    Compliant,
    CompliantWithSpeed,
    Flange,
    Rigid,
)
from .sensors import (
    AccSensor,
    ForceSensor,
    MultiSensor,
    PositionSensor,
    PowerSensor,
    RelAccSensor,
    RelPositionSensor,
    RelSpeedSensor,
    SpeedSensor,
)
from .sources import (
    Accelerate,
    ConstantForce,
    ConstantSpeed,
    EddyCurrentForce,
    FilteredPosition,
    Force,
    Force2,
    ForceStep,
    ForceWithSupport,
    InverseSpeedDependentForce,
    LinearSpeedDependentForce,
    Position,
    QuadraticSpeedDependentForce,
    SignForce,
    Speed,
)

__all__ = [
    "AccSensor",
    "Accelerate",
    "Brake",
    "Compliant",
    "CompliantWithSpeed",
    "ConstantForce",
    "ConstantSpeed",
    "Damper",
    "EddyCurrentForce",
    "ElastoGap",
    "FilteredPosition",
    "Fixed",
    "Flange",
    "Force",
    "Force2",
    "ForceSensor",
    "ForceStep",
    "ForceWithSupport",
    "InverseSpeedDependentForce",
    "LinearSpeedDependentForce",
    "Mass",
    "MassWithStopAndFriction",
    "MultiSensor",
    "Position",
    "PositionSensor",
    "PowerSensor",
    "QuadraticSpeedDependentForce",
    "RelAccSensor",
    "RelPositionSensor",
    "RelSpeedSensor",
    "RelativeStates",
    "Rigid",
    "Rod",
    "SignForce",
    "Speed",
    "SpeedSensor",
    "Spring",
    "SpringDamper",
    "SupportFriction",
]
