"""Carrying out a structural action: each action of a program is the edit of the same name."""

from __future__ import annotations

from functools import singledispatch

from ..topology import edits
from ..topology.graph import SceneGraph
from ..topology.motion import Present
from ..topology.structure import Structure
from .values import Attach, Delete, FlipChain, LockJoint, Release, ReleaseAndAttach, UnlockJoint, impulsive


@singledispatch
def apply(action: object, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    """The structure after a structural action.

    Args:
        action: one of `modia3d.actions.values.StructuralAction`.
        graph, structure: what there is.
        present: state of all frames and joints at this moment.
        scope: path of the model where the program stands, in which names of frames are looked up first.

    Raises:
        ModelError: the edit is refused, see `modia3d.topology.edits`.
    """
    raise TypeError(f"{action!r} is not a structural action")


@apply.register
def _(action: Attach, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    return edits.attach(graph, structure, action.frame, action.target, present.motion_of, moving=impulsive(action), scope=scope)


@apply.register
def _(action: Release, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    return edits.release(graph, structure, action.frame, action.target, scope=scope)


@apply.register
def _(action: ReleaseAndAttach, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    return edits.release_and_attach(
        graph, structure, action.frame, action.target, present.motion_of, release=action.release, scope=scope
    )


@apply.register
def _(action: FlipChain, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    return edits.flip_chain(
        graph, structure, action.frame, action.target, present.motion_of, release=action.release, scope=scope
    )


@apply.register
def _(action: Delete, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    return edits.delete(graph, structure, action.frame, scope=scope)


@apply.register
def _(action: LockJoint, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    joint = graph.joints[graph.joint_index(action.joint, scope)].name
    return edits.lock_joint(graph, structure, action.joint, present.state_of(joint), moving=impulsive(action), scope=scope)


@apply.register
def _(action: UnlockJoint, graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Structure:
    return edits.unlock_joint(graph, structure, action.joint, scope=scope)
