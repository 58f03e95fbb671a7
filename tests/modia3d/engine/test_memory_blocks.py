"""A block of memory is described once: what Python sees of it and what kernels see is the same."""

import numba
import numpy as np
import pytest

from modia3d.engine.memory.accessors import loaded
from modia3d.engine.memory.blocks import LOADED, WORKING, Block


def test_arrays_lie_one_behind_the_other():
    block = Block("n", "m", a="n, 3", b="m", c="n - m, n - m")
    assert block.size(5, 2) == 15 + 2 + 9
    memory = np.arange(30.0)
    views = block.views(memory, 5, 2)
    assert {name: view.shape for name, view in views.items()} == {"a": (5, 3), "b": (2,), "c": (3, 3)}
    assert np.concatenate([view.ravel() for view in views.values()]).tolist() == memory[:26].tolist()
    views["b"][0] = -1.0
    assert memory[15] == -1.0


def test_sizes_are_those_that_the_block_names():
    with pytest.raises(TypeError, match="missing"):
        WORKING.size(1, 2)


def test_kernels_see_the_same_arrays():
    memory = np.arange(float(LOADED.size(4)))
    address = memory.ctypes.data

    @numba.njit(_nrt=False)
    def read(at, rows, out):
        R, p, v_W, w_W, wrenches, behind = loaded(at, rows)
        out[0], out[1], out[2], out[3], out[4] = R[1, 2], p[3, 1], v_W[2, 0], w_W[0, 2], wrenches[3, 5]
        return behind

    out = np.zeros(5)
    assert read(address, 4, out) == address + memory.nbytes
    views = LOADED.views(memory, 4)
    expected = [views["R"][1, 2], views["p"][3, 1], views["v_W"][2, 0], views["w_W"][0, 2], views["wrenches"][3, 5]]
    assert out.tolist() == expected
