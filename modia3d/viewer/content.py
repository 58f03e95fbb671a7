"""`Content`: the data of a simulation for any viewer: moving bodies, marks in time, signals, a camera."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..scene.shapes import Mark, Shape
from ..scene.visual import VisualMaterial


@dataclass
class ShownFrame:
    """A frame that is fixed in a body, perhaps with a shape.

    Attributes:
        name: path of the frame in the model, e.g. ``"boxX1Y1Z1.body"``.
        position: of its origin in the body [m], shape (3,).
        quaternion: of its orientation in the body, x y z w: takes coordinates in the frame to those of the body, shape (4,).
        shape: in the frame; None: nothing is seen of it but, on request, its axes and its path.
        material: of the shape; None: the colours of the mesh's file, else the viewer's default.
        hidden: whether it is not shown at first.
    """

    name: str
    position: np.ndarray
    quaternion: np.ndarray
    shape: Shape | Mark | None = None
    material: VisualMaterial | None = None
    hidden: bool = False


@dataclass
class Body:
    """Frames that move as one.

    Attributes:
        position: of the body's origin in world over `Content.time` [m], shape (nt, 3); NaN where it does not exist.
        quaternion: of its orientation, x y z w, shape (nt, 4): takes coordinates of the body to world coordinates.
        frames: what is fixed in it.
        scale: factors on lengths along its axes, shape (nt, 3); None: as it is.
    """

    position: np.ndarray
    quaternion: np.ndarray
    frames: list[ShownFrame]
    scale: np.ndarray | None = None

    @property
    def exists(self) -> np.ndarray:
        """Instants at which the body exists, bool (nt,)."""
        return np.isfinite(self.position[:, 0])


@dataclass(frozen=True)
class TimeMark:
    """Mark of an event at one instant: ``kind`` is "segment" or "step"."""

    time: float
    kind: str
    text: str


@dataclass(frozen=True)
class ShownSignal:
    """Signal to be plotted: ``time`` [s] and ``values``, shape (n,) both; NaN where it does not exist.

    ``aliases`` are the names of other signals that always have the same values and unit.
    """

    name: str
    unit: str
    time: np.ndarray
    values: np.ndarray
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """First view of the camera, in world coordinates.

    Attributes:
        up: direction that is upwards in the picture, shape (3,).
        low, high: corners of the box that is to be seen, in coordinates turned such that z is ``up`` [m], shape (3,).
        points: that are to be seen, in the same coordinates, shape (n, 3).
        position, target: of the camera, and the point it looks at [m]; None: such that the box is seen.
        follow: name of a frame with which camera and target move; "": of none.
        field_of_view: vertical opening angle [rad].
        floor: height of the floor along ``up`` [m]; None: there is none.
    """

    up: np.ndarray
    low: np.ndarray
    high: np.ndarray
    points: np.ndarray
    position: Sequence[float] | None = None
    target: Sequence[float] | None = None
    follow: str = ""
    field_of_view: float = 0.8
    floor: float | None = None

    @property
    def size(self) -> float:
        """Length of the diagonal of the box [m]."""
        return float(np.linalg.norm(self.high - self.low))


@dataclass
class Content:
    """Bodies over common instants.

    Attributes:
        title: of the window.
        time: instants of the key frames [s], shape (nt,), ascending. Where the structure changes an instant is there twice,
            before and after the change: between two rows of one instant nothing is interpolated.
        bodies: what moves.
        marks: segments and program steps, in the order of time.
        signals: to be plotted.
        view: of the camera.
        axes, paths: names of frames whose axes, or paths, are shown at first.
        plotted: names of the signals that are plotted at first.
        live: whether the poses come from a simulation that runs.
    """

    title: str
    time: np.ndarray
    bodies: list[Body]
    view: View
    marks: list[TimeMark] = field(default_factory=list)
    signals: list[ShownSignal] = field(default_factory=list)
    axes: Sequence[str] = ()
    paths: Sequence[str] = ()
    plotted: Sequence[str] = ()
    live: bool = False

    @property
    def seen(self) -> list[ShownFrame]:
        """The frames that have a shape."""
        return [frame for body in self.bodies for frame in body.frames if frame.shape is not None]
