"""Kinds of joints: numbers and sizes, from the declarations of the joints (plain Python, no numba)."""

from __future__ import annotations

from modia3d.scene.joint_names import JOINTS, joint_class

from ..basics.layout import FREE

# made of all files of modia3d/scene/joints

_DECLARED = {cls.kind: cls.kinematics for cls in map(joint_class, JOINTS) if cls.kinematics is not None}
GENERAL = tuple(_DECLARED.values())
"""The joints of up to six speeds in `general`, in the order of their numbers, which begin behind `layout.FREE`."""

KINDS = ("revolute", "prismatic", "free", *_DECLARED)
"""Names of the kinds."""
Q_SIZE = (1, 1, 7, *(kind.n_q for kind in GENERAL))
"""Number of coordinates by kind, one less with Cardan angles; free: ``p_WB_W`` (3), quaternion w x y z of ``R_WB`` (4)."""
V_SIZE = (1, 1, 6, *(kind.n_v for kind in GENERAL))
"""Number of speeds by kind; free: ``v_WB_W`` (3), ``w_WB_B`` (3)."""
ORIENTATION_AT = (-1, -1, 3, *(kind.orientation_at for kind in GENERAL))
"""Where among the coordinates and speeds of a kind those of an orientation begin; -1: there is none."""

assert KINDS.index("free") == FREE


def q_size(kind: int, orientation: int) -> int:
    """Number of coordinates of a joint with this description of its orientation."""
    return int(Q_SIZE[kind]) - (1 if orientation > 0 else 0)
