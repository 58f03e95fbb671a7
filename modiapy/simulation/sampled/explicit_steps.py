"""Steps of an explicit Runge-Kutta method with error control, its choice, and stiffness; see `samples`."""

from __future__ import annotations

import sys

from ...acausal.protocol import Mode
from ..solvers.step_compiler import FOR_EVER, Floats, address, copy, minimum
from ..solvers.steps import LONGEST_FIRST
from .sample_memory import HIGH, LOW, Ended, SampleMemory

WITH_INDICATORS = int(Mode.INDICATORS)
LARGEST, SMALLEST, SHRINK = 10.0, 0.1, 0.8
"""Factors from one step size to the next: the largest, the smallest; by such factors in between."""

SAFE = 0.5
"""Part of the permitted error that a step is to have, squared."""

EPS = sys.float_info.epsilon

CURVED = 2.0
"""An indicator does not cross zero in a step at whose ends it is so many times the change of its slope away from zero: eight
times what a parabola leaves its chord by is four times this change."""

DEAR, TOO_DEAR, PATIENCE = 9, 40, 100
"""With more evaluations than so many from one sample to the next the method of higher order is taken at the next sample, with
more than so many at once, for so many samples."""

UNSTABLE, STIFF_STEPS, CALM_STEPS = 9.0, 15, 6
"""Of the method of order 5: a step is limited by stability if the largest eigenvalue times its length, squared, is above the
first; the problem is stiff if more steps than the second are, without so many calm ones between them. Source: E. Hairer,
G. Wanner, Solving Ordinary Differential Equations II, section IV.2."""


class ExplicitSteps(SampleMemory):
    """See `samples`."""

    def stand(self, t: float, x: Floats) -> None:
        """Stand at a time with some states."""
        self.time = t
        copy(self.x, 0, x, 0, self.n)

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
        self.stiff = 0
        self.calm = 0
        self.choose()
        if self.evaluate(self.end, self.x1, 0, 0) != 0:
            return Ended.NEAR
        if self.n_z != 0:
            if self.is_decided(0) == 0:
                if self.known == 0:
                    return Ended.NEAR
                return Ended.UNDECIDED
            i = self.n_relations
            while i < self.n_z and self.known != 0:
                if not self.z[i] * self.z[2 * self.n_z + i] > 0.0:
                    return Ended.UNDECIDED
                i += 1
        if self.known == 0 or self.n_tickers != 0:
            self.before = 0.0
        self.fresh = 0
        self.goes_on = 0
        self.open = 0
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
        if self.moved != 0:
            self.moved = 0
            self.open = 0
            self.goes_on = 0
            if self.evaluate(begin, self.x1, 0, 0) != 0:
                return self.give_up(begin, Ended.NEAR)
        if self.close_step() != 0:
            return self.give_up(begin, Ended.NEAR)
        length = self.h
        if not length > 0.0:
            length = LONGEST_FIRST
        i = 0
        while i < self.n_limits:
            length = minimum(length, self.limits[i])
            i += 1
        if self.order == LOW and self.spent > TOO_DEAR:
            if self.goes_on != 0:
                copy(self.k, 0, self.k, (self.stages - 1) * self.n, self.n)
                self.goes_on = 0
            self.take(HIGH)
        size = FOR_EVER
        last = 0
        while size > 1.0:
            if self.stiff > STIFF_STEPS or self.spent > self.budget:
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
        self.look_at_stiffness(length)
        if self.n_z != 0:
            if self.is_near(length) != 0:
                self.end = begin
                return self.give_up(begin, Ended.NEAR)
            copy(self.z, 4 * self.n_z, self.z, 0, self.n_z)
            copy(self.z, 0, self.z, 2 * self.n_z, self.n_z)
        self.known = 1
        self.before = length
        self.goes_on = 1
        self.open = 0
        if self.order == LOW and self.n_z == 0:
            self.open = 1
        copy(self.x1, 0, self.y, 0, self.n)
        i = 0
        while i < self.n:
            self.sizes[i] = max(self.sizes[i], abs(self.x1[i]))
            i += 1
        return 0

    def look_at_stiffness(self, length: float) -> None:
        """Count steps that stability limits: the last two stages are at one time, and their difference tells the Jacobian."""
        if self.order == LOW:
            return
        first = (self.stages - 2) * self.n
        rates = 0.0
        states = 0.0
        j = 0
        while j < self.n:
            rate = self.k[first + self.n + j] - self.k[first + j]
            state = (self.y[j] - self.stage[j]) / (self.rtol * abs(self.y[j]) + self.atol[j])
            rate = rate / (self.rtol * abs(self.y[j]) + self.atol[j])
            rates = rates + rate * rate
            states = states + state * state
            j += 1
        if length * length * rates > UNSTABLE * states:
            self.stiff += 1
            self.calm = 0
        else:
            self.calm += 1
            if self.calm >= CALM_STEPS:
                self.stiff = 0

    def close_step(self) -> int:
        """Evaluate the last stage of the last step, if that was left out; not 0 if this fails."""
        if self.open == 0:
            return 0
        self.open = 0
        return self.evaluate(self.end, self.x1, self.stages - 1, 0 - 1)

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
        last = self.stages - 1
        if self.order == LOW and self.n_z == 0:
            last = last - 1
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
            if i == self.stages - 2:
                copy(self.stage, 0, self.y, 0, self.n)
            row = 0 - 1
            if i == self.stages - 1 and self.n_z != 0:
                row = 2
            if i <= last and self.evaluate(begin + length * self.c[i], self.y, i, row) != 0:
                return FOR_EVER
            i += 1
        total = 0.0
        j = 0
        while j < self.n:
            wrong = 0.0
            i = 0
            while i <= last:
                wrong = wrong + self.error[i] * self.k[i * self.n + j]
                i += 1
            wrong = length * wrong / (self.rtol * max(abs(self.x0[j]), abs(self.y[j])) + self.atol[j])
            total = total + wrong * wrong
            j += 1
        if self.n == 0:
            return 0.0
        total = total / self.dimension
        if not total < FOR_EVER:
            return FOR_EVER
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
