"""Reactions of drives that would count twice, because a drive is mounted on the body that feels them anyway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from modiapy.model.errors import ModelError

from ..forces.drive_train import HousingTorque
from ..topology.graph import SceneGraph, resolve


def check_housings(objects: Mapping[str, object], connections: Sequence[tuple[str, ...]], graph: SceneGraph) -> None:
    """Refuse a component that is connected to the flange of a joint and to a `Mounting` on the body of the joint's obj1.

    So is a `BevelGear`, and a `Mounting` itself, whose reactions act on that body. What the component exerts on the joint acts
    on this body with the opposite sign already; through the mounting it would do so again. A joint with a support has no such
    reaction of its own, and the world takes any.

    Raises:
        ModelError: there is such a component.
    """
    housings = {name.rpartition(".")[0]: made for name, made in objects.items() if isinstance(made, HousingTorque)}
    joints = [edge for edge in graph.prescribed_joints if edge.name not in housings]
    mounted = {name: made for name, made in housings.items() if all(edge.name != name for edge in graph.prescribed_joints)}
    if not mounted or not joints:
        return
    sets = _connection_sets(connections)
    for name, housing in mounted.items():
        frame = graph.index[resolve(graph.index, housing.obj2, name, user=name)]
        at_housing = {name} | _components(sets, f"{name}.flange")
        for edge in joints:
            group = graph.frames[edge.frames[0]].group
            if group != graph.frames[frame].group or group == graph.frames[graph.world].group:
                continue
            both = sorted((at_housing & _components(sets, f"{edge.name}.flange")) - {edge.name})
            if both:
                raise ModelError(
                    f"the reaction of '{both[0]}' on '{graph.frames[frame].name}' would count twice",
                    path=name,
                    found=f"a component between this mounting and the flange of '{edge.name}', whose obj1 is on the same body",
                    expected="the drive of a joint without mounting, or of a joint with support",
                    remedy=f"Make '{edge.name}' a RevoluteWithSupport and connect the housing with {edge.name}.support.",
                )


def _connection_sets(connections: Sequence[tuple[str, ...]]) -> dict[str, set[str]]:
    """Return the connectors that each connector is connected with, itself included."""
    sets: dict[str, set[str]] = {}
    for ends in connections:
        whole = set(ends).union(*(sets.get(end, ()) for end in ends))
        sets.update(dict.fromkeys(whole, whole))
    return sets


def _components(sets: Mapping[str, Iterable[str]], connector: str) -> set[str]:
    """Return the components with a connector in the set of ``connector``."""
    return {end.rpartition(".")[0] for end in sets.get(connector, ())}
