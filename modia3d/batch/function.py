"""Quantity of a study as a function of the factors, for optimisers; gradients are differences of parallel runs."""

from __future__ import annotations

import itertools
import math
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Self

import numpy as np

from modiapy.model.errors import ModelError, SimulationError, nearest

from .execution import Execution, Row, Task, job_of
from .study import Study


class StudyFunction:
    """``f(x)``: the value of a quantity where the factors have the values ``x``, in their order.

    ::

        with StudyFunction(study, "cost", workers=2) as f:
            scipy.optimize.minimize(f.value_and_gradient, x0, jac=True, bounds=f.bounds)

    Args:
        study: its factors are numbers; their distributions say the bounds only.
        quantity: name of a number among its quantities.
        workers: processes for runs side by side; 0: this one.
        scheduler: address of a Dask scheduler in place of processes of this machine.
        model: number of the model.
        step: of the differences, relative to a factor (to 1 where it is 0); by default the third root of the tolerance of the
            simulation, with which the error of the formula and that of the runs are alike.
        failed: value where a run fails; None: an error.

    Attributes:
        names: of the factors.
        runs: how many simulations there were.

    Raises:
        ModelError: there is no such quantity, it is a text, or a factor is no number.
    """

    def __init__(
        self,
        study: Study,
        quantity: str,
        *,
        workers: int = 0,
        scheduler: str | None = None,
        model: int = 0,
        step: float | None = None,
        failed: float | None = None,
    ) -> None:
        if quantity not in study.quantity_of:
            raise ModelError("there is no such quantity", path=quantity, remedy=nearest(quantity, study.quantity_of))
        if study.quantity_of[quantity].is_text:
            raise ModelError("this quantity is a text", path=quantity, expected="a number")
        for name, factor in study.factors.items():
            if not all(isinstance(value, int | float) for value in factor.values):
                raise ModelError("a factor of a study function must be a number", path=name, found=repr(factor.values))
        self._study, self._quantity, self._model, self._failed = study, quantity, model, failed
        self._step = step or study.models[model].settings.tolerance ** (1 / 3)
        self.names = list(study.factors)
        self.runs = 0
        self._numbers = itertools.count()
        self._stack = ExitStack()
        self._client: Any = None
        job = job_of(study)
        self._execution = Execution(job)
        if workers or scheduler:
            from .cluster import connected
            from .engine import prepared

            self._name = f"modia3d-{secrets.token_hex(8)}"
            self._client = self._stack.enter_context(connected(workers or None, scheduler))
            self._stack.enter_context(prepared(self._client, self._name, job, study.limits))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes of the function."""
        self._stack.close()

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Least and largest value of each factor."""
        p = np.array([0.0, 1.0])
        found = []
        for factor in self._study.factors.values():
            values = factor.values or factor.quantile(p)
            found.append((float(min(values)), float(max(values))))
        return found

    def __call__(self, x: Sequence[float]) -> float:
        """Return the value. Raises SimulationError if the run fails and ``failed`` is None."""
        return float(self.values([x])[0])

    def values(self, points: Sequence[Sequence[float]]) -> np.ndarray:
        """Return the values at several points, from parallel runs, shape (n,). Errors as of a single one."""
        tasks = [Task(next(self._numbers), self._model, self._values(point)) for point in points]
        self.runs += len(tasks)
        if self._client is None:
            rows = [self._execution.execute(task) for task in tasks]
        else:
            from .worker import carry_out

            futures = [self._client.submit(carry_out, self._name, [task], math.inf, pure=False) for task in tasks]
            rows = [done.rows[0] for done in self._client.gather(futures)]
        return np.array([self._value(row) for row in rows])

    def gradient(self, x: Sequence[float]) -> np.ndarray:
        """Return the central differences, shape (n,), from parallel runs."""
        return self._differences(x, with_value=False)[1]

    def value_and_gradient(self, x: Sequence[float]) -> tuple[float, np.ndarray]:
        """Return both, from parallel runs: for ``scipy.optimize.minimize(..., jac=True)``."""
        return self._differences(x, with_value=True)

    def _differences(self, x: Sequence[float], *, with_value: bool) -> tuple[float, np.ndarray]:
        centre = np.asarray(x, dtype=float)
        steps = self._step * np.where(centre == 0.0, 1.0, np.abs(centre))
        moves = np.diag(steps)
        points = [*(centre + moves), *(centre - moves), *([centre] if with_value else [])]
        values = self.values([point.tolist() for point in points])
        n = centre.size
        return float(values[-1]) if with_value else math.nan, (values[:n] - values[n : 2 * n]) / (2.0 * steps)

    def _values(self, point: Sequence[float]) -> dict[str, float]:
        if len(point) != len(self.names):
            raise ModelError("a point needs one number for each factor", found=str(len(point)), expected=", ".join(self.names))
        return {name: float(value) for name, value in zip(self.names, point, strict=True)}

    def _value(self, row: Row) -> float:
        if row.status == "finished":
            return float(row.quantities[self._quantity])
        if self._failed is not None:
            return self._failed
        values = ", ".join(f"{name} = {value:.6g}" for name, value in row.factors.items())
        raise SimulationError(f"the run with {values} failed ({row.cause}): {row.message}", time=math.nan)
