"""Layered layout of a graph of boxes, from left to right (Sugiyama, Tagawa and Toda 1981).

Edges that close a circle are turned, boxes stand in layers by their longest path, long edges pass through every layer between,
the order within layers comes from the mean place of the neighbours, and so do the heights, which keep that order.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from modiapy.symbolic.terms.disjoint_sets import DisjointSets

GAP_X, GAP_Y = 64.0, 22.0
"""Least distance of layers and of boxes in a layer [pixels]."""
_SWEEPS = 12
_TRACK = 6.0
"""Height of an edge that passes a layer [pixels]."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Places of boxes and edges.

    Attributes:
        corners: upper left corner of each box.
        routes: points through which each edge passes between its boxes, from its first to its second one: two in each layer.
        width, height: of all.
    """

    corners: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]
    width: float
    height: float


def arranged(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Layout:
    """Return places of boxes that do not overlap; parts without edges between them stand in rows, in their order.

    Args:
        sizes: width and height of each box.
        edges: pairs of boxes; those from a box to itself have no route.
    """
    corners: list[Point] = [(0.0, 0.0)] * len(sizes)
    routes: list[tuple[Point, ...]] = [()] * len(edges)
    owner, count = _parts(len(sizes), edges)
    own: list[list[int]] = [[] for _ in range(count)]
    for k, (a, b) in enumerate(edges):
        own[owner[a]] += [k] if a != b else []
    parts = [_Part([n for n, of in enumerate(owner) if of == k], sizes, [edges[e] for e in own[k]]) for k in range(count)]
    area = sum((part.width + GAP_Y) * (part.height + GAP_Y) for part in parts)
    widest = max([1.4 * math.sqrt(area), *(part.width for part in parts)])
    x, y, row, width = 0.0, 0.0, 0.0, 0.0
    for part, numbers in zip(parts, own, strict=True):
        if x + part.width > widest:
            x, y, row = 0.0, y + row + GAP_Y, 0.0
        for node in part.nodes:
            corners[node] = (x + part.left[part.layer[node]], y + part.middle[node] - sizes[node][1] / 2)
        for k, passed in zip(numbers, part.passed, strict=True):
            routes[k] = tuple((x + at, y + part.middle[d]) for d in passed for at in part.sides(d, edges[k]))
        width, row, x = max(width, x + part.width), max(row, part.height), x + part.width + GAP_Y
    return Layout(tuple(corners), tuple(routes), width, y + row)


def _parts(n: int, edges: Sequence[tuple[int, int]]) -> tuple[list[int], int]:
    """Return the number of the connected part of each node, in the order of their first nodes, and how many there are."""
    sets: DisjointSets[int] = DisjointSets()
    for a, b in edges:
        sets.unite(a, b)
    numbers: dict[int, int] = {}
    return [numbers.setdefault(sets.find(node), len(numbers)) for node in range(n)], len(numbers)


class _Part:
    """A connected part; nodes beyond those of the graph are where long edges pass a layer."""

    def __init__(self, nodes: Sequence[int], sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> None:
        self.nodes, self.height_of = nodes, {node: sizes[node][1] for node in nodes}
        forward = [edge if ok else edge[::-1] for edge, ok in zip(edges, _acyclic(nodes, edges), strict=True)]
        self.layer = _longest_paths(nodes, forward)
        self.before: dict[int, list[int]] = {node: [] for node in nodes}
        self.after: dict[int, list[int]] = {node: [] for node in nodes}
        self.passed: list[list[int]] = []
        for edge, given in zip(forward, edges, strict=True):
            passed = self._pass(edge, len(sizes))
            self.passed.append(passed if edge == given else passed[::-1])
        self.rows: list[list[int]] = [[] for _ in range(max(self.layer.values()) + 1)]
        for node, layer in self.layer.items():
            self.rows[layer].append(node)
        self._order()
        self.middle = self._heights()
        self.widest = [max((sizes[v][0] for v in row if v < len(sizes)), default=0.0) for row in self.rows]
        self.left = [0.0]
        for w in self.widest:
            self.left.append(self.left[-1] + w + GAP_X)
        self.width = self.left[-1] - GAP_X
        top = min(y - self.height_of[v] / 2 for v, y in self.middle.items())
        self.middle = {v: y - top for v, y in self.middle.items()}
        self.height = max(y + self.height_of[v] / 2 for v, y in self.middle.items())

    def sides(self, node: int, edge: tuple[int, int]) -> tuple[float, float]:
        """Return where an edge enters and leaves the layer of a node through which it passes."""
        left = self.left[self.layer[node]]
        right = left + self.widest[self.layer[node]]
        return (left, right) if self.layer[edge[0]] < self.layer[edge[1]] else (right, left)

    def _pass(self, edge: tuple[int, int], n: int) -> list[int]:
        """Return new nodes in the layers between the ends of an edge, joined with these."""
        first, last = edge
        number = max(n, max(self.layer) + 1)
        passed = list(range(number, number + self.layer[last] - self.layer[first] - 1))
        for k, node in enumerate(passed, self.layer[first] + 1):
            self.layer[node], self.height_of[node] = k, _TRACK
            self.before[node], self.after[node] = [], []
        for a, b in zip([first, *passed], [*passed, last], strict=True):
            self.after[a].append(b)
            self.before[b].append(a)
        return passed

    def _sweeps(self) -> Iterator[tuple[list[int], dict[int, list[int]]]]:
        """Generate the rows with the neighbours towards which each is looked at, forwards and backwards."""
        yield from ((row, self.before) for row in self.rows[1:])
        yield from ((row, self.after) for row in self.rows[-2::-1])

    def _order(self) -> None:
        """Order each row by the mean place of its neighbours; of all orders that come up the one of the fewest crossings."""
        best, fewest = [list(row) for row in self.rows], self._crossings()
        place = {v: k for row in self.rows for k, v in enumerate(row)}
        for _ in range(_SWEEPS if fewest else 0):
            for row, near in self._sweeps():
                mean = {v: sum(place[u] for u in near[v]) / len(near[v]) if near[v] else place[v] for v in row}
                row.sort(key=mean.__getitem__)
                place |= {v: k for k, v in enumerate(row)}
            if (crossings := self._crossings()) < fewest:
                best, fewest = [list(row) for row in self.rows], crossings
        self.rows = best

    def _crossings(self) -> int:
        """Return how many pairs of edges cross each other."""
        count = 0
        for row, following in pairwise(self.rows):
            place = {v: k for k, v in enumerate(following)}
            seen: list[int] = []
            for node in row:
                ends = [place[u] for u in self.after[node]]
                count += sum(len(seen) - bisect_right(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return count

    def _heights(self) -> dict[int, float]:
        """Return the middle of each node: near the mean of its neighbours, without overlap, in the order of its row."""
        middle: dict[int, float] = {}
        for row in self.rows:
            middle |= dict(zip(row, self._apart(row, [0.0] * len(row)), strict=True))
        for _ in range(_SWEEPS):
            for row, near in self._sweeps():
                wanted = [sum(middle[u] for u in near[v]) / len(near[v]) if near[v] else middle[v] for v in row]
                middle |= dict(zip(row, self._apart(row, wanted), strict=True))
        return middle

    def _apart(self, row: Sequence[int], wanted: Sequence[float]) -> list[float]:
        """Return the places nearest to those wanted (least squares) at which the nodes of a row do not overlap.

        Shifted by the least distances from the first one, that is an isotonic regression: neighbours are pooled.
        """
        shift = [0.0]
        for a, b in pairwise(row):
            shift.append(shift[-1] + (self.height_of[a] + self.height_of[b]) / 2 + GAP_Y)
        pools: list[tuple[float, int]] = []
        for place, offset in zip(wanted, shift, strict=True):
            mean, count = place - offset, 1
            while pools and pools[-1][0] > mean:
                other, n = pools.pop()
                mean, count = (mean * count + other * n) / (count + n), count + n
            pools.append((mean, count))
        return [mean + shift[k] for k, mean in enumerate(mean for mean, count in pools for _ in range(count))]


def _acyclic(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[bool]:
    """Return which edges keep their direction, so that none closes a circle: those back to where a search came from do not."""
    out: dict[int, list[int]] = {node: [] for node in nodes}
    for k, (a, _) in enumerate(edges):
        out[a].append(k)
    entered = {b for _, b in edges}
    keeps = [True] * len(edges)
    done: set[int] = set()
    for start in sorted(nodes, key=lambda node: (node in entered, node)):
        open_nodes = {start: iter(out[start])} if start not in done else {}
        while open_nodes:
            node = next(reversed(open_nodes))
            k = next(open_nodes[node], -1)
            if k < 0:
                done.add(node)
                del open_nodes[node]
            elif (other := edges[k][1]) in open_nodes:
                keeps[k] = False
            elif other not in done:
                open_nodes[other] = iter(out[other])
    return keeps


def _longest_paths(nodes: Sequence[int], edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return the layer of each node: behind all before it, and those that nothing is before as near as they can be."""
    after: dict[int, list[int]] = {node: [] for node in nodes}
    missing = dict.fromkeys(nodes, 0)
    for a, b in edges:
        after[a].append(b)
        missing[b] += 1
    layer = dict.fromkeys(nodes, 0)
    order = [node for node in nodes if not missing[node]]
    first = set(order)
    for node in order:
        for other in after[node]:
            layer[other] = max(layer[other], layer[node] + 1)
            missing[other] -= 1
            order += [other] if not missing[other] else []
    for node in first:
        layer[node] = min((layer[other] for other in after[node]), default=1) - 1
    return layer
