"""`Stepper`: a simulation that pauses in a Python loop, for controllers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import ExitStack
from functools import partial
from types import TracebackType
from typing import Any

import numpy as np

from ..model.errors import ModelError, UnknownName, nearest
from ..model.model import is_number
from .inputs.given import input_named, value_of
from .inputs.time_series import TimeSeries
from .results.result import Result, last_value
from .run import Run
from .segment_loop import SegmentLoop
from .snapshots.resume import present_state
from .snapshots.snapshot import Snapshot, saved_components
from .solvers import IntegrationFailure
from .stepper_point import StepperPoint, view_of

Within = Callable[[ExitStack], None]
"""Enters what a simulation is carried out in."""


ROUNDING = 1e-6
"""Part of a step, and of the distance of output points, by which the end of a step may miss an output point that is meant."""


class Stepper:
    """A simulation, step by step: ``with sim.stepper(10.0) as stepper: ...``.

    Between steps inputs may be set and signals read. Events, programs and changes of structure happen as they do in `simulate`.
    As long as no input is set, the steps of the integrator and all stored points are those of one call of `simulate`, to the
    last bit. Where inputs are set to other values, a one-step method goes on from there.

    At the end of the ``with`` block the simulation ends where it is; after an exception its result is "interrupted".

    Attributes:
        inputs: values of the model's inputs, to be read and set by full name. What is set holds from the next step on.
    """

    def __init__(self, run: Run, within: Within, complete: Callable[[], None], started: Callable[[], Result]) -> None:
        """Begin a simulation; see `SimulationModel.stepper`."""
        assert run.simulation is not None
        self._run, self._within, self._complete, self._started = run, within, complete, started
        self._simulation = run.simulation
        options = run.simulation.options
        self._start, self._interval = options.start_time, options.interval
        self._signals: Callable[[str], Any] | None = None
        self._goes_on = True
        self._point: StepperPoint | None = None
        self._views: dict[tuple[str, str], Any] = {}
        self.inputs: MutableMapping[str, Any] = Inputs(self)
        self._go(self.time)
        self._initial = self._simulation.loop.snapshot
        self._begin_series = dict(self._simulation.loop.machine.over_time.series)

    def __enter__(self) -> Stepper:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        elif self._goes_on:
            self._goes_on = False
            self._simulation.interrupt()
            self._complete()

    def __repr__(self) -> str:
        return f"<Stepper of {self.result.name} at {self.time:g} s{'' if self._goes_on else ', ended'}>"

    @property
    def _loop(self) -> SegmentLoop:
        return self._simulation.loop

    @property
    def time(self) -> float:
        """The present time [s]."""
        return self._simulation.time

    @property
    def running(self) -> bool:
        """True if the simulation has not ended."""
        return self._goes_on

    @property
    def result(self) -> Result:
        """Result since the beginning or the last `reset` or `set_state`, with logs, tables and statistics; it grows until then.

        With ``record=False`` it has the last point only, with ``record=window`` the points since so long ago [s].
        """
        assert self._run.result is not None
        if self._goes_on:
            self._simulation.tell()
            if self._run.result.window < math.inf:
                self._loop.current.look_once()
        return self._run.result

    def __getitem__(self, name: str) -> Any:
        """Return the present value of a signal, a number or an array; after the end the last one.

        It is the value after the last step: inputs that were set since then have not had any effect.

        Raises:
            ModelError: there is no such signal.
        """
        if not self._goes_on:
            return last_value(self.result, name)
        if self._signals is None:
            self._signals = self._loop.current.looked_at()
        try:
            return self._signals(name)
        except KeyError:
            known = self._loop.current.segment.result.signals()
            raise UnknownName(f"there is no signal '{name}' at present", path=name, remedy=nearest(name, known)) from None

    def step(self, dt: float | None = None, *, until: float | None = None) -> bool:
        """Continue for some time, including the events at its end; inputs that were set take effect first.

        Args:
            dt: how long [s].
            until: to which time [s] instead. What is beyond the stop time ends there.

        Returns:
            Whether the simulation has not ended.

        Raises:
            ModelError: a wrong argument; the simulation has ended before.
            SimulationError: it cannot go on; `result` holds what was computed until then.
        """
        if not self._goes_on:
            self._check_runs()
        sampled = self._simulation.loop.sampled
        time = self._simulation.loop.current.time
        if until is None and type(dt) is float and 0.0 <= dt < math.inf:
            end = time + dt
        else:
            end = self._end_of_step(dt, until, time)
        near = self._start + self._interval * round((end - self._start) / self._interval)
        if abs(near - end) <= ROUNDING * min(self._interval, end - time):
            end = near
        point = self._point
        if point is not None:
            point.send()
        if sampled.holds and sampled.hold_simply(end):
            self._signals = None
            if point is not None:
                point.changed()
            return True
        self._go(end)
        return self._goes_on

    @staticmethod
    def _end_of_step(dt: float | None, until: float | None, time: float) -> float:
        if (dt is None) == (until is None):
            raise ModelError("step needs either a length or an end", expected="one of step(dt) and step(until=time)")
        for name, value, least in (("dt", dt, 0.0), ("until", until, time)):
            if value is not None and not (is_number(value) and math.isfinite(value) and value >= least):
                raise ModelError(
                    f"the argument '{name}' of step is wrong",
                    found=repr(value),
                    expected=f"a finite time of at least {least!r} s",
                )
        end = time + dt if until is None and dt is not None else until
        assert end is not None
        return float(end)

    def finish(self) -> Result:
        """Continue to the stop time; return the result. Errors as of `step`."""
        if self._goes_on:
            if self._point is not None:
                self._point.send()
            self._go(math.inf)
        return self.result

    def close(self) -> None:
        """End the simulation at its present time, if it has not ended; ``result.terminated`` says so. Errors as of `step`."""
        if self._goes_on:
            self._do(lambda: self._simulation.stop(f"the stepper was closed at {self.time:g} s"))

    def view(self, path: str = "", **options: Any) -> Any:
        """Return a view of a `Model3D`, or of a part of one, with arrays for a controller, see `MechanismView`; the same one
        for the same arguments.

        Args:
            path: of the `Model3D` or the part; "" where there is one of them only.
            options: of the component's views, of a `Model3D` ``joints`` and ``torque``.

        Raises:
            ModelError: there is no such part, or an option is wrong; the simulation has ended.
        """
        self._check_runs()
        if self._point is None:
            self._point = StepperPoint(self)
        key = path, repr(sorted(options.items()))
        if key not in self._views:
            self._views[key] = view_of(self._loop.components, self._point, path, options)
        return self._views[key]

    # -- states -----------------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Go back to the beginning, after the initial event, as a new stepper would, to the last bit; also after the end.

        Inputs have their values of the beginning again, and a new `result` begins.

        Raises:
            ModelError: a component cannot be saved.
        """
        assert self._initial is not None
        self._set(self._initial, self._begin_series)

    def state(self) -> Snapshot:
        """Return the present state, for `set_state` of this stepper or of another one of the same model with the same options.

        It holds structure, programs and inputs, too, and can be pickled. Taking it changes nothing.

        Raises:
            ModelError: a component cannot be saved; the simulation has ended.
        """
        self._check_runs()
        if self._point is not None:
            self._point.send()
        return present_state(self._loop)

    def set_state(self, state: Snapshot | Mapping[str, Any]) -> None:
        """Go on from another state.

        Args:
            state: what `state` returned, in this process or another: a new `result` begins. Or values of states by full name,
                numbers or arrays, of those that are to change, by an event at the present time. In loops the others follow;
                those keep their values as far as the loops allow. What is locked stays locked.

        Raises:
            ModelError: the state is one of another model; there is no such state, its value is wrong, or loops do not allow it;
                the simulation has ended (a state that `state` returned continues it).
            SimulationError: it cannot go on from there.
        """
        if isinstance(state, Snapshot):
            self._check_fits(state)
            self._set(state)
            if state.inputs_next is not None:
                inputs, is_set = self._loop.inputs, ~np.isnan(state.inputs_next)
                inputs.values[is_set] = state.inputs_next[is_set]
                if self._point is not None:
                    self._point.went_back()
            return
        if not isinstance(state, Mapping):
            expected = "what state() returned, or a mapping from names of states to values"
            raise ModelError("the argument 'state' of set_state is wrong", found=repr(state), expected=expected)
        self._check_runs()
        if self._point is not None:
            self._point.send()
        self._loop.current.segment.x_with(state)
        for path, run in self._loop.components.items():
            change = run.before_states([name.removeprefix(f"{path}.") for name in state])
            if change is not None:
                self._do(partial(self._simulation.change, path, change))
        current, projection = self._loop.current, self._loop.machine.projection
        try:
            x = projection.moved(current.time, current.x, current.segment.x_with(state))
        except IntegrationFailure as failure:
            raise ModelError(
                "these states cannot be set",
                found=str(failure.reason or failure.message),
                expected="states that the closed loops can have",
                remedy="Set states of fewer joints, or go there by several calls.",
            ) from None
        given = self._loop.inputs.given()
        self._do(lambda: self._simulation.jump(x, given))

    def _check_fits(self, state: Snapshot) -> None:
        """Refuse a state of another model. Raises ModelError."""
        loop = self._loop
        names, parts = loop.machine.all_states()[: loop.machine.layout.n_states], loop.components.keys()
        if state.state_names is not None and (list(state.state_names) != names or state.parts.keys() != parts):
            found, expected = (
                ", ".join(there) or "no states" for there in ([*state.state_names, *state.parts], [*names, *parts])
            )
            raise ModelError("the state is one of another model", found=found, expected=expected)

    def _set(self, snapshot: Snapshot, series: Mapping[str, TimeSeries] | None = None) -> None:
        simulation, result = self._simulation, self._started()
        if not self._goes_on or not simulation.goes_back(snapshot, result):
            saved_components(self._loop.components)
            self._do(lambda: simulation.begin_from(snapshot, result, snapshot.series() if series is None else series))
        self._run.result = result
        self._goes_on, self._signals = True, None
        if self._point is not None:
            self._point.went_back()

    def _check_runs(self) -> None:
        if not self._goes_on:
            result = self.result
            why = result.terminated or result.verdict or result.status
            raise ModelError(
                "the simulation has ended",
                found=f"{why} at {self.time:g} s",
                remedy="Ask 'stepper.running', or what 'step' returns, before the next step; 'reset' begins again.",
            )

    def _go(self, until: float) -> None:
        """Continue to a time [s]; inputs that were set take effect first."""
        self._do(lambda: self._simulation.go(until, self._loop.inputs))

    def _do(self, work: Callable[[], bool | None]) -> None:
        """Carry out part of the simulation; complete the result if it ends."""
        self._signals, goes_on = None, False
        try:
            with ExitStack() as stack:
                self._within(stack)
                goes_on = bool(work())
        finally:
            self._goes_on = goes_on
            if goes_on:
                self._loop.inputs.refresh()
            if self._point is not None:
                self._point.changed()
            if not goes_on:
                self._complete()

    def set_input(self, name: str, value: Any) -> None:
        """Set the value of an input from the next step on, as ``inputs[name] = value`` does."""
        self._check_runs()
        held = self._loop.inputs
        place = held.real.get(name)
        if place is not None and isinstance(value, float) and math.isfinite(value):
            held.values[place] = value
        else:
            flat = self._loop.machine.flat
            held.values[held.places[name]] = value_of(value, input_named(name, flat), flat).values.reshape(-1)
        held.replace(name)


class Inputs(MutableMapping[str, Any]):
    """Values of the inputs of a stepped simulation."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper

    def _check(self, name: str) -> None:
        input_named(name, self._stepper._loop.machine.flat)

    def __getitem__(self, name: str) -> Any:
        self._check(name)
        loop = self._stepper._loop
        values, shape = loop.inputs.values[loop.inputs.places[name]], loop.machine.layout.shape(name)
        return values.reshape(shape).copy() if shape else float(values[0])

    def __setitem__(self, name: str, value: Any) -> None:
        self._stepper.set_input(name, value)

    def __delitem__(self, name: str) -> None:
        self._check(name)
        raise ModelError("an input cannot be deleted", path=name)

    def __contains__(self, name: object) -> bool:
        return name in self._stepper._loop.machine.sorted.inputs

    def __iter__(self) -> Iterator[str]:
        return iter(self._stepper._loop.machine.sorted.inputs)

    def __len__(self) -> int:
        return len(self._stepper._loop.machine.sorted.inputs)
