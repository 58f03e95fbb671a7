"""Coordinates and speeds of joints that are cut: no states, but as good a result as those of the tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...scene.joints import RelativeMotion
from ...topology.forest import Forest
from ...topology.graph import JointEdge
from ...topology.states import present_sequence
from .motion import Motion


def cut_joints(forest: Forest) -> Iterator[JointEdge]:
    """Generate the joints without flange that are cut in a forest and may move."""
    graph, structure = forest.graph, forest.structure
    for cut in (*forest.cuts, *forest.rigid_cuts):
        edge = graph.joints[graph.joint_number[cut.name]] if cut.name in graph.joint_number else None
        if edge is not None and edge.equation < 0 and structure.welded_state(cut.name) is None:
            yield edge


def states_over_time(forest: Forest, edge: JointEdge, motion: Motion) -> np.ndarray:
    """Return the coordinates, then speeds of a joint from the motion of its frames, shape (nt, number of them); angles are
    continuous.
    """
    one, two = (forest.frame_pose(frame) for frame in edge.frames)
    (R_1, p_1), (R_2, p_2) = (motion.frame_pose(*frame) for frame in (one, two))
    (v_1, w_1), (v_2, w_2) = (motion.frame_velocity(frame[0], frame[2]) for frame in (one, two))
    R_1W, arm = R_1.transpose(0, 2, 1), p_2 - p_1

    def seen(vectors: np.ndarray) -> np.ndarray:
        turned: np.ndarray = (R_1W @ vectors[:, :, None])[:, :, 0]
        return turned

    R, p, v, w = R_1W @ R_2, seen(arm), seen(v_2 - v_1 - np.cross(w_1, arm)), seen(w_2 - w_1)
    sequence = present_sequence(forest.graph, forest.structure, edge)
    near, rows = edge.joint.start(sequence)[0], []
    for k in range(len(p)):
        near, speeds = edge.joint.state_from(RelativeMotion(R[k], p[k], v[k], w[k]), near, sequence)
        rows.append((*near, *speeds))
    return np.array(rows)
