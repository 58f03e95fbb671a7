"""A scene of contact by one build: `python benchmarks/contact_build.py CASE` prints its figures as JSON.

It uses nothing but what is on the PYTHONPATH and `contact_scenes` beside it, so that it runs with another build.
"""

from __future__ import annotations

import importlib.util
import json
import math
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from modiapy import instantiate

INTERVAL = 0.01
FALLEN = 0.31
"""Until then the spheres of the bowl fall apart from each other; afterwards they pile up [s]."""
CASES = ("billiard", "stack", "bowl", "falling", "dropped", "rattleback")


def scenes() -> Any:
    """Return the scenes beside this file, whatever package of benchmarks the build has."""
    place = importlib.util.spec_from_file_location("scenes_of_contact", Path(__file__).with_name("contact_scenes.py"))
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    sys.modules[place.name] = module
    place.loader.exec_module(module)
    return module


def rise(energy: np.ndarray, scale: float) -> float:
    """Return the largest rise of an energy above its least value before, in parts of a scale; infinite where it is lost."""
    if not np.isfinite(energy).all():
        return math.inf
    return float((energy - np.minimum.accumulate(energy)).max() / scale)


def figures(case: str) -> dict[str, float]:
    """Return wall-clock time [s], largest memory of the process [MB], rise of the energy and penetration [m] of a case."""
    made = scenes()
    scene = made.dropped(300) if case == "dropped" else getattr(made, "bowl" if case == "falling" else case)()
    stop = FALLEN if case == "falling" else scene.stop
    model, how = instantiate(scene.model()), {"tolerance": scene.tolerance, "solver": scene.solver}
    model.simulate(0.02, **how)
    begin = time.perf_counter()
    result = model.simulate(stop, interval=INTERVAL, **how)
    took = time.perf_counter() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    kinetic, potential = result["mechanics.kinetic_energy"], result["mechanics.potential_energy"]
    deepest = max((-float(np.nanmin(result[name])) for name in result if name.endswith("].distance")), default=0.0)
    return {
        "seconds": took, "memory_mb": memory, "energy_error": rise(kinetic + potential, float(kinetic.max())),
        "penetration": max(deepest, 0.0), "events": result.statistics["events"], "steps": result.statistics["steps"],
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[1])))
