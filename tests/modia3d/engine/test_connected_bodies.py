"""Which bodies joints and cuts connect: of random trees with loops, against sets that are merged until nothing changes."""

import numpy as np
import pytest

from modia3d import FreeMotion, Model3D, Object3D, Revolute, Scene, Spherical
from modia3d.dynamics.basics.layout import PARENT
from modia3d.engine.contact.rests import connected
from modia3d.topology import forest_of
from tests.modia3d.scenes import body

pytestmark = pytest.mark.white_box


def random_forest(seed):
    """Bodies on the world, on each other or free, and joints that close loops, also with the world, or join trees."""
    rng, n = np.random.default_rng(seed), 9
    parts = {"world": Object3D(feature=Scene())}
    for k in range(n):
        on = int(rng.integers(-2, k))
        parts[f"b{k}"] = body(center=(0.1, 0.2, 0.3))
        parts[f"j{k}"] = FreeMotion("world", f"b{k}") if on == -2 else Revolute("world" if on == -1 else f"b{on}", f"b{k}")
    for k in range(3):
        one, other = rng.choice(np.arange(-1, n), 2, replace=False)
        names = ["world" if body < 0 else f"b{body}" for body in (one, other)]
        parts[f"close{k}"] = Spherical(*names)
    return forest_of(Model3D(**parts))


@pytest.mark.parametrize("seed", range(12))
def test_bodies_have_one_number_if_joints_or_cuts_connect_them_without_the_world(seed):
    forest = random_forest(seed)
    sets = [{k} for k in range(forest.n)]
    links = [(k, int(row[PARENT])) for k, row in enumerate(forest.ints)]
    links += [tuple(int(forest.frame_pose(frame)[0]) for frame in (cut.frame_1, cut.frame_2)) for cut in forest.cuts]
    assert len(forest.cuts) > 0 or seed
    for one, other in links:
        if one >= 0 and other >= 0 and sets[one] is not sets[other]:
            merged = sets[one] | sets[other]
            for member in merged:
                sets[member] = merged
    numbers = connected(forest)
    same = numbers[:, None] == numbers[None, :]
    expected = np.array([[i in sets[j] for j in range(forest.n)] for i in range(forest.n)])
    assert np.array_equal(same[:-1, :-1], expected)
    assert not same[-1, :-1].any()
