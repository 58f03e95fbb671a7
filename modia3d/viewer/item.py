"""`Item`: one shape of an animation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..scene.visual import VisualMaterial


@dataclass
class Item:
    """A shape that moves with a frame.

    Attributes:
        name: path of the frame in the model, e.g. ``"boxX1Y1Z1.body"``.
        shape: shape of `modia3d.scene`.
        material: visual material.
        position: of the frame's origin in world [m], shape (nt, 3).
        quaternion: of the frame's orientation, x y z w, shape (nt, 4): it takes coordinates in the frame to world coordinates.
        scale: factors on lengths along the axes of the frame, shape (nt, 3); None: as the shape is.
    """

    name: str
    shape: Any
    material: VisualMaterial
    position: np.ndarray
    quaternion: np.ndarray
    scale: np.ndarray | None = None


def extent(items: Iterable[Item]) -> tuple[np.ndarray, np.ndarray] | None:
    """The box that holds all origins at all frames: its lower and its upper corner [m]; None where nothing exists."""
    places = [item.position[np.isfinite(item.position[:, 0])] for item in items]
    points = np.concatenate([np.zeros((0, 3)), *places])
    return (points.min(axis=0), points.max(axis=0)) if len(points) else None


def scene_size(corners: tuple[np.ndarray, np.ndarray]) -> float:
    """Length of the diagonal of such a box [m], not less than 0.5."""
    return max(float(np.linalg.norm(corners[1] - corners[0])), 0.5)
