"""Impacts where bodies strike each other, through the mass matrix of all that is connected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from .contact_impulse import PARTING, Striking, contact_impulses
from .impact import Impact, Stage, settled, unstoppable
from .kinds.constraint import rows_of
from .kinds.contact import NORMAL, Contact, slip_axes
from .kinds.joint_limit import JointLimit
from .kinds.row import Rows
from .responses import responses
from .tables.limit_table import REST

_LEFT = 1e-3
"""Part of the largest speed before that may be left of an approach, where points lie nearly in one place."""


@dataclass(frozen=True, eq=False)
class Blow:
    """Impulse of one contact in an impact.

    Attributes:
        contact: the contact.
        impulse: on the second body, in world, shape (3,) [N.s].
        approach: speed along the normal before, towards each other [m/s].
    """

    contact: Contact
    impulse: np.ndarray
    approach: float


def contact_impact(stage: Stage, contacts: Sequence[Contact], limits: Sequence[JointLimit] = ()) -> tuple[Impact, list[Blow]]:
    """Compute the impact of contacts with restitution and friction, see `contact_impulse`; limits of joints do not bounce.

    Args:
        stage: before.
        contacts: all points that touch, and more than those that strike: what they drive together strikes after them.
        limits: those at which joints are.

    Raises:
        ModelError: the accelerations are not affine in the forces, or two bodies that strike have prescribed motions.
    """
    present, memory = stage.present, stage.memory
    rows = rows_of([*contacts, *limits], present)
    with stage.without_limits():
        to_speeds, to_states = responses(present, rows.G, memory.tau, memory.a, stage.rates)
    A, before, striking = rows.G @ to_speeds, rows.G @ present.v, _striking(rows, contacts)
    w = before.copy()
    w[striking.normal[: len(contacts)]] -= [contact.driven for contact in contacts]
    p = contact_impulses(A, w, striking)
    after = w + A @ p
    _check_parted(rows, striking, w, after)
    at_limits, stopped = rows[len(rows) - len(limits) :], np.where(np.abs(after) <= REST, p, 0.0)[len(rows) - len(limits) :]
    v, closed = settled(at_limits, present.v + to_speeds @ p, stopped)
    lost = max(0.0, -0.5 * float(p @ (2.0 * before + A @ p)))  # it never grows but by rounding
    outcome = Impact(v, to_states @ p, rows, p, closed, lost)
    return outcome, _blows(contacts, striking, w, p)


def _striking(rows: Rows, contacts: Sequence[Contact]) -> Striking:
    """Return the unilateral rows with their slips; those behind the contacts are of limits."""
    normal = np.flatnonzero(rows.unilateral)
    n, slips = len(normal), np.full((len(normal), 2), -1)
    law = np.zeros((3, n))
    for k, contact in enumerate(contacts):
        law[:, k] = contact.restitution, contact.friction, contact.slow
        if contact.friction > 0.0:
            slips[k] = normal[k] + 1, normal[k] + 2
    return Striking(normal, slips, *law)


def _check_parted(rows: Rows, striking: Striking, before: np.ndarray, after: np.ndarray) -> None:
    """Refuse contacts that still approach: no impulse there moves them."""
    for k in striking.normal:
        if after[k] < -PARTING and after[k] < -_LEFT * np.abs(before).max():
            if rows[k].direction != NORMAL:
                raise unstoppable(rows[k].owner)
            raise ModelError(
                "two bodies that strike each other cannot be stopped by an impact",
                path=rows[k].owner,
                found=f"an approach of {-after[k]:.3g} m/s that is left",
                expected="speeds that the masses and the equations leave free",
                remedy="A drive that prescribes the motion takes no impulse: give one of both a drive with a torque, or keep "
                "them apart (no_contact).",
            )


def _blows(contacts: Sequence[Contact], striking: Striking, w: np.ndarray, p: np.ndarray) -> list[Blow]:
    found = []
    for contact, k, slips in zip(contacts, striking.normal, striking.tangential, strict=False):
        impulse = p[k] * contact.normal
        if slips[0] >= 0:
            impulse = impulse + slip_axes(contact.normal) @ p[slips]
        found.append(Blow(contact, impulse, -float(w[k])))
    return found
