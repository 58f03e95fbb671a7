"""Forces that the engine applies inside; what acts is declared in `elements`, by file, and named in `registry`.

An element is one file in `forces/elements/` (`bushing.py`, `rope.py`, `spring_damper.py`, both loads in `world_load.py`;
of gravity `point_gravity.py`, `user_gravity.py`, `mutual_gravity.py`): its dataclass (`base.py:
ForceElement`), its kernels (`kernel.py`: made when they are needed, so that reading a scenario imports no numba),
and its `Declaration` (`declaration.py`), which names wrench, energy, loss and outer power, each a kernel or
`NOTHING`, and numbers the columns of its row. A line in `registry.py` makes it public: exports, YAML and writer
follow (`constructors.py`; `add_element` for those from outside). There is no dispatch:
`kernels/shell.py` compiles each kernel as machine code with one signature, cached by the file of the element, and the
table of forces has its address in each row (`kernels/evaluate.py`, `calls.py`). So a model compiles the elements that
it has. Energies and powers are compiled where somebody asks for them (`ForceTable.prepare`); an address that is
missing gives NaN, not 0.

`force_table` maps the elements for each segment to rows `float64[m, 62]` (`forces/basics/layout.py`): addresses,
bodies and poses of both frames, laws, numbers; gravity of a field is one row per solid, of a pool one per pair
(`forces/gravity.py`), so that what is locked together still feels its gradient. A model with forces calls
`set_states_with_forces` instead of `set_states`: poses and velocities of all bodies, the wrench on each (torque about
its origin and force, in B), which `hybrid_prepare` subtracts from the bias forces; joints with and without flange
feel it. A model without forces neither compiles nor computes any of this. An element of which a frame was deleted
acts no more. `mechanics.potential_energy` contains springs and gravity.

A law (`forces/basics/law.py`) is two columns: kind (factor, constant, table, function) and factor, value, address of
the `Table1D`'s memory, or address of the machine code of a function, compiled at `instantiate`
(`modiapy.symbolic.codegen.external.machine_code`). Kinks of tables of time are time events. A status of the kernels
that tells which row is no number, or which point has no balance, becomes a message by the component's
`failure(status)`.

Massless points (`forces/points.py`): an `Object3D` without mass, joints and children at which springs act is no
frame of the graph but a body behind all bodies (numbers n, n + 1, ...), with the identity for its rotation: the
kernels of the elements do not know the difference. `set_states_with_points` (`engine/kernels/points.py`, imported for
such models only) first finds their positions (`forces/kernels/massless.py`): Newton's method from the last positions,
damped as Levenberg and Marquardt do, once more from the middle of what the springs connect. Elements at a point that
is left with one of them (deletion) are left out. Dampers make it the differential equation `D(p) v = f(p)` with a
singular D, as they resist along their lines only; a small friction across (`kernels/damped.py`) makes it regular.
Positions of damped points are therefore states: three variables of the equations each (`engine/points.py`), from a
place that the segment keeps, so that changes of structure need no new states. `point_velocities` gives their rates;
velocities in results are freed from the integrator's noise across (`settle_velocities`). A segment that begins a
simulation moves them to where springs balance across (`begin`).
"""

from __future__ import annotations

from modiapy.model.lazy_exports import lazy_exports

_KERNELS = (
    "act", "add", "apply", "apply_transposed", "call_3_1", "call_3_3", "cross", "dot", "first_pose", "integral", "kernel",
    "law", "law3", "multiply", "negate", "parameter3", "point_velocity", "scale", "second_pose", "subtract", "transpose",
)  # fmt: skip
HOMES = {
    "add_element": "modia3d.forces.constructors",
    "ForceElement": "modia3d.forces.elements.base",
    **dict.fromkeys(("NOTHING", "Declaration", "Row"), "modia3d.forces.elements.declaration"),
    **dict.fromkeys(("BODY_1", "BODY_2"), "modia3d.forces.basics.layout"),
    **dict.fromkeys(_KERNELS, "modia3d.forces.elements.kernel"),
}
"""Module of each name that authors of force elements need (docs/forces.md, "Elements of your own")."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)
