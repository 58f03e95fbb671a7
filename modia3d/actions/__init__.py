"""Action programs: the public functions and classes, as `modia3d.actions.NAME`. Each name is imported when it is first used."""

from __future__ import annotations

import importlib
from typing import Any

from ..topology.action_names import STRUCTURAL

HOMES = {
    **{name: f"modia3d.actions.structural.{file}" for name, file in STRUCTURAL.items()},
    "Actions": "modia3d.actions.structural.recorder",
    **dict.fromkeys(("IfElse", "Join", "Parallel", "Repeat", "Retry", "Spawn", "Try"), "modia3d.actions.blocks"),
    **dict.fromkeys(("ActionRefused", "End", "Read", "Set", "StopPath", "WaitUntil"), "modia3d.actions.steps"),
    **dict.fromkeys(("in_contact", "not_in_contact"), "modia3d.actions.touching"),
    **dict.fromkeys(
        ("ACTIONS", "ActionWait", "EventAfterPeriod", "Together", "addReferencePath", "moveLinear", "ptpJointSpace"),
        "modia3d.actions.values",
    ),
    "ModelActions": "modia3d.actions.program",
    "Pose": "modia3d.actions.pose",
    "ptp_duration": "modia3d.actions.paths",
}
"""Module of each name. What type checkers see is ``__init__.pyi``, see ``tools/exports.py``."""

__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'modia3d.actions' has no attribute '{name}'")
    value = getattr(importlib.import_module(HOMES[name]), name)
    globals()[name] = value
    return value
