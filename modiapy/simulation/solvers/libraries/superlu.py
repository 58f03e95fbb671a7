"""SuperLU_MT in several threads: its working data are variables of the process, so only one thread factorises at a time."""

from __future__ import annotations

import ctypes
import functools
import threading
from types import SimpleNamespace
from typing import Any

P = ctypes.c_void_p
_Setup = ctypes.CFUNCTYPE(ctypes.c_int, P, P)
_FIELDS = 3
"""Words of a SUNLinearSolver, one of which is the address of its functions: which one depends on the version."""
_FUNCTIONS = 12
"""So many functions it has at least, the one for its type first."""

_factorising = threading.Lock()


@functools.cache
def _in_turn(address: int) -> Any:
    """Return a function that calls the one at an address while no other thread does, without holding Python's lock."""
    setup = _Setup(address)

    def factorise(solver: int, matrix: int) -> int:
        with _factorising:
            return int(setup(solver, matrix))

    return _Setup(factorise)


def factorise_in_turn(solver: int, library: SimpleNamespace) -> bool:
    """Make a linear solver wait for factorisations of other threads; return False if this is impossible.

    Args:
        solver: address of a SUNLinearSolver of SuperLU_MT.
        library: sunlinsolsuperlumt.
    """
    kind, setup = (ctypes.cast(f, P).value for f in (library.SUNLinSolGetType_SuperLUMT, library.SUNLinSolSetup_SuperLUMT))
    for field in (P * _FIELDS).from_address(solver):
        if not field or P.from_address(field).value != kind:
            continue
        functions = (P * _FUNCTIONS).from_address(field)
        for k, function in enumerate(functions):
            if function == setup and setup is not None:
                functions[k] = ctypes.cast(_in_turn(setup), P).value
                return True
    return False
