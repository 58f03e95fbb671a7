"""Rows of sensors of contact: which solids they are about, and which shapes these have in a segment."""

from __future__ import annotations

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ...scene.sensors.kinds import CONTACT_COUNT, Kind
from ...topology.forest import DELETED, Forest
from ...topology.graph import SceneGraph
from ..contact.solids import ContactSolids
from ..memory.signal_layout import SHAPES
from .exchange_memory import Frames


def check_solids(solids: ContactSolids, graph: SceneGraph, frames: Frames, kind: Kind, user: str) -> None:
    """Refuse a sensor of what can touch nothing, or whose forces are not known.

    Args:
        frames: indices of the frames of the solid and of what may touch it, which is the solid itself where it is anything.

    Raises:
        ModelError: names the sensor.
    """
    if solids.rigid and kind is not CONTACT_COUNT:
        raise ModelError(
            "the force of a contact is not known to equations where contacts may be rigid",
            path=user,
            found="rigid contacts in the Scene, or in its contact_pairs",
            expected="elastic contacts",
            remedy="Measure what goes through a joint behind the solid (CutForce), or take quantities='contacts'.",
        )
    if not graph.scene.enable_contact_detection:
        return
    known = [solid.frame for solid in solids.solids]
    for frame in dict.fromkeys(frames[:2]):
        if frame not in known:
            names = [solid.name for solid in solids.solids]
            name = graph.frames[frame].name
            raise ModelError(
                f"'{name}' has no Solid that collides",
                path=user,
                expected=f"one of {', '.join(names[:20])}" if names else "Solid(..., collision=True)",
                remedy=nearest(name, names) or "Write Solid(..., collision=True).",
            )


def set_shapes(row: np.ndarray, solids: ContactSolids, forest: Forest, frames: Frames) -> None:
    """Write which rows of the table of shapes are those of the solid, and of what may touch it: `signal_layout.SHAPES`."""
    number = {solid.frame: k for k, solid in enumerate(solids.solids)}
    of_frame = np.array([solid.frame for solid in solids.solids], dtype=np.int64)[solids.shape_solid]
    present = solids.shape_solid[forest.frame_body[of_frame] != DELETED]
    first, other = (_range(present, number.get(frame, -1)) for frame in frames[:2])
    row[SHAPES : SHAPES + 4] = *first, *(other if frames[0] != frames[1] else (0, len(present)))


def _range(present: np.ndarray, number: int) -> tuple[int, int]:
    """Return where the shapes of a solid begin and end."""
    places = np.flatnonzero(present == number)
    return (int(places[0]), int(places[-1]) + 1) if len(places) else (0, 0)
