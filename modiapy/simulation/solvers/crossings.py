"""Search for the first zero crossing of an event indicator in one step of an integrator, by its dense output.

The search depends only on the step and the indicators. So the times of events do not depend on output points, stop times or
saves. Zero is a sign of its own, and so is a value that is not a number. An indicator crosses when it reaches zero, when it
leaves zero, and when it can no longer be computed, so that nothing is integrated with a relation that may be wrong.

It is written in the small part of Python that `step_compiler` makes machine code of, and belongs to the loop over the steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .step_compiler import FOR_EVER, Floats, copy, maximum, minimum
from .watching.instants import INSIDE, PRECISION

FAR = 0.5
"""An indicator that stays this many times its own change away from zero is not looked at more closely: a parabola whose values
at both ends of a step and `INSIDE` differ by 1 is nowhere else nearer to zero by more than 0.25."""

SURPRISING = 16.0
"""Weight of the error of a parabola, compared with a change: what is not as before may change more than is seen."""

DOUBTFUL = 2.0
"""The same as FAR in a first step, and where points do not lie close enough together."""

ASLEEP = 1e-300
"""In the place of an exact zero where integration begins, with the sign that it has until it is no longer zero."""

RESOLVED = 0.15
"""Error of a parabola through three points, as a part of all changes, below which points lie close enough together."""

STEEP = 12.0
"""They do not where an indicator would change this many times more if it went on as it begins."""

MOMENT = 1e-3
"""Part of what is looked at, from which is seen how an indicator begins."""

NOISE = 1e-14
"""Smaller changes mean nothing."""

EVALUATIONS = 1000
"""So often indicators are evaluated in one step to bring points close enough together."""

CLOSE = 0.5
"""An extremum is looked at where a parabola comes closer to zero than this part of the nearest of its points."""

REFINEMENTS = 6
"""So often an extremum is looked at."""

ITERATIONS = 200
"""Of a location; bisection alone takes less than 60."""

BEGIN, MIDDLE, END, BEFORE = 0, 1, 2, 3
"""Rows of indicators: at the begin, inside and at the end of the last step, and inside the step before."""

LOOKED_AT, NEW, LOW, HIGH = 4, 10, 11, 12
"""In a search: the first one of six points that are looked at together, a point in between, those before and behind the first
crossing."""

INSIDE_PART, END_PART = LOOKED_AT + 3, LOOKED_AT + 5
"""Those of the six that lie at `INSIDE` and at the end of what is looked at."""

ROWS = 13

FIRST, SECOND = 0.5 * INSIDE, 0.5 + 0.5 * INSIDE
"""Where two more of the six lie; another one is at `MOMENT`."""


@dataclass(frozen=True)
class Crossing:
    """First zero crossing in a step.

    Attributes: time: just behind the crossing [s]. roots: numbers of the indicators that cross there. rising: for each of them,
    whether it crosses upwards.
    """

    time: float
    roots: tuple[int, ...]
    rising: tuple[bool, ...]


def crossing_between(time: float, before: np.ndarray, after: np.ndarray) -> Crossing:
    """Return the crossing at a time [s] of the indicators that have these values just before and behind it."""
    roots = np.flatnonzero(np.sign(before) != np.sign(after))
    rising = (before[roots] < 0.0) | (after[roots] > 0.0)
    return Crossing(time, tuple(roots.tolist()), tuple(rising.tolist()))


def _off() -> np.ndarray:
    parts = np.array([0.0, MOMENT, FIRST, INSIDE, SECOND, 1.0])
    rows, base = np.zeros((2, 6)), [0, 3, 5]
    for row, at in zip(rows, (2, 4), strict=True):
        row[at] = 1.0
        for k in base:
            row[k] = -np.prod([(parts[at] - parts[m]) / (parts[k] - parts[m]) for m in base if m != k])
    return rows.ravel()


OFF = _off()
"""Factors of the six points that give by how much the third and the fifth of them are off the parabola through the others but
one, shape (12,)."""


class CrossingSearch:
    """Search in the last step of an integrator. Times in s.

    Attributes:
        begin, inside, end: the step, and where indicators were evaluated in it. before: the same in the step before it; not a
            number in the first step.
        part: a longer part of the step may hide crossings.
        stop: where the first crossing is; infinite if there is none.
        n_z: number of indicators. z: they, row by row, see `ROWS`. at: times of the rows from `LOOKED_AT` on.
        bands: within which indicators that sleep count as zero, see `interface.Problem`.
        off: see `OFF`.
        failed: where indicators could not be evaluated.
        found: not 0 if there are a point before and one behind a crossing in what is looked at.
        flag: what the function returned that evaluates indicators.
    """

    begin: float
    inside: float
    end: float
    before: float
    part: float
    stop: float
    n_z: int
    z: Floats
    at: Floats
    bands: Floats
    off: Floats
    failed: float
    found: int
    flag: int

    def indicators(self, t: float, row: int) -> int:
        """Evaluate the indicators at a time in the last step -> a row of z; return not 0 if that fails."""
        return 0

    def point(self, t: float, row: int) -> int:
        """Do the same for a point that is looked at; indicators that sleep are what they were."""
        self.flag = self.indicators(t, row)
        if self.flag != 0:
            self.failed = t
            return self.flag
        self.at[row] = t
        self.sleep_on(row)
        return 0

    def sleep_on(self, row: int) -> None:
        """Let indicators that sleep at the beginning of the step and are still zero within their bands sleep on."""
        k = 0
        while k < self.n_z:
            if abs(self.z[k]) == ASLEEP and abs(self.z[row * self.n_z + k]) <= self.bands[k]:
                self.z[row * self.n_z + k] = self.z[k]
            k += 1

    def take(self, row: int, other: int, t: float) -> None:
        """Take another row for a point that is looked at, at a time."""
        copy(self.z, row * self.n_z, self.z, other * self.n_z, self.n_z)
        self.at[row] = t

    def is_near(self) -> bool:
        """Return whether an indicator may cross zero in the step: what stays `FAR` from it does not.

        The value inside is compared with a parabola through the ends and the point inside the step before.
        """
        is_first = self.before != self.before
        since = self.begin - self.before
        length = self.end - self.begin
        after = self.inside - self.before
        weight = (self.inside - self.begin) / (self.end - self.before)
        k = 0
        while k < self.n_z:
            a = self.z[k]
            b = self.z[self.n_z + k]
            c = self.z[2 * self.n_z + k]
            change = maximum(maximum(a, b), c) - minimum(minimum(a, b), c)
            if is_first:
                bound = change * DOUBTFUL
            else:
                z = self.z[3 * self.n_z + k]
                slope = (a - z) / since
                expected = z + after * (slope + weight * ((c - a) / length - slope))
                bound = (change + abs(b - expected) * SURPRISING) * FAR
            if not minimum(minimum(abs(a), abs(b)), abs(c)) >= bound:
                return True
            k += 1
        return False

    def search(self) -> int:
        """Find the first crossing in the last step -> ``stop``, `LOW`, `HIGH`; return not 0 if indicators cannot be evaluated.

        It goes through the step in parts that are so short that parabolas through three points follow the indicators. It finds
        all crossings of which no two lie between neighbouring points, and two in between if the indicator looks like a
        parabola.
        """
        width = (abs(self.end) + abs(self.end - self.begin)) * PRECISION
        length = self.end - self.begin
        longest = self.part
        left = EVALUATIONS
        self.sleep_on(END)
        self.take(LOOKED_AT, BEGIN, self.begin)
        self.take(INSIDE_PART, MIDDLE, self.inside)
        self.sleep_on(INSIDE_PART)
        self.take(END_PART, END, self.end)
        while True:
            if length > longest:
                length = longest
                longest = FOR_EVER
            else:
                if self.points_between() != 0:
                    return self.flag
                left -= 5
                if length > width and left > 0 and not self.is_resolved():
                    length = length * 0.5
                else:
                    if self.look_between(width) != 0:
                        return self.flag
                    if self.stop < FOR_EVER or self.at[END_PART] >= self.end:
                        return 0
                    self.take(LOOKED_AT, END_PART, self.at[END_PART])
                    if left > 0:
                        length = length * 2.0
                    else:
                        length = self.end - self.at[LOOKED_AT]
            begin = self.at[LOOKED_AT]
            until = begin + length
            if self.point(begin + (minimum(until, self.end) - begin) * INSIDE, INSIDE_PART) != 0:
                return self.flag
            if until >= self.end - width:
                self.take(END_PART, END, self.end)
            else:
                if self.point(until, END_PART) != 0:
                    return self.flag

    def points_between(self) -> int:
        """Evaluate those of the six points that are not known; return not 0 if that fails."""
        begin = self.at[LOOKED_AT]
        length = self.at[END_PART] - begin
        if self.point(begin + length * MOMENT, LOOKED_AT + 1) != 0:
            return self.flag
        if self.point(begin + length * FIRST, LOOKED_AT + 2) != 0:
            return self.flag
        return self.point(begin + length * SECOND, LOOKED_AT + 4)

    def is_resolved(self) -> bool:
        """Return whether parabolas follow all indicators that may cross zero."""
        n = self.n_z
        k = 0
        while k < n:
            least = FOR_EVER
            low = FOR_EVER
            high = -1.0 * FOR_EVER
            off_one = 0.0
            off_two = 0.0
            finite = 0
            i = 0
            while i < 6:
                z = self.z[(LOOKED_AT + i) * n + k]
                least = minimum(least, abs(z))
                low = minimum(low, z)
                high = maximum(high, z)
                off_one = off_one + self.off[i] * z
                off_two = off_two + self.off[6 + i] * z
                if z - z == 0.0:
                    finite += 1
                i += 1
            change = high - low
            begins = self.z[(LOOKED_AT + 1) * n + k] - self.z[LOOKED_AT * n + k]
            unclear = 0
            if change > NOISE and (
                abs(off_one) > change * RESOLVED or abs(off_two) > change * RESOLVED or abs(begins) > change * STEEP * MOMENT
            ):
                unclear = 1
            if finite > 0 and finite < 6:
                unclear = 1
            if unclear != 0 and not least >= change * DOUBTFUL:
                return False
            k += 1
        return True

    def crosses(self, a: float, b: float) -> bool:
        """Return whether an indicator with one value and later another one crosses zero."""
        return not ((a < 0.0 and b < 0.0) or (a > 0.0 and b > 0.0) or (a == 0.0 and b == 0.0))

    def any_crosses(self, one: int, other: int) -> bool:
        """Return whether any indicator crosses from one row to another."""
        k = 0
        while k < self.n_z:
            if self.crosses(self.z[one * self.n_z + k], self.z[other * self.n_z + k]):
                return True
            k += 1
        return False

    def look_between(self, width: float) -> int:
        """Find the first crossing between the six points, extrema close to zero included -> ``stop``; return not 0 if
        indicators cannot be evaluated.
        """
        self.found = 0
        i = LOOKED_AT
        while i < END_PART and self.found == 0:
            if self.any_crosses(i, i + 1):
                self.bracket(i, i + 1)
            i += 1
        i = LOOKED_AT + 1
        while i <= INSIDE_PART:
            k = 0
            while k < self.n_z and (self.found == 0 or self.at[i] < self.at[HIGH]):
                if self.turns(i, k) and self.follow(i, k) != 0:
                    return self.flag
                k += 1
            i += 1
        if self.found != 0:
            return self.locate(width)
        return 0

    def bracket(self, low: int, high: int) -> None:
        """Note that the first crossing is between two points."""
        self.found = 1
        self.take(LOW, low, self.at[low])
        self.take(HIGH, high, self.at[high])

    def turns(self, i: int, k: int) -> bool:
        """Return whether a parabola through three points from the one with number i on, of the same sign, has an extremum close
        to zero between them.
        """
        n = self.n_z
        z0 = self.z[i * n + k]
        z1 = self.z[(i + 1) * n + k]
        z2 = self.z[(i + 2) * n + k]
        if not ((z0 > 0.0 and z1 > 0.0 and z2 > 0.0) or (z0 < 0.0 and z1 < 0.0 and z2 < 0.0)):
            return False
        t0 = self.at[i]
        t1 = self.at[i + 1]
        t2 = self.at[i + 2]
        slope = (z1 - z0) / (t1 - t0)
        bend = ((z2 - z1) / (t2 - t1) - slope) / (t2 - t0)
        if not bend * z1 > 0.0:
            return False
        at = (t0 + t1 - slope / bend) * 0.5
        value = z0 + (at - t0) * (slope + bend * (at - t1))
        if z1 < 0.0:
            value = 0.0 - value
        return at > t0 and at < t2 and value <= minimum(minimum(abs(z0), abs(z1)), abs(z2)) * CLOSE

    def follow(self, i: int, k: int) -> int:
        """Go where parabolas through three points have their extremum, until indicator k changes its sign.

        Return not 0 if indicators cannot be evaluated.
        """
        n = self.n_z
        t0 = self.at[i]
        t1 = self.at[i + 1]
        t2 = self.at[i + 2]
        z0 = self.z[i * n + k]
        z1 = self.z[(i + 1) * n + k]
        z2 = self.z[(i + 2) * n + k]
        smallest = (abs(t2) + abs(t2 - t0)) * PRECISION
        if minimum(t1 - t0, t2 - t1) <= smallest:
            return 0
        count = 0
        while count < REFINEMENTS:
            slope = (z1 - z0) / (t1 - t0)
            bend = ((z2 - z1) / (t2 - t1) - slope) / (t2 - t0)
            at = t1
            if bend != 0.0:
                at = (t0 + t1 - slope / bend) * 0.5
            if not (t0 + smallest < at and at < t2 - smallest) or abs(at - t1) <= smallest:
                return 0
            value = z0 + (at - t0) * (slope + bend * (at - t1))
            if value * z1 > minimum(minimum(abs(z0), abs(z1)), abs(z2)) * abs(z1) * CLOSE:
                return 0
            if self.point(at, NEW) != 0:
                return self.flag
            self.narrow()
            z = self.z[NEW * n + k]
            if self.crosses(z1, z):
                return 0
            nearer = abs(z) <= abs(z1)
            if (at < t1 and nearer) or (at >= t1 and not nearer):
                if nearer:
                    t2 = t1
                    z2 = z1
                else:
                    t2 = at
                    z2 = z
            else:
                if nearer:
                    t0 = t1
                    z0 = z1
                else:
                    t0 = at
                    z0 = z
            if nearer:
                t1 = at
                z1 = z
            count += 1
        return 0

    def narrow(self) -> None:
        """Note that the first crossing is before the point `NEW`, if any indicator has crossed there since one of the six."""
        t = self.at[NEW]
        if self.found != 0 and t >= self.at[HIGH]:
            return
        i = LOOKED_AT
        while i < END_PART and self.at[i + 1] < t:
            i += 1
        if self.any_crosses(i, NEW):
            self.bracket(i, NEW)

    def locate(self, width: float) -> int:
        """Find the first crossing between `LOW` and `HIGH` -> ``stop``; return not 0 if indicators cannot be evaluated.

        Regula falsi with the modification of Illinois for the indicator that seems to be the first, bisection where that is
        slow. All that cross between the last two points cross at the same time.
        """
        expected = (self.at[HIGH] - self.at[LOW]) * 0.5
        moved = 0
        weight = 1.0
        count = 0
        turn = 0
        while count < ITERATIONS and self.at[HIGH] - self.at[LOW] > width:
            low = self.at[LOW]
            high = self.at[HIGH]
            part = self.secant(moved, weight)
            is_slow = 0
            if turn == 3:
                if high - low > expected:
                    is_slow = 1
                expected = (high - low) * 0.25
                turn = -1
            if is_slow != 0 or not part > 0.0:  # one that leaves zero, or is no number at one end, has no secant
                part = 0.5
                moved = 0
            at = low + part * (high - low)
            margin = minimum(width * 0.4, (high - low) * 0.25)
            if moved == HIGH:  # beyond the zero, so that the sign is a clear one and the other end comes near
                at = at - margin
            else:
                at = at + margin
            at = minimum(maximum(at, low + margin), high - margin)
            if low < at and at < high:
                if self.point(at, NEW) != 0:
                    return self.flag
                side = LOW
                if self.any_crosses(LOW, NEW):
                    side = HIGH
                self.take(side, NEW, at)
                if side == moved:
                    weight = weight * 0.5
                else:
                    weight = 1.0
                moved = side
                count += 1
                turn += 1
            else:
                count = ITERATIONS
        self.stop = self.at[HIGH]
        return 0

    def secant(self, moved: int, weight: float) -> float:
        """Return the first zero of the secants between `LOW` and `HIGH`, as a part of the way.

        Args:
            moved: the one of both that was moved last, 0 if none was. weight: of the values at the other one.
        """
        part = FOR_EVER
        k = 0
        while k < self.n_z:
            before = self.z[LOW * self.n_z + k]
            after = self.z[HIGH * self.n_z + k]
            if self.crosses(before, after):
                if moved == HIGH:
                    before = before * weight
                if moved == LOW:
                    after = after * weight
                part = minimum(part, before / (before - after))
            k += 1
        return part
