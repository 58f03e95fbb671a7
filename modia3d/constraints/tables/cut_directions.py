"""The directions of joints and constraint elements as a table, for the kernels (plain Python, no numba)."""

from __future__ import annotations

import numpy as np

from modia3d.scene.basics.directions import Direction, is_holonomic
from modia3d.scene.constraint_elements.row_sets import ROW_SETS
from modia3d.scene.joint_names import JOINTS, joint_class

# made of all files of modia3d/scene/joints

_DIRECTIONS: dict[str, tuple[Direction, ...]] = {cls.kind: cls.directions for cls in map(joint_class, JOINTS)}
_DIRECTIONS |= {name: rows.directions for name, rows in ROW_SETS.items()}
KINDS: tuple[str, ...] = tuple(_DIRECTIONS)
"""Names of the kinds, in the order of the table."""
MOST = 6
"""The most directions that a kind can have."""

COUNT = np.array([len(directions) for directions in _DIRECTIONS.values()], dtype=np.int64)
"""Number of directions of each kind."""
TABLE = np.zeros((len(_DIRECTIONS), MOST, 3), dtype=np.int64)
"""All of them."""
HOLONOMIC = np.zeros((len(_DIRECTIONS), MOST), dtype=np.int64)
"""1 of directions that restrict positions, 0 of those that restrict speeds alone."""
for _kind, _directions in enumerate(_DIRECTIONS.values()):
    TABLE[_kind, : COUNT[_kind]] = np.array(_directions, dtype=np.int64).reshape(-1, 3)
    HOLONOMIC[_kind, : COUNT[_kind]] = [is_holonomic(direction) for direction in _directions]
