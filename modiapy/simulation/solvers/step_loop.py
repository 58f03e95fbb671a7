"""The loop over the steps of CVODE or IDA as machine code: `steps` compiled, with its memory.

The integrator makes its own steps, whatever the output points are; what is asked for between their ends comes from its dense
output. Event indicators are evaluated inside and at the end of each step. Where one may cross zero, the loop gives control back
and `crossings` looks closer.

LLVM compiles it in 0.1 s, where numba takes 3 s, and small models do without numba.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

import numpy as np

from ...symbolic.codegen.object_cache import LoadedObject, load, object_file
from .step_compiler import D, I, P, fields, ir_of
from .steps import ROWS, Outcome, Steps

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
}
"""Functions of SUNDIALS and of the model: result and arguments."""

ADDRESSES = ("memory", "y", "rates", "user")
_FIELDS = fields(Steps) | dict.fromkeys(ADDRESSES, P)
_C_TYPES: dict[str, Any] = {D: ctypes.c_double, I: ctypes.c_int64, P: ctypes.c_void_p}


_loading = threading.Lock()


def functions() -> tuple[Any, Any, Any, Any]:
    """``advance``, ``dense``, ``indicators`` and ``keep`` of `Steps`; compiled or loaded by the first call, in one thread.

    What evaluates the model gives Python's lock away; the others are too short for that.
    """
    with _loading:
        return _functions(_loaded())


@functools.cache
def _loaded() -> LoadedObject:
    return load(object_file(ir_of(Steps, FOREIGN, ADDRESSES)).data, {})


@functools.cache
def _functions(loaded: LoadedObject) -> tuple[Any, Any, Any, Any]:
    pointer, double, whole = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
    advance = ctypes.CFUNCTYPE(whole, pointer)(loaded.address_of("advance"))
    dense = ctypes.PYFUNCTYPE(whole, pointer, double)(loaded.address_of("dense"))
    indicators = ctypes.CFUNCTYPE(whole, pointer, double, whole)(loaded.address_of("indicators"))
    keep = ctypes.PYFUNCTYPE(None, pointer)(loaded.address_of("keep"))
    return advance, dense, indicators, keep


class _Memory(ctypes.Structure):
    _fields_ = tuple((name, _C_TYPES[kind]) for name, kind in _FIELDS.items())


_OUTCOMES = tuple(Outcome)
"""By their numbers: to make one takes ten times as long."""


class StepLoop(_Memory, Steps):
    """The loop, with its memory: fields that are arrays or functions hold their addresses.

    Attributes:
        rows: the indicators, shape (ROWS, n_z).
    """

    def __init__(self, n: int, n_z: int) -> None:
        super().__init__()
        self.rows = np.zeros((ROWS, n_z))
        self.n, self.n_z, self.part, self.most, self.n_limits = n, n_z, np.inf, np.inf, 0
        self.connect(z=self.rows.ctypes.data)
        self._at = ctypes.addressof(self)
        self._advance, self._dense, self._indicators, self._keep = functions()

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

    def indicators(self, t: float, row: int) -> int:
        """See `Steps`."""
        return int(self._indicators(self._at, t, row))

    def keep(self) -> None:
        """See `Steps`."""
        self._keep(self._at)
