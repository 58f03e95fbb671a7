"""What events cost: a clocked controller at 1 kHz and its plant, simulated for longer and longer.

``python -m benchmarks.events --json`` prints ``rows`` with the number of ``events``, ``seconds`` of simulation and
``memory_mb``, the largest memory of a process of its own; and ``exponent``, the slope of seconds over events, both logarithmic.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys

from modiapy import Clock, Model, Var, instantiate

RATE = 1000.0
DURATIONS = (12.5, 25.0, 50.0, 100.0)
REPETITIONS = 3

CONTROLLED = Model(
    clk=Clock(1.0 / RATE),
    T=0.3,
    k=2.0,
    Ti=0.5,
    r=1.0,
    u=Var(),
    w=Var(init=0.0),
    e=Var(),
    x=Var(init=0.0),
    y=Var(init=0.0),
    equations=[
        "T*der(w) + w = u",
        "e = r - sample(w, clk)",
        f"x = previous(x) + {1.0 / RATE}/Ti*e",
        "y = k*(e + x)",
        "u = hold(y)",
    ],
)
"""A sampled PI controller of a first-order plant."""


def measure(duration: float) -> dict[str, float]:
    """Return one row: the fastest of some simulations of ``duration`` [s] in this process."""
    sim = instantiate(CONTROLLED)
    sim.simulate(0.01)
    seconds, events = math.inf, 0
    for _ in range(REPETITIONS):
        statistics = sim.simulate(duration, interval=duration).statistics
        seconds, events = min(seconds, statistics["simulation_s"]), statistics["events"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    return {"events": events, "seconds": seconds, "memory_mb": memory}


def exponent(rows: list[dict[str, float]]) -> float:
    """Return the slope of the line through log(seconds) over log(events)."""
    points = [(math.log(row["events"]), math.log(row["seconds"])) for row in rows]
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def run(durations: tuple[float, ...] = DURATIONS) -> dict[str, object]:
    """Return all rows, each measured in a process of its own, and the exponent."""
    rows = []
    for duration in durations:
        command = [sys.executable, "-m", "benchmarks.events", "--row", str(duration)]
        rows.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return {"rows": rows, "exponent": exponent(rows)}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--durations", type=float, nargs="+", default=DURATIONS, help="simulated times [s]")
    parser.add_argument("--row", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.row is not None:
        print(json.dumps(measure(given.row)))
        return
    result = run(tuple(given.durations))
    if given.json:
        print(json.dumps(result, indent=2))
        return
    for row in result["rows"]:  # type: ignore[attr-defined]
        print(f"{row['events']:8d} events  {row['seconds']:8.3f} s  {row['memory_mb']:7.0f} MB")
    print(f"exponent {result['exponent']:.3f}")


if __name__ == "__main__":
    main()
