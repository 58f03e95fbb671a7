"""Distances, normals and nearest points of all pairs of shapes."""

from __future__ import annotations

import itertools

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

from .pairs import Placed, assert_proven, between, size

pytestmark = pytest.mark.white_box

LENGTH = st.floats(0.1, 2.0)
AXIS = st.sampled_from("xyz")
SHAPES = {
    "sphere": st.builds(SphereShape, LENGTH),
    "ellipsoid": st.builds(EllipsoidShape, LENGTH, LENGTH, LENGTH),
    "box": st.builds(BoxShape, LENGTH, LENGTH, LENGTH),
    "cylinder": st.builds(CylinderShape, LENGTH, LENGTH, AXIS),
    "cone": st.builds(ConeShape, LENGTH, LENGTH, AXIS),
    "frustum": st.builds(ConeShape, LENGTH, LENGTH, AXIS, LENGTH),
    "capsule": st.builds(CapsuleShape, LENGTH, LENGTH, AXIS),
    "beam": st.builds(BeamShape, LENGTH, LENGTH, LENGTH, AXIS),
    "plane": st.builds(PlaneShape, AXIS),
}
PAIRS = [pair for pair in itertools.combinations_with_replacement(SHAPES, 2) if pair != ("plane", "plane")]
SEED = st.integers(0, 2**31 - 1)


def random_pair(one: object, two: object, seed: int, gap: float) -> tuple[Placed, Placed]:
    """Poses such that the shapes are about as far apart as ``gap``, relative to their sizes, in a random direction."""
    rng = np.random.default_rng(seed)
    R_1, R_2 = Rotation.random(2, random_state=rng).as_matrix()
    first, second = Placed(one, R_1, rng.normal(size=3)), Placed(two, R_2, np.zeros(3))
    away = rng.normal(size=3)
    away /= np.linalg.norm(away)
    if isinstance(two, PlaneShape):
        away = -R_2[:, "xyz".index(two.axis)]
    if isinstance(one, PlaneShape):
        away = R_1[:, "xyz".index(one.axis)]
    if not isinstance(one, PlaneShape):
        first_height = float(first.support(away))
    else:
        first_height = float(away @ first.p)
    second_height = float(second.support(-away)) if not isinstance(two, PlaneShape) else 0.0
    return first, Placed(two, R_2, away * (first_height + second_height + gap))


@pytest.mark.parametrize(("one", "two"), PAIRS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=SEED, gap=st.sampled_from([1.0, 0.1, 1e-3, 1e-6, -1e-6, -1e-3, -0.03]))
def test_the_distance_of_any_pair_is_proven(one: str, two: str, data: st.DataObject, seed: int, gap: float) -> None:
    pair = random_pair(data.draw(SHAPES[one]), data.draw(SHAPES[two]), seed, gap)
    assert_proven(*pair, between(*pair))


@pytest.mark.parametrize(("one", "two"), PAIRS)
@settings(max_examples=10, deadline=None)
@given(data=st.data(), seed=SEED, gap=st.sampled_from([0.3, 1e-3, -1e-3, -0.05]))
def test_swapped_and_moved_shapes_have_the_same_distance(
    one: str, two: str, data: st.DataObject, seed: int, gap: float
) -> None:
    pair = random_pair(data.draw(SHAPES[one]), data.draw(SHAPES[two]), seed, gap)
    found, swapped = between(*pair), between(*pair[::-1])
    eps = 1e-12 * size(*pair)
    assert abs(found.d - swapped.d) < eps
    R, p = Rotation.random(random_state=seed).as_matrix(), np.array([3.0, -2.0, 5.0])
    moved = between(*(each.moved(R, p) for each in pair))
    assert abs(found.d - moved.d) < 10.0 * eps
