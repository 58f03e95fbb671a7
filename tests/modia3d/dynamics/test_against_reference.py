"""All kernels against plain numpy mechanics (Jacobians, principle of d'Alembert) for random forests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.basics.layout import FREE, PRESCRIBED, work_shape
from modia3d.dynamics.bias import bias
from modia3d.dynamics.energy import kinetic_energy, momentum, momentum_rates, potential_energy
from modia3d.dynamics.forward_dynamics import forward_dynamics
from modia3d.dynamics.hybrid import hybrid_finish, hybrid_prepare, passive_rates
from modia3d.dynamics.inverse_dynamics import inverse_dynamics
from modia3d.dynamics.jacobian import frame_jacobian
from modia3d.dynamics.joints.kinds import q_size
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modia3d.dynamics.mass_matrix import mass_matrix
from modiapy.acausal import STATUS_OK

from .forests import (
    SIX_DOF,
    SPHERICAL,
    Forest,
    assert_close,
    coordinate_rates,
    equations_of_motion,
    jacobians,
    poses,
    random_forest,
)

pytestmark = pytest.mark.white_box

forests = st.builds(
    random_forest,
    st.integers(0, 10**6),
    st.integers(1, 12),
    free=st.sampled_from([0.0, 0.5, 1.0]),
    root=st.sampled_from([0.0, 0.3]),
    passive=st.sampled_from([0.0, 0.5, 1.0]),
    chain=st.sampled_from([0.3, 1.0]),
    prismatic=st.sampled_from([0.0, 0.4]),
    general=st.sampled_from([0.0, 0.6, 1.0]),
)
few = settings(max_examples=60)


def in_world(forest: Forest) -> list[np.ndarray]:
    """R, p, v_W, w_W, a_W, alpha_W of all bodies by the kernels."""
    R, p = np.zeros((forest.n, 9)), np.zeros((forest.n, 3))
    v_W, w_W, a_W, alpha_W = (np.zeros((forest.n, 3)) for _ in range(4))
    body_poses(forest.ints, forest.floats, forest.q, R, p)
    work = np.full(work_shape(forest.n), np.nan)
    body_velocities(forest.ints, forest.floats, forest.q, forest.v, R, p, v_W, w_W, work)
    work[:] = np.nan
    body_accelerations(forest.ints, forest.floats, forest.q, forest.v, forest.a, R, p, w_W, a_W, alpha_W, work)
    return [R, p, v_W, w_W, a_W, alpha_W]


def hybrid(forest: Forest, tau: np.ndarray, a_e: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M_e, h_e, a of the hybrid kernels; finished twice, for the second must not see the first."""
    n_e, work = forest.n_e, np.full(work_shape(forest.n), np.nan)
    M_e, h_e, coupling = np.zeros((n_e, n_e)), np.zeros(n_e), np.full((n_e, forest.nv - n_e), np.nan)
    a = np.full(forest.nv, np.nan)
    f = forest
    assert hybrid_prepare(f.ints, f.floats, f.gravity, f.q, f.v, tau, np.zeros((0, 6)), M_e, h_e, coupling, work) == STATUS_OK
    hybrid_finish(f.ints, f.gravity, a_e + 1.0, coupling, work, a)
    hybrid_finish(f.ints, f.gravity, a_e, coupling, work, a)
    return M_e, h_e, a


@few
@given(forests)
def test_kinematics(forest: Forest) -> None:
    R, p, v_W, w_W, a_W, alpha_W = in_world(forest)
    R_ref, p_ref = poses(forest, forest.q)
    assert_close(R.reshape(-1, 3, 3), np.array(R_ref))
    assert_close(p, np.array(p_ref))
    J = jacobians(forest, forest.q)
    J_step = jacobians(forest, forest.q + 1e-30j * coordinate_rates(forest, forest.q, forest.v))
    for i in range(forest.n):
        assert_close(v_W[i], J[i][0] @ forest.v)
        assert_close(w_W[i], J[i][1] @ forest.v)
        assert_close(a_W[i], J[i][0] @ forest.a + J_step[i][0].imag @ forest.v * 1e30)
        assert_close(alpha_W[i], J[i][1] @ forest.a + J_step[i][1].imag @ forest.v * 1e30)


@few
@given(forests)
def test_jacobian_of_a_frame(forest: Forest) -> None:
    R, p, *_ = in_world(forest)
    expected, work = jacobians(forest, forest.q), np.full(work_shape(forest.n), np.nan)
    p_BF, J = np.array([0.3, -0.2, 0.5]), np.full((6, forest.nv), np.nan)
    for i, (J_v, J_w) in enumerate(expected):
        frame_jacobian(forest.ints, forest.floats, forest.q, R, p, i, p_BF, J, work)
        assert_close(J[3:], J_w)
        assert_close(J[:3], J_v + np.cross(J_w.T, R[i].reshape(3, 3) @ p_BF).T)
    frame_jacobian(forest.ints, forest.floats, forest.q, R, p, -1, p_BF, J, work)
    assert not J.any()


@few
@given(forests)
def test_inverse_dynamics_mass_matrix_and_bias(forest: Forest) -> None:
    f, work = forest, np.full(work_shape(forest.n), np.nan)
    M_ref, h_ref = equations_of_motion(forest)
    tau, h, M = np.zeros(f.nv), np.full(f.nv, np.nan), np.zeros((f.nv, f.nv))
    assert inverse_dynamics(f.ints, f.floats, f.gravity, f.q, f.v, f.a, tau, work) == STATUS_OK
    assert_close(tau, M_ref @ f.a + h_ref)
    assert bias(f.ints, f.floats, f.gravity, f.q, f.v, h, work) == STATUS_OK
    assert_close(h, h_ref)
    assert mass_matrix(f.ints, f.floats, f.q, M, work) == STATUS_OK
    assert_close(M, M_ref)
    assert np.array_equal(M, M.T)


@few
@given(forests)
def test_forward_dynamics_inverts_inverse_dynamics(forest: Forest) -> None:
    f, work = forest, np.full(work_shape(forest.n), np.nan)
    tau, a = np.zeros(f.nv), np.zeros(f.nv)
    inverse_dynamics(f.ints, f.floats, f.gravity, f.q, f.v, f.a, tau, work)
    assert forward_dynamics(f.ints, f.floats, f.gravity, f.q, f.v, tau, a, work) == STATUS_OK
    assert_close(a, f.a, 1e-9)
    back = np.zeros(f.nv)
    inverse_dynamics(f.ints, f.floats, f.gravity, f.q, f.v, a, back, work)
    assert_close(back, tau)


@few
@given(forests)
def test_hybrid_dynamics_is_the_schur_complement(forest: Forest) -> None:
    M, h = equations_of_motion(forest)
    rng = np.random.default_rng(0)
    tau = rng.normal(size=forest.nv)
    e, x = slice(0, forest.n_e), slice(forest.n_e, None)
    M_e, h_e, a = hybrid(forest, tau, forest.a[e].copy())
    assert_close(M_e, M[e, e] - M[e, x] @ np.linalg.solve(M[x, x], M[x, e]))
    assert_close(h_e, h[e] + M[e, x] @ np.linalg.solve(M[x, x], tau[x] - h[x]))
    assert np.array_equal(a[e], forest.a[e])
    assert_close((M @ a + h)[x], tau[x])


@few
@given(forests)
def test_passive_rates_are_the_rates_of_the_passive_states(forest: Forest) -> None:
    """Positions follow; a quaternion turns with the angular velocity, and its norm tends to one."""
    f = forest
    passive_q = [
        j
        for _, kind, k, _, role, orientation in f.ints[:, :6]
        if role != PRESCRIBED
        for j in range(k, k + q_size(kind, orientation))
    ]
    rates = np.full(len(passive_q) + f.nv - f.n_e, np.nan)
    passive_rates(f.ints, f.q, f.v, f.a, rates)
    assert np.array_equal(rates[len(passive_q) :], f.a[f.n_e :])
    q_rates = coordinate_rates(f, f.q, f.v)
    q_rates[passive_q] = rates[: len(passive_q)]
    J = jacobians(f, f.q)
    R, p = poses(f, f.q + 1e-30j * q_rates)
    for i in range(f.n):
        assert_close(p[i].imag * 1e30, J[i][0] @ f.v)
        assert_close(R[i].imag * 1e30, np.cross(J[i][1] @ f.v, R[i].real.T).T)
    for kind, k, _, _, orientation in f.ints[:, 1:6]:
        if kind in (FREE, SPHERICAL, SIX_DOF) and orientation == 0:
            at = slice(k, k + 4) if kind == SPHERICAL else slice(k + 3, k + 7)
            Q = f.q[at]
            assert np.sign(Q @ q_rates[at]) == np.sign(1.0 - Q @ Q)


@few
@given(forests)
@example(random_forest(4293, 2, free=0.5, root=0, passive=0, chain=0.3, prismatic=0, general=0.6))  # beta = 89.94 deg
def test_energies_and_momenta(forest: Forest) -> None:
    """Kinetic energy is v M v / 2; momenta and potential energy are sums over bodies; rates are derivatives."""
    f = forest
    R, p, v_W, w_W, a_W, alpha_W = in_world(f)
    M, _ = equations_of_motion(f)
    assert_close(kinetic_energy(f.floats, R, v_W, w_W), 0.5 * f.v @ M @ f.v)
    expected, weight = np.zeros(6), 0.0
    for i in range(f.n):
        mass, moment, inertia = f.inertia(i)
        frame, c = R[i].reshape(3, 3), R[i].reshape(3, 3) @ moment / mass
        about_c = frame @ inertia @ frame.T - mass * (c @ c * np.eye(3) - np.outer(c, c))
        l = mass * (v_W[i] + np.cross(w_W[i], c))
        expected += np.concatenate([l, np.cross(p[i] + c, l) + about_c @ w_W[i]])
        weight -= mass * f.gravity @ (p[i] + c)
    found, rates = np.zeros(6), np.zeros(6)
    momentum(f.floats, R, p, v_W, w_W, found)
    assert_close(found, expected)
    assert_close(potential_energy(f.floats, f.gravity, R, p), weight)
    momentum_rates(f.floats, R, p, w_W, a_W, alpha_W, rates)
    coordinates = coordinate_rates(f, f.q, f.v)
    step = 1e-5 / max(1.0, 0.1 * np.abs(coordinates).max())  # near a Cardan singularity coordinates run
    sides = []
    for t in (-step, step):
        moved = Forest(f.ints, f.floats, f.gravity, f.q + t * coordinates, f.v + t * f.a, f.a)
        R, p, v_W, w_W, _, _ = in_world(moved)
        momentum(f.floats, R, p, v_W, w_W, found)
        sides.append(found.copy())
    assert_close(rates, (sides[1] - sides[0]) / (2.0 * step), 1e-6)


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_only_gravity_changes_the_momentum_of_free_trees(gravity: float) -> None:
    """Torques inside joints cannot: all roots are free, half of the joints are driven with given accelerations."""
    for seed in range(10):
        f = random_forest(seed, 9, free=1.0, root=0.2)
        f.gravity[:] = 0.0, 0.0, -gravity
        tau = np.random.default_rng(seed).normal(size=f.nv)
        for parent, kind, _, k in f.ints[:, :4]:
            if kind == FREE:
                assert parent == -1
                tau[k : k + 6] = 0.0
        _, _, f.a = hybrid(f, tau, f.a[: f.n_e].copy())
        R, p, _, w_W, a_W, alpha_W = in_world(f)
        rates, scale = np.zeros(6), np.abs(f.floats[:, 12]) @ (np.abs(a_W).max(axis=1) + 1.0)
        momentum_rates(f.floats, R, p, w_W, a_W, alpha_W, rates)
        centre = sum(f.floats[i, 12] * p[i] + R[i].reshape(3, 3) @ f.floats[i, 13:16] for i in range(f.n))
        assert np.abs(rates[:3] - f.floats[:, 12].sum() * f.gravity).max() <= 1e-12 * scale
        assert np.abs(rates[3:] - np.cross(centre, f.gravity)).max() <= 1e-12 * scale * max(1.0, np.abs(p).max())
