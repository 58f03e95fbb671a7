"""2000 scenario files of strangers: each is simulated, or refused by one message with status 2, within 5 s and 1 GB.

A stiffness of 1e13 is no mistake, but nobody can wait for its swings: what is still stepping after 3.5 s is interrupted, and
must show what it computed.

A sample of them in CI, all of them by ``pytest -m long tests/fuzz``; one by ``python -m tests.fuzz.child /tmp/mutant SEED``.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .child import MEMORY

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[2]
SILENCE = 600.0
"""So long may a child say nothing [s]; a mutant has 5 s of processor time."""


def outcomes(folder, first, end):
    """What became of the mutants; a child that dies is another outcome, and the next child goes on behind it."""
    found = {}
    while first < end:
        command = [sys.executable, "-m", "tests.fuzz.child", str(folder), str(first), str(end)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            try:
                out, err = child.communicate(timeout=SILENCE + 6.0 * (end - first))
            except subprocess.TimeoutExpired:
                child.kill()
                out, err = child.communicate()
        lines = out.splitlines()
        assert lines, err[-2000:]
        for seed, told in zip(lines[::2], lines[1::2], strict=False):
            found[int(seed)] = json.loads(told)
        if len(lines) % 2:
            first = int(lines[-1])
            ended = "took more than 5 s" if child.returncode in (-27, -9) else f"ended with {child.returncode}"
            found[first] = {"status": f"the process {ended}", "err": err[-1000:], "peak": 0, "left": []}
            first += 1
        else:
            first = end
    return found


def fault(told):
    """What is wrong with an outcome; "" if nothing is."""
    messages = [line for line in told["err"].splitlines() if re.match(r"modia3d( \w+)?: (?!warning: )", line)]
    if told["status"] == 130:
        steps = re.search(r", (\d+) steps, ", told["out"])
        return "" if steps and int(steps[1]) > 1000 and len(messages) == 1 else "interrupted, but not in its steps"
    if told["status"] not in (0, 1, 2, 3):
        return str(told["status"])
    if "Traceback" in told["err"]:
        return "a traceback"
    if told["status"] == 2 and (len(messages) != 1 or not told["err"].startswith("modia3d")):
        return f"{len(messages)} messages"
    if told["status"] == 2 and not re.match(r"modia3d: \S*(mutant\.yaml|parts\.yaml|mine\.toml|stone\.obj)\b", messages[0]):
        return "the message names no file"
    if told["peak"] > MEMORY:
        return f"{told['peak'] / 1e9:.2g} GB"
    return "files left behind" if told["left"] else ""


def check(folder, first, end):
    found = outcomes(folder, first, end)
    assert sorted(found) == list(range(first, end))
    faults = {seed: (text, told["err"][:500]) for seed, told in found.items() if (text := fault(told))}
    assert faults == {}
    return collections.Counter(told["status"] for told in found.values())


@pytest.mark.timeout(900)  # where no machine code is cached, all kernels are compiled first
def test_a_sample(tmp_path):
    statuses = check(tmp_path, 0, 100)
    assert statuses[0] > 10
    assert statuses[2] > 40


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("first", range(0, 2000, 250))
def test_all(tmp_path, first):
    check(tmp_path, first, first + 250)
