"""Reader of tasks in YAML (docs/gym.md). Mistakes are reported with file, line and the nearest valid key."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

from modiapy.model.errors import Position

from ..batch.study import StudyModel, check_derived
from ..batch.study_file import StudyReader
from ..files.quantities import documented, measured, seconds
from ..files.reader import read_scenario
from ..files.yaml_tree import Node
from .measures import Measure, named_measures
from .task import SIMULATION, Action, Observation, Task, made

VERSION = 1
KEY = "modia3d_task"
TOP = (
    KEY, "description", "scenario", "step", "stop_time", "quantities", "observations", "actions", "reward", "terminated",
    "factors", "derived", "simulation",
)  # fmt: skip
NEEDED = (KEY, "scenario", "observations", "actions", "reward")
NUMBERS = ("low", "high", "scale", "noise", "latency", "values")
"""Fields of observations and actions that may have units."""


def read_task(file: str | os.PathLike[str], permitted: Sequence[str | os.PathLike[str]] = ()) -> Task:
    """Read a task.

    Args:
        file: YAML file.
        permitted: folders whose files it, and its scenario, may name besides those in its own folder.

    Raises:
        ScenarioError: with file and line, and the nearest valid key where a key is unknown.
        ModelError: what is wrong with the scenario.
    """
    return _Reader(Path(file), permitted).task()


def is_task_file(file: str | os.PathLike[str]) -> bool:
    """Return whether a file is a task, else it is a scenario, or none."""
    try:
        with Path(file).open("rb") as stream:
            return any(line.startswith(KEY.encode()) for line in stream)
    except OSError:
        return False


class _Reader(StudyReader):
    """Reader of one file."""

    def task(self) -> Task:
        root = self.tree("task", (KEY, VERSION), TOP, NEEDED)
        parts: dict[str, Node] = root.value
        nothing = Node({}, root.line, {})
        with self.placing(parts["scenario"]):
            scenario = read_scenario(
                self.file_named(parts["scenario"], "the scenario of the task", self.folders), self.permitted
            )
        model = StudyModel(scenario.file.stem, scenario.model, scenario.settings, (), scenario)
        factors = {
            n: self.factor(n, node, [model]) for n, node in self.mapping(parts.get("factors", nothing), "factors").items()
        }
        constants = tuple(name for name in factors if name.isidentifier())
        derived = self.mapping(parts.get("derived", nothing), "derived")
        for path, node in derived.items():
            self.made(node, partial(check_derived, path, node.plain(), constants))
        times = {key: self.number(parts[key], key) for key in ("step", "stop_time") if key in parts}
        quantities = self.mapping(parts.get("quantities", nothing), "quantities")
        given = {name: self.expression(node, f"quantities.{name}") for name, node in quantities.items()}
        self.made(parts.get("quantities", root), partial(named_measures, given))
        settings = self.mapping(parts.get("simulation", nothing), "simulation", SIMULATION)
        task = partial(
            Task,
            scenario,
            **times,
            observations=self.entries(parts["observations"], "observations", Observation, "signal"),
            actions=self.entries(parts["actions"], "actions", Action, "inputs"),
            quantities=given,
            reward=self.expression(parts["reward"], "reward"),
            terminated=self.expression(parts.get("terminated", Node(False, 0)), "terminated"),
            factors=factors,
            derived={path: node.plain() for path, node in derived.items()},
            simulation={key: node.plain() for key, node in settings.items()},
            places=self.places(parts),
            description=self.text(parts.get("description", Node("", 0)), "description"),
        )
        return self.made(parts.get("step", root), task)

    def places(self, parts: dict[str, Node]) -> dict[str, Position]:
        """Return the place of each measure and action, by the path that errors about it have."""
        found = {key: Position(parts[key].line, 0, str(self.file)) for key in parts}
        for key in ("quantities", "observations", "actions", "factors", "derived"):
            node = parts.get(key)
            for name, line in ((node.key_lines if node is not None else None) or {}).items():
                inside = "" if key in ("factors", "derived") else f"{key}."
                found[f"{inside}{name}"] = Position(line, line.column, str(self.file))
        return found

    def number(self, node: Node, what: str) -> Any:
        """Return a time [s]."""
        return measured(self, node, what, seconds).plain()

    def text(self, node: Node, what: str) -> str:
        """Return the text of a node."""
        if not isinstance(node.value, str):
            raise self.error(f"'{what}' is wrong", node, found=node.kind, expected="text")
        return node.value

    def expression(self, node: Node, role: str) -> Any:
        """Return an expression of signals, or a number."""
        if not isinstance(node.value, str | float | int):
            raise self.error(f"'{role}' is wrong", node, found=node.shown, expected="an expression of signals")
        self.made(node, partial(Measure, node.value, role))
        return node.value

    def entries(self, node: Node, what: str, kind: type[Any], first: str) -> dict[str, Any]:
        """Return observations or actions by name, from a mapping, or from a list of their ``first`` fields."""
        if isinstance(node.value, list):
            names = [self.text(each, f"an entry of {what}") for each in node.value]
            given = dict(zip(names, node.value, strict=True))
        else:
            given = self.mapping(node, what)
        return {name: self.entry(name, each, what, kind, first) for name, each in given.items()}

    def entry(self, name: str, node: Node, what: str, kind: type[Any], first: str) -> Any:
        """Return one observation or action."""
        known = [each.name for each in fields(kind)]
        if isinstance(node.value, dict):
            self.check_keys(node, known, f"'{name}' of {what}")
            units = {key: partial(documented, kind, key) for key in NUMBERS}
            given = {
                key: (measured(self, each, f"{key} of '{name}'", units[key]) if key in NUMBERS else each).plain()
                for key, each in node.value.items()
            }
        else:
            given = {} if node.value is None else {first: node.plain()}
        if kind is Observation:
            signal = node.value.get("signal", Node(name, node.line)) if isinstance(node.value, dict) else node
            self.expression(Node(name, node.line) if signal.value is None else signal, f"observations.{name}")
            given.setdefault("signal", name)
        return self.made(node, partial(made, kind, first, f"{what}.{name}", given))
