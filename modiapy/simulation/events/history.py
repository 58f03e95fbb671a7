"""Counts events, and recognises those that never end: accumulating ones (Zeno behaviour) and chattering."""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ...model.errors import NumericalError
from ..files.schema import each, finite, flag, parts, real, record, table, whole

MAX_EVENTS = 1000
"""Number of events with practically no time between them from which on the model is considered wrong."""

ACCUMULATING = 5
"""So many times an event must come sooner than the last time, before accumulation is considered."""

CLOSE = 2e-9
"""Part of the time since the start below which the distance of two times is considered as none."""

NEAR = 2e-5
"""Part of it below which the last distance but one must be, too: a relation may switch twice at once."""

STEADY = 0.05
"""Part of the distance before that one has at least that accumulates without re-initialising states: such distances are a
geometric series. At a multiple zero, where an indicator is smaller than the states' errors, they become smaller faster, and few
of them follow each other: what makes it cross again is what the last step has left of these errors, and each leaves less."""

LATE = 8.0
"""So many times the last distance later, an event that came sooner and sooner does not come again."""

MUCH_SOONER, SHORT = 0.7, 5e-3
"""Of an event that comes no more: part of the last distance but one, and of the time since the start, that the last one was."""

SOON = 2e-3
"""Part of it below which the distance of two events makes steps smaller."""

_STATE = record(kinds=table(whole), recent=each(finite), times=each(parts(whole, flag, each(finite))), pace=real, began=finite)
"""What `EventHistory.state` is where it comes from a file."""

_FRACTION = 1.0 / 16.0
_SOONER = 0.99


class EventHistory:
    """The history of events of one simulation.

    Args:
        start_time: of the simulation [s].
        describe: text and path of a state event by its number.

    Attributes:
        kinds: number of events by kind: "state", "time", "clock", and what components notice (`acausal.protocol.Notes`).
    """

    def __init__(self, start_time: float, describe: Callable[[int], tuple[str, str]]) -> None:
        self.kinds: Counter[str] = Counter()
        self._last: tuple[float, str, Sequence[int]] | None = None
        self._start = start_time
        self._pace = math.inf
        self._began = 0.0
        self._describe = describe
        self._recent: deque[float] = deque()
        self._times: dict[tuple[int, bool], list[float]] = {}  # lists that are replaced, not changed: states have them, too

    @property
    def total(self) -> int:
        """Total number of events."""
        return sum(self.kinds.values())

    @property
    def last(self) -> str:
        """The last event, as a text; "" before the first one."""
        if self._last is None:
            return ""
        time, kind, roots = self._last
        what = ", ".join(f"'{self._describe(k)[0]}'" for k in roots)
        return f"{kind} event{what and ' '}{what} at {time:.9g} s"

    def state(self) -> dict[str, Any]:
        """Return the history as plain data, for `restore`."""
        return {
            "kinds": dict(self.kinds),
            "recent": list(self._recent),
            "times": [[k, upwards, times] for (k, upwards), times in self._times.items()],
            "pace": self._pace,
            "began": self._began,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` returned. Raises Damaged if it is something else."""
        _STATE(state, "history")
        self.put_back(state)

    def put_back(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` of this history returned."""
        self.kinds = Counter(state["kinds"])
        self._recent = deque(state["recent"])
        self._times = {(k, upwards): times for k, upwards, times in state["times"]}
        self._pace, self._began = state["pace"], state["began"]

    def calm(self) -> None:
        """Forget that events came faster and faster: their cause has ended."""
        self._times.clear()
        self._pace = math.inf

    def forget_recent(self) -> None:
        """Forget events at this point in time: who lets them happen from outside may do so as often as he likes."""
        self._recent.clear()

    def limit(self, time: float) -> float:
        """Return the time [s] up to which the integrator may go in one call.

        If an event comes sooner and sooner, the motion until the next one soon becomes shorter than the first step of the
        integrator. A step is then shorter than the distance of the last two events.
        """
        if not 1e3 * math.ulp(time) < self._pace < SOON * (self._began - self._start):
            return math.inf
        passed = max(time - self._began, 0.0)
        return time + max(_FRACTION * self._pace, passed) if passed < LATE * self._pace else math.inf

    def repeats(self, time: float, roots: Sequence[int]) -> bool:
        """Return whether one of these indicators crossed zero shortly before, or often."""
        before = [times for k in roots for upwards in (False, True) if (times := self._times.get((k, upwards)))]
        return any(len(times) > ACCUMULATING or time - times[-1] < SOON * (time - self._start) for times in before)

    def add(
        self,
        time: float,
        kind: str,
        roots: Sequence[int] = (),
        rising: Sequence[bool] = (),
        resting: Collection[int] = (),
        resetting: Collection[int] = (),
    ) -> None:
        """Note an event.

        Args:
            time: [s].
            kind: "state", "time" or "clock".
            roots, rising: the indicators that crossed zero, and how.
            resting: those of them that do so by noise: they accumulate nowhere.
            resetting: the indicators that have re-initialised states when they did so.

        Raises:
            NumericalError: events accumulate at this point in time.
        """
        self.kinds[kind] += 1
        self._last = time, kind, roots
        self._began, self._pace = time, math.inf
        for k, upwards in zip(roots, rising, strict=True):
            times = self._times[k, upwards] = [*self._times.get((k, upwards), ())[-ACCUMULATING:], time]
            if k not in resting:
                self._check_accumulation(k, times, 0.0 if k in resetting else STEADY)
        self._recent.append(time)
        if len(self._recent) > MAX_EVENTS and time - self._recent.popleft() <= CLOSE * (time - self._start):
            names = ", ".join(self._describe(k)[0] for k in roots) or f"{kind} events"
            raise NumericalError(
                f"more than {MAX_EVENTS} events at one point in time",
                time=time,
                path=self._describe(roots[0])[1] if roots else "",
                found=names,
                remedy="A relation switches back and forth; give it a hysteresis, or write noEvent(...) around it.",
            )

    def pass_by(self, time: float, kind: str, count: int) -> None:
        """Count events of a kind that left the structure as it is, the last of them at a time [s]."""
        self.kinds[kind] += count
        self._last = time, kind, ()
        self._began, self._pace = time, math.inf

    def _check_accumulation(self, k: int, times: Sequence[float], steady: float) -> None:
        distances = _distances(times)
        if len(distances) < 2 or distances[-1] >= _SOONER * distances[-2]:
            return
        self._pace = min(self._pace, distances[-1])
        passed = times[-1] - self._start
        sooner = all(steady * a < b < _SOONER * a for a, b in itertools.pairwise(distances)) and distances[-2] < NEAR * passed
        if len(distances) == ACCUMULATING and sooner and distances[-1] < CLOSE * passed:
            raise self._accumulates(k, times, "never ends")

    def _accumulates(self, k: int, times: Sequence[float], how: str) -> NumericalError:
        text, path = self._describe(k)
        return NumericalError(
            f"the event '{text}' comes faster and faster and {how} (Zeno behaviour)",
            time=times[-1],
            path=path,
            found=f"distances of the last times: {', '.join(f'{d:.2g} s' for d in _distances(times))}",
            expected=f"distances that stay above {CLOSE * (times[-1] - self._start):.2g} s",
            remedy="Let the model change before, e.g. let a body rest when its velocity is small.",
        )

    def overdue(self, time: float, resetting: Collection[int]) -> list[tuple[int, bool]]:
        """Return indicators whose event stopped coming although it came sooner and sooner, and how they crossed zero last.

        They re-initialised states when they crossed zero, and were brought back by that. Now they were brought back too little,
        or rest. What was brought back last (a ball that flies away) may go as far as it likes.
        """
        found = []
        for k in resetting:
            crossed = [(times[-1], upwards) for upwards in (False, True) if (times := self._times.get((k, upwards)))]
            last, upwards = max(crossed, default=(time, False))
            forth, back = (list(self._times.get((k, way), ())) for way in (upwards, not upwards))
            last_times = forth[-3:]
            if len(last_times) == 3 and all(any(a <= t < b for t in back) for a, b in itertools.pairwise(last_times)):
                before, distance = _distances(last_times)
                came_soon = distance < min(MUCH_SOONER * before, SHORT * (last - self._start))
                was_brought_back = last - back[-1] < _FRACTION * distance
                if came_soon and not was_brought_back and time - last > LATE * distance:
                    found.append((k, upwards))
        return found

    def forget(self, k: int) -> None:
        """Forget an indicator that rests: its next event has another cause."""
        for upwards in (False, True):
            self._times.pop((k, upwards), None)

    def passed_through(self, k: int, upwards: bool) -> NumericalError:
        """Return the error for an `overdue` indicator that has gone on beyond zero, as if it re-initialised nothing."""
        return self._accumulates(k, self._times[k, upwards], "no more where it is too fast to be seen")


def _distances(times: Iterable[float]) -> list[float]:
    return [b - a for a, b in itertools.pairwise(times)]
