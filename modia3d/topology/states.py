"""States of a segment: at the start of the simulation, and carried over from one structure to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics import layout
from ..dynamics.joints.kinds import ORIENTATION_AT
from ..scene.basics.rotations import best_sequence, coordinates_of, matrix_of, rotation_matrix, sequence_sine
from ..scene.joints import JointState
from .forest import Forest
from .graph import Assembly, JointEdge, SceneGraph
from .motion import WORLD_AT_REST, FrameMotion, MotionOf, relative_motion
from .structure import JointLock, Structure

Starts = Mapping[str, JointState]
"""Initial coordinates (orientations as quaternions) and speeds, by name of a joint or of the root of a free assembly, of which
they are the motion of its start frame relative to the parent; what is missing starts as declared."""

LEFT_SINE = layout.SINGULAR_SINE - 1e-6
"""From this sine of the second angle on an automatic sequence is changed, a little below the indicator's root (rounding)."""


def initial_motion(graph: SceneGraph, starts: Starts) -> MotionOf:
    """Return the motion of all frames before anything is attached, from start poses of assemblies and joints' coordinates."""
    groups: dict[int, FrameMotion] = {}

    def of_frame(frame: int) -> FrameMotion:
        pose = graph.frame_pose[frame]
        return groups[graph.frames[frame].group].carried(pose[:9].reshape(3, 3), pose[9:])

    for k in graph.start_order:
        assembly = graph.assemblies[k]
        groups[assembly.groups[0]] = _start_of(graph, assembly, of_frame, starts)
        for edge in assembly.tree:
            start = _joint_start(graph.joints[edge.joint], starts, "quaternion")
            move_across(graph, edge.joint, edge.reversed, start, groups)
    return lambda name: of_frame(graph.index[name])


def initial_structure(graph: SceneGraph, starts: Starts) -> Structure:
    """Return the structure at the start: no locks, parked assemblies not there, automatic orientations as
    `suitable_sequences`.
    """
    parked = graph.parked
    locked = tuple(JointLock(name, 0) for assembly in parked for name in assembly.prescribed_joints)
    structure = Structure(deleted=frozenset(assembly.name for assembly in parked), locked=locked)
    automatic = [k for k in range(len(graph.state_names)) if graph.orientation_of(k) == "auto"]
    if not automatic:
        return structure
    return structure.with_sequences(suitable_sequences(graph, automatic, initial_motion(graph, starts), starts))


def suitable_sequences(
    graph: SceneGraph, places: Iterable[int], motion: MotionOf, starts: Starts | None = None
) -> dict[str, str]:
    """Return the Cardan sequence that suits each automatic orientation best, by the name of its joint or root.

    Args:
        graph: the graph.
        places: indices in ``graph.state_names``. Those with another orientation are left out.
        motion: motion of the frames.
        starts: of the joints; default: as declared.
    """
    n, sequences = len(graph.joints), {}
    for k in places:
        if graph.orientation_of(k) != "auto":
            continue
        if k < n:
            edge = graph.joints[k]
            q, v = _joint_start(edge, starts or {}, "quaternion")
            sequences[edge.name] = best_sequence(edge.joint.motion(q, v, "quaternion").R_12, v[-3:])
        else:
            name = graph.assemblies[k - n].name
            R = motion(name).R_WF
            sequences[name] = best_sequence(R, R.T @ motion(name).w_WF_W)
    return sequences


def initial_state(graph: SceneGraph, forest: Forest, starts: Starts) -> np.ndarray:
    """Return ``x_var`` at the start of the simulation.

    Args:
        graph, forest: the forest is made of the graph.
        starts: of joints with a flange, and of what does not start as declared.

    Returns:
        shape (forest.n_x,).

    Raises:
        ModelError: an orientation begins at the singularity of its Cardan angles.
    """
    q: list[float] = []
    v: list[float] = []
    motion, n = initial_motion(graph, starts), len(graph.joints)
    for body, k in forest.passive:
        sequence = forest.sequence(body)
        if k < n:
            coordinates, speeds = _joint_start(graph.joints[k], starts, sequence)
        else:
            coordinates, speeds = free_state(motion(graph.assemblies[k - n].name), sequence)
        q += coordinates
        v += speeds
    x = np.array(q + v)
    _refuse_singular(forest, x)
    return x


def transfer_state(old: Forest, x: np.ndarray, motion: MotionOf, new: Forest, fresh: Set[str] = frozenset()) -> np.ndarray:
    """Return ``x_var`` of the new forest from the end of the old segment.

    Joints and free roots that are in both keep their states to the last bit; only where the sequence of Cardan angles is
    another one, the angles of the same orientation replace the old ones. A joint that was locked starts at rest with the
    coordinates it had; one that was cut goes on with the relative motion of its frames; a new free root starts with the last
    pose and velocity of its frame; see `edits`. A joint that was not there starts as declared.

    Args:
        old, x: the forest of the old segment and its last states, shape (old.n_x,).
        motion: motion of frames at the end of the old segment.
        new: the forest of the new segment.
        fresh: names of joints and roots that appear anew: what they had in the old forest does not matter.

    Returns:
        shape (new.n_x,).
    """
    graph, places, carry = new.graph, layout.X_PLACES, _carry()
    n = len(graph.state_names)
    known, x_new, missing = np.empty(places * n), np.empty(new.n_x), np.empty(n, np.int64)
    known.fill(np.nan)
    if old.graph is graph and old.structure.sequences == new.structure.sequences and not fresh:
        n_missing = carry(known, old.x_place, x, new.x_place, x_new, missing)
    else:
        _convert(known, old, x, new, fresh)
        n_missing = carry(known, _NO_PLACES, _NO_STATES, new.x_place, x_new, missing)
    if n_missing:
        for k in missing[:n_missing].tolist():
            _put(known, places * k, *_new_state(old, new, k, motion, fresh))
        carry(known, _NO_PLACES, _NO_STATES, new.x_place, x_new, missing)
    return x_new


_NO_PLACES, _NO_STATES = np.zeros(0, np.int64), np.zeros(0)


@cache
def _carry() -> Any:
    """Return the kernel, which is imported when it is needed first."""
    from .forest_kernel import carry_states

    return carry_states.call


def _convert(known: np.ndarray, old: Forest, x: np.ndarray, new: Forest, fresh: Set[str]) -> None:
    """Write old states to their places of ``new.x_place``; orientations as the new forest describes them."""
    for body, name, q, v in passive_states(old, x):
        if name not in new.indices or name in fresh:
            continue
        sequence, sequence_now = old.sequence(body), new.sequence(new.indices[name][0])
        if sequence != sequence_now:
            first = orientation_index(old, body)
            q = (*q[:first], *coordinates_of(sequence_now, matrix_of(sequence, q[first:])))
        _put(known, layout.X_PLACES * new.graph.state_number[name], q, v)


def _put(known: np.ndarray, at: int, q: Sequence[float], v: Sequence[float]) -> None:
    """Write the states of a joint or free root, whose places begin at ``at``."""
    known[at : at + len(q)] = q
    known[at + layout.V_PLACE : at + layout.V_PLACE + len(v)] = v


def _new_state(old: Forest, new: Forest, key: int, motion: MotionOf, fresh: Set[str]) -> JointState:
    """Return the states of a joint or free root that was none of the old forest; ``key`` is its index in
    ``graph.state_names``.
    """
    graph, n = new.graph, len(new.graph.joints)
    sequence = new.sequence(int((new.body_joint == (key if key < n else n - 1 - key)).argmax()))
    if key >= n:
        return free_state(motion(graph.assemblies[key - n].name), sequence)
    edge = graph.joints[key]
    if edge.name in fresh:
        return edge.joint.start(sequence)
    locked = old.structure.welded_state(edge.name)
    if locked is None:
        return cut_state(graph, edge, motion, sequence)
    return locked[0], (0.0,) * len(graph.state_names[key][1])


def present_sequence(graph: SceneGraph, structure: Structure, edge: JointEdge) -> str:
    """Return how the coordinates of a joint describe an orientation in a structure; "quaternion" also where there is none."""
    declared = edge.joint.orientation or "quaternion"
    return dict(structure.sequences).get(edge.name, "xyz") if declared == "auto" else declared


def cut_state(graph: SceneGraph, edge: JointEdge, motion: MotionOf, sequence: str) -> JointState:
    """Return the coordinates and speeds of a joint from the motion of its frames; angles nearest to those with which it
    starts.
    """
    one, two = (motion(graph.frames[frame].name) for frame in edge.frames)
    return edge.joint.state_from(relative_motion(one, two), edge.joint.start(sequence)[0], sequence)


def passive_states(forest: Forest, x: np.ndarray) -> list[tuple[int, str, tuple[float, ...], tuple[float, ...]]]:
    """Return the body, name, coordinates and speeds of each joint and free root whose states are in ``x_var = x``."""
    values, names, result = x.tolist(), forest.body_names, []
    n_q, n_e = forest.nq - forest.n_equation, forest.n_equation
    for body, k in forest.passive:
        coordinates, speeds = forest.graph.state_names[k]
        q, v = forest.ints[body, layout.Q_INDEX] - n_e, n_q + forest.ints[body, layout.V_INDEX] - n_e
        result.append((body, names[body], tuple(values[q : q + len(coordinates)]), tuple(values[v : v + len(speeds)])))
    return result


def orientation_index(forest: Forest, body: int) -> int:
    """Return where among a body's coordinates those of its orientation begin."""
    return int(ORIENTATION_AT[forest.ints[body, layout.KIND]])


def singular_sequences(forest: Forest, x: np.ndarray) -> dict[str, str]:
    """Return the automatic orientations that are near the singularity of their Cardan sequence, and the best one now."""
    if not forest.graph.has_automatic:
        return {}
    result = {}
    for body, name, q, v in passive_states(forest, x):
        if forest.ints[body, layout.AUTOMATIC]:
            sequence = forest.sequence(body)
            R = matrix_of(sequence, q[orientation_index(forest, body) :])
            if sequence_sine(sequence, R) > LEFT_SINE:
                result[name] = best_sequence(R, v[-3:])
    return result


def _refuse_singular(forest: Forest, x: np.ndarray) -> None:
    """Refuse Cardan angles whose rates of change are not finite."""
    for body, name, q, _ in passive_states(forest, x) if (forest.ints[:, layout.ORIENTATION] > 0).any() else ():
        sequence = forest.sequence(body)
        if sequence == "quaternion" or forest.ints[body, layout.AUTOMATIC]:
            continue
        if sequence_sine(sequence, matrix_of(sequence, q[orientation_index(forest, body) :])) > 1.0 - 1e-12:
            raise ModelError(
                "the initial orientation is singular",
                path=name,
                found=f"a second angle of 90 degrees in the sequence '{sequence}'",
                expected="another sequence",
                remedy="Set orientation='auto', or leave it out for a quaternion.",
            )


def _joint_start(edge: JointEdge, starts: Starts, sequence: str) -> JointState:
    if edge.name not in starts:
        return edge.joint.start(sequence)
    q, v = starts[edge.name]
    if not edge.joint.orientation or sequence == "quaternion":
        return q, v
    return (*q[:-4], *coordinates_of(sequence, matrix_of("quaternion", q[-4:]))), v


def free_state(motion: FrameMotion, sequence: str) -> JointState:
    """Return the coordinates (``p_WB_W``, orientation ``R_WB``) and speeds (``v_WB_W``, ``w_WB_B``) of a free body B in this
    motion.
    """
    w_WB_B = motion.R_WF.T @ motion.w_WF_W
    pose = (*motion.p_WF.tolist(), *coordinates_of(sequence, motion.R_WF))
    return pose, (*motion.v_WF_W.tolist(), *w_WB_B.tolist())


def _start_of(graph: SceneGraph, assembly: Assembly, of_frame: Callable[[int], FrameMotion], starts: Starts) -> FrameMotion:
    node = graph.frames[assembly.start]
    if assembly.is_world:
        return WORLD_AT_REST
    parent = of_frame(node.parent) if node.parent >= 0 else WORLD_AT_REST
    if assembly.name in starts:
        q, v = starts[assembly.name]
        R = matrix_of("quaternion", q[3:])
        return parent.moved(R, np.array(q[:3]), np.array(v[:3]), R @ np.array(v[3:]))
    user = node.frame
    return parent.moved(
        rotation_matrix(user.rotation), np.array(user.translation), np.array(user.velocity), np.array(user.angular_velocity)
    )


def move_across(graph: SceneGraph, joint: int, is_reversed: bool, start: JointState, groups: dict[int, FrameMotion]) -> None:
    """Add to ``groups`` the motion of the group on the other side of a joint with the coordinates and speeds ``start``."""
    edge = graph.joints[joint]
    (parent, child), (at, to) = (edge.frames, edge.groups) if not is_reversed else (edge.frames[::-1], edge.groups[::-1])
    pose_parent, pose_child = graph.frame_pose[parent], graph.frame_pose[child]
    here = groups[at].carried(pose_parent[:9].reshape(3, 3), pose_parent[9:])
    across = edge.joint.motion(*start, "quaternion")
    across = across.inverse() if is_reversed else across
    there = here.moved(across.R_12, across.p_12_1, across.v_12_1, across.w_12_1)
    R_CG = pose_child[:9].reshape(3, 3).T
    groups[to] = there.carried(R_CG, -R_CG @ pose_child[9:])
