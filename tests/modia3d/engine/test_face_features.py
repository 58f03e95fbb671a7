"""Features of two boxes that lie on each other: where they are found, in the second one's body, rounded cores included."""

from __future__ import annotations

import numpy as np
import pytest

from modia3d.constraints.tables import cut_table
from modia3d.engine.contact.faces import FacePair, Polyhedron

FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
NORMALS = np.array([[-1.0, 0, 0], [1.0, 0, 0], [0, -1.0, 0], [0, 1.0, 0], [0, 0, -1.0], [0, 0, 1.0]])


def rounded(body: int, halves: tuple[float, float, float], radius: float) -> Polyhedron:
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return Polyhedron(body, radius, signs * halves, FACES, NORMALS)


@pytest.mark.parametrize("radius", [0.0, 0.05])
@pytest.mark.parametrize("angle", [0.0, 0.3])
@pytest.mark.parametrize(("below", "above"), [((0.2, 0.3, 0.1), (0.6, 0.7, 0.2)), ((0.6, 0.7, 0.1), (0.2, 0.3, 0.2))])
def test_corners_of_the_smaller_box_are_at_their_feet_on_the_core_of_the_upper_one(below, above, angle, radius):
    one, two = rounded(0, below, radius), rounded(1, above, radius)
    R = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    p = np.array([0.05, -0.03, below[2] + above[2] + 2.0 * radius])
    pair = FacePair(one, two, 0.2)
    found = pair.find((R, p), np.array([0.0, 0.0, 1.0]))
    smaller_is_below = below[0] < above[0]
    kinds = {feature.kind for number in found if (feature := pair.feature(number)) is not None}
    assert kinds == {cut_table.FACE if smaller_is_below else cut_table.POINT}
    corners = one.corners[one.corners[:, 2] > 0] - p if smaller_is_below else two.corners[two.corners[:, 2] < 0]
    feet = (corners @ R if smaller_is_below else corners) * [1.0, 1.0, 0.0] - [0.0, 0.0, above[2]]
    places = pair.places(found, (R, p))
    apart = np.linalg.norm(places[:, None] - feet[None], axis=2)
    assert places.shape == feet.shape
    assert apart.min(axis=0) == pytest.approx(0.0, abs=1e-12)  # each foot is one of the places
