"""A joint that is locked: all its speeds are zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...scene.joints import RelativeMotion
from ...topology.graph import JointEdge
from ...topology.motion import relative_motion
from ...topology.states import present_sequence
from .constraint import Constraint, Present, frame_jacobians, speed_rows
from .row import Row


@dataclass(frozen=True)
class LockedJoint(Constraint):
    """A brake that is closed, or a joint that rests at a limit from now on.

    Attributes:
        name: of the joint.
    """

    name: str

    def rows(self, present: Present) -> Iterator[Row]:
        """Generate rows of its speeds; of a joint that is cut, which has none in the forest, of the relative motion of its
        frames.
        """
        yield from (Row(self.name, direction, G) for direction, G in speed_rows(present, self.name))
        forest = present.forest
        for cut in forest.cuts:
            if cut.name == self.name and self.name not in forest.indices:
                yield from self._rows_of_cut(present, forest.graph.joints[forest.graph.joint_number[self.name]])

    def _rows_of_cut(self, present: Present, edge: JointEdge) -> Iterator[Row]:
        """Generate rows from the motion of its frames: the inverse of the joint's motion is linear in velocities."""
        graph = present.forest.graph
        names = [graph.frames[frame].name for frame in edge.frames]
        one, two = (present.motion_of(name) for name in names)
        pose, (J_1, J_2) = relative_motion(one, two), frame_jacobians(present, names, two.p_WF)
        sequence = present_sequence(graph, present.forest.structure, edge)
        near = edge.joint.start(sequence)[0]
        columns = [
            edge.joint.state_from(RelativeMotion(pose.R_12, pose.p_12_1, unit[:3], unit[3:]), near, sequence)[1]
            for unit in np.kron(np.eye(2), one.R_WF.T).T
        ]
        speeds = graph.state_names[graph.joint_number[edge.name]][1]
        for direction, G in zip(speeds, np.array(columns).T @ (J_2 - J_1), strict=True):
            yield Row(self.name, direction, G)
