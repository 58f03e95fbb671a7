"""Execution of structural actions, several of which may be one change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from modiapy.model.errors import ModelError

from ..topology.appearance import Edited
from ..topology.graph import SceneGraph
from ..topology.lock_paths import form_loops
from ..topology.mating import Anywhere, where_all_mates
from ..topology.motion import Present
from ..topology.structure import Structure
from .structural.base import Change, StructuralAction


def apply(actions: Sequence[StructuralAction], graph: SceneGraph, structure: Structure, present: Present, scope: str) -> Edited:
    """Apply actions that are one change, and return the new structure.

    They are carried out in their order, without time between them.

    Args:
        actions: one or several.
        graph, structure: what there is.
        present: state of all frames and joints at this moment.
        scope: path of the model where the program stands, in which names of frames are looked up first.

    Raises:
        ModelError: an edit is refused, see `modia3d.topology.edits`; nothing is changed then.
    """
    at = Change(graph, structure, present, scope)
    for action in actions:
        at.structure = action.carry_out(at)
    return Edited(at.structure, at.present)


def locked_joints(actions: Iterable[StructuralAction], graph: SceneGraph, scope: str) -> frozenset[str]:
    """Return the names of the joints that actions lock, those of parked assemblies included."""
    return frozenset(name for action in actions for name in action.locked_joints(graph, scope))


def close_loops(changes: Iterable[Sequence[StructuralAction]], graph: SceneGraph, scope: str) -> bool:
    """Return whether changes, carried out in sequence, attach frames that are connected already; failing ones are skipped."""
    mating, present = where_all_mates(graph), Anywhere(graph)
    structure = Structure(deleted=frozenset(assembly.name for assembly in graph.parked))
    for actions in changes:
        if not actions:
            continue
        try:
            after = apply(actions, mating, structure, present, scope).structure
        except ModelError:
            continue
        if form_loops(graph, after):
            return True
        structure = after
    return False
