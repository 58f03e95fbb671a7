"""Gaussian elimination of sparse rows in exact integer arithmetic."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Terms = dict[str, int]


@dataclass
class Row:
    """An integer combination of equations: its terms, and the factor of each equation."""

    terms: Terms
    origin: dict[int, int]


def peel(rows: Mapping[int, Terms], movable: Callable[[str], bool]) -> dict[int, Terms]:
    """Return the rows that may depend on each other: one with a movable variable that occurs in no other row cannot."""
    count: dict[str, int] = {}
    total: dict[str, int] = {}
    for i, terms in rows.items():
        for name in terms:
            count[name] = count.get(name, 0) + 1
            total[name] = total.get(name, 0) + i
    single = [name for name, n in count.items() if n == 1 and movable(name)]
    left = dict(rows)
    while single:
        name = single.pop()
        if count[name] != 1:
            continue
        i = total[name]
        for other in left.pop(i):
            count[other] -= 1
            total[other] -= i
            if count[other] == 1 and movable(other):
                single.append(other)
    return left


def determine(rows: dict[int, Terms]) -> set[str]:
    """Return the variables that follow one after the other from a row where they alone are left; they are taken out of all
    rows.
    """
    uses: dict[str, list[int]] = {}
    for i, terms in rows.items():
        for name in terms:
            uses.setdefault(name, []).append(i)
    determined: set[str] = set()
    queue = [i for i, terms in rows.items() if len(terms) == 1]
    for i in queue:
        if len(rows[i]) != 1:
            continue
        name = next(iter(rows[i]))
        determined.add(name)
        for k in uses[name]:
            del rows[k][name]
            if len(rows[k]) == 1:
                queue.append(k)
    return determined


def eliminate(
    rows: dict[int, Row], eligible: Callable[[str], bool], pivoted: Callable[[str], None] = lambda name: None
) -> dict[int, Row]:
    """Return the fraction-free elimination: the rows without eligible variable that are left. The shortest rows are pivots
    first.

    Rows that serve as pivots stay as they were then; ``pivoted`` is told their variables.
    """
    rows_of: dict[str, set[int]] = {}
    for i, row in rows.items():
        for name in row.terms:
            rows_of.setdefault(name, set()).add(i)
    heap = [(len(row.terms), i) for i, row in rows.items()]
    heapq.heapify(heap)
    left = dict(rows)
    while heap:
        size, i = heapq.heappop(heap)
        if i not in left or size != len(left[i].terms):
            continue
        candidates = [name for name in left[i].terms if eligible(name)]
        if not candidates:
            continue
        name = min(candidates, key=lambda n: (abs(left[i].terms[n]), len(rows_of[n])))
        pivoted(name)
        pivot = left.pop(i)
        for other in pivot.terms:
            rows_of[other].discard(i)
        for k in sorted(rows_of[name]):
            left[k] = combined(left[k], pivot, name)
            for other in pivot.terms:
                (rows_of[other].add if other in left[k].terms else rows_of[other].discard)(k)
            heapq.heappush(heap, (len(left[k].terms), k))
    return left


def combined(row: Row, pivot: Row, name: str) -> Row:
    """Return the smallest integer combination of both in which ``name`` vanishes."""
    a, b = pivot.terms[name], row.terms[name]
    common = math.gcd(a, b)
    a, b = a // common, b // common
    terms = _sum(row.terms, a, pivot.terms, -b)
    origin = _sum(row.origin, a, pivot.origin, -b)
    common = math.gcd(*terms.values(), *origin.values())
    if common > 1:
        terms = {key: value // common for key, value in terms.items()}
        origin = {key: value // common for key, value in origin.items()}
    return Row(terms, origin)


K = TypeVar("K")


def _sum(x: Mapping[K, int], a: int, y: Mapping[K, int], b: int) -> dict[K, int]:
    result = {key: a * value for key, value in x.items()}
    for key, value in y.items():
        result[key] = result.get(key, 0) + b * value
    return {key: value for key, value in result.items() if value}


def combination(parts: Iterable[tuple[int, Terms]]) -> Terms:
    """Return the sum of terms, each with its factor."""
    total: Terms = {}
    for factor, terms in parts:
        total = _sum(total, 1, terms, factor)
    return total


def dependency(rows: Mapping[int, Terms], row: int) -> list[int]:
    """Return the numbers of the rows of which ``row`` is a combination, itself included; all others are independent of each
    other.
    """
    core = {i: Row(dict(terms), {i: 1}) for i, terms in peel(rows, lambda name: True).items()}
    left = eliminate(core, lambda name: True)
    return sorted(next((r.origin for r in left.values() if row in r.origin), {row: 1}))
