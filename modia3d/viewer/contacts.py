"""Contacts as bodies of an animation: a ball where two solids touch, and a needle along the force on the second one.

The length of the needles depends on the scene. The needle of the largest force at any frame is a fifth of the scene's size. The
others are shorter by the square root of their force, so that the force on a box at rest is visible beside that of a hit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..scene.shapes import ConeShape, SphereShape
from ..scene.visual import VisualMaterial
from .content import Body, ShownFrame

LONGEST, SLENDER, BALL = 0.2, 0.08, 0.012
"""Length of the longest needle and diameter of the balls, in sizes of the scene; thickness of a needle in its lengths."""

FORCE, POINT = VisualMaterial(color="Red"), VisualMaterial(color="Gold")

UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
"""The quaternion of no rotation."""

Span = tuple[float, float]
"""Begin and end of a contact [s]."""

_SIGNAL = re.compile(r"mechanics\.contact\[(.+)\]\.force")


def contact_bodies(result: Any, path: str, pick: np.ndarray, size: float) -> list[Body]:
    """Return the contacts of the component at ``path`` that exist at one frame at least.

    Args:
        result: of the simulation.
        path: of a multibody system.
        pick: numbers of the time points that are shown, shape (nt,).
        size: of the scene [m].
    """
    found = []
    for name, spans in _touching(result, path).items():
        signal = f"{path}.mechanics.contact[{name}]" if path else f"mechanics.contact[{name}]"
        if f"{signal}.force" not in result:
            continue  # one of another system
        force, point = (_values(result, f"{signal}.{quantity}", spans)[pick] for quantity in ("force", "point"))
        strength = np.linalg.norm(force, axis=1)
        touching = np.isfinite(strength) & np.isfinite(point).all(axis=1) & (strength > 0.0)
        if touching.any():
            found.append((signal, force, point, np.where(touching, strength, 0.0)))
    largest = max((float(strength.max()) for *_, strength in found), default=1.0)
    return [body for contact in found for body in _bodies(*contact, largest, size)]


def _touching(result: Any, path: str) -> dict[str, list[Span]]:
    """Return the names of the pairs that touched, as signals have them, with the times; without a table all pairs, always."""
    start = f"{path}." if path else ""
    found: dict[str, list[Span]] = {}
    for row in result.contacts:
        if all(name.startswith(start) for name in row["pair"]):
            span = row["begin"], np.inf if row["end"] is None else row["end"]
            found.setdefault(",".join(name[len(start) :] for name in row["pair"]), []).append(span)
    for name in [] if result.contacts else result.signals():
        known = _SIGNAL.fullmatch(name[len(start) :]) if name.startswith(start) else None
        if known is not None:
            found[known[1]] = [(-np.inf, np.inf)]
    return found


def _values(result: Any, signal: str, spans: Sequence[Span]) -> np.ndarray:
    """Return the values of a vector over ``result.time``, shape (nt, 3), computed only in segments where the solids touched."""
    values, row = np.full((len(result.time), 3), np.nan), 0
    for record in result.segments:
        segment = result.segment(record.index)
        n, last = segment.points, record.start if not segment.points else segment.time[-1]
        if n and any(begin <= last and end >= record.start for begin, end in spans):
            part = segment.find(signal)
            if part is not None:
                values[row : row + n] = part
        row += n
    return values


def _bodies(
    name: str, force: np.ndarray, point: np.ndarray, strength: np.ndarray, largest: float, size: float
) -> Sequence[Body]:
    """Return a needle and a ball, which do not exist while nothing touches."""
    shown = needle(f"{name}.force", force, point, strength, largest, size)
    ball = ShownFrame(f"{name}.point", np.zeros(3), UPRIGHT, SphereShape(diameter=BALL * size), POINT)
    return shown, Body(shown.position, np.tile(UPRIGHT, (len(point), 1)), [ball])


def needle(name: str, force: np.ndarray, point: np.ndarray, strength: np.ndarray, largest: float, size: float) -> Body:
    """Return a needle from a point along a force; it does not exist while the force is zero.

    Args:
        name: of what is seen.
        force, point: in world [N], [m], shape (nt, 3).
        strength: magnitude of the force, 0 where there is none [N], shape (nt,).
        largest: magnitude of the force with the longest needle [N].
        size: of the scene [m].
    """
    there = strength > 0.0
    length = np.where(there, LONGEST * size * np.sqrt(strength / largest), 1.0)
    scale = length[:, None] * np.array([SLENDER, SLENDER, 1.0])
    shape = ShownFrame(name, np.zeros(3), UPRIGHT, ConeShape(diameter=1.0, length=1.0), FORCE)
    return Body(np.where(there[:, None], point, np.nan), _along(force, strength), [shape], scale)


def _along(force: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Return the quaternions x y z w that turn z to the direction of each force, shape (nt, 4)."""
    turned = np.tile([0.0, 0.0, 0.0, 1.0], (len(force), 1))
    touching = strength > 0.0
    x, y, z = (force[touching] / strength[touching, None]).T
    half = np.column_stack([-y, x, np.zeros_like(x), 1.0 + z])
    half[1.0 + z < 1e-12] = 1.0, 0.0, 0.0, 0.0
    turned[touching] = half / np.linalg.norm(half, axis=1)[:, None]
    return turned
