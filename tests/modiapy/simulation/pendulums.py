"""Pendulums in Cartesian coordinates, whose states are kept on ``x^2 + y^2 = length^2`` by a projection in machine code."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from modiapy import Model, Var
from modiapy.acausal import (
    AcausalComponent,
    ComponentFunction,
    ComponentRun,
    Saves,
    SegmentChange,
    SegmentLayout,
    SegmentStart,
    StateProjection,
    call_equation,
    kernel_address,
)

from . import pendulum_kernels

_KERNELS = pendulum_kernels.__name__
GRAVITY = 9.81


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
        refuses: status of the projection where the point is right of that [m].
        own: whether the states are the component's, or those of the equations.
    """

    projects: bool = True
    toggles: tuple[float, ...] = ()
    evaluates: bool = False
    lengths: tuple[str, str, str] = ("1.0", "0.0", "0.0")
    angle: float = 2.0
    speed: float = 0.0
    refuses: tuple[int, float] = (0, math.inf)
    own: bool = True

    def start(self) -> np.ndarray:
        """``x, y, vx, vy`` at a length of 1."""
        s, c = math.sin(self.angle), math.cos(self.angle)
        return np.array([s, -c, self.speed * c, self.speed * s])


class Pendulum(AcausalComponent):
    """A point mass of 1 kg on a rod; y is up."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def acausal_part(self) -> Model:
        names = ("x", "y", "vx", "vy")
        if self.settings.own:
            length, first, second = self.settings.lengths
            swing = call_equation(SWING, ["l", "dl", "ddl"], ["done"])
            equations = [f"l = {length}", f"dl = {first}", f"ddl = {second}", swing]
            return Model(**{name: Var() for name in ("l", "dl", "ddl", "done")}, equations=equations)
        start = dict(zip(names, self.settings.start(), strict=True))
        equations = ["der(x) = vx", "der(y) = vy", "der(vx) = ax", "der(vy) = ay", call_equation(PULL, [*names], ["ax", "ay"])]
        return Model(**{n: Var(init=start[n]) for n in names}, ax=Var(), ay=Var(), equations=equations)

    def failure(self, status: int, keep: Any) -> str:
        return f"the rod is too far to the right of {keep[1]:g} m" if status == 7 else ""

    def begin_run(self) -> ComponentRun:
        return Swinging(self)


class Swinging(ComponentRun, Saves):
    """It in one simulation.

    Attributes:
        places: where its variables are among the states of the equations. begins: the states at the begin of each segment.
    """

    def __init__(self, pendulum: Pendulum) -> None:
        self.settings, self.projects = pendulum.settings, pendulum.settings.projects
        self.seen: list[tuple[float, np.ndarray]] = []
        self._toggled: list[float] = []

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        given = self.settings
        if isinstance(start.change, Toggle):
            self.projects = start.change.projects
            self._toggled.append(start.time)
        places = [] if given.own else [start.place(name) for name in ("x", "y", "vx", "vy")]
        columns = [place or (-1, 0.0) for place in places]
        memory = np.array([1.0, given.refuses[1], 0.0, 0.0, *(v for place in columns for v in place)])
        address = getattr(pendulum_kernels, "project" if given.own else "project_equations").address
        projection = StateProjection(address, given.evaluates) if self.projects else None
        x = np.zeros(0) if not given.own else given.start() if start.x is None else start.x
        data = [memory.ctypes.data, given.refuses[0]]
        names = ["x", "y", "vx", "vy"] if given.own else []
        return SegmentLayout(names, x, data=data, keep=memory, projection=projection)

    def event(self, start: SegmentStart) -> SegmentChange | None:
        assert start.x is not None
        x = start.x if self.settings.own else np.array([start.read(n) for n in ("x", "y", "vx", "vy")])
        SEEN.append((start.time, x))
        due = [t for t in self.settings.toggles if t <= start.time and t not in self._toggled]
        return Toggle("toggled", projects=not self.projects) if due else None

    def next_time_event(self, time: float) -> float:
        return min((t for t in self.settings.toggles if t > time), default=math.inf)

    def snapshot(self) -> dict[str, Any]:
        return {"projects": int(self.projects), "toggled": np.array(self._toggled)}

    def restore(self, data: Any) -> None:
        self.projects, self._toggled = bool(data["projects"]), data["toggled"].tolist()


@dataclass(frozen=True, eq=False, kw_only=True)
class Toggle(SegmentChange):
    """The projection begins or ends."""

    projects: bool


SEEN: list[tuple[float, np.ndarray]] = []
"""Time and states of all events of a test."""


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
    return 0.5 * (vx**2 + vy**2) + GRAVITY * y
