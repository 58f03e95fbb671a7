"""One model simulated several times at once: each simulation gives the bits that it gives alone."""

import threading

import numpy as np
import pytest

from modiapy import Map, Model, Var, When, instantiate, read_result
from modiapy.library.blocks import CombiTimeTable, UniformNoise
from tests.at_once import at_once, bits

from .test_segments import between_bodies

pytestmark = pytest.mark.white_box

BOUNCING = Model(
    h=Var(init=1.0),
    v=Var(init=0.0),
    n=Var(init=0.0, type="Integer"),
    e=0.7,
    equations=["der(h) = v", "der(v) = -9.81", When("h < 0", ["reinit(v, -e*pre(v))", "n = pre(n) + 1"])],
)
"""State events, re-initialisation, memory."""

PENDULUM = Model(
    x=Var(init=0.6),
    y=Var(start=-0.8),
    u=Var(start=0.0),
    w=Var(start=0.0),
    f=Var(start=0.0),
    z=Var(start=1.0),
    equations=["der(x) = u", "der(y) = w", "der(u) = -f*x", "der(w) = -f*y - 9.81", "x**2 + y**2 = 1", "z**3 + z = 2 + x"],
)
"""Index reduction, or the index-1 form, and a nonlinear equation."""

SAMPLED = Model(
    noise=UniformNoise | Map(sample_period=0.01, y_min=-1.0, y_max=1.0),
    table=CombiTimeTable([[0.0, 0.0], [0.3, 1.0], [1.0, -1.0]]),
    x=Var(init=[0.0, 1.0]),
    A=np.array([[-1.0, 2.0], [-2.0, -1.0]]),
    equations=["der(x) = A@x + noise.y*[1.0, 0.5] + table.y1*[0.0, 1.0]"],
)
"""Random numbers at the ticks of a clock, a table, arrays."""

MODELS = {
    "bouncing": BOUNCING,
    "pendulum": PENDULUM,
    "sampled": SAMPLED,
    "rod": between_bodies(n=4, max_level=4, refine_above=6.0),
}


@pytest.fixture(scope="module", params=MODELS)
def sim(request):
    return instantiate(MODELS[request.param], request.param)


@pytest.mark.parametrize("mode", ["auto", "dae"])
def test_threads_give_the_bits_of_one_after_the_other(sim, mode):
    tolerances = (1e-4, 1e-6, 1e-8, 1e-6)

    def run(tolerance):
        return bits(sim.simulate(1.0, tolerance=tolerance, interval=0.005, mode=mode))

    one_after_the_other = [run(tolerance) for tolerance in tolerances]
    assert len(set(one_after_the_other)) == 3
    for _ in range(2):
        assert at_once([lambda t=t: run(t) for t in tolerances]) == one_after_the_other


def test_values_that_are_merged_in_one_thread_are_not_those_of_another():
    sim = instantiate(BOUNCING)
    values = [0.6, 0.7, 0.8, 0.9]

    def run(e):
        result = sim.simulate(1.0, merge=Map(e=e))
        assert result["e"][-1] == e
        return bits(result)

    assert at_once([lambda e=e: run(e) for e in values]) == [run(e) for e in values]


def test_results_that_are_stored_at_once_are_those_in_memory(sim, tmp_path):
    expected = bits(sim.simulate(1.0))
    at_once([lambda k=k: sim.simulate(1.0, output=tmp_path / f"{k}.h5") for k in range(4)])
    assert [bits(read_result(tmp_path / f"{k}.h5", sim)) for k in range(4)] == 4 * [expected]


def test_snapshots_that_are_saved_at_once_are_those_of_their_simulations(sim, tmp_path):
    """Also where `progress` saves: it means the simulation that calls it."""
    stops = (0.4, 0.6, 0.8)
    whole = sim.simulate(1.0, interval=0.01)

    def run(stop):
        sim.simulate(stop, interval=0.01, save=tmp_path / f"{stop}", progress=lambda _: sim.save(tmp_path / f"p{stop}"))

    at_once([lambda s=s: run(s) for s in stops])
    for name in [f"{s}" for s in stops] + [f"p{s}" for s in stops]:
        sim.restore(tmp_path / name)
        rest = sim.simulate(1.0)
        assert rest.segment(whole.segments[-1].index).x[-1].tolist() == whole.segment(whole.segments[-1].index).x[-1].tolist()


def test_a_simulation_within_the_progress_of_another_one(sim):
    expected, inner = bits(sim.simulate(1.0, interval=5e-4)), []

    def progress(time):
        """Ten times, from time to time."""
        if time >= 0.1 * len(inner):
            inner.append(bits(sim.simulate(0.5 * time, interval=0.01)))
            outer.append((time, sim.value("time")))

    outer = []
    result = sim.simulate(1.0, interval=5e-4, progress=progress)
    assert bits(result) == expected
    assert outer
    assert all(reached <= time for time, reached in outer)
    assert inner == [bits(sim.simulate(0.5 * time, interval=0.01)) for time, _ in outer]


def test_the_last_simulation_is_the_outer_one_when_it_has_ended():
    sim = instantiate(BOUNCING)
    sim.simulate(1.0, interval=5e-4, merge=Map(e=0.5), progress=lambda _: sim.simulate(0.1, merge=Map(e=0.1)))
    assert sim.parameter("e") == 0.5
    assert sim.value("time") == 1.0


def test_within_progress_the_last_simulation_is_the_one_that_calls_it():
    sim, seen, other = instantiate(BOUNCING), [], threading.Event()

    def progress(_):
        other.wait(60.0)
        seen.append(sim.parameter("e"))

    thread = threading.Thread(target=lambda: sim.simulate(1.0, interval=5e-4, merge=Map(e=0.5), progress=progress))
    thread.start()
    sim.simulate(0.1, merge=Map(e=0.1))
    other.set()
    thread.join()
    assert set(seen) == {0.5}


def test_within_simulations_in_one_another_the_last_one_is_the_innermost():
    sim, seen = instantiate(BOUNCING), []

    def simulated(e, *inner):
        def progress(_):
            seen.append((e, sim.parameter("e"), sim.value("e")))
            if inner:
                simulated(*inner)
                seen.append((e, sim.parameter("e"), sim.value("e")))

        sim.simulate(0.1, interval=0.01, merge=Map(e=e), progress=progress)

    simulated(0.5, 0.6, 0.7)
    assert {e for e, *_ in seen} == {0.5, 0.6, 0.7}
    assert all(e == parameter == value for e, parameter, value in seen)


def test_one_simulation_goes_on_from_a_snapshot_and_others_begin_at_the_beginning(tmp_path):
    """Another one may have begun while what is given for this one is looked at."""
    sim, others = instantiate(BOUNCING), []
    sim.simulate(0.6, save=tmp_path / "snapshot")
    bounce = sim.restore(tmp_path / "snapshot")

    class Meanwhile(dict):
        def items(self):
            if not others:
                others.append(sim.simulate(1.0))
            return super().items()

    result = sim.simulate(1.0, inputs=Meanwhile())
    assert 0.0 < bounce == others[0].time[0]
    assert result.time[0] == 0.0
    assert bits(result) == bits(sim.simulate(1.0))


def test_linear_models_and_steady_states_at_once():
    sim = instantiate(Model(x=Var(init=1.0), k=2.0, equations=["der(x) = -k*x + 1"]))
    values = [1.0, 2.0, 3.0, 4.0]
    found = at_once(
        [lambda k=k: (sim.linearize(merge=Map(k=k)).A[0, 0], sim.steady_state(merge=Map(k=k))["x"]) for k in values]
    )
    assert np.array(found) == pytest.approx(np.array([(-k, 1.0 / k) for k in values]), rel=1e-8)


def test_nothing_is_compiled_for_a_simulation_while_another_thread_translates(sim):
    def translate():
        instantiate(Model(x=Var(init=1.0), equations=[f"der(x) = -{threading.get_ident()}.0*x"]))

    results = at_once([lambda: sim.simulate(1.0), translate, translate])
    assert results[0].statistics["compilations_after_start"] == 0
