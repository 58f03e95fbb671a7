"""The directions of all kinds of joints (`Joint.directions`) as a table, for the kernels (plain Python, no numba)."""

from __future__ import annotations

import numpy as np

from modia3d.scene.joint_names import JOINTS, joint_class

# made of all files of modia3d/scene/joints

_JOINTS = tuple(map(joint_class, JOINTS))
KINDS: tuple[str, ...] = tuple(cls.kind for cls in _JOINTS)
"""Names of the kinds, in the order of the table."""
MOST = 6
"""The most directions that a joint can have."""

COUNT = np.array([len(cls.directions) for cls in _JOINTS], dtype=np.int64)
"""Number of directions of each kind."""
TABLE = np.zeros((len(_JOINTS), MOST, 3), dtype=np.int64)
"""All of them."""
for _kind, _cls in enumerate(_JOINTS):
    TABLE[_kind, : COUNT[_kind]] = np.array(_cls.directions, dtype=np.int64).reshape(-1, 3)
