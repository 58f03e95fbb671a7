"""Which numbers the arguments of actions and steps can be; others are refused when they are written, by the field's name."""

import math

import numpy as np
import pytest

from modia3d import Pose, Repeat, Retry, WaitUntil
from modia3d.actions.paths_values import AddPath, MoveLinear, PtpJointSpace
from modia3d.actions.values import AfterPeriod, Wait
from modia3d.scene.basics.rotations import rotation_matrix
from modiapy import ModelError

pytestmark = pytest.mark.white_box

NO_NUMBERS = (True, "1", math.nan, math.inf, -math.inf, [1.0])
PATH = {"names": ("a", "b"), "position": (0.0, 0.0), "v_max": (1.0, 1.0), "a_max": (1.0, 1.0)}
TIMES = {
    "duration of ActionWait": Wait,
    "period of EventAfterPeriod": AfterPeriod,
    "timeout of wait_until": lambda x: WaitUntil("a > 1", x),
    "pause of retry": lambda x: Retry([Wait(1.0)], pause=x),
}
COUNTS = {
    "times of repeat": lambda x: Repeat([Wait(1.0)], times=x),
    "times of retry": lambda x: Retry([Wait(1.0)], times=x),
}
POSITIVE = {
    "blend of ptpJointSpace": lambda x: PtpJointSpace((1.0, 2.0), blend=x),
    **{
        f"{field} of moveLinear": lambda x, field=field: MoveLinear("tool", (0.0, 0.0, 1.0), **{field: x})
        for field in ("v_max", "a_max", "tolerance")
    },
}
ROWS = {
    f"{field} of addReferencePath": lambda x, field=field: AddPath(**PATH | {field: x}) for field in PATH if field != "names"
}
VECTORS = {
    "translation of Pose": lambda x: Pose("tool", x),
    "translation of moveLinear": lambda x: MoveLinear("tool", x),
}
ROTATIONS = {
    "rotation of Pose": lambda x: Pose("tool", rotation=x),
    "rotation of moveLinear": lambda x: MoveLinear("tool", rotation=x),
}


def refuses(makers, values):
    for name, made in makers.items():
        for value in values:
            with pytest.raises(ModelError, match=name):
                made(value)


def takes(makers, values):
    for made in makers.values():
        for value in values:
            made(value)


def test_times_and_counts_and_limits():
    takes(TIMES, (0.0, 1, 0.5, np.float32(2.0), np.int64(3)))
    refuses(TIMES, (-1e-9, *NO_NUMBERS))
    takes(COUNTS, (1, 7, np.int64(3)))
    refuses(COUNTS, (0, -1, 1.0, 2.5, *NO_NUMBERS))
    takes(POSITIVE, (1e-9, 1, np.float64(2.0)))
    refuses(POSITIVE, (0.0, -1.0, *NO_NUMBERS))


def test_rows_of_numbers_are_finite_and_as_long_as_there_are_joints():
    takes(ROWS, ((1.0, 2), np.array([1.0, 2.0])))
    refuses(ROWS, ((1.0,), (1.0, 2.0, 3.0), (1.0, math.nan), (math.inf, 1.0), (1.0, "b"), 1.0))
    limits = {name: made for name, made in ROWS.items() if "max" in name}
    refuses(limits, ((1.0, 0.0), (-1.0, 1.0)))
    takes(VECTORS, ((1.0, 2, -3.0), np.zeros(3)))
    refuses(VECTORS, ((1.0, 2.0), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, math.nan), (1.0, 2.0, "z"), 1.0))


def test_a_rotation_is_three_angles_or_a_matrix_that_turns():
    R = rotation_matrix((0.3, -0.4, 0.5))
    takes(ROTATIONS, ((0.1, 0.2, 0.3), R, R.tolist()))
    mirrored, long, oblique = R.copy(), R.copy(), R.copy()
    mirrored[0] *= -1.0
    long[1] *= 1.001
    oblique[2] = 0.8 * R[2] + 0.6 * R[1]
    refuses(ROTATIONS, (mirrored, long, oblique, R[:2], (0.1, 0.2), (0.1, 0.2, math.inf), "x", 1.0, (R[0], R[1], R[2][:2])))
