"""Frames, joints and locks that names in an action mean, or a refusal."""

from __future__ import annotations

from collections.abc import Iterable

from modiapy.model.errors import ModelError, nearest

from ..scene.joints import FixedJoint
from .graph import Assembly, SceneGraph
from .structure import Lock, Structure


def existing_frame(graph: SceneGraph, structure: Structure, name: str, scope: str) -> int:
    """Return the index of a frame that exists and was not deleted."""
    index = graph.frame_index(name, scope)
    assembly = graph.assemblies[graph.assembly_of(index)]
    if assembly.name in structure.deleted:
        raise _absent("Object3D", graph.frames[index].name, graph, assembly)
    return index


def existing_joint(graph: SceneGraph, structure: Structure, name: str, scope: str) -> int:
    """Return the index of a joint that can move and was not deleted."""
    index = graph.joint_index(name, scope)
    edge = graph.joints[index]
    assembly = graph.assemblies[graph.group_assembly[edge.groups[0]]]
    if assembly.name in structure.deleted:
        raise _absent("joint", edge.name, graph, assembly)
    if isinstance(edge.joint, FixedJoint):
        raise ModelError(
            "a Fix cannot be locked or unlocked: it is always rigid", path=edge.name, expected="a joint that can move"
        )
    return index


def _absent(what: str, name: str, graph: SceneGraph, assembly: Assembly) -> ModelError:
    parked = assembly in graph.parked
    return ModelError(
        f"this {what} {'is not in the scene' if parked else 'was deleted'}",
        path=name,
        found=f"the {'parked' if parked else 'deleted'} assembly {assembly.name}",
        remedy="ActionAdd lets it appear.",
    )


def lockable_frame(graph: SceneGraph, structure: Structure, name: str, scope: str) -> int:
    """Return the index of a frame that exists and is lockable."""
    index = existing_frame(graph, structure, name, scope)
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


def lock_at(graph: SceneGraph, structure: Structure, frame: int) -> Lock:
    """Return the lock at the frame of an index."""
    name = graph.frames[frame].name
    lock = structure.lock_at(name)
    if lock is None:
        locks = ", ".join(map(str, structure.locks)) or "there is none"
        raise ModelError("this Object3D is not attached", path=name, expected=f"a frame of a lock: {locks}")
    return lock


def assemblies_of(graph: SceneGraph, lock: Lock) -> tuple[int, int]:
    """Return the indices of the assemblies on both sides of a lock."""
    return graph.assembly_of(graph.index[lock.frame_a]), graph.assembly_of(graph.index[lock.frame_b])
