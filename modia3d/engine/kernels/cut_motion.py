"""Forces and torques in a cut at many time points; compiled where somebody asks for them."""

from __future__ import annotations

from modiapy.acausal.native import njit

from ..memory.accessors import exchanged, over_time
from .cuts import cut_wrench, move_pieces
from .motion import MATRIX


@njit(f"void(int64, int64, {MATRIX})", cache=True)
def cut_wrenches(motion, signals, out):  # type: ignore[no-untyped-def]
    """Torque and force of the cut in row 0 of the sensors, out[nt, 6]; see `kernels.cuts.cut_wrench`.

    Args:
        motion, signals: addresses of `OVER_TIME` and of `SIGNALS`, of which the motion is overwritten.
    """
    m, e = over_time(motion), exchanged(signals)
    for i in range(m.n_t):
        e.R[:], e.p[:], e.v_W[:], e.w_W[:] = m.R[i], m.p[i], m.v_W[i], m.w_W[i]
        e.a_W[:], e.alpha_W[:] = m.a_W[i], m.alpha_W[i]
        move_pieces(signals, m.time[i])
        found = cut_wrench(signals, 0, m.f[i], m.gravity)
        for j in range(6):
            out[i, j] = found[j]
