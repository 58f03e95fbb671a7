"""Which frames mate: the contract of docs/structural_change.md against rotations of scipy, for both orders and both signs."""

import math
import re

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from modia3d.scene.frame import Frame
from modia3d.scene.scene_feature import MatingTolerance
from modia3d.topology import edits
from modia3d.topology.build import build_graph
from modia3d.topology.mating import check_mating, relative_pose
from modia3d.topology.motion import FrameMotion
from modia3d.topology.structure import Structure
from modiapy import ModelError

from .scenes import solid, world

pytestmark = pytest.mark.white_box

TOLERANCE = MatingTolerance(position=0.01, z_angle=0.02, twist_angle=0.03, velocity=0.04, angular_velocity=0.05)
FACE_TO_FACE = Rotation.from_rotvec([math.pi, 0.0, 0.0])

signs = st.sampled_from([-1.0, 1.0])
vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)


def unit(v):
    return np.array(v) / np.linalg.norm(v)


def pair(seed, *, twist=0.0, tilt=0.0, tilt_about=(1.0, 0.0), gap=(0, 0, 0), velocity=(0, 0, 0), turning=(0, 0, 0)):
    """Two frames anywhere in the world, B twisted about A's z axis, then tilted about an axis of its xy plane."""
    random = np.random.default_rng(seed)
    R_WA = Rotation.random(random_state=seed)
    R_WB = R_WA * Rotation.from_rotvec([0, 0, twist]) * FACE_TO_FACE * Rotation.from_rotvec(tilt * unit((*tilt_about, 0.0)))
    p, v, w = random.normal(size=(3, 3))
    a = FrameMotion(R_WA.as_matrix(), p, v, w)
    b = FrameMotion(R_WB.as_matrix(), p + np.array(gap), v + np.array(velocity), w + np.array(turning))
    return a, b


def mates(tolerance, a, b):
    found = []
    for one, other in ((a, b), (b, a)):
        try:
            check_mating(tolerance, "one", one, "other", other)
            found.append(True)
        except ModelError:
            found.append(False)
    assert found[0] == found[1], "it depends on the order"
    return found[0]


@given(st.integers(0, 1000), st.integers(1, 8), st.integers(-8, 8), st.floats(-1.5, 1.5))
@example(0, 4, 0, -1.2)
@example(0, 4, 0, 1.2)
def test_a_twist_of_either_sign_mates_within_its_tolerance_of_a_step(seed, symmetry, steps, part):
    """``part``: how many tolerances it is off the nearest step."""
    assume(abs(abs(part) - 1.0) > 1e-3)
    tolerance = MatingTolerance(twist_angle=0.03, symmetry=symmetry)
    twist = steps * 2.0 * math.pi / symmetry + part * tolerance.twist_angle
    assert mates(tolerance, *pair(seed, twist=twist)) == (abs(part) < 1.0)


@given(st.integers(0, 1000), st.floats(-10.0, 10.0))
def test_without_symmetry_any_twist_mates(seed, twist):
    assert mates(MatingTolerance(symmetry=0), *pair(seed, twist=twist))


@pytest.mark.parametrize("what", ["gap", "velocity", "turning"])
@given(seed=st.integers(0, 1000), direction=vectors, part=st.floats(0.0, 1.5))
def test_a_difference_mates_within_its_tolerance_in_every_direction(what, seed, direction, part):
    assume(abs(part - 1.0) > 1e-3)
    limit = {"gap": TOLERANCE.position, "velocity": TOLERANCE.velocity, "turning": TOLERANCE.angular_velocity}[what]
    assert mates(TOLERANCE, *pair(seed, **{what: part * limit * unit(direction)})) == (part < 1.0)


@given(st.integers(0, 1000), st.floats(0, 2 * math.pi), st.floats(0.0, 1.5), signs)
def test_opposite_z_axes_mate_within_their_angle(seed, about, part, sign):
    assume(abs(part - 1.0) > 1e-3)
    tilt = sign * part * TOLERANCE.z_angle
    loose = MatingTolerance(z_angle=TOLERANCE.z_angle, twist_angle=0.1)
    assert mates(loose, *pair(seed, tilt=tilt, tilt_about=(math.cos(about), math.sin(about)))) == (part < 1.0)


@given(st.integers(0, 1000), st.floats(0.1, 3.0))
def test_z_axes_in_one_direction_never_mate(seed, angle):
    assert not mates(MatingTolerance(symmetry=0), *pair(seed, tilt=math.pi))
    assert not mates(MatingTolerance(symmetry=0), *pair(seed, tilt=angle))


def test_a_refusal_says_by_how_much():
    a, b = pair(1, twist=-0.1, gap=(0.0, 0.02, 0.0), velocity=(0.0, 0.0, 0.05), turning=(0.06, 0.0, 0.0))
    with pytest.raises(ModelError) as refused:
        check_mating(TOLERANCE, "arm.tip", a, "box.face", b)
    text = str(refused.value)
    for part in (
        "arm.tip and box.face",
        "20 mm (more than 10)",
        "twist about z 100 mrad (more than 30)",
        "50 mm/s (more than 40)",
        "60 mrad/s (more than 50)",
        "multiple of 90 deg",
    ):
        assert part in text
    assert "more than 20)" not in text  # the z axes are opposite
    with pytest.raises(ModelError) as refused:
        check_mating(MatingTolerance(symmetry=0), "arm.tip", a, "box.face", b)
    assert "multiple" not in str(refused.value)


@given(st.integers(0, 1000), st.floats(0.0, 1e-6))
def test_the_relative_pose_is_orthonormal_whatever_the_rounding_of_the_rotations(seed, error):
    a, b = pair(seed, twist=0.3, gap=(0.1, 0.2, 0.3))
    noise = error * np.random.default_rng(seed).uniform(-1.0, 1.0, size=(2, 3, 3))
    exact = a.R_WF.T @ b.R_WF
    disturbed = [FrameMotion(m.R_WF + n, m.p_WF, m.v_WF_W, m.w_WF_W) for m, n in zip((a, b), noise, strict=True)]
    R, p = relative_pose(*disturbed)
    R = np.reshape(R, (3, 3))
    gram = 12 * error  # the largest entry of R'R - 1 before the step: twice sqrt(3) for each of two rotations, and transposed
    assert np.abs(R.T @ R - np.eye(3)).max() < 2e-15 + 0.75 * 3 * gram**2
    assert np.abs(R - exact).max() < 1e-14 + gram
    assert p == pytest.approx(disturbed[0].R_WF.T @ (b.p_WF - a.p_WF), abs=1e-15)


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
@given(seed=st.integers(0, 1000), by=st.sampled_from(["gap", "tilt", "twist", ""]))
def test_what_an_impact_stops_may_move_anyhow_and_must_be_in_place(order, seed, by):
    graph = build_graph({"world": world(), **{name: Frame(feature=solid(), lockable=True) for name in "ab"}})
    there = {"gap": {"gap": (0.0, 0.0, 0.0011)}, "tilt": {"tilt": 0.0011}, "twist": {"twist": 0.0011}}.get(by, {})
    motion = dict(zip("ab", pair(seed, velocity=(900.0, 0, 0), turning=(0, -700.0, 0), **there), strict=True)).__getitem__
    words = {"gap": "1.1 mm", "tilt": "1.1 mrad", "twist": "1.1 mrad"}.get(by, "9e+05 mm/s")
    with pytest.raises(ModelError, match=re.escape(f"{words} (more than")):
        edits.attach(graph, Structure(), *order, motion, moving=bool(by))
    if not by:
        (lock,) = edits.attach(graph, Structure(), *order, motion, moving=True).locks
        assert (lock.frame_a, lock.frame_b) == ("a", "b")
