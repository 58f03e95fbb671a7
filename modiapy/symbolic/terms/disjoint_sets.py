"""Disjoint sets (union-find), also of variables that are equal up to sign."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class DisjointSets(Generic[T]):
    """Sets that are united one after the other; each has a representative. ``parent`` has all members, first come first."""

    def __init__(self) -> None:
        self.parent: dict[T, T] = {}

    def find(self, member: T) -> T:
        """Return the representative of the set of a member; a new member is a set of its own."""
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


class SignedSets:
    """Sets of variables that are equal up to sign; a variable that was never united is a set of its own."""

    def __init__(self) -> None:
        self._parent: dict[str, tuple[str, int]] = {}

    def find(self, name: str) -> tuple[str, int]:
        """Return the root of the set of ``name`` and its sign relative to the root."""
        path = []
        sign = 1
        while name in self._parent:
            path.append(name)
            name = self._parent[name][0]
        for member in reversed(path):
            sign *= self._parent[member][1]
            self._parent[member] = (name, sign)
        return (name, sign) if path else (name, 1)

    def unite(self, a: str, b: str, sign: int) -> None:
        """Put the root ``a`` below the root ``b``: ``a = sign*b``."""
        self._parent[a] = (b, sign)
