"""Residual form of the machine code, for integrators of ``F(t, x, der(x)) = 0`` (RESIDUALS mode).

The integrator supplies der(x). Where a linear system of many equations has derivatives of states as its unknowns, its
residuals are evaluated once with these derivatives, in place of n + 1 evaluations and a solution (Neumayr & Otter 2024,
section 4). States without such a system have the residual ``der(x) - f``. Constraints of the index-1 form (`index_one`) are
residuals of their multipliers, whose derivatives move the states back onto the constraint.

A model that has neither is not changed by a single instruction: its residuals are ``der(x) - f``, by the wrapper.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from ...acausal.protocol import Mode
from ...model.expression import Const, Expr, Name, apply, div, mul, power, sum_of
from ..sorted.initial_values import inherit_initial_values, magnitude, nominal_values
from ..sorted.parts import Constraint, LinearBlock, defined_by
from ..sorted.sorted_model import SortedModel, derivatives_in_body
from .arrays import ArrayWriter
from .context import ContextSlot
from .expressions import Emitter
from .rows import BlockWriter, RowVariable, SystemMemory
from .systems import has_residuals, integrator_blocks

ResidualFunction = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
"""``int32 residuals(double t, double* x, double* xdot, double* r, int64* ctx)``, and ``indicators`` alike."""


def in_residual_mode(emitter: Emitter) -> str:
    """Return i1 value: the model is evaluated in RESIDUALS mode."""
    bit = emitter.instruction(f"and i64 %mode, {int(Mode.RESIDUALS)}")
    return emitter.instruction(f"icmp ne i64 {bit}, 0", "b")


def write_given_unknowns(writer: BlockWriter, memory: SystemMemory, states: Sequence[int]) -> str:
    """Write the copy of the derivatives that the integrator supplies in RESIDUALS mode to the unknowns of a block.

    Args:
        writer: of the model.
        memory: of the block.
        states: for each unknown the number of the state whose derivative it is.

    Returns:
        i1 value: whether it was done. With array unknowns the block must be large enough, too.
    """
    emitter = writer.emitter
    residual = in_residual_mode(emitter)
    if memory.system is None:
        assert writer.arrays is not None
        large = emitter.instruction(f"icmp ne i64 {writer.arrays.word('given', memory.index)}, 0", "b")
        residual = emitter.instruction(f"and i1 {residual}, {large}", "b")
    given, join = emitter.new_label("given"), emitter.new_label("begin")
    row = memory.field("unknowns")
    emitter.line(f"br i1 {residual}, label %{given}, label %{join}")
    with emitter.scope():
        emitter.begin_block(given)
        xdot = emitter.load("%ctx", ContextSlot.XDOT, "ptr")
        for variable, state in _arrays_among(writer, memory, states):
            _copy_array(writer, state, xdot, memory.address(row, variable))
        _copy(emitter, _scalars_among(memory, states), (xdot, True), (row.address(emitter), False), join)
    emitter.begin_block(join)
    return residual


def write_body(writer: BlockWriter, block: LinearBlock, memory: SystemMemory, given: str) -> dict[int, str]:
    """Return the steps of a block's body; where ``given`` holds, the derivatives among them are the integrator's, not their
    results.

    So each equation of the block is one residual that depends on what stands in it, not on all that the sequence has computed.

    Args:
        writer: of the model.
        block: to be written.
        memory: of the block.
        given: i1 value; "" where the integrator never supplies unknowns.

    Returns:
        Number of a scalar state -> ``der(x) - f``. Residuals of arrays are written to their places.
    """
    inside = derivatives_in_body(writer.model, block) if given else {}
    differences = {}
    for step in block.body:
        writer.simple_block(step, memory.index)
        for name in defined_by(step):
            if name in inside and _is_array(writer, writer.model.states[inside[name]]):
                _supply_array(writer, name, writer.model.states[inside[name]], given)
            elif name in inside:
                differences[inside[name]] = _supply(writer, memory, name, inside[name], given)
    return differences


def _supply(writer: BlockWriter, memory: SystemMemory, name: str, state: int, given: str) -> str:
    emitter = writer.emitter
    value, xdot = emitter.named(name), emitter.load("%ctx", ContextSlot.XDOT, "ptr")
    there = emitter.instruction(f"select i1 {given}, ptr {emitter.address(xdot, state)}, ptr {memory.pointer}", "p")
    rate = emitter.instruction(f"load double, ptr {there}")
    emitter.bind(name, emitter.instruction(f"select i1 {given}, double {rate}, double {value}"))
    return emitter.instruction(f"fsub double {rate}, {value}")


def _supply_array(writer: BlockWriter, name: str, state: str, given: str) -> None:
    emitter, arrays = writer.emitter, writer.arrays
    assert arrays is not None
    value, supplied, join = arrays.pointer(Name(name)), emitter.new_label("supplied"), emitter.new_label("computed")
    emitter.line(f"br i1 {given}, label %{supplied}, label %{join}")
    with emitter.scope():
        emitter.begin_block(supplied)
        xdot, n = emitter.load("%ctx", ContextSlot.XDOT, "ptr"), arrays.word("size", Name(state))
        rates = _array_in(writer, xdot, state)
        arrays.loop(n, _array_in(writer, "%out", state), partial(_difference, arrays, rates, value))
        arrays.copy(rates, value, n)
        emitter.line(f"br label %{join}")
    emitter.begin_block(join)


def write_block_residuals(
    writer: BlockWriter, memory: SystemMemory, states: Sequence[int], given: str, differences: Mapping[int, str]
) -> None:
    """Write the residuals of a block after its last evaluation, and those of `write_body`, as those of the states.

    They are written where ``given`` holds.
    """
    emitter, row = writer.emitter, memory.field("residuals")
    store, join = emitter.new_label("residuals"), emitter.new_label("stored")
    emitter.line(f"br i1 {given}, label %{store}, label %{join}")
    with emitter.scope():
        emitter.begin_block(store)
        for k, difference in differences.items():
            emitter.store(difference, "%out", k)
        for variable, state in _arrays_among(writer, memory, states):
            arrays = writer.arrays
            assert arrays is not None
            arrays.copy(memory.address(row, variable), _array_in(writer, "%out", state), variable.elements)
        _copy(emitter, _scalars_among(memory, states), (row.address(emitter), False), ("%out", True), join)
    emitter.begin_block(join)


def _arrays_among(writer: BlockWriter, memory: SystemMemory, states: Sequence[int]) -> list[tuple[RowVariable, str]]:
    return [(v, writer.model.states[k]) for v, k in zip(memory.unknowns, states, strict=True) if v.elements]


def _scalars_among(memory: SystemMemory, states: Sequence[int]) -> list[int]:
    """Return the states that are scalars; these come first among the unknowns and among all states."""
    return [k for v, k in zip(memory.unknowns, states, strict=True) if not v.elements]


def _array_in(writer: BlockWriter, vector: str, state: str) -> str:
    """Return the address of an array state in a vector of all states."""
    assert writer.arrays is not None
    return writer.arrays.offset(vector, writer.arrays.word("state", Name(state)))


def _copy_array(writer: BlockWriter, state: str, source: str, target: str) -> None:
    assert writer.arrays is not None
    writer.arrays.copy(_array_in(writer, source, state), target, writer.arrays.word("size", Name(state)))


def _copy(
    emitter: Emitter,
    states: Sequence[int],
    source: tuple[str, bool],
    target: tuple[str, bool],
    end: str,
    subtract: bool = False,
) -> None:
    """Write a loop over states that copies from ``source``, minus what is in ``target`` if wanted, and goes on at ``end``.

    The flags say whether the array is indexed by the number of the state or by the place in ``states``.
    """
    if not states:
        emitter.line(f"br label %{end}")
        return
    table = f"@states.{len(emitter.declarations)}"
    numbers = ", ".join(f"i64 {k}" for k in states)
    emitter.declarations[table] = f"{table} = private constant [{len(states)} x i64] [{numbers}]"
    before, loop = emitter.label, emitter.new_label("copy")
    emitter.line(f"br label %{loop}")
    emitter.begin_block(loop)
    i, following = emitter.new("i"), emitter.new("i")
    emitter.line(f"{i} = phi i64 [0, %{before}], [{following}, %{loop}]")
    k = emitter.instruction(f"load i64, ptr {emitter.instruction(f'getelementptr i64, ptr {table}, i64 {i}', 'p')}")
    read, write = (
        emitter.instruction(f"getelementptr double, ptr {base}, i64 {k if by_state else i}", "p")
        for base, by_state in (source, target)
    )
    value = emitter.instruction(f"load double, ptr {read}")
    if subtract:
        value = emitter.instruction(f"fsub double {value}, {emitter.instruction(f'load double, ptr {write}')}")
    emitter.line(f"store double {value}, ptr {write}")
    emitter.line(f"{following} = add i64 {i}, 1")
    more = emitter.instruction(f"icmp slt i64 {following}, {len(states)}", "b")
    emitter.line(f"br i1 {more}, label %{loop}, label %{end}")


def write_derivatives(writer: BlockWriter) -> None:
    """Store der(x), or the residuals in RESIDUALS mode, of the states of the equations."""
    emitter, model = writer.emitter, writer.model
    scalars = [k for k, name in enumerate(model.states) if not _is_array(writer, name)]
    if not has_residuals(model):
        _store_derivatives(emitter, model, scalars)
        _store_arrays(writer)
        return
    written = _written(writer)
    always = {k for k, given in written.items() if given is None}
    others = [k for k in scalars if k not in written]
    if not model.constraints:
        _store_derivatives(emitter, model, others)
    residuals, derivatives, stored = (emitter.new_label(name) for name in ("residuals", "derivatives", "stored"))
    emitter.line(f"br i1 {in_residual_mode(emitter)}, label %{residuals}, label %{derivatives}")
    with emitter.scope():
        emitter.begin_block(residuals)
        _store_array_residuals(writer, written)
        if model.constraints:
            _store_residuals(writer, scalars, written)
            emitter.line(f"br label %{stored}")
        else:
            xdot = emitter.load("%ctx", ContextSlot.XDOT, "ptr")
            for k in [k for k in scalars if k in written and k not in always]:
                emitter.store(_residual(writer, k, xdot, written), "%out", k)
            _copy(emitter, others, (xdot, True), ("%out", True), stored, subtract=True)
    with emitter.scope():
        emitter.begin_block(derivatives)
        _store_derivatives(emitter, model, scalars if model.constraints else [k for k in scalars if k in written])
        _store_arrays(writer)
        emitter.line(f"br label %{stored}")
    emitter.begin_block(stored)


def _is_array(writer: BlockWriter, state: str) -> bool:
    return writer.arrays is not None and writer.arrays.is_array(state)


def _written(writer: BlockWriter) -> dict[int, str | None]:
    """Return the states whose residuals are those of linear systems, and the i1 value that says whether; None: in any case."""
    found = dict[int, str | None]()
    for index, states in integrator_blocks(writer.model).items():
        block = writer.model.blocks[index]
        assert isinstance(block, LinearBlock)
        found |= dict.fromkeys((*states, *derivatives_in_body(writer.model, block).values()), writer.given.get(index))
    return found


def _store_derivatives(emitter: Emitter, model: SortedModel, states: Iterable[int]) -> None:
    for k in states:
        emitter.store(emitter.named(model.derivatives[k]), "%out", k)


def _store_arrays(writer: BlockWriter) -> None:
    for state, derivative in zip(writer.model.states, writer.model.derivatives, strict=True):
        if _is_array(writer, state):
            assert writer.arrays is not None
            source, n = writer.arrays.pointer(Name(derivative)), writer.arrays.word("size", Name(state))
            writer.arrays.copy(source, _array_in(writer, "%out", state), n)


def _store_array_residuals(writer: BlockWriter, written: Mapping[int, str | None]) -> None:
    """Write ``der(x) - f`` of array states, unless a system has written their residuals."""
    arrays, emitter = writer.arrays, writer.emitter
    if arrays is None:
        return
    for k, (state, derivative) in enumerate(zip(writer.model.states, writer.model.derivatives, strict=True)):
        if not arrays.is_array(state):
            continue
        n = arrays.word("size", Name(state))
        rates = _array_in(writer, emitter.load("%ctx", ContextSlot.XDOT, "ptr"), state)
        value, target = arrays.pointer(Name(derivative)), _array_in(writer, "%out", state)
        if k in written:
            n = emitter.instruction(f"select i1 {written[k]}, i64 0, i64 {n}")
        arrays.loop(n, target, partial(_difference, arrays, rates, value))


def _difference(arrays: ArrayWriter, first: str, second: str, i: str) -> str:
    """Return the element i of a difference."""
    return arrays.emitter.instruction(f"fsub double {arrays.element(first, i)}, {arrays.element(second, i)}")


def _residual(writer: BlockWriter, k: int, xdot: str, written: Mapping[int, str | None]) -> str:
    """Return the residual of a scalar state: what its system has written, or ``der(x) - f``."""
    emitter = writer.emitter
    if k in written and written[k] is None:
        return emitter.load("%out", k)
    rate = emitter.load(xdot, k)
    value = emitter.instruction(f"fsub double {rate}, {emitter.named(writer.model.derivatives[k])}")
    if k in written:
        value = emitter.instruction(f"select i1 {written[k]}, double {emitter.load('%out', k)}, double {value}")
    return value


def _store_residuals(writer: BlockWriter, scalars: Sequence[int], written: Mapping[int, str | None]) -> None:
    emitter, model = writer.emitter, writer.model
    index = {name: k for k, name in enumerate(model.states)}
    xdot = emitter.load("%ctx", ContextSlot.XDOT, "ptr")
    value = {k: _residual(writer, k, xdot, written) for k in scalars if k not in written or written[k] is not None}
    nominal = nominal_values(inherit_initial_values(model.flat.variables, model.aliases))
    forms = [scaled(constraint, nominal) for constraint in model.constraints]  # kept: the emitter knows expressions by identity
    for constraint, (residual, directions) in zip(model.constraints, forms, strict=True):
        multiplier = index[constraint.multiplier]
        rate = emitter.load(xdot, multiplier)
        for state, direction in directions.items():
            k = index[state]
            push = emitter.instruction(f"fmul double {emitter.number(direction)}, {rate}")
            if k not in value:  # the residual is that of a linear system, and stands there
                value[k] = emitter.load("%out", k)
            value[k] = emitter.instruction(f"fsub double {value[k]}, {push}")
        value[multiplier] = emitter.number(residual)
    for k, text in value.items():
        emitter.store(text, "%out", k)


def scaled(constraint: Constraint, nominal: Mapping[str, float]) -> tuple[Expr, dict[str, Expr]]:
    """Return the residual and directions of a constraint, independent of the factor that it is multiplied by and of units.

    The residual is divided by the length of its gradient with respect to ``x/nominal``, so that it is the distance from the
    constraint. Errors of the multiplier, which integrators test like those of states, are a hundredth of the way that it moves
    the states. Without this a mechanism of centimetres took a thousand times the steps of one of metres.
    """
    sizes = {state: Const(magnitude(state, nominal)) for state in constraint.directions}
    squares = sum_of(power(mul(slope, sizes[state]), Const(2.0)) for state, slope in constraint.directions.items())
    length = apply("sqrt", apply("max", squares, Const(_SMALLEST_SQUARE)))
    directions = {
        state: div(mul(mul(slope, power(sizes[state], Const(2.0))), Const(_PUSH)), length)
        for state, slope in constraint.directions.items()
    }
    return div(constraint.residual, length), directions


_PUSH = 100.0
"""How far a multiplier moves the states. Its own value does not matter, so its error should not. Steps for the slider-crank of
an engine at a tolerance of 1e-9 with 1, 10, 100, 1000: 77000, 3400, 3500, 3200."""

_SMALLEST_SQUARE = 1e-200
"""Where the gradient is zero, so is the residual that is divided by its length."""

WRAPPERS = f"""declare i32 @modia_model(double, ptr, ptr, ptr, i64, ptr)
declare ptr @N_VGetArrayPointer(ptr)
define i32 @residuals(double %t, ptr %x, ptr %xdot, ptr %r, ptr %ctx) nounwind {{
entry:
  %xdot.slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.XDOT)}
  store ptr %xdot, ptr %xdot.slot
  %done.slot = getelementptr i64, ptr %ctx, i64 {int(ContextSlot.N_RESIDUALS)}
  %done = load i64, ptr %done.slot
  %n.slot = getelementptr i64, ptr %ctx, i64 {int(ContextSlot.N_X)}
  %n = load i64, ptr %n.slot
  %own = icmp ne i64 %done, 0
  %mode = select i1 %own, i64 {int(Mode.RESIDUALS)}, i64 {int(Mode.DERIVATIVES)}
  %status = call i32 @modia_model(double %t, ptr %x, ptr %r, ptr null, i64 %mode, ptr %ctx)
  br label %loop
loop:
  %i = phi i64 [%done, %entry], [%next, %body]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %rate.at = getelementptr double, ptr %xdot, i64 %i
  %rate = load double, ptr %rate.at
  %value.at = getelementptr double, ptr %r, i64 %i
  %value = load double, ptr %value.at
  %difference = fsub double %rate, %value
  store double %difference, ptr %value.at
  %next = add i64 %i, 1
  br label %loop
end:
  ret i32 %status
}}
define i32 @indicators(double %t, ptr %x, ptr %xdot, ptr %g, ptr %ctx) nounwind {{
  %xdot.slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.XDOT)}
  store ptr %xdot, ptr %xdot.slot
  %done.slot = getelementptr i64, ptr %ctx, i64 {int(ContextSlot.N_RESIDUALS)}
  %done = load i64, ptr %done.slot
  %own = icmp ne i64 %done, 0
  %mode = select i1 %own, i64 {int(Mode.RESIDUALS | Mode.INDICATORS)}, i64 {int(Mode.INDICATORS)}
  %slot = getelementptr ptr, ptr %ctx, i64 {int(ContextSlot.SCRATCH)}
  %scratch = load ptr, ptr %slot
  %status = call i32 @modia_model(double %t, ptr %x, ptr %scratch, ptr %g, i64 %mode, ptr %ctx)
  ret i32 %status
}}
define i32 @res(double %t, ptr %y, ptr %yp, ptr %r, ptr %ctx) nounwind {{
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %xdot = call ptr @N_VGetArrayPointer(ptr %yp)
  %out = call ptr @N_VGetArrayPointer(ptr %r)
  %status = call i32 @residuals(double %t, ptr %x, ptr %xdot, ptr %out, ptr %ctx)
  ret i32 %status
}}
define i32 @dae_root(double %t, ptr %y, ptr %yp, ptr %g, ptr %ctx) nounwind {{
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %xdot = call ptr @N_VGetArrayPointer(ptr %yp)
  %status = call i32 @indicators(double %t, ptr %x, ptr %xdot, ptr %g, ptr %ctx)
  ret i32 %status
}}
"""
"""``residuals(t, x, xdot, r, ctx)`` and ``indicators(t, x, xdot, g, ctx)`` over plain arrays; ``res`` and ``dae_root`` are the
same with the signatures of IDA. States beyond those of the equations belong to components, which compute derivatives."""
