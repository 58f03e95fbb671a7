"""Newton iteration of nonlinear blocks as LLVM IR.

The block is evaluated in a loop; the kernel `newton` says for which values of the unknowns, and whether the Jacobian is wanted.
Its columns come from one more loop over the directions, whose code is as long as that of the equations: O(n) in all.

Where the kernel wants it, opened variables (`NonlinearBlock`) have the values that it gives in place of those that the body
computes, and the differences are residuals. In the other case these rows are written too, behind the others, and not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...acausal.protocol import Mode
from ..kernels.newton_memory import Header, Part, Result, jacobian_word, part_word
from ..structure.sorted_model import NonlinearBlock, defined_by, expressions_of
from ..terms.names import slope_name
from .expressions import Emitter, double
from .linear import BlockWriter


def write_nonlinear_block(
    writer: BlockWriter, block: NonlinearBlock, index: int, offset: int, varying: Callable[[str], bool]
) -> None:
    """Emit the loop of a block.

    Args:
        writer: of the model.
        block: to be written.
        index: of the block, for a failure.
        offset: of its memory in the workspace, in words.
        varying: whether a name depends on the block's variables; everything else is computed before the loop.
    """
    emitter, n, n_all = writer.emitter, len(block.unknowns), len(block.unknowns) + len(block.opened)
    for expr in expressions_of(block):
        emitter.hoist(expr, varying)
    memory = emitter.address("%workspace", offset, "i64")
    emitter.declarations["newton"] = "declare i32 @newton(i64) nounwind"
    loop, residual, done = (emitter.new_label(name) for name in ("newton", "residual", "solved"))
    emitter.store("0", memory, Header.PHASE, "i64")
    event = emitter.instruction(f"and i64 %mode, {int(Mode.EVENT | Mode.INITIAL)}")
    emitter.store(event, memory, Header.FREE, "i64")
    address = emitter.instruction(f"ptrtoint ptr {memory} to i64")
    emitter.line(f"br label %{loop}")

    emitter.begin_block(loop)
    status = emitter.instruction(f"call i32 @newton(i64 {address})")
    failed = emitter.instruction(f"icmp eq i32 {status}, {int(Result.FAILED)}", "b")
    writer.fail_if(failed, str(int(Result.FAILED)), index)
    size = emitter.load(memory, Header.SIZE, "i64")
    all_given = emitter.instruction(f"icmp ne i64 {size}, {n}", "b")
    for i, name in enumerate(block.unknowns):
        emitter.bind(name, emitter.load(memory, part_word(Part.UNKNOWNS, n_all) + i))
    for step in block.body:
        writer.simple_block(step, index)
        for i, name in _opened(block, defined_by(step)):
            given, computed = emitter.load(memory, part_word(Part.UNKNOWNS, n_all) + i), emitter.named(name)
            difference = emitter.instruction(f"fsub double {given}, {computed}")
            emitter.store(difference, memory, part_word(Part.RESIDUALS, n_all) + i)
            emitter.bind(name, emitter.instruction(f"select i1 {all_given}, double {given}, double {computed}"))
    solved = emitter.instruction(f"icmp eq i32 {status}, {int(Result.SOLVED)}", "b")
    emitter.line(f"br i1 {solved}, label %{done}, label %{residual}")

    with emitter.scope():
        emitter.begin_block(residual)
        for i, expr in enumerate(block.residuals):
            emitter.store(emitter.number(expr), memory, part_word(Part.RESIDUALS, n_all) + i)
        _write_jacobian(writer, block, index, memory, status, loop, size, all_given)
    emitter.begin_block(done)
    for i, name in _opened(block, block.opened):
        emitter.store(emitter.named(name), memory, part_word(Part.LAST, n_all) + i)


def _opened(block: NonlinearBlock, names: Iterable[str]) -> list[tuple[int, str]]:
    """Those of the names that are opened, with their places among all unknowns."""
    return [(len(block.unknowns) + block.opened.index(name), name) for name in names if name in block.opened]


def _write_jacobian(
    writer: BlockWriter, block: NonlinearBlock, index: int, memory: str, status: str, loop: str, size: str, all_given: str
) -> None:
    """Emit the loop over the columns of the Jacobian, entered where the kernel has asked for it.

    ``size`` is the number of columns; ``all_given`` says whether opened variables are unknowns.
    """
    emitter, n = writer.emitter, len(block.unknowns)
    jacobian, column, after = (emitter.new_label(name) for name in ("jacobian", "column", "columns"))
    wanted = emitter.instruction(f"icmp eq i32 {status}, {int(Result.JACOBIAN)}", "b")
    emitter.line(f"br i1 {wanted}, label %{jacobian}, label %{loop}")
    emitter.begin_block(jacobian)
    directions = {slope_name(name) for name in block.unknowns}
    for step in block.slopes:
        directions.update(defined_by(step))
    for step in block.slopes:
        for expr in expressions_of(step):
            emitter.hoist(expr, directions.__contains__)
    for expr in block.residual_slopes:
        emitter.hoist(expr, directions.__contains__)
    j, following = emitter.new("i"), emitter.new("i")
    before = emitter.label
    emitter.line(f"br label %{column}")

    emitter.begin_block(column)
    emitter.line(f"{j} = phi i64 [0, %{before}], [{following}, %{after}]")
    for i, name in enumerate(block.unknowns):
        emitter.bind(slope_name(name), _unit(emitter, i, j) if n > 1 or block.opened else double(1.0))
    top = emitter.address(memory, jacobian_word(n + len(block.opened)))

    def store(value: str, i: int) -> None:
        row = emitter.instruction(f"mul i64 {size}, {i}")
        place = emitter.instruction(f"add i64 {row}, {j}")
        emitter.line(f"store double {value}, ptr {emitter.instruction(f'getelementptr double, ptr {top}, i64 {place}', 'p')}")

    of_opened = {slope_name(name): i for i, name in _opened(block, block.opened)}
    for step in block.slopes:
        writer.simple_block(step, index)
        for name in defined_by(step):
            if name in of_opened:
                given, computed = _unit(emitter, of_opened[name], j), emitter.named(name)
                store(emitter.instruction(f"fsub double {given}, {computed}"), of_opened[name])
                emitter.bind(name, emitter.instruction(f"select i1 {all_given}, double {given}, double {computed}"))
    for i, expr in enumerate(block.residual_slopes):
        store(emitter.number(expr), i)
    emitter.line(f"br label %{after}")
    emitter.begin_block(after)
    emitter.line(f"{following} = add i64 {j}, 1")
    more = emitter.instruction(f"icmp slt i64 {following}, {size}", "b")
    emitter.line(f"br i1 {more}, label %{column}, label %{loop}")


def _unit(emitter: Emitter, i: int, j: str) -> str:
    here = emitter.instruction(f"icmp eq i64 {j}, {i}", "b")
    return emitter.instruction(f"select i1 {here}, double {double(1.0)}, double {double(0.0)}")
