"""`TimeSeries`: values at times, and how they are continued between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...model.errors import ModelError, nearest
from ...model.interpolation import DEGREE, Interpolation, segments
from ..files.schema import Damaged, anything, one_of, record

INTERPOLATIONS: tuple[Interpolation, ...] = ("linear", "constant", "akima", "monotone")
EXTRAPOLATIONS = ("hold", "error")
_ELSEWHERE = {"previous": "constant", "zoh": "constant", "hold": "constant", "cubic": "akima", "spline": "akima"}
"""What other libraries call the kinds of interpolation."""

_SCHEMA = record(times=anything, values=anything, interpolation=one_of(*INTERPOLATIONS), extrapolation=one_of(*EXTRAPOLATIONS))

_STRAIGHT = 1e-12
"""Change of a slope that is none, relative to the slopes beside it."""


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """Values of an input over time, for ``simulate(inputs={"u": TimeSeries(times, values)})``.

    Where the value jumps there is a time event: with ``"constant"`` at each time where the value changes, with ``"linear"``
    where a time comes twice. No step of an integrator goes beyond another time of the series where its slope changes.

    Attributes:
        times: [s], shape (n,), increasing; with ``"linear"`` and ``"constant"`` a time may come twice.
        values: shape (n,), for an input that is an array (n, ...); in the unit of the input. Truth values count as 1 and 0.
        interpolation: "linear"; "constant" (the value of the last time that is not later); "akima" or "monotone" (cubic,
            with a continuous derivative; see `Table1D`).
        extrapolation: before the first and after the last time "hold" keeps their values; "error": a simulation that goes
            beyond them is refused.

    Raises:
        ModelError: the shapes do not fit, a time does not increase, a number is not finite.
    """

    times: np.ndarray
    values: np.ndarray
    interpolation: Interpolation = "linear"
    extrapolation: Literal["hold", "error"] = "hold"
    coefficients: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _check_name("interpolation", self.interpolation, INTERPOLATIONS)
        _check_name("extrapolation", self.extrapolation, EXTRAPOLATIONS)
        times, values = _numbers("times", self.times), _numbers("values", self.values)
        if times.ndim != 1 or not times.size or values.ndim < 1 or len(values) != len(times):
            raise ModelError(
                "the times and values of a time series do not fit",
                found=f"times of shape {times.shape}, values of shape {values.shape}",
                expected="times of shape (n,), and n values, n at least 1",
            )
        _check_increase(times, twice=self.interpolation in ("linear", "constant"))
        pieces = segments(times, values, self.interpolation, "hold")
        coefficients = np.moveaxis(pieces.reshape(len(times) + 1, DEGREE, -1), 1, 2)
        for name, array in (("times", times), ("values", values), ("coefficients", np.ascontiguousarray(coefficients))):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def at(self, time: float) -> Any:
        """Return the value at a time [s], where it jumps the one after the jump: a number, or an array."""
        k = int(np.searchsorted(self.times, time, side="right"))
        s = time - self.times[max(k - 1, 0)]
        c = self.coefficients[k]
        value = c[:, 0] + s * (c[:, 1] + s * (c[:, 2] + s * c[:, 3]))
        return float(value[0]) if self.values.ndim == 1 else value.reshape(self.values.shape[1:])

    @property
    def jumps(self) -> np.ndarray:
        """Times where the value jumps [s], each once."""
        changes = (np.diff(self.values, axis=0) != 0.0).reshape(len(self.times) - 1, -1).any(axis=1)
        if self.interpolation != "constant":
            changes &= np.diff(self.times) == 0.0
        return np.unique(self.times[1:][changes])

    @property
    def kinks(self) -> np.ndarray:
        """Times where the slope, or a higher derivative, may change [s], each once."""
        if self.interpolation == "constant":
            return self.jumps
        changes = np.ones(len(self.times), dtype=bool)
        if self.interpolation == "linear":
            slopes = self.coefficients[:, :, 1]
            largest = np.maximum(np.abs(slopes[1:]), np.abs(slopes[:-1]))
            changes = (np.abs(np.diff(slopes, axis=0)) > _STRAIGHT * largest).any(axis=1)
        return np.union1d(self.times[changes], self.jumps)

    def to_data(self) -> dict[str, Any]:
        """Return the series as plain data."""
        return {name: getattr(self, name) for name in ("times", "values", "interpolation", "extrapolation")}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> TimeSeries:
        """Return the series that `to_data` described. Raises Damaged where it is something else."""
        _SCHEMA(data, "inputs")
        try:
            return cls(**data)
        except ModelError as error:
            raise Damaged(f"inputs: {error.message}") from None


def _check_name(what: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        meant = _ELSEWHERE.get(given) if isinstance(given, str) and what == "interpolation" else None
        raise ModelError(
            f"unknown {what} of a time series",
            found=repr(given),
            expected=f"one of {', '.join(known)}",
            remedy=f"It is called '{meant}' here." if meant else nearest(str(given), known),
        )


def _numbers(what: str, given: Any) -> np.ndarray:
    """Return a copy as floating-point numbers. Raises ModelError."""
    try:
        array = np.array(given, dtype=float)
    except (ValueError, TypeError):
        raise ModelError(
            f"the {what} of a time series must be numbers", found=_shown(given), expected="an array of numbers"
        ) from None
    bad = ~np.isfinite(array)
    if bad.any():
        place = ", ".join(map(str, np.argwhere(bad)[0].tolist()))
        raise ModelError(
            f"the {what} of a time series must be finite",
            found=f"{what}[{place}] = {array[bad][0]}",
            expected="finite numbers",
            remedy="Leave these points out; what is between the others is interpolated.",
        )
    return array


def _check_increase(times: np.ndarray, *, twice: bool) -> None:
    steps = np.diff(times)
    wrong = np.flatnonzero(~(steps >= 0.0) if twice else ~(steps > 0.0))
    thrice = np.flatnonzero((steps[1:] == 0.0) & (steps[:-1] == 0.0)) if twice else wrong[:0]
    if not wrong.size and not thrice.size:
        return
    k = int(wrong[0]) if wrong.size else int(thrice[0])
    found = f"times[{k}] = {float(times[k])!r}, times[{k + 1}] = {float(times[k + 1])!r}"
    if not wrong.size:
        raise ModelError(
            "a time series has the same time more than twice",
            found=f"times[{k}] = {float(times[k])!r}",
            expected="at most twice",
        )
    raise ModelError(
        "the times of a time series do not increase",
        found=found,
        expected="increasing times" + ("; one that comes twice is a jump" if twice else ""),
        remedy="Sort times and values by time.",
    )


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:77]}..."
