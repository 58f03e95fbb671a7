"""Massless points in the engine: their part of the equations, and where the search for them begins in each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from modiapy.acausal.protocol import CallEquation
from modiapy.acausal.segment import SegmentStart
from modiapy.model.errors import ModelError
from modiapy.model.expression import Name, der
from modiapy.model.model import Model, Var

from ..forces.points import start_positions, state_names
from ..forces.table import SceneForce, damped_points, force_table
from ..scene.frame import Frame
from ..topology.forest import Forest
from ..topology.graph import SceneGraph
from .exchange import functions
from .exchange.part import add_variable
from .motion.configuration import CoordinateNames, configuration
from .motion.motion import Motion
from .segment import SegmentMemory

SHIFT = 1.0
"""What states of damped points begin with [m]."""


class Points:
    """The massless points of a `Model3D`; false if there are none.

    Where dampers act, the position of a point is a state: three variables ``<point>.state.x`` ... [m] of the equations, from a
    place that each segment keeps. So a change of structure leaves the states as they are. ``<point>.displacement.x`` ... is how
    far a point went, `SHIFT` less than its state: that is not zero, where integrators differentiate by steps that are too small
    for the velocities that dampers do not determine.

    Attributes:
        frames: the points, by name.
    """

    def __init__(self, frames: Mapping[str, Frame], graph: SceneGraph, forces: Sequence[SceneForce]) -> None:
        self.frames = frames
        self._graph, self._forces = graph, tuple(forces)
        self._damped = damped_points(forces, len(graph.frames), frames)
        self.states = tuple(map(Name, state_names(self._damped)))

    def __bool__(self) -> bool:
        return bool(self.frames)

    def add_equations(self, part: Model, group: str) -> None:
        """Add ``der(<point>.state.x) = ...`` and displacements of all damped points."""
        if not self._damped:
            return
        names = [f"{group}.point_velocity{i}" for i in range(len(self.states))]
        for name, state in zip(names, self.states, strict=True):
            add_variable(part, name, Var(unit="m/s"))
            add_variable(part, state.name, Var(init=SHIFT, unit="m"))
            displacement = state.name.replace(".state.", ".displacement.")
            add_variable(part, displacement, Var(unit="m"))
            part["equations"].append(f"{displacement} = {state.name} - {SHIFT}")
            part["equations"].append(f"{der(state)} = {name}")
        call = functions.point_velocities(len(self._damped))
        part["equations"].append(CallEquation(call, (Name(f"{group}.token"),), tuple(map(Name, names))))

    def starts(
        self, forest: Forest, coordinates: CoordinateNames, start: SegmentStart, x: np.ndarray, last: SegmentMemory | None
    ) -> dict[str, np.ndarray]:
        """Return where the search for each point begins in a segment, and what damped ones are displaced from, (3,) [m].

        Args:
            forest: of the segment. coordinates: see `Multibody.coordinates`.
            start, x: how it begins, and with which states of the engine.
            last: of the segment before, None at the start.
        """
        now = configuration(forest, coordinates, start.read, x)
        begin = last.point_starts() if last else start_positions(self.frames, self._graph, self._forces, now.motion_of)
        if last and not self._damped:
            return begin
        moved = {name: np.array([start.read(state) for state in state_names([name])]) for name in self._damped}
        if last is None:
            begin |= {name: begin[name] - u for name, u in moved.items()}
        forces = force_table(forest, self._forces, begin)
        motion = Motion(
            forest, lambda: forces, np.array([start.time]), now.q[None, :], now.v[None, :],
            lambda: np.zeros((1, forest.n_equation)), read_points=lambda: np.concatenate(list(moved.values()))[None, :],
        )  # fmt: skip
        if last:
            there = motion.loaded[1][0, forest.n :]
        else:
            there, *stability = motion.first_balance()
            self._check_stable(forces.points, *stability)
        at = dict(zip(forces.points, there, strict=True))
        return begin | {name: at[name] - u for name, u in moved.items() if name in at}

    def _check_stable(self, names: Sequence[str], stiffness: np.ndarray, damped: np.ndarray) -> None:
        free = np.flatnonzero(~damped)
        if not len(free):
            return
        values, modes = np.linalg.eigh(stiffness[np.ix_(free, free)])
        if values[0] < -1e-12 * np.abs(values).max():
            raise ModelError(
                "the balance of forces from which a massless point begins is not stable",
                path=names[free[np.abs(modes[:, 0]).argmax()] // 3],
                found=f"a stiffness of {values[0]:.3g} N/m (springs that are pushed together, or a chain that is folded back)",
                expected="none below zero",
                remedy="Say with `translation` where it begins, and keep its springs in tension, or give it a Solid with mass. "
                "For springs under pressure: those of modiapy.library.translational, between both flanges of one LineForce.",
            )
