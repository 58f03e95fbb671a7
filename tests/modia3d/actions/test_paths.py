"""Point-to-point paths: limits, synchronisation, smoothness, exact ends."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.actions.paths import ReferencePath, pack_paths, ptp_duration, ptp_leg
from modiapy.model.errors import ModelError

position = st.floats(-10.0, 10.0, allow_subnormal=False)
limit = st.floats(0.01, 20.0)


@st.composite
def motions(draw: st.DrawFn) -> tuple[list[float], list[float], list[float], list[float]]:
    n = draw(st.integers(1, 4))
    rows = [draw(st.lists(values, min_size=n, max_size=n)) for values in (position, position, limit, limit)]
    if max(abs(a - b) for a, b in zip(rows[0], rows[1], strict=True)) < 1e-3:
        rows[1][0] = rows[0][0] + 1.0
    return rows[0], rows[1], rows[2], rows[3]


def leg_of(motion, start_time=0.0):
    leg = ptp_leg(start_time, *motion)
    assert leg is not None
    return leg


@settings(max_examples=60, deadline=None)
@given(motions())
def test_limits_are_respected_and_one_of_them_is_reached(motion):
    _, _, v_max, a_max = motion
    leg = leg_of(motion)
    times = np.linspace(0.0, leg.duration, 201)
    v = np.array([leg.evaluate(t)[1] for t in (*times, *leg.breakpoints)])
    a = np.array([leg.evaluate(t)[2] for t in (*times, *leg.breakpoints)])
    speed, acceleration = np.abs(v).max(axis=0) / v_max, np.abs(a).max(axis=0) / a_max
    assert max(speed.max(), acceleration.max()) <= 1.0 + 1e-9
    assert acceleration.max() == pytest.approx(1.0, rel=1e-9)
    cruising = leg.breakpoints[2] > leg.breakpoints[1] + 1e-9
    if cruising:
        assert speed.max() == pytest.approx(1.0, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(motions(), st.floats(-5.0, 100.0))
def test_ends_exactly_at_the_target_and_is_smooth_and_symmetric(motion, start_time):
    start, end, _, _ = motion
    leg = leg_of(motion, start_time)
    assert np.array_equal(leg.evaluate(leg.start_time)[0], start)
    assert np.array_equal(leg.evaluate(leg.end_time)[0], end)
    assert np.array_equal(leg.evaluate(leg.end_time + 1.0)[0], end)
    assert not leg.evaluate(leg.end_time)[1].any()
    way = np.abs(np.subtract(end, start)).max()
    for breakpoint_ in leg.breakpoints:
        before, after = (leg.evaluate(math.nextafter(breakpoint_, to)) for to in (-math.inf, math.inf))
        assert before[0] == pytest.approx(after[0], abs=1e-10 * (1.0 + way))
        assert before[1] == pytest.approx(after[1], abs=1e-9 * (1.0 + np.abs(after[1]).max() + way * leg.s_acceleration))
    for fraction in (0.1, 0.3, 0.45):
        early = leg.evaluate(leg.start_time + fraction * leg.duration)[0] - start
        late = np.subtract(end, leg.evaluate(leg.end_time - fraction * leg.duration)[0])
        assert early == pytest.approx(late, abs=1e-9 * (1.0 + way))


@settings(max_examples=40, deadline=None)
@given(motions(), st.floats(0.05, 0.95))
def test_all_joints_are_synchronised(motion, fraction):
    start, end, _, _ = (np.array(row) for row in motion)
    leg = leg_of(motion)
    way = end - start
    q, v, a = leg.evaluate(fraction * leg.duration)
    lead = np.argmax(np.abs(way))
    for value, offset in ((q, start), (v, 0.0), (a, 0.0)):
        s = (value - offset)[lead] / way[lead]
        assert value == pytest.approx(offset + s * way, abs=1e-9 * (1.0 + abs(s) * np.abs(way).max()))


@settings(max_examples=30, deadline=None)
@given(motions(), st.floats(0.02, 0.98))
def test_velocity_is_the_derivative_of_position_and_acceleration_that_of_velocity(motion, fraction):
    leg = leg_of(motion)
    time = fraction * leg.duration
    step = 1e-5 * leg.duration
    if min(abs(time - b) for b in leg.breakpoints) < 2 * step:
        return
    scale = np.abs(np.subtract(motion[1], motion[0])).max()
    (q0, v0, _), (_, v, a), (q1, v1, _) = (leg.evaluate(time + k * step) for k in (-1, 0, 1))
    assert (q1 - q0) / (2 * step) == pytest.approx(v, abs=1e-7 * scale / leg.duration + 1e-9 / leg.duration)
    assert (v1 - v0) / (2 * step) == pytest.approx(a, abs=1e-6 * scale * leg.s_acceleration + 1e-9 / leg.duration)


@pytest.mark.parametrize(
    ("way", "v", "a", "duration"),
    [
        (1.0, 0.5, 1.0, 2.5),  # trapezoid: way / v + v / a
        (1.0, 10.0, 1.0, 2.0),  # triangle: 2 sqrt(way / a)
        (-4.0, 2.0, 1.0, 4.0),  # the limit between the two
    ],
)
def test_duration_of_a_single_joint(way, v, a, duration):
    assert ptp_duration([0.3], [0.3 + way], [v], [a]) == pytest.approx(duration, rel=1e-12)


def test_slowest_joint_decides_the_duration():
    alone = ptp_duration([0.0], [2.0], [0.5], [1.0])
    together = ptp_duration([0.0, 1.0], [2.0, 1.1], [0.5, 0.5], [1.0, 1.0])
    assert together == pytest.approx(alone, rel=1e-12)


def test_no_way_takes_no_time():
    assert ptp_leg(3.0, [1.0, 2.0], [1.0, 2.0], [1.0, 1.0], [1.0, 1.0]) is None
    assert ptp_duration([1.0], [1.0], [1.0], [1.0]) == 0.0


def test_unequal_lengths_are_refused():
    with pytest.raises(ModelError, match="one value for each joint"):
        ptp_duration([0.0, 1.0], [1.0], [1.0], [1.0])


def test_path_rests_before_between_and_after_its_legs():
    first = leg_of(([0.0], [1.0], [1.0], [1.0]), 2.0)
    second = leg_of(([1.0], [-1.0], [1.0], [1.0]), 10.0)
    path = ReferencePath(("a",), (0.0,), (1.0,), (1.0,), (first, second))
    for time, expected in ((-1.0, 0.0), (1.9, 0.0), (first.end_time, 1.0), (9.0, 1.0), (second.end_time + 5.0, -1.0)):
        q, v, a = path.evaluate(time)
        assert (q[0], v[0], a[0]) == (expected, 0.0, 0.0)


def test_packed_paths_shift_in_time_and_keep_every_leg():
    leg = leg_of(([0.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]), 2.0)
    paths = [
        ReferencePath(("a", "b"), (0.0, 1.0), (1.0,) * 2, (1.0,) * 2, (leg,)),
        ReferencePath(("c",), (5.0,), (1.0,), (1.0,)),
    ]
    packed = pack_paths(paths, time_offset=100.0)
    assert packed.n_signals == 3
    assert packed.paths.tolist() == [[0, 2, 0, 2], [2, 1, 2, 1]]
    assert packed.times[1, :4] == pytest.approx([102.0, 103.0, 103.0, 104.0])
    assert packed.positions[2, 1, 0] == 5.0
