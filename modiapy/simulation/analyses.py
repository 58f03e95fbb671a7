"""Analyses of a translated model besides simulation: linear models, steady states, sensitivities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..model.errors import ModelError
from .results.result import Result
from .run import Run
from .segment_loop import SegmentLoop

if TYPE_CHECKING:
    from ..symbolic.sorted.sorted_model import SortedModel
    from .linear_model import LinearModel
    from .sensitivities import Sensitivities

STEADY = 1e-10
"""Last correction of a steady state, relative to the magnitudes of the states."""


class Analyses(ABC):
    """Base of `SimulationModel` with its analyses."""

    simulate: Callable[..., Result]
    sorted: SortedModel

    @abstractmethod
    def parameter(self, path: str) -> Any:
        """See `SimulationModel`."""

    @abstractmethod
    def _simulate(
        self,
        given: dict[str, Any],
        mode: str | None,
        merge: Mapping[str, Any] | None,
        *,
        at_end: Callable[[SegmentLoop], None],
        inputs: Mapping[str, Any] | None,
    ) -> Run:
        """Simulate the model, and call a function at the end of the simulation."""

    def linearize(
        self,
        time: float = 0.0,
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        steady: bool = False,
        merge: Mapping[str, Any] | None = None,
        tolerance: float | None = None,
        series: Mapping[str, Any] | None = None,
    ) -> LinearModel:
        """Return the model linearised at its initial state, or at the end of a simulation.

        Args:
            time: until when it is simulated before [s]; 0: it is linearised where it begins.
            inputs: names of inputs, or of elements of inputs that are arrays (``u[0]``); by default all inputs. The others keep
                their values.
            outputs: names of signals, also of components (``body.r_abs``); by default the model's own ``output`` variables.
            steady: go to the steady state from there first, see `steady_state`.
            merge: new values of parameters, as of `simulate`.
            tolerance: of that simulation.
            series: inputs over time, as ``inputs`` of `simulate`; their values at the end belong to the point.

        Returns:
            The matrices with the names of their rows and columns, by central differences (relative error about 1e-9). Relations
            keep the values that they have at that point.

        Raises:
            ModelError: an unknown input or signal; the derivatives are not explicit (index-1 form).
            SimulationError: the simulation had to stop; there is no steady state.
        """
        from .linear_model import check_explicit, go_to_steady_state, linearize

        check_explicit(self.sorted)
        made: list[LinearModel | ModelError] = []

        def at_end(loop: SegmentLoop) -> None:
            if steady:
                go_to_steady_state(loop, STEADY)
            try:
                made.append(linearize(loop, inputs, outputs))
            except ModelError as error:  # about the arguments, not about the simulation
                made.append(error)

        self._simulate({"stop_time": time, "tolerance": tolerance}, "ode", merge, at_end=at_end, inputs=series)
        if isinstance(made[0], ModelError):
            raise made[0]
        return made[0]

    def steady_state(
        self,
        time: float = 0.0,
        *,
        merge: Mapping[str, Any] | None = None,
        tolerance: float | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the states for which all derivatives are zero, by Newton's method, and all variables there.

        Args:
            time: until when the model is simulated before [s], to begin near to it; 0: begin with the initial values.
            merge: new values of parameters, as of `simulate`.
            tolerance: of that simulation.
            inputs: over time, as of `simulate`; they keep the values that they have at the end of it.

        Returns:
            Values by name, of variables and states; `value` gives those of other signals. Inputs keep their values, time stands
            still. Where states are free (a body at rest anywhere), those next to the initial ones.

        Raises:
            ModelError: the derivatives are not explicit (index-1 form).
            SimulationError: the simulation had to stop; no steady state was found (names a state that goes on).
        """
        from .linear_model import check_explicit, go_to_steady_state

        check_explicit(self.sorted)

        def at_end(loop: SegmentLoop) -> None:
            go_to_steady_state(loop, STEADY)

        run = self._simulate({"stop_time": time, "tolerance": tolerance}, "ode", merge, at_end=at_end, inputs=inputs)
        assert run.result is not None
        last = run.result.segment(run.result.segments[-1].index)
        return {name: last[name][-1] for name in dict.fromkeys([*run.values.flat.variables, *last.states]) if name in last}

    def sensitivities(
        self,
        stop_time: float,
        parameters: Sequence[str],
        outputs: Sequence[str],
        *,
        points: int = 101,
        relative_step: float = 1e-4,
        tolerance: float = 1e-9,
    ) -> Sensitivities:
        """Return how signals change with parameters, by central differences of simulations with the same machine code.

        Args:
            stop_time: [s].
            parameters: paths of numbers among the parameters, for example ``"motor.R"``.
            outputs: names of signals.
            points: number of equidistant times from 0 to ``stop_time``.
            relative_step: difference of a parameter, relative to its value (or to 1 where that is 0).
            tolerance: of the simulations; its errors are divided by the step.

        Raises:
            ModelError: a parameter is no number or does not exist; there is no such signal.
            SimulationError: a simulation had to stop.
        """
        from .sensitivities import sensitivities

        return sensitivities(self.simulate, self.parameter, stop_time, parameters, outputs, points, relative_step, tolerance)
