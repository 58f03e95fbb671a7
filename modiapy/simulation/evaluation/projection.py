"""Projection of states onto the constraints of components, see `modiapy.acausal.segment.StateProjection`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...acausal.memory import data_address
from ...acausal.protocol import STATUS_OK, AcausalComponent
from ...acausal.segment import SegmentLayout
from ...model.errors import SimulationError
from ...symbolic.codegen.compiled_model import CompiledModel
from ...symbolic.codegen.model_context import ModelContext
from ...symbolic.codegen.projection import (
    NOT_FINITE,
    Entry,
    PointsFunction,
    ProjectFunction,
    ProjectionSlot,
    VectorFunction,
    address_of,
)
from ...symbolic.codegen.residual import ResidualFunction
from ..solvers import IntegrationFailure, ModelFailure, Problem
from ..solvers.cvode import libraries

FAILED = "the states could not be brought onto the constraints of components"

PARTS, MOST_ALTERNATIONS, KEPT, KEPT_OF = (1, 10, 100), 60, 1e-12, (0.02, 50.0)
"""Parts of the way to states that are set; so often states are set and projected; relative difference that is none; least and
largest part of a change that a projection is taken to leave: it may also move states further."""


class Projection:
    """The projections of a simulation, in the memory that its model works on.

    Args:
        compiled: the machine code.
        context: the memory.
        components: of the model, by path, and the contexts of each.

    Attributes:
        active: whether a component projects in the present segment.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        context: ModelContext,
        components: Mapping[str, AcausalComponent],
        contexts: Sequence[np.ndarray],
    ) -> None:
        self._compiled, self._context = compiled, context
        self._components, self._contexts = components, contexts
        self._table = np.zeros(ProjectionSlot.ENTRIES + len(contexts) * len(Entry), dtype=np.int64)
        self._entries = self._table[ProjectionSlot.ENTRIES :].reshape(-1, len(Entry))
        self._memory = np.zeros((2, 0))
        self._layouts: list[tuple[str, SegmentLayout]] = []
        self.active = False
        context.project_by(self._table)

    @property
    def done(self) -> int:
        """Number of projections so far."""
        return int(self._table[ProjectionSlot.DONE])

    def load(self) -> None:
        """Load the machine code, so that nothing is compiled or loaded at the first projection of states."""
        if self._components:
            self._address("project")

    def enter_segment(self, layouts: Mapping[str, SegmentLayout], n: int) -> None:
        """Select the projections of a segment with n states in all."""
        self._layouts = [(path, layout) for path, layout in layouts.items() if layout.projection is not None]
        self.active = bool(self._layouts)
        self._table[ProjectionSlot.COUNT] = len(self._layouts)
        self._table[ProjectionSlot.STATUS] = STATUS_OK
        if not self._layouts:
            return
        entry, offset = 0, n - sum(layout.x.size for layout in layouts.values())
        for context, layout in zip(self._contexts, layouts.values(), strict=True):
            made = layout.projection
            if made is not None:
                self._entries[entry] = made.address, data_address(context), offset, made.evaluate
                entry += 1
            offset += layout.x.size
        self._table[ProjectionSlot.MODEL] = self._compiled.address_of("model")
        if self._memory.shape[1] < n:
            self._memory = np.zeros((2, n))
            self._table[ProjectionSlot.STATES], self._table[ProjectionSlot.RATES] = map(data_address, self._memory)

    def _address(self, name: str) -> int:
        sundials = libraries()
        return address_of(name, sundials.array_pointer_address if sundials is not None else 0)

    def point(self, time: float, x: np.ndarray) -> bool:
        """Project the states at ``time`` [s], shape (n,), in place; return whether they moved. Raises IntegrationFailure."""
        if not self.active:
            return False
        projected = x.copy()
        if self._project(time, data_address(projected), None, self._context.address) != 0:
            raise self.failure(time, x)
        moved = bool((projected != x).any())
        x[:] = projected
        return moved

    def moved(self, time: float, begin: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Return states near others ``target``, of which those that differ from ``begin`` keep their values as far as
        constraints allow.

        States are changed and projected in turn, by as much more or less as the last projection has changed. Where that
        fails, the way there is divided.

        Raises:
            IntegrationFailure: no states near them satisfy the constraints.
        """
        if not self.active:
            return target
        for parts in PARTS:
            x = begin.copy()
            try:
                for k in range(1, parts + 1):
                    self._approach(time, x, target != begin, begin + (target - begin) * (k / parts))
                return x
            except IntegrationFailure as failure:
                failed = failure
        self.point(time, begin.copy())  # what follows continues from there
        raise failed

    def _approach(self, time: float, x: np.ndarray, given: np.ndarray, target: np.ndarray) -> None:
        gain = np.ones(int(given.sum()))  # what is projected away again of a change
        for _ in range(MOST_ALTERNATIONS):
            before, asked = x[given], (target - x)[given]
            if (np.abs(asked) <= KEPT * (1.0 + np.abs(target[given]))).all():
                break
            x[given] += gain * asked
            self.point(time, x)
            moved = np.abs(asked) > 0.0
            gain[moved] = 1.0 / np.clip((x[given] - before)[moved] / (gain * asked)[moved], *KEPT_OF)
        self.point(time, x)

    @cached_property
    def _project(self) -> Any:
        return ProjectFunction(self._address("project"))

    def points(self, times: np.ndarray, states: np.ndarray) -> int:
        """Project the states at several times [s], shape (nt, n), in place; return the number of leading successes."""
        if not self.active:
            return times.size
        times = np.ascontiguousarray(times)
        assert states.flags.c_contiguous
        function = PointsFunction(self._address("project_points"))
        return int(function(times.size, data_address(times), data_address(states), self._context.address))

    def failure(self, time: float, x: np.ndarray) -> IntegrationFailure:
        """Return the error of the last projection, which failed for states ``x`` at ``time`` [s]."""
        reason = self.reason()
        return IntegrationFailure(FAILED, time, at=ModelFailure(time, x) if reason is None else None, reason=reason)

    def reason(self) -> SimulationError | None:
        """Return the component's explanation of the last failed projection; None if none failed, or the model failed before."""
        status, k = (int(self._table[slot]) for slot in (ProjectionSlot.STATUS, ProjectionSlot.FAILED))
        if status == STATUS_OK or k < 0:
            return None
        time = float(self._table.view(np.float64)[ProjectionSlot.TIME])
        path, layout = self._layouts[k]
        said = "" if status == NOT_FINITE else self._components[path].failure(status, layout.keep)
        if said:
            return SimulationError(said, time=time, path=getattr(said, "path", ""))
        return SimulationError(
            FAILED,
            time=time,
            path=path,
            found="a state that is not finite" if status == NOT_FINITE else f"status {status}",
            expected="finite states" if status == NOT_FINITE else f"status {STATUS_OK}",
        )

    def of(self, problem: Problem) -> Problem:
        """Return a problem without projections as one with the projections of the present segment."""
        address = self._context.address
        project, root, rhs = (
            self._project,
            VectorFunction(self._address("projected_root")),
            VectorFunction(self._address("drawn_rhs")),
        )

        def project_states(t: float, x: np.ndarray, error: np.ndarray | None = None) -> int:
            return int(project(t, x.ctypes.data, None if error is None else error.ctypes.data, address))

        def indicators(t: float, x: np.ndarray, z: np.ndarray) -> int:
            return int(root(t, x.ctypes.data, z.ctypes.data, address))

        def derivatives(t: float, x: np.ndarray, out: np.ndarray) -> int:
            return int(rhs(t, x.ctypes.data, out.ctypes.data, address))

        projected = replace(problem, root=indicators, project=project_states)
        pull = self._table.view(np.float64)[ProjectionSlot.PULL : ProjectionSlot.PULL + 1]
        drawn = replace(projected, rhs_address=0, rhs=derivatives, incidence=None, pull=pull)
        if problem.residual is not None:
            drawn = self._with_residuals(drawn)
        if libraries() is not None:
            root_address, own = self._address("projected_root_of"), self._address("projection")
            projected = replace(projected, root_address=root_address, projection_address=own)
            drawn = replace(drawn, root_address=root_address, rhs_address=self._address("drawn_rhs_of"))
        return replace(projected, drawn=drawn)

    def _with_residuals(self, problem: Problem) -> Problem:
        address = self._context.address
        for slot in (ProjectionSlot.RESIDUALS, ProjectionSlot.INDICATORS):
            self._table[slot] = self._compiled.address_of(slot.name.lower())
        residuals, indicators = (ResidualFunction(self._address(name)) for name in ("drawn_residuals", "drawn_indicators"))

        def residual(t: float, x: np.ndarray, xdot: np.ndarray, r: np.ndarray) -> int:
            return int(residuals(t, x.ctypes.data, xdot.ctypes.data, r.ctypes.data, address))

        def root(t: float, x: np.ndarray, xdot: np.ndarray, z: np.ndarray) -> int:
            return int(indicators(t, x.ctypes.data, xdot.ctypes.data, z.ctypes.data, address))

        known = problem.residual_address != 0
        return replace(
            problem,
            residual=residual,
            dae_root=root,
            residual_address=self._address("drawn_res") if known else 0,
            dae_root_address=self._address("drawn_dae_root") if known else 0,
        )
