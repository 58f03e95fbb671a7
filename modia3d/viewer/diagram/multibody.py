"""The tree of a multibody system: bodies of frames, joints, and in red what closes its loops (paper 004: Elmqvist et al.)."""

from __future__ import annotations

from typing import Any

from modiapy.model.fields import constructor_name

from ...engine.multibody import Multibody
from ...topology.forest import Forest
from ...topology.graph import SceneGraph
from ...topology.structure import Structure
from .net import Box, Net

_LISTED = 6
"""So many frames of a body are listed."""


def tree_of(component: Any) -> Net | None:
    """Return the spanning tree at the start of a simulation; None of a component that is no multibody system."""
    if not isinstance(component, Multibody):
        return None
    graph, forest = component.system.graph, component.system.forests.of(Structure())
    net, numbers = Net(), dict[int, int]()
    names: dict[int, list[str]] = {}
    for frame in graph.frames:
        names.setdefault(frame.group, []).append(frame.name)
    for group in [group for assembly in graph.assemblies for group in assembly.groups]:
        first, *others = names[group]
        more = (*others[:_LISTED], *([f"and {len(others) - _LISTED} more"] if len(others) > _LISTED else []))
        numbers[group] = net.box(Box(first, "", "body", f"rigid group of {', '.join(names[group])}", more))
    _add_joints(net, graph, forest, numbers)
    for edge in graph.elements:
        one, two = (numbers[graph.frames[k].group] for k in edge.frames)
        _between(net, one, two, Box(edge.name, constructor_name(type(edge.element)), "cut", "constraint that closes a loop"))
    world = numbers[graph.frames[graph.world].group]
    for k in [-1 - int(j) for j in forest.body_joint if j < 0]:
        root = graph.assemblies[k].root
        _between(net, world, numbers[graph.frames[root].group], Box(graph.frames[root].name, "free motion", "joint"))
    return net


def _add_joints(net: Net, graph: SceneGraph, forest: Forest, numbers: dict[int, int]) -> None:
    """Add the joints: those of the tree from the parent to the child, those that are cut in red."""
    turned = dict(zip(forest.body_joint.tolist(), forest.turned.tolist(), strict=True))
    cut = {one.name for one in (*forest.cuts, *forest.rigid_cuts)}
    for k, edge in enumerate(graph.joints):
        one, two = (numbers[group] for group in edge.groups)
        kind = "cut" if edge.name in cut else "joint"
        note = "cut: it closes a loop" if kind == "cut" else "prescribed by equations" if edge.equation >= 0 else ""
        box = Box(edge.name, constructor_name(type(edge.joint)), kind, note)
        _between(net, *((two, one) if turned.get(k) else (one, two)), box)


def _between(net: Net, one: int, two: int, box: Box) -> None:
    """Add a box with lines from one box to another."""
    number = net.box(box)
    kind = "cut" if box.kind == "cut" else "rigid"
    net.connect((one, ""), (number, ""), kind)
    net.connect((number, ""), (two, ""), kind)
