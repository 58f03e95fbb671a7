"""Pictures of environments by the page."""

import numpy as np
import pytest

from modia3d.gym import Environment, VectorEnvironment
from modia3d.viewer.chromium import find_chromium
from modiapy import ModiaError

from .tasks import DOCKING, cart

pytestmark = pytest.mark.white_box
browser = pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed")
STILL = {"speeds": [0.0, 0.0], "grip": 0}
MOVES = {"speeds": [1.0, -1.0], "grip": 0}


@browser
def test_pictures_show_where_the_arm_is_now():
    with Environment(DOCKING, render_mode="rgb_array", width=160, height=120, factors={}) as environment:
        assert environment.render() is None  # no episode has begun
        environment.reset(seed=1)
        first = environment.render()
        assert first.shape == (120, 160, 3)
        assert first.dtype == np.uint8
        assert first.std() > 5.0  # something is seen
        environment.step(STILL)
        assert np.abs(environment.render().astype(int) - first).max() < 30
        for _ in range(5):
            environment.step(MOVES)
        moved = environment.render()
        assert np.abs(moved.astype(int) - first).max() > 60
        environment.reset(seed=1)
        assert np.array_equal(environment.render(), first)


@browser
def test_pictures_of_a_vector_are_those_of_its_environments():
    vector = VectorEnvironment(DOCKING, 2, render_mode="rgb_array", width=80, height=60)
    vector.reset(seed=1)
    one, other = vector.render()
    assert one.shape == other.shape == (60, 80, 3)
    assert not np.array_equal(one, other)  # the modules stand elsewhere
    vector.close()


def test_without_a_browser_the_remedy_is_told(monkeypatch):
    monkeypatch.setenv("MODIA_CHROMIUM", "there-is-no-such-browser")
    with Environment(DOCKING, render_mode="rgb_array") as environment:
        environment.reset(seed=1)
        with pytest.raises(ModiaError, match=r"pictures and videos need a browser.*MODIA_CHROMIUM"):
            environment.render()


def test_what_cannot_be_seen_is_refused():
    environment = cart(render_mode="rgb_array")
    with pytest.raises(ModiaError, match=r"nothing in the model is visible"):
        environment.reset(seed=1)
