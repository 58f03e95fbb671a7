"""One body that bounces on what does not move, integrated independently by the force law that Modia3D documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

GRAVITY, SLOW, MOST_DAMPING = 9.81, 0.01, 2000.0


def unit(v):
    return v / np.linalg.norm(v)


def sign(e):
    """Of each coordinate; where that is zero, 1."""
    return np.where(np.asarray(e) < 0.0, -1.0, 1.0)


PAST = 1e-13
"""By how much a body is beyond the beginning or the end of a contact [m]."""


def hertz(modulus, poisson, radius):
    """Stiffness of two solids of one material [N/m^1.5]."""
    return modulus / (1 - poisson**2) / 2 * 4 / 3 * np.sqrt(radius)


def regularized(speed):
    x = speed / SLOW
    return speed if x >= 1.0 else SLOW * (x * x * (1.0 - x / 3.0) + 1.0 / 3.0)


def plate_support(lengths, rounding):
    """Of a box along unit vectors."""
    return lambda n: sign(n) * (np.array(lengths) / 2 - rounding) + rounding * n


def largest_coordinate(r0, difference):
    """Of the first points of a portal, by which Modia3D divides where a shape is not round: from the middle r0 of the
    difference of two shapes, whose support points ``difference`` has."""
    r1 = difference(unit(-r0))
    r2 = difference(unit(np.cross(-r0, r1)))
    n3 = np.cross(r1 - r0, r2 - r0)
    r3 = difference(unit(-n3 if n3 @ r0 >= 0.0 else n3))
    return np.abs([r0, r1, r2, r3]).max()


@dataclass(frozen=True)
class BouncingBody:
    """A body.

    Attributes:
        mass: [kg]. inertia: about its centre of mass, in its axes, shape (3,) [kg m^2]. up: against gravity.
        stiffness: see `hertz`. restitution, friction, rolling: of its contacts; the last one with its radius [m].
        nearest: from where its centre of mass is and R_WB to its point that is nearest to what does not move, the distance
            [m], and the normal out of that.
        divisor: from the same to what penetrations are divided by.
    """

    mass: float
    inertia: np.ndarray
    up: np.ndarray
    stiffness: float
    restitution: float
    friction: float
    rolling: float
    nearest: Callable
    divisor: Callable = lambda r, R: 1.0

    def rates(self, t, y, damping):
        """Newton's and Euler's equations with the force of ContactForceLaw.md; no contact where ``damping`` is None."""
        (r, R), v, w = _pose(y), y[3:6], y[10:13]
        force, torque = -self.mass * GRAVITY * self.up, np.zeros(3)
        if damping is not None:
            p, distance, n = self.nearest(r, R)
            if distance < 0.0:
                depth = -distance / self.divisor(r, R)
                arm = p + depth / 2 * n - r
                slip = v + np.cross(w, arm)
                expansion = slip @ n
                slip = slip - expansion * n
                normal = self.stiffness * depth**1.5 * (1.0 - damping * expansion)
                contact = normal * (n - self.friction * slip / regularized(np.linalg.norm(slip)))
                force = force + contact
                torque = np.cross(arm, contact) - self.rolling * normal * w / regularized(np.linalg.norm(w))
        own = R.T @ w
        turning = R @ ((R.T @ torque - np.cross(own, self.inertia * own)) / self.inertia)
        q = y[6:10]
        quaternion = np.append(q[3] * w + np.cross(w, q[:3]), -w @ q[:3]) / 2
        return np.concatenate([v, force / self.mass, quaternion, turning])

    def simulated(self, stop_time, place, velocity=(0, 0, 0), R=None, angular_velocity=(0, 0, 0)):
        """Position, velocity of the centre of mass and angular velocity at the end, in world."""

        def distance(t, y, damping):
            return self.nearest(*_pose(y))[1]

        distance.terminal = True
        t, damping = 0.0, None
        orientation = Rotation.from_matrix(np.eye(3) if R is None else R).as_quat()
        y = np.concatenate([place, velocity, orientation, angular_velocity]).astype(float)
        while t < stop_time:
            distance.direction = -1.0 if damping is None else 1.0
            step = 5e-3 if damping is None else 1e-4
            run = solve_ivp(
                self.rates, (t, stop_time), y, "DOP853", events=distance, args=(damping,), rtol=1e-9, atol=1e-10, max_step=step
            )
            t, y = run.t[-1], run.y[:, -1]
            y[6:10] = unit(y[6:10])
            if run.status == 1:
                damping = self._damping(y) if damping is None else None
                _, apart, n = self.nearest(*_pose(y))  # on the side where it goes: else its next crossing might not be one
                y[:3] += ((PAST if damping is None else -PAST) - apart) * n
        return np.concatenate([y[:6], y[10:]])

    def _damping(self, y):
        p, _, n = self.nearest(*_pose(y))
        approach = abs((y[3:6] + np.cross(y[10:13], p - y[:3])) @ n)
        e = self.restitution if approach > SLOW else 0.0
        return min(MOST_DAMPING, 8 * (1 - e) / (5 * e * approach)) if e else MOST_DAMPING


def _pose(y):
    return y[:3], Rotation.from_quat(y[6:10]).as_matrix()
