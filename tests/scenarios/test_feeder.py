"""The feeder: every part of the pool comes to its place on the tray, and the first one appears twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario

FILE = Path(__file__).parents[2] / "scenarios" / "feeder" / "feeder.yaml"


@pytest.fixture(scope="module")
def result():  # type: ignore[no-untyped-def]
    scenario = read_scenario(FILE)
    with scenario.located():
        return scenario.instantiate().simulate(scenario.settings.stop_time, interval=0.05)


def test_every_part_comes_to_its_place(result) -> None:  # type: ignore[no-untyped-def]
    assert (result.verdict, result.success) == ("the tray is full", True)
    for k in range(1, 4):
        assert result[f"pool.m{k}.body.r_abs"][-1] == pytest.approx([0.6 + 0.2 * k, 0.6, 0.15], abs=1e-6)
    assert result["pool.m0.body.r_abs"][-1] == pytest.approx([0.3, 0.2, 0.25], abs=1e-9)


def test_parts_are_there_from_their_appearance_on(result) -> None:  # type: ignore[no-untyped-def]
    """NaN before; the first one lies on the tray until it is taken away."""
    appears = [record.start for record in result.segments if record.cause.startswith("ActionAdd")]
    for k, time in enumerate(appears[1:4], 1):
        there = np.isfinite(result[f"pool.m{k}.body.r_abs"]).all(axis=1)
        assert there[result.time > time].all()
        assert not there[result.time < time].any()
    again = np.searchsorted(result.time, appears[4])
    assert result["pool.m0.body.r_abs"][again - 3] == pytest.approx([0.6, 0.6, 0.15], abs=1e-6)


def test_the_hand_never_carries_a_part_lower_than_the_places(result) -> None:  # type: ignore[no-untyped-def]
    assert np.nanmin(result["hand.r_abs"][:, 2]) == pytest.approx(0.2, abs=1e-6)
