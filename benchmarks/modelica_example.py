"""One example of a Modelica library beside its published result, in a process of its own: started by `benchmarks.modelica`.

Prints one JSON object: the row of the example.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from .common import least_seconds
from .modelica_demonstrations import DEMONSTRATIONS
from .modelica_references import TOLERANCE, Reference, compare, interval_of, read_reference

_POINTS = 20_000
"""Points of a result at most; references with more are compared at ours."""
_TIGHT = 1e-9
"""Tolerance of a second simulation where the first one differs."""


def main(arguments: list[str]) -> None:
    """Args: the example, the folder of references, megabytes of memory, whether it is simulated
    again for its time (0 or 1), then folders of libraries."""
    example, references, megabytes, again, *libraries = arguments
    limit_memory(int(megabytes))
    row: dict[str, Any] = {"example": example, "stage": "flattened"}
    try:
        run(row, Path(references), libraries, again == "1")
        row["stage"] = "done"
    except Exception as error:
        row["error"] = f"{type(error).__name__}: {error}"[:2000]
    print(json.dumps(row))


def limit_memory(megabytes: int) -> None:
    """Limit the address space of this process; 0 leaves it, and not on Windows."""
    if os.name == "posix" and megabytes:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def run(row: dict[str, Any], references: Path, libraries: list[str], again: bool) -> None:
    """Flatten, translate, simulate, compare; what is known is in the row at any time."""
    from modiapy import instantiate
    from modiapy.modelica.frontend.libraries import find_libraries
    from modiapy.modelica.frontend.rumoca_front_end import RumocaFrontEnd
    from modiapy.modelica.reader.read import read

    start = time.perf_counter()
    source = RumocaFrontEnd().flatten(row["example"], None, find_libraries(libraries))
    row["rumoca_s"] = round(time.perf_counter() - start, 3)
    row["stage"] = "translated"
    start = time.perf_counter()
    model = instantiate(read(source))
    row["translate_s"] = round(time.perf_counter() - start, 3)
    row["stage"] = "simulated"
    reference = read_reference(references, row["example"])
    simulated = settings(reference, source.experiment.tolerance)
    row["tolerance"] = simulated["tolerance"]
    start = time.perf_counter()
    result = model.simulate(**simulated)
    row["simulate_s"] = round(time.perf_counter() - start, 4)
    row["stage"] = "compared"
    if reference is not None:
        worst, signal = compare(reference, result.time, lambda name: result[name])
        row |= {"signals": len(reference.signals), "worst": worst, "worst_signal": signal, "agrees": worst <= TOLERANCE}
        if not row["agrees"]:
            _look_closer(row, model, reference, source.experiment.tolerance)
        if again:
            row["simulate_least_s"] = round(min(row["simulate_s"], least_seconds(lambda: model.simulate(**simulated))), 4)


def _look_closer(row: dict[str, Any], model: Any, reference: Reference, tolerance: float | None) -> None:
    """Whether a difference goes away with a tighter tolerance, or a demonstration says that it must be."""
    result = model.simulate(**settings(reference, tolerance) | {"tolerance": _TIGHT})
    worst, signal = compare(reference, result.time, lambda name: result[name])
    row |= {"tight_worst": worst, "tight_signal": signal}
    if worst <= TOLERANCE:
        row |= {"agrees": True, "demonstrated": f"within {worst:.1e} at a tolerance of {_TIGHT:g}"}
    elif row["example"] in DEMONSTRATIONS:
        row["demonstrated"] = DEMONSTRATIONS[row["example"]].shown(reference, result.time, lambda name: result[name])
        row["agrees"] = row["demonstrated"] is not None


def settings(reference: Reference | None, tolerance: float | None) -> dict[str, float]:
    """What is simulated: the time span of the reference, at its points."""
    found = {"tolerance": min(tolerance or 1e-6, 1e-6)}
    if reference is not None:
        begin, end = float(reference.times[0]), float(reference.times[-1])
        found |= {"start_time": begin, "stop_time": end}
        if end > begin:
            found["interval"] = max(interval_of(reference.times), (end - begin) / _POINTS)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
