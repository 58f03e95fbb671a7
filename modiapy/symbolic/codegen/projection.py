"""Machine code that brings states onto the constraints of components, for integrators and for what is stored.

Which functions are called, those of the model too, stands in a table (`ProjectionSlot`, `Entry`) that belongs to one simulation
and is rewritten when a segment begins: the code is the same for all models, and loaded once. Integrators that cannot project
the states themselves get a right-hand side that is evaluated where they should be, and draws them there:
``der(x) = f(t, p(x)) + pull*(p(x) - x)``. On the constraints it is that of the model, and what the integrator's errors leave
beside them dies out in place of being summed up. The rate ``pull`` follows the steps: a large one makes a slow model stiff.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from enum import IntEnum

from ...acausal.protocol import Mode, Slot
from .context import ContextSlot
from .math_library import math_address
from .object_cache import LoadedObject, load, object_file

NOT_FINITE = -(2**31)
"""Status in the table of a projection that gave what is no number."""


class ProjectionSlot(IntEnum):
    """Words of the table. FAILED is the number of the component, in the order of the entries; -1: the model."""

    COUNT = 0  # of entries
    DONE = 1  # number of projections so far
    FAILED = 2
    STATUS = 3  # of the last projection; 0 where it did not fail
    TIME = 4  # where it failed: bits of a double
    STATES = 5  # addresses of memory for states, shape (n,), and for their derivatives
    RATES = 6
    MODEL = 7  # addresses of functions of the model: the model itself, and those of the residual form
    RESIDUALS = 8
    INDICATORS = 9
    PULL = 10  # double: how fast integrators are drawn [1/s]
    ENTRIES = 11


class Entry(IntEnum):
    """Words for one component."""

    FUNCTION = 0
    CONTEXT = 1
    OFFSET = 2  # of its states among all
    EVALUATE = 3


ProjectFunction = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""``int32 project(double t, double* x, double* err, int64* ctx)``: x in place, err too where it is not null."""

PointsFunction = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""``int64 project_points(int64 count, double* t, double* x, int64* ctx)``: how many points were projected, one after the other
in place, until one failed."""

VectorFunction = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
"""``int32 f(double t, double* x, double* out, int64* ctx)``: "drawn_rhs" and "projected_root"."""


def _words(enum: type[IntEnum], base: str, kinds: dict[str, str]) -> str:
    """Return the instructions that load words of a table at ``base`` as ``%name``."""
    return "\n".join(
        f"  %{name}.at = getelementptr i64, ptr {base}, i64 {int(enum[name.upper()])}\n  %{name} = load {kind}, ptr %{name}.at"
        for name, kind in kinds.items()
    )


_TABLE = f"""  %table.at = getelementptr i64, ptr %ctx, i64 {int(ContextSlot.PROJECTION)}
  %table = load ptr, ptr %table.at
"""
_SIZE = f"""  %n.at = getelementptr i64, ptr %ctx, i64 {int(ContextSlot.N_X)}
  %n = load i64, ptr %n.at
"""
_SCRATCH = f"""  %scratch.at = getelementptr i64, ptr %ctx, i64 {int(ContextSlot.SCRATCH)}
  %scratch = load ptr, ptr %scratch.at
"""

_ARRAYS = """define internal void @draw(ptr %to, ptr %from, double %factor, ptr %a, ptr %b, i64 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %from.at = getelementptr double, ptr %from, i64 %i
  %value = load double, ptr %from.at
  %a.at = getelementptr double, ptr %a, i64 %i
  %first = load double, ptr %a.at
  %b.at = getelementptr double, ptr %b, i64 %i
  %second = load double, ptr %b.at
  %way = fsub double %first, %second
  %part = fmul double %factor, %way
  %moved = fadd double %value, %part
  %to.at = getelementptr double, ptr %to, i64 %i
  store double %moved, ptr %to.at
  %next = add i64 %i, 1
  br label %loop
end:
  ret void
}
define internal void @subtract(ptr %to, ptr %from, i64 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %body]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %from.at = getelementptr double, ptr %from, i64 %i
  %value = load double, ptr %from.at
  %to.at = getelementptr double, ptr %to, i64 %i
  %minuend = load double, ptr %to.at
  %difference = fsub double %minuend, %value
  store double %difference, ptr %to.at
  %next = add i64 %i, 1
  br label %loop
end:
  ret void
}
define internal i1 @finite(ptr %x, i64 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %body]
  %zero = phi double [0.0, %entry], [%sum, %body]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %x.at = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %x.at
  %nothing = fmul double %value, 0.0
  %sum = fadd double %zero, %nothing
  %next = add i64 %i, 1
  br label %loop
end:
  %good = fcmp oeq double %zero, 0.0
  ret i1 %good
}
"""

_PROJECT = f"""define i32 @project(double %t, ptr %x, ptr %err, ptr %ctx) nounwind {{
entry:
{_TABLE}{_SIZE}{_SCRATCH}{
    _words(
        ProjectionSlot,
        "%table",
        {"count": "i64", "done": "i64", "failed": "i64", "status": "i64", "time": "double", "model": "ptr"},
    )
}
  %counted = add i64 %done, 1
  store i64 %counted, ptr %done.at
  store i64 0, ptr %status.at
  br label %loop
loop:
  %k = phi i64 [0, %entry], [%next, %going_on]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %end
body:
  %row = mul i64 %k, {len(Entry)}
  %word = add i64 %row, {int(ProjectionSlot.ENTRIES)}
  %own = getelementptr i64, ptr %table, i64 %word
{_words(Entry, "%own", {"function": "ptr", "context": "ptr", "offset": "i64", "evaluate": "i64"})}
  %wanted = icmp ne i64 %evaluate, 0
  br i1 %wanted, label %evaluating, label %projecting
evaluating:
  %evaluated = call i32 %model(double %t, ptr %x, ptr %scratch, ptr null, i64 {int(Mode.DERIVATIVES)}, ptr %ctx)
  %unknown = icmp ne i32 %evaluated, 0
  br i1 %unknown, label %failing, label %projecting
projecting:
  %now = getelementptr double, ptr %context, i64 {int(Slot.TIME)}
  store double %t, ptr %now
  %x.own = getelementptr double, ptr %x, i64 %offset
  %is.null = icmp eq ptr %err, null
  %err.behind = getelementptr double, ptr %err, i64 %offset
  %err.own = select i1 %is.null, ptr null, ptr %err.behind
  %projected = call i32 %function(ptr %context, ptr %x, ptr %x.own, ptr %err, ptr %err.own)
  %wrong = icmp ne i32 %projected, 0
  br i1 %wrong, label %failing, label %checking
checking:
  %good = call i1 @finite(ptr %x, i64 %n)
  br i1 %good, label %going_on, label %failing
going_on:
  %next = add i64 %k, 1
  br label %loop
failing:
  %who = phi i64 [-1, %evaluating], [%k, %projecting], [%k, %checking]
  %why = phi i32 [%evaluated, %evaluating], [%projected, %projecting], [{NOT_FINITE}, %checking]
  %reason = sext i32 %why to i64
  store i64 %who, ptr %failed.at
  store i64 %reason, ptr %status.at
  store double %t, ptr %time.at
  ret i32 1
end:
  ret i32 0
}}
define i64 @project_points(i64 %count, ptr %t, ptr %x, ptr %ctx) nounwind {{
entry:
{_SIZE}  br label %loop
loop:
  %k = phi i64 [0, %entry], [%next, %good]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %body, label %end
body:
  %t.at = getelementptr double, ptr %t, i64 %k
  %time = load double, ptr %t.at
  %first = mul i64 %k, %n
  %row = getelementptr double, ptr %x, i64 %first
  %status = call i32 @project(double %time, ptr %row, ptr null, ptr %ctx)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %end, label %good
good:
  %next = add i64 %k, 1
  br label %loop
end:
  ret i64 %k
}}
"""

_DRAWN = f"""define internal i32 @copied(double %t, ptr %x, ptr %states, i64 %n, ptr %ctx) nounwind {{
  %bytes = mul i64 %n, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %states, ptr %x, i64 %bytes, i1 false)
  %status = call i32 @project(double %t, ptr %states, ptr null, ptr %ctx)
  ret i32 %status
}}
define i32 @projected_root(double %t, ptr %x, ptr %z, ptr %ctx) nounwind {{
entry:
{_TABLE}{_SIZE}{_SCRATCH}{_words(ProjectionSlot, "%table", {"states": "ptr", "model": "ptr"})}
  %status = call i32 @copied(double %t, ptr %x, ptr %states, i64 %n, ptr %ctx)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %end, label %good
good:
  %made = call i32 %model(double %t, ptr %states, ptr %scratch, ptr %z, i64 {int(Mode.INDICATORS)}, ptr %ctx)
  br label %end
end:
  %result = phi i32 [%status, %entry], [%made, %good]
  ret i32 %result
}}
define i32 @drawn_rhs(double %t, ptr %x, ptr %out, ptr %ctx) nounwind {{
entry:
{_TABLE}{_SIZE}{_words(ProjectionSlot, "%table", {"states": "ptr", "model": "ptr", "pull": "double"})}
  %status = call i32 @copied(double %t, ptr %x, ptr %states, i64 %n, ptr %ctx)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %end, label %good
good:
  %made = call i32 %model(double %t, ptr %states, ptr %out, ptr null, i64 {int(Mode.DERIVATIVES)}, ptr %ctx)
  call void @draw(ptr %out, ptr %out, double %pull, ptr %states, ptr %x, i64 %n)
  br label %end
end:
  %result = phi i32 [%status, %entry], [%made, %good]
  ret i32 %result
}}
"""


def _of_implicit(name: str, function: str) -> str:
    """Return ``function(t, x, xdot, out, ctx)`` where the states should be, with derivatives that do not draw them there."""
    return f"""define i32 @{name}(double %t, ptr %x, ptr %xdot, ptr %out, ptr %ctx) nounwind {{
entry:
{_TABLE}{_SIZE}{_words(ProjectionSlot, "%table", {"states": "ptr", "rates": "ptr", "pull": "double", function: "ptr"})}
  %status = call i32 @copied(double %t, ptr %x, ptr %states, i64 %n, ptr %ctx)
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %end, label %good
good:
  call void @draw(ptr %rates, ptr %xdot, double %pull, ptr %x, ptr %states, i64 %n)
  %made = call i32 %{function}(double %t, ptr %states, ptr %rates, ptr %out, ptr %ctx)
  br label %end
end:
  %result = phi i32 [%status, %entry], [%made, %good]
  ret i32 %result
}}
"""


_OF_VECTORS = """define i32 @projection(double %t, ptr %y, ptr %corr, double %eps, ptr %err, ptr %ctx) nounwind {
entry:
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %to = call ptr @N_VGetArrayPointer(ptr %corr)
  %is.null = icmp eq ptr %err, null
  br i1 %is.null, label %projecting, label %estimated
estimated:
  %estimate = call ptr @N_VGetArrayPointer(ptr %err)
  br label %projecting
projecting:
  %e = phi ptr [null, %entry], [%estimate, %estimated]
SIZE  %bytes = mul i64 %n, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %x, i64 %bytes, i1 false)
  %status = call i32 @project(double %t, ptr %to, ptr %e, ptr %ctx)
  call void @subtract(ptr %to, ptr %x, i64 %n)
  ret i32 %status
}
define i32 @projected_root_of(double %t, ptr %y, ptr %g, ptr %ctx) nounwind {
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %status = call i32 @projected_root(double %t, ptr %x, ptr %g, ptr %ctx)
  ret i32 %status
}
define i32 @drawn_rhs_of(double %t, ptr %y, ptr %ydot, ptr %ctx) nounwind {
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %out = call ptr @N_VGetArrayPointer(ptr %ydot)
  %status = call i32 @drawn_rhs(double %t, ptr %x, ptr %out, ptr %ctx)
  ret i32 %status
}
define i32 @drawn_res(double %t, ptr %y, ptr %yp, ptr %r, ptr %ctx) nounwind {
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %xdot = call ptr @N_VGetArrayPointer(ptr %yp)
  %out = call ptr @N_VGetArrayPointer(ptr %r)
  %status = call i32 @drawn_residuals(double %t, ptr %x, ptr %xdot, ptr %out, ptr %ctx)
  ret i32 %status
}
define i32 @drawn_dae_root(double %t, ptr %y, ptr %yp, ptr %g, ptr %ctx) nounwind {
  %x = call ptr @N_VGetArrayPointer(ptr %y)
  %xdot = call ptr @N_VGetArrayPointer(ptr %yp)
  %status = call i32 @drawn_indicators(double %t, ptr %x, ptr %xdot, ptr %g, ptr %ctx)
  ret i32 %status
}
""".replace("SIZE", _SIZE)

CODE = "".join(
    [
        "declare ptr @N_VGetArrayPointer(ptr)\n",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n",
        _ARRAYS,
        _PROJECT,
        _DRAWN,
        _of_implicit("drawn_residuals", "residuals"),
        _of_implicit("drawn_indicators", "indicators"),
        _OF_VECTORS,
    ]
)
"""LLVM IR. ``projection`` is a CVProjFn, ``projected_root_of`` a CVRootFn, ``drawn_rhs_of`` a CVRhsFn, ``drawn_res`` and
``drawn_dae_root`` are IDA's; the other functions work on plain arrays, ``drawn_residuals`` and ``drawn_indicators`` as those of
`residual`."""

_loading = threading.Lock()


def address_of(name: str, array_pointer: int) -> int:
    """Return the address of a function; compiled or loaded by the first call, in one thread.

    Args:
        name: of the function.
        array_pointer: address of SUNDIALS' ``N_VGetArrayPointer``; 0 where it is not installed.
    """
    with _loading:
        return _loaded(array_pointer).address_of(name)


@functools.cache
def _loaded(array_pointer: int) -> LoadedObject:
    return load(object_file(CODE).data, {"N_VGetArrayPointer": array_pointer or math_address("sin")})  # that is not called
