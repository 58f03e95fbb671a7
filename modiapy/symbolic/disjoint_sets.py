"""Disjoint sets (union-find)."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class DisjointSets(Generic[T]):
    """Sets that are united one after the other; each has a representative. ``parent`` has all members, first come first."""

    def __init__(self) -> None:
        self.parent: dict[T, T] = {}

    def find(self, member: T) -> T:
        """Representative of the set of a member; a new member is a set of its own."""
        root = member
        while (up := self.parent.setdefault(root, root)) != root:
            root = up
        while self.parent[member] != root:
            self.parent[member], member = root, self.parent[member]
        return root

    def unite(self, a: T, b: T) -> bool:
        """Unite the sets of a and b, represented as that of a; whether they were different."""
        a, b = self.find(a), self.find(b)
        self.parent[b] = a
        return a != b
