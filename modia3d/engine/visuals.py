"""Visible shapes of a scene."""

from __future__ import annotations

from ..scene.shapes import Mark, Shape
from ..scene.solid import SolidFeature
from ..scene.visual import VisualFeature, VisualMaterial, visual_material
from ..topology.graph import SceneGraph


def visuals(graph: SceneGraph) -> list[tuple[str, Shape | Mark, VisualMaterial | None]]:
    """Name of the frame, shape, material or None for the viewer's default; not what is invisible."""

    def look(given: VisualMaterial | str | None) -> VisualMaterial | None:
        return None if given is None else visual_material("Object3D", given)

    features = ((node.name, node.frame.feature) for node in graph.frames)
    shown = [
        (name, feature.shape, look(feature.visual_material))
        for name, feature in features
        if isinstance(feature, SolidFeature | VisualFeature) and feature.shape is not None
    ]
    return [(name, shape, material) for name, shape, material in shown if material is None or material.transparency < 1.0]
