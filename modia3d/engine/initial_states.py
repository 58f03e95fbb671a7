"""States of the engine at the start of a simulation, from declared initial values, wanted poses, and what the equations say."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modiapy.acausal.protocol import ComponentScope
from modiapy.acausal.segment import SignalReader
from modiapy.model.errors import ModelError
from modiapy.model.model import DefaultInit, FoundInit

from ..scene.initial_pose import InitialPose
from ..scene.joints import JointState
from ..topology.forest import Forest, spanning_forest
from ..topology.graph import SceneGraph
from ..topology.initial_pose import Posed, are_met, check_met, posed_states
from ..topology.states import initial_state, initial_structure
from .initial_loops import Kept, close_loops, close_with_guesses
from .motion.configuration import Configuration, CoordinateNames, read_joints

EQUAL = 1e-9
"""Difference of initial values that are those that were asked for."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """A closed configuration to begin with.

    Attributes:
        posed: coordinates and speeds that follow from wanted poses of frames, see `modia3d.topology.initial_pose.Posed`, and
            those that close loops.
        values: what follows from both for coordinates and speeds of joints with a flange, by name.
        info: what is told of the first segment: the names of what poses leave some freedom; how far loops moved joints.
        kept: whose coordinates, and whose speeds, users or equations give.
    """

    posed: Posed
    values: Mapping[str, float]
    info: Mapping[str, Any]
    kept: Kept


class InitialStates:
    """Initial coordinates and speeds of a multibody system.

    Attributes:
        first: what follows from the declared initial values of joints alone.
    """

    def __init__(
        self, graph: SceneGraph, coordinates: CoordinateNames, scope: ComponentScope, full: Callable[[str], str]
    ) -> None:
        """Take the ``coordinates``, names of coordinate and speed of the joints with a flange; ``full`` makes a path a full
        one.
        """
        self._graph, self._coordinates, self._full = graph, coordinates, full
        self._poses = {name: made for name, made in scope.objects.items() if isinstance(made, InitialPose)}
        self._starts: dict[str, JointState] = {}
        self._fixed = scope.fixed
        kept, self._default = Kept.none(), Kept.none()
        for edge, names in zip(graph.prescribed_joints, coordinates, strict=True):
            self._starts[edge.name] = (self._start(scope, names[0]),), (self._start(scope, names[1]),)
            for name, some, others in zip(names, kept, self._default, strict=True):
                if name in scope.fixed:
                    some.add(edge.name)
                elif isinstance(scope.starts.get(name, DefaultInit(0.0)), DefaultInit):
                    others.add(edge.name)
        coordinates_of = zip(graph.prescribed_joints, coordinates, strict=True)
        self._guessed = {edge.name for edge, (name, _) in coordinates_of if name in scope.starts} - kept.coordinates
        self._guessed -= self._default.coordinates
        self.first = self._assembled(self._starts, kept)

    def _assembled(self, starts: Mapping[str, JointState], kept: Kept) -> Assembly:
        """Return the closed configuration that is nearest to these initial values of joints with a flange."""
        graph = self._graph
        try:
            posed = posed_states(graph, self._poses, starts)
            closing = close_with_guesses(graph, self._poses, {**starts, **posed.states}, kept, self._default, self._guessed)
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        told: dict[str, Any] = {"least_change": list(posed.undetermined)} if posed.undetermined else {}
        if closing.moved:
            told["moved"] = {name: list(change) for name, change in closing.moved.items()}
        posed = replace(posed, states={**posed.states, **closing.states})
        values: dict[str, float] = {}
        for edge, names in zip(graph.prescribed_joints, self._coordinates, strict=True):
            for name, (value,) in zip(names, posed.states.get(edge.name, ()), strict=False):
                if edge.name not in closing.states:
                    values[name] = value
                elif name not in self._fixed:
                    values[name] = FoundInit(value)
        return Assembly(posed, values, told, kept)

    @property
    def declared(self) -> dict[str, JointState]:
        """Coordinates and speeds of joints by their names, as far as they are declared or follow from that."""
        return {**self._starts, **self.first.posed.states}

    @property
    def follows(self) -> bool:
        """True if values of joints with a flange may follow from those of others: there are loops or constraints."""
        return bool(self._coordinates) and (self._graph.has_loops or bool(self._graph.elements))

    def again(self, last: Assembly, read: SignalReader) -> Assembly:
        """Return a closed configuration with those initial values that the equations do not take from ``last``.

        Raises:
            ModelError: there is none.
        """
        starts, kept = dict(self._starts), Kept(set(last.kept.coordinates), set(last.kept.speeds))
        for edge, names in zip(self._graph.prescribed_joints, self._coordinates, strict=True):
            state = [starts[edge.name][0][0], starts[edge.name][1][0]]
            for k, (name, some) in enumerate(zip(names, kept, strict=True)):
                try:
                    value = read(name)
                except ModelError:  # not known before the equations are solved
                    return last
                if edge.name in some or not math.isclose(value, last.values.get(name, state[k]), rel_tol=EQUAL, abs_tol=EQUAL):
                    state[k] = value
                    some.add(edge.name)
            starts[edge.name] = (state[0],), (state[1],)
        return last if kept == self.first.kept else self._assembled(starts, kept)

    def _start(self, scope: ComponentScope, name: str) -> float:
        value = scope.starts.get(name, 0.0)
        if np.ndim(value) or not np.isfinite(value):
            raise ModelError(
                "the initial value of a joint is not a finite number",
                path=self._full(name),
                found=repr(value),
                expected="a finite number",
            )
        return float(value)

    def begin(self, read: SignalReader, assembly: Assembly) -> tuple[Forest, np.ndarray, np.ndarray]:
        """Return the first forest, coordinates and speeds of the joints with a flange, shape (2, n), and ``x_var``.

        A joint that the action program itself drives has no known coordinate yet. That is refused only where a state depends
        on it: where it is an ancestor of the root of a free tree, or on the way to a wanted pose.
        """
        failure: list[ModelError] = []

        def read_or_nan(name: str) -> float:
            try:
                return read(name)
            except ModelError as error:
                failure.append(error)
                return math.nan

        graph = self._graph
        q, v = read_joints(self._coordinates, read_or_nan).tolist()
        joints: dict[str, JointState] = {edge.name: ((q[i],), (v[i],)) for i, edge in enumerate(graph.prescribed_joints)}
        starts = {**assembly.posed.states, **joints}
        if not are_met(graph, self._poses, starts):
            if failure:
                raise failure[0]
            starts |= self._posed_with(joints)
        forest, x = begin = self._first(starts)
        closed = self._closed_with(starts, joints, failure, begin)
        if closed:
            forest, x = self._first({**starts, **closed})
        if failure and not np.isfinite(x).all():
            raise failure[0]
        return forest, np.array([q, v]), x

    def check_poses(self, expected: np.ndarray, there: Configuration) -> None:
        """Check the wanted poses where equations gave joints other first values than `begin` was told.

        Args:
            expected: coordinates and speeds of the joints with a flange that `begin` gave.
            there: the first configuration.

        Raises:
            ModelError: a pose is not met; its path is relative to the `Model3D`.
        """
        if not self._poses:
            return
        n = expected.shape[1]
        others = []
        for names, values, known in zip(self._coordinates, zip(there.q[:n], there.v[:n], strict=True), expected.T, strict=True):
            for name, value, k in zip(names, values, known, strict=True):
                if not math.isclose(value, k, rel_tol=EQUAL, abs_tol=EQUAL):
                    others.append(f"{name} = {value:.6g}")
        if not others:
            return
        check_met(self._graph, self._poses, there.motion_of, f"Give these initial values: {', '.join(others)}.")

    def _first(self, starts: Mapping[str, JointState]) -> tuple[Forest, np.ndarray]:
        """Return the forest of these initial values, and ``x_var``."""
        forest = spanning_forest(self._graph, initial_structure(self._graph, starts))
        return forest, initial_state(self._graph, forest, starts)

    def _closed_with(
        self,
        starts: Mapping[str, JointState],
        joints: Mapping[str, JointState],
        failure: Sequence[ModelError],
        begin: tuple[Forest, np.ndarray],
    ) -> Mapping[str, JointState]:
        """Return the positions that close loops after the equations gave joints other initial values than assumed."""
        if not (self._graph.has_loops or self._graph.elements):
            return {}
        if failure:
            raise failure[0]
        try:
            return close_loops(self._graph, self._poses, starts, Kept.all_of(joints), begin=begin).states
        except ModelError as error:
            error.path = self._full(error.path)
            raise

    def _posed_with(self, joints: Mapping[str, JointState]) -> Mapping[str, JointState]:
        """Return the positions for wanted poses after the equations gave joints other initial values than assumed."""
        try:
            return posed_states(self._graph, self._poses, joints, known=joints.keys()).states
        except ModelError as error:
            error.path = self._full(error.path)
            determined = ", ".join(f"{self._full(name)} = {q:.6g}" for name, ((q,), _) in joints.items())
            error.found = f"{error.found}; the equations determine {determined}"
            raise
