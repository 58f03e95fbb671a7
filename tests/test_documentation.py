"""The documentation: its examples run, its links lead somewhere, and it names what is public."""

import inspect
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import modia3d
import modiapy
from modia3d.cli.main import cli, main
from modia3d.files import read_scenario
from modia3d.files.registry import constructors
from modiapy import Model, SimulationModel, acausal, instantiate
from modiapy.acausal import Mode, Slot
from modiapy.model.attributes import PAR_ATTRIBUTES, VAR_ATTRIBUTES
from modiapy.model.expression import CONSTANTS
from modiapy.model.language import CALLED
from tools._blocks import carry_out
from tools.pictures import PICTURES, draw

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parent.parent
FILES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *sorted((ROOT / "docs").rglob("*.md"))]
USER = [file for file in FILES if file.name not in ("architecture.md", "dependencies.md", "CONTRIBUTING.md", "CHANGELOG.md")]
WITH_MODELS = (
    "bond_graphs",
    "mechanics_3d",
    *("contact", "forces", "forest", "impacts", "joints", "language", "loops", "multibody", "planar", "sensors", "simulation"),
    "solver",
)
"""Guides whose examples that bind ``model`` can be simulated."""


def blocks(file: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", file.read_text(), re.DOTALL)


def names_after_each_example(guide: str) -> list[dict[str, Any]]:
    """The examples of a guide run one after the other, as a reader would type them."""
    names: dict[str, Any] = {}
    states = []
    for example in blocks(ROOT / "docs" / f"{guide}.md", "python"):
        exec(example, names)
        states.append(dict(names))
    return states


@pytest.mark.parametrize("guide", WITH_MODELS)
def test_examples_run_and_models_simulate(guide: str) -> None:
    texts = blocks(ROOT / "docs" / f"{guide}.md", "python")
    bound = 0
    for text, names in zip(texts, names_after_each_example(guide), strict=True):
        if re.search(r"^model = ", text, re.MULTILINE):
            bound += 1
            assert isinstance(names["model"], Model)
            result = instantiate(names["model"]).simulate(0.1)
            assert result.time[-1] == 0.1
            numbers = [name for name in result.signals() if "cut_" not in name]  # massless points have no cut forces
            assert all(np.isfinite(result[name]).all() for name in numbers)
    assert bound


def test_the_study_of_the_guide_is_carried_out(folder: Path) -> None:
    pytest.importorskip("dask")
    (folder / "study.yaml").write_text(blocks(ROOT / "docs" / "batch.md", "yaml")[0])
    names: dict[str, Any] = {"folder": folder / "python"}
    for example in blocks(ROOT / "docs" / "batch.md", "python"):
        exec(example, names)
    assert 0.7 <= names["shortest"].x <= 0.9
    assert names["dataset"].table()["status"].to_pylist() == ["finished"] * 2
    assert main(["batch", "study.yaml", "--workers", "0"]) == 0


def test_the_numeric_api_gives_what_it_says() -> None:
    names = names_after_each_example("multibody")[-1]
    d, body = names["d"], names["body"]
    assert d.M @ d.a + d.h == pytest.approx(d.tau, abs=1e-12)
    assert names["energy"] - d.potential_energy() == pytest.approx(0.5 * d.v @ d.M @ d.v, rel=1e-12)
    arm = d.R[body].reshape(3, 3) @ names["p_BF"]
    assert names["J"] @ d.v == pytest.approx(np.concatenate([d.v_W[body] + np.cross(d.w_W[body], arm), d.w_W[body]]), abs=1e-12)


INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
URDF = f"""
<robot name="r">
  <link name="base">{INERTIAL}</link>
  <link name="arm">{INERTIAL}<visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the files that the guides name."""
    (tmp_path / "meshes" / "my_robot").mkdir(parents=True)
    (tmp_path / "robot.urdf").write_text(URDF)
    (tmp_path / "pendulum.yaml").write_text(blocks(ROOT / "docs" / "scenarios.md", "yaml")[0])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("guide", ["architecture", "import", "library", "save_restore", "scenarios", "viewing"])
def test_examples_run(guide: str, folder: Path) -> None:
    names: dict[str, object] = {}  # what an example uses it has imported, or an example before it
    for example in blocks(ROOT / "docs" / f"{guide}.md", "python"):
        exec(example, names)
    if "result" in names:
        assert names["result"].status == "finished"


def test_the_camera_of_the_page_on_viewing_is_a_part_of_a_scenario(folder: Path) -> None:
    (text,) = blocks(ROOT / "docs" / "viewing.md", "yaml")
    (folder / "camera.yaml").write_text(text)
    assert main(["run", "camera.yaml", "--stop-time", "0.1"]) == 0


def test_the_graph_in_yaml_runs(folder: Path) -> None:
    """A capacitor of 0.5 behind a resistance of 2 at an effort of 10, from 1 on."""
    (text,) = blocks(ROOT / "docs" / "bond_graphs.md", "yaml")
    (folder / "graph.yaml").write_text(text)
    scenario = read_scenario(folder / "graph.yaml")
    result = scenario.instantiate().simulate(scenario.settings.stop_time, tolerance=1e-8)
    assert result["C.e"][-1] == pytest.approx([10.0 - 9.0 * np.exp(-5.0)], abs=1e-6)


def test_the_pendulum_of_bonds_is_the_same_in_yaml(folder: Path) -> None:
    page = ROOT / "docs" / "mechanics_3d.md"
    (text,) = blocks(page, "yaml")
    (folder / "pendulum.yaml").write_text(text)
    scenario = read_scenario(folder / "pendulum.yaml")
    angle = scenario.instantiate().simulate(scenario.settings.stop_time)["hinge.phi"]
    names: dict[str, Any] = {}
    exec(blocks(page, "python")[0], names)
    assert angle == pytest.approx(names["angle"], abs=1e-12)


def test_the_lift_of_bonds_is_the_same_in_yaml(tmp_path: Path) -> None:
    scenario = read_scenario(ROOT / "scenarios" / "bond_graphs" / "lift.yaml")
    result = scenario.instantiate().simulate(scenario.settings.stop_time, tolerance=scenario.settings.tolerance)
    page = carry_out(ROOT / "docs" / "tutorials" / "bond_graph.md", tmp_path, ROOT)["result"]
    for name, close in (("load.height.q", 1e-9), ("pipe.oil.e", 0.1), ("winding.T", 1e-6)):
        assert result[name][-1] == pytest.approx(page[name][-1], abs=close)
    assert result.unit("armature.R.f") == "A"


PAGES = (
    "start",
    "segments",
    "mechanics_3d_impulses",
    *(f"tutorials/{file.stem}" for file in sorted((ROOT / "docs" / "tutorials").glob("*.md"))),
)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_carried_out(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page asserts holds; its pictures are there, and are those that `tools.pictures` draws."""
    if page == "tutorials/modelica":
        pytest.importorskip("rumoca")
    monkeypatch.chdir(tmp_path)
    file = ROOT / "docs" / f"{page}.md"
    names = carry_out(file, tmp_path, ROOT)
    assert names["result"].status == "finished"
    for picture in re.findall(r"\]\(\.\./pictures/(\w+)\.png\)", file.read_text()):
        draw(names, PICTURES[picture], tmp_path / "picture.png")
        assert (ROOT / "docs" / "pictures" / f"{picture}.png").exists()
    for picture in re.findall(r"\]\(\.\./pictures/(\w+\.svg)\)", file.read_text()):
        assert (ROOT / "docs" / "pictures" / picture).read_bytes() == (tmp_path / picture).read_bytes()


def test_the_sling_of_the_page_on_segments_releases_its_stone_on_the_tangent(tmp_path: Path) -> None:
    result = carry_out(ROOT / "docs" / "segments.md", tmp_path, ROOT)["result"]
    velocity = result.segment(3)["stone.v_abs"]
    assert velocity == pytest.approx(np.broadcast_to(velocity[0], velocity.shape), abs=1e-7)
    assert np.linalg.norm(velocity[0]) == pytest.approx(2.2, abs=1e-5)


RUN = {
    "README": ("python", "bash"),  # test_readme; the commands by CI
    "CONTRIBUTING": ("bash",),  # CI
    "batch": ("python", "yaml", "bash"),
    "components": ("python",),  # tests/modiapy/acausal/test_guide.py
    "gym": ("python", "yaml"),  # tests/modia3d/gym/test_guide.py
    "import": ("python", "bash"),
    "programs": ("python", "yaml"),  # tests/modia3d/actions/test_examples_of_the_guide.py
    "scenarios": ("python", "yaml", "bash"),  # and tests/modia3d/files/test_include.py
    "structural_change": ("python",),  # test_structural_contract
    "viewing": ("python", "yaml"),
    **dict.fromkeys(("architecture", "library", "save_restore", *WITH_MODELS), ("python",)),
    **dict.fromkeys(("bond_graphs", "mechanics_3d"), ("python", "yaml")),
}
"""Languages of the blocks of pages that tests run; of `PAGES` it is all."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_block_is_run_or_says_why_not(file: Path) -> None:
    if file.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/") in PAGES:
        return
    text = file.read_text()
    for before, language, code in re.findall(r"(?:^|\n)([^\n]*)\n+```(\S*)[^\n]*\n(.*?)\n```", text, re.DOTALL):
        told = re.fullmatch(r"<!-- not run: .+ -->", before)
        assert told or language in ("text", "{toctree}", *RUN.get(file.stem, ())), code[:200]
    assert not re.search(r"\n\n    (from|import|modia3d) ", text), "code that is indented only"


@pytest.mark.parametrize("guide", ["import", "scenarios"])
def test_commands_run(guide: str, folder: Path) -> None:
    """The commands of a guide, as they stand there."""
    (commands,) = re.findall(r"```bash\n(modia3d .*?)```", (ROOT / "docs" / f"{guide}.md").read_text(), re.DOTALL)
    for command in commands.splitlines():
        assert main(command.split()[1:]) == 0


def test_the_command_line_is_documented() -> None:
    text = "".join((ROOT / "docs" / f"{guide}.md").read_text() for guide in ("scenarios", "import", "batch", "viewing"))
    readme = (ROOT / "README.md").read_text()
    options = {
        name: {text for param in command.params for text in param.opts if text[0] == "-"}
        for name, command in cli.commands.items()
    }
    for name, known in options.items():
        assert f"modia3d {name} " in readme
        for option in known:
            assert f"`{option}" in text, option
    for option in re.findall(r"(?<=[\s\[])--[a-z-]+", readme.split("## Command line")[1].split("```")[1]):
        assert any(option in known for known in options.values())


@pytest.mark.parametrize("package", [modia3d, modiapy])
def test_public_names_are_documented_for_users(package: Any) -> None:
    text = " ".join(file.read_text() for file in USER)
    assert [name for name in package.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_what_components_are_written_with_is_documented() -> None:
    text = (ROOT / "docs" / "components.md").read_text()
    names = [*acausal.__all__, *Slot.__members__, *Mode.__members__]
    assert [name for name in names if not re.search(rf"`[^`]*\b{name}\b", text)] == []


def test_constructors_of_scenarios_are_documented() -> None:
    text = " ".join(file.read_text() for file in USER)
    assert [name for name in constructors() if "." not in name and not re.search(rf"\b{name}\b", text)] == []


def test_functions_and_attributes_of_the_language_are_documented() -> None:
    text = (ROOT / "docs" / "language.md").read_text()
    names = (*CALLED, *CONSTANTS, *VAR_ATTRIBUTES, *PAR_ATTRIBUTES)
    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


def test_arguments_of_simulate_and_parts_of_results_are_documented() -> None:
    text = (ROOT / "docs" / "simulation.md").read_text()
    arguments = [name for name in inspect.signature(SimulationModel.simulate).parameters if name != "self"]
    parts = ["terminated", "verdict", "success", "program_log", "statistics", "status", "segments", "segment", "signals"]
    assert [name for name in arguments if f"`{name}`" not in text] == []
    assert [name for name in parts if not re.search(rf"[.`]{name}\b", text)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_links_lead_somewhere(file: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", file.read_text()):
        if "reference/" in target:
            continue  # made by tools.docs, where Sphinx checks it
        path, _, anchor = target.partition("#")
        linked = file.parent / path if path else file
        assert linked.exists(), target
        headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE) if anchor else []
        anchors = [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
        assert not anchor or anchor in anchors, target


LONGEST_CELL = 200
WITH_LONG_CELLS = ("architecture.md", "library.md")
"""Their tables hold a paragraph for each folder or library."""


@pytest.mark.parametrize("file", [file for file in FILES if file.name not in WITH_LONG_CELLS], ids=lambda file: file.name)
def test_tables_hold_words_and_no_paragraphs(file: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", file.read_text(), flags=re.DOTALL | re.MULTILINE)
    rows = [line.strip() for line in text.splitlines() if line.lstrip().startswith("|")]
    cells = [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert [cell for cell in cells if len(cell) > LONGEST_CELL] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_paths_exist(file: Path) -> None:
    """Files in backticks; in the tables of the architecture relative to a package."""
    for path in re.findall(r"`((?:modiapy|modia3d|tests|docs|benchmarks|scenarios)/[\w/.]+)`", file.read_text()):
        assert (ROOT / path).exists(), path


def sections_of(page: Path) -> set[str]:
    return {*re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}


def test_pages_and_sections_that_code_refers_to_exist() -> None:
    """A reference is the path of a page, with an anchor or, behind a comma, with the title of a section in quotation marks."""
    lost, found = [], 0
    for folder in ("modiapy", "modia3d", "tools", "benchmarks", "scenarios", "tests"):
        for file in (ROOT / folder).rglob("*.py"):
            words = " ".join(file.read_text().split())
            for page, anchor, title in re.findall(r'\b(docs/[\w/]+\.md)(?:#([\w-]+))?(?:`*, "([^"]+)")?', words):
                found += 1
                path = ROOT / page
                sections = sections_of(path) if path.exists() else set()
                known = {section.lower().replace(" ", "-") for section in sections} | sections | {""}
                if not path.exists() or not {anchor, title} <= known:
                    lost.append(f"{file.relative_to(ROOT)}: {page} {anchor}{title}")
    assert found > 20
    assert lost == []


def test_files_of_the_architecture_exist() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    files = [
        path.as_posix() for folder in ("modiapy", "modia3d", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")
    ]
    named = set(re.findall(r"[`/ ]([a-z]\w*(?:/\w+)*\.py)\b", text))
    assert len(named) > 8
    files += [path.name for path in ROOT.glob("*.py")]
    assert [name for name in sorted(named) if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


def test_every_module_stands_in_the_architecture() -> None:
    """By its name, by a pattern for several files, or by that of its folder where this is the unit that is described."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    patterns = re.findall(r"[\w*]*\*[\w*]*\.py", text)
    missing = []
    for file in (path for root in ("modiapy", "modia3d") for path in (ROOT / root).rglob("*.py")):
        part_of = any(re.search(rf"\b{folder.name}/`", text) for folder in list(file.relative_to(ROOT).parents)[:-3])
        named = re.search(rf"\b{file.stem}(\.py)?\b", text) or any(fnmatch(file.name, pattern) for pattern in patterns)
        if not (file.name.startswith("_") or named or part_of):
            missing.append(file.relative_to(ROOT).as_posix())
    assert missing == []
