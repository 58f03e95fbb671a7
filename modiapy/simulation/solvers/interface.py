"""Interface of an integrator of ``der(x) = f(t, x)`` with event indicators ``z = g(t, x)``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from ...model.errors import ModiaError
from ...symbolic.kernels.incidence import Incidence
from .watching.condition_monitor import ConditionMonitor

Evaluate = Callable[[float, np.ndarray, np.ndarray], int]
"""``status = evaluate(t, x, out)``: writes der(x) or z to ``out``; a status other than 0 means that it failed."""

EvaluateDae = Callable[[float, np.ndarray, np.ndarray, np.ndarray], int]
"""``status = evaluate(t, x, xdot, out)``: writes residuals or z to ``out``; a status other than 0 means that it failed."""


def no_bands() -> np.ndarray:
    """Return the bands of a problem in which no indicator rests."""
    return np.zeros(0)


class Project(Protocol):
    """Projection of states in place, see `Problem`; it returns the status."""

    def __call__(self, t: float, x: np.ndarray, error: np.ndarray | None = None) -> int: ...


@dataclass(eq=False)
class Problem:
    """The model as an integrator sees it: machine code by address, and the same as Python callables.

    Not to be changed once it is made. It is not frozen because it is made at events.

    Attributes:
        n: number of states.
        n_z: number of event indicators.
        rhs_address: of ``int32 rhs(double t, N_Vector y, N_Vector ydot, void* user)``.
        root_address: of ``int32 root(double t, N_Vector y, double* g, void* user)``.
        user_address: the ``user`` argument of both.
        rhs, root: the same for integrators that call Python.
        residual_address: of ``int32 res(double t, N_Vector y, N_Vector yp, N_Vector r, void* user)``; 0 where it is not wanted.
        dae_root_address: of ``int32 root(double t, N_Vector y, N_Vector yp, double* g, void* user)``.
        residual: ``status = residual(t, x, xdot, r)``, the same for integrators that call Python.
        dae_root: ``status = dae_root(t, x, xdot, z)``.
        nominal: magnitudes of the states, shape (n,); None where all are 1.
        incidence: of df/dx; None where it is not known.
        may_have_blocks: whether the machine code for block matrices is there, see `block_matrix`.
        own_differences: whether the Jacobian is by differences of our own however small the model is: derivatives come out of
            systems of equations, whose rounding errors the small increments of others amplify.
        project: ``status = project(t, x, error)`` brings the states onto their constraints in place, and takes out of an
            error, if it is given, what leaves them; None where there are no constraints. Indicators are then those of the
            projected states.
        projection_address: of the same as ``int32 projection(double t, N_Vector y, N_Vector corr, double eps, N_Vector err,
            void* user)`` for CVODE; 0 where it is not wanted.
        drawn: where states are projected, the problem of an integrator that cannot do it: derivatives at the projected states,
            which draw the integrator's there. pull: how fast [1/s], shape (1,), changed by the loop over the steps; None where
            they are not drawn.
        limits: what components say of the next step [s], shape (components,), see `modiapy.acausal.protocol.CONTEXT`.
        kinks: times [s], increasing: a step ends at each of them on its way.
        decided: signs of the first indicators by which relations were decided, shape (number of relations,); given where
            states are projected, as these are not to the last bit those with which relations were decided.
        bands: noise within which indicators of relations rest at zero, with the sign by which each was decided; zero for those
            that do not rest, see `modiapy.simulation.evaluation.relations.Relations.note_rest`.
    """

    n: int
    n_z: int
    rhs_address: int
    root_address: int
    user_address: int
    rhs: Evaluate
    root: Evaluate
    residual_address: int = 0
    dae_root_address: int = 0
    residual: EvaluateDae | None = None
    dae_root: EvaluateDae | None = None
    nominal: np.ndarray | None = None
    incidence: Incidence | None = None
    may_have_blocks: bool = False
    own_differences: bool = False
    project: Project | None = None
    projection_address: int = 0
    drawn: Problem | None = None
    pull: np.ndarray | None = None
    limits: np.ndarray = field(default_factory=lambda: np.zeros(0))
    kinks: np.ndarray = field(default_factory=lambda: np.zeros(0))
    decided: Callable[[], np.ndarray] | None = None
    bands: Callable[[], np.ndarray] = no_bands

    def without_projection(self) -> Problem:
        """Return the problem for an integrator that cannot project states itself."""
        return self.drawn or self

    def absolute(self, atol: float) -> float | np.ndarray:
        """Return the absolute tolerance of each state, from ``atol`` for a magnitude of 1."""
        return atol if self.nominal is None or not self.n else atol * self.nominal


@dataclass
class Advance:
    """Outcome of a call of an integrator: how far it came.

    Attributes:
        time: where it is now [s].
        count: number of grid points reached (and stored).
        roots: indices of the event indicators that crossed zero at ``time``; empty if the last grid point was reached.
        rising: for each of them, whether it crossed upwards.
        watched: whether ``monitor`` began to hold at ``time``.
    """

    time: float
    count: int
    roots: tuple[int, ...] = ()
    rising: tuple[bool, ...] = ()
    watched: bool = False

    @property
    def stopped(self) -> bool:
        """True if there is an event at ``time``."""
        return bool(self.roots or self.watched)


@dataclass
class SolverStatistics:
    """Work of an integrator.

    ``rhs_evaluations`` includes those for finite-difference Jacobians; ``steps`` is 0 if the integrator does not count them.
    The model counts ``factorisations`` (of the matrices of linear systems of the equations), ``projections``, and
    ``impulses``, the most that it computed together at an event.
    """

    steps: int = 0
    rhs_evaluations: int = 0
    jacobian_evaluations: int = 0
    order: int = 0
    factorisations: int = 0
    projections: int = 0
    impulses: int = 0

    def minus(self, other: SolverStatistics) -> SolverStatistics:
        """Return the work without steps and evaluations of another one."""
        steps, evaluations = self.steps - other.steps, self.rhs_evaluations - other.rhs_evaluations
        return replace(
            self,
            steps=steps,
            rhs_evaluations=evaluations,
            jacobian_evaluations=self.jacobian_evaluations - other.jacobian_evaluations,
        )

    def plus(self, other: SolverStatistics) -> SolverStatistics:
        """Return the sum of the work of both; the order and the number of impulses are the higher ones."""
        return SolverStatistics(
            self.steps + other.steps,
            self.rhs_evaluations + other.rhs_evaluations,
            self.jacobian_evaluations + other.jacobian_evaluations,
            max(self.order, other.order),
            self.factorisations + other.factorisations,
            self.projections + other.projections,
            max(self.impulses, other.impulses),
        )


class ModelFailure(Exception):
    """The model could not be evaluated at ``time`` [s] and states ``x``; raised through the library that called it."""

    def __init__(self, time: float, x: np.ndarray) -> None:
        super().__init__(f"the model could not be evaluated at {time}")
        self.time, self.x = float(time), np.array(x)


class IntegrationFailure(Exception):
    """Error raised when an integrator can make no further step.

    Attributes:
        time: where it is [s].
        state: index of the state with the largest local error; None if that is not known.
        error: that error, relative to what the tolerance allows.
        at: where the model could not be evaluated, if that is known; the integrator may be far from there.
        reason: why, in words of what failed; None where nobody says it.
    """

    def __init__(
        self,
        message: str,
        time: float,
        state: int | None = None,
        error: float = 0.0,
        at: ModelFailure | None = None,
        reason: ModiaError | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.time, self.state, self.error, self.at, self.reason = message, time, state, error, at, reason


class Follower(Protocol):
    """Observer of each accepted step, before the next one begins."""

    @property
    def longest_step(self) -> float:
        """Largest permitted step size [s]."""

    def keep_from(self, time: float) -> None:
        """Keep the data to evaluate the model at ``time`` [s] and later, even if a step goes on beyond it."""

    def follow(self, begin: float, end: float, states: Callable[[float], np.ndarray]) -> None:
        """Follow a step from ``begin`` to ``end`` [s], or to the event in it; ``states`` is the dense output, to be copied."""


class Solver(Protocol):
    """An integrator with n states at one point in time.

    Attributes:
        x: the states at the present time, shape (n,).
        largest: magnitude of each state at the ends of steps since it was created, or given another segment, shape (n,).
        count: grid points stored by the last `advance`, also if it was interrupted, whenever that was.
        follower: see `Follower`.
    """

    x: np.ndarray
    largest: np.ndarray
    count: int
    follower: Follower | None

    def advance(
        self,
        grid: np.ndarray,
        stop: float,
        x_out: np.ndarray,
        monitor: ConditionMonitor | None = None,
        end: float | None = None,
    ) -> Advance:
        """Integrate to the points of ``grid`` in turn, or to the first zero crossing of an event indicator.

        Steps, and the times of crossings, depend on where the integrator began and on ``stop``, not on the grid. After a
        crossing it begins again by `restart`.

        Args:
            grid: increasing times [s], shape (m,), all after the present one and none after ``stop``.
            stop: time [s] beyond which the model must not be evaluated; it may be infinite.
            x_out: receives the states at the grid points, shape (m, n).
            monitor: where it begins to hold, the integration stops too. It may raise IntegrationFailure.
            end: time [s] that matters last. Steps may go beyond; if the model cannot be evaluated there, they do not.

        Raises:
            IntegrationFailure: the integrator cannot go on.
        """

    def restart(self, time: float, x: np.ndarray) -> None:
        """Begin again at ``time`` [s] with the states ``x``, after an event that kept the sizes."""

    def statistics(self) -> SolverStatistics:
        """Work done since the integrator was created, restarts included."""

    def close(self) -> None:
        """Free everything. The integrator must not be used afterwards."""
