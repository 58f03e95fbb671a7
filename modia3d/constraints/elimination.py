"""Elimination of rows of constraints in the metric of the mass matrix: the least change of speeds, the multipliers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from modiapy.model.errors import ModelError

from .kinds.row import Rows
from .rank import TOLERANCE, Rank, find_rank

NO_INERTIA = 1e-14
"""Part of its diagonal element that must be left of a mass matrix in elimination."""


class Elimination:
    """Rows G (m, nv) and the mass matrix M (nv, nv) at one moment.

    With ``M = L L^T`` and the sizes s of the rows, ``Y = G L^-T / s`` has no units: lengths, angles, masses and the choice of
    speeds cancel. The rank is that of the rows themselves, whatever the masses: each speed is measured by what it does to the
    references of the rows, so that a row which moves heavy bodies alone is as good as any. Redundant rows follow the needed
    ones. Scaled by their sizes, multipliers have one unit, and where they are not unique, those of least norm are found.

    Attributes:
        rows: the rows.
        rank: which of them are needed.
        size: of each row, shape (m,).
        condition: ratio of the largest to the smallest singular value of the needed rows of Y; 1.0 without rows.
    """

    def __init__(self, rows: Rows, M: np.ndarray, name_of: Callable[[int], str] = str, tolerance: float = TOLERANCE) -> None:
        """Eliminate the rows in the metric of a mass matrix.

        Args:
            rows, M: the rows and the mass matrix, shape (nv, nv).
            name_of: name of the joint that a speed belongs to, for messages.
            tolerance: see `find_rank`.

        Raises:
            ModelError: a joint moves nothing that has inertia.
        """
        self.rows = rows
        self._L = _factor(M, name_of)
        self._inverse = np.linalg.solve(self._L, np.eye(len(self._L)))
        self.size = _sizes(rows, lambda G: G @ self._inverse.T)
        self._Y, self._tolerance = rows.G @ self._inverse.T / self.size[:, None], tolerance

    @cached_property
    def rank(self) -> Rank:
        """See the class."""
        widths = _widths(self.rows, len(self._L))
        reach = _sizes(self.rows, lambda G: G / widths)
        return find_rank(self.rows.G / widths / reach[:, None], self._tolerance, reach / self.size)

    @cached_property
    def _parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Singular vectors and values of the needed rows of Y: U (r, r), s (r,), V^T (r, nv)."""
        U, s, Vt = np.linalg.svd(self._Y[self.rank.needed], full_matrices=False)
        return U, s, Vt

    @cached_property
    def _repeated(self) -> np.ndarray:
        """Matrix of the needed rows with what redundant ones repeat of them, I + C^T C, shape (r, r)."""
        C = self.rank.combination
        return np.asarray(np.eye(len(self.rank)) + C.T @ C)

    def _demanded(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the needed rows, divided by their sizes, shape (r,); where redundant ones contradict them, those
        of the least squares of what is left in all.
        """
        scaled = values / self.size
        repeated = self.rank.combination.T @ scaled[self.rank.redundant]
        return np.asarray(np.linalg.solve(self._repeated, scaled[self.rank.needed] + repeated))

    @property
    def condition(self) -> float:
        """See the class."""
        s = self._parts[1]
        return float(s[0] / s[-1]) if len(s) else 1.0

    def change(self, values: np.ndarray) -> np.ndarray:
        """Return the change of speeds of least kinetic energy, shape (nv,), that changes ``G v`` by ``values`` (m,)."""
        U, s, Vt = self._parts
        least = Vt.T @ (U.T @ self._demanded(values) / s)
        return np.asarray(np.linalg.solve(self._L.T, least))

    def multipliers(self, values: np.ndarray) -> np.ndarray:
        """Return the multipliers p of least norm, shape (m,), with ``G M^-1 G^T p = values``.

        ``G^T p`` is always unique, p where `Rank.unique` says so.
        """
        (U, s, _), C = self._parts, self.rank.combination
        shared = np.linalg.solve(self._repeated, U @ (U.T @ self._demanded(values) / s**2))
        p = np.zeros(len(self.size))
        p[self.rank.needed], p[self.rank.redundant] = shared, C @ shared
        return p / self.size

    def removed(self, v: np.ndarray) -> np.ndarray:
        """Return the speeds (nv,) nearest to v of those that the constraints allow."""
        return np.asarray(v - self.change(self.rows.G @ v))

    def acceleration(self, free: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the accelerations with ``G a + gamma = 0`` nearest to the free ones (Gauss' principle), and the multipliers.

        Args:
            free: accelerations without constraints, shape (nv,).
            gamma: ``dG/dt v``, shape (m,).

        Returns:
            accelerations (nv,), and the multipliers p (m,): ``M a = M free + G^T p``.
        """
        wanted = -gamma - self.rows.G @ free
        return free + self.change(wanted), self.multipliers(wanted)

    def check(self, values: np.ndarray, tolerance: float, what: str) -> None:
        """Refuse values (m,) of the rows that no motion has, because redundant rows contradict the needed ones.

        Args:
            tolerance: the largest difference that is none, in units of the rows.
            what: what the values are, for the message.

        Raises:
            ModelError: names what conflicts.
        """
        differences = self.rank.mismatch(values / self.size) * self.size[self.rank.redundant]
        if not np.abs(differences).max(initial=0.0) > tolerance:
            return
        k = int(np.argmax(np.abs(differences)))
        row = self.rows[int(self.rank.redundant[k])]
        others = [str(self.rows[i]) for i in self.rank.partners(k)]
        raise ModelError(
            f"constraints contradict each other: {what}",
            path=row.owner,
            found=f"{row} differs by {differences[k]:.6g} from what {', '.join(others) or 'nothing that moves'} leaves",
            expected=f"at most {tolerance:.3g}",
            remedy="Remove one of them, or change what they demand.",
        )


def _sizes(rows: Rows, scaled: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the norms of all rows, shape (m,), after a change of the units of speeds; those of a joint share that of their
    reference.
    """
    known: dict[int, float] = {}
    for row in rows:
        if id(row.reference) not in known:
            known[id(row.reference)] = 0.0 if row.reference is None else float(np.linalg.norm(scaled(row.reference)))
    return np.array([known[id(row.reference)] or _size(scaled(row.G)) for row in rows]).reshape(len(rows))


def _widths(rows: Rows, n: int) -> np.ndarray:
    """Return the effect of each speed on the references of the rows, shape (n,).

    References are lengths if there are any, else angles.
    """
    squares, seen = np.zeros((2, n)), set[int]()
    for row in rows:
        if row.reference is None or id(row.reference) not in seen:
            seen.add(id(row.reference))
            squares[int(row.unit == "rad")] += (np.atleast_2d(row.G if row.reference is None else row.reference) ** 2).sum(
                axis=0
            )
    found = np.sqrt(np.where(squares[0] > 0.0, squares[0], squares[1]))
    return np.where(found > 0.0, found, 1.0)


def _size(row: np.ndarray) -> float:
    """Return the norm of a row that has no reference, 1.0 where that vanishes."""
    return float(np.linalg.norm(row)) or 1.0


def _factor(M: np.ndarray, name_of: Callable[[int], str]) -> np.ndarray:
    """Return ``L`` with ``M = L L^T``."""
    scale = np.sqrt(np.abs(np.diag(M)))
    without = np.flatnonzero(scale == 0.0)
    if not without.size:
        try:
            L: np.ndarray = np.linalg.cholesky(M / np.outer(scale, scale))
            without = np.flatnonzero(np.diag(L) ** 2 < NO_INERTIA)
            if not without.size:
                return scale[:, None] * L
        except np.linalg.LinAlgError:
            without = np.arange(len(M))[np.abs(np.linalg.eigh(M / np.outer(scale, scale))[1][:, 0]) > 0.1]
    names = ", ".join(dict.fromkeys(name_of(int(k)) for k in without))
    raise ModelError(
        "the mass matrix is singular: a joint in constraints moves no mass",
        found=f"none behind {names}",
        remedy="Give what moves there mass properties, or take an assembly whose rod has no mass, such as SphericalSpherical.",
    )
