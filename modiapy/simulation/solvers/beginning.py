"""Event indicators at the point where an integrator begins.

An indicator that is exactly zero there sleeps, with the sign that it has a moment later, until it is no longer zero. Its
relation was decided by this sign. If it then has the other sign, this is an event. An indicator that is still zero a moment
later crosses when it leaves zero. If states are projected, rounding may give an indicator another sign than the one by which
its relation was decided. It then begins with the old sign, so that its next value is an event. An indicator that rests at zero
apart from noise sleeps until it leaves the band of the noise.
"""

from __future__ import annotations

import numpy as np

from .crossings import ASLEEP
from .interface import Problem

MOMENT, LONGEST_MOMENT = 1e-9, 1e-7
"""See `moment_at`; the latter in s. What moves more slowly rests, but for rounding errors."""


def moment_at(time: float, x: np.ndarray, rates: np.ndarray, nominal: np.ndarray | None) -> float:
    """Return a time step [s] in which no state changes by more than `MOMENT` of its magnitude, with the derivatives ``rates``.

    Args:
        time: [s].
        x, rates: states and their derivatives, shape (n,).
        nominal: magnitudes of the states, shape (n,); None where all are 1.
    """
    fastest = float((np.abs(rates) / (np.abs(x) + (1.0 if nominal is None else nominal))).max(initial=0.0))
    moment = min(MOMENT / fastest, LONGEST_MOMENT) if fastest > 0.0 else MOMENT
    return max(moment, 8.0 * float(np.spacing(abs(time))))


def indicators_at_begin(problem: Problem, time: float, x: np.ndarray, rates: np.ndarray | None = None) -> np.ndarray | None:
    """Return the event indicators where an integrator begins, shape (n_z,), +-`ASLEEP` for those that sleep or were decided
    with the other sign; None where that fails.

    Args:
        rates: consistent derivatives, of an integrator of the residual form.
    """

    z = _indicators(problem, time, x, rates)
    if z is not None and problem.decided is not None:
        signs = problem.decided()
        now = z[: signs.size]
        now[now * signs < 0.0] = ASLEEP * signs[now * signs < 0.0]
    if z is not None and (bands := problem.bands()).any():
        resting = np.flatnonzero(np.abs(z[: bands.size]) <= np.abs(bands))
        z[resting] = ASLEEP * np.sign(bands[resting])
    return z


def _indicators(problem: Problem, time: float, x: np.ndarray, rates: np.ndarray | None) -> np.ndarray | None:
    def evaluate(time: float, x: np.ndarray) -> np.ndarray | None:
        z = np.zeros(problem.n_z)
        if rates is None:
            status = problem.root(time, x, z)
        else:
            assert problem.dae_root is not None
            status = problem.dae_root(time, x, rates, z)
        return z if status == 0 else None

    z = evaluate(time, x)
    if z is None or z.all():
        return z
    speeds = np.zeros(x.size) if rates is None else rates
    if rates is None and problem.rhs(time, x, speeds) != 0:
        return z
    moment = moment_at(time, x, speeds, problem.nominal)
    later = evaluate(time + moment, x + moment * speeds)
    if later is None:
        return z
    return np.where((z == 0.0) & ~np.isnan(later), ASLEEP * np.sign(later), z)
