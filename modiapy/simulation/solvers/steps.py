"""Loop over the steps of an integrator: steps, event indicators, output points. It is written once and run in two ways.

Integrators that are driven from Python run `Steps` as Python code (`python_steps`). For CVODE and IDA by pointer,
`step_compiler` makes machine code of the same text (`step_loop`). `step_compiler` describes the permitted part of Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import IntEnum

from .crossings import CrossingSearch
from .step_compiler import FOR_EVER, Address, Floats, address, copy, maximum, minimum
from .watching.instants import INSIDE

GROWTH = 2.0
LONGEST_FIRST = 0.1
"""At most this time [s] of a step is looked at first, or GROWTH times the length of the one before: where nothing moves, not
even the indicators' own changes would end a step of the integrator, which multiplies its first one by up to 10000."""

RECOVERING = 30.0
"""A step is very short where an earlier one was this many times as long."""

SMALLEST = 2.0 * sys.float_info.epsilon
"""The shortest step, as a part of the present time."""

PULL = 0.1
"""Part of the way to their constraints that states are drawn in one step, whatever its length. A pendulum of 1 m takes as many
steps with it as with a fixed rate of 10/s, one that is 10000 times as slow a fifteenth of IDA's evaluations."""

RISE, DRAWN = 2.0, 50.0
"""The rate rises so many times where the mean of so many steps allows it."""

ONE_STEP = 2
"""Of CVODE and IDA: return after one step."""


class Outcome(IntEnum):
    """Reason why the loop ended."""

    FINISHED = 0
    """The grid is reached."""
    STOPPED = 1
    """The time ``stop`` is reached, whose states are in x."""
    STEPPED = 2
    """So many steps are made; the grid points of the last one are stored in the next call."""
    FAILED = 3
    ROOT_FAILED = 4
    """The indicators could not be evaluated at the time ``failed``."""


class Steps(CrossingSearch):
    """One integrator with its last step, and the first crossing in it. Times in s.

    Attributes:
        begin, end, inside, before, part, stop, n_z, z: see `CrossingSearch`.
        target: what the first step size is computed from.
        time: where the integrator says it is.
        longest: length of the longest step since the beginning.
        first: no first step is longer, and those after it at most `GROWTH` times the one before while they are not.
        most: no step is longer.
        last: the integrator does not go beyond. bounded: not 0 where it has been told to end the next step earlier.
        limits, n_limits: what components say of the next step, see `modiapy.acausal.protocol.CONTEXT`, and how many they are.
        kept: they, while indicators are evaluated within a step.
        kinks, n_kinks, kink: times where a step ends, see `Problem`, how many they are, and the number of the next one.
        n: number of states. x: they, at some time.
        sizes: the largest magnitude of each state at the ends of steps until now.
        grid, n_grid, x_out, count: output points, how many there are, their states row by row, and how many are stored.
        steps: how many may be made until control is given back.
        flag: what the integrator or the root function returned.
        recovers: not 0 after a step that is longer than the one before, which was very short compared with earlier ones.
        draws: not 0 where states are drawn to their constraints, see `Problem.drawn`. pull: how fast [1/s], one number.
        drawn, since: how many steps have been drawn with it at least, and from when on.
        memory, y, rates, user: of CVODE or IDA: its memory, vectors of the states and of the rates (0 for CVODE), the model.
    """

    target: float
    time: float
    longest: float
    first: float
    most: float
    last: float
    bounded: int
    limits: Floats
    n_limits: int
    kept: Floats
    kinks: Floats
    n_kinks: int
    kink: int
    n: int
    x: Floats
    sizes: Floats
    grid: Floats
    n_grid: int
    x_out: Floats
    count: int
    steps: int
    recovers: int
    draws: int
    drawn: float
    since: float
    pull: Floats
    memory: Address
    y: Address
    rates: Address
    user: Address
    cvode: Callable[..., int]
    ida_solve: Callable[..., int]
    get_dky: Callable[..., int]
    set_min_step: Callable[..., int]
    set_max_step: Callable[..., int]
    set_stop_time: Callable[..., int]
    root: Callable[..., int]
    dae_root: Callable[..., int]

    def make_step(self) -> int:
        """Make one step to ``time``; return a negative number if this fails."""
        self.set_min_step(self.memory, abs(self.end) * SMALLEST)
        longest = self.longest_step()
        self.set_max_step(self.memory, minimum(longest, max(self.first, (self.end - self.begin) * GROWTH)))
        self.bound()
        if self.rates:
            return self.ida_solve(self.memory, self.target, address(self.time), self.y, self.rates, ONE_STEP)
        return self.cvode(self.memory, self.target, self.y, address(self.time), ONE_STEP)

    def longest_step(self) -> float:
        """Return the longest step that may follow [s]."""
        return minimum(self.most, self.limit())

    def limit(self) -> float:
        """Return the least limit that components set for a step [s]."""
        longest = FOR_EVER
        k = 0
        while k < self.n_limits:
            longest = minimum(longest, self.limits[k])
            k += 1
        return longest

    def to_kink(self) -> float:
        """Return the distance to the next kink [s]; a kink that only rounding separates from here counts as passed."""
        passed = self.end + 64.0 * abs(self.end) * SMALLEST
        while self.kink < self.n_kinks and self.kinks[self.kink] <= passed:
            self.kink += 1
        if self.kink < self.n_kinks:
            return self.kinks[self.kink] - self.end
        return FOR_EVER

    def bound(self) -> None:
        """Make the next step end at the limit of the components, or at a kink.

        The largest step size decides about the step after the next. The step is always longer than rounding, so that the
        integrator moves on.
        """
        end = self.end + max(minimum(self.limit(), self.to_kink()), 64.0 * abs(self.end) * SMALLEST)
        if end < self.last:
            self.set_stop_time(self.memory, end)
            self.bounded = 1
        elif self.bounded != 0:
            self.set_stop_time(self.memory, self.last)
            self.bounded = 0

    def dense(self, t: float) -> int:
        """Compute the states at a time in the last step -> x, and the rates of IDA -> ``rates``; return not 0 if that fails."""
        flag = self.get_dky(self.memory, t, 0, self.y)
        if flag != 0 or not self.rates:
            return flag
        return self.get_dky(self.memory, t, 1, self.rates)

    def indicators(self, t: float, row: int) -> int:
        """Do the same, and evaluate the indicators there -> a row of z."""
        flag = self.dense(t)
        if flag != 0:
            return flag
        if self.rates:
            return self.dae_root(t, self.y, self.rates, address(self.z[row * self.n_z]), self.user)
        return self.root(t, self.y, address(self.z[row * self.n_z]), self.user)

    def advance(self) -> int:
        """Store the grid points of the last step and step on, until there is an `Outcome`."""
        while True:
            self.flag = self.store()
            if self.flag != 0:
                return Outcome.FAILED
            if self.count == self.n_grid:
                return Outcome.FINISHED
            if self.stop <= self.end:
                self.flag = self.dense(self.stop)
                if self.flag != 0:
                    return Outcome.FAILED
                return Outcome.STOPPED
            if self.steps <= 0:
                return Outcome.STEPPED
            self.flag = self.make_step()
            if self.flag < 0:
                return Outcome.FAILED
            self.accept()
            if self.n_z != 0:
                if self.look() != 0:
                    return Outcome.ROOT_FAILED
                if self.end - self.begin > self.part or self.is_near():
                    self.leave_limits()
                    self.flag = self.search()
                    self.restore_limits()
                    if self.flag != 0:
                        return Outcome.ROOT_FAILED
                self.keep()
            if self.steps <= 0 or self.recovers != 0:
                return Outcome.STEPPED

    def store(self) -> int:
        """Store the states at the grid points in the last step and before ``stop``; not 0 if that fails."""
        while self.count < self.n_grid:
            t = self.grid[self.count]
            if not t <= self.end or not t < self.stop:
                return 0
            flag = self.dense(t)
            if flag != 0:
                return flag
            copy(self.x_out, self.count * self.n, self.x, 0, self.n)
            self.count += 1
        return 0

    def accept(self) -> None:
        """Record the step that was made."""
        previous = self.end - self.begin
        length = self.time - self.end
        self.begin = self.end
        self.end = self.time
        self.steps -= 1
        if previous * RECOVERING < self.longest and previous < length:
            self.recovers = 1
        if self.draws != 0:
            self.draw(length)
        self.longest = max(self.longest, length)
        self.measure()

    def measure(self) -> None:
        """Record the largest magnitudes of the states, which are those at the end of the step."""
        k = 0
        while k < self.n:
            self.sizes[k] = maximum(self.sizes[k], abs(self.x[k]))
            k += 1

    def draw(self, length: float) -> None:
        """Decide how fast states are drawn to their constraints, after a step of some length.

        The rate falls where steps become longer. It rises slowly: a rate that rose with each short step would itself make the
        next ones shorter.
        """
        if self.pull[0] * length > PULL:
            self.pull[0] = PULL / length
        self.drawn += 1
        if self.drawn >= DRAWN:
            if self.pull[0] * (self.end - self.since) * RISE < PULL * DRAWN:
                self.pull[0] = self.pull[0] * RISE
            self.drawn = 0
            self.since = self.end

    def leave_limits(self) -> None:
        """Tell components that no step follows from where indicators are evaluated; what they said last is kept."""
        k = 0
        while k < self.n_limits:
            self.kept[k] = self.limits[k]
            self.limits[k] = 0.0 - abs(self.limits[k])
            k += 1

    def restore_limits(self) -> None:
        """Go back to what they said."""
        copy(self.limits, 0, self.kept, 0, self.n_limits)

    def look(self) -> int:
        """Evaluate the indicators inside and at the end of the step, from where the next one begins; not 0 if that fails."""
        self.inside = self.begin + (self.end - self.begin) * INSIDE
        self.failed = self.inside
        self.leave_limits()
        self.flag = self.indicators(self.inside, 1)
        self.restore_limits()
        if self.flag == 0:
            self.failed = self.end
            self.flag = self.indicators(self.end, 2)
        return self.flag

    def keep(self) -> None:
        """Keep the indicators of the last step as those of the step before."""
        copy(self.z, 3 * self.n_z, self.z, self.n_z, self.n_z)
        copy(self.z, 0, self.z, 2 * self.n_z, self.n_z)
        self.before = self.inside
