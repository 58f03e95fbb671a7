"""The fields of a `Layout` as kernels see them. This module imports numba; import it only where kernels are defined."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .memory_layout import INT64, Extent, Layout, extent_of


def field_array(layout: Layout, name: str, extent: Extent | int | None = None) -> Any:
    """A function for kernels: the field as an array, not owned, of the record at an address (int64).

    ``extent`` is the number of elements if only the first ones are wanted.
    """
    field = layout.fields[name]
    wanted = extent_of(field.extent if extent is None else extent)
    kind = types.int64 if field.kind == INT64 else types.float64

    def array_at(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            sizes, word = _Sizes(builder, layout, args[0]), ir.IntType(64)
            array = context.make_array(signature.return_type)(context, builder)
            context.populate_array(
                array,
                data=builder.inttoptr(sizes.begin(name), array.data.type),
                shape=[sizes.value(wanted)],
                strides=[ir.Constant(word, 8)],
                itemsize=ir.Constant(word, 8),
                meminfo=None,
            )
            return array._getvalue()

        return types.Array(kind, 1, "C")(types.int64), generate

    array_at.__name__ = f"{name}_at"
    return intrinsic(array_at)


def field_address(layout: Layout, name: str) -> Any:
    """A function for kernels: the address (int64) of the field of the record at an address."""

    def address_at(typingctx: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _Sizes(builder, layout, args[0]).begin(name)

        return types.int64(types.int64), generate

    address_at.__name__ = f"address_of_{name}"
    return intrinsic(address_at)


class _Sizes:
    """The sizes of the record at an address, read from it where they are needed."""

    def __init__(self, builder: Any, layout: Layout, address: Any) -> None:
        self.builder, self.layout, self.address = builder, layout, address
        self.known: dict[str, Any] = {}

    def begin(self, name: str) -> Any:
        """Address of a field."""
        words = self.value(self.layout.begins[name])
        return self.builder.add(self.address, self.builder.mul(words, _constant(8)))

    def value(self, extent: Extent) -> Any:
        """Value of a polynomial in the sizes."""
        builder, total = self.builder, None
        for factors, count in extent.terms.items():
            product = None if count == 1 and factors else _constant(count)
            for factor in factors:
                size = self._size(factor)
                product = size if product is None else builder.mul(product, size)
            total = product if total is None else builder.add(total, product)
        return _constant(0) if total is None else total

    def _size(self, name: str) -> Any:
        if name not in self.known:
            place = self.builder.add(self.address, _constant(8 * self.layout.stored[name]))
            self.known[name] = self.builder.load(self.builder.inttoptr(place, ir.IntType(64).as_pointer()))
        return self.known[name]


def _constant(value: int) -> Any:
    return ir.Constant(ir.IntType(64), value)
