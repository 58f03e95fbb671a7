"""Inverse kinematics: joint positions at which a frame has a wanted pose, while everything else stays where it is.

Of all solutions within the limits of the joints, the one with the smallest change is taken, without full turns
(`modia3d.topology.least_change`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ..engine.inverse_kinematics import Reach, load_kernels, movable_joints, rotation_matrix
from ..engine.motion.configuration import Configuration
from ..topology.graph import SceneGraph
from ..topology.least_change import TOLERANCE, Conditions, find_nearest, without_turns
from .checks import number_row
from .pose import FREE_ROTATION, Pose

if TYPE_CHECKING:
    from modiapy.model.model import Model
    from modiapy.simulation.model import SimulationModel


def inverse_kinematics(
    model: Model | SimulationModel, pose: Pose, joints: Sequence[str], start: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Return the positions of joints at which a frame of a model has a pose.

    The joints begin at ``start``, else at their initial values. All others stay at their initial values. Of several solutions
    within the limits of the joints, the one with the smallest change is taken (sum of squares of rad and m), angles modulo full
    turns.

    Args:
        model: a `Model3D`, or what `instantiate` made of one.
        pose: where the frame is to be.
        joints: names of the joints that are moved: revolute, prismatic or screw joints.
        start: positions by joint [rad or m], for example of the present; also of joints that are not moved.

    Returns:
        Position of each joint of ``joints`` [rad or m], by name.

    Raises:
        ModelError: there is no such frame or joint; the pose cannot be reached: says how near the frame comes.
    """
    system = _system_of(model)
    graph = system.graph
    edges = movable_joints(graph, joints, "")
    load_kernels()
    present = _present(system, start or {})
    q = [float(present.q[present.forest.indices[edge.name][1]]) for edge in edges]
    found = find_positions(pose, joints, q, present)
    return dict(zip(joints, found, strict=True))


def find_positions(
    pose: Pose, joints: Sequence[str], start: Sequence[float], present: Configuration, scope: str = ""
) -> tuple[float, ...]:
    """Return the positions (rad or m) of joints, nearest to ``start``, at which a frame has a pose.

    Args:
        pose: what is wanted; what of it stays is where the frame is with the joints at ``start``.
        joints, start: names and positions.
        present: all others stay where they are in this configuration.
        scope: path of the model in which names are looked up first.

    Raises:
        ModelError: the pose cannot be reached.
    """
    graph = present.forest.graph
    edges = movable_joints(graph, joints, scope)
    frame = graph.frame_index(pose.frame, scope, user="Pose")
    reach = Reach(present, frame, edges, turns=pose.rotation != FREE_ROTATION)
    q = np.array(start, dtype=float)
    R_WF, p_WF = reach.pose(q)
    R_WA, p_WA = reference(pose.frame, pose.relative_to, (R_WF, p_WF), present, scope)
    p = p_WF if pose.translation is None else p_WA + R_WA @ np.array(pose.translation)
    R = R_WF if pose.rotation in (None, FREE_ROTATION) else R_WA @ rotation_matrix(pose.rotation)  # type: ignore[arg-type]
    lower, upper = reach.lower - q, reach.upper - q
    angles = [k for k, edge in enumerate(edges) if edge.joint.angles]

    def linearised(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return reach.linearised(q + x, R, p)

    def shortened(x: np.ndarray) -> np.ndarray:
        return without_turns(x, angles, lower, upper)

    size = 1.0 + float(np.abs(p).max())
    found = find_nearest(Conditions(linearised, lower, upper, TOLERANCE * size, shortened))
    if not found.reached:
        raise _out_of_reach(pose, reach, q + found.change, R, p)
    return tuple((q + found.change).tolist())


def reference(
    frame: str, relative_to: str, pose: tuple[np.ndarray, np.ndarray], present: Configuration, scope: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``R_WA`` (3, 3) and ``p_WA`` (3,) of the frame ``relative_to``; ``pose`` is that of ``frame`` itself."""
    if not relative_to:
        return np.eye(3), np.zeros(3)
    graph = present.forest.graph
    if graph.frame_index(relative_to, scope) == graph.frame_index(frame, scope):
        return pose
    base = present.motion_of(graph.frames[graph.frame_index(relative_to, scope)].name)
    return base.R_WF, base.p_WF


def check_names(user: str, frames: Sequence[str], joints: Sequence[str], graph: SceneGraph, scope: str) -> None:
    """Refuse names of frames and joints that do not exist; loads all kernels.

    Args:
        user: who names them, for messages.
        frames: names; "" is the world.
        joints: those that follow the path.
        graph: where they are.
        scope: path of the model in which names are looked up first.

    Raises:
        ModelError: there is no such frame or joint, or a joint has several coordinates.
    """
    load_kernels()
    for name in filter(None, frames):
        graph.frame_index(name, scope, user=user)
    try:
        movable_joints(graph, joints, scope)
    except ModelError as error:
        error.remedy = f"{error.remedy} Name the joints that follow the path: addReferencePath(..., joints=[...]).".strip()
        raise


def _out_of_reach(pose: Pose, reach: Reach, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> ModelError:
    error = reach.error(q, R, p)
    beside = [f"{np.linalg.norm(error[:3]):.3g} m"]
    if reach.turns:
        beside.append(f"{math.degrees(float(np.linalg.norm(error[3:]))):.3g} deg")
    limits = zip(reach.edges, q, reach.lower, reach.upper, strict=True)
    stopped = [
        f"{edge.name} at its limit {value:.6g}"
        for edge, value, lower, upper in limits
        if min(abs(value - lower), abs(value - upper)) < 1e-9
    ]
    place = ", ".join(f"{x:.6g}" for x in p)
    names = ", ".join(edge.name for edge in reach.edges)
    turned = ', let its orientation be "free"' if reach.turns else ""
    return ModelError(
        f"the pose cannot be reached: {pose}",
        found=f"at best {' and '.join(beside)} beside it{', with ' + ' and '.join(stopped) if stopped else ''}",
        expected=f"a pose that {names} can give the frame; in the world it is at ({place}) m",
        remedy=f"Choose another pose{turned}, or another place for what carries the joints.",
    )


def _system_of(model: Any) -> Any:
    from modiapy.model.model import Model
    from modiapy.symbolic.analysis.error_places import errors_located
    from modiapy.symbolic.flattening.evaluate import evaluate

    from ..engine.multibody import Multibody

    if isinstance(model, Model):
        with errors_located(model):
            components = evaluate(model).components
    else:
        components = model.flat.components
    systems = [made.system for made in components.values() if isinstance(made, Multibody)]
    if len(systems) != 1:
        raise ModelError("inverse kinematics needs one Model3D", found=f"{len(systems)} in the model", expected="one")
    return systems[0]


def _present(system: Any, start: Mapping[str, float]) -> Configuration:
    """Return the initial configuration with the joints at ``start``."""
    from ..engine.initial_loops import all_coordinates
    from ..topology.forest import spanning_forest
    from ..topology.states import initial_state, initial_structure

    graph: SceneGraph = system.graph
    starts = system.initial.declared
    for name, value in start.items():
        known = [edge.name for edge in graph.joints]
        if name not in known:
            raise ModelError(f"there is no joint '{name}' to start from", expected="a joint", remedy=nearest(name, known))
        movable_joints(graph, [name], "")
        starts[name] = number_row(f"start of {name}", [value]), (0.0,)
    forest = spanning_forest(graph, initial_structure(graph, starts))
    return Configuration(forest, *all_coordinates(graph, forest, starts, initial_state(graph, forest, starts)))
