"""A scenario reads files of its own folder and of the permitted ones only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from modia3d.scene.scene_feature import SceneFeature
from modia3d.scene.shapes import MeshShape

CONFINED: dict[Any, str] = {MeshShape: "file", SceneFeature: "contact_pairs"}
"""What has ``folders``, and the field that names a file in them."""


def confine(value: Any, folders: Sequence[str], done: set[int] | None = None) -> None:
    """Set the folders of all that reads files in a model and has none yet (what is included looks in its own folder).

    No scenario says ``folders`` itself. ``done`` needs no second visit.
    """
    done = set() if done is None else done
    if not isinstance(value, Mapping | list | tuple) or id(value) in done:
        return
    done.add(id(value))
    if isinstance(value, Mapping) and CONFINED.get(value.get("_constructor")) in value and "folders" not in value:
        value["folders"] = list(folders)  # type: ignore[index]
    for part in value.values() if isinstance(value, Mapping) else value:
        confine(part, folders, done)
