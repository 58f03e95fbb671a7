"""The memory of force signals and sensors in one segment, see `signal_layout`."""

from __future__ import annotations

import numpy as np

from ...topology.forest import DELETED, Forest
from ..memory import signal_layout
from ..memory.blocks import ACCELERATIONS, LOADED, POSES, VELOCITIES
from .cuts import Pieces

Frames = tuple[int, int, int]


class ExchangeMemory:
    """Owns what the header of `signal_layout` points to.

    Attributes:
        address: of the header.
        forces: table of the force signals, shape (n_f, ROW_COLUMNS).
    """

    def __init__(
        self,
        forest: Forest,
        forces: np.ndarray,
        sensors: np.ndarray,
        n_values: int,
        pieces: Pieces | None,
        piece_forces: np.ndarray,
    ) -> None:
        n, n_e, n_f = forest.n, forest.n_equation, len(forces)
        self.forces = forces
        arrays = {
            signal_layout.FORCES: forces,
            signal_layout.B: np.zeros((n_e, n_f)),
            signal_layout.COUPLING: np.zeros((n_e + n_f, forest.nv - n_e)),
            signal_layout.GIVEN: np.zeros(n_e + n_f),
            signal_layout.SENSORS: sensors,
            signal_layout.VALUES: np.zeros(n_values),
            signal_layout.POSES: np.zeros(POSES.size(n)),
            signal_layout.VELOCITIES: np.zeros(VELOCITIES.size(n)),
        }
        header = np.zeros(signal_layout.HEADER_SIZE, np.int64)
        header[signal_layout.N_FORCES], header[signal_layout.N_SENSORS] = n_f, len(sensors)
        header[signal_layout.N_VALUES] = n_values
        if pieces is not None:
            n_pieces = len(pieces.rows)
            header[signal_layout.N_PIECES], header[signal_layout.N_MEMBERS] = n_pieces, len(pieces.members)
            header[signal_layout.N_INNER] = len(pieces.forces)
            arrays |= {
                signal_layout.PIECES: pieces.rows,
                signal_layout.MEMBERS: pieces.members,
                signal_layout.PIECE_FORCES: piece_forces,
                signal_layout.INNER: pieces.forces.rows,
                signal_layout.ACCELERATIONS: np.zeros(ACCELERATIONS.size(n)),
                signal_layout.PIECE_MOTION: np.zeros(LOADED.size(n_pieces)),
            }
        for index, array in arrays.items():
            header[index] = array.ctypes.data
        self._keep = (arrays, header, pieces)
        self.address = int(header.ctypes.data)


def set_frames(row: np.ndarray, forest: Forest, frames: Frames, rest_when_deleted: bool = False) -> None:
    """Put bodies and poses of frames 1, 2, 3 into a row; with ``rest_when_deleted`` deleted ones are the world's."""
    bodies = (signal_layout.BODY_1, signal_layout.BODY_2, signal_layout.BODY_3)
    poses = (signal_layout.R_1, signal_layout.R_2, signal_layout.R_3)
    for frame, body, pose in zip(frames, bodies, poses, strict=True):
        if rest_when_deleted and forest.frame_body[frame] == DELETED:
            frame = forest.graph.world
        row[body] = forest.frame_body[frame]
        row[pose : pose + 9], row[pose + 9 : pose + 12] = forest.frame_R[frame], forest.frame_p[frame]
