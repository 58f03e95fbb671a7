"""`SmallStates`: states that stay so small in a whole simulation that the absolute tolerance hardly limits their errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..symbolic.terms.names import base_of
from .results.signals import relative_name
from .segments.options import Options
from .segments.segment import Segment

LOOSE = 100.0
"""A state is small if it stays below so many of its absolute tolerances: an error of a hundredth of it, or more, is allowed."""

NOISE, ROUNDED = 1e-10, 1e-14
"""Parts of the largest state of a component, and of the equations, that are taken for rounding errors."""

MINOR = 1e-5
"""Part of the largest state of a component below which a small one is noted without a warning: the angles and lengths of a
mechanism have one scale."""

MOST = 6
"""So many states are named."""

FOLDED = 256
"""Segments of which the largest values are kept as they are; names are looked up where there are more, or one is small."""


@dataclass(frozen=True)
class Small:
    """A state that stays small.

    Attributes:
        name: its full path.
        largest: its largest magnitude. absolute: its absolute tolerance.
        variable: whose ``nominal`` it has; "" for a state of a component.
        minor: whether the component that it belongs to moves much more elsewhere.
    """

    name: str
    largest: float
    absolute: float
    variable: str = ""
    minor: bool = False

    def __str__(self) -> str:
        return f"{self.name} (at most {self.largest:.3g}, absolute tolerance {self.absolute:.3g})"


class SmallStates:
    """Recorder of the largest magnitude of each state at the ends of all steps of one simulation; it reports small ones."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._own = np.zeros(0)
        self._segments: list[tuple[Sequence[tuple[str, Sequence[str]]], np.ndarray]] = []
        self._folded: dict[tuple[str, str], float] = {}

    def add(self, segment: Segment) -> None:
        """Add the largest magnitudes of a segment that ends, or of the present one at the end of the simulation."""
        own, others = segment.largest[: segment.n_inv], segment.largest[segment.n_inv :]
        self._own = np.maximum(self._own, own) if self._own.size else own.copy()
        if others.size:
            self._segments.append(([(path, layout.names) for path, layout in segment.layouts.items()], others.copy()))
        if len(self._segments) > FOLDED:
            self._fold()

    def _fold(self) -> None:
        structures: dict[tuple[tuple[str, tuple[str, ...]], ...], np.ndarray] = {}  # those that come again cost nothing more
        for parts, largest in self._segments:
            names = tuple([(path, tuple(known)) for path, known in parts])
            most = structures.setdefault(names, largest)
            np.maximum(most, largest, out=most)
        for names, largest in structures.items():
            keys = [(path, name) for path, known in names for name in known]
            for key, size in zip(keys, largest.tolist(), strict=True):
                self._folded[key] = max(size, self._folded.get(key, 0.0))
        self._segments = []

    def found(self, segment: Segment) -> list[Small]:
        """Return the small states, after the last segment was added by `add`."""
        return [*self._of_equations(segment), *self._of_components()]

    def _of_equations(self, segment: Segment) -> Iterator[Small]:
        machine, largest = segment.machine, self._own
        scales = machine.scales(largest.size)
        absolute = self._options.absolute_tolerance * (np.ones(largest.size) if scales is None else scales)
        small = (largest < LOOSE * absolute) & (largest > ROUNDED * largest.max(initial=0.0))
        if small.any():
            kept = {constraint.multiplier for constraint in machine.sorted.constraints}
            names = machine.all_states()
            for k in np.flatnonzero(small):
                if names[k] not in kept:
                    of = base_of(names[k])
                    variable = of if of in machine.variables else of.rpartition("[")[0]
                    yield Small(names[k], float(largest[k]), float(absolute[k]), variable)

    def _of_components(self) -> Iterator[Small]:
        absolute = self._options.absolute_tolerance
        if not self._folded and not any(((x > 0.0) & (x < LOOSE * absolute)).any() for _, x in self._segments):
            return
        self._fold()
        most: dict[str, float] = {}
        for (path, _), size in self._folded.items():
            most[path] = max(size, most.get(path, 0.0))
        for (path, name), size in self._folded.items():
            if NOISE * most[path] < size < LOOSE * absolute:
                yield Small(relative_name(path, name), size, absolute, minor=size < MINOR * most[path])

    def note(self, segment: Segment, time: float) -> Mapping[str, Any] | None:
        """Return the note for the result at the end [s], and the text of warnings; None if no state is small."""
        small = self.found(segment)
        if not small:
            return None
        told = [one for one in small if not one.minor]
        if told:
            warnings.warn(f"{_text(told)}. {_remedy(told, self._options)}", stacklevel=2)
        text = f"{_text(small)}. {_remedy(small, self._options)}"
        return {"kind": "small states", "time": time, "text": text, "states": {one.name: one.largest for one in small}}


def _text(small: Sequence[Small]) -> str:
    named = ", ".join(map(str, small[:MOST]))
    more = f" and {len(small) - MOST} more" if len(small) > MOST else ""
    these, their = ("these states are", "their") if len(small) > 1 else ("a state is", "its")
    return f"{these} too small for the tolerance, which hardly limits {their} errors: {named}{more}"


def _remedy(small: Sequence[Small], options: Options) -> str:
    own = [one for one in small if one.variable]
    least = min(one.largest for one in small)
    finer = min(options.absolute_tolerance, options.tolerance) * least
    every = f"absolute_tolerance={finer:.1g}, which holds for all states"
    if not own:
        return f"Simulate with {every}."
    return f"Give the variable its magnitude, {own[0].variable}: Var(nominal={own[0].largest:.1g}), or simulate with {every}."
