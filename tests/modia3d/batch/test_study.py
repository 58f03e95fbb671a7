"""Studies in Python: what they set, what they keep, what they refuse."""

import math
from pathlib import Path

import numpy as np
import pytest

from modia3d.batch import Study, run_study
from modia3d.batch.dataset import SMALL, Dataset, open_study
from modia3d.batch.execution import Execution, Row, Task, job_of
from modiapy import Map, Model, ModelError, Par, Var, instantiate, read_result

pytestmark = pytest.mark.white_box

GEAR = Model(ratio=2.0, loss=Model(d=0.1))
DECAY = Model(gear=GEAR, offset=0.0, x=Var(init=1.0), equations=["der(x) = -gear.ratio*gear.loss.d*x + offset"])
SETTINGS = {"stop_time": 2.0, "tolerance": 1e-8}


def decay(**changes: object) -> Study:
    given: dict[str, object] = {
        "factors": {"d": {"path": "gear.loss.d", "list": [0.1, 0.2]}, "gear.ratio": {"grid": [1.0, 2.0, 2]}},
        "quantities": {"x": "final(x)", "lost": "1 - d*final(x)"},
        "simulation": SETTINGS,
    }
    return Study(DECAY, **(given | changes))  # type: ignore[arg-type]


def test_runs_are_what_simulate_gives_with_the_same_values(tmp_path: Path) -> None:
    rows = run_study(decay(), tmp_path, workers=0).rows()
    sim = instantiate(DECAY)
    for row in rows:
        merge = Map(gear=Map(ratio=row["gear.ratio"], loss=Map(d=row["d"])))
        x = sim.simulate(2.0, tolerance=1e-8, merge=merge)["x"][-1]
        assert row["x"] == x
        assert row["lost"] == 1 - row["d"] * x
        assert row["status"] == "finished"
    assert [(row["d"], row["gear.ratio"]) for row in rows] == [(0.1, 1.0), (0.1, 2.0), (0.2, 1.0), (0.2, 2.0)]


def test_derived_values_and_arguments_of_simulate(tmp_path: Path) -> None:
    study = decay(
        factors={"d": {"path": "gear.loss.d", "list": [0.1]}, "simulation.stop_time": {"list": [1.0, 3.0]}},
        derived={"offset": "2*d"},
        quantities={"x": "final(x)", "end": "end_time()"},
    )
    rows = run_study(study, tmp_path, workers=0).rows()
    assert [row["end"] for row in rows] == [1.0, 3.0]
    expected = instantiate(DECAY).simulate(3.0, tolerance=1e-8, merge=Map(offset=0.2))["x"][-1]
    assert rows[1]["x"] == expected


def test_values_that_change_the_structure_are_translated_once_each() -> None:
    law = Par("one", choices=("one", "two"))
    equations = ["y = k*x if law == 'one' else 2*x", "der(x) = -y"]
    switched = Model(law=law, k=1.0, x=Var(init=1.0), y=Var(), equations=equations)
    study = Study(
        switched,
        {"law": {"list": ["one", "two"]}, "k": {"grid": [1, 2, 5]}},
        {"x": "final(x)"},
        simulation={"stop_time": 1.0, "tolerance": 1e-9},
    )
    job = job_of(study)
    assert job.models[0].structural == {"law"}
    execution = Execution(job)
    rows = [execution.execute(Task(run, 0, study.design.values(run))) for run in range(study.design.runs)]
    assert execution.translations == 2
    assert [row.quantities["x"] for row in rows[:5]] == pytest.approx(np.exp(-np.linspace(1, 2, 5)), rel=1e-6)
    assert [row.quantities["x"] for row in rows[5:]] == pytest.approx([math.exp(-2.0)] * 5, rel=1e-6)


def test_expectations_and_failures_stand_in_the_rows(tmp_path: Path) -> None:
    study = decay(
        factors={"offset": {"list": [0.0, 10.0]}}, quantities={"x": "final(x)"}, expect={"x": {"at_most": 1.0}, "segments()": 1}
    )
    rows = run_study(study, tmp_path, workers=0).rows()
    assert rows[0]["unmet"] == ""
    assert "expected at most 1" in rows[1]["unmet"]
    with pytest.raises(ModelError, match=r"there is no signal 'x\[1\]'"):
        run_study(decay(quantities={"y": "final(x[1])"}), tmp_path / "wrong", workers=0)


def test_all_signals_are_kept_on_request(tmp_path: Path) -> None:
    dataset = run_study(decay(results="all"), tmp_path, workers=0)
    files = sorted((tmp_path / "results").iterdir())
    assert [file.name for file in files] == [f"run-{k:07d}.h5" for k in range(4)]
    assert read_result(files[3])["x"][-1] == dataset.rows()[3]["x"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"factors": {"gear.ratoi": {"list": [1]}}, "quantities": {}}, "'gear' has no 'ratoi'.*Did you mean 'ratio'"),
        ({"factors": {"d": {"unifrom": [0, 1]}}}, "Did you mean 'uniform'"),
        ({"derived": {"offset": "2*de"}}, "no factor"),
        ({"simulation": {"stop": 1}}, "unknown key 'stop'.*stop_time"),
        ({"quantities": {"x": "x"}}, "x: 'x' is not one number"),
        ({"quantities": {"d": "final(x)"}}, "the same name"),
        ({"results": "some"}, "none, failed, all"),
        ({"animations": [4]}, "0 to 3"),
        ({"limits": {"wall_time": 0}}, "more than 0"),
        ({"sampling": {"method": "halton"}}, "unknown"),
    ],
)
def test_mistakes_are_told_before_anything_is_simulated(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        decay(**changes)


# -- on disk -----------------------------------------------------------------------------------------------------------


def rows_of(numbers: range) -> list[Row]:
    values = {"d": 0.1, "gear.ratio": 1.0}
    return [Row(run, "Model", values, "finished", quantities={"x": float(run), "lost": 0.0}) for run in numbers]


def test_a_study_is_gone_on_with_only_where_it_is_the_same(tmp_path: Path) -> None:
    run_study(decay(), tmp_path, workers=0)
    with pytest.raises(ModelError, match=r"already.*--resume"):
        run_study(decay(), tmp_path, workers=0)
    assert len(run_study(decay(), tmp_path, workers=0, resume=True).rows()) == 4
    with pytest.raises(ModelError, match="a different study; found other quantities"):
        run_study(decay(quantities={"x": "maximum(x)"}), tmp_path, workers=0, resume=True)
    with pytest.raises(ModelError, match="found other models"):
        Dataset.resume(tmp_path, Study(DECAY | Map(offset=1.0), simulation=SETTINGS, factors=decay().factors))
    with pytest.raises(ModelError, match=r"no study.json"):
        open_study(tmp_path / "nowhere")


def test_many_small_files_become_one(tmp_path: Path) -> None:
    dataset = Dataset.create(tmp_path, decay())
    for k in range(SMALL + 3):
        dataset.append(rows_of(range(k, k + 1)))
    assert len(list((tmp_path / "rows").iterdir())) == 4
    dataset.compact()
    assert len(list((tmp_path / "rows").iterdir())) == 1
    assert dataset.table()["x"].to_pylist() == [float(k) for k in range(SMALL + 3)]


def test_no_row_is_lost_or_doubled_where_joining_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = Dataset.create(tmp_path, decay())
    dataset.append(rows_of(range(2)))
    dataset.append(rows_of(range(2, 4)))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda self, missing_ok=False: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            dataset.compact()
    assert len(list((tmp_path / "rows").iterdir())) == 3
    assert open_study(tmp_path).table()["run"].to_pylist() == [0, 1, 2, 3]
    (tmp_path / "rows" / ".0123.tmp").write_bytes(b"half a file")
    resumed = Dataset.resume(tmp_path, decay())
    assert len(list((tmp_path / "rows").iterdir())) == 1
    assert resumed.done() == {0, 1, 2, 3}


@pytest.mark.parametrize("written", [0, 1, 2])
@pytest.mark.parametrize("what", ["compact", "append"])
def test_a_study_killed_between_large_files_of_one_join_keeps_every_run_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, written: int
) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr("modia3d.batch.dataset.LARGE", 10)
    monkeypatch.setattr("modia3d.batch.dataset.SMALL", 5)
    create = Dataset._write
    dataset, left = Dataset.create(tmp_path, decay()), written

    def killed(self: Dataset, path: Path, table: object) -> None:
        nonlocal left
        if path.name.startswith("rows-"):
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
        create(self, path, table)

    for k in range(4):
        dataset.append(rows_of(range(6 * k, 6 * k + 6)))
    with monkeypatch.context() as patch:
        patch.setattr(Dataset, "_write", killed)
        with pytest.raises(KeyboardInterrupt):
            dataset.compact() if what == "compact" else dataset.append(rows_of(range(24, 30)))
    runs = list(range(24 if what == "compact" else 30))
    assert open_study(tmp_path).table()["run"].to_pylist() == runs
    resumed = Dataset.resume(tmp_path, decay())
    assert resumed.done() == set(runs)
    assert resumed.table()["x"].to_pylist() == list(map(float, runs))
    resumed.compact()
    assert sorted(pandas.read_parquet(tmp_path / "rows")["run"]) == runs
    assert Dataset.resume(tmp_path, decay()).table()["run"].to_pylist() == runs


def test_pandas_reads_the_rows(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    run_study(decay(), tmp_path, workers=0)
    frame = pandas.read_parquet(tmp_path / "rows")
    assert list(frame["run"]) == [0, 1, 2, 3]
    assert frame["x"].notna().all()
