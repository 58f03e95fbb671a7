"""Algebra of small vectors as tuples of floats: no array of length 3 is ever made, and LLVM unrolls everything.

A vector is (x, y, z), a matrix (xx, xy, xz, yx, yy, yz, zx, zy, zz), a symmetric matrix (xx, yy, zz, xy, xz, yz).
A spatial inertia (J symmetric, H matrix, M symmetric) gives torque ``n = J alpha + H a`` and force ``f = H^T alpha + M a``
about the origin of the frame from angular acceleration and acceleration of that origin.

All kernels allow contraction to fused multiply-add and signed zeros to be mixed up, nothing else: NaN and infinity keep
their meaning, sums keep their order. Division by zero gives infinity (``error_model="numpy"``), never an exception.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from modiapy.acausal.native import WITHOUT_OBJECTS, inner_function, intrinsic, types

from . import algebra, turning
from .formula import formula

OPTIONS: dict[str, Any] = {"cache": True, "fastmath": {"contract", "nsz"}} | WITHOUT_OBJECTS
"""Options of `numba.njit` for kernels."""

INTS = types.int64[:, ::1]
MATRIX = types.float64[:, ::1]
VECTOR = types.float64[::1]
"""Types of kernel arguments, for explicit signatures."""

kernel = inner_function(**(OPTIONS | {"cache": False}))
"""Decorator of functions that kernels inline. Without wrappers they compile in half the time."""
inlined = inner_function(**(OPTIONS | {"cache": False, "forceinline": True}))
"""The same for what must be inlined though it can call something large: the frequent joints pay nothing for the rare ones."""


# Loads and stores are intrinsics, a few LLVM instructions each: with numba's own element access all kernels together take a
# third longer to compile (measured). They check no bounds; indices must not be negative.


def _element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return the pointer to ``array[i, k]`` of a C-contiguous matrix."""
    from numba.core import cgutils

    array = context.make_array(signature.args[0])(context, builder, value=args[0])
    columns = cgutils.unpack_tuple(builder, array.shape)[1]
    return builder.gep(array.data, [builder.add(builder.mul(args[1], columns), args[2])])


def _load(size: int) -> Any:
    def load(typingctx: Any, array: Any, i: Any, k: Any) -> Any:
        from llvmlite import ir
        from numba import types

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = _element(context, builder, signature, args)
            values = [builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), j)])) for j in range(size)]
            return context.make_tuple(builder, signature.return_type, values)

        return types.UniTuple(types.float64, size)(array, types.int64, types.int64), generate

    load.__doc__ = f"The {size} elements of a float64 matrix in row ``i`` from column ``k``, as a tuple."
    return intrinsic(load)


def _store(size: int, accumulate: bool) -> Any:
    def store(typingctx: Any, array: Any, i: Any, k: Any, values: Any) -> Any:
        from llvmlite import ir
        from numba import types
        from numba.core import cgutils

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = _element(context, builder, signature, args)
            for j, value in enumerate(cgutils.unpack_tuple(builder, args[3], size)):
                pointer = builder.gep(first, [ir.Constant(ir.IntType(64), j)])
                total = builder.fadd(builder.load(pointer), value) if accumulate else value
                builder.store(total, pointer)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64, types.UniTuple(types.float64, size)), generate

    action = "Add" if accumulate else "Write"
    store.__doc__ = f"{action} a tuple of {size} to a float64 matrix in row ``i`` from column ``k``."
    return intrinsic(store)


load3, load6, load9 = _load(3), _load(6), _load(9)
store3, store6, store9 = _store(3, False), _store(6, False), _store(9, False)
add3, add6, add9 = _store(3, True), _store(6, True), _store(9, True)

# The formulas of `algebra`, written into the kernel that calls them.
add = formula(algebra.add)
subtract = formula(algebra.subtract)
negate = formula(algebra.negate)
scale = formula(algebra.scale)
dot = formula(algebra.dot)
cross = formula(algebra.cross)
centripetal = formula(algebra.centripetal)
apply = formula(algebra.apply)
apply_transposed = formula(algebra.apply_transposed)
apply_symmetric = formula(algebra.apply_symmetric)
columns = formula(algebra.columns)
rows = formula(algebra.rows)
symmetric_columns = formula(algebra.symmetric_columns)
transpose = formula(algebra.transpose)
of_columns = formula(algebra.of_columns)
products = formula(algebra.products)
multiply = formula(algebra.multiply)
rotate_symmetric = formula(algebra.rotate_symmetric)
rotate_matrix = formula(algebra.rotate_matrix)
subtract_outer = formula(algebra.subtract_outer)
subtract_outer_symmetric = formula(algebra.subtract_outer_symmetric)
reduce_inertia = formula(algebra.reduce_inertia)
wrench_of = formula(algebra.wrench_of)
wrench_to_parent = formula(algebra.wrench_to_parent)
inertia_to_parent = formula(algebra.inertia_to_parent)

_made: dict[Any, Any] = {
    function: globals()[name]
    for name, function in vars(algebra).items()
    if isinstance(function, FunctionType) and name in globals()
}
"""What kernels call in the place of plain functions."""


def kernel_of(function: Any) -> Any:
    """Make a kernel of a plain Python function; plain functions that it calls become kernels and formulas, too.

    The function can still be imported, and evaluated, without numba.
    """
    if function not in _made:
        used = {name: function.__globals__.get(name) for name in function.__code__.co_names}
        inner = {name: kernel_of(value) for name, value in used.items() if isinstance(value, FunctionType)}
        _made[function] = kernel(FunctionType(function.__code__, function.__globals__ | inner, function.__name__))
    return _made[function]


rotate_about_z = kernel_of(turning.rotate_about_z)
turn_about_z = kernel_of(turning.turn_about_z)
