"""Volumes of different widths: halves of halves of equal ones, split and merged such that no energy is lost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

BATCH = 0.8
"""With a volume that must be split go those that are as near to it as this; volumes are merged from the same distance."""


@dataclass(frozen=True)
class Grid:
    """Volumes of a rod of length 1, in order. Neighbours differ by a factor of two in width, or not at all.

    Attributes:
        n: number of volumes of level 0, which are equal.
        max_level: how often a volume may be halved.
        levels: how often each volume was halved, shape (number of volumes,), int.
    """

    n: int
    max_level: int
    levels: np.ndarray

    @classmethod
    def uniform(cls, n: int, max_level: int) -> Grid:
        """Return n equal volumes."""
        return cls(n, max_level, np.zeros(n, dtype=np.int64))

    @property
    def is_possible(self) -> bool:
        """True if the levels are allowed, and fill the rod."""
        allowed = self.levels.ndim == 1 and ((self.levels >= 0) & (self.levels <= self.max_level)).all()
        return bool(allowed and self.units.sum() == self.n << self.max_level)

    @cached_property
    def units(self) -> np.ndarray:
        """Widths in volumes of the highest level, int."""
        return np.left_shift(1, self.max_level - self.levels)

    @cached_property
    def widths(self) -> np.ndarray:
        """Widths; their sum is 1."""
        return self.units / (self.n << self.max_level)

    @cached_property
    def distances(self) -> np.ndarray:
        """Return the distances between the centres of neighbours, and of ends from outer centres; shape (number of volumes
        + 1,).
        """
        half = np.concatenate([[0.0], 0.5 * self.widths, [0.0]])
        return half[:-1] + half[1:]

    @cached_property
    def splittable(self) -> np.ndarray:
        """True if each volume may be halved; neighbours that are too wide are halved with it."""
        return self.levels < self.max_level

    @cached_property
    def mergeable(self) -> np.ndarray:
        """True if each volume and the next one are halves of one, whose neighbours are narrow enough for it."""
        levels, starts = self.levels, np.cumsum(self.units) - self.units
        padded = np.concatenate([[0], levels, [0, 0]])
        around = np.maximum(np.maximum(padded[:-3], padded[2:-1]), padded[3:])  # before, the next one, behind
        equal = np.append(levels[1:] == levels[:-1], False)
        return equal & (levels > 0) & (starts % (2 * self.units) == 0) & (around <= levels)

    def gradients(self, values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
        """Return the gradients at all faces, shape (number of volumes + 1,); ``ends`` are the values at the ends of the rod."""
        return np.diff(np.concatenate([[ends[0]], values, [ends[1]]])) / self.distances

    def variations(self, values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
        """Return how much the values change over each volume, by the steeper gradient of its faces."""
        slopes = np.abs(self.gradients(values, ends))
        return self.widths * np.maximum(slopes[:-1], slopes[1:])


def split(grid: Grid, values: np.ndarray, ends: tuple[float, float], marked: np.ndarray) -> tuple[Grid, np.ndarray]:
    """Halve the marked volumes, and those that would be too wide beside them.

    Both halves get the values of a straight line through the mean, whose slope is that of the parabola through both neighbours,
    limited such that the line does not leave the range of the neighbours: the mean is kept, no new extremum arises.
    """
    marked = marked.copy()
    while True:
        level = grid.levels + marked
        highest = np.maximum(np.append(level[1:], 0), np.concatenate([[0], level[:-1]]))
        wide = ~marked & (highest > grid.levels + 1)
        if not wide.any():
            break
        marked |= wide
    step = 0.25 * grid.widths * _slopes(grid, values, ends)
    counts = 1 + marked
    fine = np.repeat(values, counts)
    first = np.cumsum(counts)[marked] - 2
    fine[first] -= step[marked]
    fine[first + 1] += step[marked]
    return Grid(grid.n, grid.max_level, np.repeat(grid.levels + marked, counts)), fine


def _slopes(grid: Grid, values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    gradients, distances = grid.gradients(values, ends), grid.distances
    left, right = gradients[:-1], gradients[1:]
    a, b = distances[:-1], distances[1:]
    slope = (left * b + right * a) / (a + b)
    limit = np.minimum(np.abs(left) * a, np.abs(right) * b) / (0.5 * grid.widths)
    return np.where(left * right > 0.0, np.sign(slope) * np.minimum(np.abs(slope), limit), 0.0)


def merge(grid: Grid, values: np.ndarray, first: np.ndarray) -> tuple[Grid, np.ndarray]:
    """Make one volume, with the mean value, of each marked volume and the next one (`Grid.mergeable`)."""
    keep = ~np.concatenate([[False], first[:-1]])
    pairs = np.flatnonzero(first)
    means, levels = values.copy(), grid.levels.copy()
    means[pairs] = 0.5 * (values[pairs] + values[pairs + 1])
    levels[pairs] -= 1
    return Grid(grid.n, grid.max_level, levels[keep]), means[keep]


def refined(grid: Grid, values: np.ndarray, ends: tuple[float, float], largest: float) -> tuple[Grid, np.ndarray]:
    """Halve volumes until the values change over none of them, which may be halved, by more than ``largest``."""
    while True:
        variations = np.where(grid.splittable, grid.variations(values, ends), 0.0)
        if variations.max() < largest:
            return grid, values
        grid, values = split(grid, values, ends, variations >= BATCH * largest)


def coarsened(grid: Grid, values: np.ndarray, ends: tuple[float, float], smallest: float) -> tuple[Grid, np.ndarray]:
    """Merge halves while there are some over both of which the values change by less than ``smallest``."""
    while True:
        variations = grid.variations(values, ends)
        both = np.where(grid.mergeable, 2.0 * np.maximum(variations, np.append(variations[1:], 0.0)), np.inf)
        if both.min() > smallest:
            return grid, values
        grid, values = merge(grid, values, both <= smallest / BATCH)


def resampled(values: np.ndarray, n: int) -> np.ndarray:
    """Return the means over n equal parts of a quantity given by its means over equal parts."""
    integral = np.concatenate([[0.0], np.cumsum(values)]) / values.size
    edges = np.linspace(0.0, 1.0, values.size + 1)
    return np.diff(np.interp(np.linspace(0.0, 1.0, n + 1), edges, integral)) * n
