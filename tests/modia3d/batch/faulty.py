"""A study of many runs, some of them sick: ``python -m tests.modia3d.batch.faulty FOLDER`` begins it or goes on with it."""

import sys
from pathlib import Path

from modia3d.batch import Limits, Study, run_study

from .sick import CRASH, HANG, HEALTHY, HOG, REFUSE, model

RUNS = 120
SICK = {
    **dict.fromkeys((5, 50, 51, 52, RUNS - 1), CRASH),
    **dict.fromkeys((70, 71, 72), HANG),
    **dict.fromkeys((11, 90, 91), HOG),
    **dict.fromkeys((0, 100, RUNS - 2), REFUSE),
}
"""More of a kind next to each other than there are workers."""
CAUSES = {CRASH: "crash", HANG: "time", HOG: "memory", REFUSE: "simulation"}


def study(kinds: dict[int, float]) -> Study:
    """A study whose run ``k`` is of the kind ``kinds[k]``."""
    return Study(
        model(),
        factors={
            "kind": {"list": [kinds.get(k, HEALTHY) for k in range(RUNS)]},
            "w": {"uniform": [1.0, 2.0]},
        },
        quantities={"x": "final(x)", "turn": "event_time(v > 0)", "energy": "integral(v**2 + w**2*x**2)"},
        simulation={"stop_time": 4.0},
        sampling={"seed": 7},
        limits=Limits(wall_time=2.5, memory=400),  # a healthy run may stall for a second on a machine that is busy
    )


if __name__ == "__main__":
    run_study(study(SICK), Path(sys.argv[1]), workers=2, resume=True)
