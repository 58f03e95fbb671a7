"""How examples are compared with published results: what agrees, what does not, and where."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.modelica import totals_of
from benchmarks.modelica_references import TOLERANCE, compare, difference, examples, read_reference, shift_of

TIMES = np.linspace(0.0, 1.0, 101)
STEP = np.where(TIMES < 0.5, 0.0, 2.0)


def test_a_signal_agrees_with_itself_on_another_grid() -> None:
    ours = np.linspace(0.0, 1.0, 2001)
    assert difference(TIMES, np.sin(6 * TIMES), ours, np.sin(6 * ours)) < 1e-5


def test_a_difference_is_a_part_of_the_range() -> None:
    wanted = 10.0 * TIMES
    assert difference(TIMES, wanted, TIMES, wanted + 0.5) == pytest.approx(0.05)
    assert difference(TIMES, wanted, TIMES, np.full(101, np.nan)) == np.inf


def test_an_event_may_lie_between_the_points_of_the_reference() -> None:
    ours = np.array([0.0, 0.505, 0.505, 1.0])
    assert difference(TIMES, STEP, ours, np.array([0.0, 0.0, 2.0, 2.0])) <= TOLERANCE


def test_an_event_at_another_time_differs() -> None:
    ours = np.array([0.0, 0.55, 0.55, 1.0])
    assert difference(TIMES, STEP, ours, np.array([0.0, 0.0, 2.0, 2.0])) == pytest.approx(1.0)


def test_events_that_follow_each_other_may_be_shifted_less() -> None:
    alone = np.array([0.0, 0.5, 0.5, 1.0])
    fine = np.linspace(0.0, 1.0, 10001)
    assert shift_of(np.sort(np.concatenate([fine, alone]))) == pytest.approx(2e-3)
    many = np.repeat(np.arange(1, 400) / 400, 2)
    assert shift_of(np.sort(np.concatenate([fine, many]))) == pytest.approx(1 / 1600)


def test_a_wrong_value_at_an_event_differs() -> None:
    ours = np.array([0.0, 0.5, 0.5, 1.0])
    assert difference(TIMES, STEP, ours, np.array([0.0, 0.0, 2.2, 2.2])) == pytest.approx(0.1)


def test_without_an_event_time_may_not_be_shifted() -> None:
    wanted = np.sin(60 * TIMES)
    assert difference(TIMES, wanted, TIMES, np.sin(60 * (TIMES - 0.005))) > 0.05


def test_the_signals_to_be_compared_are_those_of_the_list(tmp_path: Path) -> None:
    folder = tmp_path / "Lib" / "Examples" / "Tank"
    folder.mkdir(parents=True)
    (folder / "comparisonSignals.txt").write_text("time\ntank.level\npump.q[1]\nabsent\n")
    assert list(examples(tmp_path)) == ["Lib.Examples.Tank"]
    assert read_reference(tmp_path, "Lib.Examples.Tank") is None
    (folder / "Tank.csv").write_text('"time","pump.q[1]","other","tank.level"\n0,1,5,0\n1,1,5,2\n')
    reference = read_reference(tmp_path, "Lib.Examples.Tank")
    assert reference is not None
    assert reference.missing == ("absent",)
    assert {name: values.tolist() for name, values in reference.signals.items()} == {"tank.level": [0, 2], "pump.q[1]": [1, 1]}
    ours = {"tank.level": np.array([0.0, 2.2]), "pump.q[1]": np.array([1.0, 1.0])}
    assert compare(reference, np.array([0.0, 1.0]), ours.__getitem__) == (pytest.approx(0.1), "tank.level")


def test_totals_count_each_stage_by_package() -> None:
    stages = {"flattened": True, "translated": True, "simulated": True}
    rows = [
        {"example": "Lib.Mechanics.Rotational.A", **stages, "agrees": True},
        {"example": "Lib.Mechanics.Rotational.B", **stages, "agrees": None},
        {"example": "Lib.Blocks.C", "flattened": True, "translated": False, "simulated": False, "agrees": None, "error": "x"},
    ]
    totals = {total["package"]: total for total in totals_of(rows)}
    assert (totals["Lib.Mechanics.Rotational"]["agrees"], totals["Lib.Mechanics.Rotational"]["unpublished"]) == (1, 1)
    assert (totals["Lib.Blocks"]["flattened"], totals["Lib.Blocks"]["translated"]) == (1, 0)
    assert (totals["all"]["examples"], totals["all"]["simulated"], totals["all"]["unpublished"]) == (3, 2, 1)
