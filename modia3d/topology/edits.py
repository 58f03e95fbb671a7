"""All structural edits: pure functions from a `Structure` to the next one. Contract and tests: ``docs/structural_change.md``.

What becomes of the states is the same rule for all of them, applied by `states.transfer_state`:

- coordinates and speeds of prescribed joints are no part of ``x_var`` and are never touched;
- a passive joint that is still there keeps its coordinate and speed to the last bit;
- a free tree that keeps its root frame keeps its thirteen states to the last bit;
- a free tree with a new root frame starts with the last pose and velocity of that frame;
- a joint that is locked keeps its coordinates, as constants; unlocked, it goes on from them at rest;
- what appears starts as it is placed, its passive joints as declared;
- everything else is dropped.

The root of a free tree is the root frame of its first assembly in the order of declaration. Frames are named as the user writes
them; ``scope`` is the path of the model where the name stands. Several edits are one change where each is made on the result
of the one before. Whether loops may be closed is not asked here, see `check_loops`.
"""

from __future__ import annotations

import math
from dataclasses import replace

from modiapy.model.errors import ModelError

from ..scene.basics.checks import LARGEST
from ..scene.joints import JointState
from .appearance import Edited, appear
from .graph import JointEdge, SceneGraph
from .lock_paths import lock_at_other_end, lock_to_root, other_path
from .lookup import assemblies_of, existing_frame, existing_joint, lock_at, lockable_frame
from .mating import check_mating
from .motion import FrameMotion, MotionOf, Present
from .placement import Placement
from .states import suitable_sequences
from .structure import JointLock, JointWeld, Lock, Structure


def attach(
    graph: SceneGraph,
    structure: Structure,
    frame: str,
    target: str,
    motion: MotionOf,
    *,
    moving: bool = False,
    contact: bool = True,
    scope: str = "",
) -> Structure:
    """Lock ``frame`` to ``target`` at the measured relative pose; nothing snaps.

    States: of the two trees, the one that hangs on the world, else the one whose root was declared first, keeps its root and
    its states; the free motion of the other is dropped (at most the tolerance of the relative velocity is lost). With
    ``moving`` any relative velocity is allowed: the caller takes it away by an impact before. Without ``contact`` the solids of
    both assemblies do not touch each other while the lock is there.

    Raises:
        ModelError: an unknown, deleted, not lockable or already locked frame, or one frame twice; they do not mate.
    """
    a, b = (lockable_frame(graph, structure, name, scope) for name in (frame, target))
    return _attached(graph, structure, a, b, motion, moving, contact)


def release(graph: SceneGraph, structure: Structure, frame: str, target: str | None = None, *, scope: str = "") -> Structure:
    """Remove the lock at ``frame``.

    States: the part that loses the root of the tree becomes a free tree of its own and goes on with the last pose and
    velocity of its root; the other part keeps its states.

    Raises:
        ModelError: an unknown or deleted frame; it is not locked, or not to ``target``.
    """
    index = existing_frame(graph, structure, frame, scope)
    lock = lock_at(graph, structure, index)
    if target is not None:
        other = graph.frames[existing_frame(graph, structure, target, scope)].name
        if other not in (lock.frame_a, lock.frame_b):
            raise ModelError(
                "the frame is attached to another frame",
                path=graph.frames[index].name,
                found=f"the lock {lock}",
                expected=other,
            )
    return structure.without_lock(lock)


def release_and_attach(
    graph: SceneGraph,
    structure: Structure,
    frame: str,
    target: str,
    motion: MotionOf,
    *,
    release: str | None = None,
    moving: bool = False,
    contact: bool = True,
    scope: str = "",
) -> Structure:
    """Remove the lock that holds the assembly of ``frame`` and lock ``frame`` to ``target``, at once.

    ``moving`` and ``contact`` as in `attach`. The lock removed is the first one on the path from the assembly of ``frame`` to
    the root of its tree (the world, or the root of the free tree), or the lock at the frame ``release``. Where several ways
    lead to the root, ``release`` is needed.

    States: as `release` followed by `attach`. Where ``target`` hangs on the same root, no free state comes or goes.

    Raises:
        ModelError: as `attach` and `release`; there is no lock on that path, or there are several ways.
    """
    a, b = (lockable_frame(graph, structure, name, scope) for name in (frame, target))
    lock = _lock_at(graph, structure, release, scope) or lock_to_root(graph, structure, a)
    return _attached(graph, structure.without_lock(lock), a, b, motion, moving, contact)


def flip_chain(
    graph: SceneGraph,
    structure: Structure,
    frame: str,
    target: str,
    motion: MotionOf,
    *,
    release: str | None = None,
    moving: bool = False,
    contact: bool = True,
    scope: str = "",
) -> Structure:
    """Lock the free end ``frame`` of a chain of joints to ``target`` and remove the lock at its other end, at once.

    ``moving`` and ``contact`` as in `attach`.

    The other end is the first lock after at least one joint on the path from ``frame`` to the root of its tree, or the lock
    at the frame ``release``. Parents and children along the chain swap: its joints are traversed in the opposite direction.

    States: joints keep their coordinates and speeds, a reversed joint too; otherwise as `release_and_attach`.

    Raises:
        ModelError: as `release_and_attach`; there is no joint, or no lock behind it, on the path.
    """
    a, b = (lockable_frame(graph, structure, name, scope) for name in (frame, target))
    lock = _lock_at(graph, structure, release, scope) or lock_at_other_end(graph, structure, a)
    return _attached(graph, structure.without_lock(lock), a, b, motion, moving, contact)


def delete(
    graph: SceneGraph, structure: Structure, frame: str, present: Present | None = None, *, park: bool = False, scope: str = ""
) -> Structure:
    """Remove the assembly that contains ``frame``, with its locks.

    Args:
        park: joints with a flange are locked where they are, so that their equations go on; they must be at rest.
        present: state of the joints, needed to park.

    States: those of its joints without flange and its free root are dropped. Assemblies that hung on it become free trees
    and go on with the last pose and velocity of their roots. Momentum and energy of what is deleted are gone.

    Raises:
        ModelError: an unknown or already deleted frame; the assembly of the world; one whose joints are driven by equations,
            unless it is parked; such a joint moves.
    """
    index = existing_frame(graph, structure, frame, scope)
    k = graph.assembly_of(index)
    assembly = graph.assemblies[k]
    if assembly.is_world:
        raise ModelError("the assembly of the world cannot be deleted", path=graph.frames[index].name)
    parked = assembly.prescribed_joints
    if parked and (not park or present is None):
        raise ModelError(
            f"the assembly {assembly.name} cannot be deleted, because equations drive its joints",
            path=graph.frames[index].name,
            found=f"joints with a flange: {', '.join(parked)}",
            expected="an assembly without joints, or with joints without flange",
            remedy="With park=True its joints are locked, and their equations go on.",
        )
    for name in parked:
        assert present is not None
        _check_rest(graph, graph.joints[graph.joint_index(name)], present.state_of(name))
    left = (lock for lock in structure.locks if k not in assemblies_of(graph, lock))
    own = {graph.joints[joint].name for joint in assembly.joints}
    locked = [joint for joint in structure.locked if joint.name not in own]
    return replace(
        structure,
        locks=tuple(left),
        deleted=structure.deleted | {assembly.name},
        welded=tuple(joint for joint in structure.welded if joint.name not in own),
        locked=(*locked, *(JointLock(name, 0) for name in parked)),
    )


def add(
    graph: SceneGraph, structure: Structure, frame: str, present: Present, placement: Placement, *, scope: str = ""
) -> Edited:
    """Insert the assembly of ``frame``, which is parked or was deleted; ``frame`` is placed as given.

    States: a free root starts with the motion that follows from that of ``frame``, joints without flange as declared, joints
    with a flange go on from the coordinates they have, at rest. All other states are kept. Momentum and energy of the assembly
    are added, nothing else changes; attached, it has the velocity of what it is attached to.

    Raises:
        ModelError: an unknown frame; its assembly is there; as `attach`.
    """
    index = graph.frame_index(frame, scope)
    k = graph.assembly_of(index)
    assembly = graph.assemblies[k]
    if assembly.name not in structure.deleted:
        raise ModelError(
            "the assembly is in the scene already",
            path=graph.frames[index].name,
            found=f"the assembly {assembly.name} in the scene",
            expected="a frame of an assembly that is parked or deleted",
        )
    own = set(assembly.prescribed_joints)
    after = replace(
        structure,
        deleted=structure.deleted - {assembly.name},
        locked=tuple(joint for joint in structure.locked if joint.name not in own),
    )

    def motion_of(name: str) -> FrameMotion:
        return present.motion_of(graph.frames[existing_frame(graph, structure, name, scope)].name)

    seen = appear(graph, present, index, placement.motion(motion_of))
    places = [*assembly.joints, len(graph.joints) + k]
    after = after.with_sequences(suitable_sequences(graph, places, seen.motion_of))
    if placement.attach_to:
        after = attach(graph, after, frame, placement.attach_to, seen.motion_of, scope=scope)
    return Edited(after, seen)


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
    edge = graph.joints[existing_joint(graph, structure, joint, scope)]
    if _is_locked(structure, edge.name):
        raise ModelError("the joint is locked already", path=edge.name, remedy="Unlock it before.")
    if not moving:
        _check_rest(graph, edge, state)
    others = tuple(joint for joint in structure.locked if joint.name != edge.name)
    if edge.equation >= 0:
        return replace(structure, locked=(*others, JointLock(edge.name, 0)))
    return replace(structure, welded=(*structure.welded, JointWeld(edge.name, tuple(state[0]))), locked=others)


def _is_locked(structure: Structure, joint: str) -> bool:
    return structure.welded_state(joint) is not None or structure.side_of(joint) == 0


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
    """Unlock a joint, so that it can move again.

    States: the joint goes on from the coordinates it had, at rest.

    Raises:
        ModelError: an unknown, deleted or fixed joint; it is not locked.
    """
    edge = graph.joints[existing_joint(graph, structure, joint, scope)]
    if not _is_locked(structure, edge.name):
        names = [joint.name for joint in structure.welded] + [joint.name for joint in structure.locked if joint.side == 0]
        raise ModelError("the joint is not locked", path=edge.name, found=f"locked joints: {', '.join(names) or 'none'}")
    welded = tuple(lock for lock in structure.welded if lock.name != edge.name)
    return replace(structure, welded=welded, locked=tuple(joint for joint in structure.locked if joint.name != edge.name))


# -- locks --------------------------------------------------------------------------------------------------------------


def _lock_at(graph: SceneGraph, structure: Structure, frame: str | None, scope: str) -> Lock | None:
    """Return the lock at a frame that the user names; None where no frame is named."""
    return None if frame is None else lock_at(graph, structure, existing_frame(graph, structure, frame, scope))


def _attached(
    graph: SceneGraph, structure: Structure, a: int, b: int, motion: MotionOf, moving: bool, contact: bool
) -> Structure:
    names = graph.frames[a].name, graph.frames[b].name
    if a == b:
        raise ModelError("an Object3D cannot be attached to itself", path=names[0], expected="two frames")
    for name in names:
        lock = structure.lock_at(name)
        if lock is not None:
            raise ModelError(
                "this Object3D is attached already",
                path=name,
                found=f"the lock {lock}",
                remedy="Release it before; ActionReleaseAndAttach does both.",
            )
    first, second = sorted(names)
    motion_first, motion_second = motion(first), motion(second)
    tolerance = graph.scene.mating
    if moving:
        tolerance = replace(tolerance, velocity=LARGEST, angular_velocity=LARGEST)
    lock = Lock(first, second, *check_mating(tolerance, first, motion_first, second, motion_second), contact)
    return structure.with_lock(lock)


def check_loops(graph: SceneGraph, before: Structure, after: Structure) -> None:
    """Refuse a change whose new locks close a loop, where the equations are not prepared for that.

    Raises:
        ModelError: names one of the locks that close it, and the chain.
    """
    kept = before.lock_of.get
    for lock in [lock for lock in after.locks if kept(lock.frame_a) is not lock]:
        steps = None if kept(lock.frame_a) == lock else other_path(graph, after, lock)
        if steps is not None:
            links = [f"{graph.frames[s.near].name} = {graph.frames[s.far].name}" for s in steps]
            raise ModelError(
                f"attaching {lock.frame_a} to {lock.frame_b} would close a loop, for which nothing is prepared",
                path=lock.frame_a,
                found=f"they are connected already: {' ... '.join([lock.frame_a, *links, lock.frame_b])}",
                remedy="Release a lock between them, use ActionReleaseAndAttach or ActionFlipChain, or write "
                "ModelActions(program, closes_loops=True).",
            )
