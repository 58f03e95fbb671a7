"""Cut joints of all kinds: rows and their rates against derivatives by the complex step."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from modia3d.constraints.kernels.cut_joint import evaluate_rows, rows_of_cuts
from modia3d.constraints.tables import cut_table
from modia3d.constraints.tables.cut_directions import COUNT, KINDS
from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.basics.layout import work_shape
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.scene.basics.directions import ANGLE, CONTACT, DISTANCE, HEIGHT, LEAD, POSITION, ROLL
from modia3d.scene.basics.rotations import axis_rotation
from modia3d.scene.constraint_elements.row_sets import ROW_SETS
from modia3d.scene.joint_names import JOINTS, joint_class
from tests.modia3d.dynamics.forests import coordinate_rates, poses, random_forest, random_rotation

pytestmark = pytest.mark.white_box

STEP = 1e-30
DIRECTIONS = [joint_class(name).directions for name in JOINTS] + [rows.directions for rows in ROW_SETS.values()]
OF_POSES = [kind for kind, rows in zip(KINDS, DIRECTIONS, strict=True) if all(what != CONTACT for what, _, _ in rows)]
"""Contacts move over surfaces; their rows are tried in `test_contact_rows`."""
seeds = st.integers(0, 2**32 - 1)
FREEDOM = {"fixed": 0, "revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "planar": 3, "spherical": 3}
FREEDOM |= {"pin-slot": 2, "place xz": 4, "axis": 4, "turn": 3, "perpendicular": 5, "rod": 5, "wheel": 3}


TILT = 0.3
CLOSED = {
    "perpendicular": (axis_rotation((1.0, 0.0, 0.0), 0.5 * np.pi), np.zeros(3)),
    "rod": (np.eye(3), np.array((0.0, 1.0, 0.0))),
    "wheel": (axis_rotation((1.0, 0.0, 0.0), 0.5 * np.pi + TILT), np.array((0.0, 0.0, np.cos(TILT)))),
}
"""Relative poses that these kinds allow, lengths as multiples of theirs; all others allow none."""


def random_cut(rng, kind, n):
    """A row of the table: frames anywhere on two bodies, or on one and the world."""
    row = np.zeros(cut_table.COLUMNS)
    one, two = rng.permutation(np.arange(-1, n))[:2]
    row[cut_table.KIND], row[cut_table.BODY_1], row[cut_table.BODY_2] = KINDS.index(kind), one, two
    for at in (cut_table.FRAME_1, cut_table.FRAME_2):
        row[at : at + 9], row[at + 9 : at + 12] = random_rotation(rng).ravel(), rng.normal(size=3)
    row[cut_table.PARAMETER] = rng.uniform(0.05, 0.5)
    return row


def relative_pose(forest, q, row):
    """Rotation and position of frame 2 in frame 1; q may be complex."""
    R, p = poses(forest, q)
    ends = []
    for body, at in ((cut_table.BODY_1, cut_table.FRAME_1), (cut_table.BODY_2, cut_table.FRAME_2)):
        i, R_F, p_F = int(row[body]), row[at : at + 9].reshape(3, 3), row[at + 9 : at + 12]
        ends.append((R[i] @ R_F, p[i] + R[i] @ p_F) if i >= 0 else (R_F, p_F))
    (R_1, p_1), (R_2, p_2) = ends
    return R_1.T @ R_2, R_1.T @ (p_2 - p_1)


def residuals(forest, q, row):
    """What is to vanish, as it is defined; zero where there are speeds alone."""
    R, p = relative_pose(forest, q, row)
    h, axis = row[cut_table.PARAMETER], R[:, 2]
    defined = {
        POSITION: lambda i, j: p[i],
        ANGLE: lambda i, j: R[i, j],
        LEAD: lambda i, j: h * (R[1, 0] * np.cos(p[2] / h) - R[0, 0] * np.sin(p[2] / h)),
        DISTANCE: lambda i, j: (p @ p - h * h) / (2.0 * h),
        HEIGHT: lambda i, j: p[2] - h * np.sqrt(axis[0] ** 2 + axis[1] ** 2),
        ROLL: lambda i, j: 0.0 * p[0],
    }
    return np.array([defined[what](i, j) for what, i, j in DIRECTIONS[int(row[cut_table.KIND])]])


def rates_of(forest, q, rates, row):
    """How fast what is to vanish changes; of a wheel the slip of the point of its edge that is nearest to the ground."""
    turned = q + 1j * STEP * rates
    found = residuals(forest, turned, row).imag / STEP
    R, p = relative_pose(forest, turned, row)
    spin, v = (R.imag / STEP) @ R.real.T, p.imag / STEP
    e_z, axis = np.array((0.0, 0.0, 1.0)), R.real[:, 2]
    down = (e_z @ axis) * axis - e_z
    slip = v + spin @ (row[cut_table.PARAMETER] * down / np.linalg.norm(down))
    along = np.cross(e_z, axis) / np.linalg.norm(np.cross(e_z, axis))
    for k, (what, i, _) in enumerate(DIRECTIONS[int(row[cut_table.KIND])]):
        if what == ROLL:
            found[k] = slip @ (along, np.cross(along, e_z))[i]
    return found


def evaluated(forest, cuts):
    """Residuals, rows and gamma by the kernels."""
    n, arrays = forest.n, (forest.ints, forest.floats, forest.q)
    R, p, work = np.zeros((n, 9)), np.zeros((n, 3)), np.zeros(work_shape(n))
    v_W, w_W, a_W, alpha_W = np.zeros((4, n, 3))
    body_poses(*arrays, R, p)
    body_velocities(*arrays, forest.v, R, p, v_W, w_W, work)
    body_accelerations(*arrays, forest.v, np.zeros(forest.nv), R, p, w_W, a_W, alpha_W, work)
    m = int(COUNT[cuts[:, cut_table.KIND].astype(int)].sum())
    residual, speed, gamma = np.full((3, m), np.nan)
    G, coefficients, points = np.full((m, forest.nv), np.nan), np.full((m, 6), np.nan), np.full((len(cuts), 3), np.nan)
    evaluate_rows(cuts, R, p, v_W, w_W, a_W, alpha_W, points, coefficients, residual, speed, gamma)
    rows_of_cuts(*arrays, R, p, cuts, points, coefficients, G, work)
    assert speed == pytest.approx(G @ forest.v, abs=1e-11 * (1.0 + np.abs(forest.v).max()) * (1.0 + np.abs(forest.q).max()))
    return residual, G, gamma


@given(seeds, st.integers(1, 6), st.lists(st.sampled_from(OF_POSES), min_size=1, max_size=3))
def test_rows_and_their_rates_are_derivatives_of_the_residuals(seed, n, kinds):
    forest, rng = random_forest(seed, n, general=0.5), np.random.default_rng(seed)
    cuts = np.array([random_cut(rng, kind, n) for kind in kinds])
    assume(all(np.hypot(*relative_pose(forest, forest.q, row)[0][:2, 2]) > 0.2 for row in cuts))  # flat wheels touch everywhere
    residual, G, gamma = evaluated(forest, cuts)
    expected = [residuals(forest, forest.q, row) for row in cuts]
    assert residual == pytest.approx(np.concatenate(expected), abs=1e-12)

    def speed(q, row):
        """``G v`` at other coordinates."""
        rates = coordinate_rates(forest, q, forest.v)
        return rates_of(forest, q, rates, row)

    scale = 1.0 + np.abs(forest.v).max() ** 2 * (1.0 + np.abs(forest.q).max())
    speeds = np.concatenate([speed(forest.q, row) for row in cuts])
    assert G @ forest.v == pytest.approx(speeds, abs=1e-11 * scale)
    for k in range(forest.nv):  # each speed alone
        rates = coordinate_rates(forest, forest.q, np.eye(forest.nv)[k])
        alone = [rates_of(forest, forest.q, rates, row) for row in cuts]
        assert G[:, k] == pytest.approx(np.concatenate(alone), abs=1e-11 * scale)
    h, rates = 1e-4, coordinate_rates(forest, forest.q, forest.v)

    def at(t):
        """``G v`` after a time at these speeds, by a step of second order."""
        middle = coordinate_rates(forest, forest.q + 0.5 * t * rates, forest.v)
        return np.concatenate([speed(forest.q + t * middle, row) for row in cuts])

    differences = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    third = np.abs(rates).max() ** 3  # what the middle leaves: large near a singularity of Cardan angles
    assert gamma == pytest.approx(differences, abs=1e-8 * (scale**2 + 10.0 * third))


@pytest.mark.parametrize("kind", FREEDOM)
def test_a_kind_leaves_its_freedom(kind):
    """Six directions of a free body, less those that the joint takes: they are independent where it is closed."""
    rng = np.random.default_rng(1)
    forest = random_forest(3, 1, free=1.0, general=0.1)
    row = random_cut(rng, kind, 1)
    row[cut_table.BODY_1], row[cut_table.BODY_2] = -1, 0
    R_B, p_B = (x[0] for x in poses(forest, forest.q))
    R_1, p_1 = row[cut_table.FRAME_1 : cut_table.FRAME_1 + 9].reshape(3, 3), row[cut_table.FRAME_1 + 9 : cut_table.FRAME_1 + 12]
    R_12, p_12 = CLOSED.get(kind, (np.eye(3), np.zeros(3)))
    row[cut_table.FRAME_2 : cut_table.FRAME_2 + 9] = (R_B.T @ R_1 @ R_12).ravel()
    row[cut_table.FRAME_2 + 9 : cut_table.FRAME_2 + 12] = R_B.T @ (p_1 + row[cut_table.PARAMETER] * R_1 @ p_12 - p_B)
    residual, G, _ = evaluated(forest, row[None, :])
    assert np.abs(residual).max() < 1e-12
    assert len(G) == 6 - FREEDOM[kind]
    assert np.linalg.matrix_rank(G) == len(G)
