"""Rates of the equations' states for components at an event, as they are and as they would be with another layout."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from ...acausal.protocol import Mode
from ...acausal.segment import Rates, SegmentLayout
from ...model.errors import ModelError
from ..evaluation.explanation import explain
from ..evaluation.machine import EvaluationFailure
from ..events.names import indicator_name
from .segment import Segment


class PresentRates(Rates):
    """Derivatives of the equations' states at one moment, for the component at ``path``; see `Rates`.

    Args:
        segment: the present one. time: [s]. path: of the component.
        layout: with which the component is to be evaluated; None: its own.
    """

    def __init__(self, segment: Segment, time: float, path: str, layout: SegmentLayout | None = None) -> None:
        self._segment, self._time, self._path = segment, time, path
        self._machine, self._x = segment.machine, segment.x
        self._layout = segment.layouts[path] if layout is None else layout
        if layout is not None:
            self._machine, self._x = segment.as_if(path, layout)

    def with_layout(self, layout: SegmentLayout) -> PresentRates:
        """See `Rates`."""
        return PresentRates(self._segment, self._time, self._path, layout)

    def giving_way(self) -> Sequence[str]:
        """See `Rates`."""
        if not self._machine.n_relations:
            return ()
        machine, x = self._segment.as_if(self._path, self._layout)
        before = machine.memory.modes.copy()
        with suppress(EvaluationFailure):
            machine.evaluate(self._time, x, Mode.EVENT | Mode.INDICATORS)
        changed = np.flatnonzero(machine.memory.modes != before)
        return [indicator_name(machine, int(k)) for k in changed if k < machine.n_relations]

    def __call__(self) -> np.ndarray:
        machine, time = self._machine, self._time
        constraints = machine.sorted.constraints
        if constraints:
            raise ModelError(
                "an impact cannot be computed, because the derivatives are not explicit",
                found=f"the constraint '{constraints[0].equation}', which allows no static selection of states",
            )
        try:
            machine.evaluate(time, self._x, Mode.DERIVATIVES)
        except EvaluationFailure as failure:
            reason = explain(machine, time, self._x)
            raise ModelError("an impact cannot be computed", found=str(reason or failure)) from None
        return machine.derivatives[: machine.layout.n_states].copy()
