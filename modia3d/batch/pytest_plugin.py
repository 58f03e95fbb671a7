"""pytest plugin: collects scenarios with ``expect:`` as tests, if they fit a pattern of the option ``modia3d_scenarios``.

In ``pyproject.toml``: ``[tool.pytest.ini_options] modia3d_scenarios = ["scenarios/*/*.yaml"]``, or on the command line
``--scenarios 'scenarios/*/*.yaml'``. A test simulates the scenario once. It fails if the simulation fails, or if a quantity is
not as expected. With pytest-xdist each process simulates its share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

OPTION = "modia3d_scenarios"
_EXPECTS = re.compile(rb"^expect\s*:", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of this plugin."""
    parser.addini(OPTION, "patterns of scenario files whose 'expect:' is tested", type="args", default=[])
    parser.getgroup("modia3d").addoption(
        "--scenarios", metavar="PATTERN", action="append", default=[], help="test the scenarios that fit, by their 'expect:'"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Return the test file for a scenario that fits a pattern and has ``expect:``."""
    config = parent.config
    patterns = [*config.getini(OPTION), *config.getoption("--scenarios")]
    if file_path.suffix not in (".yaml", ".yml") or not patterns:
        return None
    inside = file_path.relative_to(config.rootpath) if file_path.is_relative_to(config.rootpath) else file_path
    if not any(inside.match(pattern) for pattern in patterns) or not _EXPECTS.search(file_path.read_bytes()):
        return None
    collected: ScenarioFile = ScenarioFile.from_parent(parent, path=file_path)
    return collected


class ScenarioFile(pytest.File):
    """Scenario that pytest collects."""

    def collect(self) -> Iterator[ScenarioItem]:
        """Generate one test: the file is simulated once."""
        item: ScenarioItem = ScenarioItem.from_parent(self, name="expect")
        yield item


class NotAsExpected(Exception):
    """Quantities are not as expected; the text says which."""


class ScenarioItem(pytest.Item):
    """Test of a scenario's expectations."""

    def runtest(self) -> None:
        """Simulate the scenario and check its quantities.

        Raises NotAsExpected, or the error of the scenario or the simulation.
        """
        from modiapy.simulation.results.quantities import Quantity

        from ..files.reader import read_scenario

        scenario = read_scenario(self.path)
        simulation = scenario.instantiate()
        with scenario.located():
            result = simulation.simulate(**vars(scenario.settings))
            found = [expected.unmet(Quantity(expected.quantity).value(result)) for expected in scenario.expect]
        if unmet := [text for text in found if text]:
            raise NotAsExpected("\n".join(unmet))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the failure as a text without traceback; unexpected errors keep theirs."""
        from modiapy.model.errors import ModiaError

        if isinstance(excinfo.value, NotAsExpected | ModiaError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the test stands."""
        return self.path, 0, f"{self.path.stem}: expect"
