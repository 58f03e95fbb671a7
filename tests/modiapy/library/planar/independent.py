"""Motion of planar mechanisms by Lagrange's equations in coordinates that are chosen by hand, integrated by scipy.

Nothing here knows the library: bodies are positions and angles as functions of the coordinates; sympy makes their Jacobians.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from scipy.integrate import solve_ivp

Body = tuple[float, float, Any, Any, Any]
"""Mass, moment of inertia, x, y and angle as functions of the coordinates."""

Load = Callable[[float, np.ndarray, np.ndarray], Sequence[float] | np.ndarray]
"""Generalized forces as a function of time, coordinates and speeds."""


class Mechanism:
    """Masses and their motion in coordinates ``q``: ``M(q) q'' + b(q, q') = Q + A(q)^T lambda``, ``A(q) q' = 0``."""

    def __init__(self, q: Sequence[Any], bodies: Sequence[Body], g: float = 9.81, A: Sequence[Sequence[Any]] = ()) -> None:
        v = sympy.symbols(f"v0:{len(q)}")
        M, b = sympy.zeros(len(q), len(q)), sympy.zeros(len(q), 1)
        for m, inertia, *place in bodies:
            J = sympy.Matrix(place).jacobian(q)
            weight = sympy.diag(m, m, inertia)
            M += J.T * weight * J
            b += J.T * (weight * self._rate(J, q, v) * sympy.Matrix(v) + sympy.Matrix([0, m * g, 0]))
        rows = sympy.Matrix(A) if A else sympy.zeros(0, len(q))
        bias = self._rate(rows, q, v) * sympy.Matrix(v) if A else sympy.zeros(0, 1)
        self.n = len(q)
        self.terms = sympy.lambdify((*q, *v), [M, b, rows, bias], cse=True)

    @staticmethod
    def _rate(J: Any, q: Sequence[Any], v: Sequence[Any]) -> Any:
        return J.applyfunc(lambda term: sum(term.diff(x) * speed for x, speed in zip(q, v, strict=True)))

    def accelerations(self, q: np.ndarray, v: np.ndarray, Q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return ``q''`` under the generalized forces ``Q``."""
        M, b, A, bias = (np.array(term, dtype=float) for term in self.terms(*q, *v))
        k = len(A)
        matrix = np.block([[M, -A.T], [A, np.zeros((k, k))]])
        right = np.concatenate([np.array(Q, dtype=float) - b.ravel(), -bias.ravel()])
        return np.linalg.solve(matrix, right)[: self.n]

    def motion(self, q: Sequence[float], v: Sequence[float], times: np.ndarray, load: Load | None = None) -> np.ndarray:
        """Return coordinates and speeds at these times, shape (nt, 2 n)."""

        def rate(t: float, x: np.ndarray) -> np.ndarray:
            Q = load(t, x[: self.n], x[self.n :]) if load is not None else np.zeros(self.n)
            return np.concatenate([x[self.n :], self.accelerations(x[: self.n], x[self.n :], Q)])

        return integrated(rate, [*q, *v], times)


def integrated(
    rate: Callable[[float, np.ndarray], Any],
    start: Sequence[float],
    times: np.ndarray,
    breaks: Sequence[float] = (),
    stiff: bool = False,
) -> np.ndarray:
    """Return the solution of ``x' = rate(t, x)`` at these times, shape (nt, n); it has kinks at ``breaks``."""
    method = "LSODA" if stiff else "DOP853"
    x, found = np.array(start, dtype=float), np.empty((len(times), len(start)))
    borders = [times[0], *(t for t in breaks if times[0] < t < times[-1]), times[-1]]
    for begin, end in pairwise(borders):
        part = solve_ivp(rate, (begin, end), x, method=method, rtol=1e-12, atol=1e-13, dense_output=True)
        inside = (times >= begin) & (times <= end)
        found[inside] = part.sol(times[inside]).T
        x = part.y[:, -1]
    return found


def friction(adhesion: float, slide: float, mu_A: float, mu_S: float) -> Callable[[float], float]:
    """Return the coefficient of friction over the speed of slip: cubic curves between points where they are flat."""

    def between(v: float, v0: float, v1: float, mu0: float, mu1: float) -> float:
        p = (v - v0) / (v1 - v0)
        return mu0 + (mu1 - mu0) * p**2 * (3.0 - 2.0 * p)

    def coefficient(v: float) -> float:
        if abs(v) <= adhesion:
            return between(v, -adhesion, adhesion, -mu_A, mu_A)
        return math.copysign(between(min(abs(v), slide), adhesion, slide, mu_A, mu_S), v)

    return coefficient
