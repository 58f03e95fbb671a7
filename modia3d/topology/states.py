"""States of a segment: at the start of the simulation, and carried over from one structure to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..dynamics import layout
from ..scene.joints import RevoluteJoint
from ..scene.rotations import axis_rotation, quaternion_of, rotation_matrix
from .forest import Forest
from .graph import Assembly, SceneGraph
from .motion import WORLD_AT_REST, FrameMotion, MotionOf

JointStart = Mapping[str, tuple[float, float]]
"""Coordinate and speed of joints by name [rad, rad/s or m, m/s]; a joint that is missing starts as it was declared."""


def initial_motion(graph: SceneGraph, joint_start: JointStart) -> MotionOf:
    """Motion of all frames before anything is attached, from the start poses of the assemblies and the joints' coordinates."""
    groups: dict[int, FrameMotion] = {}

    def of_frame(frame: int) -> FrameMotion:
        pose = graph.frame_pose[frame]
        return groups[graph.frames[frame].group].carried(pose[:9].reshape(3, 3), pose[9:])

    for k in graph.start_order:
        assembly = graph.assemblies[k]
        groups[assembly.groups[0]] = _start_of(graph, assembly, of_frame)
        for edge in assembly.tree:
            start = joint_start.get(graph.joints[edge.joint].name, graph.joints[edge.joint].joint.start)
            _move_across(graph, edge.joint, edge.reversed, start, groups)
    return lambda name: of_frame(graph.index[name])


def initial_state(graph: SceneGraph, forest: Forest, joint_start: JointStart) -> np.ndarray:
    """``x_var`` at the start of the simulation.

    Args:
        graph, forest: the forest is made of the graph.
        joint_start: coordinates and speeds of joints, those with a flange above all; see `JointStart`.

    Returns:
        shape (forest.n_x,).
    """
    joints = {edge.name: joint_start.get(edge.name, edge.joint.start) for edge in graph.joints}
    return _state(forest, joints, {}, initial_motion(graph, joint_start))


def carry_state(old: Forest, x: np.ndarray, motion: MotionOf, new: Forest) -> np.ndarray:
    """``x_var`` of the new forest from the end of the old segment.

    Joints and free roots that are in both keep their states to the last bit; a new free root starts with the last pose and
    velocity of its frame; see `edits`.

    Args:
        old, x: the forest of the old segment and its last states, shape (old.n_x,).
        motion: motion of frames at the end of the old segment.
        new: the forest of the new segment.

    Returns:
        shape (new.n_x,).
    """
    joints, roots = {}, {}
    n_joints, n_q = len(old.graph.joints), old.nq - old.n_equation
    values = x.tolist()
    for body, k in old.hidden:
        q, v = old.ints[body, layout.Q_INDEX] - old.n_equation, n_q + old.ints[body, layout.V_INDEX] - old.n_equation
        if k < n_joints:
            joints[old.graph.joints[k].name] = values[q], values[v]
        else:
            roots[old.graph.assemblies[k - n_joints].name] = values[q : q + 7], values[v : v + 6]
    return _state(new, joints, roots, motion)


def _state(
    forest: Forest,
    joints: Mapping[str, tuple[float, float]],
    roots: Mapping[str, tuple[list[float], list[float]]],
    motion: MotionOf,
) -> np.ndarray:
    q: list[float] = []
    v: list[float] = []
    names = forest.body_names
    n_joints = len(forest.graph.joints)
    for body, k in forest.hidden:
        name = names[body]
        if k < n_joints:
            coordinate, speed = joints[name]
            q.append(coordinate)
            v.append(speed)
        else:
            pose, velocity = roots[name] if name in roots else free_state(motion(name))
            q += pose
            v += velocity
    return np.array(q + v)


def free_state(motion: FrameMotion) -> tuple[list[float], list[float]]:
    """Coordinates (``p_WB_W``, quaternion of ``R_WB``) and speeds (``v_WB_W``, ``w_WB_B``) of a free body B in this motion."""
    w_WB_B = motion.R_WF.T @ motion.w_WF_W
    return [*motion.p_WF.tolist(), *quaternion_of(motion.R_WF.tolist())], [*motion.v_WF_W.tolist(), *w_WB_B.tolist()]


def _start_of(graph: SceneGraph, assembly: Assembly, of_frame: Callable[[int], FrameMotion]) -> FrameMotion:
    node = graph.frames[assembly.start]
    if assembly.is_world:
        return WORLD_AT_REST
    parent = of_frame(node.parent) if node.parent >= 0 else WORLD_AT_REST
    user = node.frame
    return parent.moved(
        rotation_matrix(user.rotation), np.array(user.translation), np.array(user.velocity), np.array(user.angular_velocity)
    )


def _move_across(
    graph: SceneGraph, joint: int, is_reversed: bool, start: tuple[float, float], groups: dict[int, FrameMotion]
) -> None:
    """Motion of the group on the other side of a joint."""
    edge = graph.joints[joint]
    axis = np.array(edge.joint.axis) * (-1.0 if is_reversed else 1.0)
    (parent, child), (at, to) = (edge.frames, edge.groups) if not is_reversed else (edge.frames[::-1], edge.groups[::-1])
    pose_parent, pose_child = graph.frame_pose[parent], graph.frame_pose[child]
    here = groups[at].carried(pose_parent[:9].reshape(3, 3), pose_parent[9:])
    coordinate, speed = start
    none = np.zeros(3)
    if isinstance(edge.joint, RevoluteJoint):
        there = here.moved(axis_rotation(axis.tolist(), coordinate), none, none, speed * axis)
    else:
        there = here.moved(np.eye(3), coordinate * axis, speed * axis, none)
    R_CG = pose_child[:9].reshape(3, 3).T
    groups[to] = there.carried(R_CG, -R_CG @ pose_child[9:])
