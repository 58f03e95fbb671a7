"""Assertions, which are checked at every stored point. Their relations make events, so that no violation is missed."""

from __future__ import annotations

import warnings

import numpy as np

from ...model.errors import SimulationError
from ...model.expression import names
from ...symbolic.flat.flat_model import Assertion
from ...symbolic.hybrid.discrete import Discrete
from ..results.segment_result import Interval
from ..results.signals import SignalTable


class Terminated(Exception):
    """The model ended the simulation by ``terminate``.

    Attributes: message: the text of the model.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class AssertionCheck:
    """The assertions of one simulation.

    Args:
        discrete: with the assertions.
        table: where their conditions and other variables are found.
    """

    def __init__(self, discrete: Discrete, table: SignalTable) -> None:
        pairs = zip(discrete.assertions, discrete.conditions, strict=True)
        self._checks = [(assertion, table.hidden[name]) for assertion, name in pairs]
        self._signals = table
        self._warned: set[int] = set()

    def check(self, points: Interval) -> None:
        """Check the assertions at stored points in time order.

        Raises:
            SimulationError: an assertion of level "error" does not hold.
            Terminated: one of level "terminate" does not.
        """
        for k, (assertion, source) in enumerate(self._checks):
            failed = np.flatnonzero(source.values(points) == 0.0)
            if failed.size == 0:
                self._warned.discard(k)
            elif assertion.level == "terminate":
                raise Terminated(assertion.message)
            elif assertion.level == "error":
                raise self._error(assertion, int(failed[0]), points)
            elif k not in self._warned:
                self._warned.add(k)
                error = self._error(assertion, int(failed[0]), points)
                warnings.warn(f"at time {error.time:.10g} s {error}", stacklevel=2)

    def _error(self, assertion: Assertion, row: int, points: Interval) -> SimulationError:
        time = float(points.time[row])
        known = [name for name in sorted(names(assertion.condition)) if name in self._signals]
        found = [self._signals[name].value(time, points.x[row], points.unknowns[row]) for name in known]
        values = [f"{name} = {value!r}" for name, value in zip(known, found, strict=True)]
        return SimulationError(
            assertion.message,
            time=time,
            path=assertion.path,
            found=", ".join(values),
            expected=f"'{assertion.text or assertion.condition}'",
        )
