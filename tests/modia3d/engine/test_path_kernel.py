"""The reference signals in machine code equal the paths in Python, to the last bit at the ends; so do their derivatives."""

import ctypes
import math
import struct

import numpy as np
import pytest

from modia3d.actions.paths import PathLimits, interrupt, pack, plan_ptp, rest
from modia3d.engine.memory.context import ENGINE, WORKING
from modiapy.acausal import CONTEXT_SLOTS, Slot

pytestmark = pytest.mark.white_box

TRAPEZOID = PathLimits((0.5, 2.0), (1.0, 1.0))
SMOOTH = PathLimits((0.5, 2.0), (1.0, 1.0), (4.0, 4.0))


def evaluator(paths, name="references", module="paths"):
    import importlib

    kernel = getattr(importlib.import_module(f"modia3d.engine.kernels.{module}"), name)
    packed = pack(paths)
    context, header = np.zeros(CONTEXT_SLOTS, np.int64), packed.header()
    context[ENGINE.offset("paths")] = header.ctypes.data
    memory, before = WORKING.zeros("before", **dict.fromkeys(("n", "n_q", "n_v", "n_e", "n_f", "n_loaded", "n_points"), 0))
    context[ENGINE.offset("memory")], before[0] = memory.ctypes.data, math.inf
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 3)(kernel.address)

    def evaluate_at(time):
        context[Slot.TIME] = struct.unpack("q", struct.pack("d", time))[0]
        out = np.full((3, packed.n_signals), np.nan)
        assert call(context.ctypes.data, None, out.ctypes.data) == 0
        return out

    evaluate_at.keep = packed, header, memory
    return evaluate_at


def trajectories():
    """Of two joints that move twice, blended and interrupted, and of one that moves once."""
    first = plan_ptp(0.7, [0.1, -0.2], [[1.3, 0.0], [0.1, -1.0]], TRAPEZOID)
    cut = interrupt(plan_ptp(first.end_time + 0.5, first.end, [[0.0, 0.0], [2.0, -3.0]], SMOOTH, blend=0.1), 14.0)
    return [first, cut], [plan_ptp(2.0, [3.0], [[-1.0]], PathLimits((1.0,), (10.0,), (99.0,)))]


@pytest.fixture(scope="module")
def pair():
    two, one = trajectories()
    return two, one, evaluator([two, one])


def expected_at(chain, time):
    begun = [trajectory for trajectory in chain if trajectory.start_time <= time]
    return np.array((begun[-1] if begun else rest(chain[0].start)).evaluate(time))


def test_kernel_equals_the_paths_everywhere(pair):
    two, one, evaluate = pair
    breakpoints = [t for trajectory in (*two, *one) for t in trajectory.breakpoints]
    around = [math.nextafter(t, to) for t in breakpoints for to in (-math.inf, math.inf)]
    for time in [-1.0, 0.0, *np.linspace(0.0, 20.0, 333), *breakpoints, *around, 1e3]:
        expected = np.concatenate([expected_at(chain, time) for chain in (two, one)], axis=1)
        assert evaluate(time) == pytest.approx(expected, rel=1e-13, abs=1e-14)


def test_targets_are_reached_exactly(pair):
    two, one, evaluate = pair
    for trajectory in two:
        assert tuple(evaluate(trajectory.end_time)[0, :2]) == trajectory.end
    assert evaluate(one[0].end_time)[0, 2] == -1.0
    assert not evaluate(1e6)[1:].any()
    assert evaluate(-1e6)[0].tolist() == [0.1, -0.2, 3.0]


def test_derivatives_of_the_reference_signals_are_those_of_their_polynomials(pair):
    two, one, _ = pair
    names = ("reference_rates", "reference_accelerations", "reference_jerks")
    for order, name in enumerate(names, start=1):
        derivative = evaluator([two, one], name, "path_rates")
        for chain, columns in ((two, slice(0, 2)), (one, slice(2, 3))):
            rows = [row for trajectory in chain for row in trajectory.rows]
            for row, end in zip(rows, [*(after.t0 for after in rows[1:]), math.inf], strict=True):
                time = row.t0 + 0.3 * min(end - row.t0, 0.01)
                expected = [row.at(time, order + k) for k in range(3)]
                assert derivative(time)[:, columns] == pytest.approx(np.array(expected), rel=1e-12, abs=1e-12)


def test_paths_that_rest():
    evaluate = evaluator([[rest([1.0, 2.0])], [rest([3.0], 5.0)]])
    for time in (-1.0, 0.0, 5.0, 6.0):
        assert evaluate(time).tolist() == [[1.0, 2.0, 3.0], [0.0] * 3, [0.0] * 3]
