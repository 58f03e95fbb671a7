"""Distances and depths against coal, whose algorithms (GJK, EPA) stop at a tolerance: 1e-8."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from modia3d.scene.shapes import BoxShape, CapsuleShape, ConeShape, CylinderShape, EllipsoidShape, SphereShape

from .pairs import Placed, between
from .test_distance import random_pair

pytestmark = pytest.mark.white_box

coal = pytest.importorskip("coal")

KINDS: dict[str, Any] = {
    "sphere": (lambda u: SphereShape(2.0 * u[0]), lambda u: coal.Sphere(u[0])),
    "ellipsoid": (lambda u: EllipsoidShape(*2.0 * u), lambda u: coal.Ellipsoid(*u)),
    "box": (lambda u: BoxShape(*u), lambda u: coal.Box(*u)),
    "cylinder": (lambda u: CylinderShape(2.0 * u[0], u[1]), lambda u: coal.Cylinder(u[0], u[1])),
    "cone": (lambda u: ConeShape(2.0 * u[0], u[1]), lambda u: coal.Cone(u[0], u[1])),
    "capsule": (lambda u: CapsuleShape(2.0 * u[0], u[1]), lambda u: coal.Capsule(u[0], u[1])),
}
PAIRS = list(itertools.combinations_with_replacement(KINDS, 2))


def request() -> Any:
    """As exact as it can be asked for."""
    made = coal.DistanceRequest()
    made.enable_signed_distance = True
    made.gjk_convergence_criterion = coal.GJKConvergenceCriterion.DualityGap
    made.gjk_convergence_criterion_type = coal.GJKConvergenceCriterionType.Absolute
    made.gjk_tolerance, made.gjk_max_iterations = 1e-12, 1000
    made.epa_tolerance, made.epa_max_iterations = 1e-9, 1000
    return made


def by_coal(one: Placed, two: Placed, shapes: tuple[Any, Any]) -> tuple[float, np.ndarray]:
    """Distance and normal; a cone's frame is in its middle there."""
    poses = []
    for each in (one, two):
        middle = np.array([0.0, 0.0, 0.5 * each.shape.length]) if isinstance(each.shape, ConeShape) else np.zeros(3)
        poses.append(coal.Transform3s(each.R, each.p + each.R @ middle))
    result = coal.DistanceResult()
    d = coal.distance(shapes[0], poses[0], shapes[1], poses[1], request(), result)
    return d, np.array(result.normal)


@pytest.mark.parametrize(("one", "two"), PAIRS)
@pytest.mark.parametrize("gap", [0.5, 0.02, -0.02, -0.3])
def test_distances_are_those_of_coal(one: str, two: str, gap: float) -> None:
    """Where coal's own plane is as far as it says; it fails now and then (deep cones, depths of -1.8e308). Wherever its normal
    points, that direction is no better than the one found here."""
    rng, compared = np.random.default_rng(7), 0
    for seed in range(12):
        u, v = rng.uniform(0.2, 1.0, (2, 3))
        first, second = random_pair(KINDS[one][0](u), KINDS[two][0](v), seed, gap)
        found, (d, n) = between(first, second), by_coal(first, second, (KINDS[one][1](u), KINDS[two][1](v)))
        assert found.status == 0
        if not (np.isfinite(n).all() and n @ n > 0.9):
            continue
        plane = -float(first.support(n) + second.support(-n))
        assert plane <= found.d + 1e-12
        if abs(plane - d) < 1e-8:
            compared += 1
            assert abs(found.d - d) < 1e-8
            assert np.abs(found.normal - n).max() < 1e-3
    assert compared >= 8
