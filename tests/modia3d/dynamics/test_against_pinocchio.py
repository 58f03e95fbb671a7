"""Dynamics, kinematics and energies against Pinocchio, an independent engine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio
import pytest

from modia3d.dynamics import Dynamics
from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.basics.layout import KIND, P_PJ, PARAMETER, PRISMATIC, R_PJ, REVERSED, REVOLUTE, work_shape
from modia3d.dynamics.energy import kinetic_energy, potential_energy
from modia3d.dynamics.jacobian import frame_jacobian
from modia3d.dynamics.joints.kinds import V_SIZE
from modia3d.dynamics.kinematics import body_poses, body_velocities

from .forests import (
    CYLINDRICAL,
    PIN_SLOT,
    PLANAR,
    SCREW,
    SPHERICAL,
    UNIVERSAL,
    Forest,
    Step,
    assert_close,
    coordinate_rates,
    quaternion_of,
    random_forest,
    steps,
)

pytestmark = pytest.mark.white_box

Array = np.ndarray[Any, Any]


def depth_first(f: Forest, parent: int = -1) -> list[int]:
    """Bodies in the order that Pinocchio's mass matrix needs: every subtree without a gap."""
    return [j for i in np.flatnonzero(f.ints[:, 0] == parent) for j in [int(i), *depth_first(f, int(i))]]


def joint_model(f: Forest, i: int) -> Any:
    """Pinocchio's joint with the same motion; a reversed one of the kinds with axes has the opposite axes."""
    kind, turned = f.ints[i, KIND], f.ints[i, REVERSED]
    sign = -1.0 if turned else 1.0
    if kind == CYLINDRICAL:
        composite = pinocchio.JointModelComposite()
        composite.addJoint(pinocchio.JointModelPrismaticUnaligned(np.array([0.0, 0.0, sign])))
        composite.addJoint(pinocchio.JointModelRevoluteUnaligned(np.array([0.0, 0.0, sign])))
        return composite
    if kind == PIN_SLOT:
        composite = pinocchio.JointModelComposite()
        parts = [
            pinocchio.JointModelPrismaticUnaligned(np.array([sign, 0.0, 0.0])),
            pinocchio.JointModelRevoluteUnaligned(np.array([0.0, 0.0, sign])),
        ]
        for part in parts[::-1] if turned else parts:
            composite.addJoint(part)
        return composite
    if kind == UNIVERSAL:
        axes = sign * np.eye(3)[[1, 0] if turned else [0, 1]]
        return pinocchio.JointModelUniversal(*axes)
    if kind == SCREW:
        return pinocchio.JointModelHelicalUnaligned(np.array([0.0, 0.0, sign]), f.floats[i, PARAMETER])
    return {
        REVOLUTE: pinocchio.JointModelRZ,
        PRISMATIC: pinocchio.JointModelPZ,
        PLANAR: pinocchio.JointModelPlanar,
        SPHERICAL: pinocchio.JointModelSpherical,
    }.get(kind, pinocchio.JointModelFreeFlyer)()


def joint_pose(f: Forest, i: int, q: Array) -> tuple[Array, Array, Array]:
    """R, p and the motion subspace in B (angular rows, linear rows; columns of this joint's speeds) beyond R_PJ, p_PJ."""
    parts: list[Step] = steps(f, i, q)[1:]
    R, p, twists = np.eye(3, dtype=q.dtype), np.zeros(3, dtype=q.dtype), []
    for part in parts:
        p = p + R @ part.p
        twists += [(k, R @ w, R @ v, p) for k, w, v in part.twists]
        R = R @ part.R
    S = np.zeros((6, f.nv), dtype=q.dtype)
    for k, w, v, point in twists:
        S[:3, k], S[3:, k] = R.T @ w, R.T @ (v + np.cross(w, p - point))
    return R, p, S


class Translated:
    """A forest as a Pinocchio model, and the way from our speeds to Pinocchio's.

    Pinocchio's free, spherical and planar joints have the velocity of the body in body coordinates (linear, angular) as speeds:
    ``v_P = T v`` with T rows of our motion subspace in B, and ``a_P = T a + der(T) v``, the derivative by the complex step.
    """

    def __init__(self, f: Forest) -> None:
        self.model, self.joints = pinocchio.Model(), [0] * f.n
        for i in depth_first(f):
            parent = f.ints[i, 0]
            mass, moment, inertia = f.inertia(i)
            c = moment / mass
            place = pinocchio.SE3(f.floats[i, R_PJ : R_PJ + 9].reshape(3, 3), f.floats[i, P_PJ : P_PJ + 3])
            self.joints[i] = self.model.addJoint(self.joints[parent] if parent >= 0 else 0, joint_model(f, i), place, f"j{i}")
            about_c = inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))
            self.model.appendBodyToJoint(self.joints[i], pinocchio.Inertia(mass, c, about_c), pinocchio.SE3.Identity())
        self.model.gravity.linear = f.gravity
        self.data: Any = self.model.createData()
        self.q, self.T, self.correction = np.zeros(self.model.nq), np.zeros((f.nv, f.nv)), np.zeros(f.nv)
        step = 1e-30
        moving = f.q + 1j * step * coordinate_rates(f, f.q, f.v)
        for i, joint in enumerate(self.joints):
            kind, j, k = f.ints[i, 1:4]
            jq, jv, turned = self.model.idx_qs[joint], self.model.idx_vs[joint], f.ints[i, REVERSED]
            if kind in (REVOLUTE, PRISMATIC, SCREW, CYLINDRICAL, UNIVERSAL, PIN_SLOT):
                size = V_SIZE[kind]
                order = range(size)[::-1] if kind in (UNIVERSAL, PIN_SLOT) and turned else range(size)
                for at, own in enumerate(order):
                    self.q[jq + at], self.T[jv + at, k + own] = f.q[j + own], 1.0
                continue
            R, p, S = joint_pose(f, i, f.q)
            rows = {PLANAR: [3, 4, 2], SPHERICAL: [0, 1, 2]}.get(kind, [3, 4, 5, 0, 1, 2])
            self.T[jv : jv + len(rows)] = S[rows]
            self.correction[jv : jv + len(rows)] = joint_pose(f, i, moving)[2][rows].imag @ f.v / step
            quaternion = np.roll(quaternion_of(R), -1)
            if kind == PLANAR:
                self.q[jq : jq + 4] = [p[0], p[1], R[0, 0], R[1, 0]]
            elif kind == SPHERICAL:
                self.q[jq : jq + 4] = quaternion
            else:
                self.q[jq : jq + 7] = [*p, *quaternion]


def packed(f: Forest) -> Dynamics:
    """The forest and its state in a `Dynamics`."""
    d = Dynamics(f.ints, f.floats, f.gravity)
    d.q[:], d.v[:], d.a[:] = f.q, f.v, f.a
    return d


@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
@pytest.mark.parametrize("general", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("free", [0.0, 1.0])
def test_dynamics_agree(n: int, general: float, free: float) -> None:
    for seed in range(6):
        f = random_forest(seed, n, free=free, root=0.15, general=general)
        d = packed(f)
        other = Translated(f)
        model, data, q, T = other.model, other.data, other.q, other.T
        v, a = T @ f.v, T @ f.a + other.correction
        d.inverse_dynamics()
        assert_close(d.tau, T.T @ pinocchio.rnea(model, data, q, v, a), 1e-10)
        d.mass_matrix()
        M = pinocchio.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        assert_close(d.M, T.T @ M @ T, 1e-10)
        d.tau[:] = np.random.default_rng(seed).normal(size=f.nv)
        tau = d.tau.copy()
        d.forward_dynamics()
        d.inverse_dynamics()
        scale = max(1.0, np.abs(d.M @ np.diag(d.a)).max())
        assert np.abs(d.tau - tau).max() <= 1e-12 * scale


@pytest.mark.parametrize("n", [2, 12, 40])
@pytest.mark.parametrize("general", [0.0, 1.0])
def test_kinematics_and_energies_agree(n: int, general: float) -> None:
    for seed in range(6):
        f = random_forest(seed, n, root=0.15, general=general)
        other = Translated(f)
        model, data, q, T = other.model, other.data, other.q, other.T
        v, a = T @ f.v, T @ f.a + other.correction
        R, p, work = np.zeros((n, 9)), np.zeros((n, 3)), np.zeros(work_shape(n))
        v_W, w_W, a_W, alpha_W = (np.zeros((n, 3)) for _ in range(4))
        body_poses(f.ints, f.floats, f.q, R, p)
        body_velocities(f.ints, f.floats, f.q, f.v, R, p, v_W, w_W, work)
        body_accelerations(f.ints, f.floats, f.q, f.v, f.a, R, p, w_W, a_W, alpha_W, work)
        pinocchio.forwardKinematics(model, data, q, v, a)
        frame = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for i, joint in enumerate(other.joints):
            assert_close(R[i].reshape(3, 3), data.oMi[joint].rotation)
            assert_close(p[i], data.oMi[joint].translation)
            velocity = pinocchio.getVelocity(model, data, joint, frame)
            assert_close(v_W[i], velocity.linear)
            assert_close(w_W[i], velocity.angular)
            acceleration = pinocchio.getClassicalAcceleration(model, data, joint, frame)
            assert_close(a_W[i], acceleration.linear)
            assert_close(alpha_W[i], acceleration.angular)
        assert_close(kinetic_energy(f.floats, R, v_W, w_W), pinocchio.computeKineticEnergy(model, data, q, v))
        assert_close(potential_energy(f.floats, f.gravity, R, p), pinocchio.computePotentialEnergy(model, data, q))


@pytest.mark.parametrize("n", [5, 30])
def test_jacobians_agree(n: int) -> None:
    for seed in range(4):
        f = random_forest(seed, n, root=0.15, general=0.7)
        other = Translated(f)
        R, p, J, work = np.zeros((n, 9)), np.zeros((n, 3)), np.zeros((6, f.nv)), np.zeros(work_shape(n))
        body_poses(f.ints, f.floats, f.q, R, p)
        pinocchio.computeJointJacobians(other.model, other.data, other.q)
        for i, joint in enumerate(other.joints):
            frame_jacobian(f.ints, f.floats, f.q, R, p, i, np.zeros(3), J, work)
            world = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
            assert_close(J, pinocchio.getJointJacobian(other.model, other.data, joint, world) @ other.T)


@pytest.mark.parametrize("n", [3, 20])
def test_methods_of_dynamics_agree(n: int) -> None:
    """The same from the numeric API, and the wrench that each joint transmits."""
    for seed in range(4):
        f = random_forest(seed, n, root=0.15, general=0.5)
        other, d = Translated(f), packed(f)
        model, data, q, T = other.model, other.data, other.q, other.T
        v, a = T @ f.v, T @ f.a + other.correction
        pinocchio.rnea(model, data, q, v, a)
        wrenches = d.cut_wrenches()
        transmitted = [np.roll(data.f[joint].vector, 3) for joint in other.joints]  # linear, angular in Pinocchio
        assert_close(wrenches, np.array(transmitted), 1e-10)
        d.kinematics()
        pinocchio.forwardKinematics(model, data, q, v, a)
        pinocchio.computeJointJacobians(model, data, q)
        world = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for i, joint in enumerate(other.joints):
            assert_close(d.R[i], data.oMi[joint].rotation)
            assert_close(d.p[i], data.oMi[joint].translation)
            acceleration = pinocchio.getClassicalAcceleration(model, data, joint, world)
            assert_close(d.a_W[i], acceleration.linear)
            assert_close(d.alpha_W[i], acceleration.angular)
            J = d.frame_jacobian(i)
            assert_close(J, pinocchio.getJointJacobian(model, data, joint, world) @ T)
            assert_close(J @ d.v, np.concatenate([d.v_W[i], d.w_W[i]]))
        assert_close(d.kinetic_energy(), pinocchio.computeKineticEnergy(model, data, q, v))
        assert_close(d.potential_energy(), pinocchio.computePotentialEnergy(model, data, q))
