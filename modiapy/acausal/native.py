"""Small helpers for component functions written in numba: an address seen as an array.

This module imports numba; import it only where kernels are defined.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import cfunc, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from . import kernel_cache

kernel_cache.configure()

COMPONENT_SIGNATURE = types.int32(types.CPointer(types.int64), types.CPointer(types.float64), types.CPointer(types.float64))
"""Signature of a component function for `numba.cfunc`: ``int32 f(int64* context, double* inputs, double* outputs)``."""

PROJECTION_SIGNATURE = types.int32(types.CPointer(types.int64), types.int64, types.int64, types.int64, types.int64)
"""Signature of the machine code of a `StateProjection` for `numba.cfunc`: context, and the addresses of ``x_inv``, ``x_var``,
``e_inv`` and ``e_var`` as numbers, 0 for null."""


WITHOUT_OBJECTS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""Options of `numba.njit` and `numba.cfunc` for what neither makes nor keeps arrays: no references are counted, which saves a
quarter of the time to compile. Division by zero gives infinity."""

_NO_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def inner_function(**options: Any) -> Any:
    """`numba.njit` with options, for functions that only compiled functions call: no wrappers for Python, and no types of their
    own for arguments that are written as numbers, for each of which numba would compile the function once more."""

    def decorate(function: Any) -> Any:
        dispatcher = njit(**(options | _NO_WRAPPERS))(function)
        resolve = dispatcher.get_call_template

        def get_call_template(args: Any, kws: Any) -> Any:
            return resolve(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})

        dispatcher.get_call_template = get_call_template
        return dispatcher

    return decorate


part = inner_function(**WITHOUT_OBJECTS)
"""Decorator of functions that only compiled functions call: without wrappers for Python they compile in half the time."""

array_part = inner_function(**(WITHOUT_OBJECTS | {"_nrt": True}))
"""The same for a function that returns one array: numba asks for references there (not for a tuple of arrays)."""

component_function = cfunc(COMPONENT_SIGNATURE, cache=True, **WITHOUT_OBJECTS)
"""Decorator of component functions."""


def _array_at(name: str, element: Any, width: int) -> Any:
    def array_at(typingctx: Any, address: Any, size: Any) -> Any:
        pointer, several = isinstance(address, types.CPointer), isinstance(size, types.BaseTuple)
        dimensions = size.count if several else 1

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            shape = cgutils.unpack_tuple(builder, args[1], dimensions) if several else [args[1]]
            strides, items = [ir.Constant(word, width)], shape[-1]
            for extent in reversed(shape[:-1]):
                strides.insert(0, builder.mul(items, ir.Constant(word, width)))
                items = builder.mul(items, extent)
            array = context.make_array(signature.return_type)(context, builder)
            context.populate_array(
                array,
                data=(builder.bitcast if pointer else builder.inttoptr)(args[0], array.data.type),
                shape=shape,
                strides=strides,
                itemsize=ir.Constant(word, width),
                meminfo=None,
            )
            return array._getvalue()

        shape = types.UniTuple(types.int64, dimensions) if several else types.int64
        return types.Array(element, dimensions, "C")(address if pointer else types.int64, shape), generate

    array_at.__name__ = name
    array_at.__doc__ = f"The {element} at ``address`` (int64 or pointer) as an array of that size or shape, not owned."
    return intrinsic(array_at)


int32_array = _array_at("int32_array", types.int32, 4)
int64_array = _array_at("int64_array", types.int64, 8)
float64_array = _array_at("float64_array", types.float64, 8)
