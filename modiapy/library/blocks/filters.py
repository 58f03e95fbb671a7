"""Analog filters of any order: the blocks Filter, CriticalDamping and LowpassButterworth of Modelica.Blocks.Continuous.

Source of the prototypes: U. Tietze, C. Schenk, Halbleiter-Schaltungstechnik (Springer, 2002), chapter 13: poles of the low pass
with the cut-off frequency 1 rad/s, which a transformation of the frequency turns into the other kinds of filter.
"""

from __future__ import annotations

from math import asinh, cosh, factorial, pi, sinh, sqrt
from numbers import Integral
from typing import Literal, get_args

import numpy as np

from ...model.errors import ModelError
from ...model.model import Map, Model, Var, is_number
from .interfaces import SISO

AnalogFilter = Literal["critical_damping", "bessel", "butterworth", "chebyshev_i"]
FilterType = Literal["low_pass", "high_pass", "band_pass", "band_stop"]

_DAMPED = 10.0 ** (3.0 / 10.0)
"""Inverse of the squared gain at the cut-off frequency (-3 dB)."""


def _cut_off(poles: np.ndarray) -> float:
    """Return the frequency at which the gain of a low pass falls below -3 dB [rad/s]."""
    low, high = 0.0, 1.0

    def loss(w: float) -> float:
        return float(np.prod(np.abs(1j * w / poles - 1.0) ** 2))

    while loss(high) < _DAMPED:
        high *= 2.0
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if loss(middle) < _DAMPED else (low, middle)
    return high


def _prototype(kind: AnalogFilter, order: int, ripple: float, normalized: bool) -> np.ndarray:
    """Return the poles of the low pass with the cut-off frequency 1 rad/s, shape (order,)."""
    angles = pi * (2 * np.arange(order) + 1) / (2 * order)
    if kind == "butterworth":
        return -np.sin(angles) + 1j * np.cos(angles)
    if kind == "chebyshev_i":
        epsilon = sqrt(10.0 ** (ripple / 10.0) - 1.0)
        size = asinh(1.0 / epsilon) / order
        poles = -sinh(size) * np.sin(angles) + 1j * cosh(size) * np.cos(angles)
        return poles / _cut_off(poles) if normalized else poles
    if kind == "critical_damping":
        return np.full(order, -1.0 / sqrt(_DAMPED ** (1.0 / order) - 1.0) if normalized else -1.0) + 0j
    powers = range(order, -1, -1)
    reverse_bessel = np.roots(
        [factorial(2 * order - k) / (2 ** (order - k) * factorial(k) * factorial(order - k)) for k in powers]
    )
    bessel = np.asarray(reverse_bessel, dtype=complex)
    return bessel / _cut_off(bessel) if normalized else bessel


def _transformed(poles: np.ndarray, kind: FilterType, lowest: float) -> tuple[np.ndarray, float]:
    """Return the poles of the filter with the (upper) cut-off frequency 1 rad/s, and the middle of its band [rad/s]."""
    if kind == "low_pass":
        return poles, 0.0
    if kind == "high_pass":
        return 1.0 / poles, 0.0
    half = (1.0 - lowest) / 2.0 * (poles if kind == "band_pass" else 1.0 / poles)
    root = np.sqrt(half**2 - lowest + 0j)
    return np.concatenate([half + root, half - root]), sqrt(lowest)


def _pairs(poles: np.ndarray) -> list[tuple[float, float]]:
    """Return the real and imaginary part of the sections of first (imaginary part 0) and second order."""
    real = [(float(p.real), 0.0) for p in poles if abs(p.imag) <= 1e-9 * abs(p)]
    return real + [(float(p.real), float(p.imag)) for p in poles if p.imag > 1e-9 * abs(p)]


def _section(a: float, b: float, kind: FilterType, middle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return a, B, C, D of the poles a +- jb (b = 0: of the pole a); the gain in the passed band is 1."""
    if b == 0.0:
        low = kind == "low_pass"
        return np.array([[a]]), np.array([-a]), np.array([1.0 if low else -1.0]), 0.0 if low else 1.0
    size = a * a + b * b
    A, B = np.array([[a, -b], [b, a]]), np.array([size / b, 0.0])
    if kind == "low_pass":
        return A, B, np.array([0.0, 1.0]), 0.0
    if kind == "band_pass":
        gain = abs((1j * middle - complex(a, b)) * (1j * middle - complex(a, -b)) / middle)
        return A, B, gain / size * np.array([b, a]), 0.0
    return A, B, np.array([2 * a * b, 2 * a * a - size + middle**2]) / size, 1.0


def _combination(coefficients: np.ndarray, names: list[str], u: str, factor: float) -> str:
    """Return a linear combination, as text."""
    return " + ".join(f"({c!r})*{name}" for c, name in zip([*map(float, coefficients), factor], [*names, u], strict=True) if c)


def _chain(sections: list[tuple[np.ndarray, np.ndarray, np.ndarray, float]]) -> tuple[int, list[str]]:
    """Number of states of sections in series, and their equations."""
    n, u, equations = 0, "u", []
    for k, (A, B, C, D) in enumerate(sections):
        states = [f"x{n + i + 1}" for i in range(len(B))]
        for x, row, b in zip(states, A, B, strict=True):
            equations.append(f"der({x}) = 2*pi*f_cut*({_combination(row, states, u, float(b))})")
        output = _combination(C, states, u, D)
        last = k + 1 == len(sections)
        equations.append(f"y = gain*({output})" if last else f"y{k + 1} = {output}")
        n, u = n + len(B), f"y{k + 1}"
    return n, equations


def Filter(
    analog_filter: AnalogFilter = "critical_damping",
    filter_type: FilterType = "low_pass",
    order: int = 2,
    f_cut: float = 1.0,
    *,
    gain: float = 1.0,
    A_ripple: float = 0.5,
    f_min: float = 0.0,
    normalized: bool = True,
    steady_state: bool = False,
) -> Model:
    """A filter ``u -> y`` with states x1, x2, ...; f_cut and gain are parameters, f_cut scales all frequencies.

    Args:
        analog_filter, filter_type: kind of the low pass it is derived from, and of the filter.
        order: of that low pass; bands have twice as many states.
        f_cut: cut-off frequency [Hz], of a band the upper one.
        gain: of the passed band.
        A_ripple: ripple in the passed band of Chebyshev filters [dB].
        f_min: lower cut-off frequency of a band [Hz]; ``f_min/f_cut`` stays what it is.
        normalized: the gain at the cut-off frequencies is -3 dB.
        steady_state: it begins at rest, otherwise with states 0 (their start values).

    Raises:
        ModelError: no positive whole order, cut-off frequency or ripple, an unknown kind, or a band whose frequencies are not
            ``0 < f_min < f_cut``.
    """
    kinds, types = get_args(AnalogFilter), get_args(FilterType)
    band = filter_type in ("band_pass", "band_stop")
    is_known = analog_filter in kinds and filter_type in types and isinstance(order, Integral) and order >= 1
    has_numbers = all(is_number(value) for value in (f_cut, f_min, A_ripple)) and f_cut > 0.0 and A_ripple > 0.0
    if not is_known or not has_numbers or (band and not 0.0 < f_min < f_cut):
        raise ModelError(
            "this is no filter",
            found=f"analog_filter={analog_filter!r}, filter_type={filter_type!r}, order={order!r}, f_min={f_min!r},"
            f" f_cut={f_cut!r}, A_ripple={A_ripple!r}",
            expected=f"{', '.join(kinds)}; {', '.join(types)}; a whole order >= 1; f_cut > 0; A_ripple > 0; for bands"
            " 0 < f_min < f_cut",
        )
    poles = _prototype(analog_filter, order, A_ripple, normalized)
    description = f"{analog_filter} filter, {filter_type}, order {order}; f_cut: cut-off frequency [Hz]"
    return _with_poles(poles, filter_type, f_cut, f_min, steady_state) | Map(description=description, gain=gain)


def _with_poles(low: np.ndarray, filter_type: FilterType, f_cut: float, f_min: float, steady_state: bool) -> Model:
    """Return the filter that a low pass with these poles becomes."""
    poles, middle = _transformed(low, filter_type, f_min / f_cut)
    band = filter_type in ("band_pass", "band_stop")
    pairs = _pairs(poles)
    real = [a for a, b in pairs if b == 0.0] if band else []
    sections = [_section(a, b, filter_type, middle) for a, b in pairs if b != 0.0 or not band]
    sections += [_real_band(p, q, filter_type, middle) for p, q in zip(real[::2], real[1::2], strict=True)]
    n, equations = _chain(sections)
    states = [f"x{k + 1}" for k in range(n)]
    at_rest = [f"der({x}) = 0" for x in states] if steady_state else []
    return (
        SISO
        | Model(
            {x: Var(start=0.0) for x in states}
            | {f"y{k + 1}": Var(description=f"output of section {k + 1}") for k in range(len(sections) - 1)}
        )
        | Model(f_cut=f_cut, gain=1.0, equations=equations, initial_equations=at_rest)
    )


def _real_band(p: float, q: float, kind: FilterType, middle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the section of a band with two real poles, in controller canonical form."""
    A, B = np.array([[p + q, -p * q], [1.0, 0.0]]), np.array([1.0, 0.0])
    if kind == "band_pass":
        return A, B, np.array([abs((1j * middle - p) * (1j * middle - q)) / middle, 0.0]), 0.0
    return A, B, np.array([p + q, middle**2 - p * q]), 1.0


def CriticalDamping(n: int = 2, f: float = 1.0, *, normalized: bool = True, steady_state: bool = False) -> Model:
    """A low pass of order n with n equal real poles, which passes half the power at the cut-off frequency f [Hz].

    It differs from the `Filter` of this kind as in the Modelica library, where that has -3 dB there: by 1e-3 of the frequency.

    Args:
        n, f: order and cut-off frequency [Hz].
        normalized: if not, all poles are at that frequency.
        steady_state: as of `Filter`.

    Raises:
        ModelError: no positive whole order or cut-off frequency.
    """
    made = Filter("critical_damping", "low_pass", n, f, normalized=False, steady_state=steady_state)
    if not normalized:
        return made
    poles = np.full(n, -1.0 / sqrt(2.0 ** (1.0 / n) - 1.0)) + 0j
    return _with_poles(poles, "low_pass", f, 0.0, steady_state) | Map(description=made["description"])


def LowpassButterworth(n: int = 2, f: float = 1.0) -> Model:
    """`Filter` of order n, a Butterworth low pass with the cut-off frequency f [Hz]."""
    return Filter("butterworth", "low_pass", n, f)
