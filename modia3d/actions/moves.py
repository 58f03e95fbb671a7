"""Reference paths of a program at work: the present trajectory of each path, and the task that moves it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from modiapy.model.errors import ModelError, nearest

from .paths import ReferenceTrajectory, interrupt, pack, plan_ptp, rest
from .paths_values import AddPath, MoveLinear, PtpJointSpace
from .pose import Pose


@dataclass
class MovedPath:
    """Reference path: its declaration, and its present or last motion."""

    declared: AddPath
    trajectory: ReferenceTrajectory


@dataclass
class Move:
    """Motion of a path by a task: its end [s], and whether it was stopped on its way."""

    path: MovedPath
    end: float
    stopped: bool = False


class Moves:
    """All paths of a program.

    Args:
        declared: the paths in their order.
        scope: path of the model where the program stands, in which names of frames and joints are looked up first.
        time: since when they rest [s].

    Attributes:
        all: the paths. under_way: what tasks do, by their numbers. packed: the paths for the kernel.

    Raises:
        ModelError: a name occurs twice.
    """

    def __init__(self, declared: Iterable[AddPath], scope: str = "", time: float = 0.0) -> None:
        self.scope = scope
        self.all: list[MovedPath] = []
        for path in declared:
            taken = {name for other in self.all for name in other.declared.names}
            for name in path.names:
                if name in taken:
                    raise ModelError(
                        f"the reference '{name}' exists already", expected="each name in one addReferencePath only"
                    )
            self.all.append(MovedPath(path, rest(path.position, time)))
        self.under_way: dict[int, Move] = {}
        self._pack()

    def _pack(self) -> None:
        self.packed = pack([[path.trajectory] for path in self.all])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all reference signals."""
        return tuple(name for path in self.all for name in path.declared.names)

    def find(self, names: Sequence[str] | None) -> MovedPath:
        """Return the path of these names; None selects the only path.

        Raises:
            ModelError: there is none, or it is not clear which one.
        """
        if not self.all:
            raise ModelError("there is no reference path yet", remedy="Call addReferencePath before ptpJointSpace.")
        if names is None:
            if len(self.all) > 1:
                found = f"{len(self.all)} reference paths"
                raise ModelError(
                    "the path to be moved is not named, and there are several",
                    found=found,
                    remedy="Give the names of the path as names=.",
                )
            return self.all[0]
        for path in self.all:
            if path.declared.names == names:
                return path
        known = [", ".join(path.declared.names) for path in self.all]
        raise ModelError(
            "there is no reference path of these names",
            found=", ".join(names),
            expected="; ".join(known),
            remedy=nearest(", ".join(names), known),
        )

    def check_declared(self, step: AddPath) -> None:
        """Refuse a path that was unknown when the model was loaded. Raises ModelError."""
        if all(path.declared != step for path in self.all):
            raise ModelError(
                "this path was not declared before the simulation began",
                found=", ".join(step.names),
                remedy="Yield addReferencePath before all other steps of the first program.",
            )

    def check_rows(self, path: MovedPath, step: PtpJointSpace) -> None:
        """Refuse positions of the wrong length. Raises ModelError."""
        names = path.declared.names
        for row in step.positions:
            if not isinstance(row, Pose) and len(row) != len(names):
                raise ModelError(
                    "a position has the wrong length", found=f"{len(row)} values", expected=f"{len(names)}: {', '.join(names)}"
                )

    def route(self, path: MovedPath, step: PtpJointSpace | MoveLinear, present: Any) -> dict[str, Any]:
        """Return the way in joint space from the rest position of the path, plain data: a straight line, or rows of poses.

        Raises:
            ModelError: there is none.
        """
        joints, last = path.declared.joints or path.declared.names, path.trajectory.end
        if isinstance(step, MoveLinear):
            from .paths_linear import find_route

            return find_route(step, joints, last, present, self.scope).data()
        from .ik import find_positions

        rows: list[list[float]] = []
        for row in step.positions:
            last = find_positions(row, joints, last, present, self.scope) if isinstance(row, Pose) else row
            rows.append(list(last))
        return {"positions": rows}

    def begin(
        self, path: MovedPath, step: PtpJointSpace | MoveLinear, route: Any, time: float, owner: int, number: int
    ) -> float:
        """Begin a motion at ``time`` [s]; return its end [s].

        Args:
            route: of a straight line or poses, see `route`.
            owner: number of the task. number: that of the step.

        Raises:
            ModelError: another motion is under way; positions of the wrong length.
        """
        if path.trajectory.end_time > time:
            raise ModelError(
                "another motion of this path is under way",
                found=f"it ends at {path.trajectory.end_time:.9g} s",
                remedy="Wait for the program that moves it (parallel, a flag), or stop it (stop_path).",
            )
        limits, start = path.declared.limits, path.trajectory.end
        if isinstance(step, MoveLinear):
            from .paths_linear import Route, plan_linear

            trajectory = plan_linear(time, start, Route.of(route), limits, step.v_max, step.a_max, number)
        else:
            self.check_rows(path, step)
            rows: Any = step.positions if route is None else [tuple(row) for row in route["positions"]]
            trajectory = plan_ptp(time, start, rows, limits, step.blend, number)
        if trajectory.segments:
            path.trajectory = trajectory
            self._pack()
        self.under_way[owner] = Move(path, trajectory.end_time)
        return trajectory.end_time

    def stop(self, time: float, paths: Sequence[MovedPath]) -> float:
        """Stop paths from ``time`` [s] on, within their limits; return the time at which all of them are at rest [s]."""
        for path in paths:
            if path.trajectory.end_time > time:
                path.trajectory = interrupt(path.trajectory, time)
                for move in self.under_way.values():
                    if move.path is path:
                        move.end, move.stopped = max(path.trajectory.end_time, time), True
        self._pack()
        return max((path.trajectory.end_time for path in paths), default=time)

    def leave(self, owner: int, time: float) -> None:
        """Stop the path of a task that is given up, within its limits."""
        move = self.under_way.pop(owner, None)
        if move is not None:
            self.stop(time, [move.path])

    def next_breakpoint(self, time: float) -> float:
        """Return the first time after ``time`` [s] at which a reference acceleration or jerk jumps."""
        found = math.inf
        for path in self.all:
            times = path.trajectory.breakpoints
            k = bisect_right(times, time)
            found = min(found, times[k] if k < len(times) else math.inf)
        return found

    def moving(self, time: float) -> list[MovedPath]:
        """Return the paths that move at ``time`` [s]: they began before, and end after it."""
        return [path for path in self.all if path.trajectory.start_time < time < path.trajectory.end_time]
