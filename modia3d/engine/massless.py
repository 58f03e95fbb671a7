"""Which joints move something that has no inertia: the reason why accelerations are not determined, for messages."""

from __future__ import annotations

import numpy as np

from ..dynamics import layout
from ..topology.forest import Forest


def joints_without_inertia(forest: Forest, q: np.ndarray) -> tuple[str, ...]:
    """Names of the hidden joints and free roots whose speeds cost no kinetic energy.

    Args:
        q: all coordinates, shape (nq,).

    Returns:
        The joints with a part in the direction in which the mass matrix of the hidden joints is smallest.
    """
    from ..dynamics.mass_matrix import mass_matrix

    M = np.zeros((forest.nv, forest.nv))
    mass_matrix(forest.ints, forest.floats, q, M, np.zeros(layout.work_shape(forest.n)))
    rows = forest.ints[forest.ints[:, layout.ROLE] == layout.HIDDEN]
    bodies = np.flatnonzero(forest.ints[:, layout.ROLE] == layout.HIDDEN)
    owner = np.repeat(bodies, [layout.V_SIZE[kind] for kind in rows[:, layout.KIND]])
    speeds = np.concatenate([row[layout.V_INDEX] + np.arange(layout.V_SIZE[row[layout.KIND]]) for row in rows])
    if not np.isfinite(M).all():
        return ()
    _, vectors = np.linalg.eigh(M[np.ix_(speeds, speeds)])
    part = np.abs(vectors[:, 0])
    return tuple(forest.body_names[body] for body in dict.fromkeys(owner[part > 0.1 * part.max()].tolist()))
