"""`Animation`: what a viewer needs of a simulation, at a fixed frame rate, whatever viewer it is."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from ..engine.multibody import Multibody
from ..scene.visual import VisualMaterial
from .contacts import contact_items
from .item import Item, extent, scene_size

MAX_FRAMES = 20_000
"""More frames (11 minutes at 30 per second) have room neither in a page nor in a browser."""


@dataclass
class Animation:
    """Items over a common time grid [s], ``fps`` frames per second of simulated time."""

    title: str
    fps: float
    time: np.ndarray
    items: list[Item]


def animate(
    result: Any, components: Iterable[Any], *, title: str = "modia3d", fps: float = 30.0, contacts: bool | None = None
) -> Animation:
    """Sample the poses of everything visible from a `Result`.

    Args:
        result: of a simulation; event points appear twice there, the later one is shown.
        components: `(path, component)` pairs of the model; those with ``visuals()`` (multibody engines) are shown.
        title: of the window.
        fps: frames per second of simulated time; of a long simulation there are fewer, with a warning.
        contacts: whether contacts and their forces are shown, see `contacts.py`; None: where the scene says so
            (``Scene(visualize_contacts=True)``).

    Raises:
        ModelError: nothing in the model is visible, or the result holds no time point.
    """
    from scipy.spatial.transform import Rotation

    if len(result.time) == 0:
        raise ModelError("the result holds no time point, so there is nothing to animate")
    start, stop = float(result.time[0]), float(result.time[-1])
    if (stop - start) * fps > MAX_FRAMES:
        fewer = MAX_FRAMES / (stop - start)
        instead = f"one every {1.0 / fewer:.3g} s, in place of {fps:g} per second"
        warnings.warn(f"the animation of {stop - start:g} s has {MAX_FRAMES} frames, {instead}", stacklevel=2)
        fps = fewer
    grid = start + np.arange(math.floor((stop - start) * fps + 1e-9) + 1) / fps
    pick = np.maximum(np.searchsorted(result.time, grid + 1e-9, side="right") - 1, 0)
    items, poses = [], {}
    systems = [(path, component) for path, component in components if isinstance(component, Multibody)]
    for path, component in systems:
        for frame, shape, material in component.visuals():
            name = f"{path}.{frame}" if path else frame
            if f"{name}.r_abs" not in result:
                continue  # it was parked all the time
            if name not in poses:
                position = result[f"{name}.r_abs"][pick]
                rotation = result[f"{name}.R_abs"][pick]
                gone = ~np.isfinite(position[:, 0])
                rotation[gone] = np.eye(3)
                position[gone] = np.nan
                poses[name] = position, Rotation.from_matrix(rotation).as_quat()
            items.append(Item(name, shape, material or VisualMaterial(), *poses[name]))
    if not items:
        raise ModelError("nothing in the model is visible", remedy="Give an Object3D a Solid with a shape or a Visual.")
    shown = [path for path, system in systems if (system.shows_contacts if contacts is None else contacts)]
    corners = extent(items)
    if corners is not None:
        items += [item for path in shown for item in contact_items(result, path, pick, scene_size(corners))]
    return Animation(title, fps, grid, items)
