"""Result signals of a segment: motion of every frame, energies and momenta. Nothing is computed before it is asked for.

Every frame that exists in the segment has ``r_abs`` (nt, 3) [m], ``R_abs`` (nt, 3, 3; columns are the frame's axes in world),
``v_abs`` and ``w_abs`` (nt, 3; in world) [m/s, rad/s], ``a_abs`` and ``z_abs``, their derivatives. A joint, and a frame that
is fixed to its parent, has ``cut_force`` and ``cut_torque`` (nt, 3) [N, N.m]: what the parent, or ``obj1`` of the joint, exerts
on the frame, or ``obj2``, about its origin and in its axes; ``cut_force_unique`` and ``cut_torque_unique`` are 1 for components
that nothing else could do instead, else 0 (redundant loops). The system has, under `GROUP`, ``kinetic_energy``,
``potential_energy`` (nt,) [J], ``momentum`` and ``angular_momentum`` (nt, 3; in world, about the world's origin), and
``momentum_rate`` and ``angular_momentum_rate``, computed from the accelerations; ``power`` (nt,) [W], the derivative of both
energies together: ``drive_power`` of the flanges of joints plus ``force_power`` of forces and torques from outside or from the
equations minus ``dissipated_power`` of dampers, see `modia3d.scene.sensors.energy.PowerSensor`. Those of contacts are in
`contact_signals`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from modiapy.acausal.once import once
from modiapy.acausal.segment import Poses, Trajectory
from modiapy.model.errors import ModelError

from ..forces.basics.law import beside_kinks
from ..forces.points import state_names
from ..forces.table import ForceTable, force_table, laws_of_time
from ..scene.solid import SolidFeature
from ..topology.forest import DELETED, WORLD, Forest
from ..topology.graph import JointEdge, SceneGraph
from . import contact_signals
from .contact_signals import ContactSignals, pair_of_place
from .exchange.cut_results import cut_over_time, unique_components
from .exchange.cuts import Cut, all_cuts
from .exchange.exchange import Exchange
from .motion.configuration import flange_force_name
from .motion.cut_states import cut_joints, states_over_time
from .motion.motion import POWER_SIGNS, Motion

GROUP = "mechanics"
"""Name of the group of the engine's own variables and signals in a `Model3D`."""

CUT_QUANTITIES: Mapping[str, slice] = {
    "cut_force": slice(3, 6),
    "cut_torque": slice(0, 3),
    "cut_force_unique": slice(3, 6),
    "cut_torque_unique": slice(0, 3),
}
"""Signals of a cut, and their places among the components of torque and force."""

Signal = Callable[[Trajectory], np.ndarray]

_FRAME: Mapping[str, Callable[[Motion, int, np.ndarray, np.ndarray], np.ndarray]] = {
    "r_abs": lambda motion, body, R_BF, p_BF: motion.frame_pose(body, R_BF, p_BF)[1],
    "R_abs": lambda motion, body, R_BF, p_BF: motion.frame_pose(body, R_BF, p_BF)[0],
    "v_abs": lambda motion, body, R_BF, p_BF: motion.frame_velocity(body, p_BF)[0],
    "w_abs": lambda motion, body, R_BF, p_BF: motion.frame_velocity(body, p_BF)[1],
    "a_abs": lambda motion, body, R_BF, p_BF: motion.frame_acceleration(body, p_BF)[0],
    "z_abs": lambda motion, body, R_BF, p_BF: motion.frame_acceleration(body, p_BF)[1],
}
_POINT = {"r_abs": 1, "v_abs": 2}
"""Signals of a massless point, and their places in `Motion.loaded`."""
_SYSTEM: Mapping[str, Callable[[Motion], np.ndarray]] = {
    "kinetic_energy": lambda motion: motion.energies[:, 0].copy(),
    "potential_energy": lambda motion: motion.energies[:, 1].copy(),
    "momentum": lambda motion: motion.momenta[:, :3].copy(),
    "angular_momentum": lambda motion: motion.momenta[:, 3:].copy(),
    "power": lambda motion: motion.powers @ POWER_SIGNS,
    "drive_power": lambda motion: motion.powers[:, 0].copy(),
    "force_power": lambda motion: motion.powers[:, 1].copy(),
    "dissipated_power": lambda motion: motion.powers[:, 2].copy(),
    "momentum_rate": lambda motion: motion.momenta_rates[:, :3].copy(),
    "angular_momentum_rate": lambda motion: motion.momenta_rates[:, 3:].copy(),
    "constraint_residual": lambda motion: motion.residuals[0].copy(),
    "constraint_speed": lambda motion: motion.residuals[1].copy(),
}

UNITS: dict[str, str] = {
    "*.r_abs": "m",
    "*.v_abs": "m/s",
    "*.w_abs": "rad/s",
    "*.a_abs": "m/s^2",
    "*.z_abs": "rad/s^2",
    "*.cut_force": "N",
    "*.cut_torque": "N.m",
    "*.contact_force": "N",
    "*].force": "N",
    "*].point": "m",
    "*].distance": "m",
    **dict.fromkeys((f"{GROUP}.kinetic_energy", f"{GROUP}.potential_energy"), "J"),
    **dict.fromkeys((f"{GROUP}.{name}power" for name in ("", "drive_", "force_", "dissipated_")), "W"),
    f"{GROUP}.momentum": "N.s",
    f"{GROUP}.angular_momentum": "N.m.s",
    f"{GROUP}.momentum_rate": "N",
    f"{GROUP}.angular_momentum_rate": "N.m",
}
"""Units of signals, see `StoresSignals.units`."""

_POWERS = ("power", "drive_power", "force_power", "dissipated_power")
_RESIDUALS = ("constraint_residual", "constraint_speed")
_SHAPES: dict[str, tuple[int, ...]] = {"R_abs": (3, 3)}
_SHAPES |= dict.fromkeys(("kinetic_energy", "potential_energy", *_POWERS, *_RESIDUALS), ()) | contact_signals.SHAPES
"""Of quantities that are no vectors."""


def _locked_values(forest: Forest) -> dict[str, float]:
    """Return the coordinates and speeds of locked joints, which are no states while they are locked."""
    values: dict[str, float] = {}
    for lock in forest.structure.welded:
        coordinates, speeds = forest.graph.state_names[forest.graph.joint_index(lock.name)]
        values |= dict(zip(coordinates, lock.q, strict=True)) | dict.fromkeys(speeds, 0.0)
    return values


def signal_names(graph: SceneGraph, points: Iterable[str]) -> Iterator[str]:
    """Generate the names of all signals that may exist in some segment."""
    yield from (f"{node.name}.{quantity}" for node in graph.frames for quantity in _FRAME)
    yield from (f"{GROUP}.{quantity}" for quantity in _SYSTEM)
    yield from (name for names in graph.state_names for row in names for name in row)
    yield from (f"{name}.{quantity}" for name in points for quantity in _POINT)
    yield from (f"{place}.{quantity}" for place in all_cuts(graph) for quantity in CUT_QUANTITIES)
    solids = colliding_solids(graph)
    yield from (f"{name}.{quantity}" for name in solids for quantity in contact_signals.OF_SOLID)
    yield from (f"{GROUP}.{contact_signals.OF_SYSTEM}",) if len(solids) > 1 else ()


def state_units(graph: SceneGraph) -> dict[str, str]:
    """Return the units of the coordinates and speeds of joints that are angles or distances."""
    units: dict[str, str] = {}
    for edge in graph.joints:
        for motion in edge.joint.motions:
            unit = "m" if motion.slides else "rad"
            units |= {f"{edge.name}.{motion.coordinate}": unit, f"{edge.name}.{motion.speed}": f"{unit}/s"}
    return units


def is_signal(graph: SceneGraph, points: Container[str], name: str) -> bool:
    """Return whether ``name``, which may have an index that exists, is one of `signal_names`."""
    whole, _, index = name.removesuffix("]").rpartition("[") if name.endswith("]") else (name, "", "")
    place, _, quantity = whole.rpartition(".")
    solids, pair = colliding_solids(graph), pair_of_place(place, GROUP)
    return (
        _has_index(quantity, index)
        and (
            (place in graph.index and quantity in _FRAME)
            or (place == GROUP and quantity in _SYSTEM)
            or (place in points and quantity in _POINT)
            or (quantity in CUT_QUANTITIES and place in all_cuts(graph))
            or (place in solids and quantity in contact_signals.OF_SOLID)
            or (place == GROUP and quantity == contact_signals.OF_SYSTEM and len(solids) > 1)
            or (pair is not None and quantity in contact_signals.OF_PAIR and are_pair(solids, *pair))
        )
    ) or any(name in row for names in graph.state_names for row in names)


def colliding_solids(graph: SceneGraph) -> list[str]:
    """Return the names of the frames of solids that collide, in the order of their declaration."""
    if not graph.scene.enable_contact_detection:
        return []
    features = ((node.name, node.frame.feature) for node in graph.frames)
    return [name for name, feature in features if isinstance(feature, SolidFeature) and feature.collision]


def are_pair(solids: Sequence[str], one: str, other: str) -> bool:
    """Return whether two solids make a pair."""
    return one in solids and other in solids and one != other


def _has_index(quantity: str, index: str) -> bool:
    """Return whether there is an element of this index, "" for the whole."""
    numbers, shape = index.split(","), _SHAPES.get(quantity, (3,))
    inside = (number.strip().isdigit() and int(number) < size for number, size in zip(numbers, shape, strict=False))
    return not index or (len(numbers) == len(shape) and all(inside))


def prepare_signals(
    names: Iterable[str] | None, *, forces: Callable[..., None] | None, signals: bool, contacts: bool = False
) -> None:
    """Load the kernels behind signals and structural actions now, so that nothing is compiled while a simulation runs.

    Args:
        names: of the signals; None: any.
        forces: compiles kernels of the force elements (`prepare_forces`); None: there are none.
        signals: whether there are force signals.
        contacts: whether solids collide.
    """
    whole = (re.sub(r"\[[\d,\s]+\]$", "", name) for name in names or ())
    touching = {*contact_signals.OF_SOLID, *contact_signals.OF_PAIR}
    every = {*_FRAME, *_SYSTEM, *CUT_QUANTITIES, *touching}
    wanted = {name.rpartition(".")[2] for name in whole} if names is not None else every
    cuts = bool(wanted & set(CUT_QUANTITIES))
    rates = cuts or bool(wanted & {"a_abs", "z_abs", "momentum_rate", "angular_momentum_rate"})
    powers = bool(wanted & set(_POWERS))
    energies = bool(wanted & (set(_SYSTEM) - {*_POWERS, *_RESIDUALS}))
    needed = {
        "modia3d.engine.kernels.motion": True,
        "modia3d.engine.kernels.momentum": energies,
        "modia3d.engine.kernels.accelerations": rates,
        "modia3d.engine.kernels.force_motion": forces and (rates or wanted & set(_SYSTEM)),
        "modia3d.engine.kernels.power_motion": forces and powers,
        "modia3d.engine.kernels.signal_motion": signals and (rates or powers),
        "modia3d.engine.kernels.cut_motion": cuts,
        "modia3d.engine.kernels.contact_motion": contacts and wanted & touching,
    }
    for module in filter(needed.get, needed):
        import_module(module)
    if forces is not None:
        forces(*(("energy",) if energies else ()), *(("loss", "outer_power") if powers else ()))


@dataclass(frozen=True)
class BodyPoses:
    """Poses of these bodies over time, see `Poses.over_time`."""

    signals: SegmentSignals
    bodies: tuple[int, ...]

    def __call__(self, trajectory: Trajectory) -> np.ndarray:
        R, p = self.signals.motion(trajectory).poses
        own = list(self.bodies)
        return np.concatenate([R[:, own], p[:, own]], axis=2).reshape(len(trajectory.time), -1)


class SegmentSignals(Mapping[str, Signal]):
    """Signal name -> function of the trajectory. The motion of the last trajectory is kept: most signals share it.

    Args:
        forest: of the segment.
        coordinates: of each joint with a flange, the names of its coordinate and its speed.
        forces: the table of forces.
        exchange: the force signals.
        contacts: signals of the contacts; None where nothing collides.
    """

    viewer = "modia3d.viewer.animation"

    def __init__(
        self,
        forest: Forest,
        coordinates: tuple[tuple[str, str], ...],
        forces: ForceTable,
        exchange: Exchange,
        contacts: ContactSignals | None = None,
    ) -> None:
        self._forest = forest
        self._coordinates = coordinates
        self._forces = forces
        self._exchange = exchange
        self._contacts = contacts
        self._locked = _locked_values(forest)
        self._cut_functions: dict[Cut, Callable[[Motion], np.ndarray]] = {}
        self._last: tuple[np.ndarray, Motion] | None = None

    @once
    def _cut_states(self) -> dict[str, tuple[JointEdge, int]]:
        """Return the joints that are cut, and places among their coordinates and speeds, by the names of these."""
        graph = self._forest.graph
        return {
            name: (edge, k)
            for edge in cut_joints(self._forest)
            for k, name in enumerate(chain(*graph.state_names[graph.joint_number[edge.name]]))
        }

    @property
    def graph(self) -> SceneGraph:
        """Graph of the scene."""
        return self._forest.graph

    def __getstate__(self) -> dict[str, object]:
        made = {"_forces": (self._forces.keep, self._forces.starts)}  # rows have addresses
        return {**vars(self), **made, "_cut_functions": {}, "_last": None}  # what is computed again

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _forces=force_table(state["_forest"], *state["_forces"]))

    def motion(self, trajectory: Trajectory) -> Motion:
        """Return the motion of all bodies on a trajectory."""
        last = self._last
        if last is None or last[0] is not trajectory.time:
            forest, nt = self._forest, len(trajectory.time)
            if trajectory.x.shape[1] != forest.n_x:  # of a result on disk: kernels trust it
                found, expected = f"{trajectory.x.shape[1]} states", f"{forest.n_x}"
                raise ModelError("stored states do not fit the structure", found=found, expected=expected)
            read = [[trajectory.read(name) for name in names] for names in self._coordinates]
            phi, w = (np.array([row[k] for row in read]).reshape(-1, nt).T for k in (0, 1))
            passive = forest.nq - forest.n_equation
            q = np.ascontiguousarray(np.hstack([phi, trajectory.x[:, :passive]]))
            v = np.ascontiguousarray(np.hstack([w, trajectory.x[:, passive:]]))
            read_a = partial(self._accelerations, trajectory)
            time = beside_kinks(laws_of_time(self._forces.keep), np.ascontiguousarray(trajectory.time, dtype=float))
            forces = self._exchange.force_rows(forest), partial(self._exchange.values, trajectory)
            read_more = partial(self._flange_forces, trajectory), partial(self._point_states, trajectory)
            held = None if self._contacts is None else self._contacts.held(trajectory.history)
            table = partial(self._with_contacts, trajectory, self._forces, forest)
            in_pieces = partial(self._with_contacts, trajectory)
            motion = Motion(forest, table, time, q, v, read_a, *forces, *read_more, held, in_pieces)
            self._last = last = trajectory.time, motion
        return last[1]

    def _with_contacts(self, trajectory: Trajectory, forces: ForceTable, forest: Forest) -> ForceTable:
        return forces if self._contacts is None else self._contacts.loaded(forces, forest, trajectory.history)

    def _accelerations(self, trajectory: Trajectory) -> np.ndarray:
        rows = [trajectory.read(f"der({speed})") for _, speed in self._coordinates]
        return np.ascontiguousarray(np.array(rows).reshape(-1, len(trajectory.time)).T)

    def _flange_forces(self, trajectory: Trajectory) -> np.ndarray:
        rows = [trajectory.read(flange_force_name(edge)) for edge in self._forest.graph.prescribed_joints]
        return np.array(rows).reshape(-1, len(trajectory.time)).T

    def _point_states(self, trajectory: Trajectory) -> np.ndarray:
        rows = [trajectory.read(name) for name in state_names(self._forces.damped)]
        return np.ascontiguousarray(np.array(rows).reshape(-1, len(trajectory.time)).T)

    def poses(self, frames: Iterable[str]) -> Poses:
        """Return the entries of result files for the poses of these frames and of all others on their bodies."""
        forest, placed = self._forest, dict[str, tuple[int, np.ndarray, np.ndarray]]()
        carrying = forest.frame_body[[forest.graph.index[frame] for frame in frames]].tolist()
        numbers = {body: k for k, body in enumerate(body for body in dict.fromkeys(carrying) if body not in (WORLD, DELETED))}
        for frame, index in forest.graph.index.items():
            body = int(forest.frame_body[index])
            if (body == WORLD or body in numbers) and frame not in self._forces.points:
                placed[frame] = numbers.get(body, -1), *forest.frame_pose(index)[1:]
        return Poses(placed, len(numbers), BodyPoses(self, tuple(numbers)))

    def _frame(self, name: str) -> tuple[int, str] | None:
        frame, _, quantity = name.rpartition(".")
        index = self._forest.graph.index.get(frame)
        if index is None or quantity not in _FRAME or self._forest.frame_body[index] == DELETED:
            return None
        return index, quantity

    def _cut(self, name: str) -> Cut | None:
        place, _, quantity = name.rpartition(".")
        return self._cuts.get(place) if quantity in CUT_QUANTITIES else None

    def _cut_function(self, cut: Cut) -> Callable[[Motion], np.ndarray]:
        if cut not in self._cut_functions:
            self._cut_functions[cut] = cut_over_time(cut, self._forest, self._exchange, self._forces.keep)
        return self._cut_functions[cut]

    @cached_property
    def _cuts(self) -> dict[str, Cut]:
        bodies = self._forest.frame_body
        return {name: cut for name, cut in all_cuts(self._forest.graph).items() if bodies[cut.frame] != DELETED}

    @property
    def _listed_cuts(self) -> Collection[str]:
        """Return the names that have cut forces; none where there are massless points: then they are refused."""
        return () if self._forces.points else self._cuts.keys()

    def __getitem__(self, name: str) -> Signal:
        group, _, quantity = name.rpartition(".")
        if group == GROUP and quantity in _SYSTEM:
            return lambda trajectory: _SYSTEM[quantity](self.motion(trajectory))
        if name in self._locked:
            value = self._locked[name]
            return lambda trajectory: np.full(len(trajectory.time), value)
        if name in self._cut_states:
            edge, k = self._cut_states[name]
            return lambda trajectory: states_over_time(self._forest, edge, self.motion(trajectory))[:, k].copy()
        cut = self._cut(name)
        if cut is not None:
            part = CUT_QUANTITIES[quantity]
            if quantity.endswith("_unique"):
                return lambda trajectory: unique_components(cut, self._forest, self.motion(trajectory))[:, part]
            return lambda trajectory: self._cut_function(cut)(self.motion(trajectory))[:, part]
        place, _, quantity = name.rpartition(".")
        if place in self._forces.points and quantity in _POINT:
            point = self._forest.n + self._forces.points.index(place)
            return lambda trajectory: self.motion(trajectory).loaded[_POINT[quantity]][:, point].copy()
        touching = None if self._contacts is None else self._contacts.find(name)
        if touching is not None:
            return lambda trajectory: touching(self.motion(trajectory), trajectory.history)
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
        yield from self._cut_states
        yield from (f"{name}.{q}" for name in self._forces.points for q in _POINT)
        yield from (f"{place}.{quantity}" for place in self._listed_cuts for quantity in CUT_QUANTITIES)
        yield from self._contacts or ()

    def __len__(self) -> int:
        frames = int(np.count_nonzero(self._forest.frame_body != DELETED))
        points = len(self._forces.points) * len(_POINT)
        return (
            frames * len(_FRAME)
            + len(_SYSTEM)
            + len(self._locked)
            + len(self._cut_states)
            + points
            + len(self._listed_cuts) * len(CUT_QUANTITIES)
            + sum(1 for _ in self._contacts or ())
        )
