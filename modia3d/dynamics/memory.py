"""Small vectors between arrays and tuples: `load3`, `load6`, `load9`, `store3`, `store6`, `store9` and `add6`.

They are intrinsics, a few LLVM instructions each, because element access to arrays is most of what numba would have to
lower in the kernels: without them compiling takes nearly twice as long. Like numba's own element access they do not check bounds; an
index must not be negative.
"""

from __future__ import annotations

from typing import Any

import modiapy.acausal.native  # noqa: F401  (configures numba's cache before the first kernel is defined)
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _element(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Pointer to ``array[i, k]`` of a C-contiguous matrix."""
    array = context.make_array(signature.args[0])(context, builder, value=args[0])
    columns = cgutils.unpack_tuple(builder, array.shape)[1]
    return builder.gep(array.data, [builder.add(builder.mul(args[1], columns), args[2])])


def _load(size: int) -> Any:
    def load(typingctx: Any, array: Any, i: Any, k: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = _element(context, builder, signature, args)
            values = [builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), j)])) for j in range(size)]
            return context.make_tuple(builder, signature.return_type, values)

        return types.UniTuple(types.float64, size)(array, types.int64, types.int64), generate

    load.__doc__ = f"The {size} elements of a float64 matrix in row ``i`` from column ``k``, as a tuple."
    return intrinsic(load)


def _store(size: int, accumulate: bool) -> Any:
    def store(typingctx: Any, array: Any, i: Any, k: Any, values: Any) -> Any:
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
