"""Check that steps make progress in time: an integrator without progress would run for ever without a message."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 32.0
"""Steps are at the limit of what time can be divided into where they are shorter than this many units in its last place."""

CREEP = 1e-6
"""Steps of first order creep where they are shorter than this part of the present time, or of `AHEAD`: a derivative jumps back
and forth without an event. A fast oscillation takes small steps of higher order."""

AHEAD = 1.0
"""A time [s] that is long enough for steps to be compared with near time zero."""

IN_VAIN = 1e-9
"""The same for each step that was tried in vain, of any order: a model that cannot be evaluated a little later, but for what is
very near, lets an integrator come near without end."""

HOPELESS = 1e-10
"""Part of the time until the end of the simulation: with shorter steps nobody can wait for it."""

MOST_SHORTER = 3
"""So often a first step may be shorter than one that does not solve the equations, between two events. At a singularity none
solves them, and shorter ones that seem to would make something up."""

MOST_AGAIN, RARELY = 50, 20
"""So many steps may have to be made again, where there are not that many times as many others."""


@dataclass
class _Patience:
    """Check of consecutive steps: so many of them must cover more than that many shortest steps."""

    most: int
    steps: int = 0
    since: float = 0.0

    def begin(self, time: float) -> None:
        self.steps, self.since = 0, time

    def fails(self, steps: int, time: float, shortest: float) -> bool:
        """Return whether so many more ``steps`` made too little progress.

        If they did not, or if they were enough, counting begins again.
        """
        self.steps += steps
        too_short = time - self.since < self.steps * shortest
        if self.steps >= self.most and not too_short:
            self.begin(time)
        return too_short and self.steps >= self.most


class Progress:
    """Check of one integrator's progress."""

    def __init__(self, time: float) -> None:
        self._rounding, self._first_order, self._any = _Patience(2_000), _Patience(200_000), _Patience(200_000)
        self._in_vain = _Patience(200)
        self.begin(time)

    def begin(self, time: float) -> None:
        """Begin at ``time`` [s]."""
        for patience in (self._rounding, self._first_order, self._any, self._in_vain):
            patience.begin(time)
        self._again = self._steps = self._shorter = self._failed = 0
        self._again_since = time

    def may_be_shorter(self) -> bool:
        """Return whether a shorter step may follow a first step that does not solve the equations: not too often."""
        self._shorter += 1
        return self._shorter <= MOST_SHORTER

    def goes_back(self, time: float) -> str:
        """Return the failure if a step from ``time`` [s] on must be repeated; "" if that is rare, or makes progress in time.

        Stiff contacts that begin and end make many steps look wrong that are right when they are repeated.
        """
        if self._steps > RARELY * self._again:
            self._again = self._steps = 0
        if self._again == 0:
            self._again_since = time
        self._again += 1
        if self._again < MOST_AGAIN:
            return ""
        if time - self._again_since > CREEP * max(abs(time), AHEAD):
            self._again = self._steps = 0
            return ""
        return "no step solves the equations: the solution ends here, for example where a divisor becomes zero"

    def failure(self, steps: int, time: float, order: int, end: float, failed: int = 0) -> str:
        """Return the failure after so many more ``steps``, the last of which had this ``order``; "" if there is none.

        Args:
            time: where they end [s].
            end: of the simulation [s].
            failed: how many steps were tried in vain since the integrator began, because no states were found.
        """
        self._steps += steps
        in_vain, self._failed = failed - self._failed if failed > self._failed else 0, failed
        left = HOPELESS * max(end - time, 0.0)
        if self._in_vain.fails(in_vain, time, min(IN_VAIN * max(abs(time), AHEAD), left)):
            passed = f"{time - self._in_vain.since:.2g} s"
            return f"of {self._in_vain.steps} steps no states were found, and the others brought hardly any progress ({passed})"
        if order > 1:
            self._first_order.begin(time)
        limits = [
            (self._rounding, ROUNDING * math.ulp(time)),
            (self._first_order, CREEP * max(abs(time), AHEAD)),
            (self._any, left),
        ]
        for patience, shortest in limits:
            if patience.fails(steps, time, shortest):
                passed = f"{time - patience.since:.2g} s"
                return f"{patience.steps} steps in turn brought hardly any progress ({passed}): the step size became very small"
        return ""
