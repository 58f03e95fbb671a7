"""What every trajectory must keep, whatever planned it: limits, continuity, agreement of its derivatives."""

import itertools

import numpy as np
import pytest

SLACK = 1e-7


def peaks(trajectory, order, n=11):
    """Largest magnitude of a derivative of each joint, of n values in each row."""
    found = [np.zeros(len(trajectory.start))]
    for row, after in itertools.pairwise(trajectory.rows):
        times = np.linspace(0.0, after.t0 - row.t0, n)
        for i in range(len(trajectory.start)):
            polynomial = np.polynomial.Polynomial(row.coefficients[:, i]).deriv(order)
            found.append(np.where(np.arange(len(trajectory.start)) == i, np.abs(polynomial(times)).max(), 0.0))
    return np.max(found, axis=0)


def check_limits(trajectory, limits):
    for order, limit in enumerate((limits.v_max, limits.a_max, limits.j_max), start=1):
        if limit is not None:
            assert (peaks(trajectory, order) <= np.array(limit) * (1.0 + SLACK)).all(), order


def check_continuity(trajectory, limits):
    """Position and velocity are continuous, the acceleration too where the jerk is limited; at rest at both ends."""
    scale = 1.0 + max(np.abs(trajectory.start).max(), np.abs(trajectory.end).max())
    speeds, accelerations = (np.max(limit) for limit in (limits.v_max, limits.a_max))
    orders = [(0, 1e-9 * scale), (1, 1e-7 * speeds)] + ([] if limits.j_max is None else [(2, 1e-5 * accelerations)])
    if len(trajectory.rows) == 1:
        return
    assert trajectory.rows[0].t0 == trajectory.start_time
    assert trajectory.rows[0].at(trajectory.start_time) == pytest.approx(np.array(trajectory.start), abs=1e-12 * scale)
    assert trajectory.rows[-1].t0 == trajectory.end_time
    for order, slack in orders:
        if order:
            assert np.abs(trajectory.rows[0].at(trajectory.start_time, order)).max() <= slack
        for before, after in itertools.pairwise(trajectory.rows):
            assert np.abs(before.at(after.t0, order) - after.at(after.t0, order)).max() <= slack, (order, after.t0)
