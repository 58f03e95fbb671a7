"""The same stiff drive train with our default path, with a callback into Python, and with scipy's integrators.

A motor torque drives a row of inertias over stiff, damped shafts into a load with friction. All integrators get the same
compiled right-hand side and the same tolerances; all but the first call it from Python. ``error`` is the largest deviation of
all states at the output points from a reference of much smaller tolerance, relative to the largest value of each state.
scipy's implicit methods are run twice, the second time with the sparsity of the Jacobian (`jac_sparsity`), which ours knows.

A tolerance is not an error: each integrator is run over several tolerances, and ``seconds_at_equal_error`` is the time
(interpolated between two runs, both logarithmic) that it needs for the error of the default path at its default tolerance.
``events`` is what `benchmarks.events` says of a model with many events, for shorter times than there.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from modiapy import Map, Model, Var, instantiate
from modiapy.library.rotational import Damper, Fixed, Inertia, SpringDamper, Torque
from modiapy.simulation.evaluation.machine import Machine

from . import events
from .common import at_least, seconds

EVENT_DURATIONS = (1.0, 2.0, 4.0, 8.0)
"""Of the event-rich model [s], see `events`."""
INERTIAS = 20
STOP_TIME = 5.0  # s
POINTS = 500
TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
DEFAULT = 1e-6
SCIPY = ("LSODA", "BDF", "Radau", "RK45", "DOP853")
SPARSE = ("BDF", "Radau")
"""Methods of scipy that take the sparsity of the Jacobian."""
STIFFNESS, DAMPING = 2e4, 20.0  # N.m/rad, N.m.s/rad


def drive_train() -> Model:
    """Return the model."""
    parts: dict[str, Any] = {"motor": Torque, "ground": Fixed, "load": Damper | Map(d=0.5)}
    connect: list[tuple[str, str]] = [("motor.flange", "J0.flange_a")]
    for k in range(INERTIAS):
        parts[f"J{k}"] = Inertia | Map(J=0.01 * (1 + k % 3), phi=Var(init=0.0), w=Var(init=0.0))
        if k:
            parts[f"shaft{k}"] = SpringDamper | Map(c=STIFFNESS, d=DAMPING)
            connect += [(f"J{k - 1}.flange_b", f"shaft{k}.flange_a"), (f"shaft{k}.flange_b", f"J{k}.flange_a")]
    connect += [(f"J{INERTIAS - 1}.flange_b", "load.flange_a"), ("load.flange_b", "ground.flange")]
    return Model(**parts, connect=connect, equations=["motor.tau = 10*sin(3*time)"])


class Train:
    """The compiled model, and every way to integrate it."""

    def __init__(self) -> None:
        self.sim = instantiate(drive_train(), "DriveTrain")
        machine = Machine(self.sim.compiled, self.sim.flat)
        self._machine = machine  # holds the memory that the right-hand side works on
        self.x0 = np.array(self.sim.sorted.initial_states())
        machine.enter_segment({}, self.x0.size, 0)
        problem = machine.problem(self.x0.size, 0)
        self._rhs, entries = problem.rhs, problem.incidence
        assert entries is not None
        ones = np.ones(entries.rows.size)
        self.sparsity = csc_matrix((ones, (entries.rows, entries.columns)), shape=(self.x0.size, self.x0.size))
        self.times = np.linspace(0.0, STOP_TIME, POINTS + 1)
        self.reference = self.scipy("DOP853", 1e-13)

    def ours(self, solver: str, tolerance: float) -> np.ndarray:
        """Return the states at the output points, shape (POINTS + 1, n)."""
        result = self.sim.simulate(STOP_TIME, tolerance=tolerance, solver=solver, mode="ode", interval=STOP_TIME / POINTS)
        return np.column_stack([result[name] for name in self.sim.states])[-POINTS - 1 :]

    def scipy(self, method: str, tolerance: float, **arguments: Any) -> np.ndarray:
        """Return the same by `scipy.integrate.solve_ivp`, with further arguments for it."""
        from scipy.integrate import solve_ivp

        out = np.empty(self.x0.size)

        def rhs(t: float, x: np.ndarray) -> np.ndarray:
            self._rhs(t, np.ascontiguousarray(x), out)
            return out.copy()

        span = (0.0, STOP_TIME)
        return solve_ivp(rhs, span, self.x0, method, self.times, rtol=tolerance, atol=0.1 * tolerance, **arguments).y.T

    def error(self, states: np.ndarray) -> float:
        """Return the largest deviation from the reference, relative to the largest value of each state."""
        scale = np.abs(self.reference).max(axis=0)
        return float((np.abs(states - self.reference) / scale).max())


def at_error(errors: list[float], times: list[float], wanted: float) -> float:
    """Return the time for an error, interpolated (logarithmic); beyond the runs that of the nearest one."""
    order = np.argsort(errors)
    return float(np.exp(np.interp(np.log(wanted), np.log(np.array(errors)[order]), np.log(np.array(times)[order]))))


def measure(repetitions: int) -> list[dict[str, Any]]:
    """Return one row for each integrator, at the default tolerance and at the error that the default path has there."""
    train = Train()
    runs: dict[str, Any] = {"default (CVODE by pointer)": lambda tol: train.ours("cvode", tol)}
    runs["CVODE, Python callback"] = lambda tol: train.ours("sundae", tol)
    runs |= {f"scipy {m}": lambda tol, m=m: train.scipy(m, tol) for m in SCIPY}
    sparsity = train.sparsity
    runs |= {f"scipy {m}, jac_sparsity": lambda tol, m=m: train.scipy(m, tol, jac_sparsity=sparsity) for m in SPARSE}
    figures: dict[str, tuple[list[float], list[float]]] = {}
    for name, run in runs.items():
        run(1e-2)
        errors = [train.error(run(tolerance)) for tolerance in TOLERANCES]
        times = [min(seconds(lambda: run(tol)) for _ in range(repetitions)) for tol in TOLERANCES]  # noqa: B023
        figures[name] = errors, times
    default = TOLERANCES.index(DEFAULT)
    first = next(iter(figures.values()))
    wanted, fastest = first[0][default], first[1][default]
    return [
        {
            "solver": name,
            "seconds": times[default],
            "error": errors[default],
            "seconds_at_equal_error": at_error(errors, times, wanted),
            "ratio_at_equal_error": at_error(errors, times, wanted) / fastest,
        }
        for name, (errors, times) in figures.items()
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solve", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--repetitions", type=at_least(1), default=3, help="runs of each; the fastest counts")
    arguments = parser.parse_args()
    rows, sampled = measure(arguments.repetitions), events.run(EVENT_DURATIONS)
    if arguments.json:
        print(json.dumps({"rows": rows, "events": sampled}))
        return
    print(f"{'solver':<28}{'seconds':>10}{'error':>10}{'at equal error':>16}{'ratio':>8}")
    for row in rows:
        print(
            f"{row['solver']:<28}{row['seconds']:>10.4f}{row['error']:>10.2g}{row['seconds_at_equal_error']:>16.4f}"
            f"{row['ratio_at_equal_error']:>8.1f}"
        )
    print(f"time grows with the number of events to the power {sampled['exponent']:.2f} (benchmarks.events)")


if __name__ == "__main__":
    main()
