"""Models and results that go to other processes, and copies of them."""

import copy
import functools
import multiprocessing
import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from modiapy import Function, Map, Model, ModelError, Table1D, Table2D, Var, instantiate, read_result
from tests.at_once import bits

from .test_at_once import MODELS

pytestmark = pytest.mark.white_box


def cubed(x):
    return x**3


MODELS = MODELS | {
    "function": Model(f=Function(cubed), x=Var(init=1.0), k=2.0, equations=["der(x) = -k*f(x)"]),
    "tables": Model(
        line=Table1D([[0.0, 0.0], [0.3, 1.0], [1.0, -1.0]]),
        area=Table2D([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 1.0, -1.0]]),
        x=Var(init=0.2),
        equations=["der(x) = line(time) + area(x, time)"],
    ),
}
SCRIPT = "import pickle, sys; from tests.at_once import bits; \
print(*(bits(sim.simulate(1.0)) for sim in pickle.load(sys.stdin.buffer)))"


@functools.cache
def translated(name):
    return instantiate(MODELS[name], name)


@pytest.fixture(scope="module", params=MODELS)
def sim(request):
    return translated(request.param)


def in_another_process(sims):
    """Bits of the results of models that are simulated there."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=pickle.dumps(sims), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().split()


def test_models_give_the_same_bits_in_another_process():
    """Texts have other hashes there, memory has other addresses."""
    sims = [translated(name) for name in MODELS]
    assert in_another_process(sims) == [bits(sim.simulate(1.0)) for sim in sims]


def simulated(sim):
    result = sim.simulate(1.0)
    return bits(result), result


def test_a_pool_of_processes_simulates_models_and_returns_results():
    sims = [instantiate(MODELS[name], name) for name in ("bouncing", "rod")]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(simulated, sims))
    for sim, (there, result) in zip(sims, found, strict=True):
        assert there == bits(result) == bits(sim.simulate(1.0))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_has_a_last_simulation_of_its_own(sim, duplicate):
    expected = bits(sim.simulate(1.0))
    other = duplicate(sim)
    with pytest.raises(ModelError, match="Call simulate"):
        other.save("nowhere")
    assert bits(other.simulate(1.0)) == expected
    other.simulate(0.5)
    assert (sim.value("time"), other.value("time")) == (1.0, 0.5)


def test_a_result_is_the_same_when_it_was_pickled_or_copied(sim):
    result = sim.simulate(1.0)
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert bits(other) == bits(result)
        assert other.signals() == result.signals()
        assert (repr(other), other.statistics, other.segments) == (repr(result), result.statistics, result.segments)


def test_a_result_on_disk_is_opened_again_where_it_is_unpickled(sim, tmp_path):
    result = sim.simulate(1.0, output=tmp_path / "result.h5")
    for stored in (result, read_result(tmp_path / "result.h5", sim), read_result(tmp_path / "result.h5")):
        other = pickle.loads(pickle.dumps(stored))
        assert bits(other) == bits(stored)
        assert (repr(other), other.signals()) == (repr(stored), stored.signals())


def test_a_function_that_cannot_be_pickled_is_named():
    inner = Model(f=Function(lambda x: 2.0 * x), y=Var(), equations=["y = f(time)"])
    sim = instantiate(Model(part=inner))
    with pytest.raises(ModelError, match=r"part\.f.*cannot be pickled; found .*; expected functions .* top level of a module"):
        pickle.dumps(sim)


def test_merged_values_hold_for_their_simulation_only():
    sim = instantiate(MODELS["function"])
    sim.simulate(1.0, merge=Map(k=5.0))
    assert pickle.loads(pickle.dumps(sim)).parameter("k") == copy.copy(sim).parameter("k") == 2.0


def test_a_flat_model_by_hand_is_pickled_too():
    sims = [instantiate(translated(name).flat) for name in ("pendulum", "tables")]
    results = [sim.simulate(1.0) for sim in sims]
    assert in_another_process(sims) == [bits(result) for result in results]
    for sim, result in zip(sims, results, strict=True):
        assert np.isfinite(result["x"]).all()
        again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(sim)))).simulate(1.0)
        assert bits(again) == bits(result)
    assert again.signals() == result.signals()  # a table is none, here and there
