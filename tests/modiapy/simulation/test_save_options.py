"""What goes on from a snapshot may be given what it had, and nothing else."""

import pytest

from modiapy import Model, Var, instantiate
from modiapy.model.errors import ModelError

DECAY = Model(x=Var(init=1.0), equations=["der(x) = -x"])


def test_what_a_snapshot_had_may_be_given_again(tmp_path):
    sim, file, options = instantiate(DECAY), tmp_path / "run.npz", {"tolerance": 1e-7, "interval": 0.1, "solver": "cvode"}
    whole = sim.simulate(3.0, **options)
    sim.simulate(1.0, save=file, **options)
    sim.restore(file)
    assert sim.simulate(3.0, **options)["x"][-1] == whole["x"][-1]


@pytest.mark.parametrize(
    ("given", "had"), [({"tolerance": 1e-8}, "1e-07"), ({"interval": 0.2}, "0.1"), ({"solver": "adams"}, "'cvode'")]
)
def test_what_it_had_not_is_refused_with_what_it_had(tmp_path, given, had):
    sim, file = instantiate(DECAY), tmp_path / "run.npz"
    sim.simulate(1.0, tolerance=1e-7, interval=0.1, save=file)
    sim.restore(file)
    (name,) = given
    with pytest.raises(ModelError, match=f"simulate: {name}; found .*; expected {had}, or no value.*goes on from a snapshot"):
        sim.simulate(3.0, **given)
