"""Calls of users' functions by the address of their machine code (see `modiapy.symbolic.codegen.external`).

They are in numba's calling convention, ``int32 f(double* results, void** unused, double inputs...)``; results are NaN where a
function fails, which the evaluation of all forces reports.
"""

from __future__ import annotations

import math
from typing import Any

from modiapy.acausal.native import intrinsic


def _call(n_in: int, n_out: int) -> Any:
    def call(typingctx: Any, address: Any, inputs: Any) -> Any:
        from llvmlite import ir
        from numba.core import cgutils, types

        result_type = types.UniTuple(types.float64, n_out) if n_out > 1 else types.float64

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            double, pointer = ir.DoubleType(), ir.IntType(8).as_pointer()
            kind = ir.FunctionType(ir.IntType(32), [double.as_pointer(), pointer.as_pointer(), *[double] * n_in])
            function = builder.inttoptr(args[0], kind.as_pointer())
            results = cgutils.alloca_once(builder, double, size=n_out)
            unused = cgutils.alloca_once(builder, pointer)
            given = cgutils.unpack_tuple(builder, args[1], n_in)
            status = builder.call(function, [results, unused, *given])
            failed = builder.icmp_signed("!=", status, ir.Constant(status.type, 0))
            values = []
            for i in range(n_out):
                value = builder.load(builder.gep(results, [ir.Constant(ir.IntType(64), i)]))
                values.append(builder.select(failed, ir.Constant(double, math.nan), value))
            return values[0] if n_out == 1 else context.make_tuple(builder, signature.return_type, values)

        return result_type(types.int64, types.UniTuple(types.float64, n_in)), generate

    call.__doc__ = f"Results of the function at ``address``, with {n_in} arguments given as a tuple."
    return intrinsic(call)


call_1_1 = _call(1, 1)
call_3_1 = _call(3, 1)
call_3_3 = _call(3, 3)


def _call_element(
    typingctx: Any, address: Any, table: Any, k: Any, time: Any, R: Any, p: Any, v_W: Any, w_W: Any, wrenches: Any
) -> Any:
    """Return the result of the machine code of a force element at ``address``, see `shell.SIGNATURE`."""
    from llvmlite import ir
    from numba.core import cgutils, types

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double, word = ir.DoubleType(), ir.IntType(64)
        pointer = double.as_pointer()
        arrays = {i: context.make_array(signature.args[i])(context, builder, value=args[i]) for i in (1, *range(4, 9))}
        data = {i: builder.bitcast(array.data, pointer) for i, array in arrays.items()}
        n = cgutils.unpack_tuple(builder, arrays[5].shape)[0]
        kind = ir.FunctionType(double, [pointer, word, word, double, *[pointer] * 5])
        function = builder.inttoptr(args[0], kind.as_pointer())
        return builder.call(function, [data[1], args[2], n, args[3], *(data[i] for i in range(4, 9))])

    return types.float64(types.int64, table, types.int64, types.float64, R, p, v_W, w_W, wrenches), generate


call_element: Any = intrinsic(_call_element)


def _call_watch(typingctx: Any, address: Any, word: Any) -> Any:
    """Call the machine code ``int32 watch(int64 context)`` at ``address`` with a context."""
    from llvmlite import ir
    from numba.core import types

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(64)])
        function = builder.inttoptr(args[0], kind.as_pointer())
        pointer = isinstance(args[1].type, ir.PointerType)
        return builder.call(function, [builder.ptrtoint(args[1], ir.IntType(64)) if pointer else args[1]])

    return types.int32(types.int64, word), generate


call_watch: Any = intrinsic(_call_watch)
