"""Reference paths of several axes as a part of a model."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Model, ModelError, instantiate
from modiapy.library.paths import ptp_path, ptp_trajectory


def test_axes_may_have_any_name() -> None:
    """Also those that a path could need itself: letters and numbers."""
    names, start, end = ["q0", "v1", "t"], [0.0, 1.0, -1.0], [1.0, 0.0, 1.0]
    limits = [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]
    result = instantiate(Model(path=ptp_path(names, [start, end], *limits))).simulate(3.0, interval=0.1)
    trajectory = ptp_trajectory(0.0, start, end, *limits)
    assert trajectory is not None
    wanted = np.array([trajectory.evaluate(t)[:2] for t in result.time])
    for k, name in enumerate(names):
        assert result[f"path.{name}.position"] == pytest.approx(wanted[:, 0, k], abs=1e-12)
        assert result[f"path.{name}.velocity"] == pytest.approx(wanted[:, 1, k], abs=1e-12)


@pytest.mark.parametrize("names", [["a", "a"], ["a", "pieces"], ["equations", "a"]])
def test_names_that_are_taken_are_refused(names: list[str]) -> None:
    with pytest.raises(ModelError, match=f"an axis named '{names[1] if names[0] == 'a' else names[0]}'"):
        ptp_path(names, [[0.0, 0.0], [1.0, 1.0]], [1.0, 1.0], [1.0, 1.0])
