"""Point-to-point paths: limits, closed forms, synchronisation, smoothness, exact ends, blending, interruption."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d.actions.paths import PathLimits, ReferencePath, interrupt, pack, plan_ptp, rest
from modia3d.actions.paths_values import AddPath, PtpJointSpace
from modiapy import ModelError
from modiapy.library.paths import ptp_duration
from tests.modia3d.path_checks import check_continuity, check_limits, peaks

pytestmark = pytest.mark.white_box

position = st.floats(-10.0, 10.0, allow_subnormal=False)
limit = st.floats(0.05, 20.0)


@st.composite
def motions(draw, rows=(1, 1), blended=False):
    """(start, positions, limits, blend)"""
    n, m = draw(st.integers(1, 4)), draw(st.integers(*rows))
    points = np.array([draw(st.lists(position, min_size=n, max_size=n)) for _ in range(m + 1)])
    assume(all(np.abs(b - a).max() > 1e-3 for a, b in itertools.pairwise(points)))
    v, a, j = (tuple(draw(st.lists(limit, min_size=n, max_size=n))) for _ in range(3))
    limits = PathLimits(v, a, j if draw(st.booleans()) else None)
    return points[0], points[1:], limits, draw(st.floats(0.01, 3.0)) if blended else None


@settings(max_examples=40)
@given(motions(rows=(1, 3)))
def test_limits_are_kept_and_one_of_them_is_reached(motion):
    start, rows, limits, _ = motion
    trajectory = plan_ptp(0.0, start, rows, limits)
    check_limits(trajectory, limits)
    check_continuity(trajectory, limits)
    last = limits.a_max if limits.j_max is None else limits.j_max
    order = 2 if limits.j_max is None else 3
    assert (peaks(trajectory, order) / last).max() == pytest.approx(1.0, rel=1e-6)


@settings(max_examples=40)
@given(motions(), st.floats(-5.0, 100.0))
def test_ends_exactly_at_the_target_and_is_symmetric_in_time(motion, start_time):
    start, rows, limits, _ = motion
    trajectory = plan_ptp(start_time, start, rows, limits)
    assert np.array_equal(trajectory.evaluate(start_time - 1.0)[0], start)
    assert np.array_equal(trajectory.evaluate(trajectory.start_time)[0], start)
    for time in (trajectory.end_time, trajectory.end_time + 1.0):
        q, v, a = trajectory.evaluate(time)
        assert np.array_equal(q, rows[-1])
        assert not v.any()
        assert not a.any()
    way = np.abs(rows[-1] - start).max()
    for fraction in (0.1, 0.3, 0.45):
        early = trajectory.evaluate(trajectory.start_time + fraction * trajectory.duration)[0] - start
        late = rows[-1] - trajectory.evaluate(trajectory.end_time - fraction * trajectory.duration)[0]
        assert early == pytest.approx(late, abs=1e-9 * (1.0 + way))


@settings(max_examples=40)
@given(motions(), st.floats(0.05, 0.95))
def test_all_joints_are_synchronised(motion, fraction):
    start, rows, limits, _ = motion
    way = rows[-1] - start
    trajectory = plan_ptp(0.0, start, rows, limits)
    lead = np.argmax(np.abs(way))
    for value, offset in zip(trajectory.evaluate(fraction * trajectory.duration), (start, 0.0 * way, 0.0 * way), strict=True):
        s = (value - offset)[lead] / way[lead]
        assert value == pytest.approx(offset + s * way, abs=1e-9 * (1.0 + abs(s) * np.abs(way).max()))


def closed_form(way, v, a, j):
    """Biagiotti & Melchiorri (2008), section 3.4: the shortest time over a way from rest to rest."""
    if j is None:
        return way / v + v / a if way * a >= v**2 else 2.0 * math.sqrt(way / a)
    if v * j < a**2:  # the acceleration is not reached
        t = 2.0 * math.sqrt(v / j)
        return way / v + t if way >= v * t else 4.0 * (way / (2.0 * j)) ** (1.0 / 3.0)
    if way >= v * (v / a + a / j):
        return way / v + v / a + a / j
    if way >= 2.0 * a**3 / j**2:  # the acceleration is reached, the velocity is not
        return a / j + math.sqrt((a / j) ** 2 + 4.0 * way / a)
    return 4.0 * (way / (2.0 * j)) ** (1.0 / 3.0)


@settings(max_examples=40)
@given(motions())
def test_duration_is_the_shortest_of_the_slowest_joint(motion):
    start, rows, limits, _ = motion
    way = np.abs(rows[-1] - start)
    assume(way.min() > 1e-6)
    scaled = [tuple(x / way) for x in (limits.v_max, limits.a_max)] + [limits.j_max and tuple(np.array(limits.j_max) / way)]
    v, a, j = (None if x is None else min(x) for x in scaled)
    expected = closed_form(1.0, v, a, j)
    assert plan_ptp(0.0, start, rows, limits).duration == pytest.approx(expected, rel=1e-9)
    if j is None:
        assert ptp_duration(start, rows[-1], limits.v_max, limits.a_max) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("way", "v", "a", "j", "duration"),
    [
        (1.0, 0.5, 1.0, None, 2.5),  # trapezoid: way / v + v / a
        (1.0, 10.0, 1.0, None, 2.0),  # triangle: 2 sqrt(way / a)
        (-4.0, 2.0, 1.0, None, 4.0),  # the limit between the two
        (10.0, 2.0, 1.0, 2.0, 7.5),  # double S with all seven phases: way / v + v / a + a / j
        (2.0, 100.0, 100.0, 1.0, 4.0),  # four phases: 4 (way / (2 j))**(1/3)
        (10.0, 1.0, 100.0, 1.0, 12.0),  # way / v + 2 sqrt(v / j)
    ],
)
def test_duration_of_a_single_joint(way, v, a, j, duration):
    trajectory = plan_ptp(0.0, [0.3], [[0.3 + way]], PathLimits((v,), (a,), None if j is None else (j,)))
    assert trajectory.duration == pytest.approx(duration, rel=1e-12)


def test_no_way_takes_no_time():
    trajectory = plan_ptp(3.0, [1.0, 2.0], [[1.0, 2.0], [1.0, 2.0]], PathLimits((1.0,) * 2, (1.0,) * 2))
    assert (trajectory.segments, trajectory.duration, trajectory.end) == ((), 0.0, (1.0, 2.0))
    assert ptp_duration([1.0], [1.0], [1.0], [1.0]) == 0.0
    assert interrupt(trajectory, 3.0) is trajectory


def test_unequal_lengths_are_refused():
    with pytest.raises(ModelError, match="one value for each joint"):
        ptp_duration([0.0, 1.0], [1.0], [1.0], [1.0])


# -- corners ------------------------------------------------------------------------------------------------------------------


def distance_from_line(q, a, b):
    """In the norm of the joint that is farthest; the nearest point of the line by golden section, as the norm is convex."""
    t = np.linspace(0.0, 1.0, 401)
    return np.abs(q - (a + t[:, None] * (b - a))).max(axis=1).min()


@settings(max_examples=40)
@given(motions(rows=(2, 4), blended=True))
def test_blended_corners_keep_limits_and_the_radius_and_do_not_stop(motion):
    start, rows, limits, blend = motion
    trajectory = plan_ptp(1.0, start, rows, limits, blend)
    check_limits(trajectory, limits)
    check_continuity(trajectory, limits)
    assert trajectory.end == tuple(rows[-1])
    corners = [segment for segment in trajectory.segments if segment.limits is None]
    for corner, row in zip(corners, rows[:-1], strict=True):
        for s in np.linspace(0.0, corner.curve.length, 21):
            assert np.abs(corner.curve.at(s) - row).max() <= blend * (1.0 + 1e-9) + 1e-12
        assert corner.phases[0].velocity > 0.0
    for segment in trajectory.segments:
        assert all(phase.at(0.5 * phase.duration)[1] > 0.0 for phase in segment.phases)


def test_a_blended_right_angle_is_a_parabola_travelled_at_the_speed_its_acceleration_permits():
    limits = PathLimits((10.0, 10.0), (2.0, 2.0))
    trajectory = plan_ptp(0.0, [0.0, 0.0], [[10.0, 0.0], [10.0, 10.0]], limits, blend=1.0)
    (corner,) = (segment for segment in trajectory.segments if segment.limits is None)
    middle = 0.5 * (corner.start_time + corner.end_time)
    q, v, a = trajectory.evaluate(middle)
    assert q == pytest.approx([9.75, 0.25])  # 1/4 of the radius beside the row, in each joint
    assert v == pytest.approx([1.0, 1.0])  # v**2 / (2 * radius) = a: half of it in each joint
    assert a == pytest.approx([-2.0, 2.0])
    assert trajectory.duration < plan_ptp(0.0, [0.0, 0.0], [[10.0, 0.0], [10.0, 10.0]], limits).duration


def test_blending_on_one_line_does_not_slow_down():
    limits = PathLimits((1.0,), (2.0,), (8.0,))
    blended = plan_ptp(0.0, [0.0], [[1.0], [3.0]], limits, blend=0.2)
    assert blended.duration == pytest.approx(plan_ptp(0.0, [0.0], [[3.0]], limits).duration)


# -- interruption -------------------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(motions(rows=(1, 3), blended=True), st.booleans(), st.floats(1e-3, 1.0))
def test_an_interrupted_leg_brakes_within_the_limits_and_stays_on_its_way(motion, blended, fraction):
    start, rows, limits, blend = motion
    trajectory = plan_ptp(2.0, start, rows, limits, blend if blended else None)
    time = trajectory.start_time + fraction * trajectory.duration
    cut = interrupt(trajectory, time)
    check_limits(cut, limits)
    check_continuity(cut, limits)
    assert time <= cut.end_time + 1e-9
    assert cut.end_time <= trajectory.end_time * (1.0 + 1e-9) + 1e-7  # jerk of 1 takes 1e-8 s to end a speed of rounding, 1e-16
    for t in np.linspace(trajectory.start_time, time, 23)[:-1]:
        assert np.array(cut.evaluate(t)) == pytest.approx(np.array(trajectory.evaluate(t)), rel=1e-9, abs=1e-9)
    assert cut.evaluate(cut.end_time)[0] == pytest.approx(np.array(cut.end), abs=1e-12)
    if not blended:
        corners = [start, *rows]
        nearest = min(distance_from_line(cut.end, a, b) for a, b in itertools.pairwise(corners))
        assert nearest < 0.05


@settings(max_examples=40)
@given(motions(), st.floats(0.01, 0.99), st.floats(0.0, 1.0))
def test_an_interrupted_leg_can_be_interrupted_again_and_then_ends_the_same(motion, first, second):
    start, rows, limits, _ = motion
    trajectory = plan_ptp(0.0, start, rows, limits)
    cut = interrupt(trajectory, first * trajectory.duration)
    time = first * trajectory.duration + second * (cut.end_time - first * trajectory.duration)
    again = interrupt(cut, time)
    assert again.end_time == pytest.approx(cut.end_time, rel=1e-5)
    assert again.end == pytest.approx(cut.end, abs=1e-6)


def test_braking_from_the_cruise_takes_what_the_formula_says():
    trapezoid = plan_ptp(0.0, [0.0], [[10.0]], PathLimits((2.0,), (1.0,)))
    cut = interrupt(trapezoid, 4.0)
    assert cut.end_time == pytest.approx(6.0)
    assert cut.end == pytest.approx((2.0 + 4.0 + 2.0,))
    smooth = plan_ptp(0.0, [0.0], [[10.0]], PathLimits((2.0,), (1.0,), (2.0,)))
    cut = interrupt(smooth, 4.0)
    assert cut.end_time == pytest.approx(4.0 + 2.0 / 1.0 + 1.0 / 2.0)


def test_interrupting_before_and_after_a_leg_changes_nothing():
    trajectory = plan_ptp(1.0, [0.0], [[1.0]], PathLimits((1.0,), (1.0,)))
    assert interrupt(trajectory, trajectory.end_time) is trajectory
    early = interrupt(trajectory, 0.5)
    assert (early.end, early.segments) == ((0.0,), ())


def test_a_corner_that_cannot_be_avoided_any_more_is_passed_as_planned():
    limits = PathLimits((1.0, 1.0), (2.0, 2.0))
    trajectory = plan_ptp(0.0, [0.0, 0.0], [[5.0, 0.0], [5.0, 5.0]], limits, blend=1.0)
    first, corner, _ = trajectory.segments
    cut = interrupt(trajectory, 0.5 * (corner.start_time + corner.end_time))
    assert cut.segments[:2] == (first, corner)
    assert cut.end[0] == 5.0
    assert 1.0 < cut.end[1] < 5.0
    early = interrupt(trajectory, first.start_time + 1.0)
    assert early.end[1] == 0.0


@pytest.mark.parametrize("jerk", [None, 40.0])
@pytest.mark.parametrize("turn", [(0.0, 0.24), (0.24, 0.24), (0.24, -0.24)])
def test_on_a_line_that_is_too_short_to_stop_the_next_corner_is_passed(jerk, turn):
    """Whenever it is interrupted, in the short line between two corners, too."""
    limits = PathLimits((3.0, 2.0), (4.0, 4.0), None if jerk is None else (jerk, jerk))
    rows = np.cumsum([(2.0, 0.0), turn, (2.0, 0.0)], axis=0)
    trajectory = plan_ptp(0.0, [0.0, 0.0], rows, limits, blend=0.1)
    _, _, short, _, last = trajectory.segments
    assert short.limits is not None
    inside = np.linspace(short.start_time, short.end_time, 6)
    for time in (*np.linspace(0.0, trajectory.end_time, 12)[1:-1], *inside):
        cut = interrupt(trajectory, time)
        check_limits(cut, limits)
        check_continuity(cut, limits)
        assert cut.evaluate(cut.end_time)[0] == pytest.approx(np.array(cut.end), abs=1e-12)
        if short.start_time <= time <= short.end_time:
            assert len(cut.segments) == len(trajectory.segments)
            assert cut.segments[:4] == trajectory.segments[:4]
            assert last.start_time < cut.end_time < trajectory.end_time


# -- paths of a program -------------------------------------------------------------------------------------------------------


def test_path_rests_before_between_and_after_its_trajectories():
    limits = PathLimits((1.0,), (1.0,))
    first = plan_ptp(2.0, [0.0], [[1.0]], limits)
    second = plan_ptp(10.0, [1.0], [[-1.0]], limits)
    path = ReferencePath(("a",), (0.0,), limits, (first, second))
    for time, expected in ((-1.0, 0.0), (1.9, 0.0), (first.end_time, 1.0), (9.0, 1.0), (second.end_time + 5.0, -1.0)):
        q, v, a = path.evaluate(time)
        assert (q[0], v[0], a[0]) == (expected, 0.0, 0.0)


def test_packed_paths_keep_every_trajectory():
    trajectory = plan_ptp(2.0, [0.0, 1.0], [[1.0, 1.0]], PathLimits((1.0, 1.0), (1.0, 1.0)))
    packed = pack([[trajectory], [rest([5.0])]])
    assert packed.n_signals == 3
    assert packed.paths.tolist() == [[0, 2, 0, 4], [2, 1, 4, 2]]
    assert packed.times[:4] == pytest.approx([-math.inf, 2.0, 3.0, 4.0])
    assert packed.coefficients.shape == (6, 3, 2)
    assert packed.coefficients[1] == pytest.approx(np.array([[0.0, 1.0], [0.0, 0.0], [0.5, 0.0]]))
    assert packed.coefficients[4, 0, 0] == 5.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"names": "ab"}, "names of addReferencePath must be texts"),
        ({"names": ["a", "a"]}, "names of addReferencePath must differ"),
        ({"v_max": [1.0]}, "v_max of addReferencePath has the wrong length"),
        ({"j_max": [1.0]}, "j_max of addReferencePath has the wrong length"),
        ({"j_max": [1.0, 0.0]}, "j_max of addReferencePath must be positive"),
        ({"a_max": [1.0, math.nan]}, "a_max of addReferencePath must be finite"),
        ({"v_max": [1.0, 1e300]}, "v_max of addReferencePath must be positive.*at most 1e"),
        ({"joints": ["one"]}, "joints of addReferencePath has the wrong length"),
        ({"joints": [1, 2]}, "joints of addReferencePath must be texts"),
    ],
)
def test_wrong_declarations_are_refused(values, message):
    right = {"names": ["a", "b"], "position": [0, 0], "v_max": [1, 1], "a_max": [1, 1]}
    with pytest.raises(ModelError, match=message):
        AddPath(**(right | values))


@pytest.mark.parametrize("blend", [0.0, -1.0, "wide", True, math.inf])
def test_wrong_blend_radii_are_refused(blend):
    with pytest.raises(ModelError, match=r"blend of ptpJointSpace.*a positive number"):
        PtpJointSpace([[1.0], [2.0]], blend=blend)


@pytest.mark.parametrize("blend", [None, 0.1])
@pytest.mark.parametrize("way", [1e-2, 1e-5, 1e-8, 1e-12, 1e-40])
def test_a_way_may_be_as_short_as_numbers_are(way, blend):
    """It is gone in the time of the formula: half of it the joint that limits accelerates, and half of it brakes."""
    rows = np.array([[3.0 * way, way], [3.0 * way, way], [0.0, 2.0 * way]])
    trajectory = plan_ptp(1.0, np.zeros(2), rows, PathLimits((1.0, 1.0), (4.0, 2.0)), blend)
    assert np.array_equal(trajectory.evaluate(trajectory.end_time)[0], rows[-1])
    if blend is None:
        expected = 2.0 * (math.sqrt(3.0 * way / 4.0) + math.sqrt(3.0 * way / 4.0))
        assert trajectory.duration == pytest.approx(expected, rel=1e-9)
        between = trajectory.evaluate(1.0 + 0.5 * trajectory.duration)[0]
        assert between == pytest.approx(rows[1], rel=1e-6)
