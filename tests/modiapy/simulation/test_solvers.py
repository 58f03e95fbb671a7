"""Integrators against closed forms; the same tests for all of them."""

import ctypes
import gc
import itertools
import math
import os

import numpy as np
import pytest

from modiapy import ModelError
from modiapy.simulation.solvers import IntegrationFailure, Problem, create_solver, solver_names
from modiapy.simulation.solvers.cvode import libraries

pytestmark = pytest.mark.white_box

RHS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def array_at(address, size):
    return np.frombuffer((ctypes.c_double * size).from_address(address)) if size else np.zeros(0)


def problem(n, rhs, n_z=0, root=None):
    """The machine code of a model, played by ctypes callbacks with SUNDIALS' signatures."""
    sundials = libraries()

    @RHS
    def rhs_code(t, y, ydot, _user):
        x = array_at(sundials.N_VGetArrayPointer(y), n)
        out = array_at(sundials.N_VGetArrayPointer(ydot), n)
        return rhs(t, x, out)

    @RHS
    def root_code(t, y, g, _user):
        return root(t, array_at(sundials.N_VGetArrayPointer(y), n), array_at(g, n_z))

    address = ctypes.cast(rhs_code, ctypes.c_void_p).value, ctypes.cast(root_code, ctypes.c_void_p).value
    made = Problem(n, n_z, *address, 0, rhs, root or (lambda t, x, z: 0))
    object.__setattr__(made, "keep", (rhs_code, root_code))
    return made


def oscillator(t, x, out):
    out[0], out[1] = x[1], -x[0]
    return 0


def position(t, x, z):
    z[0] = x[0]
    return 0


@pytest.fixture(params=solver_names())
def name(request):
    return request.param


@pytest.fixture
def coarser(name):
    """How much larger errors may be: of a method of order 2 they go with the power 2/3 of the tolerance."""
    return 30.0 if name == "chebyshev" else 1.0


def test_oscillator_follows_cosine_and_improves_with_tolerance(name, coarser):
    grid = np.linspace(0, 6, 61)[1:]
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        solver = create_solver(name, problem(2, oscillator), 0.0, np.array([1.0, 0.0]), tolerance, 0.1 * tolerance)
        out = np.empty((60, 2))
        advance = solver.advance(grid, 6.0, out)
        errors.append(abs(out[:, 0] - np.cos(grid)).max())
        assert advance.count == solver.count == 60
        assert advance.time == 6.0
        assert solver.statistics().rhs_evaluations > 10
        solver.close()
    assert errors[-1] < 1e-7 * coarser
    assert all(fine < coarse / 4 for coarse, fine in itertools.pairwise(errors))


def test_root_is_located_with_its_direction_and_integration_goes_on(name, coarser):
    solver = create_solver(name, problem(2, oscillator, 1, position), 0.0, np.array([1.0, 0.0]), 1e-9, 1e-10)
    times, rising, count = [], [], 0
    time = 0.0
    grid = np.linspace(0, 10, 101)[1:]
    while time < 10.0:
        rest = grid[grid > time]
        advance = solver.advance(rest, 10.0, np.empty((rest.size, 2)))
        time = advance.time
        count += advance.count
        if advance.roots:
            assert advance.roots == (0,)
            times.append(time)
            rising.append(advance.rising[0])
            solver.restart(time, solver.x.copy())
    assert times == pytest.approx([math.pi / 2, 3 * math.pi / 2, 5 * math.pi / 2], abs=1e-6 * coarser)
    assert rising == [False, True, False]
    assert count == 100
    solver.close()


def test_stop_time_is_not_overstepped(name):
    latest = 0.0

    def rhs(t, x, out):
        nonlocal latest
        latest = max(latest, t)
        out[0] = -x[0]
        return 0

    solver = create_solver(name, problem(1, rhs), 0.0, np.array([1.0]), 1e-6, 1e-7)
    solver.advance(np.array([0.5, 1.0]), 1.0, np.empty((2, 1)))
    assert latest <= 1.0
    solver.close()


def test_no_states_with_an_indicator_of_time(name):
    def root(t, x, z):
        z[0] = t - 0.3
        return 0

    solver = create_solver(name, problem(0, lambda t, x, out: 0, 1, root), 0.0, np.zeros(0), 1e-6, 1e-7)
    grid = np.linspace(0, 1, 11)[1:]
    advance = solver.advance(grid, 1.0, np.empty((10, 0)))
    assert advance.time == pytest.approx(0.3, abs=1e-9)
    assert advance.rising == (True,)
    solver.restart(advance.time, np.zeros(0))
    rest = grid[grid > advance.time + 1e-9]
    assert solver.advance(rest, 1.0, np.empty((rest.size, 0))).time == 1.0
    solver.close()


def test_a_model_that_cannot_be_evaluated_is_reported_with_its_time(name):
    def rhs(t, x, out):
        out[0] = 1.0
        return 1 if t > 0.5 else 0

    solver = create_solver(name, problem(1, rhs), 0.0, np.zeros(1), 1e-6, 1e-7)
    grid = np.linspace(0, 1, 101)[1:]
    with pytest.raises(IntegrationFailure, match="could not be evaluated") as error:
        solver.advance(grid, 1.0, np.empty((100, 1)))
    assert 0.0 <= error.value.time <= 0.55
    solver.close()


def test_singularity_names_the_state_that_grows():
    def rhs(t, x, out):
        out[:] = 0.0
        out[1] = x[1] ** 2  # x1 = 1/(1 - t)
        return 0

    solver = create_solver("cvode", problem(3, rhs), 0.0, np.ones(3), 1e-6, 1e-7)
    with pytest.raises(IntegrationFailure) as error:
        solver.advance(np.array([2.0]), 2.0, np.empty((1, 3)))
    assert error.value.state == 1
    assert error.value.time == pytest.approx(1.0, abs=1e-3)
    solver.close()


def test_unknown_solver():
    with pytest.raises(ModelError, match=r"unknown solver 'cvod'.*Did you mean 'cvode'"):
        create_solver("cvod", problem(1, oscillator), 0.0, np.zeros(1), 1e-6, 1e-7)


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("fails", [False, True])
def test_integrators_are_freed(fails):
    def rhs(t, x, out):
        out[:] = 0.0
        return -1 if fails else 0

    case = problem(60, rhs, 1, position)

    def create_and_free(count):
        for _ in range(count):
            solver = create_solver("cvode", case, 0.0, np.zeros(60), 1e-6, 1e-7)
            if fails:
                with pytest.raises(IntegrationFailure):
                    solver.advance(np.array([1.0]), 1.0, np.empty((1, 60)))
            solver.close()
            solver.close()  # closing twice is harmless

    create_and_free(100)
    gc.collect()
    before = resident_bytes()
    create_and_free(2000)
    gc.collect()
    one = 60 * 60 * 8  # the Jacobian alone
    assert resident_bytes() - before < 2000 * one / 20


def test_output_points_before_a_root_in_the_same_step_are_stored(name):
    def rhs(t, x, out):
        out[0] = 2.0
        return 0

    def root(t, x, z):
        z[0] = x[0] - 1.1
        return 0

    solver = create_solver(name, problem(1, rhs, 1, root), 0.0, np.zeros(1), 1e-6, 1e-7)
    grid = np.linspace(0, 1, 11)[1:]
    out = np.full((10, 1), np.nan)
    advance = solver.advance(grid, 1.0, out)
    assert advance.time == pytest.approx(0.55, abs=1e-9)
    assert advance.count == 5
    assert out[:5, 0] == pytest.approx(2.0 * grid[:5])
    assert solver.x == pytest.approx(1.1)
    solver.close()


def constant(t, x, out):
    out[0] = 1.0
    return 0


def test_what_holds_only_inside_a_step_is_seen():
    """Nothing limits the steps here, so that they grow."""

    def watch(t, x):
        assert x[0] == pytest.approx(t)
        return 7.0 < t < 8.0

    solver = create_solver("cvode", problem(1, constant), 0.0, np.zeros(1), 1e-6, 1e-7)
    out = np.empty((99, 1))
    advance = solver.advance(np.arange(1.0, 100.0), math.inf, out, watch)
    assert advance.watched
    assert advance.time == pytest.approx(7.0, rel=1e-12)
    assert advance.count == solver.count == 6 + (advance.time > 7.0)
    assert out[: advance.count, 0] == pytest.approx(np.arange(1.0, advance.count + 1.0))
    steps = solver.statistics().steps
    solver.close()
    for until in (7.0, 8.0):  # both ends of the window lie in the last of these steps
        solver = create_solver("cvode", problem(1, constant), 0.0, np.zeros(1), 1e-6, 1e-7)
        assert solver.advance(np.array([until]), math.inf, np.empty((1, 1))).time == until
        assert solver.statistics().steps == steps
        solver.close()


def test_steps_do_not_depend_on_the_points_nor_on_whether_somebody_watches(name):
    """Neither do the times of crossings; the calls may end anywhere."""

    def crossings(grids, watch):
        solver = create_solver(name, problem(2, oscillator, 1, position), 0.0, np.array([1.0, 0.0]), 1e-6, 1e-7)
        found = []
        for grid in grids:
            while grid.size:
                advance = solver.advance(grid, math.inf, np.empty((grid.size, 2)), watch)
                grid = grid[grid >= advance.time] if advance.roots else grid[:0]
                if advance.roots:
                    found.append((advance.time.hex(), advance.rising, solver.x.tobytes()))
                    solver.restart(advance.time, solver.x.copy())
        work = solver.statistics()
        solver.close()
        return found, work

    fine = [np.linspace(k, k + 1, 101)[1:] for k in range(10)]
    found, work = crossings([np.array([10.0])], None)
    assert len(found) == 3
    for grids in (fine, [np.linspace(0, 10, 8)[1:]], [np.array([t]) for t in (1e-9, 1.5, 1.5000001, 10.0)]):
        for watch in (None, lambda t, x: False):
            assert crossings(grids, watch) == (found, work)


def test_a_model_that_is_not_defined_beyond_the_end_is_not_evaluated_there_in_vain(name):
    def rhs(t, x, out):
        out[0] = 1.0
        return 1 if t > 1.0 else 0

    solver = create_solver(name, problem(1, rhs), 0.0, np.zeros(1), 1e-6, 1e-7)
    out = np.empty((4, 1))
    advance = solver.advance(np.array([0.25, 0.5, 0.75, 1.0]), math.inf, out, end=1.0)
    assert (advance.time, advance.count) == (1.0, 4)
    assert out[:, 0] == pytest.approx([0.25, 0.5, 0.75, 1.0], abs=1e-6)
    solver.close()
    solver = create_solver(name, problem(1, rhs), 0.0, np.zeros(1), 1e-6, 1e-7)
    with pytest.raises(IntegrationFailure, match="could not be evaluated"):
        solver.advance(np.array([2.0]), math.inf, np.empty((1, 1)), end=2.0)
    solver.close()
