"""What every integrator promises, whatever its formulas: steps, work that is counted, magnitudes, messages."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from modiapy.simulation.solvers import IntegrationFailure, Problem, Solver, create_solver, solver_names
from modiapy.simulation.solvers.cvode import libraries

pytestmark = pytest.mark.white_box

Rates = Callable[[float, np.ndarray], Any]
Signals = Callable[[float, np.ndarray], Any]

WAYS = [(name, False) for name in solver_names()] + [("cvode", True), ("sundae", True)]
every_way = pytest.mark.parametrize(("name", "dae"), WAYS, ids=[name + " dae" * dae for name, dae in WAYS])

D, P = ctypes.c_double, ctypes.c_void_p


def elements(vector: int, n: int) -> np.ndarray:
    sundials = libraries()
    assert sundials is not None
    return np.frombuffer((D * n).from_address(sundials.N_VGetArrayPointer(vector)))


class Given:
    """``der(x) = rates(t, x)`` and indicators, as machine code and as Python; how often the model was evaluated."""

    def __init__(self, n: int, rates: Rates, signals: Signals | None = None, n_z: int = 0, **more: Any) -> None:
        self.calls, self.latest = 0, -np.inf

        def rhs(t: float, x: np.ndarray, out: np.ndarray) -> int:
            self.calls, self.latest = self.calls + 1, max(self.latest, t)
            made = rates(t, x)
            if made is None:
                return 1
            out[:] = made
            return 0

        def residual(t: float, x: np.ndarray, xdot: np.ndarray, out: np.ndarray) -> int:
            status = rhs(t, x, out)
            out[:] = xdot - out
            return status

        def root(t: float, x: np.ndarray, z: np.ndarray) -> int:
            made = None if signals is None else signals(t, x)
            if made is None:
                return 1
            z[:] = made
            return 0

        def of_code(z: Any) -> np.ndarray:
            return np.ctypeslib.as_array((D * n_z).from_address(z))

        def code(function: Any, *kinds: Any) -> int:
            made = ctypes.CFUNCTYPE(ctypes.c_int, D, *kinds)(function)
            self.kept.append(made)
            return ctypes.cast(made, P).value or 0

        self.kept: list[Any] = []
        self.problem = Problem(
            n,
            n_z,
            code(lambda t, y, out, _: rhs(t, elements(y, n), elements(out, n)), P, P, P),
            code(lambda t, y, z, _: root(t, elements(y, n), of_code(z)), P, P, P),
            0,
            rhs,
            root,
            code(lambda t, y, yp, r, _: residual(t, elements(y, n), elements(yp, n), elements(r, n)), P, P, P, P),
            code(lambda t, y, _yp, z, _: root(t, elements(y, n), of_code(z)), P, P, P, P),
            residual,
            lambda t, x, _xdot, z: root(t, x, z),
            **more,
        )


class Seen:
    """A follower that keeps the steps, and the states at five points of each."""

    def __init__(self, longest_step: float = np.inf) -> None:
        self.longest_step = longest_step
        self.steps: list[tuple[float, float]] = []
        self.points: list[tuple[float, np.ndarray]] = []

    def keep_from(self, time: float) -> None:
        """Everything is kept."""

    def follow(self, begin: float, end: float, states: Callable[[float], np.ndarray]) -> None:
        self.steps.append((begin, end))
        self.points += [(float(t), states(t).copy()) for t in np.linspace(begin, end, 5)]

    @property
    def ends(self) -> np.ndarray:
        return np.array([end for _, end in self.steps])


def begun(given: Given, way: tuple[str, bool], time: float, x: Any, tolerance: float = 1e-6) -> Solver:
    name, dae = way
    problem = given.problem if dae else replace(given.problem, residual=None, dae_root=None)
    return create_solver(name, problem, time, np.array(x, dtype=float), tolerance, 0.1 * tolerance, dae)


def advanced(solver: Solver, until: float, n: int, stop: float = np.inf) -> np.ndarray:
    out = np.empty((1, n))
    assert solver.advance(np.array([until]), stop, out).time == until
    return out[0]


KINKS = np.array([-1.0, 0.5, 3.0, 3.01, 3.02, 3.03, 6.0])


def force(t: float) -> float:
    """Zero but for a hat of 0.03 s, whose area is 0.02."""
    return float(np.interp(t, KINKS[1:], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]))


def area(t: Any) -> Any:
    s = np.clip(np.asarray(t) - 3.0, 0.0, 0.03)
    return np.where(s < 0.01, 50.0 * s**2, np.where(s < 0.02, s - 0.005, 0.02 - 50.0 * (0.03 - s) ** 2))


def assert_ends_at(seen: Seen, times: np.ndarray) -> None:
    assert np.abs(seen.ends[:, None] - times).min(axis=0) == pytest.approx(0.0, abs=1e-12)


@every_way
@pytest.mark.parametrize("longest", [np.inf, 0.05])
def test_steps_lie_end_to_end_end_at_kinks_and_are_no_longer_than_is_allowed(name: str, dae: bool, longest: float) -> None:
    """Nothing but the kinks tells of the force: without it steps would grow beyond all bounds."""
    given = Given(2, lambda t, x: (x[1], force(t)), kinks=KINKS)
    solver, seen = begun(given, (name, dae), 0.0, [0.0, 0.0]), Seen(longest)
    solver.follower = seen
    advanced(solver, 5.0, 2)
    assert seen.steps[0][0] == 0.0
    assert all(one[1] == other[0] for one, other in itertools.pairwise(seen.steps))
    assert_ends_at(seen, KINKS[1:-1])
    largest = max(end - begin for begin, end in seen.steps)
    assert 0.03 < largest <= longest * (1.0 + 1e-12)
    for t, x in seen.points:
        assert x[1] == pytest.approx(area(t), abs=1e-4)
    now = seen.ends[-1]
    for begin in (3.01, 2.0):  # at a kink, before others
        solver.restart(begin, np.array([0.0, float(area(begin))]))
        seen.steps.clear()
        assert advanced(solver, 4.0, 2)[1] == pytest.approx(0.02, abs=2e-5)
        assert seen.steps[0][0] == begin
        assert_ends_at(seen, KINKS[(begin < KINKS) & (KINKS < 4.0)])
    assert now >= 5.0
    solver.close()


@every_way
def test_no_step_goes_beyond_the_stop_also_where_it_is_a_kink(name: str, dae: bool) -> None:
    for stop in (3.0, 2.9):
        given = Given(2, lambda t, x: (x[1], force(t)), kinks=KINKS)
        solver, seen = begun(given, (name, dae), 0.0, [0.0, 1.0]), Seen()
        solver.follower = seen
        assert advanced(solver, stop, 2, stop) == pytest.approx([stop, 1.0])
        assert seen.ends[-1] == stop >= given.latest
        solver.close()


@every_way
@pytest.mark.parametrize("n", [2, 40])
def test_the_work_is_counted_over_all_restarts(name: str, dae: bool, n: int) -> None:
    """What integrators report is what the model and a follower saw; Jacobians, where there are any, included."""
    rates = np.linspace(0.1, 3.0, n)
    given = Given(n, lambda t, x: -rates * x + np.cos(t), own_differences=n > 2)
    solver, seen = begun(given, (name, dae), 0.0, np.ones(n)), Seen()
    solver.follower = seen
    for k, until in enumerate((1.0, 1.5, 3.0)):
        if k:
            solver.restart(until - 0.25, np.full(n, 2.0))
        advanced(solver, until, n, until)
        work = solver.statistics()
        assert work.steps == len(seen.steps)
        begins = (k + 1) * (name == "sundae" or dae)  # where an integrator is told the derivatives to begin with
        assert work.rhs_evaluations <= given.calls <= work.rhs_evaluations + begins
        assert work.jacobian_evaluations >= k + 1 or name in ("adams", "chebyshev", "scipy")
    assert (work.order >= 2) == (name in ("cvode", "adams", "chebyshev"))
    assert work.jacobian_evaluations < 0.5 * work.steps
    again = solver.statistics()
    assert again == work
    assert again is not work
    solver.close()


@every_way
def test_the_absolute_tolerance_of_a_state_is_that_of_its_magnitude(name: str, dae: bool) -> None:
    """States in units of 1024 and of 1/1024 are computed by the same steps, and are those of units of 1."""
    units = np.array([1024.0, 1.0 / 1024.0])
    steps, found = [], []
    for scale in (np.ones(2), units):

        def rates(t: float, x: np.ndarray, scale: np.ndarray = scale) -> np.ndarray:
            position, speed = x / scale
            return np.array([speed, -position - 0.1 * speed]) * scale

        given = Given(2, rates, nominal=scale)
        solver = begun(given, (name, dae), 0.0, np.array([1.0, 0.0]) * scale, 1e-5)
        found.append(advanced(solver, 4.0, 2) / scale)
        steps.append(solver.statistics().steps)
        solver.close()
    assert found[1] == pytest.approx(found[0], abs=1e-5)
    assert abs(steps[1] - steps[0]) <= 0.1 * steps[0] + 1


@every_way
def test_where_the_model_or_the_indicators_fail_is_told(name: str, dae: bool) -> None:
    """The failure says which of both; it is at the beginning if nothing can be evaluated, else in the step that fails."""

    def until(last: float) -> Signals:
        return lambda t, x: [1.0 + x[0]] if t <= last else None

    for given, text, last in (
        (Given(1, lambda t, x: 2.0 if t <= 0.5 else None), "the model could not be evaluated", 0.5),
        (Given(1, lambda t, x: 2.0, until(0.5), 1), "the event indicators could not be evaluated", 1.0),
        (Given(1, lambda t, x: 2.0, until(-1.0), 1), "the event indicators could not be evaluated", 0.0),
        (Given(1, lambda t, x: None), "the model could not be evaluated", 0.0),
    ):
        with pytest.raises(IntegrationFailure) as caught:
            advanced(begun(given, (name, dae), 0.0, [0.0]), 2.0, 1, 2.0)
        assert caught.value.message.startswith(text)
        assert 0.0 <= caught.value.time <= last


@every_way
@pytest.mark.parametrize(("first", "last"), [(0.5, np.inf), (0.49, 0.5), (0.5, 0.51), (0.5 - 1e-7, 0.5)])
def test_indicators_that_fail_are_told_where_they_did(name: str, dae: bool, first: float, last: float) -> None:
    """Inside a step, at its end, and where the crossing of x = 1 at 0.5 s is looked for."""
    failed: list[float] = []

    def signals(t: float, x: np.ndarray) -> list[float] | None:
        if first <= t <= last:
            failed.append(t)
            return None
        return [x[0] - 1.0]

    solver = begun(Given(1, lambda t, x: 2.0, signals, 1), (name, dae), 0.0, [0.0])
    with pytest.raises(IntegrationFailure) as caught:
        advanced(solver, 2.0, 1, 2.0)
    failure = caught.value
    assert failure.time in failed
    assert failure.at is not None
    assert (failure.at.time, failure.at.x) == (failure.time, pytest.approx(2.0 * failure.time))
    assert solver.x[0] < 2.0 * first  # it stands where the step began
    solver.restart(0.0, np.array([0.0]))
    out = np.empty((2, 1))
    solver.advance(np.array([0.2, 0.4]), np.inf, out, None, 0.4)
    assert out[:, 0] == pytest.approx([0.4, 0.8])
    solver.close()


@every_way
def test_where_a_condition_fails_is_told_and_nothing_behind_the_end(name: str, dae: bool) -> None:
    failed: list[float] = []

    def monitor(t: float, x: np.ndarray) -> bool:
        if t > 0.5:
            failed.append(t)
            raise IntegrationFailure("mine", t)
        return False

    for last in (0.4, 0.6):
        out = np.empty((2, 1))
        solver = begun(Given(1, lambda t, x: 2.0), (name, dae), 0.0, [0.0])
        if last < 0.5:
            assert solver.advance(np.array([0.2, last]), np.inf, out, monitor, last).time == last
            assert out[:, 0] == pytest.approx([0.4, 2.0 * last])
        else:
            with pytest.raises(IntegrationFailure, match="mine") as caught:
                solver.advance(np.array([0.2, last]), np.inf, out, monitor, last)
            assert caught.value.time in failed
            assert caught.value.time <= last
            assert out[: solver.count, 0] == pytest.approx([0.4][: solver.count])
        solver.close()


@every_way
@pytest.mark.parametrize(("decided", "leaves"), [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)])
def test_what_rests_within_its_band_crosses_where_it_leaves_to_the_other_side(
    name: str, dae: bool, decided: float, leaves: float
) -> None:
    """The noise changes its sign hundreds of times; an indicator beside it, that has no band, crosses as ever."""

    def signals(t: float, x: np.ndarray) -> list[float]:
        return [1e-12 * np.sin(1e3 * t) + leaves * max(t - 1.0, 0.0), 0.5 - t]

    given = Given(1, lambda t, x: 1.0, signals, 2, bands=lambda: np.array([decided * 1e-9]))
    solver, found = begun(given, (name, dae), 0.0, [0.0]), []
    time = 0.0
    while time < 2.0:
        advance = solver.advance(np.array([2.0]), 2.0, np.empty((1, 1)))
        time = advance.time
        found += [(time, advance.roots, advance.rising)] if advance.roots else []
        solver.restart(time, solver.x.copy())
    solver.close()
    expected = [(0.5, (1,), (False,))] + [(1.0, (0,), (leaves > 0.0,))] * (decided != leaves)
    assert [pytest.approx(one[0], abs=1e-8) for one in expected] == [one[0] for one in found]
    assert [one[1:] for one in found] == [one[1:] for one in expected]


@every_way
@pytest.mark.parametrize("decided", [1.0, -1.0])
def test_what_has_another_sign_than_was_decided_crosses_at_once(name: str, dae: bool, decided: float) -> None:
    """By rounding, where states are projected; the second indicator has the sign that was decided."""
    given = Given(1, lambda t, x: 1.0, lambda t, x: [1e-3 + t, t - 0.5], 2, decided=lambda: np.array([decided, -1.0]))
    solver = begun(given, (name, dae), 0.0, [0.0])
    advance = solver.advance(np.array([2.0]), 2.0, np.empty((1, 1)))
    if decided < 0.0:
        assert (advance.roots, advance.rising) == ((0,), (True,))
        assert 0.0 < advance.time < 1e-12
    else:
        assert (advance.roots, advance.time) == ((1,), pytest.approx(0.5))
    solver.close()
