"""Calls of users' functions by the address of their machine code (see `modiapy.symbolic.codegen.external`).

They are in numba's calling convention, ``int32 f(double* results, void** unused, double inputs...)``; results are NaN where a
function fails, which the evaluation of all forces reports.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _call(n_in: int, n_out: int) -> Any:
    result_type = types.UniTuple(types.float64, n_out) if n_out > 1 else types.float64

    def call(typingctx: Any, address: Any, inputs: Any) -> Any:
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
