"""The commands that look at result files."""

import json
from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.main import main
from modiapy import read_result

from ..crane import write_crane

pytestmark = pytest.mark.white_box


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of the crane, one of them less precise."""
    folder = tmp_path_factory.mktemp("results")
    one, other = folder / "one.h5", folder / "other.h5"
    scenario = str(write_crane(folder))
    assert main(["run", scenario, "--output", str(one)]) == 0
    assert main(["run", scenario, "--tolerance", "1e-3", "--output", str(other)]) == 0
    return one, other


def test_a_scenario_is_in_its_result(results: tuple[Path, Path]) -> None:
    result = read_result(results[0])
    assert result.origin["scenario"] == Path(result.origin["file"]).read_text()
    assert result.segments[0].cause == "initialization"
    assert any("ActionAttach" in entry["step"] for entry in result.program_log)
    poses = [name for name in result.signals() if name.endswith(".R_abs")]
    assert poses
    rotation = result[poses[0]]
    assert rotation.shape == (result.time.size, 3, 3)
    assert result.unit("hand.r_abs") == "m"


def test_plot_writes_a_figure(results: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figure.svg"
    assert main(["plot", str(results[0]), "*.r_abs", "-o", str(file)]) == 0
    assert f"figure: {file}" in capsys.readouterr().out
    assert "<svg" in file.read_text()
    for arguments, message in (
        (["*.nothing", "-o", str(file)], "no signal of the result fits '*.nothing'"),
        (["time", "-o", str(tmp_path / "figure.npz")], "--output: the suffix is not known; found figure.npz"),
    ):
        assert main(["plot", str(results[0]), *arguments]) == 2
        assert message.split("; found")[0] in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_figure_is_written_whole_or_not_at_all(
    results: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, file = tmp_path / "full.PNG", tmp_path / "missing" / "figure.png"
    full.symlink_to("/dev/full")
    for target, reason in ((full, "No space left on device"), (file, "No such file or directory")):
        assert main(["plot", str(results[0]), "joint.phi", "-o", str(target)]) == 2
        assert capsys.readouterr().err == f"modia3d: {target}: the figure cannot be written; found {reason}\n"
    assert list(tmp_path.iterdir()) == [full]


def test_compare_has_a_verdict(results: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    one, other = map(str, results)
    assert main(["compare", one, one]) == 0
    assert "0 differ" in capsys.readouterr().out
    assert main(["compare", one, other, "*.r_abs", "--relative", "0", "--absolute", "1e-12"]) == 1
    assert "of the band" in capsys.readouterr().out
    assert main(["compare", one, other, "*.r_abs", "--relative", "0.1", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["same"]
    assert figures["signals"][0]["excess"] < 1.0
    assert np.isfinite(figures["signals"][0]["distance"])
    assert main(["compare", one, "nowhere.h5"]) == 2
    assert "nowhere.h5: there is no result" in capsys.readouterr().err
