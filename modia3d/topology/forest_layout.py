"""The memory of the kernel that builds a spanning forest (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Block, Field, Layout, elsewhere, size

from ..dynamics.basics.layout import FLOAT_COLUMNS, INT_COLUMNS, V_PLACE

_frames, _groups, _joints, _roots = size("n_frames"), size("n_groups"), size("n_joints"), size("n_roots")
_locks, _most = size("n_locks"), size("n_most")

RESULTS = Layout(
    Field("ints", (_most, INT_COLUMNS), INT64),
    Field("floats", (_most, FLOAT_COLUMNS)),
    Field("body_joint", _most, INT64),
    Field("turned", _most, INT64),
    Field("frame_body", _frames, INT64),
    Field("frame_R", (_frames, 9)),
    Field("frame_p", (_frames, 3)),
    Field("x_place", 2 * V_PLACE * _most, INT64),
)
"""As in `forest.Forest`, with room for the most bodies that there can be. Zero at first."""

SCRATCH = Layout(
    Field("ends", (_joints + _locks, 2), INT64),
    Field("first", _groups, INT64),
    Field("following", 2 * (_joints + _locks), INT64),
    Field("group_body", _groups, INT64),
    Field("group_pose", (_groups, 12)),
    Field("lock_pose", (2 * _locks, 12)),
    Field("pose", (1, 12)),
)
"""Groups at both ends of joints, then of rigid connections; lists of the ends at each group, see `forest_kernel.link`; body of
each group and pose in it; pose of the group at the other end of each lock, in the group at this end; one more pose."""

PARTS = Layout(
    Field("n_frames", (), INT64),
    Field("n_groups", (), INT64),
    Field("n_joints", (), INT64),
    Field("n_roots", (), INT64),
    Field("n_equation", (), INT64),
    elsewhere("frame_group", _frames, INT64),
    elsewhere("frame_pose", (_frames, 12)),
    elsewhere("frame_inverse", (_frames, 12)),
    elsewhere("inertia", (_groups, 10)),
    elsewhere("joint_ints", (_joints, 4), INT64),
    elsewhere("root_ints", (_roots, 2), INT64),
    elsewhere("joint_ends", (_joints, 2), INT64),
    elsewhere("joint_parameter", _joints),
    elsewhere("joint_pose", (2 * _joints, 24)),
    elsewhere("root_group", _roots, INT64),
    elsewhere("root_pose", (_roots, 12)),
)
"""Numbers of frames, groups, joints, roots, prescribed joints; arrays of `edges.Parts`, and of `graph.SceneGraph`."""

FOREST = Layout(
    Field("n_frames", (), INT64),
    Field("n_groups", (), INT64),
    Field("n_joints", (), INT64),
    Field("n_roots", (), INT64),
    Field("n_locks", (), INT64),
    Field("n_most", (), INT64),
    Field("n_deleted", (), INT64),
    elsewhere("deleted", size("n_deleted"), INT64),
    elsewhere("lock_frames", (_locks, 2), INT64),
    elsewhere("lock_poses", (_locks, 12)),
    Block("results", RESULTS),
    Block("scratch", SCRATCH),
)
"""Numbers of frames, groups, joints, roots, rigid connections, and of bodies at most; which roots are deleted (nothing if none
is); arrays of `edges.Edges`."""
