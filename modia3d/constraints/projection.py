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
_ROUNDING = 1e-15
"""Steps of coordinates, relative to these or to one, that are none."""
_SMALL = 1e-11
"""A step so small, relative to the same, is not too long: where it brings nothing nearer, that is rounding."""
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
    at: PresentAt,
    constraints: Sequence[Constraint],
    q: np.ndarray,
    v: np.ndarray,
    *,
    tolerance: float = 1e-9,
    free: tuple[np.ndarray, np.ndarray] | None = None,
) -> Projection:
    """Close what constraints demand: Gauss-Newton steps for the positions, each of least change, then the speeds.

    Rows that restrict speeds alone take no part in the first.

    Args:
        at: the forest at other coordinates and speeds.
        constraints: what is to hold.
        q, v: where the search begins, shapes (nq,), (nv,).
        tolerance: largest residual that is none [m, rad]; largest error of ``G v``, relative to one plus what it was.
        free: bool (nv,) twice: speeds whose coordinates may change, speeds that may change themselves; None: all.

    Raises:
        ModelError: the constraints cannot be closed from there; names them, their loops, and by how much; they are met the
            wrong way round; or a joint has no inertia.
    """
    present = at(q, v)
    forest, moved = present.forest, np.zeros(len(v))
    changing, changing_speeds = free or (np.ones(len(v), dtype=bool),) * 2
    if changing.any():
        present, moved = _close_positions(at, constraints, present, changing)
    rows = rows_of(constraints, present)
    positions = rows.of_positions()
    worst = float(np.abs(positions.residual).max(initial=0.0))
    if not worst <= tolerance:
        raise _open(forest, constraints, positions, positions.residual, tolerance, changing)
    for constraint in constraints:
        constraint.check_branch(present)
    rows = rows.of_rates()
    here = _eliminate(present, rows, changing_speeds)
    v_new = v - here.change(rows.G @ v - rows.rate)
    left, allowed = rows.G @ v_new - rows.rate, tolerance * (1.0 + float(np.abs(rows.G @ v).max(initial=0.0)))
    if not np.abs(left).max(initial=0.0) <= allowed:
        raise _open(forest, constraints, rows, left, allowed, changing_speeds, " of the speeds", "/s")
    return Projection(present.q, v_new, here.elimination, by_joint(forest, moved), worst)


def _close_positions(
    at: PresentAt, constraints: Sequence[Constraint], present: Present, changing: np.ndarray
) -> tuple[Present, np.ndarray]:
    """Return the nearest approach of positions, and the sum of the steps (nv,) that lead there."""
    forest, moved, v = present.forest, np.zeros(len(changing)), present.v
    here = _of_positions(present, constraints, changing)

    def error(here: _Eliminated) -> float:
        return float(np.linalg.norm(here.rows.residual / here.size))

    for _ in range(MOST_STEPS):
        step = here.change(-here.rows.residual)
        size = np.abs(step).max(initial=0.0) / (1.0 + np.abs(present.q).max(initial=0.0))
        if not size > _ROUNDING:
            break
        step = step * (MOST_TURN / max(_largest_turn(present, step), MOST_TURN))
        for _ in range(_HALVINGS if size > _SMALL else 1):
            tried = at(advanced(forest, present.q, step), v)
            there = _of_positions(tried, constraints, changing)
            if error(there) < error(here):
                break
            step = 0.5 * step
        else:
            break
        present, here, moved = tried, there, moved + step
    return present, moved


@dataclass(frozen=True, eq=False)
class _Eliminated:
    """Rows at one moment, and their elimination from the speeds that may change."""

    rows: Rows
    elimination: Elimination
    free: np.ndarray
    size: np.ndarray

    def change(self, values: np.ndarray) -> np.ndarray:
        """Return the least change of the speeds (nv,) that changes ``G v`` by ``values`` (m,)."""
        change = np.zeros(len(self.free))
        change[self.free] = self.elimination.change(values)
        return change


def _of_positions(present: Present, constraints: Sequence[Constraint], free: np.ndarray) -> _Eliminated:
    return _eliminate(present, rows_of(constraints, present).of_positions(), free)


def _eliminate(present: Present, rows: Rows, free: np.ndarray) -> _Eliminated:
    from ..dynamics.mass_matrix import mass_matrix

    forest = present.forest
    M = np.zeros((forest.nv, forest.nv))
    mass_matrix(forest.ints, forest.floats, present.q, M, np.zeros(layout.work_shape(forest.n)))
    if free.all():
        whole = Elimination(rows, M, forest.joint_of_speed)
        return _Eliminated(rows, whole, free, whole.size)
    (places,) = np.nonzero(free)
    elimination = Elimination(
        rows.of_speeds(places), M[np.ix_(places, places)], lambda k: forest.joint_of_speed(int(places[k]))
    )
    return _Eliminated(rows, elimination, free, elimination.size)


def _open(
    forest: Forest, constraints: Sequence[Constraint], rows: Rows, left: np.ndarray, tolerance: float, free: np.ndarray,
    what: str = "", per: str = "",
) -> ModelError:  # fmt: skip
    """Return the error where ``left`` (m,) remains of the rows."""
    worst: dict[str, str] = {}
    for k in np.argsort(-np.abs(left)).tolist():
        row = rows[k]
        if abs(left[k]) > tolerance:
            worst.setdefault(row.owner, f"{row} {left[k]:.6g} {row.unit}{per}")
    loop = dict.fromkeys(name for made in constraints if made.owner in worst for name in made.joints(forest))
    fixed = [name for name in loop if not free[forest.indices[name][2]]]
    return ModelError(
        "a loop cannot be closed",
        path=next(iter(worst), ""),
        found=f"what is left{what} after the nearest approach: {', '.join(worst.values())}"
        + (f"; in the loop: {', '.join(loop)}" if loop else "")
        + (f"; fixed: {', '.join(fixed)}" if fixed else ""),
        expected=f"at most {tolerance:.3g}",
        remedy=f"Begin nearer to a closed position, {'fix less, ' if fixed else ''}or change the lengths.",
    )


def by_joint(forest: Forest, moved: np.ndarray) -> dict[str, tuple[float, ...]]:
    """Return the parts of a vector of speeds (nv,) by the joint that they belong to."""
    parts = {}
    for name, row in zip(forest.body_names, forest.ints, strict=True):
        k = row[layout.V_INDEX]
        parts[name] = tuple(moved[k : k + V_SIZE[row[layout.KIND]]].tolist())
    return parts


def _largest_turn(present: Present, step: np.ndarray) -> float:
    """Return by how much a step (nv,) turns a body relative to its parent, at most [rad]."""
    from ..dynamics.kinematics import body_velocities

    forest, (R, p) = present.forest, (poses[0] for poses in present.poses)
    v_W, w_W = np.zeros((2, forest.n, 3))
    body_velocities(forest.ints, forest.floats, present.q, step, R, p, v_W, w_W, np.zeros(layout.work_shape(forest.n)))
    parents = forest.ints[:, layout.PARENT]
    of_parents = np.where(parents[:, None] >= 0, w_W[parents], 0.0)
    return float(np.linalg.norm(w_W - of_parents, axis=1).max(initial=0.0))


def advanced(forest: Forest, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return the coordinates (nq,) after motion with constant speeds ``step`` (nv,) for a unit of time."""
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
