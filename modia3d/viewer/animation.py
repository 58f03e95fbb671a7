"""`Animation`: a view of a simulation in a page, a notebook, as pictures or glTF; `animate` makes it from a result."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ..engine.multibody import Multibody
from ..engine.signals import SegmentSignals
from ..engine.visuals import visuals
from ..scene.camera import Camera
from ..scene.gravity import NoGravity
from ..scene.scene_feature import SceneFeature
from ..topology.graph import SceneGraph
from .camera import view_of
from .contacts import contact_bodies
from .content import Body, Content, ShownFrame, ShownSignal, TimeMark, View
from .forces import force_bodies
from .instants import key_frames
from .shown_signals import check_signals, joint_signals, shown_signals
from .visualizers import shape_bodies, upwards, vector_bodies

PLOTTED = 4
"""So many of the signals that nobody has chosen are plotted at first."""


NOTEBOOK_HEIGHT = 560
"""Of an animation in a notebook [pixels]."""


class Animation(Content):
    """View of a simulation. In a notebook it shows itself."""

    def _repr_html_(self) -> str:
        """Return the page, for notebooks."""
        from .html import page

        text = html.escape(page(self))
        return f'<iframe srcdoc="{text}" style="width: 100%; height: {NOTEBOOK_HEIGHT}px; border: 1px solid #ccd"></iframe>'

    def write_html(self, file: str | os.PathLike[str]) -> Path:
        """Write one self-contained page. Raises ModiaError where the file cannot be written."""
        from .html import write_html

        return write_html(self, file)

    def write_gltf(self, file: str | os.PathLike[str]) -> Path:
        """Write an animated glTF file, ``.glb``. Raises ModiaError where it cannot be written."""
        from .gltf import write_gltf

        return write_gltf(self, file)

    def write_png(
        self, file: str | os.PathLike[str], *, time: float | None = None, width: int = 1280, height: int = 720
    ) -> Path:
        """Draw one instant, the first one where ``time`` [s] is None, as ``width`` times ``height`` pixels.

        Raises:
            ModiaError: the animation has no such instant, Chromium is not installed, or the file cannot be written.
        """
        from .pictures import write_png

        return write_png(self, file, time=time, width=width, height=height)

    def write_video(
        self,
        file: str | os.PathLike[str],
        *,
        fps: float = 30.0,
        speed: float = 1.0,
        width: int = 1280,
        height: int = 720,
    ) -> Path:
        """Draw everything as ``.mp4``, ``.webm`` or ``.gif``.

        Args:
            file: of the video.
            fps: pictures per second of the video.
            speed: simulated time per time of the video.
            width, height: of the pictures [pixels], even.

        Raises:
            ModiaError: Chromium or ffmpeg is not installed, or the file cannot be written.
        """
        from .pictures import write_video

        return write_video(self, file, fps, speed, width, height)


def animate(
    result: Any,
    components: Iterable[Any] | None = None,
    *,
    title: str = "",
    fps: float | None = None,
    contacts: bool | None = None,
    signals: Sequence[str] = (),
    paths: Sequence[str] = (),
    axes: Sequence[str] = (),
    forces: Sequence[str] = (),
) -> Animation:
    """Make an animation of a `Result`.

    Args:
        result: of a simulation.
        components: `(path, component)` pairs of the model, of which multibody systems are shown; None: those that the result
            knows, which is all but where it was read from a file without the model.
        title: of the window; "": the name of the model.
        fps: at most so many key frames per second of simulated time; between them is interpolated, but not across changes of
            structure. None: 30, or all output points if they are few. Of a long simulation there are fewer, with a warning.
        contacts: whether contacts and their forces are shown, see `contacts.py`; None: where the scene says so
            (``Scene(visualize_contacts=True)``).
        signals: to be plotted, by names with ``*`` and ``?`` for any characters; none: coordinates and speeds of joints.
        paths, axes: names of Object3Ds whose paths, or axes, are shown at first.
        forces: joints and Object3Ds of which forces are shown, by names with ``*`` and ``?``, see `forces.py`.

    Raises:
        ModelError: nothing in the model is visible, the result holds no time point, or a name leads nowhere.
    """
    if len(result.time) == 0:
        raise ModelError("the result holds no time point, so there is nothing to animate")
    if signals:
        check_signals(result, signals)
    systems = _systems(result, components)
    groups = sum(len(graph.group_assembly) for _, graph in systems)
    pick = key_frames(result, groups, fps)
    bodies = [body for path, graph in systems for body in _bodies(result, path, graph, pick)]
    bodies += shape_bodies(result, pick)
    view = _view(bodies, systems, upwards(result))
    bodies += vector_bodies(result, pick, view.size)
    for name, given in (("paths", paths), ("axes", axes)):
        _check_names(name, given, bodies)
    for path, graph in systems:
        if graph.scene.visualize_contacts if contacts is None else contacts:
            bodies += contact_bodies(result, path, pick, view.size)
    bodies += force_bodies(result, systems, forces, pick, view.size)
    chosen = shown_signals(result, signals) if signals else _of_joints(result, systems)
    plotted = [signal.name for signal in chosen] if signals else [signal.name for signal in chosen][:PLOTTED]
    marks = time_marks(result)
    title = title or getattr(result, "name", "") or "modia3d"
    return Animation(title, result.time[pick], bodies, view, marks, chosen, tuple(axes), tuple(paths), plotted)


def has_systems(components: Iterable[Any]) -> bool:
    """Return whether ``(path, component)`` pairs include multibody systems."""
    return bool(_systems(None, components))


def live_scene(result: Any, components: Iterable[Any], *, title: str, stop_time: float) -> Animation:
    """Return the scene of a running simulation with the bodies at their present poses; bodies that appear later are included.

    Args:
        result: so far, with one point at least.
        components, title: see `animate`.
        stop_time: until when it runs [s].

    Raises:
        ModelError: nothing in the model is visible.
    """
    systems = _systems(result, components)
    present = _present(result)
    bodies = [body for path, graph in systems for body in _bodies(present, path, graph, np.array([0, 0]), later=True)]
    time = np.array([float(result.time[0]), stop_time])
    return Animation(title, time, bodies, _view(bodies, systems), time_marks(result), live=True)


def live_poses(result: Any, scene: Content) -> list[np.ndarray | None]:
    """Return the position [m] and quaternion, shape (7,), of each body of a `live_scene` at the last point.

    None stands for a body that does not exist.
    """
    present = _present(result)
    found = [_motion(present, body.frames[0].name, np.array([0])) for body in scene.bodies]
    return [None if motion is None or np.isnan(motion[0]).any() else np.hstack(motion)[0] for motion in found]


def _present(result: Any) -> Any:
    """Return the last point of a result as a segment."""
    last = next(record for record in reversed(result.segments) if result.segment(record.index).points)
    return result.segment(last.index).last()


def _systems(result: Any, components: Iterable[Any] | None) -> list[tuple[str, SceneGraph]]:
    """Return the paths and graphs of the multibody systems among the components."""
    if components is not None:
        return [(path, component.system.graph) for path, component in components if isinstance(component, Multibody)]
    found: dict[str, SceneGraph] = {}
    for record in result.segments:
        for path, layout in result.segment(record.index).layouts.items():
            if isinstance(layout.signals, SegmentSignals):
                found.setdefault(path, layout.signals.graph)
    return list(found.items())


def _view(bodies: Sequence[Body], systems: Sequence[tuple[str, SceneGraph]], up: np.ndarray | None = None) -> View:
    if not any(frame.shape is not None for body in bodies for frame in body.frames):
        raise ModelError("nothing in the model is visible", remedy="Give an Object3D a Solid with a shape or a Visual.")
    if systems:
        return view_of(bodies, systems[0][1].scene)
    return view_of(bodies, SceneFeature(gravity=NoGravity(), camera=Camera(up=None if up is None else up.tolist())))


def _bodies(signals: Any, path: str, graph: SceneGraph, pick: np.ndarray, *, later: bool = False) -> list[Body]:
    """Return the rigid groups of a multibody system that exist at some time; with ``later`` also the others."""
    looks = {name: (shape, material) for name, shape, material in visuals(graph)}
    groups: dict[int, list[int]] = {}
    for index, node in enumerate(graph.frames):
        groups.setdefault(node.group, []).append(index)
    bodies = []
    for members in groups.values():
        names = {index: f"{path}.{graph.frames[index].name}" if path else graph.frames[index].name for index in members}
        motion = _motion(signals, names[members[0]], pick)
        if motion is None and not later:
            continue  # it was parked all the time
        position, quaternion = motion or (np.full((len(pick), 3), np.nan), np.tile([0.0, 0.0, 0.0, 1.0], (len(pick), 1)))
        local = _within(graph.frame_pose[members], graph.frame_pose[members[0]])
        frames = [
            ShownFrame(names[index], *pose, *looks.get(graph.frames[index].name, (None, None)))
            for index, pose in zip(members, local, strict=True)
        ]
        bodies.append(Body(position, quaternion, frames))
    return bodies


def _motion(signals: Any, name: str, pick: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the positions [m] and quaternions of a frame at some points, NaN where it does not exist.

    None stands for a frame that never exists.
    """
    from scipy.spatial.transform import Rotation

    if f"{name}.r_abs" not in signals:
        return None
    position, rotation = signals[f"{name}.r_abs"][pick], signals[f"{name}.R_abs"][pick]
    gone = ~np.isfinite(position[:, 0])
    position[gone], rotation[gone] = np.nan, np.eye(3)
    return position, _continuous(Rotation.from_matrix(rotation).as_quat())


def _within(poses: np.ndarray, origin: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Generate the positions and quaternions of frames relative to the first of them; poses as in `SceneGraph.frame_pose`."""
    from scipy.spatial.transform import Rotation

    R_GO, p_GO = origin[:9].reshape(3, 3), origin[9:]
    quaternions = Rotation.from_matrix(R_GO.T @ poses[:, :9].reshape(-1, 3, 3)).as_quat()
    yield from zip((poses[:, 9:] - p_GO) @ R_GO, quaternions, strict=True)


def _continuous(quaternions: np.ndarray) -> np.ndarray:
    """Choose the signs of quaternions so that each is in the half space of the one before; return them."""
    turned = np.einsum("ij,ij->i", quaternions[1:], quaternions[:-1]) < 0.0
    sign = np.cumprod(np.where(np.concatenate([[False], turned]), -1.0, 1.0))
    return quaternions * sign[:, None]


def _of_joints(result: Any, systems: Iterable[tuple[str, SceneGraph]]) -> list[ShownSignal]:
    """Return the names of the coordinates and speeds of joints."""
    names = []
    for path, graph in systems:
        of_joints = graph.state_names[: len(graph.joints)]
        names += [f"{path}.{name}" if path else name for k in (0, 1) for states in of_joints for name in states[k]]
    return joint_signals(result, names)


def time_marks(result: Any) -> list[TimeMark]:
    """Return the segments with their causes, and the steps of action programs."""
    marks = [TimeMark(float(record.start), "segment", record.cause) for record in result.segments]
    for entry in result.program_log:
        outcome = entry.get("outcome")
        said = "" if outcome is None or outcome is True else f": {outcome}"
        marks.append(TimeMark(float(entry["time"]), "step", f"{entry['step']}{said}"))
    return sorted(marks, key=lambda mark: (mark.time, mark.kind))


def _check_names(what: str, given: Iterable[str], bodies: Iterable[Body]) -> None:
    known = [frame.name for body in bodies for frame in body.frames]
    for name in given:
        if name not in known:
            raise ModelError(
                f"{what} of the animation is wrong", found=repr(name), expected="an Object3D", remedy=nearest(name, known)
            )
