"""Paths over locks, from assembly to assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from modiapy.model.errors import ModelError

from .cuts import Sets
from .graph import SceneGraph
from .structure import Lock, Structure


class LockOnPath(NamedTuple):
    """A lock on a path: the frame on the side where the path comes from, and the one where it goes on."""

    lock: Lock
    near: int
    far: int


def path_to_root(graph: SceneGraph, structure: Structure, frame: int) -> tuple[LockOnPath, ...]:
    """Return the locks from the assembly of a frame to the root of its tree, in this order."""
    start = graph.assembly_of(frame)
    reached = _reach(graph, structure.locks, start)
    return _steps_to(reached, graph, start, min(reached))


def lock_to_root(graph: SceneGraph, structure: Structure, frame: int) -> Lock:
    """Return the first lock on the way from the assembly of a frame to the root of its tree.

    Raises:
        ModelError: there is none, or there are several ways.
    """
    path = path_to_root(graph, structure, frame)
    if not path:
        raise ModelError(
            "no lock holds the frame's assembly on the way to the root",
            path=graph.frames[frame].name,
            found=f"the assembly {graph.assemblies[graph.assembly_of(frame)].name} is the root of its tree",
            remedy="Use ActionAttach, or name a frame of the lock as release=.",
        )
    return _only_way(graph, structure, frame, path[0].lock)


def _only_way(graph: SceneGraph, structure: Structure, frame: int, lock: Lock) -> Lock:
    """Return the lock, without which the assembly of a frame must not be connected to the root of its tree. Raises
    ModelError.
    """
    start = graph.assembly_of(frame)
    root = min(_reach(graph, structure.locks, start))
    if _are_connected(graph, structure, start, root, lock):
        other = path_to_root(graph, structure.without_lock(lock), frame)
        raise ModelError(
            "several ways lead from the frame's assembly to the root of its tree",
            path=graph.frames[frame].name,
            found=f"one over the lock {lock}, one over {', '.join(str(step.lock) for step in other)}",
            expected="one way, on which the lock to be released is the first one",
            remedy="Name a frame of the lock as release=.",
        )
    return lock


def other_path(graph: SceneGraph, structure: Structure, lock: Lock) -> tuple[LockOnPath, ...] | None:
    """Return the other locks by which the two assemblies of a lock are connected, from A to B; None if no others connect
    them.
    """
    start, end = (graph.assembly_of(graph.index[frame]) for frame in (lock.frame_a, lock.frame_b))
    if not _are_connected(graph, structure, start, end, lock):
        return None
    return _steps_to(_reach(graph, structure.without_lock(lock).locks, start), graph, start, end)


def _are_connected(graph: SceneGraph, structure: Structure, start: int, end: int, without: Lock) -> bool:
    """Return whether other locks than ``without`` connect two assemblies: what is asked at each change, before anything is
    named.

    The search goes on from both in turns, so that its work is that of the smaller part.
    """
    if start == end:
        return True
    index, where, lock_at, lockable = graph.index, graph.frame_assembly, structure.lock_of.get, graph.lockable_frames
    if len(lockable[end]) < len(lockable[start]):
        start, end = end, start
    reached, pending, others, waiting = {start}, [start], {end}, [end]
    while pending:
        for name in lockable[pending.pop()]:
            lock = lock_at(name)
            if lock is not None and lock is not without:
                there = where[index[lock.frame_b if name == lock.frame_a else lock.frame_a]]
                if there in others:
                    return True
                if there not in reached:
                    reached.add(there)
                    pending.append(there)
        reached, pending, others, waiting = others, waiting, reached, pending
    return False


def form_loops(graph: SceneGraph, structure: Structure) -> bool:
    """Return whether locks connect assemblies that others connect already."""
    sets, index, where = Sets(len(graph.assemblies)), graph.index, graph.frame_assembly
    pairs = ((where[index[lock.frame_a]], where[index[lock.frame_b]]) for lock in structure.locks)
    return not all(sets.unite(*pair) for pair in pairs)


def _reach(graph: SceneGraph, locks: Sequence[Lock], start: int) -> dict[int, LockOnPath | None]:
    """Return the assemblies of the tree of ``start``, each with the step by which it is reached."""
    around: dict[int, list[LockOnPath]] = {}
    for lock in locks:
        a, b = graph.index[lock.frame_a], graph.index[lock.frame_b]
        around.setdefault(graph.assembly_of(a), []).append(LockOnPath(lock, a, b))
        around.setdefault(graph.assembly_of(b), []).append(LockOnPath(lock, b, a))
    reached: dict[int, LockOnPath | None] = {start: None}
    queue = [start]
    for assembly in queue:
        for step in around.get(assembly, ()):
            there = graph.assembly_of(step.far)
            if there not in reached:
                reached[there] = step
                queue.append(there)
    return reached


def _steps_to(reached: dict[int, LockOnPath | None], graph: SceneGraph, start: int, end: int) -> tuple[LockOnPath, ...]:
    steps: list[LockOnPath] = []
    while end != start:
        step = reached[end]
        assert step is not None
        steps.append(step)
        end = graph.assembly_of(step.near)
    return tuple(reversed(steps))


def lock_at_other_end(graph: SceneGraph, structure: Structure, frame: int) -> Lock:
    """Return the lock at the other end of the chain of joints whose free end carries ``frame``.

    Raises:
        ModelError: there is no joint, or no lock behind it, on the way to the root, or there are several ways.
    """
    group = graph.frames[frame].group
    for step in path_to_root(graph, structure, frame):
        if graph.frames[step.near].group != group:
            return _only_way(graph, structure, frame, step.lock)
        group = graph.frames[step.far].group
    raise ModelError(
        "the frame is not the free end of a chain whose other end is attached",
        path=graph.frames[frame].name,
        found="no lock behind a joint on the way to the root of its tree",
        remedy="Use ActionAttach or ActionReleaseAndAttach, or name a frame of the lock as release=.",
    )
