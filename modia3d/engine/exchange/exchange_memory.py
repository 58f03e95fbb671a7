"""The memory of force signals and sensors in one segment, see `signal_layout`."""

from __future__ import annotations

import numpy as np

from modiapy.acausal.memory import data_address

from ...topology.forest import DELETED, Forest
from ..memory import signal_layout
from ..memory.signal_layout import SIGNALS
from .cuts import Pieces

Frames = tuple[int, int, int]


class ExchangeMemory:
    """Owns the record `signal_layout.SIGNALS`, and what it points to.

    Attributes:
        address: of the record.
        forces: table of the force signals, shape (n_f, ROW_COLUMNS).
        pieces: bodies divided by the cuts of sensors; None where there are none.
        closing: how much of what closes each of ``n_closing`` loops goes through the cut of each sensor.
    """

    def __init__(
        self,
        forest: Forest,
        forces: np.ndarray,
        sensors: np.ndarray,
        n_values: int,
        pieces: Pieces | None,
        piece_forces: np.ndarray,
        n_closing: int = 0,
    ) -> None:
        sizes = {
            "n": forest.n, "n_e": forest.n_equation, "n_f": len(forces),
            "n_sensors": len(sensors), "n_values": n_values, "n_closing": n_closing,
        }  # fmt: skip
        self.closing = np.zeros((len(sensors), n_closing))
        tables = {"forces": forces, "sensors": sensors, "closing": self.closing}
        if pieces is not None:
            sizes |= {"n_pieces": len(pieces.rows), "n_members": len(pieces.members), "n_inner": len(pieces.forces)}
            tables |= {
                "pieces": pieces.rows, "members": pieces.members, "piece_forces": piece_forces, "inner": pieces.forces.rows,
            }  # fmt: skip
        head = SIGNALS.head(**sizes, **tables)
        memory = np.zeros(SIGNALS.words(**{"n_pieces": 0, **sizes}), np.int64)
        memory[: len(head)] = head
        self.forces, self.pieces = forces, pieces
        self._keep = tables, memory
        self.address = data_address(memory)


def set_frames(row: np.ndarray, forest: Forest, frames: Frames, rest_when_deleted: bool = False) -> None:
    """Put bodies and poses of frames 1, 2, 3 into a row; with ``rest_when_deleted`` deleted ones are the world's."""
    bodies = (signal_layout.BODY_1, signal_layout.BODY_2, signal_layout.BODY_3)
    poses = (signal_layout.R_1, signal_layout.R_2, signal_layout.R_3)
    for frame, body, pose in zip(frames, bodies, poses, strict=True):
        if rest_when_deleted and forest.frame_body[frame] == DELETED:
            frame = forest.graph.world
        row[body] = forest.frame_body[frame]
        row[pose : pose + 9], row[pose + 9 : pose + 12] = forest.frame_R[frame], forest.frame_p[frame]
