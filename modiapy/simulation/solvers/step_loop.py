"""The loop over the steps of CVODE or IDA as machine code: steps, event indicators, output points.

The integrator makes its own steps, whatever the output points are; what is asked for between their ends comes from its dense
output. Event indicators are evaluated inside and at the end of each step. Where one may cross zero, the loop gives control back
and `crossings` looks closer.

The loop is written in LLVM IR (`step_code`), as the models are: it takes 0.1 s to compile, where numba takes 3 s, and small
models do without numba.
"""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np

from ...symbolic.codegen.object_cache import LoadedObject, load, object_file
from .step_code import ROWS, Number, Outcome, Word, step_code


@functools.cache
def _loaded() -> LoadedObject:
    return load(object_file(step_code()).data, {})


@functools.cache
def functions() -> tuple[Any, Any, Any]:
    """The loop, ``dense`` and ``indicators``; compiled or loaded by the first call."""
    loaded = _loaded()
    integer, pointer, double = ctypes.c_int, ctypes.c_void_p, ctypes.c_double
    advance = ctypes.CFUNCTYPE(ctypes.c_int64, pointer, pointer)(loaded.address_of("advance"))
    dense = ctypes.CFUNCTYPE(integer, pointer, double)(loaded.address_of("dense"))
    indicators = ctypes.CFUNCTYPE(integer, pointer, double, ctypes.c_int64)(loaded.address_of("indicators"))
    return advance, dense, indicators


class StepLoop:
    """The loop, with its memory.

    Attributes:
        words, numbers: see `Word` and `Number`.
        z: indicators, shape (ROWS, n_z).
    """

    def __init__(self, n: int, n_z: int) -> None:
        self.words, self.numbers = np.zeros(len(Word), np.int64), np.zeros(len(Number))
        self.z = np.zeros((ROWS, n_z))
        self.words[Word.N], self.words[Word.N_Z], self.words[Word.Z] = n, n_z, self.z.ctypes.data
        self._advance, self._dense, self._indicators = functions()
        self._words, self._numbers = self.words.ctypes.data, self.numbers.ctypes.data

    def begin(self, time: float) -> None:
        """The integrator begins at ``time`` [s]."""
        self.numbers[:] = time, time, math.inf, time, time, time, math.nan, 0.0

    def go_on(self) -> None:
        """After `Outcome.NEAR`: the indicators of the last step become those of the step before."""
        before, inside = self.z[3], self.z[1]
        before[:], self.z[0] = inside, self.z[2]
        self.numbers[Number.BEFORE] = self.numbers[Number.INSIDE]

    def advance(self) -> Outcome:
        """Go on until something is to be done."""
        return Outcome(self._advance(self._words, self._numbers))

    def dense(self, time: float) -> int:
        """Bring the states at a time in the last step to Y, the rates of IDA to RATES; the flag."""
        return int(self._dense(self._words, time))

    def indicators(self, time: float, row: int) -> int:
        """The same, and the indicators there to a row of ``z``; the flag."""
        return int(self._indicators(self._words, time, row))
