"""The closed loops of a segment: cut joints in the order in which they are eliminated, and the memory that kernels work on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate, chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.model.errors import ModelError

from ..dynamics.basics.layout import KIND, LOCKED, PARENT, PASSIVE, PRESCRIBED, ROLE, V_INDEX
from ..dynamics.joints.kinds import V_SIZE
from ..scene.basics.directions import CONTACT, RUBBING
from ..topology.forest import Forest
from .kinds.cut_joint import CutJoint, cuts_of
from .kinds.resting_contact import RestingContact
from .passages import Passages
from .tables import cut_table
from .tables.cut_directions import COUNT, HOLONOMIC, TABLE
from .tables.loop_layout import GIVEN, LOOPS
from .tables.tolerances import TOLERANCE

_NUMBERS = [*LOOPS.fields][[*LOOPS.fields].index("row_start") : [*LOOPS.fields].index("plane") + 1]
"""Fields that follow each other, see `_numbers`."""
_LINKS, _ENDS = [PARENT, KIND], [cut_table.KIND, cut_table.BODY_1, cut_table.BODY_2]
"""Columns of the tables of bodies and of cuts that say how these hang together."""
_ALWAYS = ("ints", "q", "lever_inverse", "reach", "empty", "off")
"""Fields that are looked at in every segment."""
_PASSAGES = LOOPS.offset("passages")
_MOST_APART = 100_000
"""So many elements of rows are made orthogonal where factors lose digits; of larger ones accelerations are corrected alone."""
_NOTHING = 1e-9
"""Part of a redundant row below which another one has no part in it."""
StatePlaces = Sequence[tuple[tuple[int, float] | None, tuple[int, float] | None]]
"""For each speed of a prescribed joint: index of a state of the equations, and the factor with which the coordinate is that
state; the same of the speed. None: it is no state."""


class _Views(dict[str, np.ndarray]):
    """Fields of a memory as arrays, by name, each made where it is asked for first."""

    def __init__(self, memory: np.ndarray, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self._memory, self._sizes = memory, sizes

    def __missing__(self, name: str) -> np.ndarray:
        made = self[name] = LOOPS.view(self._memory, name, **self._sizes)
        return made


class Way(NamedTuple):
    """The bodies from the two of a cut to the root, ascending, where the speeds of each begin among all of them, how many they
    are, and whether only that of the second one has it (1), of the first one (-1), or both (0)."""

    bodies: list[int]
    at: list[int]
    sizes: list[int]
    once: list[int]
    length: int


class Loops:
    """The memory of closed loops.

    Args:
        forest: of the segment.
        held: contacts that are rows besides its cut joints.
        n_given: number of accelerations and force signals that the equations give.
        places: where the coordinates of prescribed joints are states.
        locked: joints that a lock or limit holds, by name.

    Attributes:
        cuts: the cut joints, in the order of their rows.
        memory: see `tables.loop_layout.LOOPS`. address: of it, for kernels. views: some of its fields as arrays, by name.
        table: of the cuts, see `tables.cut_table`.
        rank, condition, redundant: of the rows, where they were measured last. The condition is the ratio of the largest to the
            smallest part of a row that is new, relative to what it could reach; redundant rows follow from others, as texts.
        passages: through singular positions, if they are noted.
        unique: rows whose multipliers are unique there, as texts.
        measured_at: coordinates (nq,) where that was; empty before.
    """

    def __init__(
        self,
        forest: Forest,
        held: Sequence[RestingContact],
        n_given: int,
        places: StatePlaces,
        locked: Sequence[str] = (),
    ) -> None:
        joints, table = cuts_of(forest)
        cuts: list[CutJoint | RestingContact] = [*joints, *held]
        if held:
            table = np.vstack((table, [contact.table_row(forest) for contact in held]))
        plan = _plan(forest.ints[:, _LINKS].tobytes(), table[:, _ENDS].tobytes())
        self.forest, self.cuts = forest, [cuts[k] for k in plan.order]
        self.table = table if len(table) == 1 else table[plan.order]
        contacts = _contacts(self.table[:, cut_table.KIND].astype(np.int64).tolist()) if held else []
        sliding = [(k, cut) for k, (cut, what) in enumerate(contacts) if what == (CONTACT, RUBBING)]
        m = plan.sizes["m"]
        sizes = {
            **plan.sizes, "n": forest.n, "n_q": forest.nq, "n_v": forest.nv, "n_e": forest.n_equation, "n_given": n_given,
            "n_sliding": len(sliding), "n_freedoms": len(contacts),
            "n_apart": 2 * m if m * forest.nv <= _MOST_APART else 0,
        }  # fmt: skip
        self.memory = np.zeros(LOOPS.words(**sizes))
        words = self.memory.view(np.int64)
        head = LOOPS.head(**sizes, cuts=self.table)
        words[: len(head)] = head
        begin = LOOPS.offset(_NUMBERS[0], **sizes)
        words[begin : begin + len(plan.numbers)] = plan.numbers
        self.views = _Views(self.memory, sizes)
        self.views.update(LOOPS.views(self.memory, *_ALWAYS, **sizes))
        self.views["ints"][:] = forest.ints
        if contacts:
            self.views["of_contact"][:] = [what[0] == CONTACT for _, what in contacts]
            for i, (row, cut) in enumerate(sliding):
                self.views["off"][row], self.views["sliding"][i], self.views["sliding_cut"][i] = 1, row, cut
        if places:
            self._give_places(places, frozenset(locked))
        self.address = data_address(self.memory)
        self.rank, self.condition, self.measured_at = 0, 1.0, np.zeros(0)
        self.redundant: tuple[str, ...] = ()
        self.unique: tuple[str, ...] = ()
        self.passages: Passages | None = None

    def _give_places(self, places: StatePlaces, locked: frozenset[str]) -> None:
        """Mark states that are coordinates of prescribed joints; those that are none, and locked ones, do not give way."""
        view, forest = self.views, self.forest
        for k, (q, v) in enumerate(places):
            view["q_state"][k], view["q_factor"][k] = q or (GIVEN, 1.0)
            view["v_state"][k], view["v_factor"][k] = v or (GIVEN, 1.0)
        roles = view["ints"][:, ROLE]
        for body, name in enumerate(forest.body_names):
            if roles[body] == PRESCRIBED:
                k, size = forest.ints[body, V_INDEX], V_SIZE[forest.ints[body, KIND]]
                moves = (view["q_state"][k : k + size] != GIVEN).all() and name not in locked
                roles[body] = PASSIVE if moves else LOCKED
        view["locked"][:] = [edge.name in locked for edge in forest.graph.prescribed_joints]  # parked ones, too
        view["width"][:] = 1.0  # also where there is no loop to measure

    @property
    def needs_equations(self) -> bool:
        """True if coordinates of joints in loops are no states: the equations have to be evaluated to know them."""
        if not self.forest.n_equation:
            return False
        view = self.views
        first = self.forest.ints[view["path"], V_INDEX]
        return bool((view["q_state"][first[first < self.forest.n_equation]] == GIVEN).any())

    def measure(self, q: np.ndarray, measured: Callable[[], int]) -> None:
        """Measure the lengths of the loops, the sizes of the rows, and their rank at coordinates ``q`` (nq,).

        Args:
            measured: the kernel that does it, for this memory.

        Raises:
            ModelError: something that moves has no inertia.
        """
        self.views["q"][:] = q
        self.measured_at = np.array(q, dtype=float)
        self.rank = measured()
        if self.rank < 0:
            raise ModelError(
                "the mass matrix is singular: a joint of a loop moves no mass",
                path=self.cuts[0].name if self.cuts else "",
                remedy="Give what moves there mass properties, or take an assembly whose rod has no mass.",
            )
        self._take_measure()

    def _take_measure(self) -> None:
        """Record the properties of the rows from the last factorisation."""
        view = self.views
        inverse, size, empty, off = [view[name].tolist() for name in ("lever_inverse", "reach", "empty", "off")]
        redundant = [k for k, value in enumerate(inverse) if value == 0.0 and off[k] == 0]
        texts = tuple([text for cut in self.cuts for text in _row_texts(cut.name, cut.row_names)])
        if redundant or any(off):
            self._take_redundant(redundant, texts, off, empty)
        else:
            self.redundant, self.unique = (), texts
        new = [1.0 / math.sqrt(value) / length for value, length in zip(inverse, size, strict=True) if value != 0.0]
        self.condition = max(new) / min(new) if new else 1.0

    def _take_redundant(self, redundant: Sequence[int], texts: Sequence[str], off: Sequence[int], empty: Sequence[int]) -> None:
        """Record the rows that follow from others, and the multipliers that are unique nevertheless."""
        shared = {*redundant, *[row for k in redundant if empty[k] == 0 for row in self._shared_with(k)]}
        self.unique = tuple([text for k, text in enumerate(texts) if k not in shared and off[k] == 0])
        self.redundant = tuple([texts[k] for k in redundant])

    def _shared_with(self, redundant: int) -> Iterator[int]:
        """Generate the rows from which a redundant one follows, by the last factors: all of them share their work."""
        view = self.views
        first, start, matrix, inverse = (view[name] for name in ("first", "start", "lever_matrix", "lever_inverse"))
        size, parts, empty = view["reach"], dict[int, float](), view["empty"]

        def subtract(factor: float, row: int) -> None:
            for k in () if empty[row] else range(first[row], row):
                part = factor * matrix[start[row] + k]
                if inverse[k] != 0.0 and abs(part) * size[k] > _NOTHING * size[redundant]:
                    parts[k] = parts.get(k, 0.0) - part

        subtract(-1.0, redundant)
        while parts:
            row = max(parts)
            factor = parts.pop(row)
            if abs(factor) * size[row] > TOLERANCE * size[redundant]:
                yield row
            subtract(factor, row)

    @contextmanager
    def without_contacts(self) -> Iterator[None]:
        """Exclude the rows of contacts within the block."""
        off = self.views["off"]
        before = off.copy()
        off[self.views["of_contact"] != 0] = 1
        try:
            yield
        finally:
            off[:] = before

    def watch(self, code: int, contacts: int) -> None:
        """Set the machine code that watches contacts at rest, and its memory, by their addresses."""
        words = self.memory.view(np.int64)
        words[LOOPS.offset("watch")], words[LOOPS.offset("contacts")] = code, contacts

    def follow_rank(self) -> None:
        """Record `passages` through singular positions from now on; call it after `measure`."""
        needed = self.views["lever_inverse"] != 0.0
        self.passages = Passages([cut.name for cut in self.cuts], needed, self.forest.nq, self.forest.nv, self.forest.dof)
        self.memory.view(np.int64)[_PASSAGES] = self.passages.address


@lru_cache(maxsize=256)
def _row_texts(name: str, rows: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name} ({row})" for row in rows)


class Plan(NamedTuple):
    """Plan that follows from the way in which bodies and cuts hang together.

    Attributes:
        order: of the cuts, as they are eliminated.
        numbers: the fields `_NUMBERS`, one behind the other. sizes: of the memory, by name, as far as these determine them.
    """

    order: list[int]
    numbers: np.ndarray
    sizes: Mapping[str, int]


@lru_cache(maxsize=32)
def _plan(bodies: bytes, cuts: bytes) -> Plan:
    """Return the plan of a closed structure; one that is closed again has that of before.

    Args:
        bodies: columns `_LINKS` of the forest's table of bodies, int64 (n, 2).
        cuts: columns `_ENDS` of the table of cuts, float64 (n_cuts, 3).
    """
    links, ends = np.frombuffer(bodies, dtype=np.int64).reshape(-1, 2), np.frombuffer(cuts).reshape(-1, 3).astype(np.int64)
    parents, motions = links.T.tolist()
    ways = [_way(parents, motions, *pair) for _, *pair in ends.tolist()]
    order = _elimination_order([set(way.bodies) for way in ways])
    numbers = _numbers(ends[order, 0].tolist(), [ways[k] for k in order])
    m = len(numbers["holonomic"])
    sizes = {
        "n_cuts": len(ways), "m": m, "n_path": len(numbers["path"]), "n_tau": numbers["tau_start"].pop(),
        "n_near": len(numbers["near"]), "n_runs": numbers["run_start"][-1], "n_matrix": numbers["start"].pop(),
        "n_slips": m - sum(numbers["holonomic"]),
    }  # fmt: skip
    together = [*chain.from_iterable(map(numbers.__getitem__, _NUMBERS))]
    return Plan(order, np.array(together, dtype=np.int64), MappingProxyType(sizes))


def _contacts(kinds: Sequence[int]) -> list[tuple[int, tuple[int, int]]]:
    """Return for each row its cut, and the first two numbers of its direction."""
    return [(cut, (what, i)) for cut, kind in enumerate(kinds) for what, i, _ in TABLE[kind, : COUNT[kind]].tolist()]


def _numbers(kinds: Sequence[int], ways: Sequence[Way]) -> dict[str, list[int]]:
    """Return the fields of the memory by name; behind those of `tau_start` and `start` how long `tau` and `matrix` are.

    Args:
        kinds: of the cuts. ways: of them.
    """
    rows, near = COUNT[kinds].tolist(), _shared(ways)
    runs = [_runs(ways[i], ways[j]) for i, others in enumerate(near) for j in others]
    row_start, first, start, at = [0, *accumulate(rows)], list[int](), list[int](), 0
    for i, others in enumerate(near):
        begin = row_start[min(others, default=i)]
        for row in range(row_start[i], row_start[i + 1]):
            first.append(begin)
            start.append(at - begin)
            at += row - begin + 1
    lengths = [way.length for way in ways]
    return {
        "row_start": row_start,
        "path_start": [0, *accumulate(len(way.bodies) for way in ways)],
        "path_length": lengths,
        "tau_start": [0, *accumulate(length * max(n, 1) for length, n in zip(lengths, rows, strict=True))],
        "path": [body for way in ways for body in way.bodies],
        "path_at": [place for way in ways for place in way.at],
        "path_once": [once for way in ways for once in way.once],
        "near_start": [0, *accumulate(map(len, near))],
        "near": [j for others in near for j in others],
        "run_start": [0, *accumulate(map(len, runs))],
        "runs": [number for found in runs for run in found for number in run],
        "first": first,
        "start": [*start, at],
        "holonomic": [flag for kind, n in zip(kinds, rows, strict=True) for flag in HOLONOMIC[kind, :n].tolist()],
        "plane": [-1] * len(rows),
    }


def _to_root(parents: Sequence[int], body: int) -> set[int]:
    found = set()
    while body >= 0:
        found.add(body)
        body = parents[body]
    return found


def _way(parents: Sequence[int], kinds: Sequence[int], body_1: int, body_2: int) -> Way:
    one, two = _to_root(parents, body_1), _to_root(parents, body_2)
    bodies = sorted(one | two)
    sizes = [V_SIZE[kinds[body]] for body in bodies]
    *at, length = accumulate(sizes, initial=0)
    return Way(bodies, at, sizes, [int(body in two) - int(body in one) for body in bodies], length)


def _shared(ways: Sequence[Way]) -> list[list[int]]:
    """Return for each cut those up to itself with which it shares bodies, ascending."""
    found: list[list[int]] = []
    users: dict[int, list[int]] = {}
    for i, way in enumerate(ways):
        for body in way.bodies:
            users.setdefault(body, []).append(i)
        found.append(sorted({j for body in way.bodies for j in users[body]}))
    return found


def _runs(one: Way, two: Way) -> list[list[int]]:
    """Return the speeds that both ways have one behind the other: where they begin in each of them, and how many they are."""
    if one is two:
        return [[0, 0, one.length]] if one.length else []
    places = dict(zip(two.bodies, two.at, strict=True))
    found: list[list[int]] = []
    for body, first, size in zip(one.bodies, one.at, one.sizes, strict=True):
        other = places.get(body)
        if other is None:
            continue
        if found and found[-1][0] + found[-1][2] == first and found[-1][1] + found[-1][2] == other:
            found[-1][2] += size
        else:
            found.append([first, other, size])
    return found


def _elimination_order(bodies: Sequence[set[int]]) -> list[int]:
    """Return an order in which neighbours are near each other (Cuthill and McKee 1969)."""
    if len(bodies) == 1:
        return [0]
    around: dict[int, list[int]] = {}
    for k, found in enumerate(bodies):
        for body in found:
            around.setdefault(body, []).append(k)
    neighbours = [sorted({other for body in found for other in around[body]} - {k}) for k, found in enumerate(bodies)]
    order: list[int] = []
    left = sorted(range(len(bodies)), key=lambda k: (len(neighbours[k]), k))
    seen: set[int] = set()
    for begin in left:
        if begin in seen:
            continue
        seen.add(begin)
        queue = [begin]
        for k in queue:
            new = sorted((j for j in neighbours[k] if j not in seen), key=lambda j: (len(neighbours[j]), j))
            seen.update(new)
            queue += new
        order += queue
    return order
