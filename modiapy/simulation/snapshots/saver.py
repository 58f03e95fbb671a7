"""Schedule of snapshots, which are written to a file while a simulation runs, and at its end."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from ...model.errors import ModelError, SimulationError
from ..results.result import Result


class Saver:
    """Writer of the snapshots of one simulation.

    Args: write: writes the present one. every: simulated time from one to the next [s]. begin: of the simulation [s].
    """

    def __init__(self, write: Callable[[], None], every: float, begin: float) -> None:
        self._write, self._every, self._last = write, every, begin

    def event(self, time: float) -> None:
        """Write a snapshot after the event at ``time`` [s], if it is due."""
        if time - self._last >= self._every:
            self._last = time
            self._write()

    def end(self, time: float, result: Result) -> None:
        """Write the last snapshot. A failure affects neither the result nor the error that ended the simulation.

        Raises:
            SimulationError: it cannot be written, at the end [s] of a simulation that had no other error.
        """
        try:
            self._write()
        except ModelError as error:
            if result.status != "finished":
                warnings.warn(str(error), stacklevel=3)
                return
            raise SimulationError(error.message, time=time, result=result, **error.details) from None
