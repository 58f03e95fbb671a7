"""Motion with friction against it: the laws that it fulfils, for all contacts and also where it hardly moves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.constraints.friction import braked

pytestmark = pytest.mark.white_box


def contacts(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A rigid body that slides on n points of a plane: their matrix, what its three motions are there (2 n, 3), radii."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    motions = np.zeros((n, 2, 3))
    motions[:, 0, 0] = motions[:, 1, 1] = 1.0
    motions[:, 0, 2], motions[:, 1, 2] = -y, x
    J = motions.reshape(2 * n, 3)
    return J @ np.diag(rng.uniform(0.2, 3.0, 3)) @ J.T, J, rng.uniform(0.1, 2.0, n)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 6), excess=st.sampled_from([1.0, 1e-2, 1e-4, 1e-6, 1e-8]))
def test_friction_is_all_that_there_is_and_against_the_motion(seed: int, n: int, excess: float) -> None:
    """Newton's law with the full friction of each contact: what pushes them is made of a motion that it shall be."""
    A, J, radius = contacts(seed, n)
    wanted = excess * (J @ np.random.default_rng(seed + 1).normal(size=3)).reshape(n, 2)
    along = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
    slip = wanted.ravel() + A @ (radius[:, None] * along).ravel()
    part, motion = braked(A, slip, radius)
    assert motion == pytest.approx(wanted, abs=1e-4 * np.abs(wanted).max() + 3e-14 * np.abs(slip).max())
    assert motion.ravel() == pytest.approx(slip - A @ (radius[:, None] * part).ravel(), abs=1e-9 * np.abs(slip).max())


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 6), power=st.floats(-2.0, 1.5))
def test_any_push_ends_in_a_motion_that_fulfils_the_laws(seed: int, n: int, power: float) -> None:
    """Some contacts may stand still, about which the others turn: friction there is not against a motion, and less. It follows
    from motions of 1e-7 to 1e-8 of the largest, which are known to 1e-16: to 1e-7 at worst of 6000 examples."""
    A, J, radius = contacts(seed, n)
    slip = 10.0**power * (J @ np.random.default_rng(seed + 2).normal(size=3))
    part, motion = braked(A, slip, radius)
    size = np.abs(slip).max()
    assert motion.ravel() == pytest.approx(slip - A @ (radius[:, None] * part).ravel(), abs=1e-6 * size)
    assert np.linalg.norm(part, axis=1).max() <= 1.0 + 1e-12
    speed = np.linalg.norm(motion, axis=1)
    moves = speed > 1e-4 * size
    assert part[moves] == pytest.approx(motion[moves] / speed[moves, None], abs=1e-9)


def test_what_nothing_holds_moves_freely_and_what_is_held_does_not() -> None:
    A, J, radius = contacts(3, 4)
    slip = J @ np.array([1.0, -2.0, 0.5])
    assert braked(A, slip, 0.0 * radius)[1].ravel() == pytest.approx(slip, abs=1e-12)
    part, motion = braked(A, slip, 1e3 * radius)
    assert np.abs(motion).max() < 1e-9
    assert np.linalg.norm(part, axis=1).max() < 1.0
