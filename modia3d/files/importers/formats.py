"""Format of a robot's file: the root element says it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .report import ImportedModel
from .xml_tree import read_xml


def import_robot_file(file: str | os.PathLike[str], *, floating: bool = False, **options: Any) -> ImportedModel:
    """Return the robot in a URDF or MJCF file; ``options`` as for `import_urdf` and `import_mjcf`.

    Raises:
        ModelError: the file is neither, or as these two functions raise it.
    """
    root = read_xml(Path(file))
    if root.tag == "robot":
        from .urdf import import_urdf

        return import_urdf(file, floating=floating, **options)
    if root.tag != "mujoco":
        raise root.error("this is no file of a robot", found=f"<{root.tag}>", expected="<robot> (URDF) or <mujoco> (MJCF)")
    if floating:
        raise root.error("--floating is for URDF", found="an MJCF file", remedy="MJCF says itself what floats: <freejoint/>.")
    from .mjcf import import_mjcf

    return import_mjcf(file, **options)
