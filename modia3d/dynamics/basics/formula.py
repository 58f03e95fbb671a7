"""Formulas of floats and tuples of floats, written as Python functions, that kernels call.

A formula has sums, differences, products and quotients of its arguments, calls of other formulas, and no branches. It is not
compiled. When a kernel calls it, it is evaluated with LLVM values in place of numbers, which writes its instructions into the
kernel. This takes a tenth of the time in which numba compiles a function, and LLVM has no call to inline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from modiapy.acausal.native import Deferred

# made of modia3d/dynamics/basics/formula_intrinsic.py


def formula(function: Callable[..., Any]) -> Any:
    """Make a formula that kernels can call of ``function``, which takes and returns floats and tuples of floats.

    Raises:
        numba.core.errors.TypingError: in the kernel, if an argument is neither a number nor a tuple of numbers.
    """

    def make() -> Any:
        from .formula_intrinsic import formula_intrinsic

        return formula_intrinsic(function)

    return Deferred(make)
