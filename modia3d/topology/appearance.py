"""Assemblies that appear while a simulation runs: where their frames are before any forest carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ..scene.joints import JointState
from .graph import SceneGraph, TreeEdge
from .motion import FrameMotion, Present
from .states import move_across
from .structure import Structure


@dataclass(frozen=True, eq=False)
class Appearance:
    """The present, and in it assemblies that appear.

    Attributes:
        present: what there was.
        motions: motion of the frames that appear, by full name.
        states: coordinates and speeds of their joints, by full name.
    """

    present: Present
    motions: Mapping[str, FrameMotion]
    states: Mapping[str, JointState]

    def motion_of(self, name: str) -> FrameMotion:
        """Return the motion of a frame by its full name."""
        return self.motions[name] if name in self.motions else self.present.motion_of(name)

    @property
    def fresh(self) -> frozenset[str]:
        """Names of the joints and frames that appear: their states do not come from the last segment."""
        return frozenset(self.states) | frozenset(self.motions)

    def state_of(self, name: str) -> JointState:
        """Return the coordinates and speeds of a joint by its full name."""
        return self.states[name] if name in self.states else self.present.state_of(name)


class Edited(NamedTuple):
    """Structure that a change makes, and the present in which it holds: an `Appearance` where something appears."""

    structure: Structure
    present: Present


def appear(graph: SceneGraph, present: Present, frame: int, motion: FrameMotion) -> Appearance:
    """Return the present with the assembly of ``frame``, which has the given motion.

    Joints with a flange are where the equations have them, joints without flange start as declared.
    """
    assembly = graph.assemblies[graph.assembly_of(frame)]
    states: dict[str, JointState] = {}
    for edge in assembly.tree:
        joint = graph.joints[edge.joint]
        states[joint.name] = present.state_of(joint.name) if joint.equation >= 0 else joint.joint.start("quaternion")
    inverse, start = graph.frame_inverse[frame], graph.frames[frame].group
    groups = {start: motion.carried(inverse[:9].reshape(3, 3), inverse[9:])}
    around: dict[int, list[TreeEdge]] = {}
    for edge in assembly.tree:
        back = TreeEdge(edge.joint, edge.child_group, edge.parent_group, not edge.reversed)
        for one in (edge, back):
            around.setdefault(one.parent_group, []).append(one)
    queue = [start]
    for group in queue:
        for edge in around.get(group, ()):
            if edge.child_group not in groups:
                move_across(graph, edge.joint, edge.reversed, states[graph.joints[edge.joint].name], groups)
                queue.append(edge.child_group)
    motions = {}
    for i, node in enumerate(graph.frames):
        if node.group in groups:
            pose = graph.frame_pose[i]
            motions[node.name] = groups[node.group].carried(pose[:9].reshape(3, 3), pose[9:])
    if isinstance(present, Appearance):
        return Appearance(present.present, {**present.motions, **motions}, {**present.states, **states})
    return Appearance(present, motions, states)
