"""Small helpers for component functions written in numba: an address seen as an array.

This module imports numba; import it only where kernels are defined.
"""

from __future__ import annotations

from typing import Any

from numba import carray, njit, types
from numba.extending import intrinsic

from . import kernel_cache

kernel_cache.configure()

COMPONENT_SIGNATURE = types.int32(types.CPointer(types.int64), types.CPointer(types.float64), types.CPointer(types.float64))
"""Signature of a component function for `numba.cfunc`: ``int32 f(int64* context, double* inputs, double* outputs)``."""


@intrinsic
def _float64_pointer(typingctx: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.float64)(types.int64), generate


@intrinsic
def _int64_pointer(typingctx: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int64)(types.int64), generate


@intrinsic
def _int32_pointer(typingctx: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int32)(types.int64), generate


@njit(inline="always")
def int32_array(address, size):  # type: ignore[no-untyped-def]
    """The ``size`` int32 at ``address`` as an array of shape (size,)."""
    return carray(_int32_pointer(address), size)  # type: ignore[call-arg]


@njit(inline="always")
def float64_array(address, size):  # type: ignore[no-untyped-def]
    """The ``size`` doubles at ``address`` as an array of shape (size,)."""
    return carray(_float64_pointer(address), size)  # type: ignore[call-arg]


@njit(inline="always")
def int64_array(address, size):  # type: ignore[no-untyped-def]
    """The ``size`` int64 at ``address`` as an array of shape (size,)."""
    return carray(_int64_pointer(address), size)  # type: ignore[call-arg]
