"""Files in and out: scenarios in YAML, robots in URDF, MJCF and other formats.

What is exported here is imported where it is first used.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from modiapy.model.lazy_exports import lazy_exports

HOMES = {
    **dict.fromkeys(("RobotFormat", "add_robot_format"), "modia3d.files.importers.formats"),
    **dict.fromkeys(("import_mjcf", "import_robot", "import_urdf"), "modia3d.files.importers.import_robot"),
    "read_scenario": "modia3d.files.reader",
    "write_scenario": "modia3d.files.writer",
}
"""Module of each name."""

__all__, __getattr__, __dir__ = lazy_exports(__name__, HOMES)


def model_of(origin: Mapping[str, Any]) -> Any:
    """Make the model of the scenario that a result file has, from its own files where they are unchanged.

    Args:
        origin: of the result, see `Scenario.origin`.

    Returns:
        The translated model, a `modiapy.SimulationModel`.

    Raises:
        ModiaError: there is no scenario, or it cannot be read.
    """
    read = importlib.import_module("modia3d.files.reader").read_scenario
    embedded = importlib.import_module("modia3d.files.embedded")
    given = [f"{path}={value}" for path, value in origin.get("overrides", {}).items()]
    if embedded.is_unchanged(origin):
        return read(origin["file"], overrides=given).instantiate()
    with embedded.restored(origin) as (scenario, folder):
        return read(scenario, [folder], given).instantiate()
