"""Unilateral constraints: gap, multiplier, and where a constraint with a closed gap is."""

import numpy as np
import pytest

from modia3d.constraints.kinds.joint_limit import JointLimit
from modia3d.constraints.kinds.row import Row
from modia3d.constraints.kinds.unilateral import Phase, indicator, phase_of

pytestmark = pytest.mark.white_box

G = np.array([0.0, 0.5, -2.0])
OPENING = np.array([0.3, 2.0, 0.5])  # G v = 0
INTO, AWAY = np.array([0.0, -1.0, 0.0]), np.array([0.0, 1.0, 0.0])
CASES = [
    (False, OPENING + INTO, AWAY, 0.0, Phase.STRUCK),
    (False, OPENING + AWAY, INTO, 0.0, Phase.LEAVING),
    (False, OPENING, INTO, 0.0, Phase.RESTING),
    (False, OPENING, AWAY, 0.0, Phase.TOUCHING),
    (True, OPENING, AWAY, 3.0, Phase.HOLDING),
    (True, OPENING, AWAY, 0.0, Phase.HOLDING),
    (True, OPENING, INTO, -3.0, Phase.RELEASED),
]


@pytest.mark.parametrize(("active", "v", "a", "push", "phase"), CASES)
def test_where_a_constraint_is(active, v, a, push, phase):
    assert phase_of(Row("floor", "z", G, unilateral=True, active=active), v, a, push) is phase


def test_what_turns_the_row_counts_as_its_acceleration():
    """A body that moves along a floor which curves towards it is pressed, one on a hill may leave."""
    for gamma, phase in ((-2.0, Phase.RESTING), (2.0, Phase.TOUCHING)):
        assert phase_of(Row("hill", "z", G, unilateral=True, gamma=gamma), OPENING, OPENING, 0.0) is phase


def test_both_limits_of_a_joint_are_mirror_images():
    rng = np.random.default_rng(1)
    for q, limit, force in rng.normal(size=(20, 3)):
        assert JointLimit.gap(1.0, q, limit) == JointLimit.gap(-1.0, -q, -limit)
        assert JointLimit.push(1.0, force) == JointLimit.push(-1.0, -force)
    assert JointLimit.gap(-1.0, 0.3, 0.1) == pytest.approx(0.2)  # above the lower limit
    assert JointLimit.push(-1.0, 5.0) == 5.0  # the lower limit pushes upwards


def test_an_indicator_is_the_gap_and_then_the_multiplier():
    assert indicator(False, 0.25, -1.0) == 0.25
    assert indicator(False, -1e-12, 7.0) < 0.0
    assert indicator(True, 0.0, 0.0) > 0.0
    assert indicator(True, 0.0, -1e-3) < 0.0
