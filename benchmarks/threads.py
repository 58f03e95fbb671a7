"""What threads gain: two simulations of one walking robot, one after the other and at once: `python -m benchmarks.threads`.

``--json`` prints ``one_s``, both simulations in one thread, and ``two_s``, each in a thread of its own (both wall-clock times
[s], the smallest of the repetitions, which take turns), their ``ratio``, and ``cpu_ratio``, the same of the time of all
processors: what it is above 1 the threads lose to each other. Two free processors are needed for what ``ratio`` says;
``process_ratio`` is what two processes reach in turn with them, which share nothing: as much as the machine allows.
"""

from __future__ import annotations

import argparse
import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from .common import at_least, report
from .mosar import Ours

REPETITIONS = 15


def clocks(function: Callable[[], None]) -> tuple[float, float]:
    """Return the wall-clock time and time of all processors of one call [s]."""
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - cpu


def work(there: Connection) -> None:
    """Simulate whenever something is sent, and answer then."""
    simulate = Ours().simulate
    while there.recv():
        simulate()
        there.send(True)


@contextmanager
def worker() -> Iterator[Connection]:
    """A process that simulates whenever it is sent something, and answers then."""
    context = multiprocessing.get_context("spawn")  # a copy of this one would hang where libraries have threads
    here, there = context.Pipe()
    process = context.Process(target=work, args=(there,), daemon=True)
    process.start()
    try:
        yield here
    finally:
        here.send(False)
        process.join()


def measure(repetitions: int = REPETITIONS) -> dict[str, float]:
    """Return all figures."""
    simulate = Ours().simulate

    def one() -> None:
        simulate()
        simulate()

    def two() -> None:
        threads = [threading.Thread(target=simulate) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    one()
    with worker() as first, worker() as second:

        def processes() -> None:
            for each in (first, second):
                each.send(True)
            for each in (first, second):
                each.recv()

        processes()
        times = [(clocks(one), clocks(two), clocks(processes)) for _ in range(repetitions)]
    (one_s, one_cpu), (two_s, two_cpu), (processes_s, _) = (
        tuple(map(min, zip(*pairs, strict=True))) for pairs in zip(*times, strict=True)
    )
    ratios = {"ratio": two_s / one_s, "cpu_ratio": two_cpu / one_cpu, "process_ratio": processes_s / one_s}
    return {"one_s": one_s, "two_s": two_s, **ratios}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--repetitions", type=at_least(1), default=REPETITIONS, help="of both, in turns")
    given = parser.parse_args()
    report(measure(given.repetitions), given.json)


if __name__ == "__main__":
    main()
