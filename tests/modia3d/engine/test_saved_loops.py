"""A run with closed loops that was saved goes on to the last bit, also where its segment began elsewhere."""

import numpy as np
import pytest

from modia3d import ActionWait, Model3D, ModelActions, addReferencePath, ptpJointSpace
from modiapy import instantiate
from tests.modia3d.engine.test_closed_loops import PASSIVE, closed

pytestmark = pytest.mark.white_box


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


def waits(actions):
    """An event each 2 ms, so that some are where the mechanism is nearly in line."""
    for _ in range(400):
        ActionWait(actions, 0.002)


@pytest.fixture(scope="module")
def passing():
    """The mechanism, translated twice, and its uninterrupted result."""
    model = closed(()) | Model3D(actions=ModelActions(waits))
    sim, again = instantiate(model), instantiate(model)
    return sim, again, sim.simulate(1.0, tolerance=1e-6)


@pytest.mark.parametrize("stop", [0.3, 0.727, 0.7311, 0.7333, 0.739, 0.7441, 0.8])
def test_passages_of_singular_positions_are_noted_whenever_a_run_was_saved(passing, stop, tmp_path):
    sim, again, whole = passing
    (note,) = whole.notes
    assert note["begin"] < 0.732 < note["end"]
    sim.simulate(stop, tolerance=1e-6, interval=0.002, save=tmp_path / "run")
    again.restore(tmp_path / "run")
    rest = again.simulate(1.0)
    assert rest.notes == whole.notes
    assert rest.statistics["events_by_kind"] == whole.statistics["events_by_kind"]
