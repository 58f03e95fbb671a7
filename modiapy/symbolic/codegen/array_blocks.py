"""Systems of equations with array unknowns as LLVM IR: one equation for each element, as many as the sizes say.

The memory of a system lies in the memory of arrays, so that its length may change; the kernels are those of scalar systems
(see `codegen_linear`, `codegen_nonlinear`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...acausal.protocol import Mode
from ...model.expression import Expr, Name
from ..kernels.linear_memory import BEGIN, HEADER, PHASE, SIZE, SOLVED, STATUS_SINGULAR
from ..kernels.newton_memory import Header, Part, Result
from ..structure.sorted_model import Assignment, Call, LinearBlock, NonlinearBlock
from ..terms.names import slope_name
from .arrays import ArrayWriter


class BlockWriter(Protocol):
    """What arrays need of the writer of the model."""

    def simple_block(self, block: Assignment | Call, index: int) -> None:
        """Emit an assignment or a call."""

    def fail_if(self, condition: str, status: str, index: int) -> None:
        """Leave the model with this status where the condition holds."""


def write_linear_block(arrays: ArrayWriter, writer: BlockWriter, block: LinearBlock, index: int) -> None:
    """Linear equation iteration over all elements of array unknowns."""
    emitter = arrays.emitter
    emitter.declarations["linear_iteration"] = "declare i32 @linear_iteration(i64) nounwind"
    memory = arrays.offset("%arrays", arrays.word("block", index))
    loop, residual, done = (emitter.new_label(name) for name in ("iterate", "residual", "solved"))
    emitter.store(str(BEGIN), memory, PHASE, "i64")
    values = emitter.address(memory, HEADER)
    residuals = arrays.offset(values, emitter.load(memory, SIZE, "i64"))
    unknowns = _Row(arrays, block.unknowns, index)
    address = arrays.integer(memory)
    emitter.line(f"br label %{loop}")

    emitter.begin_block(loop)
    status = emitter.instruction(f"call i32 @linear_iteration(i64 {address})")
    singular = emitter.instruction(f"icmp eq i32 {status}, {STATUS_SINGULAR}", "b")
    writer.fail_if(singular, str(STATUS_SINGULAR), index)
    unknowns.read(values)
    for step in block.body:
        writer.simple_block(step, index)
    solved = emitter.instruction(f"icmp eq i32 {status}, {SOLVED}", "b")
    emitter.line(f"br i1 {solved}, label %{done}, label %{residual}")

    with emitter.scope():
        emitter.begin_block(residual)
        unknowns.write(block.residuals, residuals)
        emitter.line(f"br label %{loop}")
    emitter.begin_block(done)


def write_nonlinear_block(arrays: ArrayWriter, writer: BlockWriter, block: NonlinearBlock, index: int) -> None:
    """Newton iteration over all elements of array unknowns; each column of the Jacobian is the slope along one of them."""
    emitter = arrays.emitter
    emitter.declarations["newton"] = "declare i32 @newton(i64) nounwind"
    memory = arrays.offset("%arrays", arrays.word("newton", index))
    loop, residual, jacobian, done = (emitter.new_label(name) for name in ("newton", "residual", "jacobian", "solved"))
    emitter.store("0", memory, Header.PHASE, "i64")
    event = emitter.instruction(f"and i64 %mode, {int(Mode.EVENT | Mode.INITIAL)}")
    emitter.store(event, memory, Header.FREE, "i64")
    values, residuals = (arrays.offset("%arrays", arrays.word("part", index, part)) for part in (Part.UNKNOWNS, Part.RESIDUALS))
    unknowns, slopes = (_Row(arrays, names, index) for names in (block.unknowns, tuple(map(slope_name, block.unknowns))))
    address = arrays.integer(memory)
    emitter.line(f"br label %{loop}")

    emitter.begin_block(loop)
    status = emitter.instruction(f"call i32 @newton(i64 {address})")
    failed = emitter.instruction(f"icmp eq i32 {status}, {int(Result.FAILED)}", "b")
    writer.fail_if(failed, str(int(Result.FAILED)), index)
    unknowns.read(values)
    for step in block.body:
        writer.simple_block(step, index)
    solved = emitter.instruction(f"icmp eq i32 {status}, {int(Result.SOLVED)}", "b")
    emitter.line(f"br i1 {solved}, label %{done}, label %{residual}")

    with emitter.scope():
        emitter.begin_block(residual)
        unknowns.write(block.residuals, residuals)
        wanted = emitter.instruction(f"icmp eq i32 {status}, {int(Result.JACOBIAN)}", "b")
        emitter.line(f"br i1 {wanted}, label %{jacobian}, label %{loop}")
        emitter.begin_block(jacobian)
        _write_columns(arrays, writer, block, index, slopes)
        emitter.line(f"br label %{loop}")
    emitter.begin_block(done)


def _write_columns(arrays: ArrayWriter, writer: BlockWriter, block: NonlinearBlock, index: int, slopes: _Row) -> None:
    """Emit the loop over the columns of the Jacobian."""
    emitter = arrays.emitter
    emitter.declarations["array_scatter"] = "declare void @array_scatter(i64, i64, i64) nounwind"
    n = arrays.word("elements", index)
    direction = arrays.offset("%arrays", arrays.word("direction", index))
    column = arrays.offset("%arrays", arrays.word("column", index))
    matrix = arrays.offset("%arrays", arrays.word("part", index, Part.LENGTH))
    arrays.loop(n, direction, lambda _: "0.0")
    names = ("column", "columns")
    body, after = (emitter.new_label(name) for name in names)
    j, following, before = emitter.new("i"), emitter.new("i"), emitter.label
    emitter.line(f"br label %{body}")
    emitter.begin_block(body)
    phi = len(emitter.lines)
    unit = arrays.offset(direction, j)
    emitter.line(f"store double 1.0, ptr {unit}")
    slopes.read(direction)
    for step in block.slopes:
        writer.simple_block(step, index)
    slopes.write(block.residual_slopes, column)
    emitter.line(f"store double 0.0, ptr {unit}")
    source, target = arrays.integer(column), arrays.integer(arrays.offset(matrix, j))
    emitter.line(f"call void @array_scatter(i64 {source}, i64 {target}, i64 {n})")
    emitter.line(f"{following} = add i64 {j}, 1")
    more = emitter.instruction(f"icmp slt i64 {following}, {n}", "b")
    emitter.lines.insert(phi, f"{j} = phi i64 [0, %{before}], [{following}, %{emitter.label}]")
    emitter.line(f"br i1 {more}, label %{body}, label %{after}")
    emitter.begin_block(after)


class _Row:
    """Variables of a system in a row of numbers, each at its own place there."""

    def __init__(self, arrays: ArrayWriter, names: Sequence[str], index: int) -> None:
        self.arrays, self.names = arrays, names
        self.places = [arrays.word("place", index, i) for i in range(len(names))]
        self.sizes = [arrays.word("size", Name(name)) if arrays.is_array(name) else "" for name in names]
        self.targets = [arrays.pointer(Name(name)) if n else "" for name, n in zip(names, self.sizes, strict=True)]

    def read(self, row: str) -> None:
        """Give the variables their values."""
        for name, place, n, target in zip(self.names, self.places, self.sizes, self.targets, strict=True):
            source = self.arrays.offset(row, place)
            if n:
                self.arrays.copy(source, target, n)
            else:
                self.arrays.emitter.bind(name, self.arrays.emitter.load(source, 0))

    def write(self, exprs: Sequence[Expr], row: str) -> None:
        """Write expressions of the shapes of the variables to their places."""
        for name, place, expr in zip(self.names, self.places, exprs, strict=True):
            target = self.arrays.offset(row, place)
            if self.arrays.is_array(name):
                self.arrays.store(expr, target, Name(name))
            else:
                self.arrays.emitter.store(self.arrays.emitter.number(expr), target, 0)
