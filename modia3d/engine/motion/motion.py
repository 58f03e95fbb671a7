"""Motion of a segment's bodies and frames: result signals, computed from coordinates and speeds when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from modiapy.acausal.memory import data_address

from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.loops import Loops
from ...dynamics.basics.layout import LOCKED, PASSIVE, PRESCRIBED, ROLE, V_INDEX, work_shape
from ...forces.basics.layout import point_work_shape
from ...forces.table import ForceTable
from ...topology.forest import Forest
from ..memory.over_time import OVER_TIME
from ..memory.signal_layout import ROW_COLUMNS
from .multipliers import ROWS, Multipliers

POWER_SIGNS = np.array([1.0, 1.0, -1.0])
"""How the columns of `Motion.powers` make up the power of the whole system."""


@cache
def motion_kernels() -> Any:
    """Return the kernels that every motion needs, imported with the first one; others are imported where they are used."""
    from ..kernels import motion as motion_kernels

    return motion_kernels


@dataclass
class Motion:
    """Coordinates of a forest over time, and what follows from them.

    Attributes:
        forest: of the segment.
        find_forces: gives the table of forces.
        time: (nt,) [s]. q, v: coordinates (nt, nq) and speeds (nt, nv).
        read_a_e: gives the accelerations of the joints of the equations (nt, n_e).
        signals: table of the force signals (n_f, ROW_COLUMNS), see `signal_layout`. read_f: gives their values (nt, n_f).
        read_tau: gives what the flanges of the joints of the equations exert (nt, n_e).
        read_points: gives the states of the damped massless points (nt, 3 m_d) [m].
        in_pieces: makes of a table of forces, and its forest of divided bodies, one that holds over the whole time.
        find_held: gives the rows of contacts at rest; None where there are none.
    """

    forest: Forest
    find_forces: Callable[[], ForceTable]
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    read_a_e: Callable[[], np.ndarray]
    signals: np.ndarray = field(default_factory=lambda: np.zeros((0, ROW_COLUMNS)))
    read_f: Callable[[], np.ndarray] = lambda: np.zeros((0, 0))
    read_tau: Callable[[], np.ndarray] = lambda: np.zeros((0, 0))
    read_points: Callable[[], np.ndarray] = lambda: np.zeros((0, 0))
    find_held: Callable[[], Sequence[RestingContact]] | None = None
    in_pieces: Callable[[ForceTable, Forest], ForceTable] = lambda forces, _: forces

    def record(self, **arrays: np.ndarray) -> np.ndarray:
        """Return the record `OVER_TIME` with the forest, coordinates and speeds, and ``arrays`` by name, which have to be
        kept.
        """
        forest = self.forest
        tables = {"ints": forest.ints, "floats": forest.floats, "gravity": forest.gravity} | arrays
        sizes = {"n_t": len(self.q), "n": forest.n, "n_q": forest.nq, "n_v": forest.nv, "n_f": len(self.signals)}
        return np.array(OVER_TIME.head(**sizes, time=self.time, q=self.q, v=self.v, **tables))

    @cached_property
    def forces(self) -> ForceTable:
        """The table of forces."""
        return self.find_forces()

    @cached_property
    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """``R_WB`` of all bodies, shape (nt, n, 9), and ``p_WB_W``, shape (nt, n, 3) [m]."""
        nt, n = len(self.q), self.forest.n
        R, p = np.empty((nt, n, 9)), np.empty((nt, n, 3))
        motion_kernels().poses(self.forest.ints, self.forest.floats, self.q, R, p)
        return R, p

    @cached_property
    def velocities(self) -> tuple[np.ndarray, np.ndarray]:
        """``v_WB_W`` and ``w_WB_W`` of all bodies, shapes (nt, n, 3) [m/s, rad/s]."""
        R, p = self.poses
        v_W, w_W, work = np.empty(p.shape), np.empty(p.shape), np.empty(work_shape(self.forest.n))
        motion_kernels().velocities(self.forest.ints, self.forest.floats, self.q, self.v, R, p, v_W, w_W, work)
        return v_W, w_W

    @cached_property
    def loaded(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """`poses` and `velocities` of all bodies, and behind them those of the massless points, which do not turn."""
        m = len(self.forces.points)
        if not m:
            return *self.poses, *self.velocities
        from ..kernels.points import point_motion

        nt, n = len(self.q), self.forest.n
        behind = np.tile(np.eye(3).ravel(), (nt, m, 1)), np.zeros((nt, m, 3)), np.zeros((nt, m, 3)), np.zeros((nt, m, 3))
        bodies = *self.poses, *self.velocities
        R, p, v_W, w_W = (np.concatenate(pair, axis=1) for pair in zip(bodies, behind, strict=True))
        p[0, n:] = [self.forces.starts[name] for name in self.forces.points]
        damped = self.forces.damped_rows, self.read_points() if len(self.forces.damped) else np.zeros((nt, 0))
        scratch = np.empty((n + m, 6)), np.empty(point_work_shape(m))
        words = np.array(OVER_TIME.head(n_t=nt, n=n + m, time=self.time, R=R, p=p, v_W=v_W, w_W=w_W))
        point_motion(data_address(words), self.forces.rows, n, *damped, *scratch)
        return R, p, v_W, w_W

    def first_balance(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the massless points at the first time, those with dampers moved to where forces balance across the dampers.

        Returns:
            Positions (m, 3) [m], the stiffness of all coordinates (3 m, 3 m) [N/m], and whether dampers act on each (3 m,).
        """
        from ...forces.kernels.damped import THREAD
        from ...forces.kernels.massless import begin

        R, p, v_W, w_W = (values[0].copy() for values in self.loaded)
        n, m = self.forest.n, len(self.forces.points)
        work = np.empty(point_work_shape(m))
        begin(self.forces.rows, n, self.time[0], R, p, v_W, w_W, np.empty((n + m, 6)), work)
        return p[n:], work[: 3 * m], work[12 * m + THREAD] >= 0.0

    @cached_property
    def energies(self) -> np.ndarray:
        """Kinetic and potential energy, shape (nt, 2) [J].

        The latter is zero for masses at the world's origin (of a point mass's gravity: at infinity) and springs at rest.
        """
        from ..kernels.momentum import energies

        out = np.empty((len(self.q), 2))
        energies(self.forest.floats, self.forest.gravity, *self.poses, *self.velocities, out)
        if len(self.forces):
            from ..kernels.force_motion import add_force_energies

            self.forces.prepare("energy")
            add_force_energies(self.forces.rows, self.time, *self.loaded, out)
        return out

    @cached_property
    def wrenches(self) -> np.ndarray:
        """Torque about its origin and force of the forces on each body, in B, shape (nt, n, 6); (nt, 0, 6) without forces."""
        nt, n = len(self.q), self.forest.n
        if not len(self.forces) and not len(self.signals):
            return np.zeros((nt, 0, 6))
        out = np.zeros((nt, n, 6))
        if len(self.forces):
            from ..kernels.force_motion import wrenches

            loaded = np.empty((nt, n + len(self.forces.points), 6))
            wrenches(self.forces.rows, self.time, *self.loaded, loaded)
            out[:] = loaded[:, :n]
        if len(self.signals):
            from ..kernels.signal_motion import add_signal_wrenches

            add_signal_wrenches(self.signals, self.read_f(), *self.poses, out)
        return out

    @cached_property
    def powers(self) -> np.ndarray:
        """Power of the joints' flanges, of forces from outside and from the equations, dissipated power, shape (nt, 3) [W]."""
        out = np.zeros((len(self.q), 3))
        present = self.forest.ints[self.forest.ints[:, ROLE] == PRESCRIBED, V_INDEX]
        out[:, 0] = (self.read_tau()[:, present] * self.v[:, present]).sum(axis=1)
        if len(self.forces):
            from ..kernels.power_motion import force_powers

            inside = np.empty((len(self.q), 2))
            self.forces.prepare("loss", "outer_power")
            force_powers(self.forces.rows, self.time, *self.loaded, inside)
            out[:, 1:] = inside
        if len(self.signals):
            from ..kernels.signal_motion import add_signal_wrenches

            wrenches = np.zeros((*self.poses[1].shape[:2], 6))
            add_signal_wrenches(self.signals, self.read_f(), *self.poses, wrenches)
            speeds = np.concatenate(self.velocities[::-1], axis=2)
            R = self.poses[0].reshape(*wrenches.shape[:2], 3, 3)
            for part in (slice(0, 3), slice(3, 6)):
                out[:, 1] += np.einsum("tiab,tib,tia->t", R, wrenches[..., part], speeds[..., part])
        return out

    @cached_property
    def momenta(self) -> np.ndarray:
        """Linear momentum and angular momentum about the world's origin, in world, shape (nt, 6) [kg m/s, kg m2/s]."""
        from ..kernels.momentum import momenta

        out = np.empty((len(self.q), 6))
        momenta(self.forest.floats, *self.poses, *self.velocities, out)
        return out

    # -- accelerations ----------------------------------------------------------------------------------------------------

    @cached_property
    def loops(self) -> Loops | None:
        """Loops of the forest, and contacts at rest, as rows that hold; None where there is neither.

        All joints take part alike, also those of the equations: what their flanges exert is known here.
        """
        forest = self.forest
        if not forest.cuts and self.find_held is None:
            return None
        ints = forest.ints.copy()
        for row, name in zip(ints, forest.body_names, strict=True):
            if row[ROLE] == PRESCRIBED:
                row[ROLE] = LOCKED if forest.structure.side_of(name) is not None else PASSIVE
        return Loops(replace(forest, ints=ints, n_equation=0), self.find_held() if self.find_held else (), 0, ())

    @property
    def cuts(self) -> Sequence[CutJoint | RestingContact]:
        """Cuts that close the loops, in the order of `Multipliers.wrenches`; none where there are no `loops`."""
        return () if self.loops is None else self.loops.cuts

    @cached_property
    def _accelerated(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Accelerations of all joints without the multipliers of loops, and with them, shape (nt, nv); what contacts at rest
        exert, see `exerted`, for each of `cuts`.
        """
        from ..kernels.accelerations import accelerations

        loops, n_e = self.loops, self.forest.n_equation
        a, tau, exerted = np.zeros_like(self.v), np.zeros_like(self.v), np.zeros((len(self.q), len(self.cuts), 12))
        if loops is None:
            free, words, a_e = a, self.record(a=a), self.read_a_e()
        else:
            free, words, a_e = np.zeros_like(a), self.record(a=a, ints=loops.forest.ints), np.zeros((len(a), 0))
            tau[:, :n_e] = np.nan_to_num(self.read_tau()) if n_e else 0.0
            loops.views["q"][:] = self.q[0]
        address = 0 if loops is None else loops.address
        accelerations(data_address(words), address, a_e, tau, np.ascontiguousarray(self.wrenches), free, exerted)
        return free, a, exerted

    @property
    def accelerations(self) -> np.ndarray:
        """Accelerations of all joints, shape (nt, nv), that follow from those of the joints of the equations."""
        return self._accelerated[1]

    @property
    def exerted(self) -> tuple[list[RestingContact], np.ndarray]:
        """The rows of contacts at rest, and what each exerts on the body of its second frame, in world: force, torque, where
        the force acts, and where the solids touch, shape (nt, n, 12) [N, N.m, m, m].
        """
        found = {k: cut for k, cut in enumerate(self.cuts) if isinstance(cut, RestingContact)}
        return list(found.values()), self._accelerated[2][:, [*found]]

    @cached_property
    def multipliers(self) -> Multipliers:
        """Multipliers of the `loops`: forces and torques of all cuts over time; only where there are some."""
        assert self.loops is not None
        free, a, exerted = self._accelerated
        return Multipliers(self.loops, self.q, self.poses, a - free, exerted)

    @cached_property
    def residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """The largest residuals of positions and of speeds of loops, shapes (nt,) [m or 1, m/s or 1/s]; 0 without any."""
        found = np.zeros((2, len(self.q)))
        if self.loops is not None:
            from ...constraints.kernels.cut_joint import evaluate_rows

            view, (R, p), (v_W, w_W), still = self.loops.views, self.poses, self.velocities, np.zeros((self.forest.n, 3))
            results = [view[name] for name in ROWS]
            for k in range(len(self.q)):
                evaluate_rows(self.loops.table, R[k], p[k], v_W[k], w_W[k], still, still, *results)
                found[:, k] = np.abs(view["residual"]).max(), np.abs(view["speed"]).max()
        return found[0], found[1]

    @cached_property
    def body_accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `velocities`, shapes (nt, n, 3) [m/s2, rad/s2]."""
        from ..kernels.accelerations import accelerations_in_world

        R, p = self.poses
        a_W, alpha_W, work = np.empty_like(p), np.empty_like(p), np.zeros(work_shape(self.forest.n))
        words = self.record(a=self.accelerations, R=R, p=p, w_W=self.velocities[1], a_W=a_W, alpha_W=alpha_W)
        accelerations_in_world(data_address(words), work)
        return a_W, alpha_W

    @cached_property
    def momenta_rates(self) -> np.ndarray:
        """Time derivatives of the momenta, computed from the accelerations, shape (nt, 6) [N, N m]."""
        from ..kernels.momentum import momenta_rates

        out = np.empty((len(self.q), 6))
        momenta_rates(self.forest.floats, *self.poses, self.velocities[1], *self.body_accelerations, out)
        return out

    def frame_pose(self, body: int, R_BF: np.ndarray, p_BF_B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ``R_WF`` (nt, 3, 3) and ``p_WF_W`` (nt, 3) [m] of a frame F fixed to a body (-1: the world)."""
        nt = len(self.q)
        if body < 0:
            return np.tile(R_BF, (nt, 1, 1)), np.tile(p_BF_B, (nt, 1))
        R, p = self.poses
        R_WB = R[:, body].reshape(nt, 3, 3)
        return R_WB @ R_BF, p[:, body] + R_WB @ p_BF_B

    def frame_velocity(self, body: int, p_BF_B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ``v_WF_W`` and ``w_WF_W`` (nt, 3) [m/s, rad/s] of a frame F fixed to a body (-1: the world)."""
        nt = len(self.q)
        if body < 0:
            return np.zeros((nt, 3)), np.zeros((nt, 3))
        R, _ = self.poses
        v_W, w_W = self.velocities
        arm = R[:, body].reshape(nt, 3, 3) @ p_BF_B
        return v_W[:, body] + np.cross(w_W[:, body], arm), w_W[:, body].copy()

    def frame_acceleration(self, body: int, p_BF_B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the derivatives of `frame_velocity` (nt, 3) [m/s2, rad/s2]."""
        nt = len(self.q)
        if body < 0:
            return np.zeros((nt, 3)), np.zeros((nt, 3))
        a_W, alpha_W = self.body_accelerations
        w, arm = self.velocities[1][:, body], self.poses[0][:, body].reshape(nt, 3, 3) @ p_BF_B
        a = a_W[:, body] + np.cross(alpha_W[:, body], arm) + np.cross(w, np.cross(w, arm))
        return a, alpha_W[:, body].copy()
