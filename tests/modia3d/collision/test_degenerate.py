"""Poses and sizes at which searches for distances are known to fail: an answer, or UNSETTLED, never NaN and never no end."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from modia3d.scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    PlaneShape,
    SphereShape,
)

from .pairs import Distance, Placed, assert_proven, at, between, placed
from .test_distance import SEED, random_pair

pytestmark = pytest.mark.white_box

WIDE = st.floats(-6.0, 3.0).map(lambda x: 10.0**x)
AXIS = st.sampled_from("xyz")
WIDE_SHAPES = {
    "sphere": st.builds(SphereShape, WIDE),
    "ellipsoid": st.builds(EllipsoidShape, WIDE, WIDE, WIDE),
    "box": st.builds(BoxShape, WIDE, WIDE, WIDE),
    "cylinder": st.builds(CylinderShape, WIDE, WIDE, AXIS),
    "frustum": st.builds(ConeShape, WIDE, WIDE, AXIS, WIDE),
    "capsule": st.builds(CapsuleShape, WIDE, WIDE, AXIS),
    "beam": st.builds(BeamShape, WIDE, WIDE, WIDE, AXIS),
}
USUAL: dict[str, Any] = {
    "sphere": SphereShape(0.8),
    "ellipsoid": EllipsoidShape(1.0, 0.7, 0.5),
    "box": BoxShape(1.0, 0.7, 0.5),
    "cylinder": CylinderShape(0.8, 1.0),
    "cone": ConeShape(0.8, 1.0),
    "frustum": ConeShape(0.8, 1.0, "z", 0.5),
    "capsule": CapsuleShape(0.5, 1.0),
    "beam": BeamShape(1.0, 0.5, 0.3),
}


def scaled(shape: Any, factor: float) -> Any:
    lengths = {key: factor * value for key, value in vars(shape).items() if isinstance(value, float)}
    return type(shape)(**vars(shape) | lengths)


def assert_answer(found: Distance) -> None:
    assert found.status in (0, 1)
    assert np.isfinite([found.d, *found.normal, *found.first, *found.second]).all()
    assert abs(found.normal @ found.normal - 1.0) < 1e-12


@pytest.mark.parametrize(("one", "two"), list(itertools.product(USUAL, USUAL)))
def test_shapes_at_one_place_have_a_depth(one: str, two: str) -> None:
    for first, second in ((at(USUAL[one]), at(USUAL[two])), (placed(USUAL[one], 1), placed(USUAL[two], 2))):
        found = between(first, second)
        assert_answer(found)
        n = found.normal
        assert found.d < 0.0
        assert -found.d <= float(first.support(n) + second.support(-n)) * (1.0 + 1e-9)


@pytest.mark.parametrize(("one", "two"), list(itertools.product(USUAL, USUAL)))
def test_parallel_axes_and_faces_are_proven(one: str, two: str) -> None:
    """Side by side, one above the other and over an edge, turned by quarters, apart, touching and in penetration."""
    for quarter, away, gap in itertools.product(range(2), [(0, 0, 1), (1, 0, 0), (0, 1, 1)], [0.1, 1e-9, 0.0, -1e-9, -1e-3]):
        n = np.array(away) / math.sqrt(sum(away))
        first, R = at(USUAL[one]), Rotation.from_rotvec([0.5 * math.pi * quarter, 0.0, 0.0]).as_matrix()
        second = Placed(USUAL[two], R, np.zeros(3))
        reach = float(first.support(n) + second.support(-n))
        second = Placed(USUAL[two], R, n * (reach + gap))
        assert_proven(first, second, between(first, second))


@pytest.mark.parametrize("factor", [1e-6, 1e-3, 1e3])
@pytest.mark.parametrize(("one", "two"), list(itertools.combinations_with_replacement(USUAL, 2)))
def test_distances_grow_with_the_size(one: str, two: str, factor: float) -> None:
    for k, gap in enumerate((0.3, 1e-3, -1e-3, -0.05)):
        first, second = random_pair(USUAL[one], USUAL[two], k, gap)
        found = between(first, second)
        large = between(*(Placed(scaled(s.shape, factor), s.R, factor * s.p) for s in (first, second)))
        assert abs(large.d - factor * found.d) < 1e-12 * factor
        assert np.abs(large.normal - found.normal).max() < 1e-7


@pytest.mark.parametrize(("one", "two"), list(itertools.combinations_with_replacement(WIDE_SHAPES, 2)))
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=SEED, gap=st.sampled_from([1.0, 1e-3, 1e-6, 0.0, -1e-6, -1e-3]))
def test_needles_and_plates_have_an_answer(one: str, two: str, data: st.DataObject, seed: int, gap: float) -> None:
    first, second = random_pair(data.draw(WIDE_SHAPES[one]), data.draw(WIDE_SHAPES[two]), seed, gap)
    assert_answer(between(first, second))


def test_a_needle_on_a_plate() -> None:
    """1 um thick, 1 m long, 1 km wide: standing, lying and leaning."""
    plate = at(BoxShape(1e3, 1e3, 1e-6), (0.0, 0.0, -0.5e-6))
    for shape in (CylinderShape(1e-6, 1.0), BoxShape(1e-6, 1e-6, 1.0), CapsuleShape(1e-6, 1.0), ConeShape(1e-6, 1.0)):
        for angle in (0.0, 1e-6, 0.3, 0.5 * math.pi):
            R = Rotation.from_rotvec([angle, 0.0, 0.0]).as_matrix()
            low = float(Placed(shape, R, np.zeros(3)).support(np.array([0.0, 0.0, -1.0])))
            for gap in (1e-3, 1e-7, -1e-8):
                found = between(plate, Placed(shape, R, np.array([3.0, -200.0, low + gap])))
                assert_answer(found)
                assert abs(found.d - gap) < 1e-9
                assert np.abs(found.normal - (0.0, 0.0, 1.0)).max() < 1e-6


def test_two_planes_never_meet() -> None:
    found = between(at(PlaneShape()), at(PlaneShape("x"), (1.0, 0.0, 0.0)))
    assert found.status == 0
    assert found.d == math.inf


def test_what_is_far_away_is_far_away() -> None:
    found = between(at(BoxShape(1e-3, 1e-3, 1e-3)), at(CylinderShape(1e-3, 1e-3), (1e6, 0.0, 0.0)))
    assert found.status == 0
    assert found.d == pytest.approx(1e6 - 1e-3, rel=1e-12)
