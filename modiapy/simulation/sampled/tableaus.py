"""Coefficients of explicit Runge-Kutta methods with an embedded formula and a dense output, last stage at the end of the step.

Sources: P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989); J. R. Dormand,
P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comput. Appl. Math. 6 (1980); L. F. Shampine, Some practical
Runge-Kutta formulas, Math. Comp. 46 (1986), for the dense output of the latter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F

import numpy as np


@dataclass(frozen=True)
class Tableau:
    """A method with s stages, the last of which is the first one of the next step.

    Attributes:
        order: of the error estimate, plus one: the error of a step is proportional to this power of its length.
        a: weights of stages in stages, shape (s, s); the last row is that of the solution. c: where stages are, shape (s,).
        error: weights of the estimated error, shape (s,).
        dense: states a part theta into the step are ``x + h * sum_i k_i * sum_j dense[i, j]*theta**(j + 1)``, shape (s, 4).
    """

    order: int
    a: np.ndarray
    c: np.ndarray
    error: np.ndarray
    dense: np.ndarray


def _tableau(order: int, rows: list[list[F | int]], other: list[F | int], dense: list[list[F | int]]) -> Tableau:
    """Return a tableau from the rows of ``a`` without zeros, and the weights of the other solution."""
    s = len(rows)
    a = np.zeros((s, s))
    for i, row in enumerate(rows):
        a[i, : len(row)] = [float(x) for x in row]
    c = np.array([float(sum(row)) for row in rows])
    weights = [*rows[-1], 0]
    error = np.array([float(x - y) for x, y in zip(weights, other, strict=True)])
    return Tableau(order, a, c, error, np.array([[float(x) for x in row] for row in dense]))


BOGACKI_SHAMPINE = _tableau(
    3,
    [[], [F(1, 2)], [0, F(3, 4)], [F(2, 9), F(1, 3), F(4, 9)]],
    [0, 1, 0, 0],
    [[1, F(-4, 3), F(5, 9), 0], [0, 1, F(-2, 3), 0], [0, F(4, 3), F(-8, 9), 0], [0, -1, 1, 0]],
)
"""Order 3, four stages. The estimate is by the midpoint rule, of order 2, in place of their own, so that the last stage need
not be evaluated where no step follows."""

DORMAND_PRINCE = _tableau(
    5,
    [
        [],
        [F(1, 5)],
        [F(3, 40), F(9, 40)],
        [F(44, 45), F(-56, 15), F(32, 9)],
        [F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)],
        [F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)],
        [F(35, 384), 0, F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)],
    ],
    [F(5179, 57600), 0, F(7571, 16695), F(393, 640), F(-92097, 339200), F(187, 2100), F(1, 40)],
    [
        [1, F(-8048581381, 2820520608), F(8663915743, 2820520608), F(-12715105075, 11282082432)],
        [0, 0, 0, 0],
        [0, F(131558114200, 32700410799), F(-68118460800, 10900136933), F(87487479700, 32700410799)],
        [0, F(-1754552775, 470086768), F(14199869525, 1410260304), F(-10690763975, 1880347072)],
        [0, F(127303824393, 49829197408), F(-318862633887, 49829197408), F(701980252875, 199316789632)],
        [0, F(-282668133, 205662961), F(2019193451, 616988883), F(-1453857185, 822651844)],
        [0, F(40617522, 29380423), F(-110615467, 29380423), F(69997945, 29380423)],
    ],
)
"""Order 5 with an estimate of order 4, seven stages."""
