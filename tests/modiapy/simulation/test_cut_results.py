"""Result files that end too early, or whose insides were changed with checksums that are right: an error, at once."""

import os
import random
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.main import main
from modiapy import Model, ModelError, Var, instantiate, read_result
from modiapy.simulation.results import result_file, store
from modiapy.simulation.results.file_image import FileImage, checksum

STOP, STEP = 10.0, 0.001
KILLED = 7.0
SECONDS = 2.0
"""Processor time of whatever is read; ten times as much as is needed."""
MODEL = Model(x=Var(init=1.0), v=Var(init=0.0), equations=["der(x) = v", "der(v) = -x"])

pytestmark = [pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no copies of processes"), pytest.mark.white_box]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result that was completed, and one of a process that was killed; with many small pieces, as large ones have."""
    folder = tmp_path_factory.mktemp("cut")
    sim = instantiate(MODEL)
    made = {name: folder / f"{name}.h5" for name in ("complete", "killed")}

    def kill(time: float) -> None:
        if time > KILLED:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(result_file, "_TABLE_CHUNK", 1 << 11)
        patch.setattr(result_file, "_CHUNK", 1 << 10)
        patch.setattr(store, "BLOCK_BYTES", 1 << 14)
        sim.simulate(STOP, interval=STEP, output=made["complete"])
        pid = os.fork()
        if not pid:
            sim.simulate(STOP, interval=STEP, output=made["killed"], progress=kill)
        os.waitpid(pid, 0)
    return made


def read_all(path: Path) -> int:
    """Number of points of a result of which every signal is read."""
    result = read_result(path)
    return min(len(result[name]) for name in ("time", "x", "v"))


def in_a_copy(path: Path) -> tuple[str, float]:
    """What reading a file ends in, in a copy of this process, and the processor time that it takes."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(read)
        try:
            told = f"{read_all(path)} points"
        except ModelError as error:
            told = str(error)
        except BaseException as error:
            told = f"!! {type(error).__name__}: {error}"
        os.write(write, told.encode()[:60000])
        os._exit(0)
    os.close(write)
    until = time.monotonic() + 60.0
    while True:
        done, _, used = os.wait4(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(read)
            return "!! no end", np.inf
        time.sleep(0.002)
    with os.fdopen(read) as stream:
        return stream.read(), used.ru_utime + used.ru_stime


def test_the_files_are_complete_as_they_are(files: dict[str, Path]) -> None:
    assert in_a_copy(files["complete"])[0] == f"{round(STOP / STEP) + 1} points"
    points = int(in_a_copy(files["killed"])[0].split()[0])
    assert 0.9 * KILLED / STEP < points < STOP / STEP
    assert FileImage(files["killed"]).is_written


@pytest.mark.parametrize("name", ["complete", "killed"])
def test_a_file_that_is_cut_off_ends_in_an_error_wherever_it_is_cut(files: dict[str, Path], tmp_path: Path, name: str) -> None:
    content = files[name].read_bytes()
    whole = in_a_copy(files[name])[0]
    cut = tmp_path / "cut.h5"
    for length in [0, 7, 47, 48, 100, *(len(content) * k // 24 - k % 5 for k in range(1, 24)), len(content) - 1]:
        cut.write_bytes(content[:length])
        told, seconds = in_a_copy(cut)
        assert told == whole or "damaged" in told, (length, told)
        assert seconds < SECONDS, length


@pytest.mark.parametrize("arguments", [["plot", "cut.h5", "x", "-o", "x.png"], ["view", "cut.h5", "--html", "x.html"]])
def test_commands_tell_that_a_file_is_cut_off(
    files: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    content = files["complete"].read_bytes()
    Path("cut.h5").write_bytes(content[: len(content) // 2])
    assert main(arguments) == 2
    assert f"cut off: {len(content) // 2} of {len(content)} bytes" in capsys.readouterr().err


def blocks(content: bytes) -> list[tuple[int, int]]:
    """Place and length, without its checksum, of metadata in a file."""
    found = []
    for signature in (b"OHDR", b"OCHK", b"EAHD", b"EAIB", b"EASB"):
        for at in (k for k in range(len(content)) if content.startswith(signature, k)):
            fits = (n for n in range(8, 400) if checksum(content[at : at + n]) == _word(content, at + n))
            found += [(at, n) for n in (next(fits, 0),) if n]
    return found


def _word(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 4], "little")


def test_metadata_that_were_changed_end_in_an_error_or_a_result(files: dict[str, Path], tmp_path: Path) -> None:
    """Also with addresses of other metadata: nothing goes round in circles. Checksums of all that was changed are right."""
    given = blocks(files["killed"].read_bytes()[: 1 << 16])
    assert len(given) > 10
    chance = random.Random(3)
    whole = files["killed"].read_bytes()
    for _ in range(60):
        edited, (at, size) = bytearray(whole), chance.choice(given)
        k = chance.randrange(4, size - 8)
        address = struct.pack("<Q", chance.choice([0, 1, 2**31, 2**63, *(place for place, _ in given)]))
        new = chance.choice([bytes([chance.randrange(256)]), address])
        edited[at + k : at + k + len(new)] = new
        edited[at + size : at + size + 4] = checksum(bytes(edited[at : at + size])).to_bytes(4, "little")
        (tmp_path / "edited.h5").write_bytes(edited)
        told, seconds = in_a_copy(tmp_path / "edited.h5")
        assert not told.startswith("!!"), (at, k, new, told)
        assert seconds < SECONDS, (at, k, new)


def test_a_result_that_is_never_closed_lets_the_process_end(files: dict[str, Path], tmp_path: Path) -> None:
    program = (
        "import sys\nfrom modiapy import read_result\n"
        "kept = [read_result(file) for file in sys.argv[1:]]\nkept.append(kept)\nprint(*(len(r['x']) for r in kept[:-1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *map(str, files.values())], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{round(STOP / STEP) + 1} ")


def test_an_interrupt_ends_reading(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    result = read_result(files["complete"])

    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(FileImage, "_read", interrupted)
    with pytest.raises(KeyboardInterrupt):
        result["x"]
