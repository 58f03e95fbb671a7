"""A clocked controller in equations: `python benchmarks/controller_clocked.py SECONDS` prints how long a simulation takes [s].

It uses nothing but modiapy, so that it runs with another build on the PYTHONPATH.
"""

from __future__ import annotations

import sys
import time

from modiapy import Model, Var, When, instantiate

SERVO = Model(
    x=Var(init=0.0), v=Var(init=0.0), u=Var(),
    equations=["der(x) = v", "der(v) = -0.5*v - x + u", When("sample(0, 0.001)", ["u = -(20*(x-1) + 5*v)"])],
)  # fmt: skip
"""A mass with spring, damper and a force that is renewed each millisecond."""


def clocked_seconds(stop_time: float) -> float:
    """Return the wall-clock time of a simulation with 500 output points, after a short one [s]."""
    simulation = instantiate(SERVO, "servo")
    simulation.simulate(0.1)
    start = time.perf_counter()
    simulation.simulate(stop_time, interval=stop_time / 500)
    return time.perf_counter() - start


if __name__ == "__main__":
    print(clocked_seconds(float(sys.argv[1])))
