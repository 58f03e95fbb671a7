"""Steps of the stabilised explicit method, see `chebyshev`, as part of the loop over the steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import sqrt

from .step_compiler import Address, Floats, copy, maximum, minimum
from .steps import GROWTH, LONGEST_FIRST, SMALLEST, Steps

DAMPING = 2.0 / 13.0
"""By how much stability is reduced, so that what is stiff fades, by a twentieth in each step at least."""

MOST_STAGES = 250
"""Rounding errors grow with the square of the number of stages."""

STABLE = 1.54
"""One over what the step size by the largest eigenvalue may be, by stages squared: 2/3, less by `DAMPING`."""

SAFE = 1.2
"""Factor on the estimate of the largest eigenvalue, which comes from below."""

SETTLED = 0.1
"""Relative change below which that estimate is good enough."""

SEARCHES = 12
"""Evaluations for it at most."""

FIRST, SMALLER, LARGER, CAUTIOUS = 0.7, 0.1, 10.0, 0.8
"""Factors on step sizes: on the first one, the least and the largest from one to the next, below what the error allows."""

ROOT_EPS = sys.float_info.epsilon**0.5

ERROR_TOO_LARGE, NOT_EVALUATED = -1, -2
"""Flags of a step that cannot be made."""


class ChebyshevSteps(Steps):
    """The loop with the steps of the method. The notation of coefficients is that of the source, see `chebyshev`.

    Attributes:
        right, derivative: the right-hand side, which writes to the vector ``derivative``, whose data are f.
        rtol, atol: see `create_solver`. dimension: number of states as a floating-point number, at least 1.
        x0, f0, x1, f1: states and derivatives at both ends of the last step; f: at the point that was evaluated last.
        step_begin, step_end: of the last step [s]. known: not 0 if there is one since the integrator began.
        older, old, new: the last stages.
        error: of a step. along, directed: direction of the largest eigenvalue, and whether there is one.
        length: of the next step [s]. rate: the largest eigenvalue [1/s].
        polynomial, first_derivative, second_derivative: of Chebyshev at ``w``, up to the number of stages.
        evaluations, made_steps, rejected: counts; the last one of steps in which the model could not be evaluated.
        x_failed: states where it could not, at the time ``failed``.
    """

    right: Callable[..., int]
    derivative: Address
    rtol: float
    dimension: float
    atol: Floats
    x0: Floats
    f0: Floats
    x1: Floats
    f1: Floats
    f: Floats
    step_begin: float
    step_end: float
    known: int
    older: Floats
    old: Floats
    new: Floats
    error: Floats
    along: Floats
    directed: int
    length: float
    rate: float
    polynomial: Floats
    first_derivative: Floats
    second_derivative: Floats
    evaluations: int
    made_steps: int
    rejected: int
    x_failed: Floats

    def evaluate(self, t: float, x: Floats) -> int:
        """Compute the derivatives -> f; return not 0 if that fails."""
        copy(self.x, 0, x, 0, self.n)
        self.evaluations += 1
        flag = self.right(t, self.y, self.derivative, self.user)
        if flag != 0:
            self.failed = t
            copy(self.x_failed, 0, x, 0, self.n)
        return flag

    def length_of(self, vector: Floats) -> float:
        """Return the Euclidean norm."""
        total = 0.0
        k = 0
        while k < self.n:
            total = total + vector[k] * vector[k]
            k += 1
        return sqrt(total)

    def norm(self, error: Floats) -> float:
        """Return the root mean square of an error, relative to the tolerances for states at both ends of a step."""
        total = 0.0
        k = 0
        while k < self.n:
            part = error[k] / (maximum(abs(self.x0[k]), abs(self.x1[k])) * self.rtol + self.atol[k])
            total = total + part * part
            k += 1
        return sqrt(total / self.dimension)

    def make_step(self) -> int:
        """Make one step to ``time``; return a negative number if this fails."""
        self.part = maximum((self.end - self.begin) * GROWTH, LONGEST_FIRST)
        begin = self.end
        stop = self.last
        self.to_kink()
        if self.kink < self.n_kinks:
            stop = minimum(stop, self.kinks[self.kink])
        longest = minimum(minimum(self.longest_step(), self.part), stop - begin)
        if self.start(begin, longest) != 0:
            return NOT_EVALUATED
        length = minimum(self.length, longest)
        least = abs(begin) * SMALLEST
        size = 2.0
        while size > 1.0:
            stages = 2
            many = 2.0
            while many * many <= 1.0 + STABLE * length * self.rate and stages < MOST_STAGES:
                stages += 1
                many = many + 1.0
            if stages == MOST_STAGES:
                length = minimum(length, (many * many - 1.0) / (STABLE * self.rate))
            flag = self.take_stages(begin, length, stages, many)
            size = 1e300
            if flag == 0:
                self.compare(length)
                size = self.norm(self.error)
            else:
                self.rejected += 1
            if not size <= 1.0:
                if flag == 0 and size - size == 0.0:
                    copy(self.along, 0, self.error, 0, self.n)
                    self.find_rate(begin, 0.0)
                if size != size:
                    size = 1e300
                length = length * maximum(SMALLER, CAUTIOUS / self.cube_root(size))
                if length <= least:
                    if flag != 0:
                        return NOT_EVALUATED
                    return ERROR_TOO_LARGE
        self.step_begin = begin
        self.step_end = begin + length
        if length == stop - begin:
            self.step_end = stop
        self.length = length * minimum(LARGER, CAUTIOUS / self.cube_root(size))
        self.known = 1
        self.made_steps += 1
        self.time = self.step_end
        copy(self.x, 0, self.x1, 0, self.n)
        return 0

    def cube_root(self, value: float) -> float:
        """Return the cube root of a number, within what factors on step sizes are limited to."""
        limited = minimum(maximum(value, 1e-4), 1e4)
        root = 1.0
        count = 0
        while count < 30:
            root = sqrt(sqrt(limited * root))
            count += 1
        return root

    def start(self, begin: float, longest: float) -> int:
        """Find states and derivatives at the beginning of a step, and the largest eigenvalue there.

        Of a first step also its length. Return not 0 if the model cannot be evaluated.
        """
        if self.known != 0:
            copy(self.x0, 0, self.x1, 0, self.n)
            copy(self.f0, 0, self.f1, 0, self.n)
            return self.find_rate(begin, self.rate / SAFE)
        copy(self.x0, 0, self.x, 0, self.n)
        if self.evaluate(begin, self.x0) != 0:
            return NOT_EVALUATED
        copy(self.f0, 0, self.f, 0, self.n)
        copy(self.along, 0, self.f, 0, self.n)
        self.directed = 1
        if self.find_rate(begin, 0.0) != 0:
            return NOT_EVALUATED
        length = longest
        if self.rate > 0.0:
            length = minimum(longest, 1.0 / self.rate)
        k = 0
        while k < self.n:
            self.new[k] = self.x0[k] + length * self.f0[k]
            k += 1
        if self.evaluate(begin + length, self.new) != 0:
            return NOT_EVALUATED
        copy(self.x1, 0, self.x0, 0, self.n)
        k = 0
        while k < self.n:
            self.error[k] = self.f[k] - self.f0[k]
            k += 1
        change = length * self.norm(self.error)
        self.length = longest
        if FIRST * FIRST * length * length < change * longest * longest:
            self.length = FIRST * length / sqrt(change)
        return 0

    def find_rate(self, t: float, before: float) -> int:
        """Estimate the largest absolute value of an eigenvalue of df/dx by the power method -> ``rate``, enlarged by `SAFE`.

        Args:
            t: [s]. before: what it was at the last point [1/s]; 0 where that is not known.

        Returns:
            Not 0 if the model cannot be evaluated.
        """
        size = self.length_of(self.along)
        if self.directed == 0 or not size > 0.0 or size - size != 0.0:
            k = 0
            while k < self.n:
                self.along[k] = 1.0
                k += 1
            size = self.length_of(self.along)
        distance = maximum(self.length_of(self.x0), 1.0) * ROOT_EPS
        rate = before
        count = 0
        while count < SEARCHES and self.n > 0:
            k = 0
            while k < self.n:
                self.new[k] = self.x0[k] + distance / size * self.along[k]
                k += 1
            if self.evaluate(t, self.new) != 0:
                return NOT_EVALUATED
            k = 0
            while k < self.n:
                self.along[k] = self.f[k] - self.f0[k]
                k += 1
            size = self.length_of(self.along)
            last = rate
            rate = size / distance
            count += 1
            if size == 0.0 or abs(rate - last) <= SETTLED * rate:
                count = SEARCHES
        self.directed = 1
        self.rate = SAFE * rate
        return 0

    def take_stages(self, t: float, h: float, stages: int, many: float) -> int:
        """Go through the stages of a step of length h [s] -> x1, f1; return not 0 if the model cannot be evaluated."""
        w = 1.0 + DAMPING / (many * many)
        self.polynomial[0] = 1.0
        self.polynomial[1] = w
        self.first_derivative[0] = 0.0
        self.first_derivative[1] = 1.0
        self.second_derivative[0] = 0.0
        self.second_derivative[1] = 0.0
        j = 2
        while j <= stages:
            first = self.first_derivative[j - 1]
            self.polynomial[j] = 2.0 * w * self.polynomial[j - 1] - self.polynomial[j - 2]
            self.first_derivative[j] = 2.0 * self.polynomial[j - 1] + 2.0 * w * first - self.first_derivative[j - 2]
            self.second_derivative[j] = 4.0 * first + 2.0 * w * self.second_derivative[j - 1] - self.second_derivative[j - 2]
            j += 1
        scale = self.first_derivative[stages] / self.second_derivative[stages]
        b_older = self.second_derivative[2] / (self.first_derivative[2] * self.first_derivative[2])
        b_old = b_older
        at = scale * self.second_derivative[2] / self.first_derivative[2] / self.first_derivative[2]
        older = self.older
        old = self.old
        new = self.new
        copy(older, 0, self.x0, 0, self.n)
        k = 0
        while k < self.n:
            old[k] = self.x0[k] + b_old * scale * h * self.f0[k]
            k += 1
        j = 2
        while j <= stages:
            if self.evaluate(t + at * h, old) != 0:
                return NOT_EVALUATED
            b = self.second_derivative[j] / (self.first_derivative[j] * self.first_derivative[j])
            mu = 2.0 * b * w / b_old
            nu = b / b_older
            tilde = 2.0 * b * scale / b_old
            gamma = (b_old * self.polynomial[j - 1] - 1.0) * tilde * h
            tilde = tilde * h
            rest = 1.0 - mu + nu
            k = 0
            while k < self.n:
                new[k] = tilde * self.f[k] + mu * old[k] - nu * older[k] + rest * self.x0[k] + gamma * self.f0[k]
                k += 1
            at = scale * self.second_derivative[j] / self.first_derivative[j]
            b_older = b_old
            b_old = b
            other = older
            older = old
            old = new
            new = other
            j += 1
        copy(self.x1, 0, old, 0, self.n)
        if self.evaluate(t + h, self.x1) != 0:
            return NOT_EVALUATED
        copy(self.f1, 0, self.f, 0, self.n)
        return 0

    def compare(self, h: float) -> None:
        """Estimate the error of a step of length h [s] -> ``error``."""
        k = 0
        while k < self.n:
            self.error[k] = 0.8 * (self.x0[k] - self.x1[k]) + 0.4 * h * (self.f0[k] + self.f1[k])
            k += 1

    def dense(self, t: float) -> int:
        """Compute the states at a time in the last step -> x, by the cubic polynomial through states and derivatives at its
        ends.
        """
        if self.known == 0:
            copy(self.x, 0, self.x0, 0, self.n)
            return 0
        if t == self.step_end:
            copy(self.x, 0, self.x1, 0, self.n)
            return 0
        h = self.step_end - self.step_begin
        s = (t - self.step_begin) / h
        k = 0
        while k < self.n:
            way = self.x1[k] - self.x0[k]
            slope = h * (1.0 - s) * self.f0[k] - h * s * self.f1[k] + (2.0 * s - 1.0) * way
            self.x[k] = (1.0 - s) * self.x0[k] + s * self.x1[k] + s * (1.0 - s) * slope
            k += 1
        return 0
