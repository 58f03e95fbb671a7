"""Machine code with one signature for the kernels of force elements, which the table of forces calls by address."""

from __future__ import annotations

from math import nan
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from modia3d.dynamics.basics.spatial import OPTIONS
from modiapy.acausal.native import Callback, cfunc, float64_array, types

from ..basics.layout import FORCE_COLUMNS

_POINTER = types.CPointer(types.float64)
SIGNATURE = types.float64(_POINTER, types.int64, types.int64, types.float64, *[_POINTER] * 5)
"""Table, row, number of bodies, time, R, p, v_W, w_W, wrenches; the result is the energy or power, 0 of a wrench."""


class BodyMotion(NamedTuple):
    """Motion of the bodies, on which forces depend.

    Attributes:
        time: [s].
        R, p, v_W, w_W: poses and velocities of bodies and massless points, see `modia3d.dynamics.kinematics`.
    """

    time: float
    R: np.ndarray
    p: np.ndarray
    v_W: np.ndarray
    w_W: np.ndarray


def element(*args):
    """Stand for the kernel of an element."""
    return nan


def add_wrenches(table, k, n, time, R, p, v_W, w_W, wrenches):
    """Add the wrenches of an element: the source from which its machine code is made."""
    at = BodyMotion(
        time, float64_array(R, (n, 9)), float64_array(p, (n, 3)), float64_array(v_W, (n, 3)), float64_array(w_W, (n, 3))
    )
    element(float64_array(table, (k + 1, FORCE_COLUMNS)), k, at, float64_array(wrenches, (n, 6)))
    return 0.0


def value(table, k, n, time, R, p, v_W, w_W, wrenches):
    """Return an energy or a power of an element: the source from which its machine code is made."""
    at = BodyMotion(
        time, float64_array(R, (n, 9)), float64_array(p, (n, 3)), float64_array(v_W, (n, 3)), float64_array(w_W, (n, 3))
    )
    return element(float64_array(table, (k + 1, FORCE_COLUMNS)), k, at)


def machine_code(kernel: Any, what: str, name: str) -> Callback:
    """Return the machine code of one kernel, made or read from disk, where it is kept beside what the file of the element has.

    Args:
        kernel: of the element.
        what: "wrench", "energy", "loss" or "outer_power".
        name: of the element.
    """
    original, shell = kernel.py_func, add_wrenches if what == "wrench" else value
    called = f"{what}_of_{name}"
    code = shell.__code__.replace(  # numba keeps machine code by file, name and line of a function
        co_filename=original.__code__.co_filename, co_firstlineno=original.__code__.co_firstlineno,
        co_name=called, co_qualname=f"{original.__qualname__}.{called}",
    )  # fmt: skip
    function = FunctionType(code, shell.__globals__ | {"element": kernel}, called)
    function.__module__, function.__qualname__ = original.__module__, code.co_qualname
    made: Callback = cfunc(SIGNATURE, **OPTIONS)(function)
    return made
