"""Constraint elements: where they can be closed, and what freedom they leave."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import FreeMotion, Model3D, Object3D, Planar
from modia3d.constraints.kinds.cut_joint import CutJoint
from modia3d.constraints.projection import project
from modia3d.engine.motion.configuration import Configuration
from modia3d.scene.basics.rotations import axis_rotation, frame_with_z
from modia3d.scene.constraint_elements.cut_joints import (
    PrismaticConstraint,
    RevoluteConstraint,
    SphericalConstraint,
    UniversalConstraint,
)
from modia3d.scene.constraint_elements.rod import RodConstraint
from modia3d.scene.constraint_elements.rolling import RollingConstraint
from modia3d.topology import forest_of
from modia3d.topology.states import initial_state
from modiapy import ModelError
from tests.modia3d.scenes import body, world

pytestmark = pytest.mark.white_box

numbers = st.floats(-1.0, 1.0)
vectors = st.tuples(numbers, numbers, numbers)
masks = st.tuples(st.booleans(), st.booleans(), st.booleans())


def rows(frame, element):
    """The rows of a constraint element between a frame and the part."""
    return tuple(CutJoint("element", frame, "part", group) for group in element.groups())


def held(element, translation=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """A body that moves freely, a constraint element between a turned frame of the world and it, and its states."""
    motion = FreeMotion("base", "part", translation, rotation, velocity, spin)
    entries = {
        "world": world(),
        "base": Object3D(parent="world", translation=(0.1, -0.2, 0.3), rotation=(0.4, -0.5, 0.6)),
        "part": body(2.0, (0.1, 0.2, 0.15), (0.05, 0.02, -0.03)),
        "motion": motion,
    }
    forest = forest_of(Model3D(**entries))
    x = initial_state(forest.graph, forest, {})
    return forest, rows("base", element), x[: forest.nq], x[forest.nq :]


def closed(forest, cuts, q, v):
    return project(partial(Configuration, forest), cuts, q, v)


def relative(forest, found):
    """Rotation, position and velocities of the part, all in the base."""
    configuration = Configuration(forest, found.q, found.v)
    base, part = configuration.motion_of("base"), configuration.motion_of("part")
    R_B = base.R_WF
    return R_B.T @ part.R_WF, R_B.T @ (part.p_WF - base.p_WF), R_B.T @ part.v_WF_W, R_B.T @ part.w_WF_W


LOCKS = ("x_locked", "y_locked", "z_locked")


@settings(max_examples=30)
@given(masks, vectors, vectors)
def test_released_directions_are_those_of_the_first_frame(mask, translation, tilt):
    locked = dict(zip(LOCKS, mask, strict=True))
    axis = np.array((0.3, 0.9, -0.2))
    element = RevoluteConstraint("base", "part", n=tuple(axis), **locked)
    found = closed(*held(element, translation, tuple(0.5 * np.array(tilt)), (0.3, 0.2, -0.4), (0.5, 0.1, 0.7)))
    R, p, v, w = relative(held(element)[0], found)
    axis = axis / np.linalg.norm(axis)
    assert R @ axis == pytest.approx(axis, abs=1e-8)
    assert np.cross(w, axis) == pytest.approx(np.zeros(3), abs=1e-8)
    assert p[list(mask)] == pytest.approx(np.zeros(sum(mask)), abs=1e-8)
    assert v[list(mask)] == pytest.approx(np.zeros(sum(mask)), abs=1e-8)
    assert len(found.elimination.rank) == 2 + sum(mask)


@pytest.mark.parametrize(
    ("element", "freedom"),
    [
        (SphericalConstraint("base", "part"), 3),
        (SphericalConstraint("base", "part", z_locked=False), 4),
        (PrismaticConstraint("base", "part", x_locked=False), 1),
        (UniversalConstraint("base", "part", n_a="z", n_b="x"), 2),
        (UniversalConstraint("base", "part", n_a="z", n_b="x", y_locked=False), 3),
        (RodConstraint("base", "part", 0.7), 5),
    ],
)
def test_an_element_leaves_its_freedom(element, freedom):
    found = closed(*held(element, (0.3, 0.2, 0.5), (0.2, 0.1, -0.3), (0.1, 0.2, 0.3), (1.0, 2.0, 3.0)))
    assert found.residual < 1e-9
    assert 6 - len(found.elimination.rank) == freedom
    assert found.elimination.rows.G @ found.v == pytest.approx(np.zeros(6 - freedom), abs=1e-12)


def test_a_rod_keeps_its_length():
    found = closed(*held(RodConstraint("base", "part", 0.7), (0.3, 0.2, 0.5), velocity=(1.0, 0.0, 0.0)))
    _, p, v, _ = relative(held(RodConstraint("base", "part", 0.7))[0], found)
    assert np.linalg.norm(p) == pytest.approx(0.7, abs=1e-12)
    assert p @ v == pytest.approx(0.0, abs=1e-12)
    assert np.linalg.norm(v) > 0.1


@settings(max_examples=30)
@given(st.floats(-1.2, 1.2), st.floats(-3.0, 3.0), vectors, vectors)
def test_a_wheel_is_put_on_its_plane_where_it_is_and_does_not_slip(lean, heading, velocity, spin):
    radius, axis, normal = 0.3, np.array((0.0, 0.6, 0.8)), np.array((0.8, 0.0, 0.6))
    plane, wheel = frame_with_z(normal), frame_with_z(axis)
    R = plane @ axis_rotation((0.0, 0.0, 1.0), heading) @ axis_rotation((1.0, 0.0, 0.0), 0.5 * np.pi + lean) @ wheel.T
    place = plane @ (1.0, -2.0, 0.5)
    element = RollingConstraint("base", "part", radius, axis, normal)
    start = held(element, tuple(place), R, velocity, spin)
    found = closed(*start)
    R, p, v, w = relative(start[0], found)
    height = p @ normal
    side = R @ axis
    down = (normal @ side) * side - normal
    contact = p + radius * down / np.linalg.norm(down)
    assert contact @ normal == pytest.approx(0.0, abs=1e-9)
    assert height < 0.31
    assert v + np.cross(w, contact - p) == pytest.approx(np.zeros(3), abs=1e-9)
    assert {row.direction for row in found.elimination.rows if not row.holonomic} == {
        "slip along the track",
        "slip across the track",
    }


def test_no_position_is_held_where_a_wheel_must_not_slip():
    """A wheel of a vehicle that is upright may be put down anywhere, across its track, too."""
    entries = {
        "world": world(),
        "part": body(),
        "motion": Planar("world", "part", "z", s_x=0.4, s_y=0.5, v_x=0.3, v_y=0.2, w=1.0),
    }
    forest = forest_of(Model3D(**entries))
    x = initial_state(forest.graph, forest, {})
    wheel = RollingConstraint("world", "part", 0.3, upright=True)
    line = SphericalConstraint("world", "part", x_locked=False, z_locked=False)
    cuts = [cut for element in (wheel, line) for cut in rows("world", element)]
    found = closed(forest, cuts, x[:3], x[3:])
    assert found.q == pytest.approx((0.4, 0.0, 0.0), abs=1e-9)
    assert found.v[:2] == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (partial(SphericalConstraint, x_locked=False, y_locked=False, z_locked=False), "no locked direction"),
        (partial(UniversalConstraint, n_a="x", n_b="x"), "must be perpendicular"),
        (partial(RodConstraint, length=0.0), "length of RodConstraint"),
        (partial(RollingConstraint, lateral=False), "lateral of RollingConstraint"),
        (partial(RollingConstraint, radius=-1.0), "radius of RollingConstraint"),
    ],
)
def test_wrong_fields_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make("base", "part")
