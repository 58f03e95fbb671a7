"""Memory on the stack of the calling function: nothing is allocated, and threads do not share it."""

from __future__ import annotations

from typing import Any

from modiapy.acausal.native import intrinsic


def stack_block(size: int) -> Any:
    """Make a function for kernels that returns the address of ``size`` doubles, valid until the calling function returns."""

    def block(typingctx: Any) -> Any:
        from llvmlite import ir
        from numba import types

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word = ir.IntType(64)
            with builder.goto_entry_block():
                place = builder.alloca(ir.DoubleType(), size=ir.Constant(word, size))
            return builder.ptrtoint(place, word)

        return types.int64(), generate

    return intrinsic(block)
