"""Memory as a record of fields that is described once: offsets, sizes, views and the accessors of kernels follow from it.

A field is an array of numbers of eight bytes each, in the record or elsewhere; its shape is made of sums of products of sizes.
Sizes are known where memory is allocated or seen, and stand in the record where kernels see it: an address is all that these
need. Kernels see fields by `native_layout`, the code generator by `Layout.offset`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from .memory import addressof, first_byte

INT64, FLOAT64 = "int64", "float64"
_TYPES = {kind: np.dtype(kind) for kind in (INT64, FLOAT64)}


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

    def __sub__(self, other: Extent | int) -> Extent:
        return self + extent_of(other) * -1

    def __str__(self) -> str:
        """Return the polynomial as an expression of Python."""
        return " + ".join("*".join((str(count), *factors)) for factors, count in self.terms.items()) or "0"

    def value(self, sizes: Mapping[str, int]) -> int:
        """Return the number for these sizes."""
        total = 0
        for factors, count in self.terms.items():
            for name in factors:
                count *= sizes[name]
            total += count
        return total


def extent_of(value: Extent | int) -> Extent:
    """Return a number as an extent."""
    return value if isinstance(value, Extent) else Extent({(): value})


def size(name: str) -> Extent:
    """Return the size of this name."""
    return Extent({(name,): 1})


@dataclass(frozen=True)
class Field:
    """An array in the record, of a kind, `INT64` or `FLOAT64`.

    ``shape`` is a tuple, or the length of a row; the field is one number, no array, if it is ``()``. Such a field of kind
    `INT64` is a size of the record: shapes may name it.
    """

    name: str
    shape: tuple[Extent | int, ...] | Extent | int
    kind: str = FLOAT64

    @cached_property
    def dimensions(self) -> tuple[Extent, ...]:
        """The shape, as a tuple."""
        return tuple(map(extent_of, self.shape)) if isinstance(self.shape, tuple) else (extent_of(self.shape),)

    @cached_property
    def extent(self) -> Extent:
        """Return the number of words."""
        product = extent_of(1)
        for dimension in self.dimensions:
            product = product * dimension
        return product


@dataclass(frozen=True)
class Block:
    """Arrays elsewhere, one after the other: the record has the address of the first one. Their sizes are the record's."""

    name: str
    layout: Layout

    @property
    def extent(self) -> Extent:
        """Number of words in the record."""
        return extent_of(1)


def elsewhere(name: str, shape: tuple[Extent | int, ...] | Extent | int, kind: str = FLOAT64) -> Block:
    """Return an array of which the record has the address."""
    return Block(name, Layout(Field(name, shape, kind)))


class Layout:
    """Fields one after the other: a record.

    Args:
        fields: in their order in memory.
        stored: word of the memory in which sizes stand that are no fields of their own.

    Attributes:
        fields: by name.
        begins: where each begins, in words of eight bytes.
        end: number of words of all.
        stored: word of the memory in which each size stands.
        arrays: the fields in the record, by name.
    """

    def __init__(self, *fields: Field | Block, stored: Mapping[str, int] = MappingProxyType({})) -> None:
        self.fields = {field.name: field for field in fields}
        self.begins: dict[str, Extent] = {}
        self.end, sizes = extent_of(0), dict(stored)
        for field in fields:
            self.begins[field.name] = self.end
            if isinstance(field, Field) and field.kind == INT64 and field.shape == ():
                sizes[field.name] = self.end.value({})
            self.end = self.end + field.extent
        self.stored = MappingProxyType(sizes)
        self._views: dict[tuple[str, ...], Callable[..., dict[str, np.ndarray]]] = {}
        self._zeros: dict[tuple[str, ...], Callable[..., tuple[np.ndarray, ...]]] = {}
        self.arrays = {field.name: field for field in fields if isinstance(field, Field)}

    def followed_by(self, *fields: Field | Block, stored: Mapping[str, int] = MappingProxyType({})) -> Layout:
        """Return a record that begins with these fields and goes on with others."""
        return Layout(*self.fields.values(), *fields, stored={**self.stored, **stored})

    def block(self, name: str) -> Layout:
        """Return the layout of the memory behind the address of this name."""
        block = self.fields[name]
        assert isinstance(block, Block)
        return block.layout

    def offset(self, field: str, **sizes: int) -> int:
        """Return the words before a field."""
        return self.begins[field].value(sizes)

    @property
    def words(self) -> Callable[..., int]:
        """Function that gives the number of words of all fields; its arguments are the sizes, by name."""
        return self._words

    def views(self, memory: np.ndarray, *names: str, **sizes: int) -> dict[str, np.ndarray]:
        """Return the fields of memory, see `view`; all of them, if none is named."""
        made = self._views.get(names)
        if made is None:
            made = self._views[names] = self._views_of(names or self.arrays)
        return made(memory, **sizes)

    def view(self, memory: np.ndarray, field: str, **sizes: int) -> np.ndarray:
        """Return a field of memory that begins with the first word of an array of int64 or float64."""
        return self.views(memory, field, **sizes)[field]

    def zeros(self, *names: str, **sizes: int) -> tuple[np.ndarray, ...]:
        """Return the new memory, float64, of zeros, and behind it those fields of it that are named, in this order."""
        made = self._zeros.get(names)
        if made is None:
            made = self._zeros[names] = self._zeros_of(names)
        return made(**sizes)

    @property
    def head(self) -> Callable[..., list[int]]:
        """Function that gives the words of a record up to its first array: sizes, and addresses of arrays, all by name.

        They are 0 where nothing is given; what is an address already is trusted. A ValueError says that an array is not as
        large, or not of the kind, that the fields say.
        """
        return self._head

    # Functions made once for each layout, because segments are made often.

    @cached_property
    def _words(self) -> Callable[..., int]:
        names = dict.fromkeys(name for factors in self.end.terms for name in factors)
        return _function(f"lambda {''.join(f'{name}, ' for name in names)}**_: {self.end}")

    @cached_property
    def _head(self) -> Callable[..., list[int]]:
        sizes, blocks, words = dict.fromkeys(self.stored), [], []
        for name, field in self.fields.items():
            if isinstance(field, Block):
                kinds = {array.kind for array in field.layout.arrays.values()}
                kind = kinds.pop() if len(kinds) == 1 else ""
                words.append(
                    f"{name} if {name}.__class__ is int else address({name!r}, {name}, {field.layout.end}, {kind or None})"
                )
                blocks.append(f"{name}=None")
                sizes |= {size: None for factors in field.layout.end.terms for size in factors}
            elif field.shape == ():
                sizes.setdefault(name)
                words.append(name)
            else:
                break
        arguments = ", ".join([*(f"{name}=0" for name in sizes), *blocks])
        return _function(f"lambda {arguments}: [{', '.join(words)}]")

    def _views_of(self, fields: Iterable[str]) -> Callable[..., dict[str, np.ndarray]]:
        """Return (memory, sizes..) -> fields by name."""
        views, names = self._of_fields(fields)
        rows = [f"{name!r}: {view}" for name, view in views.items()]
        return _function(f"lambda memory, {', '.join([*names, '**_'])}: {{{', '.join(rows)}}}")

    def _zeros_of(self, fields: Iterable[str]) -> Callable[..., tuple[np.ndarray, ...]]:
        """Return (sizes..) -> memory, fields."""
        views, names = self._of_fields(fields)
        names = dict.fromkeys((*names, *(name for factors in self.end.terms for name in factors)))
        rows = ", ".join([f"memory := zeros({self.end})", *views.values()])
        return _function(f"lambda {', '.join([*names, '**_'])}: ({rows},)")

    def _of_fields(self, fields: Iterable[str]) -> tuple[dict[str, str], dict[str, None]]:
        """Return the expressions for views of ``memory``, by the names of fields, and the sizes that are in them."""
        views, names = dict[str, str](), dict[str, None]()
        for field in map(self.arrays.__getitem__, fields):
            begin = self.begins[field.name]
            shape = "".join(f"{dimension}, " for dimension in field.dimensions)
            views[field.name] = f"array(({shape}), {field.kind}, memory, 8 * ({begin}))"
            for extent in (begin, *field.dimensions):
                names |= dict.fromkeys(name for factors in extent.terms for name in factors)
        return views, names


def _function(source: str) -> Any:
    return eval(source, {"address": _address, "array": np.ndarray, "zeros": np.zeros, **_TYPES})


def _address(name: str, array: np.ndarray | None, size: int, kind: np.dtype[Any] | None) -> int:
    """Return the address of an array, which must have so many numbers of a kind; 0 where there are none."""
    if array is None:
        return 0
    found = array.size
    if found == size:
        if not found:
            return 0
        if array.dtype is kind or kind is None or array.dtype == kind:
            try:
                return addressof(first_byte(array))  # type: ignore[arg-type]
            except (TypeError, ValueError):  # read-only, or not contiguous
                if not array.flags.c_contiguous:
                    raise ValueError(f"{name}: numbers that do not lie one behind the other") from None
                return int(array.ctypes.data)
    raise ValueError(f"{name}: {found} numbers {array.dtype}, expected {size} {kind or ''}".rstrip())
