"""Pairs that are 1e6 sizes apart, and lines that are parallel or opposite: distances against proofs and closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.scene.basics.rotations import rotation_about
from modia3d.scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    SphereShape,
)

from .pairs import Placed, assert_proven, at, between
from .test_distance import random_pair

pytestmark = pytest.mark.white_box

SMALL, LARGE = 1e-3, 1e3
SHAPES = {
    "sphere": lambda s: SphereShape(s),
    "ellipsoid": lambda s: EllipsoidShape(s, 0.7 * s, 0.4 * s),
    "box": lambda s: BoxShape(s, 0.7 * s, 0.4 * s),
    "cylinder": lambda s: CylinderShape(0.6 * s, s, "y"),
    "cone": lambda s: ConeShape(0.6 * s, s, "x"),
    "capsule": lambda s: CapsuleShape(0.4 * s, s, "z"),
    "beam": lambda s: BeamShape(s, 0.5 * s, 0.3 * s, "x"),
}
PAIRS = [*itertools.product(SHAPES, SHAPES)]


@pytest.mark.parametrize(("small", "large"), PAIRS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), gap=st.sampled_from([1.0, 0.1, 1e-3, -1e-3, -0.03]))
def test_a_distance_is_proven_where_sizes_are_1e6_apart(small: str, large: str, seed: int, gap: float) -> None:
    """In either order; to 1e-12 of the large shape, which is 1e-6 of the small one."""
    one, two = random_pair(SHAPES[small](SMALL), SHAPES[large](LARGE), seed, gap * SMALL)
    found, swapped = between(one, two), between(two, one)
    assert_proven(one, two, found)
    assert_proven(two, one, swapped)
    assert abs(found.d - swapped.d) < 1e-5 * SMALL


@pytest.mark.parametrize(("radius", "edge"), [(1e-3, 1e3), (1e3, 1e-3), (1e-6, 1.0), (1.0, 1e-6)])
def test_a_sphere_and_a_box_have_their_closed_form_whatever_their_sizes(radius: float, edge: float) -> None:
    """Over a face, an edge and a corner: the distance of the centre from the box, less the radius."""
    gap, half = 0.3 * min(radius, edge), 0.5 * edge
    for corner in ((0.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0, 1.0, 1.0)):
        out = np.array(corner) / np.linalg.norm(corner)
        found = between(
            at(BoxShape(edge, edge, edge)), at(SphereShape(2.0 * radius), half * np.array(corner) + (radius + gap) * out)
        )
        assert found.d == pytest.approx(gap, rel=1e-5)
        assert found.normal == pytest.approx(out, abs=1e-6)


@pytest.mark.parametrize("turn", [0.0, np.pi, -np.pi])
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.6, 0.8, 0.0)])
@pytest.mark.parametrize("shift", [0.0, 0.3, -0.3, 0.9, -0.9, 1.05, -1.05, 1.9, -2.4, 5.0])
@pytest.mark.parametrize("aside", [0.0, 0.45, 2.0])
def test_capsules_with_parallel_or_opposite_axes_have_their_exact_distance(
    turn: float, axis: tuple[float, float, float], shift: float, aside: float
) -> None:
    """Of lines of lengths 1.2 and 0.7: what lies between their ends along the axis, and aside; less both radii."""
    one, two = CapsuleShape(0.2, 1.2 + 0.2, "z"), CapsuleShape(0.1, 0.7 + 0.1, "z")
    lines = _line_of(one), _line_of(two)
    apart = max(0.0, abs(shift) - 0.5 * sum(lines))
    exact = np.hypot(apart, aside) - 0.15
    first = at(one)
    second = Placed(two, rotation_about(turn * np.array(axis)), np.array([0.6 * aside, -0.8 * aside, shift]))
    for pair in ((first, second), (second, first)):
        found = between(*pair)
        assert found.d == pytest.approx(exact, abs=1e-14)
        if exact > 0.0:
            assert_proven(*pair, found)


def _line_of(shape: CapsuleShape) -> float:
    """Length of the axis between the centres of both ends."""
    lower, upper = shape.bounding_box
    return float(upper[2] - lower[2]) - shape.diameter


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), angle=st.floats(0.0, 2.0 * np.pi))
def test_capsules_in_any_position_are_as_far_apart_as_a_search_finds(seed: int, angle: float) -> None:
    """The distance of two lines is that of the nearest of many points of one of them from the other."""
    rng = np.random.default_rng(seed)
    one, two = CapsuleShape(0.2, 1.4, "z"), CapsuleShape(0.1, 0.8, "z")
    pair = at(one), Placed(two, rotation_about(angle * _unit(rng)), rng.normal(size=3))
    found = between(*pair)
    half = 0.5 * np.array([_line_of(one), _line_of(two)])
    t = np.linspace(-half[1], half[1], 20001)[:, None]
    on_two = pair[1].p + t * pair[1].R[:, 2]
    nearest = np.clip(on_two[:, 2], -half[0], half[0])
    search = np.sqrt(on_two[:, 0] ** 2 + on_two[:, 1] ** 2 + (on_two[:, 2] - nearest) ** 2).min() - 0.15
    assert found.d == pytest.approx(search, abs=1e-4)
    assert found.d <= search + 1e-8  # nearly parallel lines count as parallel


def _unit(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))
