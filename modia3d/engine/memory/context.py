"""Context of the engine's machine code in a segment: sizes and arrays, from the component's context on (no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Block, Field, Layout, elsewhere, size
from modiapy.acausal.protocol import CONTEXT

from ...constraints.tables import limit_table
from ...dynamics.basics.layout import FLOAT_COLUMNS, INT_COLUMNS, work_shape
from ...forces.basics.layout import FORCE_COLUMNS, POINT_COLUMNS, point_work_shape

_n, _n_q, _n_v, _n_e, _n_f = size("n"), size("n_q"), size("n_v"), size("n_e"), size("n_f")
_loaded, _points = size("n_loaded"), size("n_points")

WORKING = Layout(
    Field("q", _n_q),
    Field("v", _n_v),
    Field("tau", _n_v),
    Field("a", _n_v),
    Field("mass", (_n_e, _n_e)),
    Field("bias", _n_e),
    Field("given", _n_e + _n_f),
    Field("coupling", (_n_e + _n_f, _n_v - _n_e)),
    Field("work", work_shape(_n)),
    Field("R_loaded", (_loaded, 9)),
    Field("p_loaded", (_loaded, 3)),
    Field("v_loaded", (_loaded, 3)),
    Field("w_loaded", (_loaded, 3)),
    Field("wrenches", (_loaded, 6)),
    Field("search", point_work_shape(_points)),
    Field("prepared", _n_q + _n_v * 2 + _n + 1),
    Field("before", 1),
)
"""What changes within a segment. Coordinates and speeds, generalized force besides all others, accelerations; M_e and h_e of
the prescribed joints; what the equations give, ``(a_e, -f)`` of prescribed joints and force signals, and the coupling, what
passive joints feel of each; workspace of the dynamics. Of bodies and massless points where forces act: motion, and what forces
do to each; workspace of the search for massless points. For which coordinates, speeds, generalized forces and roles of joints
M_e, h_e, coupling and workspace are prepared, behind a number that is not zero where they are. The last time [s] before the
next event at which functions of time may jump."""

SEGMENT = Layout(
    Field("n", (), INT64),
    Field("n_q", (), INT64),
    Field("n_v", (), INT64),
    Field("n_e", (), INT64),
    Field("n_f", (), INT64),
    elsewhere("ints", (_n, INT_COLUMNS), INT64),
    elsewhere("floats", (_n, FLOAT_COLUMNS)),
    elsewhere("gravity", 3),
    Field("n_loaded", (), INT64),
    Field("n_points", (), INT64),
    Block("memory", WORKING),
    Field("paths", (), INT64),
    Field("signals", (), INT64),
    Field("loops", (), INT64),
    Field("n_forces", (), INT64),
    elsewhere("forces", (size("n_forces"), FORCE_COLUMNS)),
    Field("contact_row", (), INT64),
    Field("contact_code", (), INT64),
    Field("step_code", (), INT64),
    Field("n_damped", (), INT64),
    elsewhere("damped", (size("n_damped"), POINT_COLUMNS)),
    Field("n_lockable", (), INT64),
    Field("n_switches", (), INT64),
    elsewhere("lockable", (size("n_lockable"), limit_table.COLUMNS)),
)
"""What a segment writes into the slots of the context that belong to the component. Numbers of bodies, coordinates, speeds,
prescribed joints, force signals; the forest; bodies and massless points that forces act on (none without forces); addresses of
`PATHS`, of `signal_layout.SIGNALS` and of `loop_layout.LOOPS` (0 where there are none); table of forces, which row of it has
all contacts and the addresses of `contact.kernels.indicate_contacts` and `bound_step` (0 where nothing collides); tables of
damped massless points, of joints that may be held, of which the first ones are prescribed."""

ENGINE = CONTEXT.followed_by(*SEGMENT.fields.values())
"""The whole context."""

PATHS = Layout(
    Field("n_paths", (), INT64),
    Field("n_rows", (), INT64),
    Field("depth", (), INT64),
    Field("width", (), INT64),
    elsewhere("paths", (size("n_paths"), 4), INT64),
    elsewhere("times", size("n_rows")),
    elsewhere("coefficients", (size("n_rows"), size("depth"), size("width"))),
)
"""Reference paths, see `program.PackedPaths`; rewritten when a path goes on with another trajectory segment."""
