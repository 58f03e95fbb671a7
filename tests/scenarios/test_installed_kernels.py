"""Scenarios give the same bits by the installed machine code, made for x86-64-v3, as by numba's, made for this processor.

Where no machine code is installed (no compiler when the package was, or it was not) there is nothing to compare.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from modiapy.acausal.disk import machine_code

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[2]
SCRIPT = """
import hashlib, json, sys
from modia3d.files.reader import read_scenario
scenario = read_scenario(sys.argv[1], overrides=["simulation.stop_time=" + sys.argv[2]])
settings = scenario.settings
result = scenario.instantiate().simulate(settings.stop_time, tolerance=settings.tolerance, interval=settings.interval)
digests = {name: hashlib.sha256(result[name].tobytes()).hexdigest() for name in result}
print(json.dumps({"digests": digests, "numba": "numba" in sys.modules, "segments": len(result.segments)}))
"""


def simulated(name: str, stop_time: float, kernels: str | None) -> dict[str, object]:
    environment = {key: value for key, value in os.environ.items() if key != machine_code.VARIABLE or kernels is None}
    environment |= {} if kernels is None else {machine_code.VARIABLE: kernels}
    command = [sys.executable, "-c", SCRIPT, str(ROOT / "scenarios" / name / f"{name}.yaml"), str(stop_time)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    made = json.loads(done.stdout)
    assert isinstance(made, dict)
    return made


@pytest.mark.skipif(machine_code.installed() is None, reason="no machine code is installed for this processor")
@pytest.mark.parametrize(("name", "stop_time"), [("mosar", 30.0), pytest.param("rope", 1.0, marks=pytest.mark.long)])
def test_all_signals_have_the_bits_of_numba(name: str, stop_time: float) -> None:
    installed, compiled = simulated(name, stop_time, None), simulated(name, stop_time, "numba")
    assert not installed["numba"], "everything that a scenario needs is installed"
    assert compiled["numba"]
    assert installed["digests"] == compiled["digests"]
    assert installed["segments"] == compiled["segments"]
