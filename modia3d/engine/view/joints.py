"""Joints and free bases of a part of a `Model3D`, in an order that no change of structure affects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from modiapy.model.errors import ModelError, nearest

from ...topology.graph import Assembly, SceneGraph


@dataclass(frozen=True)
class ViewJoint:
    """A joint of a view, or a base: an assembly that may move freely in the world.

    Attributes:
        name: relative to the `Model3D`; of a base that of its root frame.
        short: relative to the path of the view.
        number: index in ``graph.state_names``.
        base: whether it is a base.
        coordinates, speeds: where it is in ``q`` and ``v`` of the view.
    """

    name: str
    short: str
    number: int
    base: bool
    coordinates: slice
    speeds: slice


def relative_to(path: str, name: str) -> str:
    """Return a name relative to a path; of the thing at the path itself its last part. "" if it is not below."""
    if not path or name == path:
        return name.rpartition(".")[2] if path else name
    return name.removeprefix(f"{path}.") if name.startswith(f"{path}.") else ""


def view_joints(
    graph: SceneGraph, path: str, full: Callable[[str], str], chosen: Sequence[str] | None
) -> tuple[ViewJoint, ...]:
    """Return the joints and bases below a path: each tree from its base to its tips, branch by branch in the
    order of the model.

    Args:
        graph: the graph.
        path: relative to the `Model3D`; "" for all of it.
        full: gives the full path of a name that is relative to the `Model3D`.
        chosen: names of those that are wanted, in this order, relative to the path or in full; None: all.

    Raises:
        ModelError: there is nothing below the path, or no joint of a chosen name, or one is chosen twice.
    """
    names = [node.name for node in graph.frames] + [edge.name for edge in graph.joints]
    if not any(relative_to(path, name) for name in names):
        parts = {".".join(name.split(".")[:k]) for name in names for k in range(1, name.count(".") + 2)}
        raise ModelError(
            "there is no part of this path", path=full(path), expected="the path of a part with joints or Object3Ds",
            remedy=nearest(full(path), map(full, sorted(parts))),
        )  # fmt: skip
    found = [replace(joint, short=short) for joint in _all(graph) if (short := relative_to(path, joint.name))]
    if chosen is not None:
        known = {key: joint for joint in found for key in (full(joint.name), joint.short)}
        for name in chosen:
            if name not in known:
                raise ModelError(
                    f"there is no joint or base '{name}' in this view", path=full(path),
                    expected=", ".join(j.short for j in found), remedy=nearest(name, known),
                )  # fmt: skip
        found = [known[name] for name in chosen]
        names = [joint.name for joint in found]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ModelError("a joint is chosen twice", path=full(path), found=full(twice), expected="each of them once")
    placed, n_q, n_v = [], 0, 0
    for joint in found:
        q, v = map(len, graph.state_names[joint.number])
        placed.append(replace(joint, coordinates=slice(n_q, n_q + q), speeds=slice(n_v, n_v + v)))
        n_q, n_v = n_q + q, n_v + v
    return tuple(placed)


def _all(graph: SceneGraph) -> Iterator[ViewJoint]:
    """Return all that have coordinates."""
    nowhere = slice(0, 0)
    for k, assembly in enumerate(graph.assemblies):
        if not assembly.is_world:
            yield ViewJoint(assembly.name, assembly.name, len(graph.joints) + k, True, nowhere, nowhere)
        for j in _depth_first(assembly):
            name = graph.joints[j].name
            if graph.state_names[j][0]:
                yield ViewJoint(name, name, j, False, nowhere, nowhere)


def _depth_first(assembly: Assembly) -> Iterator[int]:
    """Return the joints of an assembly from its first group to the tips, those that close loops at the end."""
    behind: dict[int, list[tuple[int, int]]] = {}
    for edge in assembly.tree:
        behind.setdefault(edge.parent_group, []).append((edge.joint, edge.child_group))
    remaining = sorted(behind.get(assembly.groups[0], ()), reverse=True)
    while remaining:
        joint, group = remaining.pop()
        yield joint
        remaining += sorted(behind.get(group, ()), reverse=True)
    yield from assembly.loops
