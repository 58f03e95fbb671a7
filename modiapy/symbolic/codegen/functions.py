"""Calls of users' functions of arrays as LLVM IR.

The machine code of the function (`external.address_of_arrays`) takes, in numba's own calling convention, all results and then
all arguments: an array as seven numbers and more (owner, parent, number of elements, bytes of an element, address, shape,
strides), a number as itself. Nobody owns the memory: it lies in the memory of arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...model.expression import Apply, Expr, Operator
from ..terms.arrays import Shape
from .expressions import Emitter, double
from .external import ArrayCall

NAN = float("nan")


class ArrayMemory(Protocol):
    """Places of arrays, as who writes a call sees them (`codegen_array.ArrayWriter`)."""

    emitter: Emitter
    calls: dict[str, ArrayCall]

    def shape(self, expr: Expr) -> Shape:
        """Return the shape of the value of an expression."""

    def word(self, kind: str, expr: Expr, k: int = 0) -> str:
        """Return a number that depends on shapes, as a register."""

    def offset(self, base: str, word: str) -> str:
        """Return the address of an element."""

    def pointer(self, expr: Expr) -> str:
        """Return the address of the value of an expression, which is computed if need be."""


def write_call(writer: ArrayMemory, operator: Operator, results: Sequence[Apply]) -> str:
    """Emit a call whose results go to their places in the memory of arrays: not a number where the function fails.

    Args:
        writer: of arrays.
        operator: the function.
        results: all results of the call, as expressions.
    """
    emitter, args = writer.emitter, results[0].args
    call = ArrayCall(operator, tuple(len(writer.shape(r)) for r in results), tuple(len(writer.shape(a)) for a in args))
    writer.calls[call.symbol] = call
    given: list[str] = []
    places = [writer.offset("%arrays", writer.word("memory", r)) for r in results]
    for result, place in zip(results, places, strict=True):
        given += _array(writer, result, place)
    for a in args:
        given += _array(writer, a, writer.pointer(a)) if writer.shape(a) else [f"double {emitter.number(a)}"]
    types = ", ".join(["ptr", "ptr", *(value.split()[0] for value in given)])
    emitter.declarations[call.symbol] = f'declare i32 @"{call.symbol}"({types}) nounwind'
    status = emitter.instruction(f'call i32 @"{call.symbol}"({", ".join(["ptr %result", "ptr %in", *given])})')
    failed, done = emitter.new_label("failed"), emitter.new_label("called")
    bad = emitter.instruction(f"icmp ne i32 {status}, 0", "b")
    emitter.line(f"br i1 {bad}, label %{failed}, label %{done}")
    with emitter.scope():
        emitter.begin_block(failed)
        for place in places:
            emitter.store(double(NAN), place, 0)  # one element is enough for the failure to be seen
        emitter.line(f"br label %{done}")
    emitter.begin_block(done)
    return status


def _array(writer: ArrayMemory, expr: Expr, address: str) -> list[str]:
    """Return the arguments that stand for an array in row-major order (without dimensions for the place of a number)."""
    rank = len(writer.shape(expr))
    lengths = [writer.word("length", expr, k) for k in range(rank)]
    strides = ["8"] * rank
    if rank == 2:
        strides[0] = writer.emitter.instruction(f"shl i64 {lengths[1]}, 3")
    numbers = [f"i64 {n}" for n in (*lengths, *strides)]
    return ["ptr null", "ptr null", f"i64 {writer.word('size', expr)}", "i64 8", f"ptr {address}", *numbers]
