"""The memory of force signals and sensors between equations and engine (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Field, Layout, elsewhere, size

from ...forces.basics.layout import FORCE_COLUMNS

KIND = 0
BODY_1, BODY_2, BODY_3 = 1, 2, 3
"""Body of each frame: -1 the world, -2 deleted."""
R_1, R_2, R_3 = 4, 16, 28
"""9 columns each, ``R_BF`` row-major; the 3 columns behind are ``p_BF_B`` [m]."""
SHAPES = 4
"""Of a sensor of contact, in the place of the poses of frames 1 and 2: rows of the table of shapes, those of a solid from the
first number to before the second one, and those of what may touch it (2)."""
INDEX = 40
"""Force signals: axis of frame 3. Sensors: first of its values."""
COUNT = 41
"""Sensors: number of values; of a `SIGNAL_VELOCITY` the force signal; cuts: number of members."""
SIGN = 42
"""Cuts: 1, or -1 if the members are on the side that exerts the force."""
ROW_COLUMNS = 43
"""Columns of a row, of force signals and sensors alike."""

PIECE_COLUMNS = 11
"""Body, then its mass, first moment (3), inertia about the origin of the body (6) in B, see `modia3d.topology.inertia`."""

_n, _n_e, _n_f, _n_pieces = size("n"), size("n_e"), size("n_f"), size("n_pieces")

SIGNALS = Layout(
    Field("n", (), INT64),
    Field("n_e", (), INT64),
    Field("n_f", (), INT64),
    Field("n_sensors", (), INT64),
    Field("n_values", (), INT64),
    Field("n_pieces", (), INT64),
    Field("n_members", (), INT64),
    Field("n_inner", (), INT64),
    Field("n_closing", (), INT64),
    elsewhere("forces", (_n_f, ROW_COLUMNS)),
    elsewhere("sensors", (size("n_sensors"), ROW_COLUMNS)),
    elsewhere("pieces", (_n_pieces, PIECE_COLUMNS)),
    elsewhere("members", size("n_members"), INT64),
    elsewhere("piece_forces", (_n_f, ROW_COLUMNS)),
    elsewhere("inner", (size("n_inner"), FORCE_COLUMNS)),
    elsewhere("closing", (size("n_sensors"), size("n_closing"))),
    Field("B", (_n_e, _n_f)),
    Field("values", size("n_values")),
    Field("R", (_n, 9)),
    Field("p", (_n, 3)),
    Field("v_W", (_n, 3)),
    Field("w_W", (_n, 3)),
    Field("a_W", (_n, 3)),
    Field("alpha_W", (_n, 3)),
    Field("R_P", (_n_pieces, 9)),
    Field("p_P", (_n_pieces, 3)),
    Field("v_P", (_n_pieces, 3)),
    Field("w_P", (_n_pieces, 3)),
    Field("wrenches", (_n_pieces, 6)),
)
"""Its address is in `context.SEGMENT`. Sizes: bodies, prescribed joints, force signals, sensors, values of these, pieces of
cuts, members, forces inside the engine, cuts that close loops. Tables: force signals; sensors; pieces, members of the sides of
all cuts, force signals and inner forces with pieces in the place of bodies; how much of what closes each loop goes through the
cut of a sensor. What changes: ``B``; values of the sensors; motion of all bodies in world; motion of the pieces, what inner
forces do to each."""
