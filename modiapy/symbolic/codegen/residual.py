"""Residual form of the machine code, for integrators of ``F(t, x, der(x)) = 0`` (RESIDUALS mode).

The integrator supplies der(x). Where a linear system of many equations has derivatives of states as its unknowns, its
residuals are evaluated once with these derivatives, in place of n + 1 evaluations and a solution (Neumayr & Otter 2024,
section 4). States without such a system have the residual ``der(x) - f``. Constraints of the index-1 form (`index_one`) are
residuals of their multipliers, whose derivatives move the states back onto the constraint.

A model that has neither is not changed by a single instruction: its residuals are ``der(x) - f``, by the wrapper.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping
from typing import Protocol

from ...acausal.protocol import Mode
from ...model.expression import Const, Expr, apply, div, mul, power, sum_of
from ..structure.sorted_model import Constraint, LinearBlock, SortedModel, inherit_initial_values, magnitude, nominal_values
from .context import ContextSlot
from .expressions import Emitter
from .linear import BlockWriter

DAE_SIZE = 12
"""Unknowns of a linear system from which on it is left to the integrator in DAE mode. Measured, damped chains of n links (see
`benchmarks.dae_mode`), ODE and DAE mode [ms]: 7 and 9 for 10, 8.2 and 6.5 for 12, 17 and 12 for 20, 50 and 30 for 40."""

ResidualFunction = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
"""``int32 residuals(double t, double* x, double* xdot, double* r, int64* ctx)``, and ``indicators`` alike."""


class ModelWriter(BlockWriter, Protocol):
    """What the residual form needs of the writer of the model."""

    model: SortedModel


def integrator_blocks(model: SortedModel) -> dict[int, tuple[int, ...]]:
    """Blocks whose unknowns an integrator can supply: index of the block -> for each residual the state it stands for."""
    state_of = {name: k for k, name in enumerate(model.derivatives)}
    return {
        index: tuple(state_of[name] for name in block.unknowns)
        for index, block in enumerate(model.blocks)
        if isinstance(block, LinearBlock)
        and not model.flat.shapes
        and len(block.unknowns) >= DAE_SIZE
        and all(name in state_of for name in block.unknowns)
    }


def has_residuals(model: SortedModel) -> bool:
    """Whether the model has a residual form of its own, other than ``der(x) - f``."""
    return bool(model.constraints) or bool(integrator_blocks(model))


def in_residual_mode(emitter: Emitter) -> str:
    """i1 value: the model is evaluated in RESIDUALS mode."""
    bit = emitter.instruction(f"and i64 %mode, {int(Mode.RESIDUALS)}")
    return emitter.instruction(f"icmp ne i64 {bit}, 0", "b")


def write_given_unknowns(emitter: Emitter, states: tuple[int, ...], memory: str, first: int) -> str:
    """In RESIDUALS mode store the derivatives supplied by the integrator as the unknowns of a block.

    Args:
        emitter: of the model.
        states: for each unknown the state whose derivative it is.
        memory: of the block.
        first: word of the first unknown.

    Returns:
        i1 value: whether it was done.
    """
    residual = in_residual_mode(emitter)
    given, join = emitter.new_label("given"), emitter.new_label("begin")
    emitter.line(f"br i1 {residual}, label %{given}, label %{join}")
    with emitter.scope():
        emitter.begin_block(given)
        xdot = emitter.load("%ctx", ContextSlot.XDOT, "ptr")
        _copy(emitter, states, (xdot, True), (emitter.address(memory, first), False), join)
    emitter.begin_block(join)
    return residual


def write_block_residuals(emitter: Emitter, states: tuple[int, ...], residual: str, memory: str, first: int) -> None:
    """After the last evaluation of a block: its residuals, from word ``first`` of its memory, are those of the states."""
    store, join = emitter.new_label("residuals"), emitter.new_label("stored")
    emitter.line(f"br i1 {residual}, label %{store}, label %{join}")
    with emitter.scope():
        emitter.begin_block(store)
        _copy(emitter, states, (emitter.address(memory, first), False), ("%out", True), join)
    emitter.begin_block(join)


def _copy(
    emitter: Emitter,
    states: tuple[int, ...],
    source: tuple[str, bool],
    target: tuple[str, bool],
    end: str,
    subtract: bool = False,
) -> None:
    """A loop over states that copies from ``source``, minus what is in ``target`` if wanted, and goes on at ``end``.

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


def write_derivatives(writer: ModelWriter) -> None:
    """Store der(x), or the residuals in RESIDUALS mode, of the states of the equations."""
    emitter, model = writer.emitter, writer.model
    if not has_residuals(model):
        _store_derivatives(emitter, model, range(len(model.states)))
        return
    written = {k for states in integrator_blocks(model).values() for k in states}
    others = tuple(k for k in range(len(model.states)) if k not in written)
    if not model.constraints:
        _store_derivatives(emitter, model, others)
    residuals, derivatives, stored = (emitter.new_label(name) for name in ("residuals", "derivatives", "stored"))
    emitter.line(f"br i1 {in_residual_mode(emitter)}, label %{residuals}, label %{derivatives}")
    with emitter.scope():
        emitter.begin_block(residuals)
        if model.constraints:
            _store_residuals(emitter, model)
            emitter.line(f"br label %{stored}")
        else:
            xdot = emitter.load("%ctx", ContextSlot.XDOT, "ptr")
            _copy(emitter, others, (xdot, True), ("%out", True), stored, subtract=True)
    with emitter.scope():
        emitter.begin_block(derivatives)
        _store_derivatives(emitter, model, range(len(model.states)) if model.constraints else sorted(written))
        emitter.line(f"br label %{stored}")
    emitter.begin_block(stored)


def _store_derivatives(emitter: Emitter, model: SortedModel, states: Iterable[int]) -> None:
    for k in states:
        if not model.flat.shapes.get(model.states[k]):
            emitter.store(emitter.named(model.derivatives[k]), "%out", k)


def _store_residuals(emitter: Emitter, model: SortedModel) -> None:
    written = {k for states in integrator_blocks(model).values() for k in states}
    index = {name: k for k, name in enumerate(model.states)}
    xdot = emitter.load("%ctx", ContextSlot.XDOT, "ptr")
    value = {k: emitter.load(xdot, k) for k in range(len(model.states)) if k not in written}
    for k, name in enumerate(model.derivatives):
        if k not in written:
            value[k] = emitter.instruction(f"fsub double {value[k]}, {emitter.named(name)}")
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
    """Residual and directions of a constraint, independent of the factor that it is multiplied by and of units.

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
