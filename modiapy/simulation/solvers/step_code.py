"""The loop over the steps of CVODE or IDA in LLVM IR, and the layout of its memory. See `step_loop`.

Each function is stated in a line of Python before it. ``%v = WORD type NAME``, ``%v = NUMBER NAME``, ``store_word NAME %v`` and
``store_number NAME %v`` read and write the memory; ``@NAME`` is a constant.
"""

from __future__ import annotations

import re
from enum import IntEnum

from .crossings import DOUBTFUL, FAR, INSIDE, SURPRISING

GROWTH = 2.0
LONGEST_FIRST = 0.1
"""At most this time [s] of a step is looked at first, or GROWTH times the length of the one before: where nothing moves, not
even the indicators' own changes would end a step of the integrator, which multiplies its first one by up to 10000."""

ROWS = 4
"""Rows of indicators: at the begin, inside and at the end of the last step, and inside the step before, see `crossings`."""


RECOVERING = 30.0
"""A step is very short where an earlier one was this many times as long."""


class Word(IntEnum):
    """Places of integers and addresses in the memory of the loop."""

    STEP = 0
    """``CVode`` or ``IDASolve``."""
    DENSE = 1
    """``CVodeGetDky`` or ``IDAGetDky``."""
    SET_MIN_STEP = 2
    ROOT = 3
    """``int root(double t, N_Vector y, double* z, void* user)``, of IDA with the rates behind y."""
    MEMORY = 4
    Y = 5
    RATES = 6
    """Vector of the rates; 0 for CVODE."""
    USER = 7
    X = 8
    """Address of the states in Y."""
    N = 9
    N_Z = 10
    Z = 11
    GRID = 12
    X_OUT = 13
    N_GRID = 14
    COUNT = 15
    """Grid points that are stored."""
    STEPS = 16
    """Steps until control is given back."""
    FLAG = 17
    """What the integrator or the root function returned."""
    SET_MAX_STEP = 18
    RECOVERS = 19
    """Not 0 after a step that is longer than the one before, which was very short compared with earlier ones."""


class Number(IntEnum):
    """Places of times [s]."""

    BEGIN = 0
    END = 1
    """The last step went from BEGIN to END."""
    STOP = 2
    """Where an event was found in it; infinite if there is none."""
    TARGET = 3
    """What the first step size is computed from."""
    TIME = 4
    """Where the integrator says it is."""
    INSIDE = 5
    BEFORE = 6
    """Times of the rows of indicators inside the last step and the one before; the latter is not a number in the first step."""
    LONGEST = 7
    """Length of the longest step since the beginning."""


class Outcome(IntEnum):
    """Why the loop ended."""

    FINISHED = 0
    """The grid is reached."""
    STOPPED = 1
    """The time STOP is reached, whose states are in Y."""
    STEPPED = 2
    """So many steps are made; the grid points of the last one are stored in the next call."""
    NEAR = 3
    """An indicator may cross zero in the last step, of which the grid points are stored in the next call."""
    FAILED = 4
    ROOT_FAILED = 5


_CONSTANTS = {
    "TIME": int(Number.TIME),
    "FAR": FAR,
    "DOUBTFUL": DOUBTFUL,
    "INSIDE": INSIDE,
    "SURPRISING": SURPRISING,
    "GROWTH": GROWTH,
    "LONGEST_FIRST": LONGEST_FIRST,
    "RECOVERING": RECOVERING,
} | {outcome.name: int(outcome) for outcome in Outcome}

_SOURCE = """
; step(): SetMinStep(memory, 2*eps*|END|); SetMaxStep(memory, max(GROWTH*(END - BEGIN), LONGEST_FIRST));
; CVode(memory, TARGET, y, &TIME, ONE_STEP) or IDASolve
define internal i32 @step(ptr %words, ptr %numbers) nounwind {
entry:
  %step = WORD ptr STEP
  %memory = WORD ptr MEMORY
  %y = WORD ptr Y
  %rates = WORD ptr RATES
  %end = NUMBER END
  %target = NUMBER TARGET
  %time = getelementptr double, ptr %numbers, i64 @TIME
  %size = call double @llvm.fabs.f64(double %end)
  %smallest = fmul double %size, 0x3CC0000000000000
  %set = WORD ptr SET_MIN_STEP
  %unused = call i32 %set(ptr %memory, double %smallest)
  %begin = NUMBER BEGIN
  %last = fsub double %end, %begin
  %grown = fmul double %last, @GROWTH
  %longest = call double @llvm.maxnum.f64(double %grown, double @LONGEST_FIRST)
  %limit = WORD ptr SET_MAX_STEP
  %ignored = call i32 %limit(ptr %memory, double %longest)
  %explicit = icmp eq ptr %rates, null
  br i1 %explicit, label %cvode, label %ida
cvode:
  %by_cvode = call i32 %step(ptr %memory, double %target, ptr %y, ptr %time, i32 2)
  ret i32 %by_cvode
ida:
  %by_ida = call i32 %step(ptr %memory, double %target, ptr %time, ptr %y, ptr %rates, i32 2)
  ret i32 %by_ida
}

; dense(t): y = states at t; rates = their derivatives, for IDA
define i32 @dense(ptr %words, double %t) nounwind {
entry:
  %dense = WORD ptr DENSE
  %memory = WORD ptr MEMORY
  %y = WORD ptr Y
  %rates = WORD ptr RATES
  %flag = call i32 %dense(ptr %memory, double %t, i32 0, ptr %y)
  %failed = icmp ne i32 %flag, 0
  %explicit = icmp eq ptr %rates, null
  %done = or i1 %failed, %explicit
  br i1 %done, label %end, label %derivatives
derivatives:
  %second = call i32 %dense(ptr %memory, double %t, i32 1, ptr %rates)
  br label %end
end:
  %result = phi i32 [%flag, %entry], [%second, %derivatives]
  ret i32 %result
}

; indicators(t, row): y = states at t; z[row] = indicators there
define i32 @indicators(ptr %words, double %t, i64 %row) nounwind {
entry:
  %flag = call i32 @dense(ptr %words, double %t)
  %failed = icmp ne i32 %flag, 0
  br i1 %failed, label %end, label %evaluate
end:
  ret i32 %flag
evaluate:
  %root = WORD ptr ROOT
  %y = WORD ptr Y
  %rates = WORD ptr RATES
  %user = WORD ptr USER
  %n_z = WORD i64 N_Z
  %all = WORD ptr Z
  %first = mul i64 %row, %n_z
  %z = getelementptr double, ptr %all, i64 %first
  %explicit = icmp eq ptr %rates, null
  br i1 %explicit, label %cvode, label %ida
cvode:
  %by_cvode = call i32 %root(double %t, ptr %y, ptr %z, ptr %user)
  ret i32 %by_cvode
ida:
  %by_ida = call i32 %root(double %t, ptr %y, ptr %rates, ptr %z, ptr %user)
  ret i32 %by_ida
}

; near(): `crossings.is_near`
define internal i1 @near(ptr %words, ptr %numbers) nounwind {
entry:
  %t0 = NUMBER BEFORE
  %t1 = NUMBER BEGIN
  %t = NUMBER INSIDE
  %t2 = NUMBER END
  %t01 = fsub double %t1, %t0
  %t12 = fsub double %t2, %t1
  %t02 = fsub double %t2, %t0
  %after0 = fsub double %t, %t0
  %after1 = fsub double %t, %t1
  %weight = fdiv double %after1, %t02
  %n_z = WORD i64 N_Z
  %begin = WORD ptr Z
  %middle = getelementptr double, ptr %begin, i64 %n_z
  %end = getelementptr double, ptr %middle, i64 %n_z
  %before = getelementptr double, ptr %end, i64 %n_z
  br label %next
next:
  %k = phi i64 [0, %entry], [%k1, %far]
  %more = icmp slt i64 %k, %n_z
  br i1 %more, label %look, label %none
look:
  %pa = getelementptr double, ptr %begin, i64 %k
  %pb = getelementptr double, ptr %middle, i64 %k
  %pc = getelementptr double, ptr %end, i64 %k
  %a = load double, ptr %pa
  %b = load double, ptr %pb
  %c = load double, ptr %pc
  %ab = call double @llvm.maximum.f64(double %a, double %b)
  %largest = call double @llvm.maximum.f64(double %ab, double %c)
  %ba = call double @llvm.minimum.f64(double %a, double %b)
  %smallest = call double @llvm.minimum.f64(double %ba, double %c)
  %change = fsub double %largest, %smallest
  %p0 = getelementptr double, ptr %before, i64 %k
  %z0 = load double, ptr %p0
  %z01 = fsub double %a, %z0
  %z12 = fsub double %c, %a
  %slope = fdiv double %z01, %t01
  %slope2 = fdiv double %z12, %t12
  %bend = fsub double %slope2, %slope
  %bent = fmul double %weight, %bend
  %mean = fadd double %slope, %bent
  %way = fmul double %after0, %mean
  %expected = fadd double %z0, %way
  %off = fsub double %b, %expected
  %surprise = call double @llvm.fabs.f64(double %off)
  %weighted = fmul double %surprise, @SURPRISING
  %total = fadd double %change, %weighted
  %usual = fmul double %total, @FAR
  %doubtful = fmul double %change, @DOUBTFUL
  %is_first = fcmp uno double %t0, %t0
  %bound = select i1 %is_first, double %doubtful, double %usual
  %sa = call double @llvm.fabs.f64(double %a)
  %sb = call double @llvm.fabs.f64(double %b)
  %sc = call double @llvm.fabs.f64(double %c)
  %sab = call double @llvm.minimum.f64(double %sa, double %sb)
  %distance = call double @llvm.minimum.f64(double %sab, double %sc)
  %is_far = fcmp oge double %distance, %bound
  br i1 %is_far, label %far, label %found
far:
  %k1 = add i64 %k, 1
  br label %next
found:
  ret i1 true
none:
  ret i1 false
}

; next(): z[before] = z[inside]; z[begin] = z[end]; BEFORE = INSIDE
define internal void @next(ptr %words, ptr %numbers) nounwind {
entry:
  %n_z = WORD i64 N_Z
  %begin = WORD ptr Z
  %middle = getelementptr double, ptr %begin, i64 %n_z
  %end = getelementptr double, ptr %middle, i64 %n_z
  %before = getelementptr double, ptr %end, i64 %n_z
  %bytes = mul i64 %n_z, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %before, ptr %middle, i64 %bytes, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %begin, ptr %end, i64 %bytes, i1 false)
  %inside = NUMBER INSIDE
  store_number BEFORE %inside
  ret void
}

; store(): while COUNT < N_GRID and grid[COUNT] <= END and grid[COUNT] < STOP: x_out[COUNT++] = states there
define internal i32 @store(ptr %words, ptr %numbers) nounwind {
entry:
  %n = WORD i64 N
  %x = WORD ptr X
  %grid = WORD ptr GRID
  %x_out = WORD ptr X_OUT
  %n_grid = WORD i64 N_GRID
  %count = WORD i64 COUNT
  %end = NUMBER END
  %stop = NUMBER STOP
  %bytes = mul i64 %n, 8
  br label %next
next:
  %i = phi i64 [%count, %entry], [%i1, %copy]
  %more = icmp slt i64 %i, %n_grid
  br i1 %more, label %look, label %done
look:
  %place = getelementptr double, ptr %grid, i64 %i
  %t = load double, ptr %place
  %within = fcmp ole double %t, %end
  %before = fcmp olt double %t, %stop
  %wanted = and i1 %within, %before
  br i1 %wanted, label %evaluate, label %done
evaluate:
  %flag = call i32 @dense(ptr %words, double %t)
  %failed = icmp ne i32 %flag, 0
  br i1 %failed, label %failure, label %copy
failure:
  ret i32 %flag
copy:
  %first = mul i64 %i, %n
  %row = getelementptr double, ptr %x_out, i64 %first
  call void @llvm.memcpy.p0.p0.i64(ptr %row, ptr %x, i64 %bytes, i1 false)
  %i1 = add i64 %i, 1
  store_word COUNT %i1
  br label %next
done:
  ret i32 0
}

; advance(): store the grid points of the last step and step on, until there is an Outcome
define i64 @advance(ptr %words, ptr %numbers) nounwind {
entry:
  %n_z = WORD i64 N_Z
  %has_indicators = icmp ne i64 %n_z, 0
  br label %next
next:
  %flag = call i32 @store(ptr %words, ptr %numbers)
  %bad = icmp ne i32 %flag, 0
  br i1 %bad, label %failure, label %stored
stored:
  %count = WORD i64 COUNT
  %n_grid = WORD i64 N_GRID
  %finished = icmp eq i64 %count, %n_grid
  br i1 %finished, label %at_end, label %ask
at_end:
  ret i64 @FINISHED
ask:
  %stop = NUMBER STOP
  %now = NUMBER END
  %reached = fcmp ole double %stop, %now
  br i1 %reached, label %at_stop, label %budget
at_stop:
  %status = call i32 @dense(ptr %words, double %stop)
  %lost = icmp ne i32 %status, 0
  br i1 %lost, label %failure, label %stopped
stopped:
  ret i64 @STOPPED
budget:
  %steps = WORD i64 STEPS
  %left = icmp sgt i64 %steps, 0
  br i1 %left, label %make_step, label %pause
pause:
  ret i64 @STEPPED
make_step:
  %made = call i32 @step(ptr %words, ptr %numbers)
  %stuck = icmp slt i32 %made, 0
  br i1 %stuck, label %failure, label %accept
accept:
  %steps1 = sub i64 %steps, 1
  store_word STEPS %steps1
  %end = NUMBER TIME
  %old = NUMBER BEGIN
  store_number BEGIN %now
  store_number END %end
  %previous = fsub double %now, %old
  %length = fsub double %end, %now
  %longest = NUMBER LONGEST
  %longer = call double @llvm.maxnum.f64(double %longest, double %length)
  store_number LONGEST %longer
  %short = fmul double %previous, @RECOVERING
  %is_short = fcmp olt double %short, %longest
  %grows = fcmp olt double %previous, %length
  %recovers = and i1 %is_short, %grows
  br i1 %recovers, label %note, label %made_step
note:
  %yes = add i64 0, 1
  store_word RECOVERS %yes
  br label %made_step
made_step:
  br i1 %has_indicators, label %look, label %turn
look:
  %part = fmul double %length, @INSIDE
  %middle = fadd double %now, %part
  store_number INSIDE %middle
  %first = call i32 @indicators(ptr %words, double %middle, i64 1)
  %first_bad = icmp ne i32 %first, 0
  br i1 %first_bad, label %root_failure, label %second
second:
  %last = call i32 @indicators(ptr %words, double %end, i64 2)
  %last_bad = icmp ne i32 %last, 0
  br i1 %last_bad, label %root_failure, label %judge
judge:
  %close = call i1 @near(ptr %words, ptr %numbers)
  br i1 %close, label %near, label %clear
near:
  ret i64 @NEAR
clear:
  call void @next(ptr %words, ptr %numbers)
  br label %turn
turn:
  %rest = WORD i64 STEPS
  %some_left = icmp sgt i64 %rest, 0
  %doubt = WORD i64 RECOVERS
  %calm = icmp eq i64 %doubt, 0
  %go_on = and i1 %some_left, %calm
  br i1 %go_on, label %next, label %pause
failure:
  %code = phi i32 [%flag, %next], [%status, %at_stop], [%made, %make_step]
  %code64 = sext i32 %code to i64
  store_word FLAG %code64
  ret i64 @FAILED
root_failure:
  %kind = phi i32 [%first, %look], [%last, %second]
  %kind64 = sext i32 %kind to i64
  store_word FLAG %kind64
  ret i64 @ROOT_FAILED
}

declare double @llvm.fabs.f64(double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.maximum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def step_code() -> str:
    """The IR, with what reads and writes the memory of the loop, and names of constants, written out."""
    lines, new = [], 0

    def place(kind: str, base: str, index: int) -> str:
        nonlocal new
        new += 1
        lines.append(f"  %at{new} = getelementptr {kind}, ptr %{base}, i64 {index}")
        return f"%at{new}"

    for line in _SOURCE.split("\n"):
        if match := re.fullmatch(r"  (%\w+) = WORD (\w+) (\w+)", line):
            lines.append(f"  {match[1]} = load {match[2]}, ptr {place('i64', 'words', Word[match[3]])}")
        elif match := re.fullmatch(r"  (%\w+) = NUMBER (\w+)", line):
            lines.append(f"  {match[1]} = load double, ptr {place('double', 'numbers', Number[match[2]])}")
        elif match := re.fullmatch(r"  store_word (\w+) (%\w+)", line):
            lines.append(f"  store i64 {match[2]}, ptr {place('i64', 'words', Word[match[1]])}")
        elif match := re.fullmatch(r"  store_number (\w+) (%\w+)", line):
            lines.append(f"  store double {match[2]}, ptr {place('double', 'numbers', Number[match[1]])}")
        elif not line.startswith(";"):
            lines.append(re.sub(r"@([A-Z_]+)\b", lambda m: repr(_CONSTANTS[m[1]]), line))
    return "\n".join(lines)
