"""Joints that move something without inertia: the reason why accelerations are not determined, for messages."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from modiapy.model.errors import Reason

from ..dynamics.basics import layout
from ..dynamics.joints.kinds import V_SIZE
from ..topology.forest import Forest

NO_INERTIA = 1e-10
"""Eigenvalue of the mass matrix, its diagonal scaled to 1, below which a motion has no inertia."""


def reason(forest: Forest, q: np.ndarray, full: Callable[[str], str]) -> Reason:
    """Return why accelerations of passive joints are not determined, and a remedy, of the first of them; "" if not known.

    Args:
        q: all coordinates, shape (nq,).
        full: makes a path a full one.
    """
    names = [full(name) for name in joints_without_inertia(forest, q)]
    if not names:
        return Reason("")
    text = (
        f"the acceleration of {', '.join(map(repr, names))} is not determined: what moves there has no mass or inertia in one "
        "direction; give a Solid behind it mass properties, or lock that direction"
    )
    return Reason(text, names[0])


def remedy_at_flanges(forest: Forest, q: np.ndarray, asked: Collection[str], full: Callable[[str], str]) -> str:
    """Return the remedy where accelerations of some joints with a flange (``asked``) are not determined; see `reason`."""
    found = flanges_without_inertia(forest, q, asked)
    joints = ", ".join(f"'{full(joint)}', which moves '{full(body)}'" for joint, body in found.items())
    if not joints:
        return ""
    return (
        f"Nothing that has inertia moves with {joints}: give that, or what it carries, mass properties, "
        "or connect an inertia to the flange."
    )


def joints_without_inertia(forest: Forest, q: np.ndarray) -> tuple[str, ...]:
    """Return the names of the passive joints and free roots whose speeds cost no kinetic energy.

    Args:
        q: all coordinates, shape (nq,).

    Returns:
        The joints with a part in the direction in which the mass matrix of the passive joints is smallest.
    """
    passive = np.flatnonzero(forest.ints[:, layout.ROLE] == layout.PASSIVE)
    M, owner = _mass_matrix(forest, q, passive)
    if not np.isfinite(M).all():
        return ()
    _, vectors = np.linalg.eigh(M)
    part = np.abs(vectors[:, 0])
    return tuple(forest.body_names[body] for body in dict.fromkeys(owner[part > 0.1 * part.max()].tolist()))


def flanges_without_inertia(forest: Forest, q: np.ndarray, asked: Collection[str]) -> dict[str, str]:
    """Return the joints with a flange that take part in a motion without inertia, and what each moves.

    Args:
        q: all coordinates, shape (nq,).
        asked: names of the joints.
    """
    moving = np.flatnonzero(forest.ints[:, layout.ROLE] != layout.LOCKED)
    M, owner = _mass_matrix(forest, q, moving)
    if not np.isfinite(M).all():
        return {}
    size = np.sqrt(np.abs(np.diag(M)))
    scale = np.where(size > NO_INERTIA * size.max(initial=0.0), size, 1.0)
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    parts = np.abs(vectors[:, values < NO_INERTIA]).max(axis=1, initial=0.0)
    found = {}
    for body in dict.fromkeys(owner[parts > 0.1].tolist()):
        name = forest.body_names[body]
        if name in asked:
            edge = forest.graph.joints[forest.graph.joint_index(name)]
            found[name] = forest.graph.frames[edge.frames[0 if forest.turned[body] else 1]].name
    return found


def _mass_matrix(forest: Forest, q: np.ndarray, bodies: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mass matrix for the speeds of some bodies, and the body of each of them."""
    from ..dynamics.mass_matrix import mass_matrix

    M = np.zeros((forest.nv, forest.nv))
    mass_matrix(forest.ints, forest.floats, q, M, np.zeros(layout.work_shape(forest.n)))
    rows = forest.ints[bodies]
    sizes = [V_SIZE[kind] for kind in rows[:, layout.KIND]]
    starts = [row[layout.V_INDEX] + np.arange(size) for row, size in zip(rows, sizes, strict=True)]
    speeds = np.concatenate([np.zeros(0, dtype=np.int64), *starts])
    return M[np.ix_(speeds, speeds)], np.repeat(bodies, sizes)
