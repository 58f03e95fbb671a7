"""The reference signals in machine code equal the paths evaluated in Python, to the last bit at the ends."""

import ctypes
import math
import struct

import numpy as np
import pytest

from modia3d.actions import addReferencePath, ptpJointSpace
from modia3d.actions.paths import pack_paths
from modia3d.actions.program import ActionProgram
from modia3d.actions.values import ActionWait
from modia3d.engine import slots
from modiapy.acausal.protocol import CONTEXT_SLOTS, Slot


def program(actions):
    addReferencePath(actions, ["a", "b"], position=[0.1, -0.2], v_max=[0.5, 2.0], a_max=[1.0, 1.0])
    addReferencePath(actions, ["c"], position=[3.0], v_max=[1.0], a_max=[10.0])
    ActionWait(actions, 0.7)
    ptpJointSpace(actions, [[1.3, 0.0], [0.1, -1.0]], names=["a", "b"])
    ActionWait(actions, 0.5)
    ptpJointSpace(actions, [[-1.0]], names=["c"])
    ptpJointSpace(actions, [[0.0, 0.0]], names=["a", "b"])


@pytest.fixture(scope="module")
def evaluate():
    from modia3d.engine import path_kernel

    timeline = ActionProgram(program).timeline()
    packed = pack_paths(timeline.paths)
    context = np.zeros(CONTEXT_SLOTS, np.int64)
    header = packed.header()
    context[slots.PATHS] = header.ctypes.data
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(path_kernel.references.address)

    def evaluate_at(time):
        context[Slot.TIME] = struct.unpack("q", struct.pack("d", time))[0]
        out = np.full((3, packed.n_signals), np.nan)
        assert call(context.ctypes.data, None, out.ctypes.data) == 0
        return out

    evaluate_at.paths, evaluate_at.keep = timeline.paths, (packed, header)
    return evaluate_at


def test_kernel_equals_the_paths_everywhere(evaluate):
    breakpoints = [t for path in evaluate.paths for leg in path.legs for t in leg.breakpoints]
    around = [math.nextafter(t, to) for t in breakpoints for to in (-math.inf, math.inf)]
    for time in [-1.0, 0.0, *np.linspace(0.0, 20.0, 333), *breakpoints, *around, 1e3]:
        expected = np.concatenate([np.array(path.evaluate(time)) for path in evaluate.paths], axis=1)
        assert evaluate(time) == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_targets_are_reached_exactly(evaluate):
    first, second = evaluate.paths
    for leg in first.legs:
        assert tuple(evaluate(leg.end_time)[0, :2]) == leg.end
    assert evaluate(second.legs[0].end_time)[0, 2] == -1.0
    assert not evaluate(1e6)[1:].any()
