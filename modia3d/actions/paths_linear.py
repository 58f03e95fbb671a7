"""Straight lines of a frame: its origin moves on a line while it turns about one fixed axis, by the joints of a path.

Inverse kinematics gives the joint positions at knots along the line; everything else stays where it is when the motion begins.
A cubic spline through them is the curve. Knots are added until the frame keeps to the line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modiapy.library.motion_profiles import MotionLimits, move
from modiapy.model.errors import ModelError

from ..engine.inverse_kinematics import Reach, movable_joints, rotation_about, rotation_matrix, rotation_vector
from ..engine.motion.configuration import Configuration
from .ik import reference
from .paths import ReferenceTrajectory, leg_of, rest
from .paths_curve import Curve
from .paths_values import MoveLinear, PathLimits
from .pose import FREE_ROTATION

FIRST_KNOTS, MAX_KNOTS = 8, 1024
"""Number of pieces of the spline: at first, and at most; it is doubled in between."""
SINGULAR = 1e-3
"""A configuration is singular where the smallest singular value of the Jacobian is this fraction of the largest, or less."""
ANGLE_PER_LENGTH = 100.0
"""Tolerance of the orientation [rad] for one of the position [m]."""
NO_WAY = 1e-12
"""Ways below this [m or rad] are none."""


@dataclass(frozen=True)
class Route:
    """Straight line in joint space, as numbers from which the path can be planned again.

    Attributes: length: of the line [m]; if the origin stays, angle of the rotation [rad]. positions: of the joints at knots
    with equal distances on the line, rows of shape (n,). slopes: their derivatives by the length at both ends.
    """

    length: float
    positions: tuple[tuple[float, ...], ...]
    slopes: tuple[tuple[float, ...], tuple[float, ...]]

    def data(self) -> dict[str, Any]:
        """Return the route for `json.dumps`, exact."""
        return {"length": self.length, "positions": [*map(list, self.positions)], "slopes": [*map(list, self.slopes)]}

    @staticmethod
    def of(data: Mapping[str, Any]) -> Route:
        """Make the route from what `data` returned."""
        first, last = (tuple(row) for row in data["slopes"])
        return Route(data["length"], tuple(tuple(row) for row in data["positions"]), (first, last))

    def curve(self) -> Curve:
        """Return the spline: twice continuously differentiable."""
        from scipy.interpolate import CubicSpline

        knots = np.linspace(0.0, self.length, len(self.positions))
        spline = CubicSpline(knots, np.array(self.positions), bc_type=((1, self.slopes[0]), (1, self.slopes[1])))
        return Curve(knots, np.ascontiguousarray(spline.c[::-1].transpose(1, 0, 2)))


@dataclass(frozen=True, eq=False)
class _Line:
    """Poses of the frame: from ``R, p`` by the rotation vector ``turn`` (in world, [rad]) and the way ``way`` [m]."""

    R: np.ndarray
    p: np.ndarray
    turn: np.ndarray
    way: np.ndarray

    @property
    def length(self) -> float:
        way = float(np.linalg.norm(self.way))
        return way if way > NO_WAY else float(np.linalg.norm(self.turn))

    def at(self, fraction: float) -> tuple[np.ndarray, np.ndarray]:
        return rotation_about(fraction * self.turn) @ self.R, self.p + fraction * self.way


def find_route(
    action: MoveLinear, joints: Sequence[str], start: Sequence[float], present: Configuration, scope: str = ""
) -> Route:
    """Return the joint positions along the line of ``action``.

    Args:
        action: what is wanted.
        joints: names of the joints that follow the path.
        start: where the path rests (rad or m): the line begins where the frame is with the joints there.
        present: all others stay where they are in this configuration.
        scope: path of the model in which names are looked up first.

    Raises:
        ModelError: the line is out of reach, leads through a singular configuration or beyond limits of joints.
    """
    graph = present.forest.graph
    edges = movable_joints(graph, joints, scope)
    frame = graph.frame_index(action.frame, scope, user="moveLinear")
    reach = Reach(present, frame, edges, turns=action.rotation != FREE_ROTATION)
    q = np.array(start, dtype=float)
    line = _line(action, reach.pose(q), present, scope)
    if line.length <= NO_WAY:
        return Route(0.0, (tuple(q.tolist()),), ((), ()))
    pieces = FIRST_KNOTS
    while True:
        route = _through_knots(action, reach, line, q, pieces)
        worst, fraction = _deviation(reach, line, route)
        if worst <= action.tolerance:
            _check_limits(action, reach, route)
            return route
        if pieces >= MAX_KNOTS:
            raise _refused(action, "the joints cannot follow", line, fraction, found=f"{worst:.3g} m beside the line")
        pieces *= 2


def plan_linear(
    start_time: float,
    start: Sequence[float],
    route: Route,
    limits: PathLimits,
    v_max: float | None = None,
    a_max: float | None = None,
    number: int = 0,
) -> ReferenceTrajectory:
    """Return the motion from rest to rest along a route.

    Args:
        start_time: when it begins [s].
        start: where the joints rest, the first of the route's positions.
        route: see `find_route`.
        limits: of the joints.
        v_max, a_max: of the frame; None: only the joints limit them.
        number: place of the action in the program.
    """
    if route.length == 0.0:
        return replace(rest(start, start_time), number=number)
    curve = route.curve()
    wanted = MotionLimits(math.inf if v_max is None else v_max, math.inf if a_max is None else a_max)
    slowed = curve.limits(limits, wanted)
    return leg_of(start_time, start, route.positions[-1], [(curve, slowed, move(curve.length, slowed))], number)


def _line(action: MoveLinear, pose: tuple[np.ndarray, np.ndarray], present: Configuration, scope: str) -> _Line:
    R_WF, p_WF = pose
    R_WA, p_WA = reference(action.frame, action.relative_to, pose, present, scope)
    way, turn = np.zeros(3), np.zeros(3)
    if action.translation is not None:
        way = p_WA + R_WA @ np.array(action.translation) - p_WF
    if action.rotation is not None and action.rotation != FREE_ROTATION:
        turn = rotation_vector(R_WA @ rotation_matrix(action.rotation) @ R_WF.T)  # type: ignore[arg-type]
    return _Line(R_WF, p_WF, turn, way)


def _through_knots(action: MoveLinear, reach: Reach, line: _Line, q: np.ndarray, pieces: int) -> Route:
    rows = [q]
    for k in range(pieces + 1):
        fraction = k / pieces
        if k:
            found = reach.solve(rows[-1], *line.at(fraction))
            if found is None:
                near = reach.manipulability(rows[-1]) <= 10.0 * SINGULAR
                what = "the line leads to a singular configuration" if near else "the line is out of reach"
                raise _refused(action, what, line, fraction)
            rows.append(found)
        if reach.manipulability(rows[-1]) <= SINGULAR:
            raise _refused(action, "the line leads through a singular configuration", line, fraction)
    twist = np.concatenate([line.way, line.turn])[: 6 if reach.turns else 3] / line.length
    first, last = (tuple(reach.slope(row, twist).tolist()) for row in (rows[0], rows[-1]))
    return Route(line.length, tuple(tuple(row.tolist()) for row in rows), (first, last))


def _deviation(reach: Reach, line: _Line, route: Route) -> tuple[float, float]:
    """Return the largest distance of the frame from its intended position [m] between knots, and its fraction of the line."""
    curve, pieces = route.curve(), len(route.positions) - 1
    worst = (0.0, 0.0)
    for fraction in (np.arange(4 * pieces) + 0.5) / (4 * pieces):
        error = reach.error(curve.at(fraction * route.length), *line.at(fraction))
        size = max(float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:])) / ANGLE_PER_LENGTH)
        worst = max(worst, (size, float(fraction)))
    return worst


def _check_limits(action: MoveLinear, reach: Reach, route: Route) -> None:
    rows = np.array(route.positions)
    for edge, column, lower, upper in zip(reach.edges, rows.T, reach.lower, reach.upper, strict=True):
        if column.min() < lower or column.max() > upper:
            raise ModelError(
                f"{action}: a joint would exceed its limits",
                path=edge.name,
                found=f"{column.min():.6g} to {column.max():.6g}",
                expected=f"{lower:.6g} to {upper:.6g}",
                remedy="Begin the line in another configuration, or go to its end by ptpJointSpace.",
            )


def _refused(action: MoveLinear, what: str, line: _Line, fraction: float, found: str = "") -> ModelError:
    place = ", ".join(f"{x:.6g}" for x in line.at(fraction)[1])
    where = f"at {100.0 * fraction:.3g} % of the way, at ({place}) m in the world"
    return ModelError(
        f"{action}: {what}",
        found=f"{found}, {where}" if found else where,
        expected="a line on which the joints can carry the frame",
        remedy='Choose another target or way, rotation="free" if the orientation does not matter, or ptpJointSpace.',
    )
