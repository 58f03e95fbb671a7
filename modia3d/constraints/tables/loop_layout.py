"""The memory of the closed loops of a segment, as the kernels see it (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Field, Layout, elsewhere, size

from ...dynamics.basics.layout import INT_COLUMNS, work_shape
from . import cut_table

GIVEN = -1
"""In the place of the index of a state: what the equations give is no state, and a projection leaves it as it is."""

_n, _n_q, _n_v, _n_e = size("n"), size("n_q"), size("n_v"), size("n_e")
_cuts, _m, _path, _tau = size("n_cuts"), size("m"), size("n_path"), size("n_tau")

LOOPS = Layout(
    Field("n", (), INT64),
    Field("n_q", (), INT64),
    Field("n_v", (), INT64),
    Field("n_e", (), INT64),
    Field("n_given", (), INT64),
    Field("n_cuts", (), INT64),
    Field("m", (), INT64),
    Field("n_path", (), INT64),
    Field("n_tau", (), INT64),
    Field("n_near", (), INT64),
    Field("n_runs", (), INT64),
    Field("n_matrix", (), INT64),
    Field("n_slips", (), INT64),
    Field("n_sliding", (), INT64),
    Field("n_freedoms", (), INT64),
    Field("n_apart", (), INT64),
    Field("passages", (), INT64),
    Field("watch", (), INT64),
    Field("contacts", (), INT64),
    elsewhere("cuts", (_cuts, cut_table.COLUMNS)),
    Field("ints", (_n, INT_COLUMNS), INT64),
    Field("row_start", _cuts + 1, INT64),
    Field("path_start", _cuts + 1, INT64),
    Field("path_length", _cuts, INT64),
    Field("tau_start", _cuts, INT64),
    Field("path", _path, INT64),
    Field("path_at", _path, INT64),
    Field("path_once", _path, INT64),
    Field("near_start", _cuts + 1, INT64),
    Field("near", size("n_near"), INT64),
    Field("run_start", size("n_near") + 1, INT64),
    Field("runs", (size("n_runs"), 3), INT64),
    Field("first", _m, INT64),
    Field("start", _m, INT64),
    Field("holonomic", _m, INT64),
    Field("plane", _cuts, INT64),
    Field("empty", _m, INT64),
    Field("n_filled", 1, INT64),
    Field("filled", _m, INT64),
    Field("first_filled", _m, INT64),
    Field("filled_start", _cuts + 1, INT64),
    Field("off", _m, INT64),
    Field("of_contact", _m, INT64),
    Field("sliding", size("n_sliding"), INT64),
    Field("sliding_cut", size("n_sliding"), INT64),
    Field("position", _n, INT64),
    Field("q_state", _n_e, INT64),
    Field("v_state", _n_e, INT64),
    Field("locked", _n_e, INT64),
    Field("rank", 1, INT64),
    Field("lost", 1, INT64),
    Field("chosen", _n_e, INT64),
    Field("q_factor", _n_e),
    Field("v_factor", _n_e),
    Field("length", _cuts),
    Field("extent", _n),
    Field("size", _m),
    Field("reach", _m),
    Field("points", (_cuts, 3)),
    Field("coefficients", (_m, 6)),
    Field("residual", _m),
    Field("speed", _m),
    Field("pace", _m),
    Field("rest", _m),
    Field("tau", _tau),
    Field("scaled", _tau),
    Field("levers", _tau),
    Field("matrix", size("n_matrix")),
    Field("lever_matrix", size("n_matrix")),
    Field("inverse", _m),
    Field("lever_inverse", _m),
    Field("least", _m),
    Field("apart", (size("n_apart"), _n_v)),
    Field("multipliers", _m),
    Field("B", (size("n_given"), _m)),
    Field("reduced", (size("n_given") + 1, _m + _n_e)),
    Field("factor", (_n_e, _n_e)),
    Field("basis", (_n_e, _n_e)),
    Field("offset", _n_e),
    Field("shares", (_m + _n_e, _n_e)),
    Field("spread", (_n_e, _m + _n_e)),
    Field("width", _n_e),
    Field("still_e", _n_e),
    Field("pushed", _n_v),
    Field("change", _n_v),
    Field("still", _n_v),
    Field("q", _n_q),
    Field("v", _n_v),
    Field("R", (_n, 9)),
    Field("p", (_n, 3)),
    Field("v_W", (_n, 3)),
    Field("w_W", (_n, 3)),
    Field("a_W", (_n, 3)),
    Field("alpha_W", (_n, 3)),
    Field("at_rest", (_n, 3)),
    Field("no_gravity", 3),
    Field("turned", 4),
    Field("freedoms", (size("n_freedoms"), _m)),
    Field("rubbed", (size("n_sliding"), _m)),
    Field("jamming", (size("n_sliding"), size("n_sliding") + 1)),
    Field("determinant", 1),
    Field("work", work_shape(_n)),
    Field("work_2", work_shape(_n)),
)
"""Sizes: bodies, coordinates, speeds, prescribed joints; these and the force signals, whose values are given; cuts, rows,
bodies on the ways of all cuts to the root, generalized forces there, pairs of cuts that share bodies, runs of speeds that these
share, elements of the matrix, rows that restrict speeds alone, contacts that slide, rows of contacts, of `apart`; the
address of `passage_layout.PASSAGES`, 0 where nobody follows the rank; of the machine code that watches contacts at rest, 0
where there are none, and of their memory.

`ints`: the forest in which prescribed joints give way to a projection (PASSIVE; LOCKED if they cannot move). Cut i has the rows
``row_start[i]..``, the bodies ``path[path_start[i]..]`` behind joints of both ways, ``path_at`` their first speeds among the
``path_length`` of these ways, ``path_once`` 1 where only that of the second body has it, -1 that of the first one, and
``tau[tau_start[i]..]``: for each row what each speed feels of a unit of its multiplier, ``scaled`` the same divided by what
is to be accelerated there, and ``levers``, see `kernels.loop_levers`, what it moves by geometry alone. ``near``: cuts
with which it shares bodies, up to itself; pair k shares the ``runs[run_start[k]..]``: where each begins among the speeds of
both ways, and its length. The matrix ``G M^-1 G^T`` of the passive joints: its lower part, row i from column ``first[i]`` on,
so that (i, j) stands at ``start[i] + j``; then its factors, `inverse` those of the pivots, 0 where a row is redundant, which
``lever_matrix`` and ``lever_inverse`` decide, the same of `levers`; rows whose pivots are not above ``least`` are left out;
``lost`` is 1 where pivots lose digits, and `apart` has orthogonal rows of `tau` and `scaled` then. 1 in ``empty`` where passive
joints feel nothing of a row; the others are ``filled[:n_filled]``, those in the envelope of row i begin at ``first_filled[i]``
there, those of cut i at ``filled_start[i]``. ``plane``: a body whose z axis is normal to the plane in
which all of a loop moves, -1 if there is none. ``size``: of each row in the metric of the mass matrix; ``reach``: by geometry;
``pace``: how fast the bodies of a row move, in its unit; ``extent`` of bodies: by what speeds that turn are divided in
`levers`, ``width`` the same of prescribed joints. ``B``, `reduced`:
what given values do to the rows, before and after the elimination of the passive joints; the last row of `reduced` is what rows
demand without them. ``factor``, `basis`, `offset`, ``rank``, `chosen`, `shares`, `spread`: of prescribed joints, see
`kernels.loop_relation`; `locked` says which do not move. `q_state`, `v_state`, `q_factor`, `v_factor`: state of the equations
that is coordinate (speed) of a prescribed joint divided by the factor, `GIVEN` if none is.

Rows that are ``off`` keep nothing: the directions of friction, and those of contacts while bodies strike each other. Of rows
``of_contact``, see `kernels.contact_friction`: `sliding`, the directions of friction behind their normals, of the cuts
`sliding_cut`; `freedoms`, orthonormal null vectors; `rubbed`, what a unit of friction does to the multipliers; `jamming`, their
small system, ``determinant`` of that."""
