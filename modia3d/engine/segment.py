"""The memory of one segment: the forest's arrays, the workspace of the kernels, the reference paths, the forces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modiapy.acausal.protocol import Slot

from ..dynamics.layout import WORK_COLUMNS
from ..forces.layout import MEMORY_PER_BODY
from ..topology.forest import Forest
from . import slots
from .program import PackedPaths


class SegmentMemory:
    """Owns what the addresses in the context point to; to be kept until the integrator is gone.

    Attributes:
        data: values for the slots from `Slot.DATA` on.
    """

    def __init__(self, forest: Forest, paths: PackedPaths, forces: np.ndarray) -> None:
        n, nq, nv, n_e = forest.n, forest.nq, forest.nv, forest.n_equation
        memory = np.zeros(slots.memory_size(n, nq, nv, n_e, WORK_COLUMNS + (MEMORY_PER_BODY if len(forces) else 0)))
        self._arrays = forest.ints, forest.floats, forest.gravity, memory, paths, forces
        values = {
            slots.N_BODIES: n,
            slots.N_Q: nq,
            slots.N_V: nv,
            slots.N_E: n_e,
            slots.INTS: forest.ints.ctypes.data,
            slots.FLOATS: forest.floats.ctypes.data,
            slots.GRAVITY: forest.gravity.ctypes.data,
            slots.MEMORY: memory.ctypes.data,
            slots.N_PATHS: len(paths.paths),
            slots.PATHS: paths.paths.ctypes.data,
            slots.PATH_TIMES: paths.times.ctypes.data,
            slots.PATH_POSITIONS: paths.positions.ctypes.data,
            slots.N_PATH_ROWS: len(paths.times),
            slots.PATH_WIDTH: paths.positions.shape[2],
            slots.N_FORCES: len(forces),
            slots.FORCES: forces.ctypes.data,
        }
        self.data: Sequence[int] = [values[slot] for slot in range(Slot.DATA, Slot.DATA + len(values))]
