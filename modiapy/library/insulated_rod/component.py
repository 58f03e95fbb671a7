"""The rod as a predefined acausal component: its grid changes at events, its equations never do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...acausal.abilities import Saves, StoresSignals
from ...acausal.calls import call_equation, kernel_address
from ...acausal.protocol import AcausalComponent, ComponentFunction, ComponentRun, ComponentScope
from ...acausal.segment import SegmentChange, SegmentLayout, SegmentStart, Sparsity, Trajectory
from ...model.errors import ModelError
from ...model.model import Model, Var
from .grid import Grid, coarsened, refined, resampled
from .memory import ROD

_KERNELS = f"{__package__}.kernels"
_BOTH = frozenset({0, 1})
HEAT_FLOWS = ComponentFunction("heat_flows", 2, 2, "insulated_rod_heat_flows", kernel_address(_KERNELS, "heat_flows"), _BOTH)
BALANCE = ComponentFunction("balance", 2, 1, "insulated_rod_balance", kernel_address(_KERNELS, "balance"), _BOTH, sink=True)

_NEAR = 1e-3
"""A threshold counts as reached when this part of it is missing: an event is located within the integrator's tolerance."""

_LARGEST_LEVEL = 20


class Rod(AcausalComponent, StoresSignals):
    """See `InsulatedRod` (the model), whose parameters these are."""

    def __init__(self, scope: ComponentScope) -> None:
        self.path, self.parameters = scope.path, scope.parameters
        _check(self.path, self.parameters)
        given = self.parameters
        self.n, self.max_level = int(given["n"]), int(given["max_level"])
        self.conductance = given["conductivity"] * given["area"] / given["length"]  # of the whole rod [W/K]
        self.capacity = given["density"] * given["specific_heat"] * given["area"] * given["length"]  # [J/K]

    def acausal_part(self) -> Model:
        """Return the heat flows at both ends follow from the temperatures there, the balance from the heat flows."""
        flows = call_equation(HEAT_FLOWS, ["port_a.T", "port_b.T"], ["port_a.Q_flow", "port_b.Q_flow"])
        balance = call_equation(BALANCE, ["port_a.Q_flow", "port_b.Q_flow"], ["balanced"])
        return Model(balanced=Var(), equations=[flows, balance])

    def begin_run(self) -> RodRun:
        """Return a grid of equal volumes."""
        return RodRun(self)

    def layout(self, grid: Grid, x: np.ndarray) -> SegmentLayout:
        """Return the memory of a segment with this grid and these temperatures."""
        n = grid.levels.size  # x may come from a file
        conductances = self.conductance / grid.distances
        capacities = self.capacity * grid.widths
        possible = np.array([grid.splittable, grid.mergeable]) & (self.parameters["check_period"] == 0.0)
        spans = grid.widths / self.conductance * possible
        watched = possible.any(axis=1)
        thresholds = np.where(watched, [self.parameters["refine_above"], self.parameters["coarsen_below"]], 0.0)
        memory = {"conductances": conductances, "capacities": capacities, "spans": spans, "thresholds": thresholds}
        return SegmentLayout(
            names=[f"T[{i}]" for i in range(n)],
            x=x,
            n_z=int(watched.sum()),
            data=ROD.head(n_x=n, **memory),
            keep=memory,
            signals=self._signals(grid),
            info={"volumes": n},
            sparsity=lambda: _conduction(n),
            description={"levels": grid.levels},
        )

    def _signals(self, grid: Grid) -> dict[str, Callable[[Trajectory], np.ndarray]]:
        centres = self.parameters["length"] * (np.cumsum(grid.widths) - 0.5 * grid.widths)
        return {
            "T": _temperatures,
            "position": partial(_repeated, centres),
            "energy": partial(_energy, self.capacity, grid.widths),
            "volumes": partial(_repeated, np.array(centres.size)),
        }

    def stored_signals(self, description: Mapping[str, Any]) -> Mapping[str, Callable[[Trajectory], np.ndarray]]:
        """Return the signals of a segment from `SegmentLayout.description`."""
        return self._signals(self.grid_of(description))

    def grid_of(self, data: Mapping[str, Any]) -> Grid:
        """Raise a ModelError where the levels are those of no grid of this rod."""
        grid = Grid(self.n, self.max_level, np.array(data["levels"], dtype=np.int64))
        if not grid.is_possible:
            raise ModelError("the volumes of the rod", found=str(grid.levels.tolist()), expected=f"{self.n} volumes, halved")
        return grid


@dataclass(frozen=True, eq=False, kw_only=True)
class NewGrid(SegmentChange):
    """A change of the grid: the new one, and the temperatures of its volumes [K]."""

    grid: Grid
    temperatures: np.ndarray


class RodRun(ComponentRun, Saves):
    """A rod in one simulation.

    Attributes:
        grid: of the present segment.
        checked: number of the last periodic check.
        changed: when the grid was changed last [s].
    """

    def __init__(self, rod: Rod) -> None:
        self._rod = rod
        self.grid = Grid.uniform(rod.n, rod.max_level)
        self.checked, self.changed, self._began = -1, math.nan, 0.0

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """Return the grid that `event` asked for, else the one there is; at the beginning equal volumes."""
        if start.x is None:
            self._began = start.time
            return self._rod.layout(self.grid, resampled(_profile(self._rod.parameters, "T_start"), self._rod.n))
        if isinstance(start.change, NewGrid):
            self.grid = start.change.grid
            return self._rod.layout(self.grid, start.change.temperatures)
        return self._rod.layout(self.grid, start.x)

    def event(self, start: SegmentStart) -> SegmentChange | None:
        """Compare the gradient with the thresholds, at most one merging at one point in time."""
        assert start.x is not None
        rod, given = self._rod, self._rod.parameters
        if rod.max_level == 0 or not self._is_due(start.time):
            return None
        ends = start.read("port_a.T"), start.read("port_b.T")
        grid, x = refined(self.grid, start.x, ends, (1.0 - _NEAR) * given["refine_above"])
        if grid is self.grid and self.changed != start.time:
            grid, x = coarsened(grid, x, ends, (1.0 + _NEAR) * given["coarsen_below"])
        if grid is self.grid:
            return None
        self.changed = start.time
        return NewGrid(f"{rod.path or 'rod'}: {x.size} volumes", grid=grid, temperatures=x)

    def _is_due(self, time: float) -> bool:
        if not self._rod.parameters["check_period"]:
            return True
        if time < self.next_time_event(time):
            return False
        self.checked += 1
        return True

    def next_time_event(self, time: float) -> float:
        """Return the next periodic check [s]; infinite where indicators watch the grid, or it never changes."""
        period = self._rod.parameters["check_period"]
        return self._began + (self.checked + 1) * period if period and self._rod.max_level else math.inf

    def snapshot(self) -> dict[str, Any]:
        """Return the grid, and when it was checked and changed."""
        times = np.array([self._began, self.changed])
        return {"levels": self.grid.levels, "checked": self.checked, "times": times}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `snapshot`. Raises a ModelError if they are no grid of this rod."""
        self.grid, self.checked = self._rod.grid_of(data), int(data["checked"])
        self._began, self.changed = (float(time) for time in data["times"])


def _temperatures(trajectory: Trajectory) -> np.ndarray:
    return trajectory.x


def _repeated(value: np.ndarray, trajectory: Trajectory) -> np.ndarray:
    """Return a constant over time, shape (nt, ...)."""
    return np.full((trajectory.time.size, *value.shape), value)


def _energy(capacity: float, widths: np.ndarray, trajectory: Trajectory) -> np.ndarray:
    return capacity * ((trajectory.x * widths).sum(axis=1))


def _conduction(n: int) -> Sparsity:
    """Return each volume depends on its neighbours, the first and the last one on the heat flows at the ends."""
    columns = np.arange(n)[:, None] + [-1, 0, 1]
    inside = (columns >= 0) & (columns < n)
    starts = np.concatenate([[0], np.cumsum(inside.sum(axis=1))])
    ends, none = np.array([[0, 0], [n - 1, 1]]), np.zeros((0, 2), dtype=int)
    inputs, outputs = {"balance": ends, "heat_flows": none}, {"heat_flows": ends[:, ::-1], "balance": none}
    return Sparsity(starts, columns[inside], inputs, outputs)


def _profile(parameters: Mapping[str, float], name: str) -> np.ndarray:
    """Return a parameter that is a number or a vector, shape (1,) or (m,)."""
    return np.array([value for key, value in parameters.items() if key == name or key.startswith(f"{name}[")], dtype=float)


def _check(path: str, parameters: Mapping[str, float]) -> None:
    """Raise a ModelError for a parameter that cannot be meant."""

    def require(name: str, good: bool, expected: str) -> None:
        if not good:
            where = f"{path}.{name}" if path else name
            raise ModelError("a parameter of the rod", path=where, found=f"{parameters[name]:g}", expected=expected)

    for name in ("length", "area", "conductivity", "density", "specific_heat", "refine_above", "coarsen_below"):
        require(name, 0.0 < parameters[name] < math.inf, "a positive number")
    require("n", parameters["n"] >= 1 and parameters["n"] % 1 == 0, "a whole number of volumes, at least 1")
    level = parameters["max_level"]
    require("max_level", 0 <= level <= _LARGEST_LEVEL and level % 1 == 0, f"a whole number from 0 to {_LARGEST_LEVEL}")
    require("check_period", 0.0 <= parameters["check_period"] < math.inf, "a time, or 0 for event indicators")
    half = parameters["coarsen_below"] <= 0.5 * parameters["refine_above"]
    require("coarsen_below", half, "at most refine_above/2, or volumes would be split and merged for ever")
