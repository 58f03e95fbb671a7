"""Closed loops at the start: what the user fixed is kept, the other joints of a loop are moved as little as can be."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from modiapy.model.errors import ModelError

from ..constraints.kinds.constraint import Constraint, Present, frame_jacobians, rows_of
from ..constraints.kinds.cut_joint import CutJoint, openings
from ..constraints.kinds.row import Row
from ..constraints.projection import MOST_STEPS, MOST_TURN, Projection, advanced, by_joint, project
from ..dynamics.basics.layout import KIND
from ..dynamics.joints.kinds import V_SIZE
from ..scene.basics.directions import ANGLE
from ..scene.initial_pose import InitialPose
from ..scene.joints import FreeMotionJoint, JointState
from ..topology.cuts import Cut, rigid_joint
from ..topology.forest import Forest, spanning_forest
from ..topology.graph import JointEdge, SceneGraph
from ..topology.initial_pose import WantedPose
from ..topology.motion import WORLD_AT_REST, relative_motion
from ..topology.states import cut_state, initial_state, initial_structure
from .motion.configuration import Configuration

SPREADS = (*(0.1,) * 4, *(0.3,) * 4, *(1.0,) * 8, *(math.pi,) * 16)
"""How far other beginnings are from the guesses [rad, m], one after the other."""
ASIDE = 0.3
"""How far is looked beside a nearest approach, which may be a farthest one [rad, m]."""
NEARER = 1e-3
"""What a step must take from what is left open, at least."""
CLOSED = 1e-11
"""Residuals that are rounding, relative to one plus the distances [m, rad]; speeds alike."""


@dataclass(frozen=True, eq=False)
class KeptCut(Constraint):
    """A joint that is cut and keeps its initial coordinates and speeds."""

    edge: JointEdge
    cut: CutJoint
    rates: tuple[float, ...]

    @classmethod
    def of(cls, graph: SceneGraph, edge: JointEdge) -> KeptCut:
        """Return the joint at its initial coordinates."""
        motion = edge.joint.motion(*edge.joint.start("quaternion"), "quaternion")
        names = graph.frames[edge.frames[0]].name, graph.frames[edge.frames[1]].name
        rigid = rigid_joint(names, np.concatenate([motion.R_12.ravel(), motion.p_12_1]))
        v, w, e = motion.R_12.T @ motion.v_12_1, motion.R_12.T @ motion.w_12_1, np.eye(3)
        rates = [w @ np.cross(e[j], e[i]) if what == ANGLE else v[i] for what, i, j in rigid.directions]
        return cls(edge, CutJoint.of(graph, Cut(edge.name, *edge.frames, rigid)), tuple(map(float, rates)))

    @property
    def owner(self) -> str:
        return self.edge.name

    def joints(self, forest: Forest) -> tuple[str, ...]:
        return self.cut.joints(forest)

    def rows(self, present: Present) -> Iterator[Row]:
        for row, rate in zip(self.cut.rows(present), self.rates, strict=True):
            yield replace(row, rate=rate)

    def check_branch(self, present: Present) -> None:
        self.cut.check_branch(present)


@dataclass(frozen=True, eq=False)
class PoseRows(Constraint):
    """A wanted pose that moves joints of loops."""

    wanted: WantedPose

    @property
    def owner(self) -> str:
        return self.wanted.name

    def joints(self, forest: Forest) -> tuple[str, ...]:
        return tuple(link.name for link in self.wanted.chain.links if link.name in forest.indices)

    def rows(self, present: Present) -> Iterator[Row]:
        """Generate the motion of the frame relative to the base, in the base: of the pose, then of the velocity."""
        wanted = self.wanted
        frame, base = (present.motion_of(name) for name in wanted.ends)
        seen = relative_motion(base, frame)
        J_F, J_B = frame_jacobians(present, wanted.ends, frame.p_WF)
        turned = np.kron(np.eye(2), base.R_WF.T) @ (J_F - J_B)
        texts = [f"{what} {axis}" for what in ("position", "orientation") for axis in "xyz"]
        error = wanted.error_at(seen.R_12, seen.p_12_1)
        reference = np.abs(J_F) + np.abs(J_B)
        for k, missing in zip(np.flatnonzero(wanted.pose_rows), error, strict=True):
            size, unit = (reference[:3], "m") if k < 3 else (reference[3:], "rad")
            yield Row(self.owner, texts[k], turned[k], residual=-float(missing), rate=None, unit=unit, reference=size)
        for k, rate in zip(np.flatnonzero(wanted.velocity_rows), wanted.rates, strict=True):
            size, unit = (reference[:3], "m") if k < 3 else (reference[3:], "rad")
            text = f"rate of {texts[k]}"
            yield Row(self.owner, text, turned[k], rate=float(rate), holonomic=False, unit=unit, reference=size)


class Kept(NamedTuple):
    """Names of joints whose coordinates, and of those whose speeds do not change."""

    coordinates: set[str]
    speeds: set[str]

    @classmethod
    def none(cls) -> Kept:
        """Return an empty one, to be added to."""
        return cls(set(), set())

    @classmethod
    def all_of(cls, names: Iterable[str]) -> Kept:
        """Return both of all these."""
        return cls(set(names), set(names))

    def __or__(self, other: Kept) -> Kept:
        return Kept(self.coordinates | other.coordinates, self.speeds | other.speeds)


@dataclass(frozen=True, eq=False)
class LoopClosure:
    """Record of how loops were closed.

    Attributes:
        states: coordinates (orientations as quaternions) and speeds of what was moved, by name.
        moved: how far, by name [rad, m].
    """

    states: Mapping[str, JointState]
    moved: Mapping[str, tuple[float, ...]]


NOTHING_MOVED = LoopClosure({}, {})


def close_loops(
    graph: SceneGraph,
    poses: Mapping[str, InitialPose],
    starts: Mapping[str, JointState],
    kept: Kept,
    guessed: Collection[str] = (),
    begin: tuple[Forest, np.ndarray] | None = None,
) -> LoopClosure:
    """Close the loops that there are at the start.

    Args:
        graph: the graph.
        poses: wanted poses by name, which ``starts`` meet; they are kept where loops are moved.
        starts: initial coordinates and speeds, see `topology.states.Starts`; of all joints with a flange.
        kept: what does not change, besides joints with ``fixed=True``.
        guessed: joints with a flange for whose coordinates the user gives a guess: of several closed positions that is meant
            which is reached when joints that begin at zero first come as near to it as they can.
        begin: the forest and the state that ``starts`` make, if they are known already.

    Raises:
        ModelError: a loop cannot be closed; names it, by how much, and what is kept in it.
    """
    if not graph.has_loops and not graph.elements:
        return NOTHING_MOVED
    if begin is None:
        forest = spanning_forest(graph, initial_structure(graph, starts))
        begin = forest, initial_state(graph, forest, starts)
    forest, x = begin
    constraints: list[Constraint] = [CutJoint.of(graph, cut) for cut in (*forest.cuts, *forest.rigid_cuts)]
    if not constraints:
        return NOTHING_MOVED
    fixed = {edge.name for edge in graph.joints if edge.joint.fixed}
    cut = {made.name for made in (*forest.cuts, *forest.rigid_cuts)}
    constraints += [KeptCut.of(graph, edge) for edge in graph.joints if edge.name in cut & fixed]
    q, v = all_coordinates(graph, forest, starts, x)
    before = Configuration(forest, q, v)
    if not poses and _is_closed(constraints, before):
        return NOTHING_MOVED
    moving = {name for constraint in constraints for name in constraint.joints(forest)}
    for wanted in (WantedPose(graph, name, pose) for name, pose in poses.items()):
        if moving & {link.name for link in wanted.chain.links}:
            constraints.append(PoseRows(wanted))
            moving |= {link.name for link in wanted.free}
        fixed |= set(wanted.fixed)
    if poses and _is_closed(constraints, before):
        return NOTHING_MOVED
    free = np.zeros((2, forest.nv), dtype=bool)
    for name in moving - fixed:
        body, _, k = forest.indices[name]
        for row, names in zip(free, kept, strict=True):
            row[k : k + V_SIZE[forest.ints[body, KIND]]] = name not in names
    q_near = _approached(forest, constraints, q, v, free[0], guessed)
    found = _projected(forest, constraints, q_near, v, free)
    after = Configuration(forest, found.q, found.v)
    changed = [name for name, (_, _, k) in forest.indices.items() if free[:, k : k + 1].any()]
    return LoopClosure({name: _state(after, name) for name in changed}, {name: found.moved[name] for name in changed})


def _approached(
    forest: Forest, constraints: Sequence[Constraint], q: np.ndarray, v: np.ndarray, free: np.ndarray, guessed: Collection[str]
) -> np.ndarray:
    """Return the coordinates (nq,) at which joints that are ``free`` (nv,), and whose beginning nobody gave, come nearest to
    closing.
    """
    if not any(name in forest.indices for name in guessed):
        return q
    others = np.zeros(len(v), dtype=bool)
    for name, (body, k_q, k) in forest.indices.items():
        size = V_SIZE[forest.ints[body, KIND]]
        if name not in guessed and name in forest.graph.joint_number and not q[k_q : k_q + size].any():
            others[k : k + size] = free[k : k + size]
    if not others.any():
        return q
    near, left = _nearest(forest, constraints, q, v, others)
    step = np.where(others, np.random.default_rng(0).uniform(-ASIDE, ASIDE, size=len(v)), 0.0)
    aside, less = _nearest(forest, constraints, advanced(forest, near, step), v, others)  # off a position farthest away
    return aside if less < 0.9 * left else near


def _nearest(
    forest: Forest, constraints: Sequence[Constraint], q: np.ndarray, v: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the coordinates (nq,) with the least residuals, and their norm."""
    rows = rows_of(constraints, Configuration(forest, q, v)).of_positions()
    left = float(np.linalg.norm(rows.residual))
    for _ in range(MOST_STEPS):
        step = np.zeros(len(v))
        step[free] = np.linalg.lstsq(rows.G[:, free], -rows.residual, rcond=1e-6)[0]
        step *= MOST_TURN / max(float(np.abs(step).max()), MOST_TURN)
        tried = advanced(forest, q, step)
        there = rows_of(constraints, Configuration(forest, tried, v)).of_positions()
        after = float(np.linalg.norm(there.residual))
        if not after < (1.0 - NEARER) * left:
            break
        q, rows, left = tried, there, after
    return q, left


def _projected(forest: Forest, constraints: Sequence[Constraint], q: np.ndarray, v: np.ndarray, free: np.ndarray) -> Projection:
    """Return the projection of the guesses; where the way from there does not lead to a closed position, of places around them.

    Raises:
        ModelError: none of them leads there; as of the guesses.
    """
    at, random = partial(Configuration, forest), np.random.default_rng(0)

    def project_from(begin: np.ndarray) -> Projection:
        return project(at, constraints, begin, v, free=(free[0], free[1]))

    try:
        return project_from(q)
    except ModelError as error:
        for spread in SPREADS:
            step = np.where(free[0], random.uniform(-spread, spread, size=len(v)), 0.0)
            try:
                found = project_from(advanced(forest, q, step))
            except ModelError:
                continue
            moved = {name: tuple(np.add(part, found.moved[name]).tolist()) for name, part in by_joint(forest, step).items()}
            return replace(found, moved=moved)
        raise error


def all_coordinates(
    graph: SceneGraph, forest: Forest, starts: Mapping[str, JointState], x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the coordinates and speeds of all joints; ``x`` has those of the passive ones."""
    q, v = np.zeros(forest.nq), np.zeros(forest.nv)
    for edge in graph.prescribed_joints:
        coordinates, speeds = starts[edge.name]
        q[edge.equation : edge.equation + len(coordinates)], v[edge.equation : edge.equation + len(speeds)] = (
            coordinates,
            speeds,
        )
    n_q = forest.nq - forest.n_equation
    q[forest.n_equation :], v[forest.n_equation :] = x[:n_q], x[n_q:]
    return q, v


def _is_closed(constraints: Sequence[Constraint], present: Configuration) -> bool:
    cuts, others = list[CutJoint](), list[Constraint]()
    for made in constraints:
        if isinstance(made, CutJoint) and made.is_holonomic:
            cuts.append(made)
        else:
            others.append(made)
    residual, speed = np.zeros(0), np.zeros(0)
    if cuts:
        residual, speed = openings(present, np.array([cut.table_row(present.forest) for cut in cuts]))
    if others:
        rows = rows_of(others, present)
        rates = rows.of_rates()
        residual = np.append(residual, rows.of_positions().residual)
        speed = np.append(speed, rates.G @ present.v - rates.rate)
    size = 1.0 + float(np.abs(present.poses[1]).max(initial=0.0))
    left = np.append(residual / size, speed / (size + np.abs(present.v).max(initial=0.0)))
    return bool(np.abs(left).max(initial=0.0) <= CLOSED)


def _state(present: Configuration, name: str) -> JointState:
    """State of a joint, or of a free tree's start relative to its parent; orientations as quaternions."""
    graph = present.forest.graph
    if name in graph.joint_number:
        edge = graph.joints[graph.joint_number[name]]
        if edge.joint.orientation:
            return cut_state(graph, edge, present.motion_of, "quaternion")
        return present.state_of(name)
    assembly = graph.assemblies[graph.state_number[name] - len(graph.joints)]
    node = graph.frames[assembly.start]
    parent = present.motion_of(graph.frames[node.parent].name) if node.parent >= 0 else WORLD_AT_REST
    free = FreeMotionJoint("parent", "start")
    near = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    return free.state_from(relative_motion(parent, present.motion_of(node.name)), near, "quaternion")


def close_with_guesses(
    graph: SceneGraph,
    poses: Mapping[str, InitialPose],
    starts: Mapping[str, JointState],
    kept: Kept,
    preferred: Kept,
    guessed: Collection[str] = (),
) -> LoopClosure:
    """Close loops as `close_loops`; what is ``preferred`` is kept, too, where that is possible."""
    try:
        return close_loops(graph, poses, starts, kept | preferred, guessed)
    except ModelError:
        if kept | preferred == kept:
            raise
    return close_loops(graph, poses, starts, kept, guessed)
