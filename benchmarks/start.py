"""How long the walking robot takes from the command to its result, installed as a user installs it.

    python -m benchmarks.start [--repeat 5] [--json]

Figures (the smallest of the repetitions; ``.._cpu_s`` is time of the processor, in which other programs do not count):

    install_s      `pip install .`: 0 where the package is installed already
    first_s        from an empty cache to the result of 86 s of simulation
    warm_s         the same once more
    first_numba    whether numba was imported; `warm_numba` alike
    mujoco_s       MuJoCo imported, and an arm of seven joints loaded from its URDF
    pinocchio_s    Pinocchio, the same

The package that is measured is the one that is installed beside this Python, not the clone; if there is none, it is installed
in a virtual environment that is deleted afterwards.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .common import at_least, report

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "mosar" / "mosar.yaml"
RUN = """
import sys
from modia3d.cli.main import main
status = main(["run", sys.argv[1], "--json"])
print("numba" in sys.modules, file=sys.stderr)
sys.exit(status)
"""
PEERS = {
    "mujoco": "import mujoco, sys; mujoco.MjModel.from_xml_path(sys.argv[1])",
    "pinocchio": "import pinocchio, sys; pinocchio.buildModelFromUrdf(sys.argv[1])",
}


def urdf(joints: int) -> str:
    """Return an arm as URDF."""
    inertia = "".join(f'{name}="{0.1 if name[1] == name[2] else 0}" ' for name in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    body = f'<inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia {inertia}/></inertial>'
    links = [f'<link name="link{k}">{body if k else ""}</link>' for k in range(joints + 1)]
    turning = [
        f'<joint name="joint{k}" type="revolute"><parent link="link{k}"/><child link="link{k + 1}"/><origin xyz="0 0 0.4"/>'
        f'<axis xyz="{k % 2} {(k + 1) % 2} 0"/><limit lower="-3" upper="3" effort="100" velocity="5"/></joint>'
        for k in range(joints)
    ]
    return f'<robot name="arm">{"".join(links + turning)}</robot>'


def run(command: Sequence[str], folder: Path, **environment: str) -> tuple[float, float, subprocess.CompletedProcess[str]]:
    """Return the wall-clock time and time of the processor [s] of a program, and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name != "MODIA_KERNELS"}
    done = subprocess.run(command, cwd=folder, env=clean | environment, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)[:200]}\n{done.stderr[-2000:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def installed(folder: Path) -> bool:
    """Return whether this Python has the package, with its machine code, where no clone is on the path."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    test = "import modia3d, modia3d_kernels"
    return subprocess.run([sys.executable, "-c", test], cwd=folder, env=clean, capture_output=True).returncode == 0


def measure(python: str, folder: Path, repeat: int) -> dict[str, Any]:
    """Return the first and warm starts."""
    figures: dict[str, Any] = {}
    for k in range(repeat):
        cache = folder / f"cache{k}"
        for name in ("first", "warm"):
            wall, cpu, done = run([python, "-c", RUN, str(SCENARIO)], folder, MODIA_CACHE_DIR=str(cache))
            assert json.loads(done.stdout)["stop_time"] == 86.0
            figures[f"{name}_s"] = min(figures.get(f"{name}_s", wall), wall)
            figures[f"{name}_cpu_s"] = min(figures.get(f"{name}_cpu_s", cpu), cpu)
            figures[f"{name}_numba"] = done.stderr.split()[-1] == "True"
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=at_least(1), default=5, help="repetitions (5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        python, figures = sys.executable, {"install_s": 0.0}
        if not installed(folder):
            run([sys.executable, "-m", "venv", str(folder / "venv")], folder)
            python = str(folder / "venv" / "bin" / "python")
            figures["install_s"], _, _ = run([python, "-m", "pip", "install", "--quiet", str(ROOT)], folder)
        figures |= measure(python, folder, options.repeat)
        arm = folder / "arm.urdf"
        arm.write_text(urdf(7))
        for name, program in PEERS.items():
            if importlib.util.find_spec(name) is not None:
                timed = [run([sys.executable, "-c", program, str(arm)], folder)[:2] for _ in range(options.repeat)]
                figures[f"{name}_s"], figures[f"{name}_cpu_s"] = (min(column) for column in zip(*timed, strict=True))
    report(figures, options.json)


if __name__ == "__main__":
    main()
