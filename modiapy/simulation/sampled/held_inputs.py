"""`HeldInputs`: the values that a loop in Python sets, of all inputs of a model as one vector."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...symbolic.terms.arrays import element_names
from ..evaluation.machine import Machine
from ..inputs.given import finite_array
from ..inputs.time_series import TimeSeries


class HeldInputs:
    """Inputs of a stepped simulation.

    Args:
        machine: whose inputs they are.

    Attributes:
        names: of all elements, scalars and elements of arrays in the order of the model.
        values: that they have from the next step on, shape (len(names),), to be written in place.
        applied: that they have had until now, of the same shape.
        scalars: where the model reads them, if none is an array; else None.
        places: where the elements of each input are among them. real: names of scalar inputs of type Real, with their places.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        flat, shapes = machine.flat, machine.layout.shapes
        self.names = element_names(machine.sorted.inputs, shapes)
        self.places: dict[str, slice] = {}
        self.real: dict[str, int] = {}
        first = 0
        for name in machine.sorted.inputs:
            size = math.prod(machine.layout.shape(name))
            self.places[name] = slice(first, first + size)
            if name not in flat.shapes and flat.variables[name].type == "Real":
                self.real[name] = first
            first += size
        context = machine.memory.context
        self._memory = {name: context.input_values(name) for name in self.places}
        self.scalars = context.inputs if first == context.inputs.size else None  # where there are no others
        self._replaced: set[str] = set()
        self.applied = np.zeros(first)
        self.values = np.zeros(first)
        self.refresh()
        self._start = self.applied.copy()
        self._noted = self._start.tobytes()  # values whose series are noted

    @property
    def changed(self) -> bool:
        """True if an input has another value from the next step on."""
        return bool(self._replaced) or self.values.tobytes() != self.applied.tobytes()

    @property
    def replaces(self) -> bool:
        """True if a value ends a series over time."""
        return bool(self._replaced)

    @property
    def good(self) -> bool:
        """True if all values are finite, and none ends a series over time."""
        values = self.values
        return not self._replaced and math.isfinite(values.dot(values))

    def replace(self, name: str) -> None:
        """Let a value end the series over time that the input has, even if it is the same value."""
        if len(self._machine.over_time.series.get(name, _CONSTANT).times) > 1:
            self._replaced.add(name)

    def refresh(self) -> None:
        """Read the present values; what was set to another value since the last step stays."""
        same = self.values == self.applied
        for name, place in self.places.items():
            self.applied[place] = self._memory[name]
        self.values[same] = self.applied[same]
        self._replaced.clear()

    def given(self) -> dict[str, TimeSeries]:
        """Return a series of one point for each input that has another value from the next step on.

        Raises:
            ModelError: a value is not finite (names the input).
        """
        found = {}
        for k in np.flatnonzero(~np.isfinite(self.values)):
            finite_array(float(self.values[k]), (), "an input", self.names[k])
        for name, place in self.places.items():
            if name in self._replaced or (self.values[place] != self.applied[place]).any():
                found[name] = self._series(name, self.values[place])
        return found

    def _series(self, name: str, values: np.ndarray) -> TimeSeries:
        return TimeSeries(np.zeros(1), values.reshape(1, *self._machine.layout.shape(name)).copy())

    def present(self) -> np.ndarray:
        """Return the values at the last evaluation, in the order of `names`."""
        return np.concatenate([np.zeros(0), *self._memory.values()])

    def write(self, values: np.ndarray) -> None:
        """Write values of all inputs to where the model reads them."""
        if self.scalars is not None:
            self.scalars[:] = values
            return
        for name, place in self.places.items():
            self._memory[name][:] = values[place]

    def restore(self, values: np.ndarray) -> None:
        """Let all inputs have other values, without an event."""
        self.write(values)
        self.applied[:] = values
        self.values[:] = values
        self._replaced.clear()

    def note_series(self) -> None:
        """Let the series that hold from now on be the present values, where these were written without an event."""
        noted, self._noted = self._noted, self.present().tobytes()
        if noted == self._noted:
            return
        over_time: Mapping[str, TimeSeries] = self._machine.over_time.series
        for name, place in self.places.items():
            held, present = over_time.get(name), self._memory[name]
            if held is None and np.array_equal(self._start[place], present):
                continue
            if held is None or (len(held.times) == 1 and not np.array_equal(held.values.reshape(-1), present)):
                self._machine.over_time.series[name] = self._series(name, present)


_CONSTANT = TimeSeries(np.zeros(1), np.zeros(1))
