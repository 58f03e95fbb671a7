"""Header and tables of the signals between equations and engine (plain Python, no numba).

The slot SIGNALS holds the address of a header, int64[HEADER_SIZE]; what it points to belongs to the segment.
"""

from __future__ import annotations

HEADER_SIZE = 20
(
    N_FORCES, FORCES, B, COUPLING, GIVEN, N_SENSORS, SENSORS, N_VALUES, VALUES, POSES, VELOCITIES,
    N_PIECES, PIECES, N_MEMBERS, MEMBERS, PIECE_FORCES, N_INNER, INNER, ACCELERATIONS, PIECE_MOTION,
) = range(20)  # fmt: skip
"""Force signals: number, table, ``B`` (n_e, n_f), coupling of accelerations and signals to passive joints (n_e + n_f, n_h),
``(a_e, -f)``. Sensors: number, table, number of values, values. Bodies: R (n, 9) and p (n, 3), v_W and w_W (n, 3).
Cuts: pieces (n, PIECE_COLUMNS), members of the sides of all cuts (int64), force signals and inner forces with pieces in the
place of bodies, a_W and alpha_W of all bodies (n, 3) each, R, p, v_W, w_W and wrench (24) of all pieces."""

KIND = 0
BODY_1, BODY_2, BODY_3 = 1, 2, 3
"""Body of each frame: -1 the world, -2 deleted."""
R_1, R_2, R_3 = 4, 16, 28
"""9 columns each, ``R_BF`` row-major; the 3 columns behind are ``p_BF_B`` [m]."""
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
