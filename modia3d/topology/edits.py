"""All structural edits: pure functions from a `Structure` to the next one.

What becomes of the states is the same rule for all of them, applied by `states.carry_state`:

- coordinates and speeds of equation joints are no part of ``x_var`` and are never touched;
- a hidden joint that is still there keeps its coordinate and speed to the last bit;
- a free tree that keeps its root frame keeps its thirteen states to the last bit;
- a free tree with a new root frame starts with the last pose and velocity of that frame;
- a joint that is locked keeps its coordinates, as constants; unlocked, it goes on from them at rest;
- everything else is dropped.

The root of a free tree is the root frame of its first assembly in the order of declaration. Frames are named as the user writes
them; ``scope`` is the path of the model where the name stands.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace

from modiapy.model.errors import ModelError, nearest

from ..scene.joints import FixedJoint, JointState
from .graph import JointEdge, SceneGraph
from .mating import check_mating, relative_pose
from .motion import MotionOf
from .structure import HeldJoint, Lock, LockedJoint, Structure


def attach(
    graph: SceneGraph,
    structure: Structure,
    frame: str,
    target: str,
    motion: MotionOf,
    *,
    moving: bool = False,
    scope: str = "",
) -> Structure:
    """Lock ``frame`` to ``target`` at the measured relative pose; nothing snaps.

    States: of the two trees, the one that hangs on the world, else the one whose root was declared first, keeps its root and
    its states; the free motion of the other is dropped (at most the tolerance of the relative velocity is lost). With
    ``moving`` any relative velocity is allowed: the caller takes it away by an impact before.

    Raises:
        ModelError: an unknown, deleted, not lockable or already locked frame; both in one tree (a loop); they do not mate.
    """
    a, b = (_lockable(graph, structure, name, scope) for name in (frame, target))
    return _attached(graph, structure, a, b, motion, moving)


def release(graph: SceneGraph, structure: Structure, frame: str, target: str | None = None, *, scope: str = "") -> Structure:
    """Remove the lock at ``frame``.

    States: the part that loses the root of the tree becomes a free tree of its own and goes on with the last pose and
    velocity of its root; the other part keeps its states.

    Raises:
        ModelError: an unknown or deleted frame; it is not locked, or not to ``target``.
    """
    index = _existing(graph, structure, frame, scope)
    lock = _lock_at(graph, structure, index)
    if target is not None:
        other = graph.frames[_existing(graph, structure, target, scope)].name
        if other not in (lock.frame_a, lock.frame_b):
            raise ModelError(
                "it is attached to another frame", path=graph.frames[index].name, found=f"the lock {lock}", expected=other
            )
    return _without(structure, lock)


def release_and_attach(
    graph: SceneGraph,
    structure: Structure,
    frame: str,
    target: str,
    motion: MotionOf,
    *,
    release: str | None = None,
    scope: str = "",
) -> Structure:
    """Remove the lock that holds the assembly of ``frame`` and lock ``frame`` to ``target``, at once.

    The lock removed is the first one on the path from the assembly of ``frame`` to the root of its tree (the world, or the
    root of the free tree), or the lock at the frame ``release``.

    States: as `release` followed by `attach`. Where ``target`` hangs on the same root, no free state comes or goes.

    Raises:
        ModelError: as `attach` and `release`; there is no lock on that path; the frames would still be in one tree.
    """
    a, b = (_lockable(graph, structure, name, scope) for name in (frame, target))
    if release is None:
        path = path_to_root(graph, structure, a)
        if not path:
            raise ModelError(
                "no lock holds its assembly on the way to the root",
                path=graph.frames[a].name,
                found=f"the assembly {graph.assemblies[graph.assembly_of(a)].name} is the root of its tree",
                remedy="Use ActionAttach, or name a frame of the lock as release=.",
            )
        lock = path[0].lock
    else:
        lock = _lock_at(graph, structure, _existing(graph, structure, release, scope))
    return _attached(graph, _without(structure, lock), a, b, motion)


def flip_chain(
    graph: SceneGraph,
    structure: Structure,
    frame: str,
    target: str,
    motion: MotionOf,
    *,
    release: str | None = None,
    scope: str = "",
) -> Structure:
    """Lock the free end ``frame`` of a chain of joints to ``target`` and remove the lock at its other end, at once.

    The other end is the first lock after at least one joint on the path from ``frame`` to the root of its tree, or the lock
    at the frame ``release``. Parents and children along the chain swap: its joints are traversed in the opposite direction.

    States: joints keep their coordinates and speeds, a reversed joint too; otherwise as `release_and_attach`.

    Raises:
        ModelError: as `release_and_attach`; there is no joint, or no lock behind it, on the path.
    """
    a, b = (_lockable(graph, structure, name, scope) for name in (frame, target))
    if release is None:
        lock = _other_end(graph, structure, a)
    else:
        lock = _lock_at(graph, structure, _existing(graph, structure, release, scope))
    return _attached(graph, _without(structure, lock), a, b, motion)


def delete(graph: SceneGraph, structure: Structure, frame: str, *, scope: str = "") -> Structure:
    """Remove the assembly that contains ``frame``, with its locks.

    States: those of its joints and its free root are dropped. Assemblies that hung on it become free trees and go on with the
    last pose and velocity of their roots.

    Raises:
        ModelError: an unknown or already deleted frame; the assembly of the world; one whose joints are driven by equations.
    """
    index = _existing(graph, structure, frame, scope)
    k = graph.assembly_of(index)
    assembly = graph.assemblies[k]
    if assembly.is_world:
        raise ModelError("the assembly of the world cannot be deleted", path=graph.frames[index].name)
    if assembly.equation_joints:
        raise ModelError(
            f"the assembly {assembly.name} cannot be deleted, because equations drive its joints",
            path=graph.frames[index].name,
            found=f"joints with a flange: {', '.join(assembly.equation_joints)}",
            expected="an assembly without joints, or with joints without flange",
        )
    left = (lock for lock in structure.locks if k not in _assemblies_of(graph, lock))
    own = {graph.joints[edge.joint].name for edge in assembly.tree}
    return replace(
        structure,
        locks=tuple(left),
        deleted=structure.deleted | {assembly.name},
        locked=tuple(joint for joint in structure.locked if joint.name not in own),
        held=tuple(joint for joint in structure.held if joint.name not in own),
    )


def lock_joint(
    graph: SceneGraph, structure: Structure, joint: str, state: JointState, *, moving: bool = False, scope: str = ""
) -> Structure:
    """Make a joint rigid at its coordinates (a brake that is closed). The joint must be at rest, for nothing jumps.

    Args:
        joint: name as written; ``state`` are its coordinates and speeds at this moment.
        moving: any speed is allowed; the caller takes it away by an impact before.

    States: those of a joint without flange become constants; one with a flange keeps them, its equation becomes
    ``der(w) = 0``. Speeds below the scene's tolerances for mating are lost.

    Raises:
        ModelError: an unknown, deleted, fixed or already locked joint; it moves.
    """
    edge = graph.joints[_existing_joint(graph, structure, joint, scope)]
    if _is_locked(structure, edge.name):
        raise ModelError("the joint is locked already", path=edge.name, remedy="Unlock it before.")
    if not moving:
        _check_rest(graph, edge, state)
    others = tuple(held for held in structure.held if held.name != edge.name)
    if edge.equation >= 0:
        return replace(structure, held=(*others, HeldJoint(edge.name, 0)))
    return replace(structure, locked=(*structure.locked, LockedJoint(edge.name, tuple(state[0]))), held=others)


def _is_locked(structure: Structure, joint: str) -> bool:
    return structure.locked_state(joint) is not None or structure.side_of(joint) == 0


def _check_rest(graph: SceneGraph, edge: JointEdge, state: JointState) -> None:
    _, v = state
    tolerance = graph.scene.mating
    sequence = {"": "quaternion", "auto": "xyz"}.get(edge.joint.orientation, edge.joint.orientation)
    motion = edge.joint.motion(*state, sequence)  # magnitudes of velocities do not depend on an automatic sequence
    speed, turning = math.hypot(*motion.v_12_1.tolist()), math.hypot(*motion.w_12_1.tolist())
    if speed > tolerance.velocity or turning > tolerance.angular_velocity:
        raise ModelError(
            "the joint moves, it cannot be locked without a jump",
            path=edge.name,
            found=", ".join(f"{name} = {value:.6g}" for name, value in zip(edge.joint.state_names()[1], v, strict=True)),
            expected=f"at most {tolerance.velocity:g} m/s and {tolerance.angular_velocity:g} rad/s",
            remedy='Lock it at rest, by an impact (on_contact="impulse"), or change Scene(mating=MatingTolerance(...)).',
        )


def unlock_joint(graph: SceneGraph, structure: Structure, joint: str, *, scope: str = "") -> Structure:
    """Let a locked joint move again.

    States: the joint goes on from the coordinates it had, at rest.

    Raises:
        ModelError: an unknown, deleted or fixed joint; it is not locked.
    """
    edge = graph.joints[_existing_joint(graph, structure, joint, scope)]
    if not _is_locked(structure, edge.name):
        names = [joint.name for joint in structure.locked] + [joint.name for joint in structure.held if joint.side == 0]
        raise ModelError("the joint is not locked", path=edge.name, found=f"locked joints: {', '.join(names) or 'none'}")
    locked = tuple(lock for lock in structure.locked if lock.name != edge.name)
    return replace(structure, locked=locked, held=tuple(held for held in structure.held if held.name != edge.name))


# -- paths --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A lock on a path: the frame on the side where the path comes from, and the one where it goes on."""

    lock: Lock
    near: int
    far: int


def path_to_root(graph: SceneGraph, structure: Structure, frame: int) -> tuple[Step, ...]:
    """The locks from the assembly of a frame to the root of its tree, in this order."""
    start = graph.assembly_of(frame)
    reached = _reach(graph, structure, start)
    return _steps_to(reached, graph, start, min(reached))


def path_between(graph: SceneGraph, structure: Structure, frame: int, other: int) -> tuple[Step, ...] | None:
    """The locks from the assembly of ``frame`` to that of ``other``; None if they are in different trees."""
    start, end = graph.assembly_of(frame), graph.assembly_of(other)
    reached = _reach(graph, structure, start)
    return _steps_to(reached, graph, start, end) if end in reached else None


def _reach(graph: SceneGraph, structure: Structure, start: int) -> dict[int, Step | None]:
    """Assemblies of the tree of ``start``, each with the step by which it is reached."""
    around: dict[int, list[Step]] = {}
    for lock in structure.locks:
        a, b = graph.index[lock.frame_a], graph.index[lock.frame_b]
        around.setdefault(graph.assembly_of(a), []).append(Step(lock, a, b))
        around.setdefault(graph.assembly_of(b), []).append(Step(lock, b, a))
    reached: dict[int, Step | None] = {start: None}
    queue = [start]
    for assembly in queue:
        for step in around.get(assembly, ()):
            there = graph.assembly_of(step.far)
            if there not in reached:
                reached[there] = step
                queue.append(there)
    return reached


def _steps_to(reached: dict[int, Step | None], graph: SceneGraph, start: int, end: int) -> tuple[Step, ...]:
    steps: list[Step] = []
    while end != start:
        step = reached[end]
        assert step is not None
        steps.append(step)
        end = graph.assembly_of(step.near)
    return tuple(reversed(steps))


def _other_end(graph: SceneGraph, structure: Structure, frame: int) -> Lock:
    group, jointed = graph.frames[frame].group, False
    for step in path_to_root(graph, structure, frame):
        jointed = jointed or graph.frames[step.near].group != group
        if jointed:
            return step.lock
        group = graph.frames[step.far].group
    raise ModelError(
        "it is not the free end of a chain whose other end is attached",
        path=graph.frames[frame].name,
        found="no lock behind a joint on the way to the root of its tree",
        remedy="Use ActionAttach or ActionReleaseAndAttach, or name a frame of the lock as release=.",
    )


# -- checks -------------------------------------------------------------------------------------------------------------


def _existing(graph: SceneGraph, structure: Structure, name: str, scope: str) -> int:
    index = graph.frame_index(name, scope)
    if structure.deleted:
        assembly = graph.assemblies[graph.assembly_of(index)]
        if assembly.name in structure.deleted:
            raise ModelError("this Object3D was deleted", path=name, found=f"the deleted assembly {assembly.name}")
    return index


def _existing_joint(graph: SceneGraph, structure: Structure, name: str, scope: str) -> int:
    index = graph.joint_index(name, scope)
    edge = graph.joints[index]
    assembly = graph.assemblies[graph.group_assembly[edge.groups[0]]]
    if assembly.name in structure.deleted:
        raise ModelError("this joint was deleted", path=edge.name, found=f"the deleted assembly {assembly.name}")
    if isinstance(edge.joint, FixedJoint):
        raise ModelError("a Fix is always rigid", path=edge.name, expected="a joint that can move")
    return index


def _lockable(graph: SceneGraph, structure: Structure, name: str, scope: str) -> int:
    index = _existing(graph, structure, name, scope)
    node = graph.frames[index]
    if not node.frame.lockable:
        assembly = graph.assembly_of(index)
        own = [n.name for n in graph.frames if n.frame.lockable and graph.group_assembly[n.group] == assembly]
        raise ModelError(
            "this Object3D is not lockable",
            path=node.name,
            expected=f"a frame with lockable=True{_of(own)}",
            remedy=nearest(node.name, own),
        )
    return index


def _of(names: Iterable[str]) -> str:
    listed = ", ".join(names)
    return f", in its assembly: {listed}" if listed else ""


def _lock_at(graph: SceneGraph, structure: Structure, frame: int) -> Lock:
    name = graph.frames[frame].name
    lock = structure.lock_at(name)
    if lock is None:
        locks = ", ".join(map(str, structure.locks)) or "there is none"
        raise ModelError("this Object3D is not attached", path=name, expected=f"a frame of a lock: {locks}")
    return lock


def _assemblies_of(graph: SceneGraph, lock: Lock) -> tuple[int, int]:
    return graph.assembly_of(graph.index[lock.frame_a]), graph.assembly_of(graph.index[lock.frame_b])


# -- locks --------------------------------------------------------------------------------------------------------------


def _without(structure: Structure, lock: Lock) -> Structure:
    return replace(structure, locks=tuple(k for k in structure.locks if k is not lock))


def _attached(graph: SceneGraph, structure: Structure, a: int, b: int, motion: MotionOf, moving: bool = False) -> Structure:
    names = graph.frames[a].name, graph.frames[b].name
    for name in names:
        lock = structure.lock_at(name)
        if lock is not None:
            raise ModelError(
                "this Object3D is attached already", path=name, found=f"the lock {lock}", remedy="Release it before."
            )
    steps = path_between(graph, structure, a, b)
    if steps is not None:
        links = [f"{graph.frames[s.near].name} = {graph.frames[s.far].name}" for s in steps]
        raise ModelError(
            f"attaching {names[0]} to {names[1]} would close a loop, which is not supported yet",
            path=names[0],
            found=f"they are connected already: {' ... '.join([names[0], *links, names[1]])}",
            remedy="Release a lock between them, or use ActionReleaseAndAttach or ActionFlipChain.",
        )
    first, second = sorted(names)
    motion_first, motion_second = motion(first), motion(second)
    tolerance = graph.scene.mating
    if moving:
        tolerance = replace(tolerance, velocity=sys.float_info.max, angular_velocity=sys.float_info.max)
    check_mating(tolerance, first, motion_first, second, motion_second)
    lock = Lock(first, second, *relative_pose(motion_first, motion_second))
    return replace(structure, locks=(*structure.locks, lock))
