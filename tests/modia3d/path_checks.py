"""What every leg must keep, whatever planned it: limits, continuity, agreement of its derivatives."""

import itertools

import numpy as np
import pytest

SLACK = 1e-7


def peaks(leg, order, n=11):
    """Largest magnitude of a derivative of each joint, of n values in each row."""
    found = [np.zeros(len(leg.start))]
    for row in leg.rows[:-1]:
        times = np.linspace(0.0, row.t1 - row.t0, n)
        for i in range(len(leg.start)):
            polynomial = np.polynomial.Polynomial(row.coefficients[:, i]).deriv(order)
            found.append(np.where(np.arange(len(leg.start)) == i, np.abs(polynomial(times)).max(), 0.0))
    return np.max(found, axis=0)


def check_limits(leg, limits):
    for order, limit in enumerate((limits.v_max, limits.a_max, limits.j_max), start=1):
        if limit is not None:
            assert (peaks(leg, order) <= np.array(limit) * (1.0 + SLACK)).all(), order


def check_continuity(leg, limits):
    """Position and velocity are continuous, the acceleration too where the jerk is limited; at rest at both ends."""
    scale = 1.0 + max(np.abs(leg.start).max(), np.abs(leg.end).max())
    speeds, accelerations = (np.max(limit) for limit in (limits.v_max, limits.a_max))
    orders = [(0, 1e-9 * scale), (1, 1e-7 * speeds)] + ([] if limits.j_max is None else [(2, 1e-5 * accelerations)])
    if len(leg.rows) == 1:
        return
    assert leg.rows[0].t0 == leg.start_time
    assert leg.rows[0].at(leg.start_time) == pytest.approx(np.array(leg.start), abs=1e-12 * scale)
    assert leg.rows[-1].t0 == leg.end_time
    for before, after in itertools.pairwise(leg.rows):
        assert before.t1 == after.t0
    for order, slack in orders:
        if order:
            assert np.abs(leg.rows[0].at(leg.start_time, order)).max() <= slack
        for before, after in itertools.pairwise(leg.rows):
            assert np.abs(before.at(before.t1, order) - after.at(after.t0, order)).max() <= slack, (order, before.t1)
