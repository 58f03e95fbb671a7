"""`Delete`: Remove the assembly that contains ``frame`` with all its states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from modiapy.model.errors import ModelError

from ...topology import edits
from ...topology.graph import SceneGraph
from ...topology.structure import Structure
from .base import Change, StructuralAction, name_value
from .recorder import Actions, recording


@dataclass(frozen=True)
class Delete(StructuralAction):
    """Remove the assembly that contains ``frame`` with all its states; with ``park`` also one whose joints have flanges.

    Parked joints are held where they are: their equations go on.
    """

    frame: str
    park: bool = False

    frames: ClassVar[tuple[str, ...]] = ("frame",)

    def __post_init__(self) -> None:
        name_value("frame of ActionDelete", self.frame)
        if not isinstance(self.park, bool):
            raise ModelError("park of ActionDelete is wrong", found=repr(self.park), expected="True or False")

    def carry_out(self, at: Change) -> Structure:
        return edits.delete(at.graph, at.structure, self.frame, at.present, park=self.park, scope=at.scope)

    def locked_joints(self, graph: SceneGraph, scope: str) -> Iterable[str]:
        return graph.assemblies[graph.assembly_of(graph.frame_index(self.frame, scope))].prescribed_joints if self.park else ()

    def __str__(self) -> str:
        return f"ActionDelete {self.frame}" + (", parked" if self.park else "")


@recording
def ActionDelete(actions: Actions, frame: str, park: bool = False) -> Delete:
    """Remove an assembly with all its states. A segment of its own.

    Args:
        frame: name of a frame of the assembly.
        park: also one whose joints have flanges: these are held where they are, their equations go on.
    """
    return actions.record(Delete(frame, park))
