"""The joints of a graph that may be locked while a simulation runs: by their limits or, with a flange, by a lock.

A locked joint keeps its states. What locks it is the variable `constraint_name`: of a prescribed joint (one with a flange) an
unknown of the equations, of a passive one what the elimination of the engine finds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics import layout
from ..scene.joints import LimitedJoint
from ..topology.forest import Forest
from ..topology.graph import JointEdge, SceneGraph
from ..topology.structure import Structure
from .tables import limit_table
from .tables.limit_table import MARGIN


def constraint_name(edge: JointEdge) -> str:
    """Name of the variable that is the generalized force of a locked joint."""
    return f"{edge.name}.constraint_{'force' if edge.joint.slides else 'torque'}"


@dataclass(frozen=True)
class LockableJoint:
    """A joint that may be locked, with its limits (infinite where there are none)."""

    edge: JointEdge
    lower: float
    upper: float

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.edge.name

    def side_at(self, q: float) -> int:
        """Return -1 at the lower limit or below, 1 at the upper one or above, 0 between."""
        return -1 if q <= self.lower + MARGIN else 1 if q >= self.upper - MARGIN else 0

    def text(self, side: int) -> str:
        """Return a limit as a text."""
        names = self.edge.joint.state_names()[0][0]
        return f"its {'lower' if side < 0 else 'upper'} limit {names} = {self.lower if side < 0 else self.upper:.9g}"


NO_LIMITS = np.zeros((0, limit_table.COLUMNS))
"""`LockableJoints.table` where there are none."""


class LockableJoints:
    """The joints of a graph that may be locked.

    Args:
        graph: the graph.
        named: names of joints that the program locks.

    Attributes:
        prescribed: those with a flange. passive: those without flange that have limits.
        imposed: names of those whose motion the equations impose: their acceleration does not depend on what holds them.
    """

    def __init__(self, graph: SceneGraph, named: frozenset[str]) -> None:
        parked = frozenset(name for assembly in graph.parked for name in assembly.prescribed_joints)
        self.prescribed: list[LockableJoint] = []
        self.passive: list[LockableJoint] = []
        for edge in graph.joints:
            joint = edge.joint
            if not isinstance(joint, LimitedJoint):
                continue
            lower, upper = joint.limits or (-np.inf, np.inf)
            if edge.equation >= 0 and (joint.limits or joint.lockable or edge.name in named | parked):
                self.prescribed.append(LockableJoint(edge, lower, upper))
            elif edge.equation < 0 and joint.limits:
                self.passive.append(LockableJoint(edge, lower, upper))
        self.all = (*self.prescribed, *self.passive)
        self.names = frozenset(joint.name for joint in self.all)
        self.imposed: frozenset[str] = frozenset()

    def note_explicit(self, names: Collection[str]) -> None:
        """Find `imposed`; ``names`` are the variables that are computed outside of systems of equations."""
        self.imposed = frozenset(joint.name for joint in self.prescribed if constraint_name(joint.edge) in names)

    def present(self, forest: Forest) -> Iterator[LockableJoint]:
        """Generate the joints that are in a forest and not locked."""
        for joint in self.all:
            if joint.name in forest.indices and forest.structure.side_of(joint.name) != 0:
                yield joint

    # -- segments ---------------------------------------------------------------------------------------------------------

    def table(self, forest: Forest, coordinates: np.ndarray) -> np.ndarray:
        """Return the rows (n, limit_table.COLUMNS) that the kernels read; a joint that is not there has the indices -1.

        Where a joint begins a little beyond a limit, because it is released there, going further is an event. A parked joint
        whose motion is imposed follows it.

        Args:
            forest: of the segment.
            coordinates: at its beginning, shape (nq,); NaN where they are not known.
        """
        rows = np.zeros((len(self.all), limit_table.COLUMNS))
        for row, joint in zip(rows, self.all, strict=True):
            side = forest.structure.side_of(joint.name)
            body, q, _ = forest.indices.get(joint.name, (-1, -1, -1))
            follows = body < 0 and joint.name in self.imposed
            row[limit_table.LOCKED], row[limit_table.SIDE] = side is not None and not follows, side or 0
            row[limit_table.BODY], row[limit_table.Q] = body, q
            here = coordinates[q] if q >= 0 else np.nan
            row[limit_table.LOWER] = np.fmin(joint.lower, here) - MARGIN
            row[limit_table.UPPER] = np.fmax(joint.upper, here) + MARGIN
        return rows

    def check_start(self, forest: Forest, q: np.ndarray, only: Collection[str] | None = None) -> None:
        """Refuse a start outside of the limits; q are all coordinates (nq,), ``only`` names of joints, None is all of them."""
        for joint in self.all:
            if joint.name not in forest.indices or (only is not None and joint.name not in only):
                continue  # parked, or not asked for
            value = q[forest.indices[joint.name][1]]
            if value < joint.lower - MARGIN or value > joint.upper + MARGIN:  # not if its value is not known yet (NaN)
                raise ModelError(
                    "the joint starts outside of its limits",
                    path=joint.name,
                    found=f"{joint.edge.joint.state_names()[0][0]} = {value:.9g}",
                    expected=f"between {joint.lower:g} and {joint.upper:g}",
                )

    def check_lockable(self, structure: Structure) -> None:
        """Refuse a lock of a joint with a flange whose equations are not prepared for it."""
        for joint in structure.locked:
            if joint.name not in self.names:
                raise ModelError(
                    "the joint with a flange cannot be locked: its equations are not prepared for it",
                    path=joint.name,
                    remedy="Give it lockable=True.",
                )

    def indicator(self, first: int, k: int) -> str:
        """Return the text of an event indicator by its number; those of limits begin with the ``first`` one, two for each
        joint.
        """
        joint, side = divmod(k - first, 2)
        return f"{self.all[joint].name} at {self.all[joint].text(2 * side - 1)}" if 0 <= joint < len(self.all) else ""

    # -- events -----------------------------------------------------------------------------------------------------------

    def at_limits(self, forest: Forest, q: np.ndarray) -> dict[str, int]:
        """Return the joints that are at a limit, and not locked: -1 at the lower one, 1 at the upper one."""
        sides = {joint.name: joint.side_at(q[forest.indices[joint.name][1]]) for joint in self.present(forest)}
        return {name: side for name, side in sides.items() if side}

    def changes(self, before: Structure, after: Structure) -> list[str]:
        """Return the changes at the limits between two structures, as texts."""
        texts = []
        for joint in self.all:
            was, now = (structure.side_of(joint.name) or 0 for structure in (before, after))
            if was != now and now:
                texts.append(f"{joint.name} stops at {joint.text(now)}")
            elif was and after.side_of(joint.name) is None and after.welded_state(joint.name) is None:
                texts.append(f"{joint.name} leaves {joint.text(was)}")
        return texts


@contextmanager
def released_limits(roles: np.ndarray, table: np.ndarray, rows: np.ndarray | None = None) -> Iterator[None]:
    """Release all joints that limits hold, for the time of the context: the events at this instant decide anew.

    Args:
        roles: of the joints, in the memory of a segment.
        table: of the joints that may be locked, there too.
        rows: which prescribed joints are locked by rows of loops, int64 (n_e,), there too; None: there are no loops.
    """
    kept = [(table, table.copy()), (roles, roles.copy())]
    at_limits = table[:, limit_table.SIDE] != 0.0
    table[at_limits, limit_table.LOCKED] = 0.0
    roles[roles == layout.LOCKED] = layout.PASSIVE
    if rows is not None:
        kept.append((rows, rows.copy()))
        places = table[at_limits, limit_table.Q].astype(
            np.int64
        )  # prescribed joints have one coordinate each, before all others
        rows[places[(places >= 0) & (places < len(rows))]] = 0
    try:
        yield
    finally:
        for array, values in kept:
            array[:] = values
