"""One example by rumoca's own simulator beside its published result, in a process of its own: started by `benchmarks.modelica`.

The compiler gets the sources as the libraries have them, without the rewrites that our reader needs, and of these the files
that the example can need. Prints one JSON object: the fields of a row whose names begin with ``rumoca_``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from .common import least_seconds
from .modelica_example import limit_memory, settings
from .modelica_references import TOLERANCE, compare, read_reference

_MODEL = "Simulated"
_SHORT = 1e-6
"""Part of the time span for which a simulation is all preparation."""


def rumoca_fields(command: list[str], seconds: float) -> dict[str, Any]:
    """What the process prints, or why it does not.

    Args:
        command: that starts it, see `main`.
        seconds: until it is ended; it may hang.
    """
    found: dict[str, Any] = dict.fromkeys(("rumoca_simulate_s", "rumoca_simulate_least_s", "rumoca_agrees"))
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return found | {"rumoca_error": f"took more than {seconds:g} s"}
    lines = done.stdout.strip().splitlines()
    if lines and lines[-1].startswith("{"):
        return found | dict(json.loads(lines[-1]))
    return found | {"rumoca_error": f"the process ended with {done.returncode}: {done.stderr.strip()[-300:]}"}


def main(arguments: list[str]) -> None:
    """Args: the example, the folder of references, megabytes of memory, the tolerance, then folders of libraries."""
    example, references, megabytes, tolerance, *libraries = arguments
    limit_memory(int(megabytes))
    fields: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder  # of its own: the files differ from those that the reader has compiled
        try:
            _run(fields, example, Path(references), float(tolerance), libraries, Path(folder) / "lib")
        except Exception as error:
            fields["rumoca_error"] = f"{type(error).__name__}: {error}"[:2000]
    print(json.dumps(fields))


def _run(fields: dict[str, Any], example: str, references: Path, tolerance: float, libraries: list[str], folder: Path) -> None:
    import rumoca

    from modiapy.modelica.frontend.libraries import find_libraries
    from modiapy.modelica.frontend.needed_files import needed_files

    reference = read_reference(references, example)
    if reference is None:
        raise LookupError("no numbers of the published result are at hand")
    text = f"model {_MODEL} extends {example}; end {_MODEL};"
    for file in needed_files(text, find_libraries(libraries)):
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.path.read_bytes())
    start = time.perf_counter()
    model = rumoca.Session(roots=[str(folder)]).loads(text, model=_MODEL, filename="user.mo")
    fields["rumoca_compile_s"] = round(time.perf_counter() - start, 3)
    wanted = settings(reference, tolerance)
    span = (wanted["start_time"], wanted["stop_time"])
    config = rumoca.SimConfig(rtol=wanted["tolerance"], atol=wanted["tolerance"], dt=wanted.get("interval"))
    start = time.perf_counter()
    result = model.simulate(t=span, config=config)
    fields["rumoca_simulate_s"] = round(time.perf_counter() - start, 4)
    absent = [name for name in reference.signals if name not in result]
    if absent:
        raise LookupError(f"the result has no signal {', '.join(absent)}")
    worst, signal = compare(reference, np.asarray(result.time, float), lambda name: np.asarray(result[name], float))
    fields |= {"rumoca_worst": worst, "rumoca_worst_signal": signal, "rumoca_agrees": worst <= TOLERANCE}
    least = least_seconds(lambda: model.simulate(t=span, config=config))
    part = (span[1] - span[0]) * _SHORT
    setup = least_seconds(lambda: model.simulate(t=(span[0], span[0] + part), dt=part, config=config))
    fields["rumoca_setup_s"] = round(setup, 4)
    fields["rumoca_simulate_least_s"] = round(min(fields["rumoca_simulate_s"], least), 4)


if __name__ == "__main__":
    main(sys.argv[1:])
