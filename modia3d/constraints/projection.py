"""Positions and speeds of a forest brought onto its constraints by the least change in the metric of the mass matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics import layout
from ..dynamics.joints.kinds import ORIENTATION_AT, V_SIZE, q_size
from ..scene.basics.rotations import coordinates_of, matrix_of, rotation_about
from ..topology.forest import Forest
from .elimination import Elimination
from .kinds.constraint import Constraint, Present, rows_of
from .kinds.row import Rows

MOST_STEPS = 50
MOST_TURN = 0.5
"""The largest angle by which a step turns a joint [rad]: larger ones lead to other branches."""
_HALVINGS = 10
PresentAt = Callable[[np.ndarray, np.ndarray], Present]
"""A forest at coordinates (nq,) and speeds (nv,)."""


@dataclass(frozen=True, eq=False)
class Projection:
    """The outcome of `project`.

    Attributes:
        q, v: coordinates (nq,) and speeds (nv,) that meet the constraints.
        elimination: rows and rank there.
        moved: how far each joint and free root was moved, by name: the sum of the steps of its speeds [rad, m].
        residual: the largest that is left [m, rad].
    """

    q: np.ndarray
    v: np.ndarray
    elimination: Elimination
    moved: Mapping[str, tuple[float, ...]]
    residual: float


def project(
    at: PresentAt, constraints: Sequence[Constraint], q: np.ndarray, v: np.ndarray, *, tolerance: float = 1e-9
) -> Projection:
    """Close what constraints demand: Gauss-Newton steps for the positions, each of least change, then the speeds.

    Rows that restrict speeds alone take no part in the first.

    Args:
        at: the forest at other coordinates and speeds.
        constraints: what is to hold.
        q, v: where the search begins, shapes (nq,), (nv,).
        tolerance: largest residual that is none [m, rad].

    Raises:
        ModelError: the constraints cannot be closed from there; names them, and by how much; they are met the wrong way round;
            or a joint has no inertia.
    """
    present = at(q, v)
    forest, moved = present.forest, np.zeros(len(v))
    here = _of_positions(present, constraints)
    size = here.size

    def error(here: Elimination) -> float:
        return float(np.linalg.norm(here.rows.residual / size))

    for _ in range(MOST_STEPS):
        step = here.change(-here.rows.residual)
        step = step * (MOST_TURN / max(_largest_turn(present, step), MOST_TURN))
        for _ in range(_HALVINGS):
            tried = at(advanced(forest, present.q, step), v)
            there = _of_positions(tried, constraints)
            if error(there) < error(here):
                break
            step = 0.5 * step
        else:
            break
        present, here, moved = tried, there, moved + step
    worst = float(np.abs(here.rows.residual).max(initial=0.0))
    if not worst <= tolerance:
        raise _open(here.rows, tolerance)
    for constraint in constraints:
        constraint.check_branch(present)
    here = _eliminate(present, rows_of(constraints, present))
    return Projection(present.q, here.removed(v), here, _by_joint(forest, moved), worst)


def _of_positions(present: Present, constraints: Sequence[Constraint]) -> Elimination:
    return _eliminate(present, rows_of(constraints, present).of_positions())


def _eliminate(present: Present, rows: Rows) -> Elimination:
    from ..dynamics.mass_matrix import mass_matrix

    forest = present.forest
    M = np.zeros((forest.nv, forest.nv))
    mass_matrix(forest.ints, forest.floats, present.q, M, np.zeros(layout.work_shape(forest.n)))
    return Elimination(rows, M, forest.joint_of_speed)


def _open(rows: Rows, tolerance: float) -> ModelError:
    worst: dict[str, str] = {}
    for k in np.argsort(-np.abs(rows.residual)).tolist():
        row = rows[k]
        if abs(row.residual) > tolerance:
            worst.setdefault(row.owner, f"{row} {row.residual:.6g} {row.unit}")
    return ModelError(
        "a loop cannot be closed",
        path=next(iter(worst), ""),
        found=f"what is left after the nearest approach: {', '.join(worst.values())}",
        expected=f"at most {tolerance:.3g}",
        remedy="Begin nearer to a closed position, or change the lengths.",
    )


def _by_joint(forest: Forest, moved: np.ndarray) -> dict[str, tuple[float, ...]]:
    """Parts of a vector of speeds (nv,) by the joint that they belong to."""
    parts = {}
    for name, row in zip(forest.body_names, forest.ints, strict=True):
        k = row[layout.V_INDEX]
        parts[name] = tuple(moved[k : k + V_SIZE[row[layout.KIND]]].tolist())
    return parts


def _largest_turn(present: Present, step: np.ndarray) -> float:
    """By how much a step (nv,) turns a body relative to its parent, at most [rad]."""
    from ..dynamics.kinematics import body_velocities

    forest, (R, p) = present.forest, (poses[0] for poses in present.poses)
    v_W, w_W = np.zeros((2, forest.n, 3))
    body_velocities(forest.ints, forest.floats, present.q, step, R, p, v_W, w_W, np.zeros(layout.work_shape(forest.n)))
    parents = forest.ints[:, layout.PARENT]
    of_parents = np.where(parents[:, None] >= 0, w_W[parents], 0.0)
    return float(np.linalg.norm(w_W - of_parents, axis=1).max(initial=0.0))


def advanced(forest: Forest, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The coordinates (nq,) after motion with constant speeds ``step`` (nv,) for a unit of time."""
    result = q.copy()
    for body, row in enumerate(forest.ints):
        kind, j, k = row[layout.KIND], row[layout.Q_INDEX], row[layout.V_INDEX]
        turning = ORIENTATION_AT[kind] >= 0
        straight = ORIENTATION_AT[kind] if turning else V_SIZE[kind]
        result[j : j + straight] += step[k : k + straight]
        if turning:
            at, sequence = j + straight, forest.sequence(body)
            size = q_size(kind, row[layout.ORIENTATION]) - straight
            R = matrix_of(sequence, q[at : at + size]) @ rotation_about(step[k + straight : k + straight + 3])
            result[at : at + size] = coordinates_of(sequence, R)
    return result
