"""Ticks of clocks, and samples of inputs in models that remember values; see `samples`."""

from __future__ import annotations

from ...acausal.protocol import Mode
from ...symbolic.hybrid.discrete import FLAGS_PER_TICKER
from ..solvers.step_compiler import Floats, address, copy
from .explicit_steps import EPS, WITH_INDICATORS, ExplicitSteps

AT_EVENT = int(Mode.EVENT | Mode.INDICATORS)
MOST_ITERATIONS = 20
"""Iterations at a tick until values have to stay as they are; with more it is an event for the general iteration."""


class Ticks(ExplicitSteps):
    """See `samples`."""

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
