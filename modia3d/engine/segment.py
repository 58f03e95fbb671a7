"""The memory of one segment: the forest's arrays, the workspace of the kernels, the reference paths, the forces."""

from __future__ import annotations

import math

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.protocol import Slot

from ..dynamics.basics.layout import ROLE
from ..forces.basics.layout import point_work_shape
from ..forces.table import ForceTable
from ..topology.forest import Forest
from .exchange.exchange_memory import ExchangeMemory
from .memory import slots
from .memory.blocks import LOADED, WORKING
from .program import PackedPaths

_SLOTS = range(Slot.DATA, slots.DAMPED + 1)


class SegmentMemory:
    """Owns what the addresses in the context point to; to be kept until the integrator is gone.

    Attributes:
        data: values for the slots from `Slot.DATA` on.
        tau, a: generalized forces applied besides all others, zero but in an impact, and the accelerations of the last
            evaluation, shape (nv,).
        forest: of the segment.
        roles: of the joints in its kernels, shape (n,), see `modia3d.dynamics.basics.layout`; may be written to.
        holdable: the joints that may be held, see `modia3d.constraints.tables.limit_table`.
        paths: the reference paths, see `set_paths`.
        forces: the table of forces.
        q: all coordinates at the last evaluation, shape (nq,).
    """

    def __init__(self, forest: Forest, paths: PackedPaths, forces: ForceTable, holdable: np.ndarray, n_switches: int) -> None:
        n, nq, nv, n_e = forest.n, forest.nq, forest.nv, forest.n_equation
        size, m = WORKING.size(n, nq, nv, n_e), len(forces.points)
        behind = LOADED.size(n + m) + math.prod(point_work_shape(m)) if len(forces) else 0
        memory = np.zeros(size + behind)
        here = WORKING.views(memory, n, nq, nv, n_e)
        if m:
            points = LOADED.views(memory[size:], n + m)
            self._points = points["p"][n:]
            points["R"][n:] = np.eye(3).ravel()
            for k, name in enumerate(forces.points):
                self._points[k] = forces.starts[name]
        self.forces = forces
        ints = forest.ints.copy()
        self.forest, self.roles = forest, ints[:, ROLE]
        self._arrays: tuple[object, ...] = ints, forest.floats, forest.gravity, memory, forces, holdable
        self.q, self.tau, self.a = here["q"], here["tau"], here["a"]
        self.holdable = holdable
        self.paths, self._header = paths, paths.header()
        values = {
            slots.N_BODIES: n,
            slots.N_Q: nq,
            slots.N_V: nv,
            slots.N_E: n_e,
            slots.INTS: data_address(ints),
            slots.FLOATS: data_address(forest.floats),
            slots.GRAVITY: data_address(forest.gravity),
            slots.MEMORY: data_address(memory),
            slots.PATHS: data_address(self._header),
            slots.N_FORCES: len(forces),
            slots.N_POINTS: m,
            slots.N_DAMPED: len(forces.damped),
            slots.DAMPED: data_address(forces.damped_rows),
            slots.FORCES: data_address(forces.rows),
            slots.N_HOLDABLE: len(holdable),
            slots.N_SWITCHES: n_switches,
            slots.HOLDABLE: data_address(holdable),
        }
        self.data = [values.get(slot, 0) for slot in _SLOTS]

    def point_starts(self) -> dict[str, np.ndarray]:
        """Where the search for each massless point begins next, (3,) [m]: where it was, damped ones where they started."""
        forces = self.forces
        if not len(forces.points):
            return {}
        last = {name: p.copy() for name, p in zip(forces.points, self._points, strict=True) if name not in forces.damped}
        return {**forces.starts, **last}

    def set_paths(self, paths: PackedPaths) -> None:
        """Let the reference signals follow other legs from now on."""
        if paths is not self.paths:
            self.paths, self._header[:] = paths, paths.header()

    def add_signals(self, signals: ExchangeMemory) -> None:
        """Keep the memory of force signals and sensors, too, and tell the kernels where it is."""
        self._arrays = (*self._arrays, signals)
        self.data[slots.SIGNALS - Slot.DATA] = signals.address
