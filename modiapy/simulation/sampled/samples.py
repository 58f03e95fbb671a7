"""Loop over the steps between samples: steps of a Runge-Kutta method, indicators, ticks of clocks, stored points.

It is written in the small part of Python that `solvers.step_compiler` describes; `sample_loop` makes machine code of it. What
it cannot do it leaves alone: it then ends at the beginning of the step or of the event, as if it had not begun with it.
"""

from __future__ import annotations

from ..solvers.step_compiler import FOR_EVER, Floats, address, copy, minimum
from .sample_memory import Ended
from .ticks import Ticks


class Samples(Ticks):
    """A stretch of simulation between samples, see `SampleMemory`."""

    def run(self) -> int:
        """Go on until there is a reason to end, see `Ended`."""
        while True:
            if self.allowed <= 0 or (self.stores != 0 and self.count + 2 >= self.room):
                self.stand(self.end, self.x1)
                return Ended.FULL
            self.find_tick()
            if self.is_asked_inside() != 0 and self.close_step() != 0:
                self.end = self.begin
                copy(self.x1, 0, self.x0, 0, self.n)
                self.stand(self.begin, self.x0)
                self.fresh = 1
                return Ended.NEAR
            if self.store_grid() != 0:
                return Ended.FAILED
            if self.end >= self.next and self.next <= self.pause:
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

    def hold(self, until: float) -> int:
        """Begin again from ``time`` and ``x``, where inputs have changed, and go on to a time at which a step ends."""
        copy(self.x1, 0, self.x, 0, self.n)
        self.begin = self.time
        self.end = self.time
        self.fresh = 1
        self.goes_on = 0
        self.moved = 0
        self.pause = until
        self.hard = 1
        self.allowed = self.at_once
        outcome = self.run()
        if outcome == Ended.PAUSED:
            self.fresh = 1
            self.goes_on = 0
        return outcome

    def hold_inputs(self, until: float) -> int:
        """Let inputs have their new values, and go on as `hold` does."""
        changes = 0
        i = 0
        while i < self.n_inputs:
            if not abs(self.values[i]) < FOR_EVER:
                return Ended.REFUSED
            if self.values[i] != self.applied[i]:
                changes = 1
            i += 1
        copy(self.inputs, 0, self.values, 0, self.n_inputs)
        outcome = self.hold(until)
        if outcome == Ended.PAUSED:
            copy(self.applied, 0, self.values, 0, self.n_inputs)
            self.changed += changes
        return outcome

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

    def is_asked_inside(self) -> int:
        """Return whether states are asked for inside the last step."""
        if self.open == 0 or self.fresh != 0:
            return 0
        if self.pause < self.end or (self.stores != 0 and self.output < self.end):
            return 1
        return 0

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
