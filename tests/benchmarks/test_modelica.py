"""How examples are compared with published results: what agrees, what does not, and where."""

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.modelica import totals_of
from benchmarks.modelica_braking import braking
from benchmarks.modelica_demonstrations import DEMONSTRATIONS, Demonstration
from benchmarks.modelica_references import TOLERANCE, Reference, compare, difference, examples, read_reference, shift_of
from benchmarks.modelica_rumoca import rumoca_fields

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


@pytest.mark.parametrize(("lasts", "agrees"), [(4e-6, True), (4e-3, False)])
def test_a_relation_that_takes_the_reference_an_instant_may_take_ours_none(lasts: float, agrees: bool) -> None:
    times = np.sort(np.concatenate([TIMES, [0.5, 0.5 + lasts, 0.5 + lasts]]))
    pulse = np.zeros(times.size)
    first = int(np.searchsorted(times, 0.5, side="right")) - 1
    pulse[first : int(np.searchsorted(times, 0.5 + lasts, side="right")) - 1] = 1.0
    assert pulse.any()
    assert (difference(times, pulse, TIMES, np.zeros(101)) <= TOLERANCE) == agrees


def test_an_element_that_vanishes_is_measured_by_the_array() -> None:
    reference = Reference("A", TIMES, {"w[1]": np.sin(TIMES), "w[2]": np.zeros(101), "v": np.zeros(101)}, ())
    noise = np.full(101, 1e-7)
    ours = {"w[1]": np.sin(TIMES), "w[2]": noise, "v": np.zeros(101)}
    assert compare(reference, TIMES, ours.__getitem__)[0] < TOLERANCE
    assert compare(reference, TIMES, (ours | {"w[2]": np.full(101, 1e-4)}).__getitem__)[0] > TOLERANCE
    assert compare(reference, TIMES, (ours | {"v": noise}).__getitem__)[0] > TOLERANCE


def test_an_independent_integration_decides_between_ours_and_the_published_result() -> None:
    truth = np.sin(TIMES)
    shown = Demonstration("coarse", independent=lambda times: {"x": np.sin(times)}).shown
    off = Reference("A", TIMES, {"x": truth + 0.01}, ())
    assert "coarse" in (shown(off, TIMES, lambda _: truth) or "")
    assert shown(off, TIMES, lambda _: truth + 0.02) is None
    assert shown(Reference("A", TIMES, {"x": truth + 0.01, "more": truth}, ()), TIMES, lambda _: truth) is None


def test_what_an_example_does_not_determine_excuses_no_other_signal() -> None:
    shown = Demonstration("which one", undetermined=("*.mode",)).shown
    reference = Reference("A", TIMES, {"a.mode": STEP, "x": TIMES}, ())
    ours = {"a.mode": np.zeros(101), "x": TIMES}
    assert shown(reference, TIMES, ours.__getitem__) is not None
    assert shown(reference, TIMES, (ours | {"x": TIMES + 0.1}).__getitem__) is None


def test_angles_may_differ_by_full_turns_only() -> None:
    shown = Demonstration("sign", angles=("phi[[]2]",)).shown
    angle = np.where(TIMES < 0.5, np.pi, 1.0)
    reference = Reference("A", TIMES, {"phi[2]": angle, "x": TIMES}, ())
    ours = {"phi[2]": np.where(TIMES < 0.5, -np.pi, 1.0), "x": TIMES}
    assert shown(reference, TIMES, ours.__getitem__) is not None
    assert shown(reference, TIMES, (ours | {"phi[2]": angle + 0.1}).__getitem__) is None
    assert shown(reference, TIMES, (ours | {"x": TIMES + 0.1}).__getitem__) is None


def test_a_singular_instant_excuses_no_other() -> None:
    shown = Demonstration("a quotient", singular=(0.5,)).shown
    with np.errstate(divide="ignore"):
        wanted = np.where(np.abs(TIMES - 0.5) < 1e-9, 1e12, 1 / np.abs(TIMES - 0.5))
    reference = Reference("A", TIMES, {"x": wanted, "y": TIMES}, ())
    ours = {"x": np.where(wanted > 1e11, 4e12, wanted), "y": TIMES}
    assert shown(reference, TIMES, ours.__getitem__) is not None
    assert shown(reference, TIMES, (ours | {"x": ours["x"] + (TIMES > 0.7)}).__getitem__) is None
    assert shown(reference, TIMES, (ours | {"y": TIMES + 0.1}).__getitem__) is None


@pytest.mark.parametrize("name", [name for name, shown in DEMONSTRATIONS.items() if shown.independent and "MultiBody" in name])
def test_independent_integrations_begin_as_the_example_says(name: str) -> None:
    """Each begins as the example says, and moves: a frozen or empty one would demonstrate nothing."""
    independent = DEMONSTRATIONS[name].independent
    assert independent is not None
    signals = independent(np.linspace(0.0, 0.5, 6))
    if "revolute1.phi" in signals:
        p, q = signals["revolute1.phi"], signals["revolute1.phi"] + signals["revolute2.phi"]
        assert (0.5 * (np.cos(p) + np.cos(q))[0], 0.5 * (np.sin(p) + np.sin(q))[0]) == pytest.approx((0.7, 0.3))
    else:
        place = next(key for key in signals if key.startswith("body1.") and "r_0[1]" in key)[:-3]
        r = np.hypot(signals[f"{place}[1]"], signals[f"{place}[2]"])
        speed = np.hypot(signals["body1.v_0[1]"], signals["body1.v_0[2]"])
        assert speed**2 / 2 - 1 / r == pytest.approx(0.5 - 1 / 0.6, rel=1e-9)
    assert all(np.ptp(values) > 0.01 for values in signals.values())


def test_the_machine_that_brakes_begins_at_its_nominal_speed_and_only_loses_energy() -> None:
    times = np.linspace(0.0, 0.02, 401)
    signals = braking(times)
    speed, d, q = signals["inertiaLoad.w"], signals["smpm.idq_sr[1]"], signals["smpm.idq_sr[2]"]
    assert (speed[0], signals["inertiaLoad.phi"][0], signals["smpm.is[1]"][0]) == (50 * np.pi, 0, 0)
    energy = 0.58 * speed**2 / 2 + 1.5 * 0.4 / (100 * np.pi) * (d**2 + q**2) / 2
    assert (np.diff(energy) < 0).all()
    torque = 3.0 * np.sqrt(2.0) * 112.3 / (100 * np.pi) * q
    assert 0.58 * (speed[-1] - speed[0]) == pytest.approx(np.trapezoid(torque, times), rel=1e-3)
    angle = 2.0 * signals["inertiaLoad.phi"]
    assert np.abs(signals["smpm.is[1]"] - (d * np.cos(angle) - q * np.sin(angle))).max() < 1e-3


def test_water_that_falls_is_warmed_by_its_potential_energy() -> None:
    independent = DEMONSTRATIONS["Modelica.Fluid.Examples.AST_BatchPlant.Test.TankWithEmptyingPipe1"].independent
    assert independent is not None
    signals = independent(np.array([0.0, 10.0, 35.0]))
    brought = 50.0 * np.array([0.0, 10.0, 35.0])
    mass = 995.586 * (signals["tank1.level"] + 0.1)
    assert np.diff(mass, prepend=mass[0]) == pytest.approx(np.diff(brought, prepend=0.0))
    assert mass * 4184.0 * (signals["tank1.medium.T"] - 293.15) == pytest.approx(brought * 9.80665 * 1.0, abs=1e-5)


def test_signals_that_follow_from_others_are_to_follow_from_ours() -> None:
    shown = Demonstration("energy", implied=lambda signals: {"T": 2.0 * signals("x")}).shown
    reference = Reference("A", TIMES, {"x": TIMES, "T": 2.0 * TIMES + 0.01}, ())
    assert "energy" in (shown(reference, TIMES, {"x": TIMES, "T": 2.0 * TIMES}.__getitem__) or "")
    assert shown(reference, TIMES, {"x": TIMES, "T": 2.0 * TIMES + 0.01}.__getitem__) is None
    assert shown(reference, TIMES, {"x": TIMES + 0.1, "T": 2.0 * TIMES + 0.2}.__getitem__) is None


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


@pytest.mark.parametrize(("ours", "agrees"), [(0.5, True), (0.51, False)])
def test_an_instant_is_compared_too(ours: float, agrees: bool) -> None:
    reference = Reference("A.B", np.zeros(2), {"x": np.full(2, 0.5)}, ())
    worst, _ = compare(reference, np.zeros(2), lambda name: np.full(2, ours))
    assert (worst <= TOLERANCE) == agrees


def test_rumoca_counts_where_both_agree_only() -> None:
    stages = {"flattened": True, "translated": True, "simulated": True}
    ours = {**stages, "agrees": True, "simulate_least_s": 0.01}
    times = {"rumoca_simulate_s": 0.2, "rumoca_simulate_least_s": 0.1, "rumoca_setup_s": 0.08}
    rows = [
        {"example": "Lib.A.A", **ours, **times, "rumoca_agrees": True},
        {"example": "Lib.A.B", **ours, **times, "rumoca_agrees": True, "rumoca_setup_s": 0.095},
        {"example": "Lib.A.C", **ours, **times, "rumoca_agrees": True, "simulate_least_s": 0.3},
        {"example": "Lib.A.D", **ours, **times, "rumoca_agrees": False},
        {"example": "Lib.A.E", **ours, "rumoca_simulate_s": None, "rumoca_simulate_least_s": None, "rumoca_agrees": None},
        {"example": "Lib.A.G", **ours, **times, "rumoca_agrees": True},
        {"example": "Lib.A.F", **stages, "agrees": None, "error": "x", **times, "rumoca_agrees": True},
    ]
    del rows[5]["rumoca_setup_s"]  # as where rumoca fails when it is timed
    total = totals_of(rows)[-1]
    counted = ("rumoca_simulated", "rumoca_agrees", "both_agree", "faster", "integrates_faster")
    assert [total[name] for name in counted] == [6, 5, 4, 2, 1]
    assert "faster" not in totals_of([{"example": "Lib.A.A", **ours}])[-1]


@pytest.mark.parametrize(
    ("program", "said"),
    [("import time; time.sleep(30)", "more than 2 s"), ("raise SystemExit('broken')", "ended with 1: broken")],
)
def test_what_stops_rumoca_is_said_and_no_time_is_given(program: str, said: str) -> None:
    fields = rumoca_fields([sys.executable, "-c", program], 2.0)
    assert said in fields["rumoca_error"]
    assert (fields["rumoca_simulate_s"], fields["rumoca_agrees"]) == (None, None)
