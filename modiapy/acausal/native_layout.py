"""The fields of a `Layout` as kernels see them."""

from __future__ import annotations

from typing import Any

from .memory_layout import Extent, Layout
from .native import Deferred

# made of modiapy/acausal/intrinsics.py


def record(layout: Layout) -> Any:
    """Return a function for kernels: the record at an address (int64, or pointer to int64), whose attributes are its fields.

    Numbers are numbers, arrays are arrays, not owned, also those elsewhere. Machine code is made where a field is read: a loop
    had better read it before.
    """

    def make() -> Any:
        from .intrinsics import record

        return record(layout)

    return Deferred(make)


def field_array(layout: Layout, name: str, extent: Extent | int | None = None) -> Any:
    """Return a function for kernels: the field as an array, not owned, of the record at an address (int64).

    ``extent`` is the number of elements if only the first ones of a row are wanted.
    """

    def make() -> Any:
        from .intrinsics import field_array

        return field_array(layout, name, extent)

    return Deferred(make)


def field_address(layout: Layout, name: str) -> Any:
    """Return a function for kernels: the address (int64) of the field of the record at an address."""

    def make() -> Any:
        from .intrinsics import field_address

        return field_address(layout, name)

    return Deferred(make)
