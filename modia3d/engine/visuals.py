"""Visible shapes of a scene."""

from __future__ import annotations

import zlib
from functools import cache

from ..scene.shapes import Mark, MeshShape, Shape
from ..scene.solid import SolidFeature
from ..scene.solid_materials import SolidMaterial
from ..scene.visual import VisualFeature, VisualMaterial, visual_material
from ..topology.graph import SceneGraph

COLORS = {
    "Aluminium": "#c4ccd6", "Brass": "#c8a53a", "CarbonFibre": "#2d3138", "CastIron": "#565b61", "Concrete": "#b5b0a4",
    "Copper": "#b8693b", "DryWood": "#c99a5b", "Glass": "#9fd3dc", "Lead": "#6f7390", "Magnesium": "#dadfd0",
    "Nylon": "#efe9d4", "Polyethylene": "#e3eef2", "Rubber": "#43403f", "StainlessSteel": "#a3b6c4", "Steel": "#7f93a8",
    "Titanium": "#9a9083", "Tungsten": "#4c5568", "Water": "#4d91d6", "BilliardBall": "#e8dcc0", "BilliardCushion": "#1f6b43",
    "BilliardTable": "#2a8a57", "BilliardCue": "#a87a45",
}  # fmt: skip
"""Of solids to which nobody has given a look, by the name of their material, with or without the name of its palette."""
OTHERS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#edc948", "#e15759", "#9c755f")
"""Of materials with other names; which one depends on the name alone."""


def look_of_solid(material: SolidMaterial | str | None) -> VisualMaterial | None:
    """Return the look of a solid by what it consists of; None where that has no name."""
    name = material.name if isinstance(material, SolidMaterial) else material or ""
    return _look_of(name) if name else None


@cache
def _look_of(name: str) -> VisualMaterial:
    color = COLORS.get(name.rpartition(".")[2])
    return VisualMaterial(color=color or OTHERS[zlib.crc32(name.encode()) % len(OTHERS)])


def visuals(graph: SceneGraph) -> list[tuple[str, Shape | Mark, VisualMaterial | None]]:
    """Name of the frame, shape, material or None for the viewer's default; not what is invisible."""

    def look(feature: SolidFeature | VisualFeature) -> VisualMaterial | None:
        if feature.visual_material is not None:
            return visual_material("Object3D", feature.visual_material)
        of_solid = isinstance(feature, SolidFeature) and not isinstance(feature.shape, MeshShape)
        return look_of_solid(feature.solid_material) if of_solid else None  # type: ignore[union-attr]

    features = ((node.name, node.frame.feature) for node in graph.frames)
    shown = [
        (name, feature.shape, look(feature))
        for name, feature in features
        if isinstance(feature, SolidFeature | VisualFeature) and feature.shape is not None
    ]
    return [(name, shape, material) for name, shape, material in shown if material is None or material.transparency < 1.0]
