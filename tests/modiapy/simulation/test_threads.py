"""Integrators in several threads: they run at the same time, and none sees the others. See also `test_at_once`."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from modiapy import Model, Var, instantiate
from modiapy.simulation.solvers import Problem, create_solver, linear, step_loop
from modiapy.simulation.solvers.libraries.sundials_library import libraries, linear_library
from modiapy.symbolic.codegen.object_cache import LoadedObject, load, object_file
from tests.at_once import at_once, bits

from .test_sparse_states import problem_of

pytestmark = [
    pytest.mark.skipif(libraries() is None, reason="the libraries of SUNDIALS are not installed"),
    pytest.mark.white_box,
]

WAITING = """
define i32 @rhs(double %t, ptr %y, ptr %ydot, ptr %flag) {
entry:
  br label %look
look:
  %k = phi i64 [0, %entry], [%k1, %wait]
  %set = load volatile i64, ptr %flag
  %is_set = icmp ne i64 %set, 0
  br i1 %is_set, label %good, label %wait
wait:
  %k1 = add i64 %k, 1
  %patient = icmp slt i64 %k1, 3000000000
  br i1 %patient, label %look, label %bad
good:
  ret i32 0
bad:
  ret i32 -1
}
"""
"""A model that can be evaluated as soon as its flag is set."""


@pytest.mark.parametrize("dae", [False, True])
def test_other_threads_run_while_one_integrates(dae: bool) -> None:
    code = WAITING.replace("ptr %ydot,", "ptr %yp, ptr %r,") if dae else WAITING
    loaded, flag = load(object_file(code).data, {}), np.zeros(1, np.int64)
    rhs = loaded.address_of("rhs")

    def still(t: float, x: np.ndarray, out: np.ndarray) -> int:
        out[:] = 0.0
        return 0

    def residual(t: float, x: np.ndarray, xdot: np.ndarray, r: np.ndarray) -> int:
        raise AssertionError("the machine code is called")

    problem = Problem(1, 0, rhs, 0, flag.ctypes.data, still, lambda t, x, z: 0, rhs if dae else 0, 0, residual)
    solver = create_solver("cvode", problem, 0.0, np.ones(1), 1e-6, 1e-7, dae)
    begun = threading.Event()

    def integrate() -> float:
        begun.set()
        return solver.advance(np.array([1.0]), 1.0, np.empty((1, 1))).time

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(integrate)
        begun.wait()
        flag[0] = 1
        assert made.result() == 1.0
    solver.close()


def scattered(n: int) -> Model:
    """States with two neighbours each, in an order of which no band comes: their matrix is sparse."""
    order = np.random.default_rng(1).permutation(n)
    states = {f"x{k}": Var(init=float(k % 7)) for k in range(n)}
    neighbours = zip(order, np.roll(order, 1), np.roll(order, 2), strict=True)
    return Model(**states, equations=[f"der(x{i}) = -30*x{i}**3 + x{j} - 2*x{k}" for i, j, k in neighbours])


def test_sparse_matrices_are_factorised_in_two_threads() -> None:
    if linear_library("sunlinsolsuperlumt") is None:
        pytest.skip("SuperLU_MT is not installed")
    model = scattered(400)
    problem, _, _ = problem_of(model)
    assert linear.sparse(problem) is not None
    sim = instantiate(model)
    alone = bits(sim.simulate(0.5))

    def run() -> list[str]:
        return [bits(sim.simulate(0.5)) for _ in range(20)]

    assert at_once([run, run]) == [[alone] * 20] * 2


def test_the_loop_is_loaded_once_however_many_threads_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second copy would be dropped, with the addresses in it that some thread already has."""
    loaded = []

    def slowly(*arguments: Any) -> LoadedObject:
        time.sleep(0.05)
        loaded.append(load(*arguments))
        return loaded[-1]

    monkeypatch.setattr(step_loop, "load", slowly)
    step_loop._loaded.cache_clear()
    first, *others = at_once([step_loop.functions] * 4)
    assert all(functions is first for functions in others)
    assert len(loaded) == 1
