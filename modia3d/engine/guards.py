"""Joints that can be held while a simulation runs: by their limits, or, with a flange, by a lock.

A held joint keeps its states. One with a flange has the unknown ``<joint>.constraint_torque`` (``constraint_force``) and the
equation ``held*der(w) + (1 - held)*constraint_torque = 0`` with a switch that the engine sets from segment to segment; what it
means is solved together with all other equations. One without flange does not give way in the engine's own elimination.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from modiapy.acausal.protocol import CallEquation, Read
from modiapy.model.errors import ModelError, SimulationError
from modiapy.model.expression import Name
from modiapy.model.model import Model, Var

from ..dynamics.basics import layout
from ..scene.joints import LimitedJoint, PrismaticJoint
from ..topology.forest import Forest
from ..topology.graph import JointEdge, SceneGraph
from ..topology.structure import Structure
from .exchange import functions
from .exchange.exchange import place
from .memory import slots
from .memory.slots import REST

MARGIN = 1e-10
"""How far a coordinate goes beyond a limit before that is an event [rad or m]: leaving it is none."""


def constraint_name(edge: JointEdge) -> str:
    """Name of the variable that is the generalized force of a held joint."""
    return f"{edge.name}.constraint_{'force' if isinstance(edge.joint, PrismaticJoint) else 'torque'}"


@dataclass(frozen=True)
class Guard:
    """A joint that can be held, with its limits (infinite where there are none)."""

    edge: JointEdge
    lower: float
    upper: float

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.edge.name

    def side_at(self, q: float) -> int:
        """-1 at the lower limit or below, 1 at the upper one or above, 0 between."""
        return -1 if q <= self.lower + MARGIN else 1 if q >= self.upper - MARGIN else 0

    def text(self, side: int) -> str:
        """A limit as a text."""
        names = self.edge.joint.state_names()[0][0]
        return f"its {'lower' if side < 0 else 'upper'} limit {names} = {self.lower if side < 0 else self.upper:.9g}"


NO_GUARDS = np.zeros((0, slots.GUARD_COLUMNS))
"""`Guards.table` where there are none."""


@dataclass
class Contacts:
    """Joints at their limits at one moment, by name: the side.

    Attributes:
        holding: held, and pressed against the limit.
        released: held, but pulled away from the limit.
        struck: they reach the limit with a speed.
        resting: free and at rest there, pressed against it.
        touching: free and at rest there, not pressed against it.
    """

    holding: dict[str, int] = field(default_factory=dict)
    released: dict[str, int] = field(default_factory=dict)
    struck: dict[str, int] = field(default_factory=dict)
    resting: dict[str, int] = field(default_factory=dict)
    touching: dict[str, int] = field(default_factory=dict)


class Guards:
    """The joints of a graph that can be held.

    Args:
        graph: the graph.
        named: names of joints that the program locks.

    Attributes:
        switched: those with a flange. hidden: those without flange that have limits.
        prescribed: names of those whose motion the equations prescribe: their acceleration does not depend on what holds them.
    """

    def __init__(self, graph: SceneGraph, named: frozenset[str]) -> None:
        parked = frozenset(name for assembly in graph.parked for name in assembly.equation_joints)
        self.switched: list[Guard] = []
        self.hidden: list[Guard] = []
        for edge in graph.joints:
            joint = edge.joint
            if not isinstance(joint, LimitedJoint):
                continue
            lower, upper = joint.limits or (-np.inf, np.inf)
            if edge.equation >= 0 and (joint.limits or joint.can_be_locked or edge.name in named | parked):
                self.switched.append(Guard(edge, lower, upper))
            elif edge.equation < 0 and joint.limits:
                self.hidden.append(Guard(edge, lower, upper))
        self.all = (*self.switched, *self.hidden)
        self.names = frozenset(guard.name for guard in self.all)
        self.prescribed: frozenset[str] = frozenset()

    def note_explicit(self, names: Collection[str]) -> None:
        """Find `prescribed`; ``names`` are the variables that are computed outside of systems of equations."""
        self.prescribed = frozenset(guard.name for guard in self.switched if constraint_name(guard.edge) in names)

    # -- equations --------------------------------------------------------------------------------------------------------

    def flow_of(self, edge: JointEdge) -> str:
        """What is added to the flow variable of a joint's flange in its equation: " + constraint" or nothing."""
        return f" + {constraint_name(edge)}" if any(guard.edge is edge for guard in self.switched) else ""

    def add_equations(self, part: Model, group: str, done: Name) -> None:
        """Add the switches and the limits to the acausal part."""
        if not self.all:
            return
        names = [Name(f"{guard.name}.held") for guard in self.switched]
        for guard in self.all:
            place(part, constraint_name(guard.edge), Var(unit="N" if isinstance(guard.edge.joint, PrismaticJoint) else "N.m"))
        part[group] |= Model(guarded=Var())
        for name in names:
            place(part, name.name, Var(description="1 while the joint is held, else 0"))
        if names:
            part["equations"].append(CallEquation(functions.switches(len(names)), (), tuple(names)))
        for guard, held in zip(self.switched, names, strict=True):
            speed, force = f"{guard.name}.{guard.edge.joint.state_names()[1][0]}", constraint_name(guard.edge)
            part["equations"].append(f"{held}*der({speed}) + (1 - {held})*{force} = 0")
        inputs, outputs = (tuple(Name(constraint_name(g.edge)) for g in guards) for guards in (self.switched, self.hidden))
        function = functions.limits(len(inputs), len(outputs))
        part["equations"].append(CallEquation(function, (done, *inputs), (Name(f"{group}.guarded"), *outputs)))

    # -- segments ---------------------------------------------------------------------------------------------------------

    def table(self, forest: Forest, coordinates: np.ndarray) -> np.ndarray:
        """The rows (n, GUARD_COLUMNS) that the kernels read; a joint that is not there has the indices -1.

        Where a joint begins a little beyond a limit, because it is released there, going further is an event. A parked joint
        whose motion is prescribed follows it.

        Args:
            forest: of the segment.
            coordinates: at its beginning, shape (nq,); NaN where they are not known.
        """
        rows = np.zeros((len(self.all), slots.GUARD_COLUMNS))
        for row, guard in zip(rows, self.all, strict=True):
            side = forest.structure.side_of(guard.name)
            body, q, _ = forest.place.get(guard.name, (-1, -1, -1))
            follows = body < 0 and guard.name in self.prescribed
            row[slots.GUARD_HELD], row[slots.GUARD_SIDE] = side is not None and not follows, side or 0
            row[slots.GUARD_BODY], row[slots.GUARD_Q] = body, q
            here = coordinates[q] if q >= 0 else np.nan
            row[slots.GUARD_LOWER] = np.fmin(guard.lower, here) - MARGIN
            row[slots.GUARD_UPPER] = np.fmax(guard.upper, here) + MARGIN
        return rows

    def check_start(self, forest: Forest, q: np.ndarray) -> None:
        """Refuse a start outside of the limits; q are all coordinates (nq,)."""
        for guard in self.all:
            if guard.name not in forest.place:
                continue  # parked
            value = q[forest.place[guard.name][1]]
            if value < guard.lower - MARGIN or value > guard.upper + MARGIN:  # not if its value is not known yet (NaN)
                raise ModelError(
                    "the joint starts outside of its limits",
                    path=guard.name,
                    found=f"{guard.edge.joint.state_names()[0][0]} = {value:.9g}",
                    expected=f"between {guard.lower:g} and {guard.upper:g}",
                )

    def check_lockable(self, structure: Structure) -> None:
        """Refuse a lock of a joint with a flange whose equations are not prepared for it."""
        for held in structure.held:
            if held.name not in self.names:
                raise ModelError(
                    "the joint with a flange cannot be locked: its equations are not prepared for it",
                    path=held.name,
                    remedy="Give it lockable=True.",
                )

    # -- events -----------------------------------------------------------------------------------------------------------

    def contacts(self, forest: Forest, q: np.ndarray, v: np.ndarray, a: np.ndarray, read: Read, time: float) -> Contacts:
        """What happens at the limits, from coordinates (nq,), speeds and accelerations (nv,).

        Raises:
            SimulationError: a joint with ``at_limit="error"`` reaches a limit.
        """
        found = Contacts()
        for guard in self.all:
            held = forest.structure.side_of(guard.name)
            if guard.name not in forest.place or held == 0:
                continue
            _, i, k = forest.place[guard.name]
            side = held or guard.side_at(q[i])
            if side == 0:
                continue
            inwards = side * v[k]
            if held is not None:
                pressed = -side * read(constraint_name(guard.edge)) > -REST
                (found.holding if pressed else found.released)[guard.name] = side
            elif inwards > REST:
                found.struck[guard.name] = side
                self._check_allowed(guard, side, float(v[k]), time)
            elif inwards >= -REST:
                pressed = side * a[k] > REST
                (found.resting if pressed else found.touching)[guard.name] = side
                if pressed:
                    self._check_allowed(guard, side, float(v[k]), time)
        return found

    @staticmethod
    def _check_allowed(guard: Guard, side: int, speed: float, time: float) -> None:
        joint = guard.edge.joint
        assert isinstance(joint, LimitedJoint)
        if joint.at_limit == "error":
            raise SimulationError(
                f"the joint reaches {guard.text(side)}",
                time=time,
                path=guard.name,
                found=f"{joint.state_names()[1][0]} = {speed:.6g}",
                remedy='Keep it away by its drive, or let an end stop hold it: at_limit="stop".',
            )

    def at_limits(self, forest: Forest, q: np.ndarray) -> dict[str, int]:
        """Joints that are at a limit, and not locked: -1 at the lower one, 1 at the upper one."""
        present = [guard for guard in self.all if guard.name in forest.place and forest.structure.side_of(guard.name) != 0]
        sides = {guard.name: guard.side_at(q[forest.place[guard.name][1]]) for guard in present}
        return {name: side for name, side in sides.items() if side}

    def changes(self, before: Structure, after: Structure) -> list[str]:
        """What happened at the limits, as texts."""
        texts = []
        for guard in self.all:
            was, now = (structure.side_of(guard.name) or 0 for structure in (before, after))
            if was != now and now:
                texts.append(f"{guard.name} stops at {guard.text(now)}")
            elif was and after.side_of(guard.name) is None and after.locked_state(guard.name) is None:
                texts.append(f"{guard.name} leaves {guard.text(was)}")
        return texts

    @staticmethod
    @contextmanager
    def let_go(forest: Forest, table: np.ndarray) -> Iterator[None]:
        """Let all joints go that limits hold, for the time of the context: an impact decides anew."""
        held, roles = table[:, slots.GUARD_HELD].copy(), forest.ints[:, layout.ROLE].copy()
        table[table[:, slots.GUARD_SIDE] != 0.0, slots.GUARD_HELD] = 0.0
        forest.ints[roles == layout.HELD, layout.ROLE] = layout.HIDDEN
        try:
            yield
        finally:
            table[:, slots.GUARD_HELD], forest.ints[:, layout.ROLE] = held, roles
