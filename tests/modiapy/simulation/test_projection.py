"""States that a component keeps on constraints: the pendulum in Cartesian coordinates."""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Model, SimulationError, Var, When, instantiate
from modiapy.simulation.evaluation import problems
from modiapy.simulation.solvers import pool

from . import pendulums
from .pendulum_kernels import GRAVITY
from .pendulums import NAMES, energy, pendulum, residuals

pytestmark = pytest.mark.white_box

WAYS: dict[str, dict[str, str]] = {
    "cvode": {},
    "ida": {"mode": "dae"},
    "scipy": {"solver": "scipy"},
    "adams": {"solver": "adams"},
    "sundae": {"solver": "sundae"},
    "sundae dae": {"solver": "sundae", "mode": "dae"},
}
ROUNDING = 4e-15
every_way = pytest.mark.parametrize("way", WAYS)
both_kinds = pytest.mark.parametrize("own", [True, False], ids=["own states", "states of the equations"])


@pytest.fixture(autouse=True)
def records() -> None:
    for record in (pendulums.SEEN, pendulums.WATCHED):
        record.clear()


def simulate(model: Model, stop: float, way: str = "cvode", **options: Any) -> Any:
    return instantiate(model).simulate(stop, **({"interval": 0.1, "tolerance": 1e-8} | options | WAYS[way]))


def states(result: Any, path: str = "p") -> np.ndarray:
    """x, y, vx, vy of all stored points, shape (nt, 4)."""
    return np.stack([result[f"{path}.{name}"] for name in NAMES], axis=1)


def farthest(found: np.ndarray, *lengths: Any) -> float:
    """The largest residual."""
    return float(np.abs(residuals(found, *lengths)).max())


def angles(
    times: np.ndarray, length: Callable[[float], Any] = lambda t: (1.0, 0.0), angle: float = 2.0, speed: float = 0.0
) -> np.ndarray:
    """The pendulum in its angle, to 1e-10, shape (nt,)."""

    def rates(t: float, s: np.ndarray) -> list[float]:
        now, rate = length(t)
        return [s[1], -(GRAVITY * np.sin(s[0]) + 2.0 * rate * s[1]) / now]

    found = solve_ivp(rates, (0.0, times[-1]), [angle, speed], "DOP853", rtol=1e-12, atol=1e-12, dense_output=True)
    return np.asarray(found.sol(times)[0])


@both_kinds
@every_way
def test_states_stay_on_the_constraints_and_energy_is_kept(way: str, own: bool) -> None:
    results = [simulate(Model(p=pendulum(projects=projects, own=own)), 40.0, way) for projects in (True, False)]
    kept, left = (states(result) for result in results)
    assert farthest(kept) <= ROUNDING
    assert farthest(left) >= 1e-6
    errors = [np.abs(energy(s) - energy(s)[0]).max() for s in (kept, left)]
    assert errors[0] < min(1e-4, 0.5 * errors[1])
    steps = [result.statistics["steps"] for result in results]
    assert steps[0] < 1.25 * steps[1]
    assert np.abs(kept[:, 0] - np.sin(angles(results[0].time))).max() < 2e-4
    assert results[0].statistics["projections"] >= steps[0]
    assert results[1].statistics["projections"] == 0
    assert results[0].statistics["compilations_after_start"] == 0


def test_fast_rotation_is_no_failure_to_solve_the_equations() -> None:
    """What the projection adds to a step of CVODE solves no equation; that is not to be taken for a wrong solution."""
    found = [simulate(Model(p=pendulum(angle=0.0, speed=200.0, projects=projects)), 2.0) for projects in (True, False)]
    assert np.abs(np.hypot(found[0]["p.x"], found[0]["p.y"]) - 1.0).max() <= ROUNDING
    assert found[0].statistics["steps"] < 1.2 * found[1].statistics["steps"]


LENGTH = ("1.2 - 0.2*cos(3*time)", "0.6*sin(3*time)", "1.8*cos(3*time)")


def length_at(t: Any) -> tuple[Any, Any]:
    """The same with its rate."""
    return 1.2 - 0.2 * np.cos(3 * t), 0.6 * np.sin(3 * t)


@every_way
def test_what_the_projection_reads_of_the_equations_is_that_of_the_states_it_projects(way: str) -> None:
    result = simulate(Model(p=pendulum(evaluates=True, angle=1.0, lengths=LENGTH)), 10.0, way)
    found, now = states(result), length_at(result.time)
    assert farthest(found, *now) <= ROUNDING
    assert np.abs(found[:, 0] - now[0] * np.sin(angles(result.time, length_at, angle=1.0))).max() < 5e-5
    assert result.statistics["compilations_after_start"] == 0


def test_without_an_evaluation_the_projection_reads_what_the_equations_gave_last() -> None:
    result = simulate(Model(p=pendulum(angle=1.0, lengths=LENGTH)), 10.0)
    assert farthest(states(result), *length_at(result.time)) > 1e-4


@pytest.mark.parametrize("projected", [NAMES, ("across", "y", "v_across", "vy")], ids=["as they are", "mirrored"])
def test_a_component_finds_its_variables_among_the_states(projected: tuple[str, ...]) -> None:
    """It may know minus a state."""
    sim = instantiate(Model(before=Var(init=1.0), p=pendulum(own=False, projected=projected), equations=["der(before) = 0"]))
    result = sim.simulate(20.0, interval=0.1, tolerance=1e-8)
    sign = 1.0 if projected == NAMES else -1.0
    expected = [
        (list(sim.states).index(f"p.{name}"), factor) for name, factor in zip(NAMES, (sign, 1.0, sign, 1.0), strict=True)
    ]
    assert [pendulums.PLACES[name] for name in projected] == expected
    assert farthest(states(result)) <= ROUNDING


def test_what_is_no_state_has_no_place_and_what_does_not_exist_is_refused() -> None:
    simulate(Model(p=pendulum(own=False, projected=(*NAMES, "ax"))), 0.1)
    assert pendulums.PLACES["ax"] is None
    with pytest.raises(SimulationError, match=r"there is no variable 'p.z'"):
        simulate(Model(p=pendulum(own=False, projected=(*NAMES, "z"))), 0.1)


@every_way
def test_state_events_are_where_the_projected_states_are(way: str) -> None:
    """The point passes x = 0.3 from both sides, each time once."""
    right = {"right": Var(init=0, type="Integer"), "equations": [When("p.x > 0.3", ["right = pre(right) + 1"])]}
    result = simulate(Model(p=pendulum(own=False), **right), 9.0, way, tolerance=1e-5)
    assert farthest(states(result)) <= ROUNDING
    seen = [(time, x) for time, x in pendulums.SEEN if time > 0.0]
    assert farthest(np.array([x for _, x in seen])) <= ROUNDING
    assert np.abs(np.array([x[0] for _, x in seen]) - 0.3).max() < 1e-9
    times = np.linspace(0.0, 9.0, 90001)
    passed = times[:-1][np.diff(np.sin(angles(times)) > 0.3)]
    events = np.unique([time for time, _ in seen])
    assert events.size == result.statistics["events"] == passed.size
    assert np.abs(events - passed).max() < 5e-3


@every_way
def test_what_an_event_changes_is_projected(way: str) -> None:
    """A push in any direction makes the pendulum faster along the circle, and no more."""
    push = {"equations": [When("p.x < 0.3", ["reinit(p.vx, pre(p.vx) - 3)", "reinit(p.vy, pre(p.vy) + 7)"])]}
    result = simulate(Model(p=pendulum(own=False), **push), 0.8, way)
    assert result.statistics["events"] == 1
    assert farthest(states(result)) <= ROUNDING
    before, after = (states(result)[result.time == pendulums.SEEN[-1][0]][k] for k in (0, -1))
    x, y = before[:2]
    assert (after - before)[2:] == pytest.approx((3.0 * y + 7.0 * x) * np.array([-y, x]))


@every_way
def test_what_is_awaited_is_awaited_of_projected_states(way: str) -> None:
    result = simulate(Model(p=pendulum(waits=True)), 2.0, way, tolerance=1e-4)
    assert result.statistics["events_by_kind"] == {"condition": 1}
    assert farthest(np.array(pendulums.WATCHED)) <= ROUNDING
    assert farthest(np.array([x for _, x in pendulums.SEEN])) <= ROUNDING


@every_way
def test_of_two_components_one_may_project(way: str) -> None:
    """Each with states of its own, behind those of the equations."""
    alone = {name: simulate(Model(p=pendulum(angle=a, projects=on)), 10.0, way) for name, a, on in PAIR}
    parts = {name: pendulum(angle=angle, projects=on) for name, angle, on in PAIR}
    result = simulate(Model(**parts, s=Var(init=1.0), equations=["der(s) = -s"]), 10.0, way)
    assert farthest(states(result, "one")) <= ROUNDING
    assert 1e-10 < farthest(states(result, "two")) < 1e-4
    for name, other in alone.items():
        assert np.abs(states(result, name) - states(other)).max() < 1e-3


PAIR = (("two", 1.0, False), ("one", 2.0, True))


@every_way
def test_both_of_two_components_project(way: str) -> None:
    parts = {"one": pendulum(angle=2.0), "two": pendulum(angle=1.0, own=False, projects=True)}
    result = simulate(Model(**parts), 10.0, way)
    assert max(farthest(states(result, name)) for name in parts) <= ROUNDING


def segment_states(result: Any, index: int) -> np.ndarray:
    return np.asarray(result.segment(index).x)


@pytest.mark.parametrize("way", ["cvode", "ida"])
@pytest.mark.parametrize("projects", [True, False])
def test_integrators_that_are_used_again_do_not_project_where_there_is_nothing_to_project(way: str, projects: bool) -> None:
    """Segments with and without in turn; the results are those with a new integrator for each."""
    results, of = [], problems.Problems.of

    def another(self: problems.Problems, *segment: Any) -> Any:
        self._known = []
        return of(self, *segment)

    for capacity in (pool.CAPACITY, 2, 1, 0):
        with pytest.MonkeyPatch.context() as patch:
            if capacity == 2:  # where each segment is another problem, integrators of the same sizes are used again
                patch.setattr(problems.Problems, "of", another)
            patch.setattr(pool, "CAPACITY", capacity)
            results.append(simulate(Model(p=pendulum(projects=projects, toggles=(3.0, 6.0, 9.0))), 12.0, way))
    for k in range(1, 5):
        on = projects == (k % 2 == 1)
        first, *others = (segment_states(result, k) for result in results)
        assert all(np.array_equal(first, other) for other in others)
        assert (farthest(first[1:]) <= ROUNDING) == on
    assert len({result.statistics["projections"] for result in results}) == 1


@every_way
def test_where_nothing_is_projected_nothing_changes(way: str) -> None:
    """A segment before the first projection is that of a model that never projects, bit for bit."""
    never, later = (simulate(Model(p=pendulum(projects=False, toggles=toggles)), 6.0, way) for toggles in ((), (3.0,)))
    plain = simulate(Model(p=pendulum(projects=False), e=Var(), equations=["e = 1 if after(3.0) else 0"]), 6.0, way)
    assert never.statistics["projections"] == 0 < later.statistics["projections"]
    rows = segment_states(later, 1)
    assert np.array_equal(rows, segment_states(plain, 1)[: rows.shape[0]])


def test_a_simulation_with_projections_is_saved_and_goes_on(tmp_path: Any) -> None:
    sim = instantiate(Model(p=pendulum(evaluates=True, lengths=LENGTH, toggles=(2.0, 3.0))))
    full = sim.simulate(6.0, interval=0.1, tolerance=1e-8)
    sim.simulate(4.0, interval=0.1, tolerance=1e-8)
    sim.save(tmp_path / "then")
    sim.restore(tmp_path / "then")
    rest = sim.simulate(6.0)
    after = full.time > 4.0
    assert np.array_equal(states(full)[after], states(rest)[rest.time > 4.0])


@both_kinds
@every_way
def test_at_time_events_and_pauses_states_are_those_that_are_stored(way: str, own: bool) -> None:
    """What a component is told at a time event, and what is read where a simulation pauses, between output points too."""
    equations = ["e = 1 if after(0.77) else 0"]
    sim = instantiate(Model(p=pendulum(own=own, toggles=(1.5,)), e=Var(), equations=equations))
    with sim.stepper(2.0, interval=0.1, tolerance=1e-6, **WAYS[way]) as stepper:
        for until in (0.3, 0.41, 0.77, 0.9, 1.4):
            stepper.step(until=until)
            read = np.array([[stepper[f"p.{name}"] for name in NAMES]])
            assert farthest(read) <= ROUNDING
            if until != 0.41:
                assert np.array_equal(states(stepper.result)[-1:], read)
        result = stepper.finish()
    assert [time for time, _ in pendulums.SEEN if time in (0.77, 1.5)] == [0.77, 1.5, 1.5]
    for at in (0.77, 1.5):
        told = next(x for time, x in pendulums.SEEN if time == at)
        assert np.array_equal(told, states(result)[np.searchsorted(result.time, at)])


def test_results_can_be_pickled() -> None:
    result = simulate(Model(p=pendulum()), 1.0)
    assert np.array_equal(states(pickle.loads(pickle.dumps(result))), states(result))


def test_threads_project_each_its_own_states() -> None:
    sims = [instantiate(Model(p=pendulum(angle=angle, evaluates=True))) for angle in (0.5, 1.0, 1.5, 2.0)]
    expected = [states(sim.simulate(20.0, tolerance=1e-8)) for sim in sims]
    found: dict[int, np.ndarray] = {}

    def run(k: int) -> None:
        found[k] = states(sims[k].simulate(20.0, tolerance=1e-8))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(found[k], expected[k]) for k in range(4))


@every_way
@pytest.mark.parametrize(
    ("status", "message"),
    [
        (7, r"the point is right of 0.95 m"),
        (3, r"p: .*could not be brought onto the constraints of components; found status 3"),
        (0, r"p: .*could not be brought onto the constraints of components; found a state that is not finite"),
    ],
)
def test_why_a_projection_fails_is_told_with_the_time(way: str, status: int, message: str) -> None:
    times = np.linspace(0.0, 1.0, 100001)
    expected = times[np.argmax(np.sin(angles(times)) > 0.95)]
    with pytest.raises(SimulationError, match=message) as caught:
        simulate(Model(p=pendulum(status=status, right_of=0.95)), 1.0, way, interval=1e-3)
    assert f"at time {caught.value.time:.10g} s" in str(caught.value)
    assert caught.value.path == ("p.x" if status == 7 else "p")
    assert expected - 1e-3 < caught.value.time < expected + 0.05
    reached = caught.value.result
    assert expected - 0.05 < reached.time[-1] <= expected + 1e-3
    assert farthest(states(reached)) <= ROUNDING


@pytest.mark.parametrize("failing", ["one", "two", "three"])
def test_of_several_components_the_one_whose_projection_fails_is_told(failing: str) -> None:
    """The others project as they should, or not at all."""
    parts = {name: pendulum(angle=0.1, projects=name != "two" or failing == "two") for name in ("one", "two", "three")}
    with pytest.raises(SimulationError, match="found status 3") as caught:
        simulate(Model(**parts | {failing: pendulum(status=3, right_of=0.95)}), 1.0)
    assert caught.value.path == failing


def test_a_projection_that_fails_makes_the_step_shorter() -> None:
    """It refuses what is farther than 1e-6 m from the circle, which a loose tolerance would allow."""
    free, bound = (
        simulate(Model(p=pendulum(farther_than=distance)), 10.0, tolerance=1e-3, interval=10.0) for distance in (math.inf, 1e-6)
    )
    assert bound.statistics["steps"] > 2 * free.statistics["steps"]
    assert (
        np.abs(energy(states(bound)) - energy(states(bound))[0]).max()
        < 0.1 * np.abs(energy(states(free)) - energy(states(free))[0]).max()
    )


@pytest.mark.parametrize("projection", [7, (1, True)])
def test_what_is_no_projection_is_refused(projection: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pendulums, "StateProjection", lambda *_: projection)
    with pytest.raises(
        SimulationError, match=r"p: .*projection of the component; found .*; expected a StateProjection, or None"
    ):
        simulate(Model(p=pendulum()), 1.0)
