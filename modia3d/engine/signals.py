"""Result signals of a segment: motion of every frame, energies and momenta. Nothing is computed before it is asked for.

Every frame that exists in the segment has ``r_abs`` (nt, 3) [m], ``R_abs`` (nt, 3, 3; columns are the frame's axes in world),
``v_abs`` and ``w_abs`` (nt, 3; in world) [m/s, rad/s]. The system has, under `GROUP`, ``kinetic_energy``,
``potential_energy`` (nt,) [J], ``momentum`` and ``angular_momentum`` (nt, 3; in world, about the world's origin), and
``momentum_rate`` and ``angular_momentum_rate``, computed from the accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from modiapy.acausal.protocol import Trajectory

from ..forces.table import ForceTable
from ..topology.forest import DELETED, Forest
from .motion import Motion

GROUP = "mechanics"
"""Name of the group of the engine's own variables and signals in a `Model3D`."""

Signal = Callable[[Trajectory], np.ndarray]

_FRAME: Mapping[str, Callable[[Motion, int, np.ndarray, np.ndarray], np.ndarray]] = {
    "r_abs": lambda motion, body, R_BF, p_BF: motion.frame_pose(body, R_BF, p_BF)[1],
    "R_abs": lambda motion, body, R_BF, p_BF: motion.frame_pose(body, R_BF, p_BF)[0],
    "v_abs": lambda motion, body, R_BF, p_BF: motion.frame_velocity(body, p_BF)[0],
    "w_abs": lambda motion, body, R_BF, p_BF: motion.frame_velocity(body, p_BF)[1],
}
_SYSTEM: Mapping[str, Callable[[Motion], np.ndarray]] = {
    "kinetic_energy": lambda motion: motion.energies[:, 0].copy(),
    "potential_energy": lambda motion: motion.energies[:, 1].copy(),
    "momentum": lambda motion: motion.momenta[:, :3].copy(),
    "angular_momentum": lambda motion: motion.momenta[:, 3:].copy(),
    "momentum_rate": lambda motion: motion.momenta_rates[:, :3].copy(),
    "angular_momentum_rate": lambda motion: motion.momenta_rates[:, 3:].copy(),
}


def _locked_values(forest: Forest) -> dict[str, float]:
    """Coordinates and speeds of locked joints, which are no states while they are locked."""
    values: dict[str, float] = {}
    for lock in forest.structure.locked:
        coordinates, speeds = forest.graph.state_names[forest.graph.joint_index(lock.name)]
        values |= dict(zip(coordinates, lock.q, strict=True)) | dict.fromkeys(speeds, 0.0)
    return values


class SegmentSignals(Mapping[str, Signal]):
    """Signal name -> function of the trajectory. The motion of the last trajectory is kept: most signals share it.

    Args:
        forest: of the segment.
        coordinates: of each joint with a flange, the names of its coordinate and its speed.
        forces: the table of forces.
    """

    def __init__(self, forest: Forest, coordinates: tuple[tuple[str, str], ...], forces: ForceTable) -> None:
        self._forest = forest
        self._coordinates = coordinates
        self._forces = forces
        self._locked = _locked_values(forest)
        self._time: np.ndarray | None = None
        self._motion: Motion | None = None

    def motion(self, trajectory: Trajectory) -> Motion:
        """The motion of all bodies on a trajectory."""
        if self._motion is None or self._time is not trajectory.time:
            forest, nt = self._forest, len(trajectory.time)
            read = [[trajectory.read(name) for name in names] for names in self._coordinates]
            phi, w = (np.array([row[k] for row in read]).reshape(-1, nt).T for k in (0, 1))
            hidden = forest.nq - forest.n_equation
            q = np.ascontiguousarray(np.hstack([phi, trajectory.x[:, :hidden]]))
            v = np.ascontiguousarray(np.hstack([w, trajectory.x[:, hidden:]]))
            read_a = partial(self._accelerations, trajectory)
            time = np.ascontiguousarray(trajectory.time, dtype=float)
            self._motion = Motion(forest.ints, forest.floats, forest.gravity, self._forces, time, q, v, read_a)
            self._time = trajectory.time
        return self._motion

    def _accelerations(self, trajectory: Trajectory) -> np.ndarray:
        rows = [trajectory.read(f"der({speed})") for _, speed in self._coordinates]
        return np.ascontiguousarray(np.array(rows).reshape(-1, len(trajectory.time)).T)

    def _frame(self, name: str) -> tuple[int, str] | None:
        frame, _, quantity = name.rpartition(".")
        index = self._forest.graph.index.get(frame)
        if index is None or quantity not in _FRAME or self._forest.frame_body[index] == DELETED:
            return None
        return index, quantity

    def __getitem__(self, name: str) -> Signal:
        group, _, quantity = name.rpartition(".")
        if group == GROUP and quantity in _SYSTEM:
            return lambda trajectory: _SYSTEM[quantity](self.motion(trajectory))
        if name in self._locked:
            value = self._locked[name]
            return lambda trajectory: np.full(len(trajectory.time), value)
        found = self._frame(name)
        if found is None:
            raise KeyError(name)
        body, R_BF, p_BF = self._forest.frame_pose(found[0])
        return lambda trajectory: _FRAME[found[1]](self.motion(trajectory), body, R_BF, p_BF)

    def __iter__(self) -> Iterator[str]:
        bodies = self._forest.frame_body
        yield from (
            f"{node.name}.{q}" for i, node in enumerate(self._forest.graph.frames) if bodies[i] != DELETED for q in _FRAME
        )
        yield from (f"{GROUP}.{q}" for q in _SYSTEM)
        yield from self._locked

    def __len__(self) -> int:
        return int(np.count_nonzero(self._forest.frame_body != DELETED)) * len(_FRAME) + len(_SYSTEM) + len(self._locked)
