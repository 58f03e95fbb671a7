"""Sensitivities of signals to parameters: central differences over runs of the same machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from ..model.errors import ModelError
from ..model.model import Map, is_number


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Derivatives of signals with respect to parameters.

    Attributes:
        time: [s], shape (nt,).
        values: by name of the signal, shape (nt, ...).
        derivatives: by names of signal and parameter, shape (nt, ...).
    """

    time: np.ndarray
    values: Mapping[str, np.ndarray]
    derivatives: Mapping[tuple[str, str], np.ndarray]

    def __getitem__(self, names: tuple[str, str]) -> np.ndarray:
        """Return the derivative of a signal with respect to a parameter, ``s["y", "R"]``, shape (nt, ...)."""
        if names not in self.derivatives:
            known = ", ".join(map(str, self.derivatives))
            raise ModelError("there is no such sensitivity", found=str(names), expected=f"one of {known}")
        return self.derivatives[names]


def sensitivities(
    simulate: Callable[..., Mapping[str, np.ndarray]],
    parameter: Callable[[str], Any],
    stop_time: float,
    parameters: Sequence[str],
    outputs: Sequence[str],
    points: int,
    relative_step: float,
    tolerance: float,
) -> Sensitivities:
    """See `SimulationModel.sensitivities`; ``simulate`` and ``parameter`` are those of the model."""
    if points < 2 or not stop_time > 0.0:
        raise ModelError(
            "the argument 'parameters' of sensitivities is wrong",
            found=f"{points} points until {stop_time} s",
            expected="at least 2 points, a positive time",
        )
    time = np.linspace(0.0, stop_time, points)

    def run(path: str = "", value: float = 0.0) -> dict[str, np.ndarray]:
        merge = _nested(path, value) if path else None
        result = simulate(stop_time, interval=stop_time / (points - 1), tolerance=tolerance, merge=merge)
        rows = np.searchsorted(result["time"], time + 1e-9 * stop_time, side="right") - 1
        return {name: result[name][rows] for name in outputs}

    values = run()
    derivatives: dict[tuple[str, str], np.ndarray] = {}
    for path in parameters:
        present = parameter(path)
        if not is_number(present):
            raise ModelError("this parameter is not a number", path=path, found=repr(present))
        step = relative_step * (abs(present) or 1.0)
        above, below = run(path, present + step), run(path, present - step)
        derivatives |= {(name, path): (above[name] - below[name]) / (2.0 * step) for name in outputs}
    return Sensitivities(time, values, derivatives)


def _nested(path: str, value: float) -> Map:
    """Return ``Map(a=Map(b=value))`` for the path ``a.b``."""
    *outer, last = path.split(".")
    first: Any = Map(**{last: value})
    return reduce(lambda inner, name: Map(**{name: inner}), reversed(outer), first)
