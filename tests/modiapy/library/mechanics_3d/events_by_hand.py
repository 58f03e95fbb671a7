"""Bodies that collide, integrated from event to event with scipy: equations that are written by hand, without friction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

Vector = np.ndarray


@dataclass(frozen=True)
class System:
    """Bodies with coordinates q and their derivatives v.

    Attributes:
        mass: the mass matrix at q.
        forces: at q, v, with what belongs to curvilinear coordinates; ``mass(q) @ v' = forces(q, v)``.
        gaps: distances at q that stay positive.
        slopes: their gradients.
        elasticity: ratio of the speeds after and before.
    """

    mass: Callable[[Vector], Vector]
    forces: Callable[[Vector, Vector], Vector]
    gaps: Sequence[Callable[[Vector], float]]
    slopes: Sequence[Callable[[Vector], Vector]]
    elasticity: float = 1.0

    def rates(self, t: float, y: Vector) -> Vector:
        q, v = np.split(y, 2)
        return np.concatenate([v, np.linalg.solve(self.mass(q), self.forces(q, v))])

    def after(self, q: Vector, v: Vector, contact: int) -> Vector:
        """Return the speeds after a collision: ``G v+ = -elasticity G v``, and the impulse acts along G."""
        slope = self.slopes[contact](q)
        inverse = np.linalg.solve(self.mass(q), slope)
        return v - (1.0 + self.elasticity) * (slope @ v) / (slope @ inverse) * inverse


def motion(system: System, q: Sequence[float], v: Sequence[float], times: Vector) -> tuple[Vector, Vector, list[float]]:
    """Return q and v at these times, shape (nt, n), and the times of the collisions."""
    y, t, found, hits = np.array([*q, *v], dtype=float), times[0], list[Vector](), list[float]()

    def event(k: int) -> Callable[[float, Vector], float]:
        def gap(t: float, y: Vector) -> float:
            return system.gaps[k](y[: len(q)])

        gap.terminal, gap.direction = True, -1.0
        return gap

    events = [event(k) for k in range(len(system.gaps))]
    while True:
        run = solve_ivp(
            system.rates, (t, times[-1]), y, "DOP853", events=events, dense_output=True, rtol=1e-12, atol=1e-13, max_step=0.05
        )
        here = times[len(found) :]
        here = here[here < run.t[-1]] if run.status == 1 else here
        found += list(run.sol(here).T) if here.size else []
        if run.status == 0:
            q_found, v_found = np.split(np.array(found), 2, axis=1)
            return q_found, v_found, hits
        t, y = run.t[-1], run.y[:, -1]
        for k, when in enumerate(run.t_events):
            if when.size:
                hits.append(t)
                y = np.concatenate([y[: len(q)], system.after(*np.split(y, 2), k)])
