"""Initial values of joints and free trees from wanted poses of frames: inverse kinematics with the least change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.basics.rotations import matrix_of, quaternion_of, rotation_about, rotation_matrix, rotation_vector
from ..scene.initial_pose import InitialPose
from ..scene.joints import JointState, LimitedJoint
from .chain import Chain, Link
from .graph import SceneGraph, resolve
from .least_change import TOLERANCE, TURN, Conditions, find_nearest, without_turns
from .motion import MotionOf, relative_motion

SPEED_TOLERANCE = 1e-8
"""Largest error of a velocity [m/s, rad/s] that counts as reached, relative to one plus its size."""

LISTED = 12
"""Joints of which a message tells the values."""
MET = 1e-8
"""Largest error of a pose and velocity that were computed with other values of joints than the equations gave, as above."""
UNMET = 1e-6
"""Largest error of a pose and velocity with which a simulation begins, as above."""


@dataclass(frozen=True)
class Posed:
    """Coordinates and speeds that wanted poses determine.

    Attributes:
        states: initial coordinates (orientations as quaternions) and speeds, by name of a joint or of the root of a free tree.
        undetermined: names of those of them that the poses leave some freedom, which began with the least change.
    """

    states: Mapping[str, JointState] = field(default_factory=dict)
    undetermined: tuple[str, ...] = ()


def posed_states(
    graph: SceneGraph, poses: Mapping[str, InitialPose], start: Mapping[str, JointState], known: Set[str] = frozenset()
) -> Posed:
    """Return the initial values of all joints and free trees that wanted poses determine, and that meet all of them.

    Args:
        graph: the graph.
        poses: by path relative to the `Model3D`.
        start: where the search begins, by name; what is missing begins as declared.
        known: names of joints whose initial values are those of ``start``, whatever the poses say.

    Raises:
        ModelError: an unknown frame or joint, nothing that may move, or a pose or velocity out of reach.
    """
    wanted = [WantedPose(graph, name, pose) for name, pose in poses.items()]
    fixed = {name: w for w in wanted for name in w.fixed}
    for w in wanted:
        w.check_free(fixed)
    free = {link.name for w in wanted for link in w.free} - set(fixed) - known
    states: dict[str, JointState] = {}
    undetermined: list[str] = []
    for group in _independent(wanted, free):
        found = _Together(group, free, start).solve()
        states |= found.states
        undetermined += found.undetermined
    return Posed(states, tuple(undetermined))


def are_met(graph: SceneGraph, poses: Mapping[str, InitialPose], states: Mapping[str, JointState]) -> bool:
    """Return whether initial values meet the wanted poses; those that are missing are as declared."""
    for name, pose in poses.items():
        w = WantedPose(graph, name, pose)
        here = {link.name: states.get(link.name, link.joint.start("quaternion")) for link in w.chain.links}
        error = np.concatenate([w.pose_error(here), w.velocity_error(here)])
        if not (np.abs(error).max() <= MET * w.size(here)):  # NaN, too
            return False
    return True


def check_met(graph: SceneGraph, poses: Mapping[str, InitialPose], motion_of: MotionOf, remedy: str) -> None:
    """Refuse a motion that does not have the wanted poses and velocities.

    Raises:
        ModelError: by the name of the pose, with what is missing, and the given remedy.
    """
    for name, pose in poses.items():
        w = WantedPose(graph, name, pose)
        frame, base = w.ends
        seen = relative_motion(motion_of(base), motion_of(frame))
        missing = w.error_at(seen.R_12, seen.p_12_1)
        speed = w.rates - np.concatenate([seen.v_12_1, seen.w_12_1])[w.velocity_rows]
        size = 1.0 + max(float(np.abs(seen.p_12_1).max()), float(np.abs(seen.v_12_1).max()))
        if np.abs(np.concatenate([missing, speed])).max() > UNMET * size:
            left, slow = float(np.linalg.norm(missing)), float(np.linalg.norm(speed))
            raise ModelError(
                "the initial pose is not met: equations give joints other first values than were known when it was computed",
                path=name,
                found=f"{left:.4g} (m, rad) and {slow:.4g} (m/s, rad/s) missing",
                remedy=remedy,
            )


class WantedPose:
    """One `InitialPose` in a graph.

    Attributes:
        name, pose: its path, and what the user wrote.
        chain: what lies between its frames.
        free: the links that may move.
        fixed: names of those that keep their values.
        pose_rows, velocity_rows: which components of position and orientation, and of velocity and angular velocity, are
            wanted, each of shape (6,).
    """

    def __init__(self, graph: SceneGraph, name: str, pose: InitialPose) -> None:
        self.name, self.pose, self._graph = name, pose, graph
        scope = name.rpartition(".")[0]
        frame = graph.frame_index(pose.obj, scope, user=name)
        base = graph.frame_index(pose.relative_to, scope, user=name) if pose.relative_to else graph.world
        for k in (frame, base):
            if graph.assemblies[graph.assembly_of(k)] in graph.parked:
                found = f"{graph.frames[k].name}, which is parked"
                raise ModelError(
                    "an initial pose is given for an Object3D that is not in the scene at the start", path=name, found=found
                )
        self.ends = graph.frames[frame].name, graph.frames[base].name
        self.chain = Chain(graph, frame, base)
        movable = {link.name: link for link in self.chain.links if link.joint.state_names()[1]}
        near, far = ([k.name for k in side if k.name in movable] for side in (self.chain.frame_links, self.chain.base_links))
        chosen = [self._named(ref, scope, movable) for ref in pose.joints] or near or far
        self.fixed = tuple(self._named(ref, scope, movable) for ref in pose.fixed)
        self.free = tuple(movable[k] for k in dict.fromkeys(chosen))
        self.explicit = bool(pose.joints)
        if not self.free:
            found = f"no joint and no free Object3D between {self.ends[1]} and {self.ends[0]}"
            raise ModelError("no joint can move the Object3D to its initial pose", path=name, found=found)
        want = pose.rotation is not None
        self._R = rotation_matrix(pose.rotation) if pose.rotation is not None else None
        self.pose_rows = np.array([*_given(pose.translation), want, want, want])
        self.velocity_rows = np.array([*_given(pose.velocity), *_given(pose.angular_velocity)])

    def _named(self, reference: str, scope: str, movable: Mapping[str, Link]) -> str:
        """Name of the link that a name in ``joints`` or ``fixed`` means."""
        graph = self._graph
        roots = {graph.frames[k].name: a.name for a in graph.assemblies if not a.is_world for k in (a.start, a.root)}
        known = {name: name for name in graph.joint_number} | roots
        name = resolve(known, reference, scope, user=self.name, what="joint or free Object3D")
        if known[name] not in movable:
            raise ModelError(
                f"'{reference}' does not move '{self.ends[0]}' relative to '{self.ends[1]}'",
                path=self.name,
                expected=f"some of {', '.join(movable) or 'nothing: both are rigidly connected'}",
            )
        return known[name]

    def check_free(self, fixed: Mapping[str, WantedPose]) -> None:
        """Refuse a pose of which all that may move is fixed."""
        held = [link.name for link in self.free if link.name in fixed]
        if held and (self.explicit or len(held) == len(self.free)):
            raise ModelError(
                "an initial pose would move a joint that another one keeps fixed"
                if self.explicit
                else "every joint that could move the Object3D to its initial pose is fixed",
                path=self.name,
                found=", ".join(f"{name} (fixed in {fixed[name].name})" for name in held),
                remedy="Take it out of joints=[...] or of fixed=[...].",
            )

    def pose_error(self, states: Mapping[str, JointState]) -> np.ndarray:
        """Return the difference to the wanted pose, in the base [m, rad]; free components are left out."""
        return self.linearised(states)[0]

    def error_at(self, R: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return `pose_error` where the frame has the pose R (3, 3), p (3,) in the base."""
        turn = np.zeros(3) if self._R is None else rotation_vector(self._R @ R.T)
        error: np.ndarray = np.concatenate([np.array(_numbers(self.pose.translation)) - p, turn])[self.pose_rows]
        return error

    @property
    def rates(self) -> np.ndarray:
        """The wanted components of velocity and angular velocity."""
        rates: np.ndarray = np.array([*_numbers(self.pose.velocity), *_numbers(self.pose.angular_velocity)])[self.velocity_rows]
        return rates

    def velocity_error(self, states: Mapping[str, JointState]) -> np.ndarray:
        """Return the difference to the wanted velocity, in the base [m/s, rad/s]."""
        error: np.ndarray = self.rates - self.chain.seen(states).twist[self.velocity_rows]
        return error

    def size(self, states: Mapping[str, JointState]) -> float:
        """Return one plus the distances concerned [m]."""
        numbers = np.abs([*_numbers(self.pose.translation), *self.chain.seen(states).p])
        return 1.0 + float(np.max(numbers, where=np.isfinite(numbers), initial=0.0))

    def linearised(self, states: Mapping[str, JointState]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return `pose_error`, and its decrease for small steps of each link, by name."""
        seen = self.chain.seen(states)
        return self.error_at(seen.R, seen.p), {name: S[self.pose_rows] for name, S in seen.columns.items()}

    def velocity_columns(self, states: Mapping[str, JointState]) -> dict[str, np.ndarray]:
        """Decrease of `velocity_error` for unit speeds of each link."""
        return {name: S[self.velocity_rows] for name, S in self.chain.seen(states).columns.items()}

    def missing(self, states: Mapping[str, JointState]) -> str:
        """Return the error of the pose in words, with the components of the position that it is in."""
        error = np.zeros(6)
        error[self.pose_rows] = self.pose_error(states)
        position, angle = (float(np.linalg.norm(part)) for part in (error[:3], error[3:]))
        small = TOLERANCE * self.size(states)
        parts = [f"{axis} {x:.4g} m" for axis, x in zip("xyz", error[:3], strict=True) if abs(x) > small]
        return f"{position:.4g} m and {angle:.4g} rad away" + (f" ({', '.join(parts)} missing)" if parts else "")


def _given(vector: Iterable[float | None] | None) -> list[bool]:
    return [False] * 3 if vector is None else [component is not None for component in vector]


def _numbers(vector: Iterable[float | None] | None) -> list[float]:
    return [0.0] * 3 if vector is None else [0.0 if component is None else component for component in vector]


def _independent(wanted: Iterable[WantedPose], free: set[str]) -> Iterator[list[WantedPose]]:
    """Return the poses that depend on the same joints and trees among ``free``, together."""
    groups: list[tuple[set[str], list[WantedPose]]] = []
    for w in wanted:
        names, members = {link.name for link in w.chain.links} & free, [w]
        for other in [group for group in groups if group[0] & names]:
            groups.remove(other)
            names, members = names | other[0], other[1] + members
        groups.append((names, members))
    return iter([members for _, members in groups])


class _Together:
    """Poses that are met together."""

    def __init__(self, wanted: list[WantedPose], free: set[str], start: Mapping[str, JointState]) -> None:
        links = {link.name: link for w in wanted for link in w.chain.links}
        self.wanted = wanted
        self.start = {name: start.get(name, link.joint.start("quaternion")) for name, link in links.items()}
        self.links = {name: link for name, link in links.items() if name in free}
        sizes = [len(self.start[name][1]) for name in self.links]
        ends = np.cumsum([0, *sizes])
        self.slices = {name: slice(ends[i], ends[i + 1]) for i, name in enumerate(self.links)}
        limits = [
            (getattr(link.joint, "limits", None) if isinstance(link.joint, LimitedJoint) else None) or (-math.inf, math.inf)
            for link, size in zip(self.links.values(), sizes, strict=True)
            for _ in range(size)
        ]
        self.lower, self.upper = np.array(limits, dtype=float).reshape(-1, 2).T
        one_coordinate = [name for name, size in zip(self.links, sizes, strict=True) if size == 1]
        for name in one_coordinate:  # bounds are those of the change
            bound, at = self.slices[name], self.start[name][0][0]
            self.lower[bound] -= at
            self.upper[bound] -= at

    def solve(self) -> Posed:
        """Find initial values of what may move.

        Raises:
            ModelError: a pose or velocity cannot be reached.
        """
        size = max(w.size(self.start) for w in self.wanted)
        conditions = Conditions(self.linearised, self.lower, self.upper, TOLERANCE * size, self._shortened)
        found = find_nearest(conditions)
        states = self.states(found.change)
        if not found.reached:
            raise self._out_of_reach(states)
        states = self._with_speeds(states)
        return Posed({name: states[name] for name in self.links}, self._undetermined(found.change))

    def _shortened(self, change: np.ndarray) -> np.ndarray:
        """Return the shortest change to the same poses: angles without full turns, as far as their limits allow."""
        angles = [at.start + place for name, at in self.slices.items() for place in self.links[name].joint.angles]
        x = without_turns(change, angles, self.lower, self.upper)
        for name, at in self.slices.items():
            if len(self.start[name][0]) != at.stop - at.start:
                vector = slice(at.stop - 3, at.stop)
                angle = float(np.linalg.norm(x[vector]))
                if angle > math.pi:
                    x[vector] *= 1.0 - TURN * round(angle / TURN) / angle
        return x

    def _undetermined(self, change: np.ndarray) -> tuple[str, ...]:
        """Return the names of what can move while the poses are kept."""
        J = self.linearised(change)[1]
        if not len(J):
            return ()  # velocities only: nothing is moved
        _, sigma, Vt = np.linalg.svd(J)
        kept = Vt[int((sigma > 1e-8 * sigma.max(initial=0.0)).sum()) :]
        return tuple(name for name, at in self.slices.items() if np.abs(kept[:, at]).max(initial=0.0) > 1e-6)

    def states(self, change: np.ndarray) -> dict[str, JointState]:
        """Return the states displaced from the initial values; a change of an orientation is a rotation vector in the turned
        frame.
        """
        states = dict(self.start)
        for name, at in self.slices.items():
            q, v = self.start[name]
            step = change[at]
            if not step.any():
                continue
            if len(q) == len(v):
                joint = self.links[name].joint
                low, high = (joint.limits if isinstance(joint, LimitedJoint) else None) or (-math.inf, math.inf)
                states[name] = tuple(min(max(x, low), high) for x in (np.array(q) + step).tolist()), v
                continue
            n = len(v) - 3
            R_old, turn = matrix_of("quaternion", q[n:]), rotation_about(step[n:])
            w = turn.T @ np.array(v[n:])  # the angular velocity keeps its components in the frame before the joint
            position = (np.array(q[:n]) + step[:n]).tolist()
            states[name] = (*position, *quaternion_of((R_old @ turn).tolist())), (*v[:n], *w.tolist())
        return states

    def linearised(self, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the errors of all poses (m,), and their decrease for small changes (m, n)."""
        states, errors, rows = self.states(change), [], []
        for w in self.wanted:
            error, columns = w.linearised(states)
            errors.append(error)
            rows.append(self._row(columns, error.size))
        J = np.vstack(rows)
        for name, at in self.slices.items():
            n = at.stop - at.start
            if len(self.start[name][0]) != n:
                J[:, at.stop - 3 : at.stop] = J[:, at.stop - 3 : at.stop] @ _body_rate(change[at.stop - 3 : at.stop])
        return np.concatenate(errors), J

    def _row(self, columns: Mapping[str, np.ndarray], n: int) -> np.ndarray:
        row = np.zeros((n, self.lower.size))
        for name, S in columns.items():
            if name in self.slices:
                row[:, self.slices[name]] = S
        return row

    def _with_speeds(self, states: dict[str, JointState]) -> dict[str, JointState]:
        """Return the states with the speeds nearest to the present ones that give the wanted velocities."""
        error = np.concatenate([w.velocity_error(states) for w in self.wanted])
        if not error.size:
            return states
        J = np.vstack([self._row(w.velocity_columns(states), int(w.velocity_rows.sum())) for w in self.wanted])
        change = np.linalg.lstsq(J, error, rcond=1e-10)[0]
        left = error - J @ change
        if np.abs(left).max() > SPEED_TOLERANCE * (1.0 + np.abs(error).max()):
            raise ModelError(
                "the initial velocity cannot be reached",
                path=", ".join(w.name for w in self.wanted),
                found=f"{float(np.linalg.norm(left)):.4g} (m/s, rad/s) left",
                expected=f"a velocity that {', '.join(self.links)} can give",
                remedy="Give fewer conditions, or more joints.",
            )
        changed = {name: tuple((np.array(states[name][1]) + change[at]).tolist()) for name, at in self.slices.items()}
        return states | {name: (states[name][0], v) for name, v in changed.items()}

    def _out_of_reach(self, states: Mapping[str, JointState]) -> ModelError:
        one = len(self.wanted) == 1
        missing = ", ".join(f"{'' if one else w.name + ' '}{w.missing(states)}" for w in self.wanted)
        fixed, values = sorted({name for w in self.wanted for name in w.fixed}), self._values(states)
        at = f", at {values}" if values else ""
        return ModelError(
            "the initial pose cannot be reached" if one else "the initial poses cannot be reached together",
            path=", ".join(w.name for w in self.wanted),
            found=f"nearest: {missing}{at}" + (f"; fixed: {', '.join(fixed)}" if fixed else ""),
            expected="a pose within reach of the joints and their limits",
            remedy="Give fewer conditions, more joints, or initial values of the joints nearer to it.",
        )

    def _values(self, states: Mapping[str, JointState]) -> str:
        names = list(self.links)
        more = f" and {len(names) - LISTED} others" if len(names) > LISTED else ""
        return ", ".join(self._value(name, states) for name in names[:LISTED]) + more

    def _value(self, name: str, states: Mapping[str, JointState]) -> str:
        q, joint = states[name][0], self.links[name].joint
        limits = joint.limits if isinstance(joint, LimitedJoint) else None
        at_limit = limits is not None and not (limits[0] < q[0] < limits[1])
        value = f"{q[0]:.6g}" if len(q) == 1 else f"({', '.join(f'{x:.6g}' for x in q)})"
        return f"{name} = {value}{' (limit)' if at_limit else ''}"


def _body_rate(vector: np.ndarray) -> np.ndarray:
    """Return the angular velocity in the turned frame for unit rates of its rotation vector, (3, 3) (right Jacobian of
    SO(3)).
    """
    x, y, z = vector
    angle = float(np.linalg.norm(vector))
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    if angle < 1e-4:
        return np.eye(3) - 0.5 * K
    return np.eye(3) - (1.0 - math.cos(angle)) / angle**2 * K + (angle - math.sin(angle)) / angle**3 * (K @ K)
