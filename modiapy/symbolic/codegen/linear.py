"""Linear equation iteration (Neumayr & Otter 2024, listings 7 and 8) as LLVM IR; its memory is laid out in `linear_memory`.

The block is evaluated in a loop for w = 0 (residual -b), for the unit vectors (columns of A) and for the solution, which
leaves the values of all variables behind. The code has one copy of the equations and one load and store per unknown: O(n).
A is a difference of residuals and carries their rounding errors, so that the solution is corrected once by its own
residual where it is large enough for that to matter.
"""

from __future__ import annotations

from collections.abc import Callable

from ..kernels.linear_memory import (
    BEGIN,
    COMPUTE_A,
    COMPUTE_B,
    EPSILON,
    FACTORISED,
    GIVEN,
    KERNEL,
    LINEAR,
    PHASE,
    PROBE,
    REFINE,
    REFINE_ABOVE,
    SOLVED,
    STATUS_SINGULAR,
)
from ..sorted.parts import LinearBlock, expressions_of
from .expressions import Emitter, double
from .residual import write_block_residuals, write_body, write_given_unknowns
from .rows import BlockWriter, SystemMemory
from .systems import Solver, System


def write_linear_block(
    writer: BlockWriter,
    block: LinearBlock,
    index: int,
    system: System | None,
    varying: Callable[[str], bool],
    states: tuple[int, ...] = (),
) -> str:
    """Emit the loop of a block.

    Args:
        writer: of the model.
        block: to be written.
        index: of the block, for a failure.
        system: of scalars; None for one with array unknowns, whose sizes are loaded.
        varying: whether a name depends on the block's variables; everything else is computed before the loop.
        states: for each unknown the state whose derivative it is, if an integrator may supply them (RESIDUALS mode).

    Returns:
        i1 value: whether the integrator has supplied the unknowns; "" where it never does.
    """
    for expr in expressions_of(block):
        writer.hoist(expr, varying)
    memory = SystemMemory(writer, block, index, system)
    if system is not None and system.solver is Solver.DIVISION:
        _write_division(writer, block, index, memory.pointer)
        return ""
    return _write_system(writer, block, index, memory, states)


def _write_system(writer: BlockWriter, block: LinearBlock, index: int, memory: SystemMemory, states: tuple[int, ...]) -> str:
    emitter = writer.emitter
    loop, residual, done = (emitter.new_label(name) for name in ("iterate", "residual", "solved"))
    phase, given = str(BEGIN), ""
    if states:
        given = write_given_unknowns(writer, memory, states)
        phase = emitter.instruction(f"select i1 {given}, i64 {GIVEN}, i64 {BEGIN}")
    emitter.store(phase, memory.pointer, PHASE, "i64")
    kernel = emitter.load(memory.pointer, KERNEL, "ptr")
    address = emitter.instruction(f"ptrtoint ptr {memory.pointer} to i64")
    unknowns, residuals = memory.field("unknowns"), memory.field("residuals")
    emitter.line(f"br label %{loop}")

    emitter.begin_block(loop)
    status = emitter.instruction(f"call i32 {kernel}(i64 {address})")
    singular = emitter.instruction(f"icmp eq i32 {status}, {STATUS_SINGULAR}", "b")
    writer.fail_if(singular, str(STATUS_SINGULAR), index)
    memory.read(memory.unknowns, unknowns)
    differences = write_body(writer, block, memory, given)
    solved = emitter.instruction(f"icmp eq i32 {status}, {SOLVED}", "b")
    if states:
        solved = emitter.instruction(f"and i1 {solved}, {emitter.instruction(f'xor i1 {given}, true', 'b')}", "b")
    emitter.line(f"br i1 {solved}, label %{done}, label %{residual}")

    with emitter.scope():
        emitter.begin_block(residual)
        for variable, expr in zip(memory.unknowns, block.residuals, strict=True):
            memory.write(expr, residuals, variable)
        emitter.line(f"br i1 {given}, label %{done}, label %{loop}" if states else f"br label %{loop}")
    emitter.begin_block(done)
    if states:
        write_block_residuals(writer, memory, states, given, differences)
    return given


_SLOPE = LINEAR.offset("matrix", n=1)


def _write_division(writer: BlockWriter, block: LinearBlock, index: int, memory: str) -> None:
    """Write the solution for one unknown: w = 0 gives r0, w = PROBE the slope a = (r1 - r0)/PROBE, the solution is -r0/a."""
    emitter = writer.emitter
    loop, residual, latch, done = (emitter.new_label(name) for name in ("iterate", "residual", "next", "solved"))
    known = "false"
    slope = double(0.0)
    if block.constant:
        known = emitter.instruction(f"trunc i64 {emitter.load(memory, FACTORISED, 'i64')} to i1", "b")
        slope = emitter.load(memory, _SLOPE)
    before = emitter.label
    emitter.line(f"br label %{loop}")

    emitter.begin_block(loop)
    names = {"w": "double", "phase": "i64", "r0": "double", "a": "double"}
    now = {name: emitter.new("t") for name in names}
    then = {name: emitter.new("t") for name in names}
    start = {"w": double(0.0), "phase": str(COMPUTE_B), "r0": double(0.0), "a": slope}
    for name, kind in names.items():
        emitter.line(f"{now[name]} = phi {kind} [{start[name]}, %{before}], [{then[name]}, %{latch}]")
    emitter.bind(block.unknowns[0], now["w"])
    for inner in block.body:
        writer.simple_block(inner, index)
    solved = emitter.instruction(f"icmp ugt i64 {now['phase']}, {REFINE}", "b")
    emitter.line(f"br i1 {solved}, label %{done}, label %{residual}")

    with emitter.scope():
        emitter.begin_block(residual)
        first = emitter.instruction(f"icmp eq i64 {now['phase']}, {COMPUTE_B}", "b")
        second = emitter.instruction(f"icmp eq i64 {now['phase']}, {COMPUTE_A}", "b")
        _write_next_division(emitter, emitter.number(block.residuals[0]), known, (first, second), now, then)
        writer.fail_if(_singular(emitter, second, now["r0"], then["a"]), str(STATUS_SINGULAR), index)
        emitter.line(f"br label %{latch}")
        emitter.begin_block(latch)
        if block.constant:
            emitter.store(then["a"], memory, _SLOPE)
            factorised = emitter.instruction(f"or i1 {second}, {known}", "b")
            later = emitter.instruction(f"icmp eq i64 {now['phase']}, {REFINE}", "b")
            factorised = emitter.instruction(f"or i1 {factorised}, {later}", "b")
            emitter.store(emitter.instruction(f"zext i1 {factorised} to i64"), memory, FACTORISED, "i64")
        emitter.line(f"br label %{loop}")
    emitter.begin_block(done)


def _write_next_division(
    emitter: Emitter, r: str, known: str, phase: tuple[str, str], now: dict[str, str], then: dict[str, str]
) -> None:
    """Write the values for the next pass: w, the phase, r0 and the slope."""
    first, second = phase
    emitter.line(f"{then['r0']} = select i1 {first}, double {r}, double {now['r0']}")
    difference = emitter.instruction(f"fsub double {r}, {now['r0']}")
    slope = emitter.instruction(f"fmul double {difference}, {double(1.0 / PROBE)}")
    emitter.line(f"{then['a']} = select i1 {second}, double {slope}, double {now['a']}")
    unknown = emitter.instruction(f"xor i1 {known}, true", "b")
    trial = emitter.instruction(f"and i1 {first}, {unknown}", "b")
    solving = emitter.instruction(f"or i1 {first}, {second}", "b")
    base = emitter.instruction(f"select i1 {solving}, double {double(0.0)}, double {now['w']}")
    top = emitter.instruction(f"select i1 {solving}, double {then['r0']}, double {r}")
    quotient = emitter.instruction(f"fdiv double {top}, {then['a']}")
    solution = emitter.instruction(f"fsub double {base}, {quotient}")
    emitter.line(f"{then['w']} = select i1 {trial}, double {double(PROBE)}, double {solution}")
    emitter.declarations["llvm.fabs.f64"] = "declare double @llvm.fabs.f64(double) memory(none) nounwind willreturn"
    size = emitter.instruction(f"call double @llvm.fabs.f64(double {solution})")
    large = emitter.instruction(f"fcmp ogt double {size}, {double(REFINE_ABOVE)}", "b")
    refine = emitter.instruction(f"and i1 {large}, {solving}", "b")
    after = emitter.instruction(f"select i1 {refine}, i64 {REFINE}, i64 {REFINE + 1}")
    emitter.line(f"{then['phase']} = select i1 {trial}, i64 {COMPUTE_A}, i64 {after}")


def _singular(emitter: Emitter, computed: str, r0: str, slope: str) -> str:
    """Return the condition, as code, that the slope just computed is nothing but the rounding error of the residuals."""
    size = emitter.instruction(f"call double @llvm.fabs.f64(double {slope})")
    scale = emitter.instruction(f"call double @llvm.fabs.f64(double {r0})")
    noise = emitter.instruction(f"fmul double {scale}, {double(2.0 * EPSILON / PROBE)}")
    small = emitter.instruction(f"fcmp ole double {size}, {noise}", "b")
    return emitter.instruction(f"and i1 {computed}, {small}", "b")
