"""The two-stage rocket against its closed form and the final state that Modia3D's test requires."""

import numpy as np
import pytest

G, MASS = 9.81, 100.0
THRUST_1, THRUST_2 = 1e4, 2e3
"""Of the stages, falling to zero between 0 and 5 s, and between 5 and 15 s."""
MODIA3D = [0.0, 1232.2203937213537, 0.0, 0.0, 77.85108394267779, 0.0]
"""Position and velocity of the second stage at 15 s in test/Segmented/TwoStageRocket3D.jl, there with a tolerance of 1e-6."""


@pytest.fixture
def result(simulated):
    return simulated("two_stage_rocket")


def rise(t, span, thrust, mass):
    """Height and speed gained in the time t by a thrust that falls linearly to zero in a span."""
    return thrust / mass * (t**2 / 2 - t**3 / (6 * span)) - G * t**2 / 2, thrust / mass * (t - t**2 / (2 * span)) - G * t


def test_segments_and_their_degrees_of_freedom(result):
    assert [record.start for record in result.segments] == [0.0, 0.0, 5.0, 10.0]
    assert [record.info["dof"] for record in result.segments] == [12, 6, 12, 6]
    assert [record.states_variant for record in result.segments] == [26, 13, 26, 13]
    causes = ["stage1.top -> stage2.bottom", "ActionRelease stage1.top", "ActionDelete stage1.top"]
    assert all(record.cause.endswith(cause) for record, cause in zip(result.segments[1:], causes, strict=True))
    assert result.statistics["compilations_after_start"] == 0


def test_final_state_is_that_of_modia3d_and_of_the_closed_form(result):
    final = np.concatenate([result["stage2.body.r_abs"][-1], result["stage2.body.v_abs"][-1]])
    np.testing.assert_allclose(final, MODIA3D, rtol=2e-5, atol=1e-9)
    h1, v1 = rise(5.0, 5.0, THRUST_1, 2 * MASS)
    h2, v2 = rise(10.0, 10.0, THRUST_2, MASS)
    np.testing.assert_allclose(final, [0.0, 2.5 + h1 + v1 * 10.0 + h2, 0.0, 0.0, v1 + v2, 0.0], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(result["stage2.body.R_abs"][-1], np.eye(3), atol=1e-9)
    np.testing.assert_allclose(result["stage2.body.w_abs"][-1], 0.0, atol=1e-9)


def test_both_stages_fly_as_one_until_the_separation_and_the_first_falls_freely_after_it(result):
    for index in (2, 3):
        segment = result.segment(index)
        t = np.asarray(segment.time)
        first, second = segment["stage1.body.r_abs"][:, 1], segment["stage2.body.r_abs"][:, 1]
        if index == 2:
            height, _ = rise(t, 5.0, THRUST_1, 2 * MASS)
            np.testing.assert_allclose(second - first, 1.5, atol=1e-9)
            np.testing.assert_allclose(first, 1.0 + height, atol=1e-4)
        else:
            h1, v1 = rise(5.0, 5.0, THRUST_1, 2 * MASS)
            np.testing.assert_allclose(first, 1.0 + h1 + v1 * (t - 5.0) - G * (t - 5.0) ** 2 / 2, rtol=1e-6)
            assert np.all(np.diff(second - first)[1:-1] > 0.0)


def test_nothing_jumps_at_the_separation_and_the_deleted_stage_has_no_signals(result):
    joined, apart, alone = (result.segment(k) for k in (2, 3, 4))
    for signal in ("body.r_abs", "body.v_abs", "body.R_abs"):
        for stage in ("stage1", "stage2"):
            np.testing.assert_array_equal(apart[f"{stage}.{signal}"][0], joined[f"{stage}.{signal}"][-1])
        np.testing.assert_array_equal(alone[f"stage2.{signal}"][0], apart[f"stage2.{signal}"][-1])
    time = np.asarray(result.time)
    assert np.all(np.isnan(result["stage1.body.r_abs"][time > 10.0]))
    assert not np.any(np.isnan(result["stage1.body.r_abs"][time < 10.0]))
