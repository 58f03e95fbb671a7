"""A scenario reads files of its own folder and of the permitted ones only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modia3d.scene.shapes import MeshShape


def confine(value: Any, folders: Sequence[str]) -> None:
    """Set the folders of every mesh in a model, whatever was written there."""
    if isinstance(value, Mapping):
        if value.get("_constructor") is MeshShape:
            value["folders"] = list(folders)  # type: ignore[index]
        for part in value.values():
            confine(part, folders)
    elif isinstance(value, list | tuple):
        for part in value:
            confine(part, folders)
