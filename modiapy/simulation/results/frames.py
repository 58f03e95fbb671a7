"""Poses of frames in result files: those of moving bodies over time, and how frames are fixed to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...acausal.segment import Poses
from ..files.schema import each, parts, real, table, whole

NUMBERS = 12
"""Of the pose of a body: ``R_WB``, row by row, and ``p_WB``."""
POSITION, ROTATION = "r_abs", "R_abs"
"""Signals of a frame."""

Placed = tuple[int, tuple[float, ...]]
"""Number of the body + 1 (0: the world), ``R_BF`` and ``p_BF`` as 12 numbers."""


@dataclass(frozen=True)
class Frames:
    """Frames of a component in one segment: name -> how it is fixed. bodies: how many move."""

    bodies: int
    placed: Mapping[str, Placed]

    def find(self, name: str) -> tuple[Placed, str] | None:
        """Return the attachment of a signal's frame to its body, and the quantity; None if it is no signal of a frame."""
        frame, _, quantity = name.rpartition(".")
        return (self.placed[frame], quantity) if quantity in (POSITION, ROTATION) and frame in self.placed else None


FramesByPath = Mapping[str, Frames]

FRAMES = table(parts(whole, table(each(parts(whole, each(real, NUMBERS))))))
"""What `changed_frames` gives."""


def frames_of(poses: Poses, known: dict[Placed, Placed]) -> Frames:
    """Convert frames to plain data; reuse the data that were ``known`` already."""
    found = {name: (body + 1, (*R_BF.ravel().tolist(), *p_BF.tolist())) for name, (body, R_BF, p_BF) in poses.frames.items()}
    return Frames(poses.bodies, {name: known.setdefault(placed, placed) for name, placed in found.items()})


def changed_frames(before: FramesByPath, now: FramesByPath) -> dict[str, Any]:
    """Return the changes of the frames from the segment before; None stands for a frame that no longer exists."""
    line: dict[str, Any] = {}
    for path, frames in now.items():
        old = before[path].placed if path in before else {}
        new = ((name, at) for name, at in frames.placed.items() if old.get(name) != at)
        changed: dict[str, Any] = {name: [[body, list(numbers)]] for name, (body, numbers) in new}
        line[path] = [frames.bodies, changed | {name: [] for name in old if name not in frames.placed}]
    return line


def read_frames(before: FramesByPath, line: Mapping[str, Any]) -> dict[str, Frames]:
    """Return the frames of a segment from the data of `changed_frames`. Raises ValueError if a body does not exist."""
    found = {}
    for path, (bodies, changed) in line.items():
        placed = dict(before[path].placed) if path in before else {}
        for name, entry in changed.items():
            placed.pop(name, None)
            for body, numbers in entry[:1]:
                placed[name] = body, tuple(map(float, numbers))
        if any(body > bodies for body, _ in placed.values()):
            raise ValueError("a frame on a body that is not there")
        found[path] = Frames(bodies, placed)
    return found


def pose(at: Placed, quantity: str, bodies: np.ndarray) -> np.ndarray:
    """Return a signal of a frame over time, computed from the poses of the bodies, shape (nt, 12*bodies)."""
    body, numbers = at
    R_BF, p_BF = np.array(numbers[:9]).reshape(3, 3), np.array(numbers[9:])
    nt, first = len(bodies), NUMBERS * (body - 1)
    if body == 0:
        return np.tile(p_BF, (nt, 1)) if quantity == POSITION else np.tile(R_BF, (nt, 1, 1))
    R_WB, p_WB = bodies[:, first : first + 9].reshape(nt, 3, 3), bodies[:, first + 9 : first + 12]
    return p_WB + R_WB @ p_BF if quantity == POSITION else R_WB @ R_BF
