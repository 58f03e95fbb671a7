"""The law of elastic contact: what rebounds, what it costs, what friction does, on a plane."""

import numpy as np
import pytest

from modia3d.forces.contact.layout import EXACT, FLORES
from modia3d.forces.contact.phases import damping_of, exact_damping

from .contact_bodies import Bodies, ball_on_plane, box_on_plane, row_of, start

pytestmark = pytest.mark.white_box

FREE = (0.0, 0.0, 0.0)


def rebound(e, law=EXACT, speed=1.0, stiffness=1e9, mass=1.0, find=None):
    """Speed after an impact on the plane by the speed before it."""
    ball = Bodies(row_of(e=e, law=law, stiffness=stiffness), find or ball_on_plane(), mass=mass, gravity=FREE)
    _, states = ball.simulate(start((0.0, 0.0, 0.1 + 1e-4 * speed), (0.0, 0.0, -speed)), 0.02)
    assert [what for _, what in ball.events if what in ("begin", "end")] == ["begin", "end"]
    return states[-1, 9] / speed


@pytest.mark.parametrize("e", [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99, 0.995, 1.0])
def test_a_ball_rebounds_with_the_restitution_of_its_material(e):
    assert rebound(e) == pytest.approx(e, abs=1e-6)


@pytest.mark.parametrize(("speed", "stiffness", "mass"), [(0.02, 1e9, 1.0), (3.0, 1e7, 0.01), (1.0, 1e11, 50.0)])
def test_the_rebound_depends_on_neither_speed_nor_mass_nor_stiffness(speed, stiffness, mass):
    assert rebound(0.5, speed=speed, stiffness=stiffness, mass=mass) == pytest.approx(0.5, abs=1e-6)


def test_a_face_rebounds_like_a_ball():
    assert rebound(0.5, find=box_on_plane((0.2, 0.3, 0.1))) == pytest.approx(0.5, abs=1e-6)


def test_the_law_of_flores_is_that_of_modia3d():
    """d = 8 (1 - e) / (5 e v); what it makes of e = 0.7 follows from the same integral as the exact law."""
    assert damping_of(0.7, 2.0, FLORES, 2000.0, 0.01) == pytest.approx(8.0 * 0.3 / (5.0 * 0.7 * 2.0))
    assert damping_of(0.001, 0.02, FLORES, 2000.0, 0.01) == 2000.0
    a, e = 8.0 * 0.3 / (5.0 * 0.7), rebound(0.7, FLORES)
    assert np.log((1.0 + a) / (1.0 - e * a)) == pytest.approx(a * (1.0 + e), abs=1e-6)


def test_slow_contacts_are_plastic():
    for law in (EXACT, FLORES):
        assert damping_of(0.7, 0.0099, law, 2000.0, 0.01) == 2000.0 == damping_of(0.0, 1.0, law, 2000.0, 0.01)
        assert damping_of(0.7, 0.0101, law, 2000.0, 0.01) < 100.0
    assert abs(rebound(0.7, speed=0.005)) < 0.12


def test_the_exact_damping_has_its_limits():
    for e in (1e-9, 1e-3, 0.02):
        assert exact_damping(e) == pytest.approx(1.0 / e)
    assert exact_damping(1.0) == 0.0
    assert exact_damping(1.0 - 1e-6) == pytest.approx(1.5e-6, rel=1e-5)
    both_sides = [exact_damping(e) for e in (0.99 - 1e-9, 0.99 + 1e-9)]
    assert both_sides[0] == pytest.approx(both_sides[1], rel=1e-5)
