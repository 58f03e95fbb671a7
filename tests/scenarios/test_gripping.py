"""Gripping by friction: the ball goes where it goes when it is attached, and only fingers and tray hold it."""

import numpy as np
import pytest

G, MASS, RADIUS = 9.81, 0.1, 0.025
TRAY, DECK = -0.08, 0.15


@pytest.fixture
def result(simulated):
    return simulated("gripping")


def at(result, time):
    """Row of the last point before a time."""
    return int(np.searchsorted(result.time, time - 1e-9)) - 1


def test_the_ball_is_carried_and_nothing_is_compiled(result):
    assert result.verdict == "carried"
    assert result.statistics["compilations_after_start"] == 0
    assert [entry["step"] for entry in result.program_log if entry["kind"] == "action"] == []


def test_it_ends_where_the_attached_ball_ends(result, simulated):
    attached = simulated("mobile_manipulator")
    for time in (5.0, 14.0, 18.0, 22.0):
        here, there = result["ball.r_abs"][at(result, time)], attached["ball.body.r_abs"][at(attached, time)]
        assert np.linalg.norm(here - there) < 1e-3, time


def test_it_lies_in_the_tray_by_its_weight(result):
    for time, x in ((0.4, TRAY), (5.0 + 9.0 + 1.5, 0.8 + TRAY)):
        row = at(result, time)
        np.testing.assert_allclose(result["ball.r_abs"][row], [x, 0.0, DECK + 0.02 + RADIUS], atol=3e-4)
        force = result["ball.contact_force"][row]
        assert force[2] == pytest.approx(MASS * G, rel=0.02)


def test_friction_of_two_fingers_holds_it(result):
    row = at(result, 22.0)
    np.testing.assert_allclose(result["ball.contact_force"][row], [0.0, 0.0, MASS * G], atol=0.02)
    forces = {side: result[f"mechanics.contact[{side},ball].force"][row] for side in ("left", "right")}
    for side, force in forces.items():
        assert force[2] == pytest.approx(0.5 * MASS * G, rel=0.1), side
        assert abs(force[1]) > 5.0  # the grip
    assert forces["left"][1] == pytest.approx(-forces["right"][1], rel=1e-3)
    assert result["ball.contacts"][row] == 2


def test_it_does_not_slip_in_the_hand(result):
    """Relative to the hand it moves less than a tenth of a millimetre while it is carried."""
    rows = slice(at(result, 6.5), at(result, 10.0))
    R, p = result["hand.R_abs"][rows], result["hand.r_abs"][rows]
    offset = np.einsum("tji,tj->ti", R, result["ball.r_abs"][rows] - p)
    assert np.ptp(offset, axis=0).max() < 1e-4
