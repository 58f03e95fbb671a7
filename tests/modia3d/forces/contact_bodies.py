"""A few free bodies over a plane, with the kernels of contact and a small integration of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numba import njit
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from modia3d.collision.tables import (
    DEPTH,
    DISTANCE,
    FOUND_COLUMNS,
    MEAN_DEPTH,
    MOST_POINTS,
    NORMAL,
    POINT_1,
    POINT_2,
    POINT_COLUMNS,
    POSITION,
    PUSH,
    WEIGHT,
)
from modia3d.forces.contact import kernels, phases
from modia3d.forces.contact.layout import (
    ACTIVE,
    BODY_1,
    BODY_2,
    CONTACT_COLUMNS,
    CONTACT_FORCE_COLUMNS,
    FORCE_ENERGY,
    FORCE_FRICTION,
    FORCE_LOSS,
    FORCE_STORED,
    LAW,
    MAX_DAMPING,
    MU_K,
    MU_S,
    RADIUS,
    RESTITUTION,
    ROLLING,
    STIFFNESS,
    TANGENTIAL,
    V_SMALL,
    W_SMALL,
)


def approach_rate(row, found, p, v_W, w_W) -> float:
    """Rate of penetration [m/s] of a pair, in the middle between its nearest points."""
    point = 0.5 * (found[POINT_1 : POINT_1 + 3] + found[POINT_2 : POINT_2 + 3])

    def velocity(body: int):
        return v_W[body] + np.cross(w_W[body], point - p[body]) if body >= 0 else np.zeros(3)

    return float(found[NORMAL : NORMAL + 3] @ (velocity(int(row[BODY_1])) - velocity(int(row[BODY_2]))))


@njit(cache=True)
def add_contact(table, k, found, points, n, R, p, v_W, w_W, wrenches, forces):
    kernels.add_contact(table, k, found, points, n, R, p, v_W, w_W, wrenches, forces)


Array = np.ndarray


def write_push(found: Array, points: Array) -> None:
    """Mean depth and push of points with constant weights, whose energies ``2/5 K d**2.5`` are added."""
    position, depth, weight = points[:, POSITION : POSITION + 3], np.maximum(points[:, DEPTH], 0.0), points[:, WEIGHT]
    middle = 0.5 * (found[POINT_1 : POINT_1 + 3] + found[POINT_2 : POINT_2 + 3])
    mean = (weight @ depth**2.5) ** 0.4
    force = weight * depth**1.5 / mean**1.5 if mean > 0.0 else weight
    normal = found[NORMAL : NORMAL + 3]
    found[MEAN_DEPTH], found[PUSH : PUSH + 3] = mean, force.sum() * normal
    found[PUSH + 3 : PUSH + 6] = force @ np.cross(position - middle, normal)


def row_of(
    one: int = -1,
    two: int = 0,
    stiffness: float = 1e9,
    e: float = 0.5,
    mu: float = 0.5,
    mu_s: float = 0.0,
    rolling: float = 0.0,
    radius: float = 0.1,
    law: float = 0.0,
    small: float = 0.01,
) -> Array:
    """A row of the table of pairs that do not touch."""
    row = np.zeros(CONTACT_COLUMNS)
    row[[BODY_1, BODY_2, STIFFNESS, RESTITUTION, MU_K, MU_S]] = one, two, stiffness, e, mu, max(mu, mu_s)
    row[[ROLLING, RADIUS, LAW, V_SMALL, W_SMALL, MAX_DAMPING]] = rolling * radius, radius, law, small, small, 2000.0
    row[TANGENTIAL] = 0.8
    return row


def ball_on_plane(radius: float = 0.1, offset: Sequence[float] = (0.0, 0.0, 0.0)) -> Callable:
    """Contact of a ball that is a body with the plane z = 0 of the world; ``offset``: its center in its body."""

    def find(R: Array, p: Array) -> tuple[float, Array, Array, Array]:
        center = p + R @ np.array(offset)
        distance = center[2] - radius
        low = np.array([center[0], center[1], 0.0])
        point = np.array([[*(low + [0, 0, 0.5 * distance]), -distance, 1.0]])
        return distance, low, low + [0.0, 0.0, distance], point

    return find


def box_on_plane(half: Sequence[float]) -> Callable:
    """The same of a box: the corners of its lower face that penetrate, all with the weight 1/4."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half

    def find(R: Array, p: Array) -> tuple[float, Array, Array, Array]:
        at = p + corners @ R.T
        at = at[np.argsort(at[:, 2], kind="stable")][:4]
        low = at[0] * [1.0, 1.0, 0.0]
        points = np.array([[x, y, 0.5 * z, max(-z, 0.0), 0.25] for x, y, z in at])
        return at[0, 2], low, at[0], points

    return find


@dataclass
class Bodies:
    """Free bodies, each over the plane z = 0.

    Attributes:
        rows: of the table, one per body.
        find: distance, nearest points and points of contact of a body from its pose.
        mass, inertia: of each body, about its center of mass [kg], (3,) [kg.m2].
        gravity: in world [m/s2].
        push: force on the center of mass of body i at a time.
        turned: the whole world is turned by this (plane, gravity, push).
    """

    rows: Array
    find: Callable
    mass: float = 1.0
    inertia: Sequence[float] = (4e-3, 4e-3, 4e-3)
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    push: Callable[[float], Sequence[float]] = lambda _: (0.0, 0.0, 0.0)
    turned: Array = field(default_factory=lambda: np.eye(3))

    def __post_init__(self) -> None:
        self.table = np.ascontiguousarray(np.atleast_2d(self.rows), dtype=float)
        self.forces = np.zeros((1, CONTACT_FORCE_COLUMNS))
        self.found = np.zeros((1, FOUND_COLUMNS))
        self.points = np.zeros((MOST_POINTS, POINT_COLUMNS))
        self.wrenches = np.zeros((1, 6))
        self.events: list[tuple[float, str]] = []
        self.jumps: list[float] = []
        self.dropped = 0.0

    def detect(self, y: Array) -> tuple[float, int]:
        """Signed distance and number of points; the tables are written."""
        T = self.turned
        R, p = self.pose(y)
        distance, one, two, points = self.find(T.T @ R, T.T @ p)
        self.found[0, DISTANCE] = distance
        self.found[0, NORMAL : NORMAL + 3] = T @ [0.0, 0.0, 1.0]
        self.found[0, POINT_1 : POINT_1 + 3], self.found[0, POINT_2 : POINT_2 + 3] = T @ one, T @ two
        n = len(points)
        self.points[:n, POSITION : POSITION + 3] = points[:, :3] @ T.T
        self.points[:n, DEPTH], self.points[:n, WEIGHT] = points[:, 3], points[:, 4]
        write_push(self.found[0], self.points[:n])
        return distance, n

    def pose(self, y: Array) -> tuple[Array, Array]:
        return Rotation.from_quat(y[3:7]).as_matrix(), y[:3]

    def evaluate(self, t: float, y: Array) -> float:
        """Forces at one instant; the result is the signed distance."""
        distance, n = self.detect(y)
        self.wrenches[:] = 0.0
        self.forces[:] = 0.0
        if self.table[0, ACTIVE]:
            R, p = self.pose(y)
            R_B, p_B = R.reshape(1, 9).copy(), p.reshape(1, 3).copy()
            v, w = y[7:10].reshape(1, 3).copy(), y[10:13].reshape(1, 3).copy()
            add_contact(self.table, 0, self.found, self.points, n, R_B, p_B, v, w, self.wrenches, self.forces)
        return distance

    def rates(self, t: float, y: Array) -> Array:
        self.evaluate(t, y)
        R, _ = self.pose(y)
        w_B = R.T @ y[10:13]
        J = np.array(self.inertia)
        T, F = self.wrenches[0, :3], self.wrenches[0, 3:]
        alpha = R @ ((T - np.cross(w_B, J * w_B)) / J)
        a = R @ F / self.mass + self.turned @ (np.array(self.gravity) + np.array(self.push(t)) / self.mass)
        q, w = y[3:7], y[10:13]
        dq = 0.5 * np.array([
            w[0] * q[3] + w[1] * q[2] - w[2] * q[1],
            w[1] * q[3] + w[2] * q[0] - w[0] * q[2],
            w[2] * q[3] + w[0] * q[1] - w[1] * q[0],
            -w[0] * q[0] - w[1] * q[1] - w[2] * q[2],
        ])  # fmt: skip
        return np.concatenate([y[7:10], dq, a, alpha, [self.forces[0, FORCE_LOSS]]])

    def derivative(self, t: float, y: Array) -> Array:
        """Of `rates` by the state; differences of a fixed size, as depths are far smaller than positions."""
        steps = np.where(np.arange(14) < 7, 1e-9, 1e-7)
        return np.array([(self.rates(t, y + h * e) - self.rates(t, y)) / h for h, e in zip(steps, np.eye(14), strict=True)]).T

    def energy(self, t: float, y: Array) -> float:
        """Kinetic, gravitational and elastic."""
        self.evaluate(t, y)
        R, p = self.pose(y)
        w_B = R.T @ y[10:13]
        kinetic = 0.5 * self.mass * y[7:10] @ y[7:10] + 0.5 * w_B @ (np.array(self.inertia) * w_B)
        return float(kinetic - self.mass * (self.turned @ np.array(self.gravity)) @ p + self.forces[0, FORCE_ENERGY])

    def touch(self, t: float, y: Array) -> None:
        """The contact begins or ends."""
        row = self.table[0]
        if row[ACTIVE]:
            phases.end(row)
        else:
            phases.begin(row, approach_rate(row, self.found[0], y[None, :3], y[None, 7:10], y[None, 10:13]))
        self.events.append((t, "begin" if row[ACTIVE] else "end"))

    def settle(self, t: float, y: Array, first: bool) -> None:
        """Phases of friction follow each other until the indicator is not negative (``first``: it is zero at an event)."""
        R, p = self.pose(y)
        for _ in range(phases.MOST_CHANGES):
            self.evaluate(t, y)
            if not self.table[0, ACTIVE] or (self.forces[0, FORCE_FRICTION] >= 0.0 and not first):
                return
            first = False
            before, energy = self.wrenches.copy(), self.forces[0, FORCE_STORED]
            normal = self.found[0, NORMAL : NORMAL + 3]
            phase = phases.advance(self.table[0], self.forces[0], normal, phases.WORLD, (R.reshape(9), p))
            self.events.append((t, phase.name))
            self.evaluate(t, y)
            self.jumps.append(float(np.abs(self.wrenches - before).max() / max(np.abs(before).max(), 1e-9)))
            self.dropped += energy - self.forces[0, FORCE_STORED]
        raise AssertionError(f"friction does not settle: {self.events[-6:]}")

    def simulate(self, y: Sequence[float], end: float, tolerance: float = 1e-10) -> tuple[Array, Array]:
        """Times and states (m, 14): p, quaternion, v, w (in world), heat. Events are located."""
        t, y = 0.0, np.array([*y, 0.0])
        times, states = [t], [y]
        if self.detect(y)[0] <= 0.0:
            self.touch(t, y)
        self.settle(t, y, False)

        def contact(t: float, y: Array) -> float:
            return self.detect(y)[0]

        def friction(t: float, y: Array) -> float:
            self.evaluate(t, y)
            return float(self.forces[0, FORCE_FRICTION]) if self.table[0, ACTIVE] else 1.0

        contact.terminal = friction.terminal = True
        friction.direction = -1.0
        while t < end:
            contact.direction = 1.0 if self.table[0, ACTIVE] else -1.0
            done = solve_ivp(
                self.rates, (t, end), y, "BDF", rtol=tolerance, atol=tolerance * 1e-3, events=(contact, friction),
                max_step=0.01, jac=self.derivative,
            )  # fmt: skip
            assert done.success, done.message
            times += list(done.t[1:])
            states += list(done.y.T[1:])
            t, y = done.t[-1], done.y[:, -1].copy()
            if done.status == 1:
                if len(done.t_events[0]):
                    self.detect(y)
                    self.touch(t, y)
                self.settle(t, y, bool(len(done.t_events[1])))
            assert len(self.events) < 400, self.events[-10:]
        return np.array(times), np.array(states)


AT_REST = (0.0, 0.0, 0.0, 1.0)


def start(p: Sequence[float], v: Sequence[float] = (0, 0, 0), w: Sequence[float] = (0, 0, 0), q: Sequence[float] = AT_REST):
    """A state."""
    return [*p, *q, *v, *w]
