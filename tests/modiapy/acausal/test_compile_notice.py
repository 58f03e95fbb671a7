"""A terminal is told what numba compiles; a pipe is not."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
from modiapy.acausal.native import njit, part
@part
def doubled_in_the_middle(x):
    return 2.0 * x
@njit("float64(float64)")
def compiled_for_a_test(x):
    return doubled_in_the_middle(x) + 1.0
assert compiled_for_a_test(3.0) == 7.0
"""


def test_a_pipe_is_told_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_a_terminal_is_told_of_each_function_and_left_clean() -> None:
    import pty

    master, slave = pty.openpty()
    subprocess.run([sys.executable, "-c", SCRIPT], stderr=slave, check=True)
    os.close(slave)
    text = os.read(master, 10000).decode()
    os.close(master)
    assert "numba compiles compiled_for_a_test" in text
    assert "numba compiles doubled_in_the_middle" in text
    assert text.endswith("\r\x1b[K")
