"""Python functions whose code is a kernel: they read arrays in place, without the conversions of numba or ctypes.

CPython calls a function of the kind METH_FASTCALL with addresses: of the object it is bound to, and of its arguments. Here that
object is an array whose memory begins with a `HEADER`. The machine code reads arguments as ``PyArrayObject``: numpy's C
interface has kept its fields in this order since its first version. Measured at 7 joints (mass matrix, 0.41 us inside;
Pinocchio's call 0.92 us): the call with an array given and one returned 0.74 us, through numba's dispatcher 0.90 us.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from modiapy.acausal.native import cfunc, external_function, int32_array, int64_array, types

from .basics.spatial import OPTIONS, kernel

HEADER = 16
"""Slots of the header: n, nq, nv, then addresses: ints, floats, gravity, q, v, a, tau, h, M, work; `ARRAY`, `DOUBLE`."""
ARRAY, DOUBLE = 13, 14
"""Slots: addresses of the type of arrays, and of the element type of doubles."""
REFUSED = -1
"""Status where what is given is no array of doubles in sequence, or one of another length."""

_HEAD = object.__basicsize__
"""Bytes before an array's own fields; the last of them are the address of its type."""
_DATA, _DIMENSIONS, _SHAPE, _ELEMENT, _FLAGS = (_HEAD + at for at in (0, 8, 16, 40, 48))
_PLAIN = 0x101
"""Flags of an array whose elements stand one behind the other (NPY_ARRAY_C_CONTIGUOUS) at proper addresses (.._ALIGNED)."""

fast_call = cfunc(types.intp(types.intp, types.intp, types.intp), **OPTIONS)
"""Decorator of what `bound` makes functions of: ``(array with the header, address of the arguments, their number)``, all as
addresses, -> `as_result`."""

as_result: Any = external_function("PyLong_FromLongLong", types.intp(types.int64))
"""A status as a number of Python."""


@kernel
def word(address):
    """Return the integer of 8 bytes at an address."""
    return int64_array(address, 1)[0]


@kernel
def header_of(block):
    """Return the address of the header in the memory of an array."""
    return word(block + _DATA)


@kernel
def doubles(header, given, size):
    """Return the address of the elements of an array; 0 if it is not a contiguous array of ``size`` doubles."""
    if word(given + _HEAD - 8) != word(header + 8 * ARRAY) or int32_array(given + _DIMENSIONS, 1)[0] != 1:
        return 0
    if word(given + _ELEMENT) != word(header + 8 * DOUBLE) or int32_array(given + _FLAGS, 1)[0] & _PLAIN != _PLAIN:
        return 0
    if word(word(given + _SHAPE)) != size:
        return 0
    return word(given + _DATA)


@kernel
def elements(given):
    """Return the address of the elements of an array of doubles, without checks."""
    return word(given + _DATA)


class _Method(ctypes.Structure):
    """Method of Python's C interface, ``PyMethodDef``."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_METH_FASTCALL = 0x80
_new = ctypes.pythonapi.PyCFunction_NewEx
_new.restype, _new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
_methods: dict[int, _Method] = {}


def bound(code: Any, block: np.ndarray) -> Callable[..., int]:
    """Make a Python function that runs the machine code of a `fast_call`.

    Args:
        code: decorated with `fast_call`.
        block: int64 array that begins with the header; the function keeps it alive.
    """
    block[[ARRAY, DOUBLE]] = id(np.ndarray), id(np.dtype(np.float64))
    method = _methods.setdefault(code.address, _Method(code.__name__.encode(), code.address, _METH_FASTCALL, None))
    function: Callable[..., int] = _new(ctypes.addressof(method), block, None)
    return function
