"""The benchmark of loops: ours is the mechanism of the reference, the quickest setting of a peer is found."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from benchmarks import loop_mechanisms as mechanisms
from benchmarks import loops
from benchmarks.loop_model import PERIOD, Ours, held_arm
from benchmarks.loop_peers import Setting
from benchmarks.loop_reference import grid, reference
from modiapy import instantiate

SHORT = {
    "3 four-bars": mechanisms.four_bars(3, 1.0),
    "squeezer": mechanisms.squeezer(),
    "Bricard": mechanisms.bricard(1.0),
    "engine V6": mechanisms.engine_v6(0.1),
    "arm": mechanisms.arm(0.2),
}


@pytest.mark.parametrize("case", SHORT)
def test_ours_is_the_mechanism_of_the_reference(case):
    m = SHORT[case]
    points = 1 if case == "squeezer" else 2
    ours = Ours(m, points)
    assert ours.run(1e-8) > 0.0
    assert loops.error(ours.found, reference(m, grid(m, points)), m.size) < 1e-5
    assert ours.residual < 1e-9


def test_a_row_has_all_figures():
    row = loops.row_of(SHORT["3 four-bars"], 1e-6, 1, 2.0)
    assert json.loads(json.dumps(row)) == row
    assert row["case"] == "3 four-bars"
    assert 0.0 < row["error"] < 1e-3
    for peer in ("mujoco", "exudyn"):
        if loops.installed(peer):
            assert row[f"{peer}_s"] > 0.0
            assert 0.0 < row[f"{peer}_error"] < 1e-2
    assert "RK4" in row["mujoco_setting"] or "implicitfast" in row["mujoco_setting"]


@pytest.mark.parametrize(("loop", "dof"), [(True, [13, 7]), (False, [13, 7])])
def test_the_arm_is_closed_and_opened(loop, dof):
    result = instantiate(held_arm(4, loop=loop)).simulate(5 * PERIOD)
    assert [record.info["dof"] for record in result.segments] == [dof[0], dof[1], dof[0], dof[1], dof[0]]
    assert result.statistics["compilations_after_start"] == 0


@dataclass
class Fake:
    """A peer whose error is a power of the step, and whose time is known."""

    calls: list[Setting]
    lost: bool = False

    def settings(self):
        for steps in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            yield from (Setting("slow", steps), Setting("quick", steps))

    def run(self, setting):
        self.calls.append(setting)
        order, cost = (2, 4.0) if setting.method == "slow" else (1, 1.0)
        self.found = np.full((1, 1, 3), np.nan if self.lost else float(setting.steps) ** -order)
        return cost * setting.steps * 1e-3


def test_the_quickest_setting_is_found():
    """One method needs 10 steps of 4 ms, the other 100 of 1 ms; one alone is good enough."""
    peer, exact = Fake([]), np.zeros((1, 1, 3))
    found = loops.best(peer, exact, 1.0, 1e-2 * 3**0.5, 10.0)
    assert found.setting == Setting("slow", 10)
    assert found.error <= 1e-2 * 3**0.5
    assert found.seconds == pytest.approx(0.04)
    best = loops.best(Fake([]), exact, 1.0, 0.0, 0.1)
    assert best.setting == Setting("slow", 16)
    assert loops.best(Fake([], lost=True), exact, 1.0, 1.0, 0.1) is None


def test_exponent_of_a_power():
    rows = [{"case": f"{n} four-bars", "ours_s": 0.3 * n**1.1} for n in loops.WINDOWS] + [{"case": "arm", "ours_s": 1.0}]
    assert loops.exponent(rows) == pytest.approx(1.1)
    assert loops.exponent(rows[:1]) is None
    assert "exponent 1.1" in loops.table({"rows": [], "exponent": 1.1, "close_ms": 1.0, "open_ms": 1.0, "event_ms": 1.0})
