"""Motion of a forest at many time points, for kernels that make result signals (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Field, Layout, elsewhere, size

from ...dynamics.basics.layout import FLOAT_COLUMNS, INT_COLUMNS

_nt, _n, _n_v = size("n_t"), size("n"), size("n_v")

OVER_TIME = Layout(
    Field("n_t", (), INT64),
    Field("n", (), INT64),
    Field("n_q", (), INT64),
    Field("n_v", (), INT64),
    Field("n_f", (), INT64),
    elsewhere("ints", (_n, INT_COLUMNS), INT64),
    elsewhere("floats", (_n, FLOAT_COLUMNS)),
    elsewhere("gravity", 3),
    elsewhere("time", _nt),
    elsewhere("q", (_nt, size("n_q"))),
    elsewhere("v", (_nt, _n_v)),
    elsewhere("a", (_nt, _n_v)),
    elsewhere("R", (_nt, _n, 9)),
    elsewhere("p", (_nt, _n, 3)),
    elsewhere("v_W", (_nt, _n, 3)),
    elsewhere("w_W", (_nt, _n, 3)),
    elsewhere("a_W", (_nt, _n, 3)),
    elsewhere("alpha_W", (_nt, _n, 3)),
    elsewhere("f", (_nt, size("n_f"))),
)
"""Arrays of `motion.Motion`: the forest; coordinates, speeds, accelerations; motion of all bodies in world; force signals. What
a kernel does not read may be left out."""
