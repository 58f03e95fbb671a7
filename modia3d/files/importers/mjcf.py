"""MJCF: the models of MuJoCo, compiled by MuJoCo itself (`MjSpec`): defaults, angles and inertias are what it makes of them.

The format: https://mujoco.readthedocs.io/en/stable/XMLreference.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModelError

from .mjcf_compiled import Compiled
from .mjcf_robot import MjcfRobot
from .options import RobotOptions
from .paths import Files
from .report import Report
from .robot import Robot
from .xml_tree import Element, read_xml

REFUSED = {
    "flex": "deformable bodies", "flexcomp": "deformable bodies", "composite": "composite objects",
    "model": "models within models",
}  # fmt: skip
"""Elements that change the motion and have no counterpart."""

PLUGINS_OF = ("sensor", "actuator", "extension")
"""Elements whose plugins are left out as they are, or only declared."""

LEFT_OUT = ("actuator", "sensor", "keyframe", "custom", "contact", "visual", "statistic", "skin", "camera", "light")
"""Elements that are left out; what of actuators acts without control is told apart."""


def read(file: Path, files: Files, options: RobotOptions, report: Report) -> Robot:
    """Return the robot in an MJCF file, see `import_robot.import_mjcf`."""
    try:
        import mujoco
    except ImportError:
        raise ModelError(
            "MJCF needs the package mujoco", found="it is not installed", remedy="pip install modia3d[import]"
        ) from None
    root = read_xml(file)
    if root.tag != "mujoco":
        raise root.error("this is no MJCF file", found=f"<{root.tag}>", expected="<mujoco>")
    elements = list(_elements(root, files))
    _check(elements, report, [what for what in LEFT_OUT if what != "contact" or not options.contacts])
    try:
        spec = mujoco.MjSpec.from_file(str(file))
        if not options.visuals and not options.contacts:
            _drop_visuals(mujoco, spec)
        _check_files(elements, files, None if options.visuals else {Path(mesh.file).name for mesh in spec.meshes})
        model = spec.compile()
    except ModelError:
        raise
    except Exception as error:  # MuJoCo raises ValueError and its own errors
        raise ModelError("MuJoCo refuses the file", file=str(file), found=" ".join(str(error).split())) from None
    return MjcfRobot(Compiled(mujoco, spec, model, str(file)), files, report, options.contacts).robot()


def _elements(element: Element, files: Files, depth: int = 0) -> Iterator[Element]:
    """Generate an element and all inside of it, those of included files in the place of their ``<include>``."""
    yield element
    name = element.attributes.get("file")
    if name and element.tag == "include":
        if depth > 20:
            raise element.error("files include each other", found=name, expected="at most 20 files, one in the other")
        yield from _elements(read_xml(files.permitted(element, files.folder / name)), files, depth + 1)
    for child in element.children:
        yield from _elements(child, files, depth)


def _check(elements: Sequence[Element], report: Report, left_out: Sequence[str]) -> None:
    """Refuse elements without a counterpart, and report those that are left out."""
    for element in elements:
        if element.tag in REFUSED:
            raise element.error(f"{REFUSED[element.tag]} cannot be imported", found=f"<{element.tag}>")
        for child in element.children if element.tag not in PLUGINS_OF else ():
            if child.tag == "plugin":
                raise child.error(
                    "plugins cannot be imported but for those of sensors and actuators", found=f"in <{element.tag}>"
                )
        if element.tag in left_out and element.children:
            report.leave_out(f"<{element.tag}>", f"line {element.line}")


def _check_files(elements: Sequence[Element], files: Files, needed: set[str] | None) -> None:
    """Refuse files outside of the permitted folders.

    Args:
        elements: all of the model. files: what is permitted.
        needed: names of meshes that are needed where visuals are left out; None: all files are.
    """
    compilers = [element.attributes for element in reversed(elements) if element.tag == "compiler"]
    strip = any(c.get("strippath") == "true" for c in compilers)
    for element in elements:
        folder_of = "texturedir" if element.tag == "texture" else "meshdir"
        folder = next((c[key] for c in compilers for key in (folder_of, "assetdir") if key in c), "")
        for key, name in element.attributes.items():
            if not name or not key.startswith("file") or element.tag == "include":
                continue
            if needed is None or element.tag not in ("mesh", "texture", "skin") or Path(name).name in needed:
                path = files.folder / folder / (Path(name).name if strip else name)
                files.permitted(element, path, seen=needed is None)


def _drop_visuals(mujoco: Any, spec: Any) -> None:
    """Take out of a model what is only seen: textures, and meshes of bodies whose inertia is given or that stand still.

    Nothing collides then, and nothing measures: explicit pairs and sensors may name what is taken out.
    """
    delete = getattr(spec, "delete", None) or (lambda element: element.delete())  # as MuJoCo had it before 3.3.1
    for item in (*spec.sensors, *spec.pairs):
        delete(item)
    from_geoms = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    for body in spec.bodies:
        if body.name == "world" or (body.explicitinertial and not from_geoms):
            for geom in list(body.geoms):
                if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
                    delete(geom)
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    meshes = {geom.meshname for geom in spec.geoms} | {site.meshname for site in spec.sites if hasattr(site, "meshname")}
    for asset in (*spec.textures, *spec.skins, *(mesh for mesh in spec.meshes if mesh.name not in meshes)):
        delete(asset)
