"""Reference trajectories of `loop_mechanisms`: dense, in plain numpy, at a tolerance of 1e-11.

Coordinates of the tree; every body moves by the product of its joints' motions (as these are described in the world at the
start). Jacobians of the joints' axes, their rates by the complex step; accelerations are the nearest to the free ones in the
metric of the mass matrix that the cut joints allow, at the nearest closed position, by singular values; DOP853.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from .loop_figures import POSITIONS
from .loop_mechanisms import CASES, SQUEEZER_END, Array, Joint, Mechanism, axes_about, four_bars_angle, squeezer_points

STEP = 1e-30
RANK = 1e-7
"""Singular values below this part of the largest one are none."""


def hat(a: Any) -> Any:
    """Return the matrix of a cross product."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class ClosedTree:
    """A mechanism in the coordinates of its tree, which are zero at the start."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.index = {body.name: k for k, body in enumerate(mechanism.bodies)}
        self.parents = [self.index.get(joint.one, -1) for joint in mechanism.tree]
        self.n = len(self.parents)
        self.masses = np.array([body.mass for body in mechanism.bodies])
        self.axes = np.array([joint.axis / np.linalg.norm(joint.axis) for joint in mechanism.tree])
        self.turns = [joint.kind == "revolute" for joint in mechanism.tree]

    def motions(self, q: Any) -> tuple[Any, Any]:
        """Of all bodies: R (n, 3, 3) and t (n, 3), which take points at the start to where they are; q may be complex."""
        R, t = np.zeros((self.n + 1, 3, 3), q.dtype), np.zeros((self.n + 1, 3), q.dtype)
        R[-1] = np.eye(3)
        for k, (parent, joint) in enumerate(zip(self.parents, self.mechanism.tree, strict=True)):
            if self.turns[k]:
                K = hat(self.axes[k])
                own = np.eye(3) + np.sin(q[k]) * K + (1.0 - np.cos(q[k])) * K @ K
                R[k], t[k] = R[parent] @ own, t[parent] + R[parent] @ (joint.point - own @ joint.point)
            else:
                R[k], t[k] = R[parent], t[parent] + q[k] * R[parent] @ self.axes[k]
        return R, t

    def way(self, k: int) -> list[int]:
        """Return a body and all before it."""
        found = []
        while k >= 0:
            found.append(k)
            k = self.parents[k]
        return found

    def jacobian(self, R: Any, t: Any, k: int, point: Array) -> tuple[Any, Any]:
        """Of a point of a body (given at the start): velocity (3, n), angular velocity (3, n)."""
        J_v, J_w = np.zeros((3, self.n), R.dtype), np.zeros((3, self.n), R.dtype)
        here = t[k] + R[k] @ point
        for j in self.way(k):
            parent = self.parents[j]
            axis = R[parent] @ self.axes[j]
            if self.turns[j]:
                J_w[:, j] = axis
                J_v[:, j] = np.cross(axis, here - t[parent] - R[parent] @ self.mechanism.tree[j].point)
            else:
                J_v[:, j] = axis
        return J_v, J_w

    def gaps(self, R: Any, t: Any) -> tuple[Any, Any]:
        """Return the residuals (m,) and rows (m, n) of the cut joints."""
        residual, rows = [], []
        for joint in self.mechanism.cuts:
            one, two = (self.index.get(name, -1) for name in (joint.one, joint.two))
            (V_1, W_1), (V_2, W_2) = (self.jacobian(R, t, k, joint.point) for k in (one, two))
            residual += list(t[two] + R[two] @ joint.point - t[one] - R[one] @ joint.point)
            rows += list(V_2 - V_1)
            for a, b in _angles(joint):
                z = np.cross(R[one] @ a, R[two] @ b)
                residual.append((R[one] @ a) @ (R[two] @ b))
                rows.append(z @ (W_1 - W_2))
        return np.array(residual), np.array(rows)

    def equations(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return M, the forces less ``h``, residuals, G and ``dG/dt v``."""
        mechanism = self.mechanism
        R, t = self.motions(q)
        R_c, t_c = self.motions(q + 1j * STEP * v)
        M, f = np.zeros((self.n, self.n)), np.zeros(self.n)
        for k, body in enumerate(mechanism.bodies):
            J_v, J_w = self.jacobian(R, t, k, body.centre)
            C_v, C_w = (J.imag @ v / STEP for J in self.jacobian(R_c, t_c, k, body.centre))
            I, w = R[k] @ body.inertia @ R[k].T, J_w @ v
            M += body.mass * J_v.T @ J_v + J_w.T @ I @ J_w
            f += body.mass * J_v.T @ (mechanism.gravity - C_v) - J_w.T @ (I @ C_w + np.cross(w, I @ w))
        for spring in mechanism.springs:
            k = self.index[spring.body]
            line = spring.fixed - t[k] - R[k] @ spring.point
            length = np.linalg.norm(line)
            f += spring.stiffness * (1.0 - spring.length / length) * self.jacobian(R, t, k, spring.point)[0].T @ line
        for name, torque in mechanism.torques:
            f += self.jacobian(R, t, self.index[name], np.zeros(3))[1].T @ torque
        residual, G = self.gaps(R, t)
        return M, f, residual, G, self.gaps(R_c, t_c)[1].imag @ v / STEP

    def _least(self, L: Array, G: Array, values: Array) -> Array:
        """Return the change of least kinetic energy that changes ``G v`` by these values."""
        U, s, Vt = np.linalg.svd(np.linalg.solve(L, G.T).T, full_matrices=False)
        r = int(np.sum(s > RANK * s[0]))
        return np.asarray(np.linalg.solve(L.T, Vt[:r].T @ (U[:, :r].T @ values / s[:r])))

    def closed(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return the nearest closed coordinates and speeds, and the accelerations there."""
        for _ in range(6):
            M, f, residual, G, gamma = self.equations(q, v)
            L = np.linalg.cholesky(M)
            step = self._least(L, G, -residual)
            if np.abs(step).max() < 1e-13:
                break
            q = q + step
        v = v - self._least(L, G, G @ v)
        M, f, _, G, gamma = self.equations(q, v)
        free = np.linalg.solve(M, f)
        return q, v, free + self._least(L, G, -gamma - G @ free)

    @cached_property
    def start(self) -> tuple[Array, Array]:
        """Motions of all bodies at the start, see `motions`: none yet."""
        R, t = self.motions(np.zeros(self.n))
        return R, t

    @cached_property
    def speeds(self) -> Array:
        """Speeds of the tree's joints at the start: the only motion there is, scaled so that the first one has its own."""
        if self.mechanism.speed == 0.0:
            return np.zeros(self.n)
        motion = np.linalg.svd(self.gaps(*self.start)[1])[2][-1]
        return np.asarray(motion * self.mechanism.speed / motion[0])

    def joint_speed(self, joint: Joint) -> float:
        """Return the speed of any joint at the start."""
        one, two = (self.jacobian(*self.start, self.index.get(name, -1), joint.point) for name in (joint.one, joint.two))
        part = 1 if joint.kind == "revolute" else 0
        return float(joint.axis / np.linalg.norm(joint.axis) @ (two[part] - one[part]) @ self.speeds)

    def positions(self, q: Array) -> Array:
        """Where the probes are, shape (number, 3)."""
        R, t = self.motions(q)
        return np.array([t[self.index[name]] + R[self.index[name]] @ point for name, point in self.mechanism.probes])


def _angles(joint: Joint) -> list[tuple[Array, Array]]:
    """Return the pairs of directions of both bodies that a joint keeps perpendicular."""
    x, y, z = axes_about(joint.axis).T
    return [(x, z), (y, z)] + ([(x, y)] if joint.kind == "fixed" else [])


def integrated(mechanism: Mechanism, times: Array, tolerance: float = 1e-11) -> Array:
    """Return the positions of the probes at these times, shape (times, probes, 3)."""
    from scipy.integrate import solve_ivp

    tree = ClosedTree(mechanism)
    n = tree.n

    def rates(_: float, y: Array) -> Array:
        _, v, a = tree.closed(y[:n], y[n:])
        return np.concatenate([v, a])

    start = np.concatenate([np.zeros(n), tree.speeds])
    found = solve_ivp(rates, (0.0, times[-1]), start, "DOP853", t_eval=times, rtol=tolerance, atol=tolerance)
    return np.array([tree.positions(tree.closed(y[:n], y[n:])[0]) for y in found.y.T])


def reference(mechanism: Mechanism, times: Array) -> Array:
    """Return the same, by formulas or from figures where there are some (of the squeezer the published ones, for its end
    only).
    """
    if mechanism.case.endswith("four-bars"):
        n = len(mechanism.cuts)
        phi = four_bars_angle(n, times)
        tips = np.stack([np.cos(phi), np.sin(phi), 0.0 * phi], axis=1)
        return np.stack([tips, tips + (n, 0.0, 0.0)], axis=1)
    if mechanism.case == "squeezer":
        points = squeezer_points(SQUEEZER_END)
        return np.array([[points[name] for name in "FDGH"]])
    figures = POSITIONS.get(mechanism.case)
    if figures is not None and len(times) == len(figures) and times[-1] == CASES[mechanism.case]().stop_time:
        return figures
    return integrated(mechanism, times)


def main() -> None:
    """Print the figures of `loop_figures`."""
    for case in POSITIONS:
        mechanism = CASES[case]()
        found = integrated(mechanism, grid(mechanism, len(POSITIONS[case])))
        print(f"{case}, {np.abs(found - POSITIONS[case]).max():.1e} from what is there:")
        print(np.array2string(found, separator=", ", formatter={"float_kind": lambda x: f"{x:.11g}"}))


def grid(mechanism: Mechanism, points: int) -> Array:
    """Return the times at equal distances, the last one at the end [s]."""
    return mechanism.stop_time * np.arange(1, points + 1) / points


if __name__ == "__main__":
    main()
