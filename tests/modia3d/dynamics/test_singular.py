"""Bodies without inertia: refused by a status where accelerations are not determined, harmless where they are."""

from __future__ import annotations

import numpy as np
import pytest

from modia3d.dynamics.basics.layout import (
    INERTIA,
    MASS,
    P_PJ,
    PASSIVE,
    PRESCRIBED,
    PRISMATIC,
    R_PJ,
    REVOLUTE,
    STATUS_SINGULAR,
    work_shape,
)
from modia3d.dynamics.forward_dynamics import forward_dynamics
from modia3d.dynamics.hybrid import hybrid_prepare
from modiapy.acausal import STATUS_OK

from .forests import Forest, assert_close, equations_of_motion, random_forest, random_rotation, turn_about_z

pytestmark = pytest.mark.white_box


def chain(n: int, **options: float) -> Forest:
    """A chain of passive joints."""
    return random_forest(3, n, root=0.0, chain=1.0, passive=1.0, **options)


def forward(f: Forest) -> tuple[int, np.ndarray]:
    """Status and accelerations without generalized forces."""
    a = np.full(f.nv, np.nan)
    return forward_dynamics(f.ints, f.floats, f.gravity, f.q, f.v, np.zeros(f.nv), a, np.zeros(work_shape(f.n))), a


def prepare(f: Forest) -> tuple[int, np.ndarray]:
    """Status and M_e of hybrid dynamics without generalized forces."""
    M_e, h_e, coupling = np.zeros((f.n_e, f.n_e)), np.zeros(f.n_e), np.zeros((f.n_e, f.nv - f.n_e))
    work = np.zeros(work_shape(f.n))
    return hybrid_prepare(
        f.ints, f.floats, f.gravity, f.q, f.v, np.zeros(f.nv), np.zeros((0, 6)), M_e, h_e, coupling, work
    ), M_e


@pytest.mark.parametrize("kind", [REVOLUTE, PRISMATIC])
def test_a_massless_end_is_singular_unless_equations_move_it(kind: int) -> None:
    f = chain(4, free=0.0)
    f.ints[3, 1] = kind
    f.floats[3, MASS:] = 0.0
    assert forward(f)[0] == STATUS_SINGULAR
    assert prepare(f)[0] == STATUS_SINGULAR
    f.ints[:, 4] = PRESCRIBED
    status, M_e = prepare(f)
    assert status == STATUS_OK
    assert_close(M_e, equations_of_motion(f)[0])


def test_a_point_mass_on_the_axis_does_not_turn() -> None:
    f = chain(1, free=0.0, prismatic=0.0)
    f.floats[0, MASS:] = 0.0
    f.floats[0, MASS], f.floats[0, MASS + 3] = 2.0, 2.0 * 0.3
    f.floats[0, INERTIA : INERTIA + 2] = 2.0 * 0.3**2
    assert forward(f)[0] == STATUS_SINGULAR


@pytest.mark.parametrize("seed", range(5))
def test_two_joints_about_one_axis_with_nothing_between_are_singular(seed: int) -> None:
    """The inertia that is left is rounding: it has to be recognised as nothing."""
    f = random_forest(seed, 5, root=0.0, chain=1.0, passive=1.0, free=0.0, prismatic=0.0)
    f.floats[2, MASS:] = 0.0
    f.floats[3, R_PJ : R_PJ + 9], f.floats[3, P_PJ : P_PJ + 3] = turn_about_z(0.3 + seed).ravel(), (0.0, 0.0, 0.7)
    assert forward(f)[0] == STATUS_SINGULAR


def test_a_massless_body_between_two_axes_is_harmless() -> None:
    f = chain(5, free=0.0, prismatic=0.0)
    f.floats[2, MASS:] = 0.0
    status, a = forward(f)
    M, h = equations_of_motion(f)
    assert status == STATUS_OK
    assert_close(M @ a + h, np.zeros(5), 1e-9)


@pytest.mark.parametrize("what", ["nothing", "point mass", "thin rod"])
def test_a_free_body_needs_mass_and_inertia_about_every_axis(what: str) -> None:
    f = chain(1, free=1.0)
    R = random_rotation(np.random.default_rng(1))
    inertia = R @ np.diag([2.0, 2.0, 0.0]) @ R.T
    f.floats[0, MASS:] = 0.0
    if what != "nothing":
        f.floats[0, MASS] = 1.0
    if what == "thin rod":
        f.floats[0, INERTIA : INERTIA + 6] = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    assert forward(f)[0] == STATUS_SINGULAR
    assert prepare(f)[0] == STATUS_SINGULAR


def test_a_light_wheel_far_out_on_a_heavy_arm_is_not_singular() -> None:
    f = chain(2, free=0.0, prismatic=0.0)
    f.floats[0, MASS:] = 0.0
    f.floats[0, [MASS, INERTIA, INERTIA + 1, INERTIA + 2]] = 1e4, 1e6, 1e6, 1e6
    f.floats[1, MASS:] = 0.0
    f.floats[1, [MASS, INERTIA, INERTIA + 1, INERTIA + 2]] = 1e-3, 1e-9, 1e-9, 1e-9
    status, a = forward(f)
    M, h = equations_of_motion(f)
    assert status == STATUS_OK
    assert_close(M @ a + h, np.zeros(2))
    assert f.ints[1, 4] == PASSIVE
