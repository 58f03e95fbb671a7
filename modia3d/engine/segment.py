"""The memory of one segment: the forest's arrays, the workspace of the kernels, the reference paths, the forces."""

from __future__ import annotations

import ctypes
import math
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.protocol import CONTEXT_SLOTS, Slot

from ..constraints.loops import Loops
from ..dynamics.basics.layout import ROLE
from ..forces.table import ForceTable
from ..topology.forest import Forest
from .contact.contacts import SegmentContacts
from .exchange.exchange_memory import ExchangeMemory
from .exchange.functions import project_states
from .memory.context import SEGMENT, WORKING
from .program import PackedPaths

_SIGNALS, _LOOPS = SEGMENT.offset("signals"), SEGMENT.offset("loops")
_CONTACTS = slice(SEGMENT.offset("contact_row"), SEGMENT.offset("step_code") + 1)


_MOVING, _LOADED = ("q", "tau", "a", "before"), ("R_loaded", "p_loaded", "v_loaded", "w_loaded")
_NOTHING_LOADED = np.zeros((0, 9)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3))


@cache
def _projection() -> Any:
    """Return `kernels.loops.project_states` for Python."""
    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * 5)(project_states())


class SegmentMemory:
    """Owns what the addresses in the context point to; to be kept until the integrator is gone.

    Attributes:
        data: values for the slots from `Slot.DATA` on.
        tau, a: generalized forces applied besides all others, zero but in an impact, and the accelerations of the last
            evaluation, shape (nv,).
        forest: of the segment.
        roles: of the joints in its kernels, shape (n,), see `modia3d.dynamics.basics.layout`; may be written to.
        lockable: the joints that may be locked, see `modia3d.constraints.tables.limit_table`.
        paths: the reference paths, see `set_paths`.
        forces: the table of forces.
        q: all coordinates at the last evaluation, shape (nq,).
        loops: closed loops and locked joints of a system that may have loops; None where there are none.
        signals: force signals and sensors; None where there are none.
        contacts: solids that collide; None where there are none.
        loaded: poses and velocities of all bodies in world at the last evaluation, where forces act: ``R_WB`` (n, 9),
            ``p_WB_W``, ``v_WB_W``, ``w_WB_W`` (n, 3).
    """

    def __init__(
        self, forest: Forest, paths: PackedPaths, forces: ForceTable, lockable: np.ndarray, n_switches: int, n_f: int
    ) -> None:
        n, m, n_forces = forest.n, len(forces.points), len(forces.rows)
        sizes = {
            "n": n, "n_q": forest.nq, "n_v": forest.nv, "n_e": forest.n_equation, "n_f": n_f,
            "n_loaded": n + m if n_forces else 0, "n_points": m,
        }  # fmt: skip
        self.loaded = _NOTHING_LOADED
        if n_forces:
            memory, self.q, self.tau, self.a, self._before, R, p, v, w = WORKING.zeros(*_MOVING, *_LOADED, **sizes)
            self.loaded = R, p, v, w
        else:
            memory, self.q, self.tau, self.a, self._before = WORKING.zeros(*_MOVING, **sizes)
        self._before[0] = math.inf
        if m:
            self._points = p[n:]
            R[n:] = np.eye(3).ravel()
            for k, name in enumerate(forces.points):
                self._points[k] = forces.starts[name]
        self.forces = forces
        self.loops: Loops | None = None
        self.signals: ExchangeMemory | None = None
        self.contacts: SegmentContacts | None = None
        ints = forest.ints.copy()
        self.forest, self.roles = forest, ints[:, ROLE]
        self._arrays: tuple[object, ...] = ints, forest.floats, forest.gravity, memory, forces, lockable
        self.lockable = lockable
        self.paths, self._header = paths, paths.header()
        self.data = SEGMENT.head(
            **sizes, ints=data_address(ints), floats=data_address(forest.floats), gravity=data_address(forest.gravity),
            memory=data_address(memory), paths=data_address(self._header), n_forces=n_forces, forces=forces.rows,
            n_damped=len(forces.damped), damped=forces.damped_rows, n_lockable=len(lockable), n_switches=n_switches,
            lockable=lockable,
        )  # fmt: skip

    def point_starts(self) -> dict[str, np.ndarray]:
        """Return where the search for each massless point begins next, (3,) [m]: where it was, damped ones where they
        started.
        """
        forces = self.forces
        if not len(forces.points):
            return {}
        last = {name: p.copy() for name, p in zip(forces.points, self._points, strict=True) if name not in forces.damped}
        return {**forces.starts, **last}

    @property
    def locked_rows(self) -> np.ndarray | None:
        """Prescribed joints that are locked by rows of loops, int64 (n_e,); None where there are no loops."""
        return None if self.loops is None else self.loops.views["locked"]

    def hold_until(self, time: float) -> None:
        """Evaluate functions of time just before a time [s], also at that time: they may jump at the event then."""
        self._before[0] = math.nextafter(time, -math.inf)

    def set_paths(self, paths: PackedPaths) -> None:
        """Set the trajectories of the reference signals from now on."""
        if paths is not self.paths:
            self.paths, self._header[:] = paths, paths.header()

    def add_signals(self, signals: ExchangeMemory) -> None:
        """Keep the memory of force signals and sensors, too, and tell the kernels where it is."""
        self._arrays, self.signals = (*self._arrays, signals), signals
        self.data[_SIGNALS] = signals.address

    def add_loops(self, loops: Loops) -> None:
        """Keep the memory of closed loops, too, and tell the kernels where it is."""
        self._arrays, self.loops = (*self._arrays, loops), loops
        self.data[_LOOPS] = loops.address

    def add_contacts(self, contacts: SegmentContacts) -> None:
        """Keep the memory of contacts, too, and tell the kernels where it is."""
        self._arrays, self.contacts = (*self._arrays, contacts), contacts
        self.data[_CONTACTS] = contacts.tell(self.forces)

    def without_rests(self) -> AbstractContextManager[None]:
        """Return the contacts at rest hold nothing while this lasts: bodies strike each other."""
        return nullcontext() if self.loops is None else self.loops.without_contacts()

    def measured_loops(self) -> int:
        """Measure them, see `kernels.loops.project_states`."""
        context = np.zeros(CONTEXT_SLOTS, dtype=np.int64)
        context[Slot.DATA : Slot.DATA + len(self.data)] = self.data
        return _projection()(data_address(context), 0, 0, 0, 0)
