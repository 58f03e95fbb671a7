"""Mistakes that type checkers must find: mypy refuses an ignore that it does not need, see ``tests/test_exports.py``.

Nothing here runs.
"""

import modia3d
import modiapy
from modia3d import (
    ActionAttach,
    Actions,
    Box,
    Bushing,
    CylindricalWithFlanges,
    ModelActions,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Solid,
    SpringDamperPtP,
    WorldForce,
)
from modiapy import (
    Clock,
    Function,
    Map,
    Model,
    Par,
    Table1D,
    Var,
    instantiate,
    redeclare,
)
from modiapy.library.electric import Resistor

Box(length="x")  # type: ignore[call-arg]
Box(lenght_x=1.0)  # type: ignore[call-arg]
Box(1.0, 1.0, 1.0, 1.0)  # type: ignore[call-arg]
Box([1.0, 2.0, 3.0])  # type: ignore[arg-type]
Box(length_x=None)  # type: ignore[arg-type]
Object3D(feature=1.0)  # type: ignore[arg-type]
Object3D(translation=1.0)  # type: ignore[arg-type]
Object3D(rotation=(None, 0.0, 0.0))  # type: ignore[arg-type]
Object3D(lockabel=True)  # type: ignore[call-arg]
Solid(Box(), material="Steel")  # type: ignore[call-arg]
Solid(shape=Model())  # type: ignore[arg-type]
Revolute("a", "b", 3)  # type: ignore[arg-type]
Revolute("a", "b", "z", canCollide=False)  # type: ignore[call-arg]
RevoluteWithFlange("a")  # type: ignore[call-arg]
RevoluteWithFlange("a", "b", "z", psi=0.0)  # type: ignore[call-arg]
CylindricalWithFlanges("a", "b", limits=(0.0, 1.0))  # type: ignore[arg-type]
SpringDamperPtP("a", "b", stiffness=lambda: 1.0)  # type: ignore[arg-type, misc]
Bushing("a", "b", stiffness=3.0)  # type: ignore[arg-type]
WorldForce("a", 3.0)  # type: ignore[arg-type]
ModelActions(1)  # type: ignore[arg-type]
ModelActions(programme=[])  # type: ignore[call-arg]
ActionAttach(Actions(), "a", "b", waitingPeriod=1.0)  # type: ignore[call-arg]
ActionAttach("a", "b")  # type: ignore[arg-type, call-arg]
modia3d.Spehre()  # type: ignore[attr-defined]
modiapy.instantaite(Model())  # type: ignore[attr-defined]

Var(int=1.0)  # type: ignore[call-arg]
Var(1.0, 2.0)  # type: ignore[arg-type]
Var(flow="x")  # type: ignore[arg-type]
Par(1.0, minimum=0.0)  # type: ignore[call-overload]
Model(1.0)  # type: ignore[arg-type]
Map({"R": 1.0}, {"C": 2.0})  # type: ignore[arg-type]
redeclare(Map(R=1.0))  # type: ignore[arg-type]
Clock(intervall=0.1)  # type: ignore[call-arg]
Table1D([[0.0, 1.0]], "cubic")  # type: ignore[arg-type]
Function(3.0)  # type: ignore[arg-type]
instantiate(Resistor, unitless=True)  # type: ignore[call-arg]
instantiate(Resistor).simulate(stop=1.0)  # type: ignore[call-arg]
Resistor.parameter()  # type: ignore[attr-defined]


def imports() -> None:
    from modia3d import ActionAtach, Bax  # type: ignore[attr-defined] # noqa: F401
    from modia3d.dynamics import Dynamic  # type: ignore[attr-defined] # noqa: F401
    from modia3d.files import read_scenari  # type: ignore[attr-defined] # noqa: F401
    from modiapy import Modle  # type: ignore[attr-defined] # noqa: F401
    from modiapy.acausal import SegmentLayot  # type: ignore[attr-defined] # noqa: F401
    from modiapy.library.electric import Resitor  # type: ignore[attr-defined] # noqa: F401
