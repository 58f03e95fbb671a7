"""Signals and flags that the quantities of a study name: those that no run can have are refused before the first one."""

from pathlib import Path

import pytest

from modia3d.batch import read_study, run_study
from modia3d.cli.main import main
from modiapy import ModelError

pytestmark = pytest.mark.white_box

SCENARIO = """modia3d: 1
model:
  speed: 0.5
  x: {Var: {init: 0.0}}
  v: {Var: {init: [0.0, 1.0]}}
  moved: {Var: "x > 0.25"}
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  ball: {Object3D: {feature: {Solid: {shape: {Sphere: {diameter: 0.1}}, solid_material: Steel}}}}
  slide: {Prismatic: {obj1: world, obj2: ball, axis: x, v: speed}}
  equations: ["der(x) = speed", "der(v) = [1, 2]*speed"]
actions:
  - wait_until: slide.s > 0.2
  - set: {captured: true}
  - ActionWait: 0.1
  - set: {count: 2, captured: false}
simulation: {stop_time: 1.0, tolerance: 1.0e-8}
"""


def study(folder: Path, quantity: str, scenario: str = SCENARIO) -> Path:
    (folder / "slide.yaml").write_text(scenario)
    file = folder / "study.yaml"
    file.write_text(
        f"modia3d_study: 1\nscenario: slide.yaml\nfactors: {{speed: {{list: [0.5, 1.0]}}}}\nquantities:\n  q: {quantity}\n"
    )
    return file


@pytest.mark.parametrize(
    ("quantity", "expected"),
    [
        ("final(x)", [0.5, 1.0]),
        ("final(slide.s)", [0.5, 1.0]),
        ("maximum(ball.r_abs[0])", [0.5, 1.0]),
        ("final(mechanics.kinetic_energy)/speed**2", None),
        ("event_time(flags.captured > 0.5)", [0.4, 0.2]),
        ("event_time(flags.count > 1.5)", [0.5, 0.3]),
        ("final(flags.captured)", [0.0, 0.0]),
        ("final(v[1])", [2.0, 3.0]),
        ("event_time(moved)", [0.5, 0.25]),
        ("integral(flags.captured)", [0.1, 0.1]),
    ],
)
def test_signals_and_flags_that_there_are(tmp_path: Path, quantity: str, expected: list[float] | None) -> None:
    rows = run_study(read_study(study(tmp_path, quantity)), tmp_path / "out", workers=0).rows()
    found = [row["q"] for row in rows]
    if expected is None:
        assert found[0] == pytest.approx(found[1])
    else:
        assert found == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize(
    ("quantity", "message"),
    [
        ("final(slide.t)", "there is no signal 'slide.t'"),
        ("maximum(bal.r_abs[0])", "there is no signal 'bal.r_abs\\[0\\]'"),
        ("event_time(flags.captued > 0.5)", "no program sets the flag 'captued'.*Did you mean 'flags.captured'"),
        ("event_time(mechanics.kinetic_enery > 0)", "there is no signal 'mechanics.kinetic_enery'"),
        ("final(slide.s[0])", "there is no signal 'slide.s\\[0\\]'"),
        ("final(x[1])", "there is no signal 'x\\[1\\]'"),
        ("final(v[2])", "there is no signal 'v\\[2\\]'"),
        ("final(ball.r_abs[3])", "there is no signal 'ball.r_abs\\[3\\]'"),
        ("maximum(ball.r_abs)", "'ball.r_abs' is an array.*ball.r_abs\\[0\\]"),
        ("maximum(v)", "'v' is an array.*v\\[0\\]"),
        ("event_time(slide.s)", "'slide.s' is no condition.*slide.s > 0"),
        ("count(x - 0.1)", "is no condition"),
    ],
)
def test_what_no_run_can_have_is_refused_before_the_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], quantity: str, message: str
) -> None:
    file = study(tmp_path, quantity)
    with pytest.raises(ModelError, match=message) as caught:
        run_study(read_study(file), tmp_path / "out", workers=0)
    assert caught.value.path == "q"
    assert main(["batch", str(file), "--out", str(tmp_path / "told"), "--workers", "0"]) == 2
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert not list((tmp_path / "told").glob("*.parquet"))
