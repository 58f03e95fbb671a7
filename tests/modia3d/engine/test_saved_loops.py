"""A run with closed loops that was saved goes on to the last bit, also where its segment began elsewhere."""

import numpy as np
import pytest

from modia3d import Model3D, ModelActions, addReferencePath, ptpJointSpace
from modiapy import instantiate
from tests.modia3d.engine.test_closed_loops import PASSIVE, closed


def program(actions):
    """Events within the segment, at which the integrator begins anew: what is saved is not where the segment began."""
    addReferencePath(actions, ["reference"], [0.0], [1.0], [2.0])
    ptpJointSpace(actions, [0.3])


def four_bar(flanges):
    return closed(flanges) | Model3D(actions=ModelActions(program))


@pytest.mark.parametrize("flanges", [(), ("motor",), tuple(PASSIVE)])
def test_what_goes_on_in_a_closed_loop_is_the_same(flanges, tmp_path):
    options = {"tolerance": 1e-6, "interval": 0.1}
    whole = instantiate(four_bar(flanges)).simulate(2.0, **options)
    instantiate(four_bar(flanges)).simulate(1.2, save=tmp_path / "run", **options)
    again = instantiate(four_bar(flanges))
    again.restore(tmp_path / "run")
    rest = again.simulate(2.0)
    for name in ("motor.phi", "motor.w", "crank.r_abs", "coupler.R_abs", "rocker.v_abs"):
        np.testing.assert_array_equal(rest[name][-1], whole[name][-1])
    assert rest.statistics["steps"] == whole.statistics["steps"]
    for key in ("dof", "condition", "redundant"):
        assert rest.segments[0].info[key] == whole.segments[0].info[key]
