"""Reader of studies in YAML (docs/batch.md). Mistakes are reported with file, line and the nearest valid key."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModiaError
from modiapy.simulation.results.quantities import Quantity

from ..files.expectations import read_expectations
from ..files.node_reader import NodeReader
from ..files.overrides import units_at
from ..files.quantities import documented, measured
from ..files.reader import read_scenario
from ..files.scenario import SimulationSettings
from ..files.yaml_tree import Node
from ..scene.basics.paths import permitted_path
from .design import Sampling
from .factors import KINDS, Factor
from .study import KEEP, Limits, Study, StudyModel, check_derived, factor_of, settings_with

VERSION = 1
KEY = "modia3d_study"
TOP = (
    KEY, "description", "scenario", "scenarios", "simulation", "factors", "derived", "sampling", "quantities",
    "expect", "limits", "results", "animations",
)  # fmt: skip


def read_study(file: str | os.PathLike[str], permitted: Sequence[str | os.PathLike[str]] = ()) -> Study:
    """Read a study.

    Args:
        file: YAML file.
        permitted: folders whose files it, and its scenarios, may name besides those in their own folders.

    Raises:
        ScenarioError: with file and line, and the nearest valid key where a key is unknown.
        ModelError: what is wrong with a scenario.
    """
    return StudyReader(Path(file), permitted).study()


class StudyReader(NodeReader):
    """Reader of one file; other formats with factors derive theirs from it."""

    def __init__(self, file: Path, permitted: Sequence[str | os.PathLike[str]]) -> None:
        self.file, self.permitted = file, permitted
        self.folders = [os.path.dirname(os.path.realpath(file)), *(os.fspath(folder) for folder in permitted)]

    def study(self) -> Study:
        root = self.tree("study", (KEY, VERSION), TOP, (KEY,))
        parts: dict[str, Node] = root.value
        nothing = Node({}, root.line, {})
        settings = self.fields(parts.get("simulation", nothing), "simulation", SimulationSettings)
        models = [self.settled(model, settings, parts.get("simulation", nothing)) for model in self.scenarios(root)]
        written = self.mapping(parts.get("factors", nothing), "factors")
        factors = {name: self.factor(name, node, models) for name, node in written.items()}
        constants = tuple(name for name in factors if name.isidentifier())
        quantities = self.mapping(parts.get("quantities", nothing), "quantities")
        for name, node in quantities.items():
            if not isinstance(node.value, str):
                raise self.error(
                    f"quantity '{name}' is wrong", node, found=node.shown, expected="an expression such as final(x)"
                )
            self.made(node, partial(Quantity, node.value, constants))
        derived = self.mapping(parts.get("derived", nothing), "derived")
        for path, node in derived.items():
            self.made(node, partial(check_derived, path, node.plain(), constants))
        sampling, limits = parts.get("sampling", nothing), parts.get("limits", nothing)
        results = parts.get("results", Node("none", 0))
        if results.value not in KEEP:
            raise self.error("'results' is wrong", results, found=results.shown, expected=f"one of {', '.join(KEEP)}")
        animations = parts.get("animations", Node([], 0))
        if not isinstance(animations.value, list) or any(type(item.value) is not int for item in animations.value):
            raise self.error("'animations' is wrong", animations, found=animations.shown, expected="a list of numbers of runs")
        description = parts.get("description", Node("", 0))
        if not isinstance(description.value, str):
            raise self.error("'description' is wrong", description, found=description.kind, expected="text")
        expect = read_expectations(self, parts.get("expect", nothing), tuple(quantities), constants)
        return self.located(
            parts,
            lambda: Study(
                models,
                factors,
                {name: node.value for name, node in quantities.items()},
                self.made(sampling, lambda: Sampling(**self.fields(sampling, "sampling", Sampling))),
                self.made(limits, lambda: Limits(**self.fields(limits, "limits", Limits))),
                expect,
                {path: node.plain() for path, node in derived.items()},
                name=self.file.stem,
                description=description.value,
                results=results.value,
                animations=animations.plain(),
            ),
        )

    def scenarios(self, root: Node) -> list[StudyModel]:
        """Return the scenarios that ``scenario`` or ``scenarios`` name.

        Patterns such as ``*/*.yaml`` stand for all files that fit, sorted.
        """
        given = [root.value[key] for key in ("scenario", "scenarios") if key in root.value]
        if len(given) != 1:
            found = "both" if given else "neither"
            raise self.error(
                "'scenario' is missing", root, found=found, expected="either scenario: FILE or scenarios: [FILE, ...]"
            )
        (node,) = given
        items = node.value if isinstance(node.value, list) else [node]
        models = []
        for item in items:
            if not isinstance(item.value, str):
                raise self.error("a scenario is wrong", item, found=item.shown, expected="a file")
            names = self.files(item.value)
            if not names:
                raise self.error(f"no file fits '{item.value}'", item, expected="scenarios")
            for name in names:
                path = self.made(item, partial(permitted_path, "a scenario of the study", name, self.folders))
                scenario = read_scenario(path, self.permitted)
                models.append(StudyModel(path.stem, scenario.model, scenario.settings, scenario.expect, scenario))
        return models

    def files(self, pattern: str) -> list[str]:
        if not glob.has_magic(pattern):
            return [pattern]
        names = sorted(glob.glob(pattern, root_dir=self.folders[0]))
        own = os.path.realpath(self.file)
        return [name for name in names if not _is_no_scenario(Path(self.folders[0]) / name, own)]

    def settled(self, model: StudyModel, settings: dict[str, float], node: Node) -> StudyModel:
        made = self.made(node, lambda: settings_with(model.settings, settings))
        return StudyModel(model.name, model.model, made, model.expect, model.scenario)

    def factor(self, name: str, node: Node, models: Sequence[StudyModel]) -> Factor:
        if not isinstance(node.value, dict):
            raise self.error(f"factor '{name}' is wrong", node, found=node.shown, expected="such as {uniform: [0, 1]}")
        if "distribution" not in node.value:
            self.check_keys(node, ("path", *KINDS), f"factor '{name}'")
        path = node.value.get("path")
        if path is not None:
            items = path.value if isinstance(path.value, list) else [path]
            if not items or not all(isinstance(item.value, str) for item in items):
                raise self.error(
                    f"path of factor '{name}' is wrong", path, found=path.shown, expected="a path, or a list of them"
                )
        paths = [name] if path is None else [item.value for item in items]
        units = partial(self.units, paths, models)
        given = {
            key: measured(self, item, f"factor '{name}'", units).plain() if key in KINDS else item.plain()
            for key, item in node.value.items()
        }
        return self.made(node, lambda: factor_of(name, given))

    def units(self, paths: Sequence[str], models: Sequence[StudyModel]) -> Sequence[str]:
        """Return the units of the first parameter that the models have under one of these paths."""
        found = (units_at(model.model, path) for model in models for path in paths)
        return next(filter(None, found), ())

    def fields(self, node: Node, what: str, kind: type[Any]) -> dict[str, Any]:
        """Return the fields of a dataclass from the file."""
        known = tuple(f.name for f in fields(kind))
        given = self.mapping(node, what)
        for key in given:
            if key not in known:
                raise self.unknown(key, node, known, what)
        return {key: measured(self, item, f"{what}.{key}", partial(documented, kind, key)).value for key, item in given.items()}

    # -- checks --------------------------------------------------------------------------------------------------------

    def located(self, parts: dict[str, Node], make: Callable[[], Study]) -> Study:
        """Make the study; an error about a path gets the line of the factor or derived value with this path."""
        try:
            return make()
        except ModiaError as error:
            if not error.file:
                error.file = str(self.file)
                error.line = self.line_of(parts, error.path)
            raise

    def line_of(self, parts: dict[str, Node], path: str) -> int | None:
        for key in ("factors", "derived", "quantities"):
            node = parts.get(key)
            for name, item in (node.value or {}).items() if node is not None else ():
                assert node is not None
                lines = node.key_lines or {}
                inside = item.value.get("path") if isinstance(item.value, dict) else None
                targets = inside.plain() if inside is not None else name
                if path in ((name, targets) if isinstance(targets, str) else (name, *targets)):
                    return lines.get(name)
        return None

    def made(self, node: Node, make: Callable[[], Any]) -> Any:
        """Return the result of ``make``; errors get file and line."""
        try:
            return make()
        except ModiaError as error:
            raise self.placed(error, node) from None


def _is_no_scenario(path: Path, own: str) -> bool:
    """Return whether a file is a study, or a task of `modia3d.gym`: patterns for scenarios skip it."""
    if os.path.realpath(path) == own:
        return True
    with path.open("rb") as stream:
        head = stream.read(4096)
    return b"modia3d_study:" in head or b"modia3d_task:" in head
