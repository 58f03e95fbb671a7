"""Rows of contacts at rest against differences of positions and of speeds: curvature of planes, boxes, lines and points, of
corners on moving faces, and of edges that cross."""

import numpy as np
import pytest

from modia3d.constraints.kernels.cut_joint import evaluate_rows
from modia3d.constraints.tables import cut_table
from modia3d.constraints.tables.cut_directions import KINDS
from modia3d.engine.contact.impact_kernels import states_of
from modia3d.scene.basics.rotations import rotation_about

pytestmark = pytest.mark.white_box

CORES = {
    "plane": (np.inf, np.inf, 0.0),
    "face": (0.6, 0.5, 0.2),
    "edge": (0.2, 0.9, 0.2),
    "corner": (0.2, 0.1, 0.2),
    "line": (0.0, 0.9, 0.0),
    "point": (0.0, 0.0, 0.0),
    "face of the second": (0.0, 0.0, 0.0),
    "two edges": (5.0, 7.0, 0.0),
}
FEATURES = {"face of the second": cut_table.FACE, "two edges": cut_table.EDGES}


class Two:
    """Two bodies with constant velocities and angular velocities; at time zero the point is at a given place of the core."""

    def __init__(self, core, kind, sticks):
        random = np.random.default_rng(list(CORES).index(core))
        self.row = np.zeros((1, cut_table.COLUMNS))
        self.row[0, cut_table.KIND] = KINDS.index(kind)
        self.row[0, cut_table.BODY_1], self.row[0, cut_table.BODY_2] = 0, 1
        for at in (cut_table.FRAME_1, cut_table.FRAME_2):
            self.row[0, at : at + 9] = rotation_about(random.normal(size=3)).ravel()
            self.row[0, at + 9 : at + 12] = random.normal(size=3)
        self.row[0, cut_table.EXTENT : cut_table.EXTENT + 3] = CORES[core]
        self.row[0, cut_table.FEATURE] = FEATURES.get(core, cut_table.POINT)
        self.row[0, cut_table.ROUNDING], self.row[0, cut_table.RADIUS] = 0.15, 0.1
        self.row[0, cut_table.SPAN], self.row[0, cut_table.SLOW] = 0.7, 1e-5
        place = {"plane": [0.3, -0.4, 0.2], "edge": [0.3, 0.4, 0.5]}.get(core, [0.3, 0.4, 0.5])
        R_1 = rotation_about(random.normal(size=3))
        R_2, p_1 = rotation_about(random.normal(size=3)), random.normal(size=3)
        frame_1, frame_2 = (
            (self.row[0, at : at + 9].reshape(3, 3), self.row[0, at + 9 : at + 12])
            for at in (cut_table.FRAME_1, cut_table.FRAME_2)
        )
        point = p_1 + R_1 @ (frame_1[1] + frame_1[0] @ place)
        self.R, self.p = [R_1, R_2], np.array([p_1, point - R_2 @ frame_2[1]])
        self.w, self.v = random.normal(size=(2, 3)), random.normal(size=(2, 3))
        if sticks:  # the point of contact neither slips nor parts
            self.row[0, cut_table.KIND] = KINDS.index("touching point")
            _, speed, _, coefficients = self.rows(0.0)
            self.v[1] -= np.linalg.solve(coefficients[:, :3], speed)
            self.row[0, cut_table.KIND] = KINDS.index(kind)

    def rows(self, time):
        R = np.array([(rotation_about(w * time) @ R_0).ravel() for w, R_0 in zip(self.w, self.R, strict=True)])
        p = self.p + self.v * time
        none, count = np.zeros((2, 3)), 3
        found, coefficients, points = np.zeros((3, count)), np.zeros((count, 6)), np.zeros((1, 3))
        evaluate_rows(self.row, R, p, self.v, self.w, none, none, points, coefficients, *found)
        return *found, coefficients


@pytest.mark.parametrize("core", CORES)
def test_the_gap_has_the_derivatives_that_its_row_has(core):
    two, h = Two(core, "touching point", False), 1e-4
    before, (_, speed, rest, _), after = two.rows(-h), two.rows(0.0), two.rows(h)
    assert (after[0][0] - before[0][0]) / (2.0 * h) == pytest.approx(speed[0], rel=1e-6)
    assert (after[1][0] - before[1][0]) / (2.0 * h) == pytest.approx(rest[0], rel=1e-6)


@pytest.mark.parametrize("core", CORES)
def test_slip_that_vanishes_has_the_derivative_that_its_rows_have(core):
    two, h = Two(core, "sticking face", True), 1e-4
    before, (_, speed, rest, directions), after = two.rows(-h), two.rows(0.0), two.rows(h)
    assert speed[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    slips = [found[1][:2] @ found[3][:2, :3] for found in (before, after)]
    assert directions[:2, :3] @ (slips[1] - slips[0]) / (2.0 * h) == pytest.approx(rest[:2], rel=1e-5, abs=1e-6)
    assert (after[1][2] - before[1][2]) / (2.0 * h) == pytest.approx(rest[2], rel=1e-5, abs=1e-6)


def test_two_edges_are_as_far_from_each_other_as_their_lines_and_cross_where_these_are_nearest():
    two = Two("two edges", "touching point", False)
    frames = [
        (R @ two.row[0, at : at + 9].reshape(3, 3), p + R @ two.row[0, at + 9 : at + 12])
        for R, p, at in zip(two.R, two.p, (cut_table.FRAME_1, cut_table.FRAME_2), strict=True)
    ]
    (R_1, p_1), (R_2, p_2) = frames
    n = np.cross(R_1[:, 2], R_2[:, 2])
    n /= np.linalg.norm(n)
    along_1, along_2, distance = np.linalg.solve(np.stack([R_1[:, 2], -R_2[:, 2], n], axis=1), p_2 - p_1)
    gap = two.rows(0.0)[0][0]
    assert gap == pytest.approx(distance - 0.15, abs=1e-12)
    state = np.zeros((1, 7))
    states_of(two.row, np.array([R.ravel() for R in two.R]), two.p, two.v, two.w, state)
    assert state[0, :3] == pytest.approx(n, abs=1e-12)
    assert state[0, 3:6] == pytest.approx(p_2 + along_2 * R_2[:, 2] - 0.1 * n, abs=1e-12)
    two.row[0, cut_table.FEATURE] = cut_table.ROOM
    room = min(5.0 - abs(along_1), 7.0 - abs(along_2))
    assert two.rows(0.0)[0][0] == pytest.approx(room - 0.15, abs=1e-12)
