"""Massless points: Object3Ds without mass that hang in springs, so that force elements act in series without a body between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.frame import Frame
from ..scene.joints import Joint
from ..scene.solid import SolidFeature
from ..topology.graph import SceneGraph, resolve
from ..topology.motion import MotionOf
from .elements.base import ForceElement
from .elements.declaration import AtPoints
from .table import SceneForce, is_line, spring_and_damper

HARDEST = 1e5
"""Largest ratio of the stiffnesses at a point without dampers: beyond, errors of positions within the usual tolerances are
forces that outweigh the soft spring."""

BETWEEN = 0.01
"""Least distance of a point from the ends of its chain at the start, relative to theirs: beyond them it is not stable."""


def find_points(objects: Mapping[str, object]) -> dict[str, Frame]:
    """Return the frames among the objects of a `Model3D` that are massless points, by name.

    These are frames that are not fixed to a parent, have no mass, carry no other frame and no joint, and at which a force
    element acts. All others without mass are left to the checks of the graph.

    Raises:
        ModelError: a force element at such a point that needs a body, less than two elements, or one far harder than another.
    """
    frames = {name: made for name, made in objects.items() if isinstance(made, Frame)}
    used = {
        _full(frames, reference, name)
        for name, made in objects.items()
        for reference in (_ends(made) if isinstance(made, Frame | Joint) else ())
    }
    elements = {name: made for name, made in objects.items() if isinstance(made, ForceElement)}
    ends = {name: [_full(frames, reference, name) for reference in made.frames] for name, made in elements.items()}
    points = {}
    for name, frame in frames.items():
        here = [(other, elements[other]) for other, found in ends.items() if name in found]
        if here and _is_loose(frame) and name not in used:
            points[name] = frame
            _check(name, frame, here, ends)
    return points


def _ends(made: Frame | Joint) -> tuple[str, ...]:
    return (made.parent,) if isinstance(made, Frame) else (made.obj1, made.obj2)


def _full(frames: Mapping[str, Frame], reference: str, user: str) -> str:
    """Return the full name of a frame; "" if it does not exist, which others report."""
    try:
        return resolve(frames, reference, user.rpartition(".")[0]) if reference else ""
    except ModelError:
        return ""


def _is_loose(frame: Frame) -> bool:
    if frame.is_world or (frame.parent and frame.fixed_to_parent):
        return False
    own = frame.feature.inertia() if isinstance(frame.feature, SolidFeature) else None
    return own is None or own.mass == 0.0


def _check(name: str, frame: Frame, elements: Sequence[tuple[str, ForceElement]], ends: Mapping[str, Sequence[str]]) -> None:
    remedy = "Give the Object3D a Solid with mass, or fix it to a parent."
    if frame.feature is not None or any(frame.velocity) or any(frame.angular_velocity) or any(map(np.any, frame.rotation)):
        raise ModelError(
            "a massless point has more than a position",
            path=name,
            found="a feature, a rotation or a velocity",
            expected="parent, fixed_to_parent=False and translation only",
            remedy=remedy,
        )
    for other, element in elements:
        if is_line(element):
            continue
        if _is_load(element) and ends[other][1] != name:
            continue
        raise ModelError(
            f"'{other}' cannot act at the massless point '{name}'",
            path=other,
            found=_reason(element),
            expected="a SpringDamperPtP to another frame, or a WorldForce resolved elsewhere",
            remedy=remedy,
        )
    if len(elements) < 2:
        raise ModelError(
            "a massless point is undetermined",
            path=name,
            found=f"one force element, '{elements[0][0]}'",
            expected="two or more",
            remedy=remedy,
        )
    laws = [(*spring_and_damper(e), other) for other, e in elements if is_line(e)]
    stiff = sorted((spring, other) for spring, _, other in laws if isinstance(spring, float) and spring > 0.0)
    damped = any(damper != 0.0 for _, damper, _ in laws)
    if stiff and not damped and stiff[-1][0] > HARDEST * stiff[0][0]:
        raise ModelError(
            "the springs at a massless point differ too much for its position to be computed from their forces",
            path=name,
            found=f"stiffness {stiff[-1][0]:g} N/m of '{stiff[-1][1]}', {stiff[0][0]:g} N/m of '{stiff[0][1]}'",
            expected=f"a ratio of at most {HARDEST:g}",
            remedy=f"Leave out '{stiff[-1][1]}', or let it be softer; or give the Object3D a Solid with a small mass.",
        )


def _reason(element: ForceElement) -> str:
    return "a force in the directions of the point, which has none" if _is_load(element) else element.declared.needs_body


def _is_load(element: ForceElement) -> bool:
    return element.declared.at_points is AtPoints.LOAD


def state_names(points: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the variables that are the states of damped points, see `modia3d.forces.table.damped_points`."""
    return tuple(f"{name}.state.{c}" for name in points for c in "xyz")


def start_positions(
    points: Mapping[str, Frame], graph: SceneGraph, forces: Sequence[SceneForce], motion: MotionOf
) -> dict[str, np.ndarray]:
    """Return where the search for the points begins in world, (3,) each [m].

    That is where the user says (`translation` in the parent), else in the middle of what a point is connected with. A point
    in a chain begins in line with both ends.

    Args:
        points: the massless points.
        graph: all other frames.
        forces: the force elements.
        motion: of the frames at the start.
    """
    names, n_frames = list(points), len(graph.frames)
    start: dict[str, np.ndarray] = {}
    for name, frame in points.items():
        if any(frame.translation):
            parent = graph.frame_index(frame.parent, name.rpartition(".")[0], user=name) if frame.parent else graph.world
            at = motion(graph.frames[parent].name)
            start[name] = at.p_WF + at.R_WF @ np.array(frame.translation)
    free = [i for i, name in enumerate(names) if name not in start]
    row = {n_frames + i: k for k, i in enumerate(free)}
    matrix, right = np.zeros((len(free), len(free))), np.zeros((len(free), 3))
    for force in forces:
        if not is_line(force.element):
            continue
        for here, there in (force.frames, force.frames[::-1]):
            if here in row:
                matrix[row[here], row[here]] += 1.0
                if there in row:
                    matrix[row[here], row[there]] -= 1.0
                elif there >= n_frames:
                    right[row[here]] += start[names[there - n_frames]]
                else:
                    right[row[here]] += motion(graph.frames[there].name).p_WF
    middle = np.linalg.lstsq(matrix, right, rcond=None)[0]
    start |= {names[i]: middle[k] for k, i in enumerate(free)}
    return {name: _straightened(n_frames + i, start, n_frames, forces, graph, motion) for i, name in enumerate(names)}


def _straightened(
    point: int,
    start: Mapping[str, np.ndarray],
    n_frames: int,
    forces: Sequence[SceneForce],
    graph: SceneGraph,
    motion: MotionOf,
) -> np.ndarray:
    """Return where a point is; one in a chain of springs and dampers where it is nearest between the ends of the chain."""
    names = list(start)

    def place(frame: int) -> np.ndarray:
        return start[names[frame - n_frames]] if frame >= n_frames else motion(graph.frames[frame].name).p_WF

    def neighbours(frame: int) -> list[int]:
        """Return both neighbours of a point in a chain; of all others none."""
        here = [force for force in forces if frame in force.frames]
        others = {other for force in here for other in force.frames} - {frame}
        chained = frame >= n_frames and len(others) == 2 and all(is_line(f.element) for f in here)
        return sorted(others) if chained else []

    ends = []
    for first in neighbours(point):
        before, here = point, first
        while here != point and neighbours(here):
            before, here = here, next(other for other in neighbours(here) if other != before)
        ends.append(place(here))
    if not ends:
        return place(point)
    line = ends[1] - ends[0]
    length = np.linalg.norm(line)
    if length == 0.0:
        return place(point)
    along = (line @ (place(point) - ends[0])) / length**2
    return np.asarray(ends[0] + min(max(along, BETWEEN), 1.0 - BETWEEN) * line)
