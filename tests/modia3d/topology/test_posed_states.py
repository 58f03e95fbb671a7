"""Initial values from wanted poses, without a simulation: what holds for every one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.scene.frame import Frame
from modia3d.scene.initial_pose import InitialPose
from modia3d.scene.joints import PrismaticJoint
from modia3d.topology.build import build_graph
from modia3d.topology.initial_pose import posed_states

from .scenes import solid, world

PLACES = st.floats(-3.0, 3.0)


@given(
    start=PLACES, ends=st.tuples(PLACES, PLACES).map(sorted).filter(lambda ends: ends[1] - ends[0] > 1e-3), side=st.booleans()
)
@settings(max_examples=12)
def test_a_joint_that_begins_at_its_limit_is_not_a_bit_beyond_it(start, ends, side):
    """The pose is beyond the limit by rounding errors."""
    limit = ends[side]
    objects = {
        "world": world(),
        "car": Frame(feature=solid()),
        "slide": PrismaticJoint("world", "car", "x", s=float(np.clip(start, *ends)), limits=tuple(ends)),
    }
    pose = InitialPose("car", translation=(limit + (2e-11 if side else -2e-11), None, None))
    ((s,), _) = posed_states(build_graph(objects), {"pose": pose}, {}).states["slide"]
    assert ends[0] <= s <= ends[1]
    assert s == pytest.approx(limit, abs=1e-9)
