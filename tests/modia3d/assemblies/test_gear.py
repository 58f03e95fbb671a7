"""A gear between shafts in any directions against closed forms."""

import numpy as np
import pytest

from modia3d import GearConstraint, Torque

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box


def test_both_shafts_turn_as_one_inertia():
    """The example GearConstraint of the Modelica library with its closed form."""
    J_a, J_b, ratio = 0.03, 0.5, 10.0
    result = run(
        1.0,
        world=world(),
        one=body(2.0, (J_a, 0.2, 0.2), (0.2, 0.0, 0.0)),
        two=body(5.0, (J_b, 0.9, 0.9), (0.2, 0.0, 0.0)),
        gear=GearConstraint("one", "two", "world", ratio, w_b=0.3),
        drive=Torque("world", "one", "world", ("2*sin(3*time)", 0, 0)),
    )
    t = result["time"]
    expected = 0.3 * t + ratio * 2.0 / (ratio**2 * J_a + J_b) * (t / 3.0 - np.sin(3.0 * t) / 9.0)
    assert result["gear.phi_b"] == pytest.approx(expected, abs=1e-8)
    assert result["gear.revolute_a.phi"] == pytest.approx(ratio * expected, abs=1e-7)


def test_a_gear_in_a_housing_that_flies_does_no_work():
    """Shafts in different directions; the spring that winds up one of them has its housing in the world of the angles."""
    result = run(
        2.0,
        world=world(),
        box=free(mass=3.0, inertia=(0.3, 0.4, 0.5), angular_velocity=(0.4, -0.3, 0.2)),
        one=body(0.5, (0.02, 0.01, 0.01), (0.1, 0.0, 0.05)),
        two=body(0.8, (0.02, 0.03, 0.01), (0.0, 0.1, 0.02)),
        gear=GearConstraint("one", "two", "box", 3.0, "x", (0.0, 1.0, 1.0), (0.2, 0.0, 0.0), (0.0, 0.3, 0.1), w_b=1.5),
    )
    assert np.ptp(result["gear.w_b"]) > 0.02
    assert_constant(energy(result), 1e-8)
