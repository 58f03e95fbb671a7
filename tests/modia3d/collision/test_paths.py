"""Distances along a motion: from apart to deep inside, through contact, and where shapes only touch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from modia3d.scene.shapes import BoxShape, CylinderShape, EllipsoidShape, SphereShape

from .pairs import Placed, at, between, directions, placed, size
from .test_distance import PAIRS, SEED, SHAPES

pytestmark = pytest.mark.white_box

POSED = [pair for pair in PAIRS if "plane" not in pair]


@pytest.mark.parametrize(("one", "two"), POSED)
@settings(max_examples=4, deadline=None)
@given(data=st.data(), seed=SEED)
def test_a_distance_changes_no_faster_than_points_move(one: str, two: str, data: st.DataObject, seed: int) -> None:
    """From apart to half inside, turning all the while; so no side is missed, and nothing jumps. Deeper, round shapes that are
    about as deep in all directions may be UNSETTLED."""
    first, shape = placed(data.draw(SHAPES[one]), seed), data.draw(SHAPES[two])
    rng = np.random.default_rng(seed)
    away, turn, R = directions(1, seed)[0], rng.normal(size=3), Rotation.random(random_state=rng)
    reach = float(np.linalg.norm(shape.bounding_box, axis=1).max())
    far, path = float(first.support(away)) + reach, np.linspace(1.0, 0.45, 60)
    most = (path[0] - path[1]) * (far + reach * float(np.linalg.norm(turn)))
    before = np.inf
    for s in path:
        second = Placed(shape, (Rotation.from_rotvec(s * turn) * R).as_matrix(), s * far * away)
        found = between(first, second)
        assert found.status == 0
        assert before == np.inf or abs(found.d - before) <= most + 1e-12 * size(first, second)
        before = found.d


@pytest.mark.parametrize("one", ["sphere", "ellipsoid"])
@pytest.mark.parametrize("two", [name for name in SHAPES if name != "plane"])
@settings(max_examples=5, deadline=None)
@given(data=st.data(), seed=SEED)
def test_distance_and_normal_pass_smoothly_through_contact(one: str, two: str, data: st.DataObject, seed: int) -> None:
    """Moved along the normal by h the distance changes by h, and the normal stays, on both sides of zero and at it."""
    first, other = placed(data.draw(SHAPES[one]), seed), data.draw(SHAPES[two])
    apart = between(first, placed(other, seed + 1, 5.0 * directions(1, seed)[0]))
    second, n, eps = placed(other, seed + 1, 5.0 * directions(1, seed)[0]), apart.normal, 1e-12 * 10.0
    for d in (0.1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 0.0, -1e-14, -1e-12, -1e-9, -1e-6, -1e-4):
        near = Placed(second.shape, second.R, second.p - (apart.d - d) * n)
        found = between(first, near)
        assert found.status == 0
        assert abs(found.d - d) < eps
        assert np.abs(found.normal - n).max() < 1e-7


@pytest.mark.parametrize("shape", [BoxShape(0.4, 0.6, 0.8), CylinderShape(0.5, 0.8)])
@pytest.mark.parametrize("tilt", [0.0, 1e-14, 1e-12, 1e-9, 1e-6, 1e-3])
def test_a_face_that_comes_to_lie_on_a_face_touches_along_its_normal(shape: object, tilt: float) -> None:
    """From a corner to the whole face: d is that of the lowest corner, the normal that of the table."""
    table = at(BoxShape(2.0, 2.0, 0.2), (0.0, 0.0, -0.1))
    R = Rotation.from_rotvec([0.6 * tilt, 0.8 * tilt, 0.0]).as_matrix()
    for gap in (1e-2, 1e-6, 0.0, -1e-6, -1e-3):
        body = Placed(shape, R, np.array([0.1, 0.05, 0.0]))
        body = Placed(shape, R, body.p - np.array([0.0, 0.0, -float(body.support(np.array([0.0, 0.0, -1.0]))) - gap]))
        found = between(table, body)
        assert found.status == 0
        assert abs(found.d - gap) < 1e-13
        assert np.abs(found.normal - (0.0, 0.0, 1.0)).max() < 1e-12


def test_the_distance_has_the_rate_that_the_motion_gives_it() -> None:
    """d' = n . (velocity of point 2 - velocity of point 1), for turning and moving ellipsoids, by central differences."""
    one, two = placed(EllipsoidShape(1.0, 0.5, 0.3), 3), placed(EllipsoidShape(0.7, 0.4, 0.9), 4, (0.9, 0.2, 0.1))
    v, w, h = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -0.5]), 1e-5
    moved = [between(one, Placed(two.shape, Rotation.from_rotvec(s * w).as_matrix() @ two.R, two.p + s * v)).d for s in (h, -h)]
    found = between(one, two)
    rate = found.normal @ (v + np.cross(w, found.second - two.p))
    assert abs((moved[0] - moved[1]) / (2.0 * h) - rate) < 1e-8


def test_equal_spheres_at_one_place_have_a_normal() -> None:
    found = between(at(SphereShape(0.4)), at(SphereShape(0.4)))
    assert found.d == pytest.approx(-0.4, abs=1e-15)
    assert abs(found.normal @ found.normal - 1.0) < 1e-15
