"""Newton iteration of nonlinear blocks as LLVM IR.

The block is evaluated in a loop; the kernel `newton` says for which values of the unknowns, and whether the Jacobian is wanted.
Its columns come from one more loop over the directions, whose code is as long as that of the equations: O(n) in all.

Where the kernel wants it, opened variables (`NonlinearBlock`) have the values that it gives in place of those that the body
computes, and the differences are residuals. In the other case these rows are written too, behind the others, and not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...acausal.protocol import Mode
from ...model.expression import Name
from ..kernels.newton_memory import Header, Request
from ..sorted.parts import NonlinearBlock, defined_by, expressions_of
from ..terms.names import directional_of
from .expressions import Emitter, double
from .rows import BlockWriter, MemoryAddress, RowVariable, SystemMemory, renamed
from .systems import System


def write_nonlinear_block(
    writer: BlockWriter,
    block: NonlinearBlock,
    index: int,
    system: System | None,
    varying: Callable[[str], bool],
    *,
    anew: bool = False,
) -> None:
    """Emit the loop of a block.

    Args:
        writer: of the model.
        block: to be written.
        index: of the block, for a failure.
        system: of scalars; None for one with array unknowns, whose sizes are loaded.
        varying: whether a name depends on the block's variables; everything else is computed before the loop.
        anew: begin at the start values and not at the last solution: impulses are exactly zero where nothing acts.
    """
    emitter = writer.emitter
    for expr in expressions_of(block):
        writer.hoist(expr, varying)
    memory = SystemMemory(writer, block, index, system)
    if anew:
        emitter.store("0", memory.pointer, Header.SOLVED, "i64")
    emitter.declarations["newton"] = "declare i32 @newton(i64) nounwind"
    loop, residual, done = (emitter.new_label(name) for name in ("newton", "residual", "solved"))
    emitter.store("0", memory.pointer, Header.PHASE, "i64")
    event = emitter.instruction(f"and i64 %mode, {int(Mode.EVENT | Mode.INITIAL)}")
    emitter.store(event, memory.pointer, Header.FREE, "i64")
    address = emitter.instruction(f"ptrtoint ptr {memory.pointer} to i64")
    torn = str(system.torn) if system is not None else emitter.load(memory.pointer, Header.TORN, "i64")
    unknowns, residuals, last = (memory.field(name) for name in ("unknowns", "residuals", "last"))
    emitter.line(f"br label %{loop}")

    emitter.begin_block(loop)
    status = emitter.instruction(f"call i32 @newton(i64 {address})")
    failed = emitter.instruction(f"icmp eq i32 {status}, {int(Request.FAILED)}", "b")
    writer.fail_if(failed, str(int(Request.FAILED)), index)
    size = emitter.load(memory.pointer, Header.SIZE, "i64")
    all_given = emitter.instruction(f"icmp ne i64 {size}, {torn}", "b")
    memory.read(memory.unknowns, unknowns)
    for step in block.body:
        writer.simple_block(step, index)
        for variable in _among(memory.opened, defined_by(step)):
            _open(memory, variable, unknowns, residuals, all_given)
    solved = emitter.instruction(f"icmp eq i32 {status}, {int(Request.SOLVED)}", "b")
    emitter.line(f"br i1 {solved}, label %{done}, label %{residual}")

    with emitter.scope():
        emitter.begin_block(residual)
        for variable, expr in zip(memory.unknowns, block.residuals, strict=True):
            memory.write(expr, residuals, variable)
        jacobian, columns = (emitter.new_label(name) for name in ("jacobian", "column"))
        wanted = emitter.instruction(f"icmp eq i32 {status}, {int(Request.JACOBIAN)}", "b")
        emitter.line(f"br i1 {wanted}, label %{jacobian}, label %{loop}")
        emitter.begin_block(jacobian)
        _write_columns(writer, block, memory, size, all_given, columns, loop)
    emitter.begin_block(done)
    for variable in memory.opened:
        memory.keep(variable, last)


def _among(opened: Iterable[RowVariable], names: Iterable[str]) -> list[RowVariable]:
    by_name = {v.name: v for v in opened}
    return [by_name[name] for name in names if name in by_name]


def _open(
    memory: SystemMemory, variable: RowVariable, unknowns: MemoryAddress, residuals: MemoryAddress, all_given: str
) -> None:
    """Write that one of the opened variables has the given value where they are unknowns; its residual takes the difference."""
    emitter, arrays = memory.writer.emitter, memory.writer.arrays
    if not variable.elements:
        given, computed = memory.load(unknowns, variable), emitter.named(variable.name)
        memory.save(emitter.instruction(f"fsub double {given}, {computed}"), residuals, variable)
        emitter.bind(variable.name, emitter.instruction(f"select i1 {all_given}, double {given}, double {computed}"))
        return
    assert arrays is not None
    own = arrays.pointer(Name(variable.name))
    source, target = memory.address(unknowns, variable), memory.address(residuals, variable)

    def difference(i: str) -> str:
        given, computed = arrays.element(source, i), arrays.element(own, i)
        chosen = emitter.instruction(f"select i1 {all_given}, double {given}, double {computed}")
        emitter.line(f"store double {chosen}, ptr {arrays.offset(own, i)}")
        return emitter.instruction(f"fsub double {given}, {computed}")

    arrays.loop(variable.elements, target, difference)


def _write_columns(
    writer: BlockWriter, block: NonlinearBlock, memory: SystemMemory, size: str, all_given: str, column: str, loop: str
) -> None:
    """Emit the loop over the columns of the Jacobian, entered where the kernel has asked for it; ``loop`` follows.

    ``size`` is the number of columns; ``all_given`` says whether opened variables are unknowns.
    """
    emitter = writer.emitter
    directions = {directional_of(name) for name in block.unknowns}
    for step in block.directional_derivatives:
        directions.update(defined_by(step))
    for expr in (
        *(expr for step in block.directional_derivatives for expr in expressions_of(step)),
        *block.residual_derivatives,
    ):
        writer.hoist(expr, directions.__contains__)
    columns = _Columns(memory, size, all_given)
    j, following, before = emitter.new("i"), emitter.new("i"), emitter.label
    emitter.line(f"br label %{column}")

    emitter.begin_block(column)
    phi = len(emitter.lines)
    for variable in renamed(memory.unknowns, directional_of):
        columns.begin(variable, j, alone=len(block.unknowns) == 1 and not block.opened)
    opened = renamed(memory.opened, directional_of)
    for step in block.directional_derivatives:
        writer.simple_block(step, memory.index)
        for variable in _among(opened, defined_by(step)):
            columns.open(variable, j)
    for variable, expr in zip(memory.unknowns, block.residual_derivatives, strict=True):
        if variable.elements:
            assert writer.arrays is not None
            scratch = writer.arrays.offset("%arrays", writer.arrays.word("column", memory.index))
            memory.write(expr, MemoryAddress(scratch), variable)
            source = memory.address(MemoryAddress(scratch), variable)
            columns.store_array(variable, j, lambda i, source=source: writer.arrays.element(source, i))  # type: ignore[misc,union-attr]
        else:
            columns.store(variable, j, emitter.number(expr))
    emitter.line(f"{following} = add i64 {j}, 1")
    more = emitter.instruction(f"icmp slt i64 {following}, {size}", "b")
    emitter.lines.insert(phi, f"{j} = phi i64 [0, %{before}], [{following}, %{emitter.label}]")
    emitter.line(f"br i1 {more}, label %{column}, label %{loop}")


class _Columns:
    """The Jacobian, filled column by column: directions and derivatives of variables along them."""

    def __init__(self, memory: SystemMemory, size: str, all_given: str) -> None:
        self.memory, self.size, self.all_given = memory, size, all_given
        self.emitter, self.arrays = memory.writer.emitter, memory.writer.arrays
        self.top = memory.field("jacobian").address(self.emitter)

    def begin(self, slope: RowVariable, j: str, alone: bool) -> None:
        """Write the direction: 1 for unknown j, 0 for the others."""
        if not slope.elements:
            self.emitter.bind(slope.name, double(1.0) if alone else _unit(self.emitter, slope.place, j))
            return
        assert self.arrays is not None
        self.arrays.loop(slope.elements, self.arrays.pointer(Name(slope.name)), lambda i: self._unit_of_element(slope, i, j))

    def open(self, slope: RowVariable, j: str) -> None:
        """Write the given direction of one of the opened variables where they are unknowns; its equation is the difference."""
        if not slope.elements:
            given, computed = _unit(self.emitter, slope.place, j), self.emitter.named(slope.name)
            self.store(slope, j, self.emitter.instruction(f"fsub double {given}, {computed}"))
            self.emitter.bind(slope.name, self._chosen(given, computed))
            return
        arrays = self.arrays
        assert arrays is not None
        own = arrays.pointer(Name(slope.name))

        def difference(i: str) -> str:
            given, computed = self._unit_of_element(slope, i, j), arrays.element(own, i)
            self.emitter.line(f"store double {self._chosen(given, computed)}, ptr {arrays.offset(own, i)}")
            return self.emitter.instruction(f"fsub double {given}, {computed}")

        self.store_array(slope, j, difference)

    def store(self, variable: RowVariable, j: str, value: str) -> None:
        """Store the entry of a scalar's row in column j."""
        self._store(str(variable.place), j, value)

    def store_array(self, variable: RowVariable, j: str, element: Callable[[str], str]) -> None:
        """Store the entries of an array's rows in column j."""
        assert self.arrays is not None
        self.arrays.each(variable.elements, lambda i: self._store(self._row(variable, i), j, element(i)))

    def _store(self, row: str, j: str, value: str) -> None:
        first = self.emitter.instruction(f"mul i64 {self.size}, {row}")
        place = self.emitter.instruction(f"add i64 {first}, {j}")
        address = self.emitter.instruction(f"getelementptr double, ptr {self.top}, i64 {place}", "p")
        self.emitter.line(f"store double {value}, ptr {address}")

    def _row(self, variable: RowVariable, i: str) -> str:
        return self.emitter.instruction(f"add i64 {variable.place}, {i}")

    def _unit_of_element(self, slope: RowVariable, i: str, j: str) -> str:
        return _unit(self.emitter, self._row(slope, i), j)

    def _chosen(self, given: str, computed: str) -> str:
        return self.emitter.instruction(f"select i1 {self.all_given}, double {given}, double {computed}")


def _unit(emitter: Emitter, i: int | str, j: str) -> str:
    here = emitter.instruction(f"icmp eq i64 {j}, {i}", "b")
    return emitter.instruction(f"select i1 {here}, double {double(1.0)}, double {double(0.0)}")
