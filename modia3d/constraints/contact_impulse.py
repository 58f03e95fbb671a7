"""Impulses of contacts that strike: restitution and dry friction, through all that is connected.

What happens at one instant is a sequence: contacts that approach act, those that others drive together thereby act after them
(Smith et al. 2012, Reflections on Simultaneous Impact). So Newton's cradle hands its impulse on, and what strikes at once acts
at once: a box that falls flat does not turn. Their normal impulses grow in the ratio of a plastic impact without friction,
while each contact sticks, or is braked against its slip (Routh 1860, Keller 1986): slip may end or turn round within an impact.
Compression ends where the normal impulses would begin to give work back; they give back the part ``e^2`` of it (Stronge 1990).
So kinetic energy never grows, and where the slip keeps its direction the speed afterwards is e times that before, as Newton's
and Poisson's laws have it. What approaches slowly does not bounce: so a sequence ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from modiapy.model.errors import ModelError

from .friction import friction_impulses
from .impulse import holding_impulses, solve_impulses

_NOTHING = 1e-12
"""Part of the largest speed, or of an answer, that is rounding."""
_AT_ONCE = 1e-3
"""Contacts whose approach is a smaller part of the fastest one act after it: they may rest but for rounding."""
_TURNING = 2e-4
"""Largest error of the speeds by the turning of slip in a step of first order, relative to the largest speed; what is used is
of second order."""
_STOPPING = 1e-11
"""The same, of steps in which a slip ends or reverses; `_SHARED` where several contacts act together."""
_SHARED = 1e-6
_FULL = 1.0 - 1e-9
"""Part of the greatest friction above which a contact slips."""
_SHORTEST = 1e-13
"""Of one contact, the shortest step as part of the way of a plastic impact without friction; `_SHARED_SHORTEST` of several,
of what lies behind them, too."""
_SHARED_SHORTEST = 1.0 / 16.0
_ROUNDING = 1e-15
"""Part of an approach that is none."""
_WEDGED = 1e-6
"""Part of the largest speed that is no approach where friction has brought everything to rest before the normal impulses
end it."""
_LONGEST = 1e4
"""Parts of the way of a plastic impact without friction, with an approach as fast as the slip, after which an impact that goes
on does so for ever."""
_PLASTIC_ROUNDS = 10
_STILL = 1e-10
"""Speed of a point that does not part but by rounding [m/s]."""
PARTING = 1e-4
"""What parts more slowly [m/s] has not parted: it may come back before its distance, which rounding has made negative, is
positive again, and no indicator would cross zero."""


@dataclass(frozen=True, eq=False)
class Striking:
    """Contacts, by the places of their rows.

    Attributes:
        normal: of the rows that may open, shape (n,). tangential: of the slips, shape (n, 2); -1 without friction.
        restitution, friction: coefficients, shape (n,).
        slow: approach from which on a contact bounces [m/s or rad/s], shape (n,).
    """

    normal: np.ndarray
    tangential: np.ndarray
    restitution: np.ndarray
    friction: np.ndarray
    slow: np.ndarray

    def of(self, places: np.ndarray) -> Striking:
        """Return some of them."""
        return Striking(*(getattr(self, name)[places] for name in self.__dataclass_fields__))

    def plastic(self, places: np.ndarray) -> Striking:
        """Return the same, where some (mask) do not bounce."""
        return replace(self, restitution=np.where(places, 0.0, self.restitution))


def contact_impulses(A: np.ndarray, w: np.ndarray, contacts: Striking) -> np.ndarray:
    """Return the impulses of all rows, shape (m,) [N.s].

    Args:
        A: answer of the speeds of all rows to unit impulses, shape (m, m). w: speeds of the rows before, shape (m,).
        contacts: what the rows are.

    Raises:
        ModelError: the impulses are not determined (A is not that of masses).
    """
    A = 0.5 * (A + A.T)
    n, p = len(contacts.normal), np.zeros(len(w))
    size = np.sqrt(np.maximum(np.diag(A)[contacts.normal], 0.0))
    able = size > _NOTHING * size.max(initial=0.0)
    if not able.any():
        return p
    unit = np.where(able, size, 1.0)
    largest = _largest(A, w, contacts)
    least = _NOTHING * largest * unit
    bouncing, plastic = 20 + n * n, 0
    while True:
        speed = (w + A @ p)[contacts.normal]
        approach = np.where(able & (speed < -least), -speed / unit, 0.0)
        if not approach.any() or plastic > _PLASTIC_ROUNDS:
            break
        slow = -speed < contacts.slow
        if bouncing == 0 or slow[approach > 0.0].all():
            acting, slow, plastic = np.flatnonzero(able & (speed <= least)), np.ones(n, dtype=bool), plastic + 1
        else:
            acting, bouncing = np.flatnonzero(approach >= _AT_ONCE * approach.max()), bouncing - 1
        now = w + A @ p
        for group in _groups(A, contacts.of(acting)):
            members = acting[group]
            p += _strike(A, now, contacts.of(members).plastic(slow[members]), _WEDGED * largest)
    normal = contacts.normal
    speed = (w + A @ p)[normal]
    p[normal] += solve_impulses(A[np.ix_(normal, normal)], speed, np.ones(n, dtype=bool))
    p[normal] += _kept(A[np.ix_(normal, normal)], (w + A @ p)[normal], contacts.slow > 0.0)
    return p


def _kept(A: np.ndarray, speed: np.ndarray, able: np.ndarray) -> np.ndarray:
    """Return the impulses (n,) that end slow parting of all contacts that are able (mask) at once, without an approach of
    others: rows would hold some of them, and drive others together again and again.
    """
    kept = able & (speed <= PARTING)
    if not (speed[kept] > _STILL).any():
        return np.zeros(len(speed))
    return holding_impulses(A, speed, kept, np.ones(len(speed), dtype=bool))


def _largest(A: np.ndarray, w: np.ndarray, contacts: Striking) -> float:
    """Return the largest speed of a row, relative to the root of its answer."""
    rows = np.concatenate([contacts.normal, contacts.tangential[contacts.tangential >= 0]])
    size = np.sqrt(np.maximum(np.diag(A)[rows], 0.0))
    used = size > _NOTHING * size.max()
    return float(np.abs(w[rows][used] / size[used]).max())


def _groups(A: np.ndarray, contacts: Striking) -> Iterator[np.ndarray]:
    """Generate the places of contacts that act on each other, group by group."""
    n, size = len(contacts.normal), np.sqrt(np.maximum(np.diag(A), 0.0))
    rows = [[normal, *(k for k in slips if k >= 0)] for normal, slips in zip(contacts.normal, contacts.tangential, strict=True)]
    coupled = np.zeros((n, n), dtype=bool)
    for i in range(n):
        for j in range(i + 1):
            at = np.ix_(rows[i], rows[j])
            coupled[i, j] = coupled[j, i] = i == j or bool(
                (np.abs(A[at]) > _NOTHING * np.outer(size[rows[i]], size[rows[j]])).any()
            )
    left = np.ones(n, dtype=bool)
    for i in range(n):
        if not left[i]:
            continue
        group, grown = coupled[i], coupled[coupled[i]].any(axis=0)
        while (grown != group).any():
            group, grown = grown, coupled[grown].any(axis=0)
        left &= ~group
        yield np.flatnonzero(group)


def _strike(A: np.ndarray, w: np.ndarray, contacts: Striking, wedged: float) -> np.ndarray:
    """Return the impulses (m,) of contacts that act at once; an approach up to ``wedged``, relative to the root of its answer,
    is none where friction holds.
    """
    way, normal = _Way(A, w, contacts), contacts.normal
    ratio = solve_impulses(A[np.ix_(normal, normal)], w[normal], np.ones(len(normal), dtype=bool))
    if not ratio @ w[normal] < 0.0:
        return way.p
    rounding = -_ROUNDING * float(ratio @ w[normal])
    ended = way.march(ratio, lambda here: float(ratio @ here.speed[normal]) + rounding)
    if not ended and (-way.speed[normal] > wedged * np.sqrt(np.diag(A)[normal])).any():
        raise ModelError("the impulses of an impact are not determined", found="a compression without an end")
    p, before = way.p, way.work.copy()
    given = float(contacts.restitution**2 @ np.maximum(-before, 0.0))
    rates = contacts.restitution * ratio
    if given > 0.0 and way.march(rates, lambda here: max(float((here.work - before).sum()) - given, here.gained)):
        return way.p
    return p  # plastic, or wedged: friction holds what the normal impulses would part


class _Way:
    """The way of contacts through their impact.

    Attributes:
        p: impulses so far, shape (m,). speed: of the rows, there, shape (m,).
        work: of the normal impulses, shape (n,) [J].
    """

    def __init__(self, A: np.ndarray, w: np.ndarray, contacts: Striking) -> None:
        self._A, self._contacts = A, contacts
        self._before, self._scale = w, _largest(A, w, contacts)
        self._rubbing = (contacts.friction > 0.0) & (contacts.tangential[:, 0] >= 0)
        self._slips = contacts.tangential[self._rubbing]
        rows = self._slips.ravel()
        self._answers = A[np.ix_(rows, rows)]
        fast = _largest(A, w, replace(contacts, tangential=np.full_like(contacts.tangential, -1)))
        self._longest = _LONGEST * max(1.0, self._scale / fast if fast > 0.0 else 1.0)
        self._exact = _STOPPING if len(self._slips) <= 1 else _SHARED
        self.p, self.speed, self.work = np.zeros(len(w)), w, np.zeros(len(contacts.normal))

    @property
    def gained(self) -> float:
        """Kinetic energy, more than before [J]."""
        return 0.5 * float(self.p @ (self._before + self.speed))

    def march(self, rates: np.ndarray, done: Callable[[_Way], float]) -> bool:
        """Increase the normal impulses with the rates (n,) until ``done`` is not negative; return whether this was reached."""
        length, gone = 1.0, 0.0
        shortest = _SHORTEST if len(self._slips) <= 1 else _SHARED_SHORTEST
        while gone < self._longest:
            step, length = self._accurate(rates, length, shortest * max(1.0, gone))
            there = self._after(step)
            reached = done(there) >= 0.0
            self._take(self._after(_part(step, lambda part: done(self._after(part)))) if reached else there)
            if reached:
                return True
            gone, length = gone + length, 2.0 * length
        return False

    def _after(self, p: np.ndarray) -> _Way:
        """Return the way on which further impulses lead."""
        there = object.__new__(_Way)
        there.__dict__ |= self.__dict__
        there.p, there.speed = self.p + p, self.speed + self._A @ p
        normal = self._contacts.normal
        there.work = self.work + 0.5 * p[normal] * (self.speed + there.speed)[normal]
        return there

    def _take(self, there: _Way) -> None:
        self.p, self.speed, self.work = there.p, there.speed, there.work

    def _step(self, rates: np.ndarray, length: float) -> np.ndarray:
        """Return the impulses of one implicit step: friction is that of the slip at its end."""
        p = np.zeros(len(self.speed))
        p[self._contacts.normal] = length * rates
        if len(self._slips):
            slip = (self.speed + self._A @ p)[self._slips.ravel()]
            radius = (self._contacts.friction * rates)[self._rubbing] * length
            p[self._slips] = friction_impulses(self._answers, slip, radius)
        return p

    def _accurate(self, rates: np.ndarray, length: float, shortest: float) -> tuple[np.ndarray, float]:
        """Return the impulses of the longest step, at most ``length``, that is as accurate as it is to be, and its length."""
        if not len(self._slips):
            return self._step(rates, length), length
        while True:
            whole, half = self._step(rates, length), self._step(rates, 0.5 * length)
            middle = self._after(half)
            rest = middle._step(rates, 0.5 * length)
            end = middle._after(rest)
            error = max(self._difference(end, self._after(whole)), self._stopped(half), middle._stopped(rest))
            allowed = self._exact if self._turns(middle, end) else _TURNING
            if error <= allowed * self._scale or length <= shortest:
                return self._extrapolated(whole, half + rest), length
            length = self._until_stop(half, length)

    def _until_stop(self, half: np.ndarray, length: float) -> float:
        """Return half of a step, or where the slip of one contact ends if it keeps its direction and that is before."""
        if len(self._slips) == 1:
            slip, change = self.speed[self._slips[0]], (self._A @ half)[self._slips[0]]
            if self._stopped(half) <= 0.0 and slip @ change < 0.0:
                stop = -float(slip @ change) / float(change @ change)
                if stop < 1.9:
                    return 0.5 * stop * length
        return 0.5 * length

    def _difference(self, one: _Way, other: _Way) -> float:
        """Return how far two ends of a step are from each other in speed and work, as a speed per root of its answer."""
        size = np.sqrt(np.diag(self._A))
        answers = size > 0.0
        speed = np.abs(one.speed - other.speed)[answers] / size[answers]
        return max(float(speed.max()), float(np.abs(one.work - other.work).max()) / self._scale)

    def _stopped(self, p: np.ndarray) -> float:
        """Return the slip at the beginning of a step in which it ends or reverses, in the same unit: when it does is not
        known.
        """
        friction, slip = p[self._slips], self.speed[self._slips]
        length, most = np.hypot(*friction.T), (self._contacts.friction * p[self._contacts.normal])[self._rubbing]
        along = (friction * slip).sum(axis=1) / np.fmax(length, 1e-300)
        lost = np.where(length < _FULL * most, np.hypot(*slip.T), along)
        size = np.sqrt(np.diag(self._A))[self._slips].max(axis=1)
        return float((lost / np.where(size > 0.0, size, np.inf)).max())

    def _turns(self, middle: _Way, end: _Way) -> bool:
        """Return whether a slip begins, ends or reverses on the way."""
        one, two, three = (way.speed[self._slips] for way in (self, middle, end))
        least = 10.0 * self._exact * self._scale * np.sqrt(np.abs(np.diag(self._A)))[self._slips].max(axis=1)
        moves = [np.hypot(*slip.T) > least for slip in (one, two, three)]
        reverses = ((one * two).sum(axis=1) < 0.0) | ((two * three).sum(axis=1) < 0.0)
        return bool(((moves[0] != moves[1]) | (moves[1] != moves[2]) | (reverses & moves[0] & moves[2])).any())

    def _extrapolated(self, whole: np.ndarray, both: np.ndarray) -> np.ndarray:
        """Return the impulses of second order from those of one step and of two, within the discs."""
        p, normal = both.copy(), self._contacts.normal[self._rubbing]
        better = 2.0 * both[self._slips] - whole[self._slips]
        radius, length = self._contacts.friction[self._rubbing] * p[normal], np.hypot(*better.T)
        p[self._slips] = better * np.where(length > radius, radius / np.where(length > 0.0, length, 1.0), 1.0)[:, None]
        return p


def _part(step: np.ndarray, value: Callable[[np.ndarray], float]) -> np.ndarray:
    """Return the part of a step at whose end a value that is negative at its beginning vanishes (regula falsi, Illinois)."""
    a, b, kept = 0.0, 1.0, 0
    f_a, f_b = value(0.0 * step), value(step)
    for _ in range(200):
        if f_b == 0.0 or not f_a < 0.0:
            break
        c = b - f_b * (b - a) / (f_b - f_a)
        f_c = value(c * step)
        if min(abs(c - a), abs(c - b)) <= 1e-16:
            return c * step
        if f_c < 0.0:
            a, f_a, f_b = c, f_c, 0.5 * f_b if kept > 0 else f_b
            kept = 1
        else:
            b, f_b, f_a = c, f_c, 0.5 * f_a if kept < 0 else f_a
            kept = -1
    return b * step
