"""The bar of progress: on a terminal it says what is done, in a pipe nothing is said."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from modiapy.acausal.disk.compile_notice import listening
from modiapy.acausal.disk.kernel_cache import configure

from ..crane import write_crane

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]


def on_a_terminal(arguments: list[str], columns: int = 160) -> tuple[int, list[str], str]:
    """Exit status, what a terminal at stderr was shown, without its control sequences, and what went to a pipe at stdout."""
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    import struct

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "modia3d", *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}  # of pytest-xdist
    environment |= {"TERM": "xterm", "NO_COLOR": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, cwd=ROOT)
    os.close(theirs)
    shown = b""
    try:
        while piece := _read(ours):
            shown += piece
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    return process.returncode, [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()], out.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


def test_a_terminal_is_shown_time_speed_and_segment(tmp_path: Path) -> None:
    file = write_crane(tmp_path)
    status, lines, out = on_a_terminal(["run", str(file), "--json"])
    assert status == 0
    assert json.loads(out)["stop_time"] == 2.0
    assert any(f"reading {file.name}" in line or f"translating {file.name}" in line for line in lines)
    last = lines[-1]
    assert "2 s of 2 s" in last
    assert "100%" in last
    assert re.search(r"[\d.e+]+ s/s", last)
    assert re.search(r"segment 2: ActionAttach foot -> dock", last)


def test_an_animation_that_is_simulated_is_told_too(tmp_path: Path) -> None:
    status, lines, out = on_a_terminal(["view", str(write_crane(tmp_path)), "--gltf", str(tmp_path / "crane.glb")])
    assert (status, out) == (0, f"animation: {tmp_path / 'crane.glb'}\n")
    assert any("2 s of 2 s" in line and "segment 2: ActionAttach foot -> dock" in line for line in lines)


def test_a_check_is_told_too(tmp_path: Path) -> None:
    file = write_crane(tmp_path)
    status, lines, out = on_a_terminal(["check", str(file)])
    assert status == 0
    assert "can be simulated" in out
    assert any(f"translating {file.name}" in line for line in lines)


def test_a_narrow_terminal_keeps_one_line(tmp_path: Path) -> None:
    _, lines, _ = on_a_terminal(["run", str(write_crane(tmp_path))], columns=60)
    assert max(map(len, lines)) <= 60


def test_the_message_of_a_mistake_stays_on_the_terminal(tmp_path: Path) -> None:
    status, lines, out = on_a_terminal(["run", str(write_crane(tmp_path, ("parent: world", "parnet: world")))])
    assert (status, out) == (2, "")
    assert any(line.startswith("modia3d: ") for line in lines[-4:])


def test_a_pipe_is_silent_even_where_colours_are_forced(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "modia3d", "run", str(write_crane(tmp_path)), "--json"]
    environment = os.environ | {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert done.stderr == ""
    assert json.loads(done.stdout)["stop_time"] == 2.0


def test_what_is_compiled_is_told_while_it_is() -> None:
    numba = pytest.importorskip("numba")
    configure()

    def twice(x: float) -> float:
        return 2.0 * x

    told: list[str] = []
    with listening(told.append):
        assert numba.njit(twice)(2.0) == 4.0
    assert any(name.endswith("twice") for name in told)
    before = list(told)
    assert numba.njit(lambda x: 3.0 * x)(2.0) == 6.0
    assert told == before
