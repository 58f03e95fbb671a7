"""The loop between samples as machine code: `samples` compiled, with its memory."""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.codegen.object_cache import LoadedObject, load, object_file
from ..solvers.step_compiler import D, I, P, ir_of, structure_of
from .sample_memory import Ended
from .samples import Samples

_INT = "i32"
_FOREIGN = {"model": (_INT, D, P, P, P, I, P), "outputs": (_INT, I, P, P, I, P, P)}
_ADDRESSES = ("context",)

_loading = threading.Lock()
_ENDED = tuple(Ended)


@functools.cache
def _loaded() -> LoadedObject:
    return load(object_file(ir_of(Samples, _FOREIGN, _ADDRESSES)).data, {})


@functools.cache
def _functions() -> tuple[Any, ...]:
    pointer, double, whole = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
    loaded = _loaded()
    run = ctypes.CFUNCTYPE(whole, pointer)(loaded.address_of("run"))
    held = [ctypes.CFUNCTYPE(whole, pointer, double)(loaded.address_of(name)) for name in ("hold", "hold_inputs")]
    events = [
        ctypes.CFUNCTYPE(whole, pointer, double, pointer)(loaded.address_of(name)) for name in ("left_limits", "settle", "note")
    ]
    kept = [ctypes.PYFUNCTYPE(None, pointer)(loaded.address_of(name)) for name in ("keep", "restore")]
    kept.append(ctypes.PYFUNCTYPE(None, pointer, whole)(loaded.address_of("take")))
    return run, *held, *events, *kept


def load_functions() -> None:
    """Compile the loop, or load it, so that nothing is compiled after the start."""
    with _loading:
        _functions()


class SampleLoop(structure_of(Samples, _ADDRESSES), Samples):  # type: ignore[misc]
    """The loop, with its memory: fields that are arrays or functions hold their addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.arrays: dict[str, np.ndarray] = {}
        self._at = ctypes.addressof(self)
        with _loading:
            (
                self._run,
                self._hold,
                self._hold_inputs,
                self._left_limits,
                self._settle,
                self._note,
                self._keep,
                self._restore,
                self._take,
            ) = _functions()

    def connect(self, **arrays: np.ndarray) -> None:
        """Set fields that are arrays; empty ones get room for one number."""
        for name, array in arrays.items():
            held = array if array.size else np.zeros(1, dtype=array.dtype)
            self.arrays[name] = held
            setattr(self, name, data_address(held))

    def run(self) -> Ended:  # type: ignore[override]
        """See `Samples`."""
        return _ENDED[self._run(self._at)]

    def hold(self, until: float) -> Ended:  # type: ignore[override]
        """See `Samples`."""
        return _ENDED[self._hold(self._at, until)]

    def hold_inputs(self, until: float) -> Ended:  # type: ignore[override]
        """See `Samples`."""
        return _ENDED[self._hold_inputs(self._at, until)]

    def left_limits(self, t: float, x: np.ndarray) -> int:
        """See `Samples`."""
        return int(self._left_limits(self._at, t, data_address(x)))

    def settle(self, t: float, x: np.ndarray) -> int:
        """See `Samples`."""
        return int(self._settle(self._at, t, data_address(x)))

    def keep(self) -> None:
        """See `Samples`."""
        self._keep(self._at)

    def restore(self) -> None:
        """See `Samples`."""
        self._restore(self._at)

    def take(self, order: int) -> None:
        """See `Samples`."""
        self._take(self._at, order)

    def note(self, t: float, x: np.ndarray) -> int:
        """See `Samples`."""
        return int(self._note(self._at, t, data_address(x)))
