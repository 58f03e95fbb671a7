"""Loop over the steps between samples: steps of a Runge-Kutta method, indicators, ticks of clocks, stored points.

It is written in the small part of Python that `solvers.step_compiler` describes; `sample_loop` makes machine code of it. What
it cannot do it leaves alone: it then ends at the beginning of the step or of the event, as if it had not begun with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import IntEnum

from ...acausal.protocol import Mode
from ...symbolic.hybrid.discrete import FLAGS_PER_TICKER
from ..solvers.step_compiler import Wholes
from ..solvers.steps import FOR_EVER, LONGEST_FIRST, Address, Floats, address, copy, minimum

WITH_INDICATORS, AT_EVENT = int(Mode.INDICATORS), int(Mode.EVENT | Mode.INDICATORS)
LARGEST, SMALLEST, SHRINK = 10.0, 0.1, 0.8
"""Factors from one step size to the next: the largest, the smallest; by such factors in between."""

SAFE = 0.5
"""Part of the permitted error that a step is to have, squared."""

EPS = sys.float_info.epsilon
CURVED = 2.0
"""An indicator does not cross zero in a step at whose ends it is so many times the change of its slope away from zero: eight
times what a parabola leaves its chord by is four times this change."""

MOST_ITERATIONS = 20
"""Iterations at a tick until values have to stay as they are; with more it is an event for the general iteration."""


LOW, HIGH = 3, 5
"""Orders of the two methods."""

DEAR, PATIENCE = 9, 100
"""With more evaluations than so many from one sample to the next the method of higher order is taken, for so many samples."""


class Ended(IntEnum):
    """Reason why the loop ended."""

    PAUSED = 0
    """The time ``pause`` is reached, or the ``goal`` that no step and no tick may pass."""
    FULL = 1
    """There is no more room for points; it goes on when ``count`` is zero."""
    NEAR = 2
    """An indicator may cross zero in the next step, or the step failed."""
    UNDECIDED = 3
    """A component has to say what a sample means for it: an indicator of its has another sign than before."""
    EVENT = 4
    """A tick is due that is more than new values of variables."""
    STIFF = 5
    """So many evaluations were needed since the last sample that an implicit method is better."""
    FAILED = 6
    """A point could not be evaluated that was to be stored."""


class Samples:
    """A stretch of simulation between samples. Times in s.

    Attributes:
        time, x: where it stands.
        goal: no step and no tick passes it. pause: where it ends, if that is before; hard: not 0 where a step ends there, too.
        begin, end: of the last step. x0, x1, k: states at both ends, derivatives at its stages, row by row.
        fresh: not 0 where no step was made since the last sample, which was at ``end``.
        h: length of the next step, 0 where nothing is known.
        sampled, sampled_x: time and states of the last sample; sampled_h, sampled_order, sampled_patience, sampled_spent,
            sampled_count, sampled_steps, sampled_evaluations: what these fields were then, before a method was chosen.
        stages, order, a, c, error, dense: see `tableaus.Tableau`; with 3 and 5 those of both methods.
        patience: for how many samples the method of higher order is taken.
        sizes: the largest magnitude of each state at the ends of steps until now.
        rtol, atol: see `solvers.create_solver`.
        z: indicators at the beginning, inside, at the end of the step, at an event, at the beginning of the step before.
        known: not 0 if the indicators at ``end`` are known, before a sample there. signs: of relations that are true.
        before: length of the step before, 0 if there is none. goes_on: not 0 if that ended where the next one begins.
        limits, n_limits: what components say of the next step, see `modiapy.acausal.protocol.CONTEXT`, and how many they are.
        allowed: how many steps may be made until control is given back.
        evaluations, steps, ticks, samples: counts. spent, budget: evaluations since the last sample, and how many may be.
        first, interval, ticked: of each ticker the first tick, the distance of two, how many there were. next: the next of all.
        modes, flags, pre, current: see `ModelContext`. remembered: 1 where the value before an event is the left limit.
        reinits, n_reinits, array_reinits, activity: see `ModelContext`; where in the latter is whether one is active.
        workspace, factors: memory of systems of equations; words that are zero where matrices are to be factorised anew.
        kept: what was in modes, flags, pre and ``ticked`` before an event. aside: of ``workspace``.
        stores: not 0 if points are stored: times, states, unknowns, ``count`` of ``room``.
        output, number, start, distance: next point of the grid, its number, and where the grid begins; distance of its points.
        model, outputs, context: machine code, see `CompiledModel`, and its memory.
    """

    time: float
    goal: float
    pause: float
    hard: int
    begin: float
    end: float
    fresh: int
    h: float
    sampled: float
    sampled_h: float
    sampled_order: int
    sampled_patience: int
    sampled_spent: int
    sampled_count: int
    sampled_steps: int
    sampled_evaluations: int
    n: int
    n_z: int
    n_relations: int
    n_limits: int
    n_tickers: int
    n_memory: int
    n_flags: int
    n_reinits: int
    n_active: int
    n_factors: int
    n_workspace: int
    n_unknowns: int
    stages: int
    stages3: int
    stages5: int
    order: int
    patience: int
    rtol: float
    known: int
    before: float
    goes_on: int
    allowed: int
    evaluations: int
    steps: int
    ticks: int
    samples: int
    spent: int
    budget: int
    next: float
    stores: int
    count: int
    room: int
    output: float
    number: float
    start: float
    distance: float
    x: Floats
    x0: Floats
    x1: Floats
    y: Floats
    k: Floats
    sampled_x: Floats
    sizes: Floats
    a: Floats
    c: Floats
    error: Floats
    dense: Floats
    a3: Floats
    c3: Floats
    error3: Floats
    dense3: Floats
    a5: Floats
    c5: Floats
    error5: Floats
    dense5: Floats
    atol: Floats
    z: Floats
    signs: Floats
    limits: Floats
    first: Floats
    interval: Floats
    ticked: Floats
    modes: Floats
    flags: Floats
    pre: Floats
    current: Floats
    remembered: Floats
    reinits: Floats
    array_reinits: Floats
    activity: Wholes
    workspace: Floats
    factors: Wholes
    kept: Floats
    aside: Floats
    times: Floats
    states: Floats
    unknowns: Floats
    context: Address
    model: Callable[..., int]
    outputs: Callable[..., int]

    def run(self) -> int:
        """Go on until there is a reason to end, see `Ended`."""
        while True:
            if self.allowed <= 0 or (self.stores != 0 and self.count + 2 >= self.room):
                self.stand(self.end, self.x1)
                return Ended.FULL
            self.find_tick()
            if self.store_grid() != 0:
                return Ended.FAILED
            if self.end >= self.next:
                if self.stores != 0 and self.store(self.end, self.x1) != 0:
                    return Ended.FAILED
                if self.tick() != 0:
                    self.stand(self.end, self.x1)
                    self.fresh = 1
                    return Ended.EVENT
                self.ticks += 1
                self.fresh = 1
                self.pass_grid()
                if self.stores != 0 and self.store(self.end, self.x1) != 0:
                    return Ended.FAILED
                self.find_tick()
            if self.pause <= self.end:
                self.interpolate(self.pause, self.x)
                self.time = self.pause
                return Ended.PAUSED
            if self.goal <= self.end:
                self.stand(self.end, self.x1)
                return Ended.PAUSED
            if self.fresh != 0:
                outcome = self.sample()
                if outcome != 0:
                    self.stand(self.end, self.x1)
                    return outcome
            outcome = self.step()
            if outcome != 0:
                return outcome

    def stand(self, t: float, x: Floats) -> None:
        """Stand at a time with some states."""
        self.time = t
        copy(self.x, 0, x, 0, self.n)

    def find_tick(self) -> None:
        """Find the time of the next tick; those that are not before the goal are left alone."""
        self.next = FOR_EVER
        i = 0
        while i < self.n_tickers:
            self.next = minimum(self.next, self.first[i] + self.ticked[i] * self.interval[i])
            i += 1
        if not self.next < self.goal:
            self.next = FOR_EVER

    # -- stored points ----------------------------------------------------------------------------------------------------

    def pass_grid(self) -> None:
        """Find the first point of the grid after the present time; one that only rounding separates from it is not."""
        while self.output <= self.end + 1e-6 * self.distance:
            self.number = self.number + 1.0
            self.output = self.start + self.number * self.distance

    def store_grid(self) -> int:
        """Store the points of the grid in the last step, as far as there is room; not 0 if this fails."""
        if self.stores == 0:
            return 0
        last = minimum(self.end, self.pause)
        put = 0
        while self.output <= last and self.output < self.next - 1e-6 * self.distance and self.count + 2 < self.room:
            if put == 0:
                copy(self.aside, 0, self.workspace, 0, self.n_workspace)
                put = 1
            self.interpolate(self.output, self.y)
            if self.store(self.output, self.y) != 0:
                return 1
            self.number = self.number + 1.0
            self.output = self.start + self.number * self.distance
        if put != 0:
            copy(self.workspace, 0, self.aside, 0, self.n_workspace)
        return 0

    def store(self, t: float, x: Floats) -> int:
        """Store a point with all unknowns; not 0 if it cannot be evaluated."""
        at = self.count
        self.times[at] = t
        copy(self.states, at * self.n, x, 0, self.n)
        self.count += 1
        return self.outputs(
            1,
            address(self.times[at]),
            address(self.states[at * self.n]),
            self.n,
            address(self.unknowns[at * self.n_unknowns]),
            self.context,
        )

    # -- steps ------------------------------------------------------------------------------------------------------------

    def interpolate(self, t: float, out: Floats) -> None:
        """Compute the states at a time in the last step."""
        if t >= self.end or self.end <= self.begin or self.fresh != 0:
            copy(out, 0, self.x1, 0, self.n)
            return
        h = self.end - self.begin
        theta = (t - self.begin) / h
        copy(out, 0, self.x0, 0, self.n)
        i = 0
        while i < self.stages:
            weight = (
                (((self.dense[4 * i + 3] * theta + self.dense[4 * i + 2]) * theta + self.dense[4 * i + 1]) * theta)
                + self.dense[4 * i]
            ) * theta
            if weight != 0.0:
                j = 0
                while j < self.n:
                    out[j] = out[j] + h * weight * self.k[i * self.n + j]
                    j += 1
            i += 1

    def evaluate(self, t: float, x: Floats, stage: int, row: int) -> int:
        """Compute derivatives -> a row of k and, if the row is not negative, indicators -> a row of z; not 0 if this fails."""
        self.evaluations += 1
        self.spent += 1
        if row < 0:
            return self.model(t, address(x[0]), address(self.k[stage * self.n]), address(self.z[0]), 0, self.context)
        return self.model(
            t, address(x[0]), address(self.k[stage * self.n]), address(self.z[row * self.n_z]), WITH_INDICATORS, self.context
        )

    def sample(self) -> int:
        """Begin behind a sample; return why that is not possible."""
        i = 0
        while i < self.n_factors:
            self.workspace[self.factors[i]] = 0.0
            i += 1
        pace_h = self.h
        pace_order = self.order
        pace_patience = self.patience
        pace_spent = self.spent
        self.choose()
        if self.evaluate(self.end, self.x1, 0, 0) != 0:
            return Ended.NEAR
        if self.n_z != 0:
            if self.is_decided(0) == 0:
                return Ended.UNDECIDED
            i = self.n_relations
            while i < self.n_z:
                if self.known != 0 and not self.z[i] * self.z[2 * self.n_z + i] > 0.0:
                    return Ended.UNDECIDED
                i += 1
        if self.known == 0 or self.n_tickers != 0:
            self.before = 0.0
        self.fresh = 0
        self.goes_on = 0
        self.begin = self.end
        self.samples += 1
        self.sampled = self.end
        self.sampled_h = pace_h
        self.sampled_order = pace_order
        self.sampled_patience = pace_patience
        self.sampled_spent = pace_spent
        self.sampled_count = self.count
        self.sampled_steps = self.steps
        self.sampled_evaluations = self.evaluations
        copy(self.sampled_x, 0, self.x1, 0, self.n)
        return 0

    def choose(self) -> None:
        """Choose the method: that of lower order where one step of it is enough."""
        if self.order == LOW:
            if self.spent > DEAR:
                self.take(HIGH)
        else:
            self.patience = self.patience - 1
            if self.patience <= 0:
                self.take(LOW)
        self.spent = 0

    def take(self, order: int) -> None:
        """Take the method of an order."""
        self.order = order
        self.h = 0.0
        if order == LOW:
            self.stages = self.stages3
            self.a = self.a3
            self.c = self.c3
            self.error = self.error3
            self.dense = self.dense3
        else:
            self.patience = PATIENCE
            self.stages = self.stages5
            self.a = self.a5
            self.c = self.c5
            self.error = self.error5
            self.dense = self.dense5

    def is_decided(self, row: int) -> int:
        """Return whether all relations have the values that their indicators in a row of z say, and none is at zero."""
        i = 0
        while i < self.n_relations:
            sign = self.signs[i]
            if self.modes[i] < 0.5:
                sign = 0.0 - sign
            if not self.z[row * self.n_z + i] * sign > 0.0:
                return 0
            i += 1
        return 1

    def step(self) -> int:
        """Make one step; return why that is not possible, with ``time`` and ``x`` at its beginning."""
        target = minimum(self.goal, self.next)
        if self.hard != 0:
            target = minimum(target, self.pause)
        begin = self.end
        copy(self.x0, 0, self.x1, 0, self.n)
        length = self.h
        if not length > 0.0:
            length = LONGEST_FIRST
        i = 0
        while i < self.n_limits:
            length = minimum(length, self.limits[i])
            i += 1
        size = FOR_EVER
        last = 0
        while size > 1.0:
            if self.spent > self.budget:
                return self.give_up(begin, Ended.STIFF)
            last = 0
            if not length < 0.95 * (target - begin):
                length = target - begin
                last = 1
            if not length > 64.0 * EPS * abs(begin):
                return self.give_up(begin, Ended.NEAR)
            size = self.try_step(begin, length)
            if size > 1.0:
                length = length * self.factor(size)
        proposed = length * self.factor(size)
        if last == 0 or proposed < self.h or not self.h > 0.0:
            self.h = proposed
        self.begin = begin
        self.end = begin + length
        if last != 0:
            self.end = target
        self.steps += 1
        self.allowed = self.allowed - 1
        if self.n_z != 0:
            if self.is_near(length) != 0:
                self.end = begin
                return self.give_up(begin, Ended.NEAR)
            copy(self.z, 4 * self.n_z, self.z, 0, self.n_z)
            copy(self.z, 0, self.z, 2 * self.n_z, self.n_z)
        self.known = 1
        self.before = length
        self.goes_on = 1
        copy(self.x1, 0, self.y, 0, self.n)
        i = 0
        while i < self.n:
            self.sizes[i] = max(self.sizes[i], abs(self.x1[i]))
            i += 1
        return 0

    def give_up(self, begin: float, reason: int) -> int:
        """Stand where the step began."""
        copy(self.x1, 0, self.x0, 0, self.n)
        self.stand(begin, self.x0)
        self.fresh = 1
        return reason

    def try_step(self, begin: float, length: float) -> float:
        """Compute a step -> y; return its error relative to the permitted one, squared, infinite if it failed.

        The first stage is the last one of the step before.
        """
        if self.goes_on != 0:
            copy(self.k, 0, self.k, (self.stages - 1) * self.n, self.n)
            self.goes_on = 0
        i = 1
        while i < self.stages:
            copy(self.y, 0, self.x0, 0, self.n)
            m = 0
            while m < i:
                weight = length * self.a[i * self.stages + m]
                if weight != 0.0:
                    j = 0
                    while j < self.n:
                        self.y[j] = self.y[j] + weight * self.k[m * self.n + j]
                        j += 1
                m += 1
            row = 0 - 1
            if i == self.stages - 1 and self.n_z != 0:
                row = 2
            if self.evaluate(begin + length * self.c[i], self.y, i, row) != 0:
                return FOR_EVER
            i += 1
        total = 0.0
        j = 0
        while j < self.n:
            wrong = 0.0
            i = 0
            while i < self.stages:
                wrong = wrong + self.error[i] * self.k[i * self.n + j]
                i += 1
            wrong = length * wrong / (self.rtol * max(abs(self.x0[j]), abs(self.y[j])) + self.atol[j])
            total = total + wrong * wrong
            j += 1
        if self.n == 0:
            return 0.0
        total = total / self.number_of_states()
        if not total < FOR_EVER:
            return FOR_EVER
        return total

    def number_of_states(self) -> float:
        """Return n as a floating-point number."""
        total = 0.0
        i = 0
        while i < self.n:
            total = total + 1.0
            i += 1
        return total

    def factor(self, size: float) -> float:
        """Return the factor on the step size after a step of some error, squared and relative to the permitted one."""
        factor = LARGEST
        while factor > SMALLEST:
            power = size
            i = 0
            while i < self.order:
                power = power * factor * factor
                i += 1
            if power <= SAFE:
                return factor
            factor = factor * SHRINK
        return SMALLEST

    def is_near(self, length: float) -> int:
        """Return whether an indicator may cross zero in the last step, judged by parabolas."""
        inside = 0
        i = 0
        while i < self.n_z:
            a = self.z[i]
            c = self.z[2 * self.n_z + i]
            if not a * c > 0.0:
                return 1
            bend = FOR_EVER
            if self.before > 0.0:
                bend = abs(c - a - (a - self.z[4 * self.n_z + i]) * length / self.before)
            if not minimum(abs(a), abs(c)) >= CURVED * bend:
                if inside == 0:
                    self.interpolate_new(self.begin + 0.5 * length, length)
                    if self.evaluate(self.begin + 0.5 * length, self.x, self.stages, 1) != 0:
                        return 1
                    inside = 1
                b = self.z[self.n_z + i]
                if not minimum(minimum(abs(a), abs(b)), abs(c)) >= CURVED * 4.0 * abs(b - 0.5 * (a + c)):
                    return 1
                if not a * b > 0.0:
                    return 1
            i += 1
        return 0

    def interpolate_new(self, t: float, length: float) -> None:
        """Compute the states at a time in the step that was just made -> x."""
        end = self.end
        self.end = self.begin + length
        self.interpolate(t, self.x)
        self.end = end

    # -- ticks ------------------------------------------------------------------------------------------------------------

    def tick(self) -> int:
        """Let the clocks tick that are due at the end of the last step; not 0 if that is an event for the general iteration."""
        self.keep()
        if self.left_limits(self.end, self.x1) != 0:
            self.restore()
            return 1
        i = 0
        while i < self.n_tickers:
            due = self.first[i] + self.ticked[i] * self.interval[i]
            if abs(due - self.end) <= 16.0 * EPS * max(abs(self.end), max(abs(self.first[i]), self.interval[i])):
                self.ticked[i] = self.ticked[i] + 1.0
                self.flags[FLAGS_PER_TICKER * i] = 1.0
            i += 1
        if self.settle(self.end, self.x1) != 0:
            self.restore()
            return 1
        return 0

    def keep(self) -> None:
        """Keep what an event changes."""
        m = self.n_memory
        copy(self.kept, 0, self.pre, 0, m)
        copy(self.kept, m, self.flags, 0, self.n_flags)
        copy(self.kept, m + self.n_flags, self.ticked, 0, self.n_tickers)

    def restore(self) -> None:
        """Bring back what was kept."""
        m = self.n_memory
        copy(self.pre, 0, self.kept, 0, m)
        copy(self.flags, 0, self.kept, m, self.n_flags)
        copy(self.ticked, 0, self.kept, m + self.n_flags, self.n_tickers)

    def at_event(self, t: float, x: Floats) -> int:
        """Evaluate as at an event; not 0 if that fails, or a relation is to change or is at zero."""
        m = self.n_memory + self.n_flags + self.n_tickers
        copy(self.kept, m, self.modes, 0, self.n_relations)
        flag = self.model(
            t, address(x[0]), address(self.k[self.stages * self.n]), address(self.z[3 * self.n_z]), AT_EVENT, self.context
        )
        changed = 0
        i = 0
        while i < self.n_relations:
            if self.modes[i] != self.kept[m + i]:
                changed = 1
            i += 1
        copy(self.modes, 0, self.kept, m, self.n_relations)
        if flag != 0 or changed != 0 or self.is_decided(3) == 0:
            return 1
        return 0

    def left_limits(self, t: float, x: Floats) -> int:
        """Take the present values of continuous variables as those before the event; not 0 if relations are to change."""
        if self.at_event(t, x) != 0:
            return 1
        i = 0
        while i < self.n_memory:
            if self.remembered[i] != 0.0:
                self.pre[i] = self.current[i]
            i += 1
        return 0

    def settle(self, t: float, x: Floats) -> int:
        """Iterate until all values stay as they are; not 0 if relations change, states are set, or values do not settle."""
        iteration = 0
        while iteration < MOST_ITERATIONS:
            if self.at_event(t, x) != 0:
                return 1
            i = 0
            while i < self.n_reinits:
                if self.reinits[2 * i] != 0.0:
                    return 1
                i += 1
            i = 0
            while i < self.n_active:
                if self.array_reinits[self.activity[i]] != 0.0:
                    return 1
                i += 1
            changed = 0
            i = 0
            while i < self.n_memory:
                now = self.current[i]
                if now != self.pre[i]:
                    if now != now:
                        return 1
                    changed = 1
                    self.pre[i] = now
                i += 1
            i = 0
            while i < self.n_tickers:
                if self.flags[FLAGS_PER_TICKER * i] != 0.0:
                    self.flags[FLAGS_PER_TICKER * i] = 0.0
                    self.flags[FLAGS_PER_TICKER * i + 1] = 1.0
                    changed = 1
                i += 1
            if changed == 0:
                return 0
            iteration += 1
        return 1

    def note(self, t: float, x: Floats) -> int:
        """Evaluate the indicators before a sample -> row 2 of z; not 0 if this fails."""
        flag = self.model(
            t,
            address(x[0]),
            address(self.k[self.stages * self.n]),
            address(self.z[2 * self.n_z]),
            WITH_INDICATORS,
            self.context,
        )
        self.known = 1
        if flag != 0:
            self.known = 0
        return flag
