"""What a change of structure computes over arrays: how two frames are to each other, and the states that go on."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import math

from modiapy.acausal.native import njit

from ..dynamics.basics.layout import X_PLACES
from ..dynamics.basics.spatial import OPTIONS

_MATRIX, _VECTOR, _PLACES = "float64[:,::1]", "float64[::1]", "int64[::1]"
_MOTION = f"{_MATRIX}, {_VECTOR}, {_VECTOR}, {_VECTOR}"


@njit(f"void({_MOTION}, {_MOTION}, {_VECTOR})", **OPTIONS)
def relate(R_a, p_a, v_a, w_a, R_b, p_b, v_b, w_b, out):
    """``R_AB`` (9), ``p_AB_A`` (3), relative speed and rate of turning of two frames A and B, each a `FrameMotion`.

    ``R_AB`` is orthonormal to rounding whatever the rounding errors of the given rotations are (one step of Newton's method for
    the polar decomposition, ``R (3 - R^T R) / 2``).
    """
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = R_a[0, i] * R_b[0, j] + R_a[1, i] * R_b[1, j] + R_a[2, i] * R_b[2, j]
        out[9 + i] = R_a[0, i] * (p_b[0] - p_a[0]) + R_a[1, i] * (p_b[1] - p_a[1]) + R_a[2, i] * (p_b[2] - p_a[2])
    xx = out[0] * out[0] + out[3] * out[3] + out[6] * out[6]  # of R^T R
    yy = out[1] * out[1] + out[4] * out[4] + out[7] * out[7]
    zz = out[2] * out[2] + out[5] * out[5] + out[8] * out[8]
    xy = out[0] * out[1] + out[3] * out[4] + out[6] * out[7]
    xz = out[0] * out[2] + out[3] * out[5] + out[6] * out[8]
    yz = out[1] * out[2] + out[4] * out[5] + out[7] * out[8]
    for i in range(0, 9, 3):
        x, y, z = out[i], out[i + 1], out[i + 2]
        out[i] = 1.5 * x - 0.5 * (x * xx + y * xy + z * xz)
        out[i + 1] = 1.5 * y - 0.5 * (x * xy + y * yy + z * yz)
        out[i + 2] = 1.5 * z - 0.5 * (x * xz + y * yz + z * zz)
    v = w = 0.0
    for i in range(3):
        v += (v_b[i] - v_a[i]) ** 2
        w += (w_b[i] - w_a[i]) ** 2
    out[12], out[13] = math.sqrt(v), math.sqrt(w)


@njit(f"int64({_VECTOR}, {_PLACES}, {_VECTOR}, {_PLACES}, {_VECTOR}, {_PLACES})", **OPTIONS)
def carry_states(known, old_place, old, new_place, new, missing):
    """States from their places in one forest to those in the next, by way of ``known``, which has a place for each.

    Args:
        known: what is there already stays, NaN where nothing is.
        old_place, old: places and values. new_place: places; new: becomes the values there.
        missing: becomes the places in `SceneGraph.state_names` of what has none, as far as there is room.

    Returns:
        The number of these.
    """
    for k in range(old.size):
        known[old_place[k]] = old[k]
    count = 0
    for k in range(new.size):
        at = new_place[k]
        new[k] = known[at]
        if math.isnan(known[at]) and at % X_PLACES == 0:
            missing[count] = at // X_PLACES
            count += 1
    return count
