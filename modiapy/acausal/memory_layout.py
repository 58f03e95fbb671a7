"""Memory as a record of fields that is described once: offsets, sizes, views and the accessors of kernels follow from it.

A field is a row of numbers of eight bytes each; how many they are is a sum of products of sizes, which are known where memory
is allocated or seen. Kernels see fields by `native_layout.field_array`, the code generator by `Layout.offset`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

INT64, FLOAT64 = "int64", "float64"


class Extent:
    """A number that is a polynomial in sizes: how many numbers a field has, or where it begins.

    Args:
        terms: factors, by name and sorted -> how often the product of them counts; no factors for the constant.
    """

    def __init__(self, terms: Mapping[tuple[str, ...], int]) -> None:
        self.terms = MappingProxyType({factors: count for factors, count in terms.items() if count})

    def __add__(self, other: Extent | int) -> Extent:
        terms = dict(self.terms)
        for factors, count in extent_of(other).terms.items():
            terms[factors] = terms.get(factors, 0) + count
        return Extent(terms)

    def __mul__(self, other: Extent | int) -> Extent:
        terms: dict[tuple[str, ...], int] = {}
        for mine, count in self.terms.items():
            for others, times in extent_of(other).terms.items():
                factors = tuple(sorted(mine + others))
                terms[factors] = terms.get(factors, 0) + count * times
        return Extent(terms)

    __radd__, __rmul__ = __add__, __mul__

    def value(self, sizes: Mapping[str, int]) -> int:
        """The number for these sizes."""
        total = 0
        for factors, count in self.terms.items():
            for name in factors:
                count *= sizes[name]
            total += count
        return total


def extent_of(value: Extent | int) -> Extent:
    """A number as an extent."""
    return value if isinstance(value, Extent) else Extent({(): value})


def size(name: str) -> Extent:
    """The size of this name."""
    return Extent({(name,): 1})


@dataclass(frozen=True)
class Field:
    """A row of ``extent`` numbers of a kind, `INT64` or `FLOAT64`."""

    name: str
    extent: Extent | int
    kind: str = FLOAT64


class Layout:
    """Fields one after the other: a record, whose address is all that kernels need, because its sizes stand in it.

    Args:
        fields: in their order in memory.
        stored: word of the memory in which each size stands; not needed where no kernel sees it.

    Attributes:
        fields: by name.
        begins: where each begins, in words of eight bytes.
        end: number of words of all.
        stored: see above.
    """

    def __init__(self, *fields: Field, stored: Mapping[str, int] = MappingProxyType({})) -> None:
        self.fields = {field.name: field for field in fields}
        self.begins: dict[str, Extent] = {}
        self.end = extent_of(0)
        for field in fields:
            self.begins[field.name] = self.end
            self.end = self.end + field.extent
        self.stored = MappingProxyType(dict(stored))

    def followed_by(self, *fields: Field, stored: Mapping[str, int]) -> Layout:
        """A record that begins with these fields and goes on with others."""
        return Layout(*self.fields.values(), *fields, stored={**self.stored, **stored})

    def offset(self, field: str, **sizes: int) -> int:
        """Words before a field."""
        return self.begins[field].value(sizes)

    def views(self, memory: np.ndarray, **sizes: int) -> tuple[np.ndarray, ...]:
        """All fields of memory, see `view`."""
        return tuple(self.view(memory, name, **sizes) for name in self.fields)

    def words(self, **sizes: int) -> int:
        """Words of all fields."""
        return self.end.value(sizes)

    def view(self, memory: np.ndarray, field: str, **sizes: int) -> np.ndarray:
        """A field of memory that begins with the first word of an array of int64 or float64."""
        first = self.offset(field, **sizes)
        row: Any = memory[first : first + extent_of(self.fields[field].extent).value(sizes)]
        return row if self.fields[field].kind == INT64 else row.view(np.float64)
