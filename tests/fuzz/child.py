"""Simulates mutants one after the other in this process: ``python -m tests.fuzz.child FOLDER FIRST END``.

Before each its number is printed, after it a line of JSON. A mutant may take ``SECONDS`` of processor time; then the system
ends the process, whatever it does. A little earlier it is interrupted as by Ctrl-C: a simulation that is right and only takes
long, because something in it swings fast, has to tell what it computed until then. The largest memory is that of the whole
process.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import signal
import sys
import time
from pathlib import Path

from .mutants import write

SECONDS, PATIENCE = 5.0, 3.5
MEMORY = 1_000_000_000
GUARD = 3_000_000_000
"""No test takes down the machine."""


def _peak() -> int:
    """The largest memory since the last `_reset` [bytes]."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def _reset() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def run(seed: int, folder: Path) -> dict[str, object]:
    """What became of one mutant."""
    from modia3d.cli.main import main

    file = write(seed, folder)
    before = sorted(folder.iterdir())
    out, err = io.StringIO(), io.StringIO()
    _reset()
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.signal(signal.SIGVTALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status: object = main(["run", str(file), "--stop-time", "0.02"])
        except BaseException as error:  # what a user would see as a traceback
            status = f"{type(error).__name__}: {error}"[:300]
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.setitimer(signal.ITIMER_PROF, 0)
    told = {"status": status, "out": out.getvalue()[-1000:], "err": err.getvalue()[:3000], "s": time.process_time() - begun}
    return {**told, "peak": _peak(), "left": [path.name for path in sorted(folder.iterdir()) if path not in before]}


def _main() -> None:
    folder, first, end = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_DATA, (GUARD, GUARD))
    real = sys.stdout
    write(-1, folder)
    from .mutants import FILES, SCENARIOS

    for name, text in {**FILES, **{f"{name}.yaml": text for name, text in SCENARIOS.items()}}.items():
        (folder / name).write_text(text)
    from modia3d.cli.main import main

    for name in SCENARIOS:  # what is compiled or loaded once does not count
        with contextlib.redirect_stdout(io.StringIO()):
            assert main(["run", str(folder / f"{name}.yaml")]) == 0, name
    for seed in range(first, end):
        print(seed, file=real, flush=True)
        print(json.dumps(run(seed, folder)), file=real, flush=True)


if __name__ == "__main__":
    _main()
