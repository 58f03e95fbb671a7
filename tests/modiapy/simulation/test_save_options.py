"""Arguments of a simulation: defaults, what cannot be meant, and what one that goes on from a snapshot may be given."""

import math

import pytest

from modiapy import Model, ModelError, Var, instantiate
from tests.at_once import bits

from .test_save import rod

pytestmark = pytest.mark.white_box

DECAY = Model(x=Var(init=1.0), equations=["der(x) = -x"])


def test_what_a_snapshot_had_may_be_given_again(tmp_path):
    sim, file, options = instantiate(DECAY), tmp_path / "run.npz", {"tolerance": 1e-7, "interval": 0.1, "solver": "cvode"}
    whole = sim.simulate(3.0, **options)
    sim.simulate(1.0, save=file, **options)
    sim.restore(file)
    assert sim.simulate(3.0, **options)["x"][-1] == whole["x"][-1]


@pytest.mark.parametrize(
    ("given", "had"),
    [
        ({"tolerance": 1e-8}, "1e-07"),
        ({"interval": 0.2}, "0.1"),
        ({"solver": "adams"}, "'cvode'"),
        ({"absolute_tolerance": 1e-7}, "1e-08"),
        ({"start_time": 0.1}, "0.0"),
    ],
)
def test_what_it_had_not_is_refused_with_what_it_had(tmp_path, given, had):
    sim, file = instantiate(DECAY), tmp_path / "run.npz"
    sim.simulate(1.0, tolerance=1e-7, interval=0.1, save=file)
    sim.restore(file)
    (name,) = given
    with pytest.raises(
        ModelError,
        match=f"the argument '{name}' of simulate is wrong; found .*; expected {had}, or no value.*goes on from a snapshot",
    ):
        sim.simulate(3.0, **given)


@pytest.mark.parametrize(
    ("given", "remedy"), [({"mode": "ode"}, "with what it had."), ({"merge": {"x": Var(init=1.0)}}, r"restore\(file, merge=")]
)
def test_what_a_snapshot_says_itself_is_not_given_again(tmp_path, given, remedy):
    sim, file = instantiate(DECAY), tmp_path / "run.npz"
    sim.simulate(1.0, mode="ode", save=file)
    sim.restore(file)
    (name,) = given
    with pytest.raises(
        ModelError, match=f"the argument '{name}' of simulate is wrong; found .*; expected no value. .*{remedy}"
    ):
        sim.simulate(3.0, **given)


def test_segments_of_a_simulation_that_goes_on_have_the_numbers_that_they_had(tmp_path):
    sim, file = instantiate(rod()), tmp_path / "run.npz"
    whole = sim.simulate(30.0)
    sim.simulate(10.0, interval=0.06, save=file)
    sim.restore(file)
    rest = sim.simulate(30.0)
    first, last = rest.segments[0].index, rest.segments[-1].index
    assert 1 < first < last == whole.segments[-1].index
    assert rest.segment(last).record is rest.segments[-1]
    for index in (first - 1, last + 1):
        with pytest.raises(
            ModelError, match=f"there is no such segment; found {index}; expected a number from {first} to {last}"
        ):
            rest.segment(index)


DEFAULTS = {
    "start_time": 0.0,
    "tolerance": 1e-6,
    "absolute_tolerance": 1e-7,
    "solver": "cvode",
    "mode": "auto",
    "interval": 0.004,
}


def test_defaults_are_what_is_said_of_them():
    """Given or not, one by one or all at once, with the same bits; others make a difference."""
    sim = instantiate(Model(x=Var(init=1.0), v=Var(init=0.0), equations=["der(x) = v", "der(v) = -x - 0.1*v**3"]))
    expected = bits(sim.simulate(2.0))
    assert all(bits(sim.simulate(2.0, **{name: value})) == expected for name, value in DEFAULTS.items())
    assert bits(sim.simulate(2.0, **DEFAULTS)) == expected
    others = {"tolerance": 2e-6, "absolute_tolerance": 2e-7, "solver": "adams", "mode": "dae", "interval": 0.005}
    assert len({bits(sim.simulate(2.0, **{name: value})) for name, value in others.items()} - {expected}) == len(others)
    assert bits(sim.simulate(2.0, tolerance=1e-4)) == bits(sim.simulate(2.0, tolerance=1e-4, absolute_tolerance=1e-5))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"start_time": -math.inf}, "start_time; found -inf; expected a finite time"),
        ({"start_time": 2.0}, "stop_time; found 1.0; expected a finite time, not before start_time"),
        ({"tolerance": 1.0}, "tolerance; found 1.0; expected a number between 0 and 1"),
        ({"absolute_tolerance": 0.0}, "absolute_tolerance; found 0.0; expected a positive number"),
        ({"absolute_tolerance": math.inf}, "absolute_tolerance; found inf; expected a positive number"),
        ({"interval": math.inf}, "interval; found inf; expected a positive number"),
        ({"interval": 1e-8}, "interval; found 1e-08; expected at least 1e-07 s, or results have no room"),
        ({"interval": 1e-10, "output": "x.h5"}, "interval; found 1e-10; expected at least 1e-09 s, or results have no room"),
        ({"save": "x", "save_every": -1.0}, "save_every; found -1.0; expected a time of at least 0 s"),
        ({"save_every": 1.0}, "save_every; found 1.0; expected a file to save to"),
        ({"save": "x", "save_every": "often"}, "save_every; found 'often'; expected a number"),
        ({"start_time": "now"}, "start_time; found 'now'; expected a number"),
        ({"absolute_tolerance": [1.0]}, r"absolute_tolerance; found \[1.0\]; expected a number"),
        ({"solver": 3}, "solver; found 3; expected a name, for example 'cvode'"),
        ({"progress": 3}, "progress; found 3; expected a function"),
        ({"mode": "odd"}, "mode; found 'odd'; expected one of 'auto', 'dae', 'ode'. Did you mean 'ode'"),
    ],
)
def test_arguments_that_cannot_be_meant_are_told(tmp_path, monkeypatch, given, message):
    """And nothing is written."""
    monkeypatch.chdir(tmp_path)
    name, _, told = message.partition("; ")
    with pytest.raises(ModelError, match=f"the argument '{name}' of simulate is wrong; {told}"):
        instantiate(DECAY).simulate(1.0, **given)
    assert not list(tmp_path.iterdir())
