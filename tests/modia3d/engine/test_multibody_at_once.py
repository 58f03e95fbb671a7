"""Multibody systems simulated several times at once, and one within another: programs, limits, changes of structure."""

import copy
import functools
import pickle
import subprocess
import sys

import numpy as np
import pytest

from modia3d import Model3D, Object3D, Revolute, RevoluteWithFlange, SpringDamperPtP
from modiapy import instantiate, read_result
from tests.at_once import at_once, bits
from tests.modia3d.engine.test_limits import DOWN, UPPER, rod, world
from tests.modia3d.engine.test_save_everything import INTERVAL, MODEL, STOP

pytestmark = pytest.mark.white_box

FALLING = {
    "driven": RevoluteWithFlange("world", "rod", "y", limits=(-1.0, UPPER)),
    "passive": Revolute("world", "rod", "y", limits=(-1.0, UPPER)),
}
FALLING_ON_A_SPRING = Model3D(
    world=world(DOWN),
    rod=rod(),
    hinge=FALLING["passive"],
    tip=Object3D(parent="rod", translation=[0.3, 0.0, 0.0]),
    spring=SpringDamperPtP("world", "tip", stiffness=40.0, damping=2.0, nominal_length=0.1),
)
"""A force element has code of its own, whose address means nothing where a result is unpickled."""

MODELS = {name: (Model3D(world=world(DOWN), rod=rod(), hinge=joint), 2.0) for name, joint in FALLING.items()}
MODELS["everything"] = MODEL, STOP
MODELS["damped"] = FALLING_ON_A_SPRING, 0.5


@functools.cache
def translated(name):
    """The model that can be simulated, and its stop time."""
    model, stop = MODELS[name]
    return instantiate(model), stop


@pytest.fixture(scope="module", params=MODELS)
def case(request):
    return translated(request.param)


def test_threads_give_the_bits_of_one_after_the_other(case):
    sim, stop = case
    tolerances = (1e-5, 1e-6, 1e-7, 1e-6)

    def run(tolerance):
        return bits(sim.simulate(stop, tolerance=tolerance, interval=INTERVAL))

    one_after_the_other = [run(tolerance) for tolerance in tolerances]
    assert len(set(one_after_the_other)) == 3
    for _ in range(2):
        assert at_once([lambda t=t: run(t) for t in tolerances]) == one_after_the_other


def test_a_simulation_within_the_progress_of_another_one(case):
    sim, stop = case
    expected = bits(sim.simulate(stop, interval=INTERVAL)), bits(sim.simulate(stop, tolerance=1e-5))
    inner = []

    def progress(time):
        """Six times, from time to time."""
        if time >= len(inner) * stop / 6.0:
            inner.append(bits(sim.simulate(stop, tolerance=1e-5)))

    assert bits(sim.simulate(stop, interval=INTERVAL, progress=progress)) == expected[0]
    assert inner
    assert set(inner) == {expected[1]}


SCRIPT = f"import pickle, sys; from tests.at_once import bits; cases = pickle.load(sys.stdin.buffer); \
print(*(bits(sim.simulate(stop, interval={INTERVAL})) for sim, stop in cases))"


def test_models_give_the_same_bits_in_another_process():
    cases = [translated(name) for name in MODELS]
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=pickle.dumps(cases), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().split() == [bits(sim.simulate(stop, interval=INTERVAL)) for sim, stop in cases]


def test_results_are_the_same_when_they_were_pickled(case, tmp_path):
    sim, stop = case
    result, stored = sim.simulate(stop, interval=INTERVAL), sim.simulate(stop, interval=INTERVAL, output=tmp_path / "result.h5")
    for kept in (result, stored, read_result(tmp_path / "result.h5", sim)):
        other = pickle.loads(pickle.dumps(kept))
        assert bits(other) == bits(kept)
        assert other.signals() == kept.signals()
    copied = copy.deepcopy(result)
    for name in [name for name in result.signals() if name.endswith(("cut_force", "energy", "a_abs"))]:
        np.testing.assert_array_equal(copied[name], result[name])
