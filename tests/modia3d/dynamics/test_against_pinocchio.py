"""Inverse dynamics, mass matrix and forward dynamics against Pinocchio, an independent engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio
import pytest

from modia3d.dynamics import Dynamics
from modia3d.dynamics.layout import FREE, P_PJ, R_PJ, REVOLUTE

from .forests import Forest, assert_close, matrix_of_quaternion, random_forest


def depth_first(f: Forest, parent: int = -1) -> list[int]:
    """Bodies in the order that Pinocchio's mass matrix needs: every subtree without a gap."""
    return [j for i in np.flatnonzero(f.ints[:, 0] == parent) for j in [int(i), *depth_first(f, int(i))]]


class Translated:
    """A forest as a Pinocchio model, and the way from our speeds to Pinocchio's.

    Pinocchio's free body has its linear velocity in body coordinates: ``v_P = T v`` with T orthogonal, and, as T turns with the
    body, ``a_P = T a - (0, w x v_B)`` for its linear half.
    """

    def __init__(self, f: Forest) -> None:
        self.model, joints = pinocchio.Model(), [0] * f.n
        for i in depth_first(f):
            parent, kind = f.ints[i, :2]
            mass, moment, inertia = f.inertia(i)
            c = moment / mass
            joint = (
                pinocchio.JointModelFreeFlyer() if kind == FREE
                else pinocchio.JointModelRZ() if kind == REVOLUTE else pinocchio.JointModelPZ()
            )  # fmt: skip
            place = pinocchio.SE3(f.floats[i, R_PJ : R_PJ + 9].reshape(3, 3), f.floats[i, P_PJ : P_PJ + 3])
            joints[i] = self.model.addJoint(joints[parent] if parent >= 0 else 0, joint, place, f"joint{i}")
            about_c = inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))
            self.model.appendBodyToJoint(joints[i], pinocchio.Inertia(mass, c, about_c), pinocchio.SE3.Identity())
        self.model.gravity.linear = f.gravity
        self.data: Any = self.model.createData()
        self.q, self.T, self.correction = np.zeros(self.model.nq), np.zeros((f.nv, f.nv)), np.zeros(f.nv)
        for joint, (kind, j, k) in zip(joints, f.ints[:, 1:4], strict=True):
            jq, jv = self.model.idx_qs[joint], self.model.idx_vs[joint]
            if kind == FREE:
                Q = f.q[j + 3 : j + 7]
                R = matrix_of_quaternion(Q)
                self.q[jq : jq + 7] = [*f.q[j : j + 3], *np.roll(Q / np.linalg.norm(Q), -1)]
                self.T[jv : jv + 3, k : k + 3] = R.T
                self.T[jv + 3 : jv + 6, k + 3 : k + 6] = np.eye(3)
                self.correction[jv : jv + 3] = np.cross(f.v[k + 3 : k + 6], R.T @ f.v[k : k + 3])
            else:
                self.q[jq], self.T[jv, k] = f.q[j], 1.0


@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("free", [0.0, 1.0])
def test_dynamics_agree(n: int, free: float) -> None:
    for seed in range(4):
        f = random_forest(seed, n, free=free, root=0.15)
        d = Dynamics(f.ints, f.floats, f.gravity)
        d.q[:], d.v[:], d.a[:] = f.q, f.v, f.a
        other = Translated(f)
        model, data, q, T = other.model, other.data, other.q, other.T
        v, a = T @ f.v, T @ f.a - other.correction
        d.inverse_dynamics()
        assert_close(d.tau, T.T @ pinocchio.rnea(model, data, q, v, a), 1e-12)
        d.mass_matrix()
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        assert_close(d.M, T.T @ M @ T, 1e-12)
        d.tau[:] = np.random.default_rng(seed).normal(size=f.nv)
        d.forward_dynamics()
        # The condition of the mass matrix limits both engines alike.
        limit = max(1e-10, 1e-15 * np.linalg.cond(M))
        assert_close(d.a, T.T @ (pinocchio.aba(model, data, q, v, T @ d.tau) + other.correction), limit)
