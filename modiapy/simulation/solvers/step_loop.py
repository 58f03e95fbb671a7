"""The loop over the steps of an integrator as machine code: `steps` compiled, with its memory.

The integrator makes its own steps, whatever the output points are; what is asked for between their ends comes from its dense
output. Event indicators are evaluated inside and at the end of each step. Where one may cross zero, `crossings` looks closer.

LLVM compiles it in 0.1 s, where numba takes 3 s, and small models do without numba.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.codegen.object_cache import LoadedObject, load, object_file
from .crossings import OFF, ROWS
from .interface import Problem
from .step_compiler import D, P, ir_of, structure_of
from .steps import Outcome, Steps

_INT = "i32"
FOREIGN = {
    "cvode": (_INT, P, D, P, P, _INT),
    "ida_solve": (_INT, P, D, P, P, P, _INT),
    "get_dky": (_INT, P, D, _INT, P),
    "set_min_step": (_INT, P, D),
    "set_max_step": (_INT, P, D),
    "set_stop_time": (_INT, P, D),
    "root": (_INT, D, P, P, P),
    "dae_root": (_INT, D, P, P, P, P),
    "right": (_INT, D, P, P, P),
}
"""Functions of SUNDIALS and of the model: result and arguments."""

ADDRESSES = ("memory", "y", "rates", "user", "derivative")

_loading = threading.Lock()


def functions(steps: Any = Steps) -> tuple[Any, Any]:
    """Return ``advance`` and ``dense`` of a class of steps; compiled or loaded by the first call, in one thread.

    The first one, which evaluates the model, gives Python's lock away; the other one is too short for that.
    """
    with _loading:
        return _functions(_loaded(steps))


@functools.cache
def _loaded(steps: Any) -> LoadedObject:
    return load(object_file(ir_of(steps, FOREIGN, ADDRESSES)).data, {})


@functools.cache
def _functions(loaded: LoadedObject) -> tuple[Any, Any]:
    pointer, double, whole = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
    advance = ctypes.CFUNCTYPE(whole, pointer)(loaded.address_of("advance"))
    dense = ctypes.PYFUNCTYPE(whole, pointer, double)(loaded.address_of("dense"))
    return advance, dense


_OUTCOMES = tuple(Outcome)
"""By their numbers: to make one takes ten times as long."""


class LoopInMemory:
    """Base of loops as machine code: they are derived from this, from the structure of their memory, and from their steps.

    Fields that are arrays or functions hold their addresses.

    Attributes:
        rows: the indicators, shape (ROWS, n_z).
    """

    steps_class: type[Steps]

    def __init__(self, n: int, n_z: int) -> None:
        super().__init__()
        self.rows, self._times = np.zeros((ROWS, n_z)), np.zeros(ROWS)
        self.n, self.n_z, self.part, self.most = n, n_z, np.inf, np.inf
        self.connect(z=self.rows.ctypes.data, at=self._times.ctypes.data, off=OFF.ctypes.data)
        self._at = ctypes.addressof(self)  # type: ignore[arg-type]
        self._advance, self._dense = functions(self.steps_class)

    def watch(self, problem: Problem, bands: np.ndarray, sizes: np.ndarray) -> None:
        """Pass what a problem says of steps to the loop, with memory that the solver keeps.

        Args:
            problem: the problem. bands: see `CrossingSearch`. sizes: see `Steps`.
        """
        limits, kinks, self._kept = problem.limits, problem.kinks, np.zeros(problem.limits.size)
        self.n_limits, self.n_kinks, self.draws = limits.size, kinks.size, int(problem.pull is not None)
        self.connect(limits=data_address(limits), kept=data_address(self._kept), kinks=data_address(kinks))
        self.connect(bands=data_address(bands), sizes=data_address(sizes))
        if problem.pull is not None:
            self.connect(pull=data_address(problem.pull))

    def connect(self, **addresses: int | None) -> None:
        """Set the fields that are arrays, functions or other addresses."""
        for field, address in addresses.items():
            setattr(self, field, address)

    def advance(self) -> Outcome:
        """See `Steps`."""
        return _OUTCOMES[self._advance(self._at)]

    def dense(self, t: float) -> int:
        """See `Steps`."""
        return int(self._dense(self._at, t))


class StepLoop(LoopInMemory, structure_of(Steps, ADDRESSES), Steps):  # type: ignore[misc]
    """The loop over the steps of CVODE or IDA, with its memory."""

    steps_class = Steps
