"""Search for contacts at rest that bear, stick and slip: complementarity of accelerations and forces at one instant.

With the rows G of all that may hold, ``A = G M^-1 G^T`` and their accelerations b without any of it: normal forces f and normal
accelerations are not negative, and one of both vanishes (Signorini); a pair of solids that does not slip sticks as long as that
takes no more than ``mu_s`` times its load, all its points together, and else begins to slip against a friction of ``mu`` times
the load (Coulomb). Normal forces with friction behind them make the matrix of the complementarity problem unsymmetric, and it
may have no solution (Painleve 1895): then the contact jams, which is an impact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from .friction import braked

_DEPENDENT = 1e-8
"""Square of the part of a row below which it follows from others."""
_SHARING = 1e-10, 1e-7
"""What is added to the diagonal: the second, where points lie so nearly in a plane that friction leaves no solution else."""
_REFINED = 3
"""So often forces are corrected for what is added to the diagonal."""
_ROUNDING = 1e-9
"""Part of the largest force or acceleration that is none."""
_ROOM = 1e-6
"""Part of the greatest friction that a pair which sticks may need more than that."""
_LEAST_PIVOT = 2e-3
"""Part of the answer of a normal that friction must leave: with less the contact jams."""
_TURNS = 30


@dataclass(eq=False)
class TouchingPoint:
    """Points of a pair of solids that touch, and how it rubs.

    Attributes:
        normal, slips: places of rows: (n,), and (n, 2) of both directions of slip of each point.
        friction, static: coefficients.
        slip: directions in which points slip, in these directions, shape (n, 2); zero where it does not, if ``sticks``.
        patch: places of the rows that keep it from slipping.
        sticks: whether it does.
        begins: it does not slip yet but will.
        force: normal forces, shape (n,), result.
        drift: acceleration of slip of each point, shape (n, 2), result where it ``begins``.
    """

    normal: np.ndarray
    slips: np.ndarray
    friction: float
    static: float
    slip: np.ndarray
    patch: np.ndarray
    sticks: bool
    begins: bool = False
    force: np.ndarray = field(default_factory=lambda: np.zeros(0))
    drift: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))


class Jam(Exception):
    """No forces fit: friction drives what slips into its contact.

    Attributes:
        pairs: numbers of the pairs that slip.
    """

    def __init__(self, pairs: Sequence[int]) -> None:
        super().__init__("a contact jams")
        self.pairs = tuple(pairs)


class RestingContacts:
    """Contacts at one instant.

    Args:
        A: answers of all rows to unit forces, shape (m, m), symmetric. b: their accelerations without, shape (m,).
        kept: places of rows that hold in any case.
        touches: the pairs; their results are written.
    """

    def __init__(self, A: np.ndarray, b: np.ndarray, kept: np.ndarray, touches: Sequence[TouchingPoint]) -> None:
        self._A, self._b, self._kept, self._touches = A, b, kept, touches
        self._wishes: dict[int, np.ndarray] = {}  # how pairs that begin to slip are pushed by what has held them

    def settle(self) -> None:
        """Find what bears, sticks and begins to slip. Raises Jam."""
        for _ in range(2 * len(self._touches) + 1):
            p = self._balanced()
            worst, ratio = None, 1.0 + _ROOM
            for touch in self._touches:
                if not touch.sticks:
                    continue
                load = float(touch.force.sum())
                needed = float(np.linalg.norm(p[touch.patch]))
                if needed > touch.static * load * ratio and needed > 1e-12:
                    worst, ratio = touch, needed / max(touch.static * load, 1e-300)
            if worst is None:
                return
            self._begin_to_slip(worst, p)

    def _begin_to_slip(self, touch: TouchingPoint, p: np.ndarray) -> None:
        """Release a pair and those that slip already, with the friction against their accelerations.

        Just beyond the friction angle these are small, and what of the friction is across turns them by many times as much: to
        take one after the other leads away from where both fit. For given loads, which are then found anew, they are those of
        greatest dissipation, see `friction`. Where that is no motion at all, what has held the pair is let go.
        """
        coupling = self._A[np.ix_(touch.slips.ravel(), touch.patch)]
        wish = self._wishes[id(touch)] = -(coupling @ p[touch.patch]).reshape(-1, 2)
        touch.sticks, touch.begins, touch.slip = False, True, np.zeros(wish.shape)
        for _ in range(_TURNS):
            p, turned = self._balanced(), 0.0
            for one in self._touches:
                if one.begins:
                    wish = self._wishes[id(one)]
                    slip, drift = self._slips(one, p)
                    if not np.abs(drift).max(initial=0.0) > _ROUNDING * np.abs(wish).max(initial=0.0):
                        slip, drift = _unit(wish), wish
                    turned = max(turned, float(np.abs(slip - one.slip).max()))
                    one.slip, one.drift = slip, drift
            if turned < _ROUNDING:
                break

    def _slips(self, touch: TouchingPoint, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return `braked` of the points of a pair with their present loads; other contacts bear, stick and slip with forces p
        (m,).
        """
        A, slips, others = self._A, touch.slips.ravel(), [other for other in self._touches if other is not touch]
        bears = (one.normal[one.force > _ROUNDING * one.force.max(initial=0.0)] for one in self._touches)
        holds = np.concatenate([self._kept, *(one.patch for one in others if one.sticks), *bears]).astype(np.int64)
        rubs = np.concatenate([np.zeros(0), *(one.slips.ravel() for one in others if not one.sticks)]).astype(np.int64)
        passed_on = A[np.ix_(slips, holds)] @ np.linalg.pinv(A[np.ix_(holds, holds)], rcond=_DEPENDENT)
        b = self._b + A[:, rubs] @ p[rubs]
        answer = A[np.ix_(slips, slips)] - passed_on @ A[np.ix_(holds, slips)]
        return braked(answer, b[slips] - passed_on @ b[holds], touch.friction * touch.force)

    def _balanced(self) -> np.ndarray:
        """Return the forces of all rows (m,) where some stick and others slip; normal ones are written."""
        touches = self._touches
        kept = np.concatenate([self._kept, *(touch.patch for touch in touches if touch.sticks)]).astype(np.int64)
        normal = np.concatenate([np.zeros(0, dtype=np.int64), *(touch.normal for touch in touches)])
        rows = np.concatenate([kept, normal])
        F = np.zeros((len(self._b), len(rows)))
        F[rows, np.arange(len(rows))] = 1.0
        at = len(kept)
        for touch in touches:
            for i in range(len(touch.normal)):
                if not touch.sticks:
                    F[touch.slips[i], at + i] = -touch.friction * touch.slip[i]
            at += len(touch.normal)
        C = self._A[rows] @ F
        if any(not touch.sticks and touch.friction > 0.0 for touch in touches):
            self._check_pivots(C[len(kept) :, len(kept) :], normal)
        x = _complementary(C, self._b[rows], len(kept), self._A[np.ix_(rows, rows)])
        if x is None:
            raise Jam([k for k, touch in enumerate(touches) if not touch.sticks and touch.friction > 0.0])
        at = len(kept)
        for touch in touches:
            touch.force = x[at : at + len(touch.normal)]
            at += len(touch.normal)
        p = F @ x
        return np.asarray(p)

    def _check_pivots(self, C: np.ndarray, normal: np.ndarray) -> None:
        """Raise Jam where friction takes away all by which a normal force parts solids that do not part by themselves."""
        alone = np.diag(self._A)[normal]
        jammed = (np.diag(C) < _LEAST_PIVOT * alone) & (self._b[normal] < 0.0)
        if jammed.any():
            ends = np.cumsum([len(touch.normal) for touch in self._touches])
            raise Jam(sorted(set(np.searchsorted(ends, np.flatnonzero(jammed), side="right").tolist())))


def _unit(slip: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(slip, axis=1, keepdims=True)
    return np.asarray(slip / np.where(size > 1e-9 * size.max(initial=1e-300), size, np.inf))


def _least(C: np.ndarray, b: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Return the solution of ``C x = b`` without a part that does nothing by itself, as the null vectors of A: without friction
    that of least norm, with friction that which the machine code finds.
    """
    if not len(b) or not np.abs(C).max() > 0.0:
        return np.zeros(len(b))
    U, S, _ = np.linalg.svd(A)
    U = U[:, _DEPENDENT * S[0] < S]
    return np.asarray(U @ np.linalg.lstsq(C @ U, b, rcond=_DEPENDENT)[0])


def _complementary(C: np.ndarray, b: np.ndarray, n: int, A: np.ndarray) -> np.ndarray | None:
    """Return ``b + C x``: zero in the first ``n`` rows; in the others it is not negative, nor is x, and one of both is zero.

    Of several solutions that of least norm, see `_least`; A is C without friction. None where there is no solution. Murty's
    least-index method (1974).
    """
    size = np.diag(A)
    inverse = np.linalg.pinv(C[:n, :n], rcond=_DEPENDENT) if n else np.zeros((0, 0))
    S = C[n:, n:] - C[n:, :n] @ inverse @ C[:n, n:]
    c = b[n:] - C[n:, :n] @ inverse @ b[:n]
    unit = np.sqrt(np.where(size[n:] > 0.0, size[n:], 1.0))
    S, c = S / np.outer(unit, unit), c / unit
    small = _ROUNDING * float(np.abs(b / np.sqrt(np.where(size > 0.0, size, 1.0))).max(initial=0.0))
    able = np.diag(S) > 1e-9
    for sharing in _SHARING:
        pivoted = _pivoted(S, c, able, small, sharing)
        if pivoted is not None:
            break
    else:
        return None
    active, x, left = pivoted
    for chosen in _wider(C, b, n, A, able & (active | (left <= 1e3 * small)), active):
        least = _least_norm(C, b, n, A, chosen, small * unit)
        if least is not None:
            return least
    return _of_few(C, b, n, A, active, x / unit)


def _pivoted(
    S: np.ndarray, c: np.ndarray, able: np.ndarray, small: float, sharing: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Return which rows act, their forces, and what is left in the rows; None where pivoting does not end, or at no
    solution.
    """
    m = len(c)
    regular, active = S + sharing * np.eye(m), able & (c < -small)
    for _ in range(100 + 2 ** min(m, 12)):
        x, among = np.zeros(m), regular[np.ix_(active, active)]
        for _ in range(_REFINED):
            x[active] -= np.linalg.solve(among, (c + S @ x)[active])
        left = c + S @ x
        wrong = able & np.where(active, x < -_ROUNDING * np.abs(x).max(initial=0.0), left < -small)
        if not wrong.any():
            return None if (left < -1e3 * small).any() else (active, x, left)
        k = int(np.argmax(wrong))
        active[k] = not active[k]
    return None


def _wider(C: np.ndarray, b: np.ndarray, n: int, A: np.ndarray, still: np.ndarray, active: np.ndarray) -> Iterator[np.ndarray]:
    """Generate the masks of rows that may share the forces of those that act: all that stay ``still``, less and less of those
    that would have to pull.
    """
    chosen = still.copy()
    for _ in range(len(active)):
        yield chosen.copy()
        rows = np.concatenate([np.arange(n), n + np.flatnonzero(chosen)])
        push = _least(C[np.ix_(rows, rows)], -b[rows], A[np.ix_(rows, rows)])[n:]
        pulls = push < -0.1 * _ROUNDING * np.abs(push).max(initial=0.0)
        if not pulls.any():
            break
        chosen[np.flatnonzero(chosen)[pulls]] = False
    yield active


def _least_norm(
    C: np.ndarray, b: np.ndarray, n: int, A: np.ndarray, active: np.ndarray, small: np.ndarray
) -> np.ndarray | None:
    """Return the solution of least norm in which these rows act; None if it pulls somewhere or lets something approach."""
    rows = np.concatenate([np.arange(n), n + np.flatnonzero(active)])
    x = np.zeros(len(b))
    x[rows] = _least(C[np.ix_(rows, rows)], -b[rows], A[np.ix_(rows, rows)])
    push = x[n:]
    if (push < -0.1 * _ROUNDING * np.abs(push).max(initial=0.0)).any() or (b[n:] + C[n:] @ x < -1e3 * small).any():
        return None
    x[n:] = np.fmax(push, 0.0)
    return x


def _of_few(C: np.ndarray, b: np.ndarray, n: int, A: np.ndarray, active: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return a solution in which the rows that act are independent: one after the other is left out where the others do without
    it.
    """
    chosen = active.copy()
    for k in np.argsort(x).tolist():
        if chosen[k]:
            chosen[k] = False
            if _least_norm(C, b, n, A, chosen, np.full(len(active), _ROUNDING * np.abs(b).max())) is not None:
                break
            chosen[k] = True
    found = _least_norm(C, b, n, A, chosen, np.full(len(active), np.inf))
    if found is None:
        found = np.zeros(len(b))
        found[n:] = np.where(active, np.fmax(x, 0.0), 0.0)
        found[:n] = _least(C[:n, :n], -(b[:n] + C[:n, n:] @ found[n:]), A[:n, :n])
    return found
