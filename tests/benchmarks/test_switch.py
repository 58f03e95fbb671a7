"""The benchmark of a change of structure: what it measures is the same change in all engines."""

import importlib.util
import json

import numpy as np
import pytest

from benchmarks import switch, switch_scenes
from modiapy import instantiate

CHANGES = 4


def test_our_boxes_are_joined_and_parted():
    result = instantiate(switch_scenes.our_boxes(4, CHANGES)).simulate((CHANGES + 1) * switch_scenes.PERIOD)
    assert [record.info["dof"] for record in result.segments] == [24, 18, 24, 18, 24]
    assert np.abs(result["box0.r_abs"] - result["box1.r_abs"] + [switch_scenes.SIDE, 0, 0]).max() < 1e-12
    assert result.statistics["compilations_after_start"] == 0


def test_mujoco_changes_the_same_scene_and_carries_its_state_over():
    exact = switch_scenes.MujocoSpec(4)
    assert exact.model.nv == 24
    turning = exact.data.joint("free3").qvel[3:].copy()
    exact.join()
    assert exact.model.nv == 18
    assert exact.data.joint("free3").qvel[3:] == pytest.approx(turning)  # the state is carried over
    exact.part()
    assert exact.model.nv == 24
    assert 0 < switch_scenes.MujocoWeld(4).drift() < 0.1


def test_without_exudyn_its_column_is_empty(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "exudyn" else find(name))
    row = switch.row_of(4, repetitions=1, changes=CHANGES)
    assert row["exudyn_ms"] is None
    assert json.loads(json.dumps(row))["exudyn_ms"] is None
    assert all(value > 0 for name, value in row.items() if name != "exudyn_ms")
    assert row["event_ms"] > row["rebuild_ms"] + row["first_step_ms"]
    assert "not installed" in switch.table({"rows": [row], "exponent": 1.0, "event_exponent": 1.0, "arm": {"rebuild_ms": 0.2}})


def test_exponent_of_a_power():
    rows = [{"bodies": n, "rebuild_ms": 0.3 * n**0.9} for n in switch.BODIES]
    assert switch.exponent(rows) == pytest.approx(0.9)
