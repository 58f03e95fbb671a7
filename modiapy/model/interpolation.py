"""Piecewise polynomials through given points, extrapolation included: what tables and time series have in memory.

All kinds that are not straight are cubic Hermite polynomials; they differ in the slopes at the abscissas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from .errors import ModelError

Interpolation = Literal["linear", "constant", "akima", "makima", "monotone", "fritsch_butland", "steffen"]
Extrapolation = Literal["linear", "secant", "hold", "periodic", "error"]
MODES = {"linear": 0.0, "secant": 0.0, "hold": 0.0, "periodic": 1.0, "error": 2.0}
"""What the machine code has to do outside of the table; 0: nothing, as there are polynomials for it."""

STRAIGHT = ("linear", "constant")
"""Kinds in which an abscissa may come twice."""

DEGREE = 4
"""Coefficients of one polynomial in memory."""

_ROUNDED = 4 * np.finfo(float).eps
"""By how much of the values beside it a secant may be wrong because they are rounded, times its length."""


def checked_abscissas(x: np.ndarray, interpolation: str, extrapolation: str) -> np.ndarray:
    """Return the abscissas of a table. Raises ModelError if they do not increase, or a kind is unknown."""
    for what, given, known in (
        ("interpolation", interpolation, (*STRAIGHT, *_SLOPES)),
        ("extrapolation", extrapolation, tuple(MODES)),
    ):
        if given not in known:
            raise ModelError(f"unknown {what} of a table", found=repr(given), expected=f"one of {', '.join(known)}")
    steps = np.diff(x)
    may_jump = interpolation in STRAIGHT
    wrong = np.flatnonzero(~(steps >= 0.0) if may_jump else ~(steps > 0.0))
    if (
        len(wrong)
        or not np.isfinite(x).all()
        or (len(x) > 1 and x[0] == x[-1] and (not may_jump or extrapolation == "periodic"))
    ):
        k = int(wrong[0]) if len(wrong) else 0
        raise ModelError(
            "the abscissas of the table do not increase",
            found=f"{float(x[k])!r} and then {float(x[min(k + 1, len(x) - 1)])!r}",
            expected="increasing finite numbers",
        )
    return x


def degree_of(interpolation: str, extrapolation: str) -> int:
    """Return the degree of the polynomials, those beyond the ends included."""
    if interpolation in STRAIGHT:
        return int(interpolation == "linear" or extrapolation == "secant")
    return DEGREE - 1


def segments(x: np.ndarray, y: np.ndarray, interpolation: str, extrapolation: str) -> np.ndarray:
    """Return the coefficients of the polynomials below x[0], between all x, and above x[-1].

    Args:
        x: abscissas, shape (n,).
        y: values, shape (n, ...).
        interpolation, extrapolation: see `LookupTable`.

    Returns:
        Coefficients of ``1, s, s**2, s**3``, where s is the distance from the abscissa on the left (below x[0]: from x[0]),
        shape (n + 1, 4, ...).
    """
    h = np.diff(x).reshape(-1, *(1,) * (y.ndim - 1))
    secant = _secants(h, y)
    if interpolation in _SLOPES and len(x) > 1:
        return hermite(h, y, _SLOPES[interpolation](h, secant, _rounded(h, y)), extrapolation)
    n = len(x)
    c = np.zeros((n + 1, DEGREE, *y.shape[1:]))
    c[0, 0], c[1:, 0] = y[0], y
    if n > 1:
        if interpolation == "linear":
            c[1:n, 1] = secant
        if extrapolation == "secant" or (extrapolation == "linear" and interpolation == "linear"):
            c[0, 1], c[n, 1] = secant[0], secant[-1]
    return c


def hermite(h: np.ndarray, y: np.ndarray, slope: np.ndarray, extrapolation: str) -> np.ndarray:
    """Return cubic polynomials, as `segments` does, with these values and slopes at abscissas that lie ``h`` apart."""
    secant, left, right = _secants(h, y), slope[:-1], slope[1:]
    n = len(y)
    c = np.zeros((n + 1, DEGREE, *y.shape[1:]))
    c[0, 0], c[1:, 0] = y[0], y
    c[1:n, 1], c[1:n, 2], c[1:n, 3] = left, (3 * secant - 2 * left - right) / h, (left + right - 2 * secant) / h**2
    if extrapolation == "linear":
        c[0, 1], c[n, 1] = slope[0], slope[-1]
    elif extrapolation == "secant":
        c[0, 1], c[n, 1] = secant[0], secant[-1]
    return c


def surface(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, interpolation: str, extrapolation: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the polynomials in the cells of a grid, and beyond.

    Args:
        x, y: abscissas, shapes (n1,) and (n2,).
        z: values, shape (n1, n2).
        interpolation, extrapolation: see `LookupTable2D`.

    Returns:
        The abscissas between the cells, and the coefficients of ``s**p * t**q``, with the distances s in x and t in y as in
        `segments`, shape (n1 + 1, n2 + 1, 4, 4) for n1 and n2 abscissas.
    """
    if interpolation == "constant" and extrapolation == "secant":
        return _steps_and_bilinear(x, y, z)
    if interpolation == "akima":
        h, k = np.diff(x)[:, None], np.diff(y)[:, None]
        z_x, z_y, z_xy = _akima_slopes(x, y, z)
        values = hermite(h, z, z_x, extrapolation)  # cell 1, power 1, column
        slopes = hermite(h, z_y, z_xy, extrapolation)
        flat = (len(y), -1)
        c = hermite(k, np.moveaxis(values, 2, 0).reshape(flat), np.moveaxis(slopes, 2, 0).reshape(flat), extrapolation)
        c = c.reshape(*c.shape[:2], *values.shape[:2])
    else:
        c = segments(y, np.moveaxis(segments(x, z, interpolation, extrapolation), 2, 0), interpolation, extrapolation)
    return x, y, np.ascontiguousarray(np.transpose(c, (2, 0, 3, 1)))


def _steps_and_bilinear(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the constant cells with bilinear ones beyond; the last abscissas belong to the table, in cells of one rounding."""
    inner, outer = (surface(x, y, z, kind, "linear")[2] for kind in ("constant", "linear"))
    for axis in (0, 1):
        inner, outer = (np.concatenate([c, np.take(c, [-1], axis)], axis) for c in (inner, outer))
    outer[1:-1, 1:-1] = inner[1:-1, 1:-1]
    return np.append(x, np.nextafter(x[-1], np.inf)), np.append(y, np.nextafter(y[-1], np.inf)), outer


def _secants(h: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the slopes between neighbours; 0 where the abscissas are the same."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(h > 0.0, np.diff(y, axis=0) / h, 0.0)


def _rounded(h: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return how wrong secants may be because the values are rounded."""
    return _ROUNDED * (np.abs(y[1:]) + np.abs(y[:-1])) / h


# -- slopes -------------------------------------------------------------------------------------------------------------


def _extended(secant: np.ndarray) -> np.ndarray:
    """Return the secants with two more at each end, whose differences are that of the last two there (Akima 1970)."""
    before, after = 2 * secant[0] - secant[1], 2 * secant[-1] - secant[-2]
    return np.stack([2 * before - secant[0], before, *secant, after, 2 * after - secant[-1]])


def _weights(m: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of the secants on the left and on the right of each abscissa, by extended secants m (Akima 1970).

    Where they differ by no more than rounding there is a corner, whose sides count alike.
    """
    change = np.abs(np.diff(m, axis=0))
    left, right = change[2:], change[:-2]
    beside = np.concatenate([noise[:1], noise[:1], noise, noise[-1:], noise[-1:]])
    flat = left + right <= beside[:-3] + beside[1:-2] + beside[2:-1] + beside[3:]
    return np.where(flat, 1.0, left), np.where(flat, 1.0, right)


def _akima(h: np.ndarray, secant: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the slopes at the abscissas from the secants between them (Akima 1970, with his extrapolation at the ends)."""
    if len(secant) == 1:
        return np.concatenate([secant, secant])
    m = _extended(secant)
    left, right = _weights(m, noise)
    return (left * m[1:-2] + right * m[2:-1]) / (left + right)


def _makima(h: np.ndarray, secant: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return slopes as `_akima`, with weights that do not let it overshoot beside level parts (Ionita, "Makima piecewise cubic
    interpolation", 2019)."""
    if len(secant) == 1:
        return np.concatenate([secant, secant])
    m = _extended(secant)
    weight = np.abs(np.diff(m, axis=0)) + 0.5 * np.abs(m[1:] + m[:-1])
    left, right = weight[2:], weight[:-2]
    total = left + right
    return np.where(total > 0.0, (left * m[1:-2] + right * m[2:-1]) / np.where(total > 0.0, total, 1.0), 0.0)


def _inner_mean(h: np.ndarray, secant: np.ndarray) -> np.ndarray:
    """Return the slopes at the inner abscissas that keep the interpolation monotone (Fritsch and Butland 1984)."""
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w1 + w2) / (w1 / secant[:-1] + w2 / secant[1:])
    return np.where(secant[:-1] * secant[1:] > 0.0, mean, 0.0)


def _monotone(h: np.ndarray, secant: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the slopes of Fritsch and Butland, with one-sided formulas at the ends."""
    if len(secant) == 1:
        return np.concatenate([secant, secant])
    first = _end_slope(h[0], h[1], secant[0], secant[1])
    last = _end_slope(h[-1], h[-2], secant[-1], secant[-2])
    return np.concatenate([first[None], _inner_mean(h, secant), last[None]])


def _end_slope(h0: np.ndarray, h1: np.ndarray, m0: np.ndarray, m1: np.ndarray) -> np.ndarray:
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    slope = np.where(np.sign(slope) != np.sign(m0), 0.0, slope)
    return np.where((np.sign(m0) != np.sign(m1)) & (np.abs(slope) > 3 * np.abs(m0)), 3 * m0, slope)


def _fritsch_butland(h: np.ndarray, secant: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the slopes of Fritsch and Butland, at the ends those of the last secants."""
    return np.concatenate([secant[:1], _inner_mean(h, secant), secant[-1:]])


def _steffen(h: np.ndarray, secant: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return the slopes of parabolas, limited so that the interpolation is monotone (Steffen 1990); at the ends the last
    secants.
    """
    before, after = secant[:-1], secant[1:]
    parabola = (before * h[1:] + after * h[:-1]) / (h[:-1] + h[1:])
    limit = 2 * np.minimum(np.abs(before), np.abs(after))
    inner = np.sign(before) * np.minimum(np.abs(parabola), limit)
    return np.concatenate([secant[:1], np.where(np.sign(before) == np.sign(after), inner, 0.0), secant[-1:]])


_SLOPES: Mapping[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "akima": _akima,
    "makima": _makima,
    "monotone": _monotone,
    "fritsch_butland": _fritsch_butland,
    "steffen": _steffen,
}


# -- surfaces -----------------------------------------------------------------------------------------------------------


def _akima_slopes(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the derivatives by x, by y and by both at the points of a grid (Akima 1974, Communications of the ACM 17,
    18-20).
    """
    h, k = np.diff(x)[:, None], np.diff(y)[:, None]
    wide, wide_h = _continued(np.ascontiguousarray(_continued(z.T, k)[0].T), h)
    wide_k = _continued(z.T, k)[1]
    along_x, along_y = np.diff(wide, axis=0) / wide_h, np.diff(wide, axis=1) / wide_k.T
    left, right = _weights(along_x[:, 2:-2], _rounded(h, z))
    below, above = (w.T for w in _weights(along_y[2:-2].T, _rounded(k, z.T)))
    z_x = (left * along_x[1:-2, 2:-2] + right * along_x[2:-1, 2:-2]) / (left + right)
    z_y = (below * along_y[2:-2, 1:-2] + above * along_y[2:-2, 2:-1]) / (below + above)
    twist = np.diff(along_y, axis=0) / wide_h  # of all cells
    twist = twist[1:-1, 1:-1]
    mixed = left * (below * twist[:-1, :-1] + above * twist[:-1, 1:]) + right * (below * twist[1:, :-1] + above * twist[1:, 1:])
    return z_x, z_y, mixed / ((left + right) * (below + above))


def _continued(z: np.ndarray, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values on lines that are continued by two points at each end, and the distances between all of them.

    Where there are two points only, the lines are straight; else their secants go on as in `_extended`.
    """
    if len(h) == 1:
        steps = np.concatenate([h] * 5)
        slopes = np.concatenate([_secants(h, z)] * 5)
    else:
        steps = np.concatenate([h[:1], h[1:2], h, h[-2:-1], h[-1:]])
        slopes = _extended(_secants(h, z))
    before = z[:1] - np.cumsum((slopes * steps)[1::-1], axis=0)[::-1]
    after = z[-1:] + np.cumsum((slopes * steps)[-2:], axis=0)
    return np.concatenate([before, z, after]), steps
