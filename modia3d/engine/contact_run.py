"""Contacts of a multibody system in one simulation: what becomes of them at events, and what is told of them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from modiapy.acausal.protocol import SegmentLayout, SegmentStart

from ..constraints.impact import Impact, Stage, rigid_friction
from ..forces.contact.layout import ACTIVE, HELD
from ..topology.structure import Structure
from .change import Change
from .contact.contact_chattering import ContactChattering
from .contact.contacts import NOTHING, Remembered, SegmentContacts
from .contact.depths import Depths
from .contact_log.log import ContactLog
from .motion.configuration import Configuration
from .segment import SegmentMemory
from .system import System

if TYPE_CHECKING:
    from .contact.impacts import Struck


class ContactRun:
    """Contacts of a `Model3D` while it is simulated.

    Args:
        system: what it consists of.

    Attributes:
        log: the table of contacts.
        depths: what penetrates deeply.
        chattering: pairs that are elastic for a while.
    """

    _layout: SegmentLayout
    _memory: SegmentMemory
    _structure: Structure

    def __init__(self, system: System) -> None:
        self._system, self._begun, scene = system, False, system.graph.scene
        self.log = ContactLog(system.full)
        self.depths = Depths(system.solids, scene.deep_penetration, scene.elastic_contact_reduction_factor, system.full)
        self.chattering = ContactChattering(math.hypot(*system.graph.gravity))

    def data(self) -> Callable[[], dict[str, Any]]:
        """Return a function that gives the data that a snapshot keeps, of now."""
        log, chattering, depths = self.log.data(), self.chattering.data(), self.depths.data()
        return lambda: {"contact_log": log(), "contact_chattering": chattering(), "deep_contacts": depths()}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data that `data` returned. Raises KeyError, TypeError, ValueError: it is something else."""
        self.log.restore(data["contact_log"])
        self.chattering.restore(data.get("contact_chattering", []))
        self.depths.restore(data.get("deep_contacts", []))
        self._begun = True

    def begin_segment(self, layout: SegmentLayout, time: float, goes_on: bool) -> None:
        """Begin the history of contacts; of a segment that goes on results may know what touched earlier in it."""
        assert isinstance(layout.keep, SegmentMemory)
        self._layout, self._memory, self._structure = layout, layout.keep, layout.keep.forest.structure
        contacts = self._memory.contacts
        if contacts is not None:
            self.log.begin_segment(contacts.pair_names, contacts.memory.notes, time)
            self.depths.begin_segment(contacts.pair_names, contacts.memory.solids, contacts.memory.depths)
            self.log.settle(contacts.touching, time)
            told = range(len(contacts.touching)) if goes_on else np.flatnonzero(contacts.touching).tolist()
            layout.history.append(contacts.entry(time, told))
            self.chattering.keep(contacts.memory.near)

    @property
    def resting(self) -> Remembered:
        """An empty memory of each pair of shapes that is at rest."""
        contacts = self._memory.contacts
        if contacts is None or not contacts.holds:
            return {}
        places = np.flatnonzero(contacts.memory.pairs[:, ACTIVE] == HELD).tolist()
        return dict.fromkeys(contacts.pairs_at(places), NOTHING)

    @property
    def may_rest(self) -> bool:
        """True if solids are near each other whose rigid contact can be at rest."""
        contacts = self._memory.contacts
        return contacts is not None and bool(self._system.solids.rigid) and bool(contacts.rests.able.any())

    def event(self, start: SegmentStart, now: Callable[[], Configuration]) -> Change | None:
        """Let contacts begin, end, stick and slip in place; return a change where solids come near each other or strike.

        Where solids strike whose contact is rigid, an impact changes the speeds.

        Args:
            start: what is known at the event. now: gives the configuration there.
        """
        contacts = self._memory.contacts
        if contacts is None or start.x is None:
            return None
        motion = self._memory.loaded
        self.log.arrive(start.time)
        contacts.look(motion)
        if not self._begun:
            self._begun = True
            self._warn_of_overlaps(contacts)
        if self._system.solids.rigid:
            change = self._at_rigid_contacts(contacts, start, start.x, now)
            if change is not None:
                return change
        before = contacts.touching
        changed = contacts.settle(motion)
        if changed:
            self.log.settle(contacts.touching, start.time)
            if (contacts.touching != before).any():
                self._system.note_touching(self._layout)
            self._layout.history.append(contacts.entry(start.time, changed))
        if contacts.gap > 0.0:
            return None
        pairs = ", ".join(f"{one} and {other}" for one, other in contacts.newcomers(motion))
        return Change(f"near each other: {pairs}", structure=self._structure, begin=start.x)

    def _at_rigid_contacts(
        self, contacts: SegmentContacts, start: SegmentStart, x: np.ndarray, now: Callable[[], Configuration]
    ) -> Change | None:
        """Return the solids that strike each other, and what becomes of those at rest."""
        from .contact.impacts import find_struck  # here: elastic contacts need none of it
        from .contact.resting import Jam, Scene

        assert start.rates is not None
        scene = Scene(contacts, now()) if contacts.rests.able.any() else None
        loaded = self._memory.loaded
        struck = find_struck(contacts, self._memory.forest, loaded, scene.approach if scene is not None else {})
        change = None if struck is None else self._struck(contacts, struck, Stage(now(), self._memory, start.rates), start.time)
        if change is not None or scene is None or not scene.points:
            return change
        start.rates()
        try:
            found = scene.settle(self._memory.a, self._memory.roles, self._memory.loops)
        except Jam as jam:
            jammed = scene.jammed(jam.pairs)
            struck = find_struck(contacts, self._memory.forest, loaded, jammed, driven=True)
            stage = Stage(now(), self._memory, start.rates)
            change = None if struck is None else self._struck(contacts, struck, stage, start.time)
            return change or self._yielding(Change("", structure=self._structure, begin=x), contacts, list(jammed))
        rests, cause = contacts.changes(found)
        if not rests:
            return None
        places = contacts.places_of(rests)
        change = Change(cause, structure=self._structure, begin=x, rests=rests)
        return self._yielding(change, contacts, self.chattering.note(contacts.memory, places, start.time))

    def _struck(self, contacts: SegmentContacts, struck: Struck, stage: Stage, time: float) -> Change | None:
        """Return the impact of solids that strike each other; None where they do not."""
        from .contact.impacts import strike

        with self._memory.without_rests():
            blow = strike(stage, self._structure, struck, self._system.lockable)
        if not blow.rows:
            return None
        warn_of_friction(stage, blow.impact)
        names = contacts.pair_names
        for k, impulse in blow.pushes:
            self.log.strike(names[k], impulse, time)
        present = stage.present
        assert isinstance(present, Configuration)
        change = Change(blow.cause, structure=self._structure, after=present).with_impact(blow.impact, blow.structure)
        change = replace(change, info={**change.info, "impacts": blow.rows}, rests=self.torn(change.after))
        return self._yielding(change, contacts, self.chattering.note(contacts.memory, blow.struck, time))

    def _yielding(self, change: Change, contacts: SegmentContacts, places: Sequence[int]) -> Change:
        """Return the change, after which near pairs in these places are elastic."""
        if not places:
            return change
        pairs = contacts.pairs_at(places)
        rests = {**change.rests, **dict.fromkeys(pairs, NOTHING)}
        texts = [change.cause] * bool(change.cause)
        texts += [f"{one}, {other} yield" for one, other in (contacts.pair_names[k] for k in places)]
        return replace(change, cause="; ".join(dict.fromkeys(texts)), calms=True, rests=rests, yielding=frozenset(pairs))

    def torn(self, after: Configuration | None) -> Remembered:
        """Return the new memory of pairs whose rows no longer hold after an impact."""
        from .contact.resting import Scene

        contacts = self._memory.contacts
        if contacts is None or after is None or not contacts.holds:
            return {}
        return contacts.changes(Scene(contacts, after).torn)[0]

    def _warn_of_overlaps(self, contacts: SegmentContacts) -> None:
        """Warn of solids that penetrate each other where the simulation begins."""
        pairs = [
            f"'{self._system.full(a)}' and '{self._system.full(b)}' by {depth:.3g} m" for a, b, depth in contacts.overlapping()
        ]
        if pairs:
            more = f" and {len(pairs) - 5} pairs more" if len(pairs) > 5 else ""
            text = (
                f"solids penetrate each other at the start: {', '.join(pairs[:5])}{more}. They will be pushed apart with force"
            )
            warnings.warn(f"{text}; place them apart, or name them in Scene(no_contact=...).", stacklevel=2)


def warn_of_friction(stage: Stage, impact: Impact) -> None:
    """Warn of dry friction that takes part in an impact as if it were rigid."""
    relations = rigid_friction(stage, impact)
    if relations:
        text = f"an impact takes place while dry friction sticks, or another relation would change: {', '.join(relations[:4])}"
        warnings.warn(
            f"{text}. What sticks takes part in it as if it were rigid; let it slide, or be free, before.", stacklevel=2
        )
