"""Check that a structure read from a file is one that edits of this graph can lead to."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ..scene.basics.rotations import SEQUENCES
from .graph import SceneGraph
from .structure import JointWeld, Lock, Structure

_ORTHONORMAL = 1e-6
"""Deviation of ``R R^T`` from the unit matrix from which on a matrix is no rotation."""


def check_structure(graph: SceneGraph, structure: Structure) -> None:
    """Refuse a structure with which arrays of the graph would be read in wrong places.

    Raises:
        ModelError: names the frame, joint or assembly.
    """
    locked_or_welded = [*(joint.name for joint in structure.welded), *(joint.name for joint in structure.locked)]
    assemblies = {assembly.name: assembly for assembly in graph.assemblies if not assembly.is_world}
    gone = {joint for name in structure.deleted if name in assemblies for joint in assemblies[name].joints}
    automatic = [*graph.joint_ints[:, -1], *graph.root_ints[:, -1]]
    _check_names("a deleted assembly", structure.deleted, assemblies)
    _check_once("a lock", [name for lock in structure.locks for name in (lock.frame_a, lock.frame_b)])
    _check_once("a locked joint", locked_or_welded)
    _check_names("a locked joint", locked_or_welded, graph.joint_number)
    _check_once("a Cardan sequence", [name for name, _ in structure.sequences])
    _check_names("a Cardan sequence", [name for name, _ in structure.sequences], graph.state_number)
    for lock in structure.locks:
        _check_lock(graph, structure, lock)
    for weld in structure.welded:
        _check_weld(graph, weld)
    for name in (*(weld.name for weld in structure.welded), *(joint.name for joint in structure.locked if joint.side)):
        if graph.joint_number[name] in gone:
            raise _refusal("a locked joint", name, "a joint of a deleted assembly", "a joint that is there")
    for joint in structure.locked:
        kind, equation = graph.joint_ints[graph.joint_number[joint.name], :2]
        if kind < 0 or joint.side not in ((-1, 1) if equation < 0 else (-1, 0, 1)):
            expected = "a joint that moves, and -1 or 1, with a flange also 0"
            raise _refusal("a locked joint", joint.name, f"side {joint.side}", expected)
    for name, sequence in structure.sequences:
        if not automatic[graph.state_number[name]] or sequence not in SEQUENCES:
            raise _refusal("a Cardan sequence", name, repr(sequence), "a sequence of an orientation that is 'auto'")
    locked = {joint.name for joint in structure.locked}
    for name in structure.deleted:
        free = set(assemblies[name].prescribed_joints) - locked
        if free:
            raise _refusal("a deleted assembly", name, f"{', '.join(sorted(free))} not locked", "no joint that equations move")


def _check_lock(graph: SceneGraph, structure: Structure, lock: Lock) -> None:
    for name in (lock.frame_a, lock.frame_b):
        _check_names("a lock", [name], graph.index)
        k = graph.index[name]
        if not graph.frames[k].frame.lockable or graph.assemblies[graph.assembly_of(k)].name in structure.deleted:
            raise _refusal("a lock", name, "a frame that cannot be locked", "a lockable frame that is there")
    if (len(lock.R_AB), len(lock.p_AB_A)) != (9, 3) or not np.isfinite(lock.pose).all():
        raise _refusal("a lock", str(lock), f"{len(lock.R_AB)} and {len(lock.p_AB_A)} numbers", "9 and 3 finite numbers")
    R = np.array(lock.R_AB).reshape(3, 3)
    if np.abs(R @ R.T - np.eye(3)).max() > _ORTHONORMAL or np.linalg.det(R) < 0.0:
        raise _refusal("a lock", str(lock), f"the matrix {R.tolist()}", "a rotation")


def _check_weld(graph: SceneGraph, locked: JointWeld) -> None:
    j = graph.joint_number[locked.name]
    edge, n = graph.joints[j], len(graph.state_names[j][0])
    if edge.equation >= 0 or graph.joint_ints[j, 0] < 0:
        raise _refusal("a locked joint", locked.name, "a joint with a flange, or one that is fixed", "a joint with states")
    if len(locked.q) != n or not all(map(math.isfinite, locked.q)):
        raise _refusal("a locked joint", locked.name, f"the coordinates {locked.q}", f"{n} finite numbers")


def _check_names(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    known = set(known)
    for name in names:
        if name not in known:
            raise ModelError(f"{what} of the saved structure does not exist", path=name, remedy=nearest(name, known))


def _check_once(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise _refusal(what, name, f"{names.count(name)} of them", "one")


def _refusal(what: str, path: str, found: str, expected: str) -> ModelError:
    return ModelError(f"{what} of the saved structure cannot be", path=path, found=found, expected=expected)
