"""Forces and torques in a cut at many time points; compiled where somebody asks for them."""

from __future__ import annotations

from modiapy.acausal.native import njit, part

from ..memory.accessors import exchanged, over_time
from .cuts import cut_wrench, move_pieces
from .motion import MATRIX


@part
def _copy(source, to):  # type: ignore[no-untyped-def]
    """Compute the rows of a matrix to another one: a slice in its place needs lists, for its message about shapes."""
    for i in range(to.shape[0]):
        for j in range(to.shape[1]):
            to[i, j] = source[i, j]


@njit(f"void(int64, int64, {MATRIX})", cache=True)
def cut_wrenches(motion, signals, out):  # type: ignore[no-untyped-def]
    """Compute the torque and force of the cut in row 0 of the sensors, out[nt, 6]; see `kernels.cuts.cut_wrench`.

    Args:
        motion, signals: addresses of `OVER_TIME` and of `SIGNALS`, of which the motion is overwritten.
    """
    m, e = over_time(motion), exchanged(signals)
    for i in range(m.n_t):
        _copy(m.R[i], e.R)
        _copy(m.p[i], e.p)
        _copy(m.v_W[i], e.v_W)
        _copy(m.w_W[i], e.w_W)
        _copy(m.a_W[i], e.a_W)
        _copy(m.alpha_W[i], e.alpha_W)
        move_pieces(signals, m.time[i])
        found = cut_wrench(signals, 0, m.f[i], m.gravity)
        for j in range(6):
            out[i, j] = found[j]
