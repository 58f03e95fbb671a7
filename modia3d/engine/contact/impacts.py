"""Impacts of solids whose contact is rigid: which points strike, and what the next segment begins with.

A pair with the response "rigid" that comes together faster than the slow velocity of its materials strikes: restitution and
dry friction act at once, on all that is connected (`constraints.contact_impact`). Everything else that touches with that
response takes part, because an impact may go on from there. Of pairs that rows may hold at rest (`rests`) any approach is one,
plastic where it is slow; others that come together slowly are held by elastic forces, as stiff as the materials are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...collision.tables import DEPTH, DISTANCE, NORMAL, POSITION
from ...constraints.contact_impact import Blow, contact_impact
from ...constraints.impact import Impact, Stage
from ...constraints.joints import LockableJoints
from ...constraints.kinds.contact import Contact
from ...constraints.kinds.joint_limit import JointLimit
from ...constraints.limits import structure_after
from ...constraints.tables.limit_table import REST
from ...forces.contact.layout import ACTIVE, BODY_1, BODY_2, FORCE_RATE, MU_K, RESPONSE, RESTITUTION, RIGID, V_SMALL
from ...topology.forest import Forest
from ...topology.structure import Structure
from .contacts import BodyMotion, SegmentContacts
from .faces import FLAT
from .rests import connected


@dataclass(frozen=True, eq=False)
class Struck:
    """Points that touch where solids strike each other.

    Attributes:
        pairs: place in the list of near pairs of each point. points: the points.
    """

    pairs: tuple[int, ...]
    points: tuple[Contact, ...]


def find_struck(
    contacts: SegmentContacts, forest: Forest, motion: BodyMotion, approaching: Mapping[int, float], *, driven: bool = False
) -> Struck | None:
    """Return the points of all rigid pairs that touch and are connected with one that strikes; None where none does.

    Args:
        contacts, forest: of the segment.
        motion: of the bodies, which `SegmentContacts.look` has seen.
        approaching: how fast points of pairs that may rest, and touch, approach [m/s].
        driven: that is how fast friction drives them together besides.
    """
    memory = contacts.memory
    rows, rigid = memory.pairs, memory.pairs[:, RESPONSE] == RIGID
    touches = rigid & ((rows[:, ACTIVE] != 0.0) | (memory.found[:, DISTANCE] <= memory.margin))
    rates = np.where(rows[:, ACTIVE] != 0.0, np.fmax(memory.rates, memory.forces[:, FORCE_RATE]), memory.rates)
    strikes = touches & (rates > rows[:, V_SMALL]) & ~contacts.rests.able
    touches[list(approaching)] = strikes[list(approaching)] = True
    if not strikes.any():
        return None
    pairs, points, names = list[int](), list[Contact](), contacts.pair_names
    for i in np.flatnonzero(touches & _reached(forest, rows, touches, strikes)).tolist():
        row, (one, other) = rows[i], names[i]
        bodies = int(row[BODY_1]), int(row[BODY_2])
        law = float(row[RESTITUTION]), float(row[MU_K]), float(row[V_SMALL])
        besides = approaching.get(i, 0.0) if driven else 0.0
        for normal, place in _points(contacts, i, motion):
            pairs.append(i)
            points.append(Contact(f"{one}, {other}", *bodies, place, normal, *law, besides))
    return Struck(tuple(pairs), tuple(points))


def _reached(forest: Forest, rows: np.ndarray, touches: np.ndarray, strikes: np.ndarray) -> np.ndarray:
    """Return the pairs (mask) that contacts and joints connect with one that strikes."""
    trees = connected(forest)[rows[:, [BODY_1, BODY_2]].astype(np.int64)]
    reached, moved = strikes.copy(), np.zeros(forest.n + 1, dtype=bool)
    while True:
        moved[trees[reached]] = True
        moved[-1] = False
        more = touches & moved[trees].any(axis=1)
        if (more <= reached).all():
            return reached
        reached |= more


def _points(contacts: SegmentContacts, i: int, motion: BodyMotion) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Generate the normals out of the first solid of a pair, and points, in world."""
    from .impact_kernels import points_of_pair, states_of

    memory = contacts.memory
    nearer = FLAT * memory.size[i]
    if contacts.rests.has_faces(i):
        rows = contacts.rests.points(i)
        states = np.zeros((len(rows), 7))
        states_of(rows, *motion, states)
        yield from ((state[:3], state[3:6]) for state in states if state[6] <= nearer)
        return
    count = points_of_pair(memory.address, i, nearer, *motion[:2])
    found, normal = memory.points[:count], memory.found[i, NORMAL : NORMAL + 3].copy()
    for point in found[found[:, DEPTH] > 0.0, POSITION : POSITION + 3]:
        yield normal, point + 0.5 * nearer * normal


@dataclass(frozen=True, eq=False)
class Strike:
    """Impact of solids that strike each other at one instant.

    Attributes:
        impact: what it makes of the present. structure: what holds afterwards.
        cause: what happened, as a text.
        rows: of each pair that got something: its names, largest speed of ``approach`` before [m/s] (none where it follows
            others), ``impulse`` on the second solid [N.s], in world.
        pushes: place of each of these pairs in the list of near pairs, and its normal impulse [N.s].
        struck: places of those that approached; of all, where friction alone drove them together.
    """

    impact: Impact
    structure: Structure
    cause: str
    rows: tuple[dict[str, Any], ...]
    pushes: tuple[tuple[int, float], ...]
    struck: tuple[int, ...]


def strike(stage: Stage, structure: Structure, struck: Struck, lockable: LockableJoints) -> Strike:
    """Compute the impact of solids on each other.

    Args:
        stage: before the impact.
        structure: of the segment.
        struck: see `find_struck`.
        lockable: joints at whose limits an impact may arrive.
    """
    present = stage.present
    sides = lockable.at_limits(present.forest, present.q)
    impact, blows = contact_impact(stage, struck.points, [JointLimit(name, side) for name, side in sides.items()])
    after = structure_after(structure.with_limits({}), sides, impact.closed)
    rows, pushes = list[dict[str, Any]](), list[tuple[int, float]]()
    for i, members in _by_pair(struck, blows).items():
        push = sum(float(blow.impulse @ blow.contact.normal) for blow in members)
        if push > 0.0:
            impulse = np.sum([blow.impulse for blow in members], axis=0).tolist()
            approach = max(blow.approach for blow in members)
            rows.append({"pair": members[0].contact.name, "approach": approach, "impulse": impulse})
            pushes.append((i, push))
    texts = [f"{row['pair']} strike each other at {row['approach']:.6g} m/s" for row in rows if row["approach"] > REST]
    texts += [*lockable.changes(structure, after), f"{impact.energy_lost:.6g} J lost"]
    came = [i for (i, _), row in zip(pushes, rows, strict=True) if row["approach"] > REST] or [i for i, _ in pushes]
    return Strike(impact, after, "; ".join(texts), tuple(rows), tuple(pushes), tuple(came))


def _by_pair(struck: Struck, blows: Sequence[Blow]) -> dict[int, list[Blow]]:
    found: dict[int, list[Blow]] = {}
    for i, blow in zip(struck.pairs, blows, strict=True):
        found.setdefault(i, []).append(blow)
    return found
