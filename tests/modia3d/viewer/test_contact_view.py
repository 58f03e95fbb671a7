"""Contacts in animations: a needle along the force and a ball at the point, while solids touch."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d.viewer.contacts import LONGEST, contact_bodies
from modiapy import SegmentRecord

pytestmark = pytest.mark.white_box

TIME = np.linspace(0.0, 1.0, 5)
FORCES = {"a,b": [[0, 0, 0], [0, 0, 8.0], [6.0, 0, 0], [0, 0, -2.0], [np.nan] * 3], "a,c": [[0.0, 0.0, 0.0]] * 5}


class Told(dict[str, Any]):
    """What a result tells of contacts."""

    def __init__(self) -> None:
        self.contacts: list[dict[str, Any]] = []
        self.time, self.points = TIME, len(TIME)
        self.segments = [SegmentRecord(1, 0.0, "", 0, 0)]
        self.find = self.get

    def segment(self, index: int) -> "Told":
        return self

    def signals(self) -> list[str]:
        return list(self)


def told(path: str) -> Told:
    start = f"{path}." if path else ""
    result = Told()
    for pair, force in FORCES.items():
        result[f"{start}mechanics.contact[{pair}].force"] = np.array(force)
        result[f"{start}mechanics.contact[{pair}].point"] = np.outer(TIME, [1.0, 2.0, 3.0])
    return result


@pytest.mark.parametrize("path", ["", "cell.robot"])
@pytest.mark.parametrize("table", [True, False])
def test_needles_show_forces_while_solids_touch(path: str, table: bool) -> None:
    result = told(path)
    if table:
        start = f"{path}." if path else ""
        result.contacts = [
            {"pair": [start + "a", start + "b"], "begin": 0.25, "end": 0.5},
            {"pair": [start + "a", start + "b"], "begin": 0.5, "end": None},
            {"pair": ["o.x", "o.y"], "begin": 0.0, "end": None},
        ]
    pick = np.arange(5)
    needle, ball = contact_bodies(result, path, pick, 2.0)
    for body in (needle, ball):
        assert np.isnan(body.position[[0, 4]]).all()
        np.testing.assert_allclose(body.position[1:4], np.outer(TIME[1:4], [1.0, 2.0, 3.0]))
    directions = Rotation.from_quat(needle.quaternion[1:4]).apply([0.0, 0.0, 1.0])
    np.testing.assert_allclose(directions, [[0, 0, 1], [1, 0, 0], [0, 0, -1]], atol=1e-15)
    assert needle.scale is not None
    np.testing.assert_allclose(needle.scale[1:4, 2], 2.0 * LONGEST * np.sqrt([1.0, 0.75, 0.25]))
    assert [frame.name for frame in needle.frames] == [f"{path}.mechanics.contact[a,b].force".removeprefix(".")]


def test_segments_in_which_nothing_touched_are_not_computed() -> None:
    result = told("")
    for begin, end, shown in ((1.5, 2.0, 0), (-2.0, -1.0, 0), (1.0, None, 2), (-1.0, 0.0, 2)):
        result.contacts = [{"pair": ["a", "b"], "begin": begin, "end": end}]
        assert len(contact_bodies(result, "", np.arange(5), 2.0)) == shown
