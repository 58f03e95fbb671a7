"""Memory of linear systems that are solved by iteration."""

from __future__ import annotations

import sys

from ...acausal.memory_layout import INT64, Field, Layout, size

PHASE, SIZE, CONSTANT, FACTORISED, COLUMN, LAPACK, DEFICIENT, KERNEL, FACTORISATIONS, ENTRIES, COLOURS, FACTORS = range(12)
"""Words of the header. LAPACK: address of dgetrf, 0 where it is not wanted. DEFICIENT: 1 while the smallest of many solutions
is computed. KERNEL: address of the iteration. FACTORISATIONS: how often the matrix was factorised. The last ones are those of
sparse systems (`sparse_memory`): entries of the matrix, colours of its columns, what is in the place of the matrix."""
HEADER = 12

_n = size("n")
LINEAR = Layout(
    Field("header", HEADER, INT64),
    Field("unknowns", _n),
    Field("residuals", _n),
    Field("right_side", _n),
    Field("row_scales", _n),
    Field("column_scales", _n),
    Field("pivots", _n, INT64),
    Field("matrix", _n * _n),
    stored={"n": SIZE},
)
"""A system with n unknowns. Scales are the largest magnitudes of rows and columns of the matrix."""

ACTIVE = Layout(
    *LINEAR.fields.values(), Field("rows", _n, INT64), Field("places", _n, INT64), Field("sizes", _n), stored={"n": SIZE}
)
"""A system of which a part acts: marks of rows, then those of unknowns, which become a list; memory. ENTRIES says how many rows
were factorised together at most."""

BEGIN, COMPUTE_B, COMPUTE_A, REFINE, GIVEN = range(5)
"""Values of PHASE. BEGIN is set by the model, and GIVEN where the unknowns are known already; the others say what the
residuals now in memory are."""

ITERATE, SOLVED, STATUS_SINGULAR = 0, 1, 101
"""Results of `linear_iteration`: evaluate again, evaluate a last time with the solution, give up."""

REFINE_ABOVE = 32.0
"""Sum of magnitudes of the solution above which it is corrected: the rounding error of b enters A and is multiplied by it."""

LAPACK_SIZE = 40
"""Unknowns from which on LAPACK factorises. Measured, own LU and LAPACK [us]: 6 and 13 for 20 unknowns, 70 and 48 for 50,
500 and 52 for 100, 2000 and 270 for 200."""

PROBE = 2.0**32
"""Value of the unknown of which the column of A is wanted: so large that the rounding error of b, which
is subtracted, vanishes in the column; a power of two, so that the division by it is exact."""

EPSILON = sys.float_info.epsilon
