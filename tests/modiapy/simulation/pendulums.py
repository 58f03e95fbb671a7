"""Pendulums in Cartesian coordinates, whose states are kept on ``x^2 + y^2 = length^2`` by a projection in machine code."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from modiapy import Model, Var
from modiapy.acausal import (
    AcausalComponent,
    ComponentFunction,
    ComponentRun,
    Reason,
    Saves,
    SegmentChange,
    SegmentLayout,
    SegmentStart,
    StateProjection,
    Waits,
    call_equation,
    kernel_address,
)

from . import pendulum_kernels

_KERNELS = pendulum_kernels.__name__
NAMES = ("x", "y", "vx", "vy")


def _function(name: str, n_in: int, n_out: int, **metadata: Any) -> ComponentFunction:
    return ComponentFunction(name, n_in, n_out, f"test_pendulum_{name}", kernel_address(_KERNELS, name), **metadata)


SWING = _function("swing", 3, 1, sink=True)
PULL = _function("pull", 4, 2)


@dataclass(frozen=True)
class Settings:
    """How a pendulum is made.

    Attributes:
        projects: at the beginning. toggles: times [s] at which that changes. evaluates: see `StateProjection`.
        lengths: the length as an equation, and its first and second derivative.
        angle, speed: where it begins, from the lowest point [rad, rad/s].
        status: of the projection where the point is ``right_of`` that [m], or ``farther_than`` that from the circle [m]; it
            gives no numbers there, even with 0.
        waits: until the point is on the left.
        own: whether the states are the component's, or those of the equations. projected: by which names it knows these.
    """

    projects: bool = True
    toggles: tuple[float, ...] = ()
    evaluates: bool = False
    lengths: tuple[str, str, str] = ("1.0", "0.0", "0.0")
    angle: float = 2.0
    speed: float = 0.0
    status: int = 7
    right_of: float = math.inf
    farther_than: float = math.inf
    waits: bool = False
    own: bool = True
    projected: tuple[str, ...] = NAMES

    def start(self) -> np.ndarray:
        """``x, y, vx, vy`` at a length of 1."""
        s, c = math.sin(self.angle), math.cos(self.angle)
        return np.array([s, -c, self.speed * c, self.speed * s])


class Pendulum(AcausalComponent):
    """A point mass of 1 kg on a rod; y is up."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def acausal_part(self) -> Model:
        if self.settings.own:
            length, first, second = self.settings.lengths
            swing = call_equation(SWING, ["l", "dl", "ddl"], ["done"])
            equations = [f"l = {length}", f"dl = {first}", f"ddl = {second}", swing]
            return Model(**{name: Var() for name in ("l", "dl", "ddl", "done")}, equations=equations)
        start = dict(zip(NAMES, self.settings.start(), strict=True))
        equations = ["der(x) = vx", "der(y) = vy", "der(vx) = ax", "der(vy) = ay", call_equation(PULL, [*NAMES], ["ax", "ay"])]
        others = {name: Var() for name in ("ax", "ay", "across", "v_across")}
        mirror = ["across = -x", "v_across = der(across)"]
        return Model(**{n: Var(init=start[n]) for n in NAMES}, **others, equations=equations + mirror)

    def failure(self, status: int, keep: Any) -> str:
        return Reason(f"the point is right of {keep[1]:g} m", "p.x") if status == 7 else ""

    def begin_run(self) -> ComponentRun:
        return Swinging(self)


class Swinging(ComponentRun, Saves, Waits):
    """It in one simulation."""

    def __init__(self, pendulum: Pendulum) -> None:
        self.settings, self.projects = pendulum.settings, pendulum.settings.projects
        self._toggled: list[float] = []
        self._arrived = False

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        given = self.settings
        if isinstance(start.change, Toggle):
            self.projects = start.change.projects
            self._toggled.append(start.time)
        places = [] if given.own else [start.state_index(name) for name in given.projected]
        columns = [value for place in places if place is not None for value in place]
        PLACES.update(zip(given.projected, places, strict=False))
        memory = np.array([1.0, given.right_of, given.farther_than, 0.0, 0.0, *columns])
        address = getattr(pendulum_kernels, "project" if given.own else "project_equations").address
        projection = StateProjection(address, given.evaluates) if self.projects else None
        x = np.zeros(0) if not given.own else given.start() if start.x is None else start.x
        data = [memory.ctypes.data, given.status]
        return SegmentLayout(NAMES if given.own else (), x, data=data, keep=memory, projection=projection)

    def event(self, start: SegmentStart) -> SegmentChange | None:
        assert start.x is not None
        SEEN.append((start.time, start.x if self.settings.own else np.array([start.read(name) for name in NAMES])))
        self._arrived = self._arrived or bool(SEEN[-1][1][0] < 0.0)
        due = [t for t in self.settings.toggles if t <= start.time and t not in self._toggled]
        return Toggle("toggled", projects=not self.projects) if due else None

    def next_time_event(self, time: float) -> float:
        return min((t for t in self.settings.toggles if t > time), default=math.inf)

    @property
    def watching(self) -> bool:
        return self.settings.waits and not self._arrived

    def awaited(self, time: float, signal: Callable[[str], Any]) -> bool:
        WATCHED.append(np.array([signal(f"p.{name}") for name in NAMES]))
        return bool(WATCHED[-1][0] < 0.0)

    def snapshot(self) -> dict[str, Any]:
        return {"projects": int(self.projects), "toggled": np.array(self._toggled)}

    def restore(self, data: Any) -> None:
        self.projects, self._toggled = bool(data["projects"]), data["toggled"].tolist()


@dataclass(frozen=True, eq=False, kw_only=True)
class Toggle(SegmentChange):
    """The projection begins or ends."""

    projects: bool


SEEN: list[Any] = []
"""Time and states of all events of a test."""

WATCHED: list[Any] = []
"""States with which something was awaited."""

PLACES: dict[str, tuple[int, float] | None] = {}
"""Where variables were found among the states of the equations."""


def pendulum(**settings: Any) -> Model:
    """A pendulum as a submodel."""
    made = Pendulum(Settings(**settings))
    return Model(_component=lambda scope: made)


def residuals(states: np.ndarray, length: Any = 1.0, rate: Any = 0.0) -> np.ndarray:
    """Of position and velocity, shape (nt, 2); ``states``: x, y, vx, vy, shape (nt, 4)."""
    x, y, vx, vy = states.T
    return np.stack([np.hypot(x, y) - length, (x * vx + y * vy) / length - rate], axis=1)


def energy(states: np.ndarray) -> np.ndarray:
    """Of position and motion [J]."""
    _, y, vx, vy = states.T
    return 0.5 * (vx**2 + vy**2) + pendulum_kernels.GRAVITY * y
