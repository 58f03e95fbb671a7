"""The speeds that a change of structure takes away: rows of constraints on the speeds of the forest before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..dynamics.basics.layout import work_shape
from ..topology.forest import DELETED, Forest
from ..topology.structure import Structure
from .motion.configuration import Configuration


def constraint_rows(present: Configuration, structure: Structure, *, held_only: bool) -> np.ndarray:
    """Rows (m, nv) of what ``structure`` holds together and the present one does not.

    Args:
        present: forest and coordinates before.
        structure: afterwards.
        held_only: leave out what changes the forest: locks of frames and of joints without flange. Locks of frames that are
            not in the present forest are left out, too.
    """
    forest, before = present.forest, present.forest.structure
    names = [joint.name for joint in structure.held if before.side_of(joint.name) is None]
    if not held_only:
        names += [joint.name for joint in structure.locked if before.locked_state(joint.name) is None]
    rows = list(_unit_rows(forest, dict.fromkeys(names, 1.0)))
    if not held_only:
        for lock in sorted(set(structure.locks).difference(before.locks)):
            frames = lock.frame_a, lock.frame_b
            if all(forest.frame_body[forest.graph.index[name]] != DELETED for name in frames):
                rows += list(_relative_velocity(present, *frames))
    return np.array(rows).reshape(len(rows), forest.nv)


def limit_rows(forest: Forest, sides: Mapping[str, int]) -> np.ndarray:
    """Rows (m, nv) of the speeds away from the limits at which joints are (-1 lower, 1 upper)."""
    rows = list(_unit_rows(forest, {name: -float(side) for name, side in sides.items()}))
    return np.array(rows).reshape(len(rows), forest.nv)


def _unit_rows(forest: Forest, joints: Mapping[str, float]) -> Iterator[np.ndarray]:
    for name, sign in joints.items():
        if name in forest.place:
            _, _, k = forest.place[name]
            for j in range(len(forest.graph.state_names[forest.graph.joint_index(name)][1])):
                row = np.zeros(forest.nv)
                row[k + j] = sign
                yield row


def _relative_velocity(present: Configuration, frame_a: str, frame_b: str) -> np.ndarray:
    """Rows (6, nv): velocity of the origin of B as a point of B, minus that of the same point as one of A; angular alike."""
    from ..dynamics.jacobian import frame_jacobian

    forest = present.forest
    R, p = (poses[0] for poses in present.poses)
    work = np.empty(work_shape(forest.n))
    point = present.motion_of(frame_b).p_WF
    J = np.zeros((2, 6, forest.nv))
    for k, name in enumerate((frame_a, frame_b)):
        body, _, _ = forest.frame_pose(forest.graph.index[name])
        p_BF = R[body].reshape(3, 3).T @ (point - p[body]) if body >= 0 else np.zeros(3)
        frame_jacobian(forest.ints, forest.floats, present.q, R, p, body, p_BF, J[k], work)
    rows: np.ndarray = J[1] - J[0]
    return rows
