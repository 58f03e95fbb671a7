"""Massless points in the engine: their part of the equations, and where the search for them begins in each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from modiapy.acausal.protocol import CallEquation, SegmentStart
from modiapy.model.expression import Name, der
from modiapy.model.model import Model, Var

from ..forces.points import displacement_names, start_positions
from ..forces.table import SceneForce, damped_points, force_table
from ..scene.frame import Frame
from ..topology.forest import Forest
from ..topology.graph import SceneGraph
from . import functions
from .configuration import CoordinateNames, configuration
from .exchange import place
from .motion import Motion
from .segment import SegmentMemory


class Points:
    """The massless points of a `Model3D`; false if there are none.

    Where dampers act, the position of a point is a state: three variables ``<point>.displacement.x`` ... [m] of the equations,
    from a place that each segment keeps. So a change of structure leaves the states as they are.

    Attributes:
        frames: the points, by name.
    """

    def __init__(self, frames: Mapping[str, Frame], graph: SceneGraph, forces: Sequence[SceneForce]) -> None:
        self.frames = frames
        self._graph, self._forces = graph, tuple(forces)
        self._damped = damped_points(forces, len(graph.frames), frames)
        self.displacements = tuple(map(Name, displacement_names(self._damped)))

    def __bool__(self) -> bool:
        return bool(self.frames)

    def add_equations(self, part: Model, group: str) -> None:
        """``der(<point>.displacement.x) = ...`` of all damped points."""
        if not self._damped:
            return
        names = [f"{group}.point_velocity{i}" for i in range(len(self.displacements))]
        for name, state in zip(names, self.displacements, strict=True):
            place(part, name, Var(unit="m/s"))
            place(part, state.name, Var(init=0.0, unit="m"))
            part["equations"].append(f"{der(state)} = {name}")
        call = functions.point_velocities(len(self._damped))
        part["equations"].append(CallEquation(call, (Name(f"{group}.token"),), tuple(map(Name, names))))

    def starts(
        self, forest: Forest, coordinates: CoordinateNames, start: SegmentStart, x: np.ndarray, last: SegmentMemory | None
    ) -> dict[str, np.ndarray]:
        """Where the search for each point begins in a segment, and what damped ones are displaced from, (3,) [m].

        Args:
            forest: of the segment. coordinates: see `Multibody.coordinates`.
            start, x: how it begins, and with which states of the engine.
            last: of the segment before, None at the start.
        """
        now = configuration(forest, coordinates, start.read, x)
        begin = last.point_starts() if last else start_positions(self.frames, self._graph, self._forces, now.motion_of)
        if not self._damped:
            return begin
        moved = np.array([start.read(state.name) for state in self.displacements])
        if last is None:
            begin |= {name: begin[name] - u for name, u in zip(self._damped, moved.reshape(-1, 3), strict=True)}
        forces = force_table(forest, self._forces, begin)
        motion = Motion(
            forest.ints, forest.floats, forest.gravity, forces, np.array([start.time]), now.q[None, :], now.v[None, :],
            lambda: np.zeros((1, forest.n_equation)), read_points=lambda: moved[None, :],
        )  # fmt: skip
        p = motion.loaded[1][0]
        there = {name: p[forest.n + i] for i, name in enumerate(forces.points)}
        return begin | {
            name: there[name] - u for name, u in zip(self._damped, moved.reshape(-1, 3), strict=True) if name in there
        }
