"""Errors that give the cause for the end of a simulation, and carry its result."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from ..acausal.protocol import Mode
from ..model.errors import ModelError, ModiaError, NumericalError, SimulationError
from ..symbolic.analysis.causes import behind_state
from .evaluation.explanation import bad_state, explain, explain_ahead
from .evaluation.machine import EvaluationFailure, Machine
from .results.result import Result
from .segments.segment import Segment
from .solvers import IntegrationFailure

_WITHOUT_EVENT = re.compile(r"\b(sign|noEvent|abs|min|max)\(")


def _remedy(causes: str) -> str:
    """Return the remedy for an integrator that cannot continue; ``causes`` are the equations behind the state that stops it."""
    without = _WITHOUT_EVENT.search(causes)
    if without is None:
        return "Check the equations at that time; if they are as meant, try another tolerance, larger or smaller."
    return (
        f"'{without[1]}' makes no event: if its value jumps there, write a relation in its place ('1 if x > 0 else -1'), with a"
        " hysteresis or a friction model of the library where it would switch back and forth, or make it smooth (tanh(x/0.01))."
    )


def _numerical(error: ModiaError) -> ModiaError:
    """Convert an error to a numerical one, unless it reports a mistake of the user, or the user's own function failed."""
    if isinstance(error, ModelError | NumericalError) or error.__cause__ is not None:
        return error
    return NumericalError(error.message, time=getattr(error, "time", math.nan), **error.details)


def too_many_changes(most: int, time: float, causes: Sequence[str]) -> NumericalError:
    """Return the error for components that ask for too many changes at one time [s]."""
    return NumericalError(
        f"more than {most} changes at one point in time",
        time=time,
        found=", ".join(dict.fromkeys(causes[-20:])),
        remedy="A component asks for a change again and again: what it asks for does not take away the reason.",
    )


class Failures:
    """Errors of one simulation.

    Args:
        machine: that could not be evaluated; explanations evaluate it again.
        result: until then.
    """

    def __init__(self, machine: Machine, result: Result) -> None:
        self._machine, self._result = machine, result

    def of_integration(self, failure: IntegrationFailure, time: float, segment: Segment, interval: float) -> SimulationError:
        """Return the error for an integrator that gave up.

        Args: segment, failure: where it gave up, and why. time: of the last event [s]. interval: distance of output points [s].
        """
        if failure.reason is not None:
            return self.located(_numerical(failure.reason), getattr(failure.reason, "time", failure.time))
        at = failure.at
        if at is not None and (reason := explain(self._machine, at.time, at.x)) is not None:
            return self.located(_numerical(reason), at.time)
        reason = explain_ahead(self._machine, failure.time, segment.solver_states(), interval)
        if reason is not None:
            return self.located(_numerical(reason), failure.time)
        state = segment.state_name(failure.state)
        found = f"the largest error in state '{state}'" if state else ""
        causes = self._causes(state, time, segment)
        return NumericalError(
            f"at time {failure.time:.10g} s {failure.message}",
            time=failure.time,
            result=self._result,
            path=state,
            found=f"{found}, which follows from {causes}" if causes else found,
            remedy=_remedy(causes) + self._about_magnitudes(segment),
        )

    def _about_magnitudes(self, segment: Segment) -> str:
        """Return a text about a state whose tolerance uses a magnitude that the user did not give; "" if there is none."""
        n = segment.x.size
        scales, given = self._machine.scales(n), self._machine.magnitudes(n)
        if scales is None:
            return ""
        derived = np.flatnonzero(scales < (1.0 if given is None else given))
        if not derived.size:
            return ""
        name = segment.state_name(int(derived[np.argmin(scales[derived])]))
        return (
            f" {name} is taken for as small as {scales[derived].min():.1g}, by initial values or ratios, and its error is kept"
            " so small: Var(nominal=1.0) allows more."
        )

    def of_evaluation(self, failure: EvaluationFailure, time: float, x: np.ndarray) -> SimulationError:
        """Return the error for a model that could not be evaluated at the states ``x``, or near to them."""
        reason = bad_state(self._machine, time, x) or explain(self._machine, failure.time, failure.x)
        return self.located(_numerical(reason or SimulationError(str(failure), time=time)), time)

    def located(self, error: ModiaError, time: float) -> SimulationError:
        """Add time and result to an error and return it; the original message stays."""
        kind = NumericalError if isinstance(error, NumericalError) else SimulationError
        return kind(f"at time {time:.10g} s {error.message}", time=time, result=self._result, **error.details)

    def complete(self, error: SimulationError, segment: Segment | None, last_event: str) -> SimulationError:
        """Add possible causes to a numerical error and return it; ``segment`` is the present one."""
        if isinstance(error, NumericalError):
            from .fastest_states import fastest_states

            error.last_event = last_event
            error.fastest_states = () if segment is None else fastest_states(segment, error.time)
        return error

    def _causes(self, state: str, time: float, segment: Segment) -> str:
        """Return the equations behind the derivative of a state with their present values, as a text."""
        try:
            self._machine.evaluate(time, segment.solver_states(), Mode.OUTPUTS)
        except EvaluationFailure:
            return ""
        values = dict(zip(self._machine.sorted.stored, self._machine.memory.unknowns.tolist(), strict=False))
        return "; ".join(behind_state(self._machine.sorted, state, values))
