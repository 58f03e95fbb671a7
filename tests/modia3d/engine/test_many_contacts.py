"""Many bodies in contact with the stabilised explicit integrator, beside CVODE."""

import numpy as np
import pytest

from benchmarks.contact_scenes import bowl
from modiapy import instantiate
from tests.modia3d.scenes import energy

pytestmark = pytest.mark.white_box

COUNT, STOP = 12, 0.42


@pytest.fixture(scope="module")
def model():
    return instantiate(bowl(COUNT).model(), "Bowl")


@pytest.fixture(scope="module")
def result(model):
    return model.simulate(STOP, tolerance=1e-5, interval=0.01, solver="chebyshev")


def test_the_same_contacts_as_with_a_matrix(model, result):
    exact = model.simulate(STOP, tolerance=1e-9, interval=0.01)
    assert len(result.contacts) == len(exact.contacts) > 20
    for ours, other in zip(result.contacts, exact.contacts, strict=True):
        assert ours["pair"] == other["pair"]
        assert ours["begin"] == pytest.approx(other["begin"], abs=1e-4)
    for k in range(COUNT):
        assert result[f"ball{k}.r_abs"] == pytest.approx(exact[f"ball{k}.r_abs"], abs=2e-4)
    assert result.statistics["jacobian_evaluations"] == 0
    assert result.statistics["rhs_evaluations"] < 15.0 * result.statistics["steps"]


def test_energy_never_rises(result):
    total = energy(result)
    assert (total - np.minimum.accumulate(total)).max() < 1e-9 * result["mechanics.kinetic_energy"].max()


def test_output_points_do_not_change_contacts(model, result):
    other = model.simulate(STOP, tolerance=1e-5, interval=0.0037, solver="chebyshev")
    assert other.contacts == result.contacts
