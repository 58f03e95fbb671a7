"""`Stepper`: a simulation that pauses in a Python loop, for controllers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import numpy as np

from ..model.errors import ModelError, UnknownName, nearest
from ..model.model import is_number
from .inputs.given import input_named, value_of
from .inputs.time_series import TimeSeries
from .results.result import Result
from .run import Run
from .stepper_point import StepperPoint, view_of

Within = Callable[[ExitStack], None]
"""Enters what a simulation is carried out in."""


class Stepper:
    """A simulation, step by step: ``with sim.stepper(10.0) as stepper: ...``.

    Between steps inputs may be set and signals read. Events, programs and changes of structure happen as they do in `simulate`.
    As long as no input is set, the steps of the integrator and all stored points are those of one call of `simulate`, to the
    last bit; an input that is set to another value is an event, at which the integrator begins again.

    At the end of the ``with`` block the simulation ends where it is; after an exception its result is "interrupted".

    Attributes:
        inputs: values of the model's inputs, to be read and set by full name. What is set holds from the next step on.
    """

    def __init__(self, run: Run, within: Within, complete: Callable[[], None]) -> None:
        """Begin a simulation; see `SimulationModel.stepper`."""
        assert run.simulation is not None
        assert run.result is not None
        self._run, self._within, self._complete = run, within, complete
        self._simulation, self._result = run.simulation, run.result
        self._loop = run.simulation.loop
        self._signals: Callable[[str], Any] | None = None
        self._given: dict[str, TimeSeries] = {}
        self._goes_on = True
        self._point: StepperPoint | None = None
        self._views: dict[tuple[str, str], Any] = {}
        self.inputs: MutableMapping[str, Any] = Inputs(self)
        self._go(self.time)

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
        return f"<Stepper of {self._result.name} at {self.time:g} s{'' if self._goes_on else ', ended'}>"

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
        """Result so far, with logs, tables and statistics; the same object grows until the end."""
        if self._goes_on:
            self._simulation.tell()
        return self._result

    def __getitem__(self, name: str) -> Any:
        """Return the present value of a signal, a number or an array; after the end the last one.

        It is the value after the last step: inputs that were set since then have not had any effect.

        Raises:
            ModelError: there is no such signal.
        """
        if not self._goes_on:
            return self._result[name][-1]
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
        self._check_runs()
        if (dt is None) == (until is None):
            raise ModelError("step needs either a length or an end", expected="one of step(dt) and step(until=time)")
        for name, value, least in (("dt", dt, 0.0), ("until", until, self.time)):
            if value is not None and not (is_number(value) and math.isfinite(value) and value >= least):
                raise ModelError(
                    f"the argument '{name}' of step is wrong",
                    found=repr(value),
                    expected=f"a finite time of at least {least!r} s",
                )
        end = self.time + dt if until is None and dt is not None else until
        assert end is not None
        self._go(float(end))
        return self._goes_on

    def finish(self) -> Result:
        """Continue to the stop time; return the result. Errors as of `step`."""
        if self._goes_on:
            self._go(math.inf)
        return self._result

    def close(self) -> None:
        """End the simulation at its present time, if it has not ended; ``result.terminated`` says so. Errors as of `step`."""
        if self._goes_on:
            self._do(lambda: self._simulation.stop(f"the stepper was closed at {self.time:g} s"))

    def view(self, path: str = "", **options: Any) -> Any:
        """Return a view of a `Model3D`, or of a part of one, with arrays for a controller, see `MechanismView`; the same one
        for the same arguments.

        Args:
            path: of the `Model3D` or the part; "" where there is one of them only.
            options: ``joints``, ``torque``.

        Raises:
            ModelError: there is no such part, or an option is wrong; the simulation has ended.
        """
        self._check_runs()
        if self._point is None:
            self._point = StepperPoint(self._loop.machine, self._loop.current, self.__getitem__, self._set_inputs)
        key = path, repr(sorted(options.items()))
        if key not in self._views:
            self._views[key] = view_of(self._loop.components, self._point, path, options)
        return self._views[key]

    def _set_inputs(self, values: np.ndarray) -> None:
        start = 0
        for name in self._loop.machine.sorted.inputs:
            shape = self._loop.machine.layout.shape(name)
            size = math.prod(shape)
            part = values[start : start + size]
            self.set_input(name, part.reshape(shape) if shape else float(part[0]))
            start += size

    def _check_runs(self) -> None:
        if not self._goes_on:
            result = self._result
            why = result.terminated or result.verdict or result.status
            raise ModelError(
                "the simulation has ended",
                found=f"{why} at {self.time:g} s",
                remedy="Ask 'stepper.running', or what 'step' returns, before the next step.",
            )

    def _go(self, until: float) -> None:
        """Continue to a time [s]; inputs that were set take effect first."""
        if self._point is not None:
            self._point.send()
        given, self._given = self._given, {}
        self._do(lambda: self._simulation.go(until, given))

    def _do(self, work: Callable[[], bool | None]) -> None:
        """Carry out part of the simulation; complete the result if it ends."""
        self._signals, goes_on = None, False
        try:
            with ExitStack() as stack:
                self._within(stack)
                goes_on = bool(work())
        finally:
            self._goes_on = goes_on
            if not goes_on:
                self._complete()
        if self._point is not None:
            self._point.changed()

    def set_input(self, name: str, value: Any) -> None:
        """Set the value of an input from the next step on, as ``inputs[name] = value`` does."""
        self._check_runs()
        flat, over_time = self._loop.machine.flat, self._loop.machine.over_time
        series = value_of(value, input_named(name, flat), flat)
        present, held = self._loop.current.value(name), over_time.series.get(name)
        self._given.pop(name, None)
        if (held is not None and len(held.times) > 1) or not np.array_equal(present, series.at(0.0)):
            self._given[name] = series


class Inputs(MutableMapping[str, Any]):
    """Values of the inputs of a stepped simulation."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper

    def _check(self, name: str) -> None:
        input_named(name, self._stepper._loop.machine.flat)

    def __getitem__(self, name: str) -> Any:
        self._check(name)
        given = self._stepper._given.get(name)
        return self._stepper[name] if given is None else given.at(0.0)

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
